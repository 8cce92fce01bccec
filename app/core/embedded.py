"""Owns where a file holds code of another language: fenced blocks of Markdown, scripts and styles of HTML, Vue and Svelte.

Finds line ranges only; whoever chunks them sees a range as a file of its own language.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.core.languages import language_called, row_of
from app.core.sections import fenced_blocks

if TYPE_CHECKING:
    from app.core.lines import Lines

MOST_REGIONS = 400
"""Of one file. A document with more examples is a reference that is found by its headings."""

MARKUP = frozenset({"html", "vue", "svelte"})
_OPENING = re.compile(rb"<(script|style)\b((?:[^>\"'<]|\"[^\"<]{0,500}\"|'[^'<]{0,500}'){0,1000})>", re.IGNORECASE)
"""Bounded, and never past the next tag, so that a thousand openings without an end cost no more than their length."""
_LANGUAGE = re.compile(rb"\blang\s*=\s*[\"']?([\w-]+)", re.IGNORECASE)
_TYPE = re.compile(rb"\btype\s*=\s*[\"']?([\w/+.-]+)", re.IGNORECASE)
_SCRIPT_TYPES = re.compile(r"(?:text|application)/(?:x-)?(java|ecma|type)script|module|text/babel|text/jsx")


@dataclass(frozen=True, slots=True)
class Region:
    """Whole lines first..last that are in `language`; the fence or tag around them stands on other lines."""

    first: int
    last: int
    language: str


def regions(language: str, lines: Lines) -> list[Region]:
    """The embedded code of one file, in order, without overlap; languages without a grammar are left out."""
    if language == "markdown":
        found = (Region(first, last, language_called(word)) for first, last, word in fenced_blocks(lines))
    elif language in MARKUP:
        found = (one for one in _tags(lines))
    else:
        return []
    kept: list[Region] = []
    for one in found:
        row = row_of(one.language)
        trimmed = lines.trim(one.first, one.last) if one.first <= one.last else None
        if row is not None and row.grammar and trimmed is not None and (language in MARKUP or not row.data):
            kept.append(Region(*trimmed, one.language))
            if len(kept) == MOST_REGIONS:
                break
    return kept


def _tags(lines: Lines) -> list[Region]:
    found: list[Region] = []
    source, at = lines.source, 0
    lowered = source.lower()
    while (opened := _OPENING.search(source, at)) is not None:
        closed = lowered.find(b"</" + opened.group(1).lower(), opened.end())
        if closed < 0:
            break
        at = closed
        first, last = lines.line(opened.end() - 1) + 1, lines.line(closed) - 1
        if first <= last:
            found.append(Region(first, last, _language(opened.group(1).lower(), opened.group(2))))
    return found


def _language(tag: bytes, attributes: bytes) -> str:
    """The language of a script or style by its attributes; "" for templates and data in a script."""
    named = _LANGUAGE.search(attributes)
    if named is not None:
        return language_called(named.group(1).decode("ascii", "replace"))
    if tag == b"style":
        return "css"
    typed = _TYPE.search(attributes)
    if typed is None:
        return "javascript"
    found = _SCRIPT_TYPES.fullmatch(typed.group(1).decode("ascii", "replace").lower())
    if found is None:
        return ""
    return "typescript" if found.group(1) == "type" else "javascript"
