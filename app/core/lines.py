"""Owns the lines of one file as byte offsets: sizes, blank lines and texts of line ranges. Knows no language."""

from __future__ import annotations

from bisect import bisect_right

from app.core.places import line_starts

BYTES_PER_TOKEN = 4
"""A cheap estimate that holds within a third for code; counting real tokens would cost more than parsing."""

BUDGET_TOKENS = 1_500
"""The largest chunk: what is longer is split, so that one chunk never fills an answer."""

FLOOR_TOKENS = 60
"""Pieces below it are merged with small neighbours: shorter texts are noise to a vector. About six lines of code."""


class Lines:
    """A file cut at \\n only, as git does it. Lines count from 1; ranges hold both ends."""

    def __init__(self, source: bytes, starts: list[int] | None = None) -> None:
        self.source = source
        self.starts = line_starts(source) if starts is None else starts
        self.count = len(self.starts)
        if self.count > 1 and self.starts[-1] == len(source):
            self.count -= 1  # what follows the last \n is no line

    def end(self, line: int) -> int:
        """The byte at which a line's text ends, its \\n left out."""
        return self.starts[line] - 1 if line < len(self.starts) else len(self.source)

    def line(self, at: int) -> int:
        """The line that holds byte `at`."""
        return bisect_right(self.starts, at)

    def size(self, first: int, last: int) -> int:
        """Estimated tokens of a range."""
        return (self.end(last) - self.starts[first - 1]) // BYTES_PER_TOKEN

    def raw(self, first: int, last: int) -> bytes:
        """The bytes of a range, joined by \\n, without the last one's \\n."""
        return self.source[self.starts[first - 1] : self.end(last)]

    def text(self, first: int, last: int) -> str:
        """The text of a range: the chunk text convention of `source.line_range`."""
        return self.raw(first, last).decode("utf-8", "surrogatepass")

    def blank(self, line: int) -> bool:
        """Whether a line holds nothing but spaces."""
        raw = self.raw(line, line)
        return not raw or raw.isspace()

    def trim(self, first: int, last: int) -> tuple[int, int] | None:
        """A range without blank lines at its ends; None when nothing is left."""
        while first <= last and self.blank(first):
            first += 1
        while last >= first and self.blank(last):
            last -= 1
        return (first, last) if first <= last else None
