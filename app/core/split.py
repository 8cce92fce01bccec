"""Owns the cut of a definition over the budget at its inner statements. Reads the tree only where a cut is needed."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from app.core.lines import BUDGET_TOKENS, Lines
from app.core.windows import windows

if TYPE_CHECKING:
    from tree_sitter import Node

DEEPEST = 64
"""Levels followed inside one over-long statement; deeper ones are cut by lines."""

Unit = tuple[int, int]


class Splitter:
    """Cuts line ranges of one parsed file. The children of a node are read once."""

    def __init__(self, lines: Lines, budget: int = BUDGET_TOKENS) -> None:
        self.lines = lines
        self.budget = budget
        self._children: dict[int, list[tuple[int, int, Node]]] = {}

    def split(self, node: Node, first: int, last: int) -> list[Unit]:
        """Ranges of at most the budget (a single longer line stays whole) that together hold first..last's non-blank lines."""
        if self.lines.size(first, last) <= self.budget:
            return [(first, last)]
        return self._pack(self._units(node, first, last))

    def _units(self, node: Node, first: int, last: int) -> list[Unit]:
        """Statements, opened further where one is over the budget. A worklist instead of recursion: trees may be deep."""
        done: list[Unit] = []
        pending: list[tuple[Node, int, int, int]] = [(node, first, last, 0)]
        while pending:
            inner, start, end, depth = pending.pop()
            if self.lines.size(start, end) <= self.budget or start == end:
                done.append((start, end))
                continue
            segments = self._segments(inner, start, end)
            if (len(segments) == 1 and segments[0][2] is None) or depth >= DEEPEST:
                done.extend(windows(self.lines, start, end, self.budget))
                continue
            for one_first, one_last, child in reversed(segments):
                if child is None:
                    pending.append((inner, one_first, one_last, DEEPEST))
                else:
                    pending.append((child, one_first, one_last, depth + 1))
        return done

    def _segments(self, node: Node, first: int, last: int) -> list[tuple[int, int, Node | None]]:
        """The range cut where a child starts on a line of its own; each with the longest of its children, if it has several lines."""
        found: list[tuple[int, int, Node | None]] = []
        end_of_previous = 0
        longest = 0
        glue = False
        for child_first, child_last, child in self._lines_of_children(node):
            if child_last < first or child_first > last:
                continue
            child_first, child_last = max(child_first, first), min(child_last, last)
            height = child_last - child_first
            if not found:
                found.append((first, last, child if height else None))
                longest = height
            elif child_first > end_of_previous and not glue:
                before_first, _, before = found[-1]
                found[-1] = (before_first, child_first - 1, before)
                found.append((child_first, last, child if height else None))
                longest = height
            elif height > longest:
                found[-1] = (found[-1][0], found[-1][1], child)
                longest = height
            glue = child.type.endswith("comment") and child_first > end_of_previous
            end_of_previous = max(end_of_previous, child_last)
        return found or [(first, last, None)]

    def _lines_of_children(self, node: Node) -> list[tuple[int, int, Node]]:
        known = self._children.get(node.id)
        if known is None:
            line = self._line
            known = [(line(one.start_byte), line(max(one.start_byte, one.end_byte - 1)), one) for one in node.children]
            self._children[node.id] = known
        return known

    def _line(self, at: int) -> int:
        return bisect_right(self.lines.starts, at)

    def _pack(self, units: list[Unit]) -> list[Unit]:
        """Neighbouring units put together into parts of about the same size, none over the budget where units allow it."""
        if not units:
            return []
        sizes = [self.lines.size(first, last) for first, last in units]
        parts = max(1, -(-sum(sizes) // self.budget))
        target = sum(sizes) / parts
        packed: list[Unit] = []
        filled = 0.0
        for (first, last), size in zip(units, sizes, strict=True):
            if packed and self.lines.size(packed[-1][0], last) <= self.budget and filled + size / 2 <= target:
                packed[-1] = (packed[-1][0], last)
                filled += size
            else:
                packed.append((first, last))
                filled = size
        trimmed = (self.lines.trim(first, last) for first, last in packed)
        return [one for one in trimmed if one is not None]
