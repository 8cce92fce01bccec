"""Owns how the definitions of a file are put in order: which is inside which, and what around and above each belongs to it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from app.core.places import Outline, Place


class Above(NamedTuple):
    """A comment or attribute that stands alone on its lines: its first line, its bytes, and which of the two it is."""

    first: int
    start: int
    end: int
    is_comment: bool


def arrange(outline: Outline, raw: list[Place], wraps: list[tuple[int, int]], above: dict[int, Above]) -> None:
    """Set the outline's places with their parents. `wraps` are byte ranges; `above` is keyed by last line."""
    outline.places = _distinct(raw)
    _wrap(outline, sorted(wraps))
    _nest(outline)
    _attach(outline, above)


def _distinct(raw: list[Place]) -> list[Place]:
    """In document order, parents first; of two readings of one place the one that is not a constant, and has a body."""
    raw.sort(key=lambda place: (place.own, -place.end, place.kind == "constant", place.body < 0))
    kept: list[Place] = []
    seen: set[tuple[int, str]] = set()
    bodies: set[int] = set()
    for place in raw:
        if (place.name_end, place.name) in seen or (
            place.body >= 0 and place.body in bodies and place.kind != "constant"
        ):
            continue  # `typedef struct a {…} a;` is one definition
        seen.add((place.name_end, place.name))
        bodies.add(place.body)
        kept.append(place)
    return kept


_TAIL = re.compile(rb"[\s;,)\]}]*")
"""What may follow a definition to the end of the node around it."""


def _wrap(outline: Outline, wraps: list[tuple[int, int]]) -> None:
    """Extend definitions to the nodes around them: a wrap belongs to the first definition that starts inside it, if it is the
    last thing inside as well. `export default cond ? { a() {} } : {}` is more than `a`, and half of it would not parse."""
    position = 0
    places = outline.places
    for start, end in wraps:
        while position < len(places) and places[position].own < start:
            position += 1
        if position == len(places):
            return
        place = places[position]
        if not (place.own < end and place.end <= end and start < place.start):
            continue
        if _TAIL.fullmatch(outline.source, place.end, end):
            place.start = start
            place.first = place.top = outline.line(start)
            place.last = max(place.last, outline.line(max(start, end - 1)))


def _nest(outline: Outline) -> None:
    """Set parents, and the table that finds the innermost definition around a byte."""
    stack: list[int] = []
    edges, inside = outline.edges, outline.inside

    def mark(at: int, place: int) -> None:
        if edges and edges[-1] == at:
            inside[-1] = place
        else:
            edges.append(at)
            inside.append(place)

    places = outline.places
    for index, place in enumerate(places):
        while stack and (places[stack[-1]].end <= place.own or places[stack[-1]].end < place.end):
            ended = stack.pop()
            if places[ended].end <= place.own:
                mark(places[ended].end, stack[-1] if stack else -1)
        if stack and places[stack[-1]].own == place.own and places[stack[-1]].end == place.end:
            stack.pop()  # two names of one statement stand side by side
        if stack:
            place.parent = stack[-1]
            places[stack[-1]].children.append(index)
        stack.append(index)
        mark(place.own, index)
    while stack:
        ended = stack.pop()
        mark(places[ended].end, stack[-1] if stack else -1)


def _attach(outline: Outline, above: dict[int, Above]) -> None:
    """Bind comments and attributes that end on the line above a definition, and stand no deeper than it, to it."""
    for place in outline.places:
        column = place.start - outline.starts[place.first - 1]
        while (found := above.get(place.top - 1)) is not None:
            first, start, end, is_comment = found
            if start - outline.starts[first - 1] > column:
                break
            place.top = first
            if is_comment:
                place.comments.insert(0, (start, end))
            else:
                place.first = first
