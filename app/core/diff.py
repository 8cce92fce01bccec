"""Which lines differ between two texts: our own exact line diff, bounded in time; reads no patch text and no git output.

Lines are git's: they end at `\\n` only, and a last line without one is another line than the same with one. Parsing patches
is avoided on purpose: API patches are cut, and lines of a file can look like hunk headers.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

MOST_EDITS = 400
"""Single-line edits that the exact search follows inside one block without unique lines; memory grows with its square."""

MOST_STEPS = 400_000
"""Steps of the exact search over a whole pair of texts: about 0.2 s on a slow core. After that a block counts as replaced."""

DEEPEST_SPLIT = 40
"""Rounds of splitting at unique lines; real texts need under ten, a made-up one could ask for thousands."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Lines old_first..old_last became new_first..new_last (from 1, both included).

    A side without lines has last == first - 1: an insertion stands before line `old_first` of the old text.
    """

    old_first: int
    old_last: int
    new_first: int
    new_last: int


def line_edits(old: str, new: str) -> tuple[Edit, ...]:
    """The edits that turn `old` into `new`, in order, never touching each other. Equal texts give none.

    Applying them gives `new` exactly. They are few, not always the fewest: blocks are aligned on lines that occur once in
    both (patience diff), then by Myers' search within `MOST_EDITS` and `MOST_STEPS`, then taken as replaced.
    """
    numbers: dict[str, int] = {}
    a = [numbers.setdefault(line, len(numbers)) for line in _lines(old)]
    b = [numbers.setdefault(line, len(numbers)) for line in _lines(new)]
    return tuple(_joined(_Search(a, b).blocks()))


def touched(edits: Sequence[Edit], first: int, last: int, *, new: bool = True) -> int:
    """How many changed lines lie in first..last of the new (or old) text. Edits are in order, as `line_edits` gives them."""
    total = 0
    for at in range(bisect_left(edits, first, key=lambda edit: edit.new_last if new else edit.old_last), len(edits)):
        edit = edits[at]
        begin, end = (edit.new_first, edit.new_last) if new else (edit.old_first, edit.old_last)
        if begin > last:
            break
        total += max(0, min(end, last) - max(begin, first) + 1)
    return total


def _lines(text: str) -> list[str]:
    """Lines with their line feed, so that a missing one at the end is a difference."""
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + parts[-1:] * bool(parts[-1])


@dataclass(frozen=True, slots=True)
class _Block:
    """Half-open ranges of both line lists (from 0) that are compared as one."""

    a: int
    a_end: int
    b: int
    b_end: int
    depth: int = 0


class _Search:
    """One comparison: the interned lines and what is left of its budget."""

    def __init__(self, a: list[int], b: list[int]) -> None:
        self.a, self.b = a, b
        self.steps = MOST_STEPS

    def blocks(self) -> Iterator[_Block]:
        """Blocks that differ, in order."""
        waiting = [_Block(0, len(self.a), 0, len(self.b))]
        while waiting:
            block = self._trimmed(waiting.pop())
            if block.a == block.a_end or block.b == block.b_end:
                if block.a < block.a_end or block.b < block.b_end:
                    yield block
                continue
            pairs = self._unique_pairs(block) if block.depth < DEEPEST_SPLIT else []
            if pairs:
                waiting.extend(reversed(_between(block, pairs)))
            else:
                yield from _between(block, self._shortest(block))

    def _trimmed(self, block: _Block) -> _Block:
        a, a_end, b, b_end = block.a, block.a_end, block.b, block.b_end
        while a < a_end and b < b_end and self.a[a] == self.b[b]:
            a, b = a + 1, b + 1
        while a < a_end and b < b_end and self.a[a_end - 1] == self.b[b_end - 1]:
            a_end, b_end = a_end - 1, b_end - 1
        return _Block(a, a_end, b, b_end, block.depth)

    def _unique_pairs(self, block: _Block) -> list[tuple[int, int]]:
        """Positions of lines that occur once on both sides, the longest run of them that is in the same order."""
        in_a, in_b = Counter(self.a[block.a : block.a_end]), Counter(self.b[block.b : block.b_end])
        place = {self.b[at]: at for at in range(block.b, block.b_end) if in_b[self.b[at]] == 1 == in_a[self.b[at]]}
        pairs = [(at, place[self.a[at]]) for at in range(block.a, block.a_end) if self.a[at] in place]
        return _longest_increasing(pairs)

    def _shortest(self, block: _Block) -> list[tuple[int, int]]:
        """Matching positions by Myers' greedy search; none when the budget does not reach the end of the block."""
        a, b, n, m = self.a, self.b, block.a_end - block.a, block.b_end - block.b
        furthest = {1: 0}
        history: list[dict[int, int]] = []
        for edits in range(min(n + m, MOST_EDITS) + 1):
            history.append(dict(furthest))
            for diagonal in range(-edits, edits + 1, 2):
                down = diagonal == -edits or (diagonal != edits and furthest[diagonal - 1] < furthest[diagonal + 1])
                x = furthest[diagonal + 1] if down else furthest[diagonal - 1] + 1
                start = x
                while x < n and x - diagonal < m and a[block.a + x] == b[block.b + x - diagonal]:
                    x += 1
                furthest[diagonal] = x
                self.steps -= x - start + 1
                if x >= n and x - diagonal >= m:
                    return _walk_back(block, history)
            if self.steps < 0:
                break
        return []


