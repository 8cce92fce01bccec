"""Citations: links to lines at a commit, and the proof that the lines say what we say. Reads nothing by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from urllib.parse import quote

from app.core.source import split_lines
from app.core.tokens import tokens
from app.core.types import Citation

FOCUS_LINES = 12
"""Lines of a piece of evidence that are shown; the link leads to the rest."""
FARTHEST_SHIFT = 2000
"""Lines up and down in which moved text is looked for; more would cost more than a fresh search."""
MARKDOWN = (".md", ".markdown", ".mdown", ".mkd", ".mkdn")
"""Files that GitHub renders: without `?plain=1` a link to a line opens the rendered page at its top."""


def quote_path(path: str) -> str:
    """A repository path for use in a URL: each segment percent-encoded whole, so that `#`, `?`, `%` and blanks stay letters.

    Bytes that are no UTF-8, lone surrogates in a path as git gives it, become the bytes they were.
    """
    return "/".join(quote(segment, safe="", errors="surrogateescape") for segment in path.split("/"))


def permalink(html_url: str, citation: Citation) -> str:
    """The link to a citation, `html_url` being the repository's page: `https://HOST/o/r/blob/<40 hex>/<path>#L10-L20`."""
    return link_to(html_url, citation.sha, citation.path, citation.first, citation.last)


def link_to(html_url: str, sha: str, path: str, first: int = 0, last: int = 0) -> str:
    """The link to lines first..last of `path` at commit `sha`; to the whole file when `first` is 0."""
    base = f"{html_url.rstrip('/')}/blob/{sha}/{quote_path(path)}"
    if first < 1:
        return base
    lines = f"#L{first}" if last <= first else f"#L{first}-L{last}"
    plain = "?plain=1" if path.lower().endswith(MARKDOWN) else ""
    return f"{base}{plain}{lines}"


def verify(citation: Citation, blob_text: str) -> Citation | None:
    """The citation as it stands in `blob_text` (the decoded file at its commit): unchanged where its lines hold its text,
    with new lines where the text has moved (to the nearest place), None where it is nowhere. An empty text proves nothing."""
    if not citation.text.strip():
        return None
    found = anchor(citation.first, citation.last, blob_text, lambda text: text == citation.text)
    return replace(citation, first=found[0], last=found[1]) if found else None


def anchor(first: int, last: int, blob_text: str, proves: Callable[[str], bool]) -> tuple[int, int] | None:
    """Lines (first, last) whose text `proves` accepts: as given, else the same number of lines nearest to them, else None."""
    lines = split_lines(blob_text)
    length = last - first
    if length < 0 or first < 1:
        return None
    for start in _outwards(first, 1, len(lines) - length):
        if proves("\n".join(lines[start - 1 : start + length])):
            return start, start + length
    return None


def focus(text: str, first: int, weights: Mapping[str, float], at: int = 0, most: int = FOCUS_LINES) -> tuple[int, int]:
    """The lines of `text` (which starts at line `first`) worth showing: at most `most`, no blank ones at the ends.

    `at` is a line to be shown in any case (a signature, a call; 0 for none): the window starts there, or a little above.
    Otherwise it is the window that holds most of the query, where a word counts once and the less the more lines have it.
    """
    lines = text.split("\n")
    if at:
        start = min(max(at - first, 0), len(lines) - 1)
    else:
        start = _best_window([weights.keys() & set(tokens(line)) for line in lines], weights, most)
    stop = min(start + most, len(lines))
    while start < stop - 1 and not lines[start].strip():
        start += 1
    while stop > start + 1 and not lines[stop - 1].strip():
        stop -= 1
    return first + start, first + stop - 1


def _outwards(middle: int, low: int, high: int) -> Iterator[int]:
    """middle, middle-1, middle+1, … as far as they lie in low..high and within FARTHEST_SHIFT."""
    for step in range(FARTHEST_SHIFT + 1):
        for line in (middle - step, middle + step) if step else (middle,):
            if low <= line <= high:
                yield line


def _best_window(found: Sequence[set[str]], weights: Mapping[str, float], most: int) -> int:
    """Index of the first line of the best window: each word counts once a window, divided by the lines that have it."""
    spread: dict[str, int] = {}
    for words in found:
        for word in words:
            spread[word] = spread.get(word, 0) + 1
    best, start = 0.0, 0
    for index in range(max(1, len(found) - most + 1)):
        words = set().union(*found[index : index + most])
        score = sum(sorted(weights[word] / spread[word] for word in words))
        if score > best + 1e-9:
            best, start = score, index
    while start < len(found) - 1 and best and not found[start]:
        start += 1
    return start
