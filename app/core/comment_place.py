"""How one place of the code is shown in a comment: its link, its symbol, its few lines. Owns no sentence of its own."""

from __future__ import annotations

from collections.abc import Sequence

from app.core.cite import permalink
from app.core.sanitize import code_span, fence, link
from app.core.types import Citation, Evidence

LINES_SHOWN = 12
"""Lines of code an item shows; the link leads to the rest."""

LINE_LENGTH = 160
"""Characters of a line that are shown: what a comment shows without scrolling far; minified lines are thousands."""

CALL_LENGTH = 100
"""Characters of a calling line in a list."""

MODULE = "<module>"
"""What `core.graph` calls the code at the top of a file; a reader is told nothing by it."""

CUT = "⋮"
"""Stands for lines that are left out, as in grep with context; no common language gives it a meaning."""


_ABOVE = ("@", "#", "//", "/*", "*", "--", ";", "[[")
"""How lines above a definition start that belong to it but do not name it."""


def place(html_url: str, citation: Citation) -> str:
    """A link that says `path:first-last` and opens those lines at the commit."""
    lines = f"{citation.first}" if citation.first == citation.last else f"{citation.first}-{citation.last}"
    return link(code_span(f"{_tail(citation.path)}:{lines}"), permalink(html_url, citation))


def call_row(html_url: str, citation: Citation, symbol: str, word: str = "") -> str:
    """One line about a line that calls something: what it is, where, in which definition, and the line itself."""
    holder = f"in {code_span(symbol)}" if symbol and symbol != MODULE else ""
    line = code_span(citation.text.split("\n", 1)[0].strip(), CALL_LENGTH)
    return f"{' '.join(part for part in (word, place(html_url, citation), holder) if part)}: {line}"


def excerpt(evidence: Evidence, most: int = LINES_SHOWN) -> str:
    """The few lines of a citation worth showing, fenced: the lines in focus, under the first line of what holds them."""
    citation = evidence.citation
    lines = citation.text.split("\n")
    first, last = (
        evidence.focus if citation.first <= evidence.focus[0] <= evidence.focus[1] else (citation.first, citation.last)
    )
    start, stop = first - citation.first, min(last - citation.first + 1, len(lines))
    at = _header(lines[:start])
    header = [lines[at]] if at >= 0 else []
    stop = min(stop, start + most - len(header))
    gap = [_indent(lines[start]) + CUT] if header and at < start - 1 else []
    shown = [*header, *gap, *lines[start:stop]]
    if stop < len(lines):
        shown.append(_indent(lines[stop - 1]) + CUT)
    return fence("\n".join(_short(line) for line in shown), evidence.language)


def joined(parts: Sequence[str]) -> str:
    """Parts of one line, those that are not empty, apart by a middle dot."""
    return " · ".join(part for part in parts if part)


def _header(lines: Sequence[str]) -> int:
    """Index of the line that says what the following lines are in: the first below decorators and comments; -1 without one."""
    plain = (at for at, line in enumerate(lines) if line.strip() and not line.lstrip().startswith(_ABOVE))
    return next(plain, 0 if lines and lines[0].strip() else -1)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _short(line: str) -> str:
    line = line.rstrip("\r")
    return line if len(line) <= LINE_LENGTH else f"{line[: LINE_LENGTH - 1]}…"


def _tail(path: str, most: int = 120) -> str:
    """A path, its beginning left out when it is very long: the file's name says most."""
    return path if len(path) <= most else f"…{path[-(most - 1) :]}"