def _walk_back(block: _Block, history: list[dict[int, int]]) -> list[tuple[int, int]]:
    """The matching positions on Myers' path, from its furthest points per number of edits."""
    x, y = block.a_end - block.a, block.b_end - block.b
    pairs: list[tuple[int, int]] = []
    for edits in range(len(history) - 1, -1, -1):
        furthest, diagonal = history[edits], x - y
        down = diagonal == -edits or (diagonal != edits and furthest[diagonal - 1] < furthest[diagonal + 1])
        before = diagonal + 1 if down else diagonal - 1
        from_x = furthest[before] if edits else 0
        from_y = from_x - before if edits else 0
        while x > from_x and y > from_y and x > 0 and y > 0:
            x, y = x - 1, y - 1
            pairs.append((block.a + x, block.b + y))
        x, y = from_x, from_y
    return pairs[::-1]


def _longest_increasing(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest subsequence whose second parts increase (patience sorting)."""
    tops: list[int] = []
    piles: list[int] = []
    previous: list[int] = []
    for at, (_, value) in enumerate(pairs):
        pile = bisect_left(tops, value)
        if pile == len(tops):
            tops.append(value)
            piles.append(at)
        else:
            tops[pile], piles[pile] = value, at
        previous.append(piles[pile - 1] if pile else -1)
    chain: list[tuple[int, int]] = []
    at = piles[-1] if piles else -1
    while at >= 0:
        chain.append(pairs[at])
        at = previous[at]
    return chain[::-1]


def _between(block: _Block, pairs: list[tuple[int, int]]) -> list[_Block]:
    """The parts of a block before, between and after matching positions."""
    parts: list[_Block] = []
    a, b = block.a, block.b
    for x, y in [*pairs, (block.a_end, block.b_end)]:
        if a < x or b < y:
            parts.append(_Block(a, x, b, y, block.depth + 1))
        a, b = x + 1, y + 1
    return parts


def _joined(blocks: Iterator[_Block]) -> Iterator[Edit]:
    """Edits from blocks, neighbours that touch on both sides joined into one."""
    held: _Block | None = None
    for block in blocks:
        if held and held.a_end == block.a and held.b_end == block.b:
            held = _Block(held.a, block.a_end, held.b, block.b_end)
            continue
        if held:
            yield _edit(held)
        held = block
    if held:
        yield _edit(held)


def _edit(block: _Block) -> Edit:
    return Edit(block.a + 1, block.a_end, block.b + 1, block.b_end)
