"""Owns the cut by lines where no grammar helps: windows that prefer to end at blank lines. Knows no language."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.core.lines import Lines

WINDOW_LINES = 60
"""What was measured to find code nearly as well as whole functions do, where functions are not known."""

WINDOW_TOKENS = 800
"""Windows of long lines (prose, tables) end earlier."""

_KEEP = 2 / 3
"""A blank line may end a window once it is this full."""


def windows(
    lines: Lines, first: int, last: int, tokens: int = WINDOW_TOKENS, most: int = WINDOW_LINES
) -> list[tuple[int, int]]:
    """Line ranges that hold every non-blank line of first..last once, in order. A single line is never cut."""
    found: list[tuple[int, int]] = []
    start, blank, size = first, 0, 0
    line = first
    while line <= last:
        width = (
            lines.starts[line] - lines.starts[line - 1]
            if line < len(lines.starts)
            else lines.end(line) - lines.starts[line - 1]
        )
        full = line - start >= most or (line > start and (size + width) // 4 > tokens)
        if full:
            cut = blank if blank > start + _KEEP * (line - start) else line
            _add(lines, found, start, cut - 1)
            start, blank, line, size = cut, 0, cut, 0
            continue
        if width <= 2 and lines.blank(line):
            blank = line
        size += width
        line += 1
    _add(lines, found, start, last)
    return found


def _add(lines: Lines, found: list[tuple[int, int]], first: int, last: int) -> None:
    kept = lines.trim(first, last)
    if kept is not None:
        found.append(kept)
