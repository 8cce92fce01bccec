"""Finds the parts of a Markdown text that are not its author speaking: code, quotes, HTML comments; must not know what is looked for.

Follows CommonMark's blocks closely enough for that question, in one walk whose cost grows with the length alone: comments are
written by strangers.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict

COVER = "\x00"
"""Stands for each hidden character of code and quotes: neither a letter nor a space."""

BLANK = " "
"""Stands for each character of a comment, which a reader does not see."""

TAB = 4  # columns, CommonMark 2.2
CODE_INDENT = 4  # columns from which a line that continues no paragraph is code, CommonMark 4.4

# HTML whose content is not prose. GitHub runs one that is not closed on to the end, and so does this.
_ELEMENTS = ("pre", "code", "blockquote", "script", "style", "tt")
_CLOSE = {name: re.compile(rf"</{name}\s*>", re.IGNORECASE | re.ASCII) for name in _ELEMENTS} | {
    "!--": re.compile("-->")
}
_INLINE = re.compile(rf"(?P<ticks>`+)|<(?P<element>!--|(?:{'|'.join(_ELEMENTS)})(?=[\s>/]))", re.IGNORECASE | re.ASCII)
_RUN = re.compile(r"`+")

_FENCE = re.compile(r"(`{3,})[^`\n]*$|(~{3,})")
_MARKER = re.compile(r"(?:[-+*]|[0-9]{1,9}[.)])(?=[ \t]|$)")
_INTERRUPTS = re.compile(r">|#{1,6}(?=[ \t]|$)|(?:[-+*]|1[.)])[ \t]+\S|(?:`{3,})[^`\n]*$|~{3,}")
_HEADING = re.compile(r"#{1,6}(?=[ \t]|$)")
_RULE = re.compile(r"(?:-[ \t]*){3,}$|(?:\*[ \t]*){3,}$|(?:_[ \t]*){3,}$")

Span = tuple[int, int, str]
"""First character, end (not included), and what stands for each character: COVER for code and quotes, BLANK for a comment."""


def hidden_spans(text: str) -> list[Span]:
    """The hidden parts in order, none overlapping another. A comment or element that is not closed hides all that follows.

    `text` must have `\\n` line ends only.
    """
    return _Walk(text).spans()


def cover(text: str, spans: list[Span]) -> str:
    """The text with each hidden character replaced; positions and line ends are kept."""
    parts, at = [], 0
    for start, end, fill in spans:
        parts.append(text[at:start])
        parts.append("\n".join(fill * len(line) for line in text[start:end].split("\n")))
        at = end
    return "".join([*parts, text[at:]])


class _Walk:
    """One walk down a text. `items` holds the content columns of the open list items, outermost first."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[Span] = []
        self.items: list[int] = []

    def spans(self) -> list[Span]:
        at = 0
        while at < len(self.text):
            end = self._line_end(at)
            indent, body = self._indent(at, end, 0)
            if body == end:
                at = end + 1
            elif at and self.text[at - 1] != "\n":
                at = self._paragraph(body, end)  # what follows a comment on its last line
            else:
                at = self._block(indent, body, end)
        return self.found

    def _block(self, indent: int, body: int, end: int) -> int:
        """Place the line that has `body` as its first character, in column `indent`; returns where the walk goes on."""
        del self.items[bisect_right(self.items, indent) :]
        if indent - self._column() < CODE_INDENT and _RULE.match(self.text, body, end):
            return end + 1
        while indent - self._column() < CODE_INDENT:
            marker = _MARKER.match(self.text, body, end)
            if not marker:
                return self._leaf(body, end)
            after = indent + marker.end() - body
            indent, body = self._indent(marker.end(), end, after)
            # An item's text that stands five columns off or more is code in it; so is where the text is missing: one column.
            self.items.append(indent if body < end and indent - after <= CODE_INDENT else after + 1)
            if body == end:
                return end + 1
        self._hide(body, end)
        return end + 1

    def _leaf(self, body: int, end: int) -> int:
        """A quoted line, a fenced block or a paragraph."""
        if self.text[body] == ">":
            # Only the quoted lines: one that follows without `>` is drawn inside the quote, but its author wrote it.
            self._hide(body, end)
            return end + 1
        fence = _FENCE.match(self.text, body, end)
        return self._fenced(body, end, fence[1] or fence[2]) if fence else self._paragraph(body, end)

    def _fenced(self, start: int, end: int, fence: str) -> int:
        """Hide a fenced block: to its closing line, to the end of its list item, or to the end."""
        closing = re.compile(rf"{re.escape(fence[0])}{{{len(fence)},}}[ \t]*$")
        at = end + 1
        while at < len(self.text):
            end = self._line_end(at)
            indent, body = self._indent(at, end, 0)
            if body < end and indent < self._column():
                break
            at = end + 1
            if indent - self._column() < CODE_INDENT and closing.match(self.text, body, end):
                break
        self._hide(start, min(at - 1, len(self.text)))
        return at

    def _paragraph(self, start: int, end: int) -> int:
        """Hide what is hidden inside a paragraph; returns the start of the next line, or the end of what runs on beyond it."""
        alone = _HEADING.match(self.text, start, end) or self.text.startswith("<!--", start)
        while not alone and end < len(self.text):
            next_end = self._line_end(end + 1)
            indent, body = self._indent(end + 1, next_end, 0)
            kept = bisect_right(self.items, indent)
            shallow = indent - (self.items[kept - 1] if kept else 0) < CODE_INDENT
            if body == next_end or (shallow and _INTERRUPTS.match(self.text, body, next_end)):
                break
            end = next_end
        return self._inline(start, end)

    def _inline(self, start: int, end: int) -> int:
        runs: defaultdict[int, list[int]] = defaultdict(list)
        for run in _RUN.finditer(self.text, start, end):
            runs[len(run[0])].append(run.start())
        at = start
        while found := _INLINE.search(self.text, at, end):
            if found["ticks"]:
                at = self._code_span(found, runs[len(found[0])])
                continue
            close = _CLOSE[found["element"].lower()].search(self.text, found.start() + 2)
            at = close.end() if close else len(self.text)
            self._hide(found.start(), at, BLANK if found["element"] == "!--" else COVER)
        return max(at, end + 1) if at <= end else at

    def _code_span(self, opening: re.Match[str], runs: list[int]) -> int:
        """Hide a code span; backticks without a closing run of the same length in their paragraph are plain text."""
        position = bisect_left(runs, opening.end())
        if position == len(runs):
            return opening.end()
        close = runs[position] + len(opening[0])
        self._hide(opening.start(), close)
        return close

    def _hide(self, start: int, end: int, fill: str = COVER) -> None:
        self.found.append((start, end, fill))

    def _column(self) -> int:
        return self.items[-1] if self.items else 0

    def _line_end(self, at: int) -> int:
        end = self.text.find("\n", at)
        return len(self.text) if end < 0 else end

    def _indent(self, at: int, end: int, column: int) -> tuple[int, int]:
        """The column and position of the first character from `at` that is no blank."""
        while at < end and self.text[at] in " \t":
            column += TAB - column % TAB if self.text[at] == "\t" else 1
            at += 1
        return column, at
