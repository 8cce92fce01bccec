"""Owns which neighbouring pieces of a file become one chunk. Sees line ranges and sizes, no syntax tree."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from app.core.lines import BUDGET_TOKENS, FLOOR_TOKENS

if TYPE_CHECKING:
    from app.core.lines import Lines

_CLOSERS = re.compile(rb"(?:[\s)\]};,]|#endif\b[^\n]*|end\b)*")
_DIRECTIVE = rb"[ \t]*(?:ifn?def|endif|undef|(?:el)?if[ \t]+(?:[!(A-Z_]|defined\b)|else[ \t]*\r?$|define[ \t]+[A-Z_]|include[ \t]*[<\"])"
"""A line of the C preprocessor, also where it is indented behind its `#` as a comment of other languages is."""
_REMARK = re.compile(rb"[ \t]*(?:#(?![a-z]|" + _DIRECTIVE + rb")|//|/\*|\*|--|\r?$)")


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of lines inside one container (`parent`: index of the definition around it, -1 for the file).

    `places` are the definitions of that container that it holds whole; `header` is true when it holds the container's own
    first lines. `loose` pieces are code between definitions, and constants; `closes` marks nothing but closing brackets.
    """

    first: int
    last: int
    parent: int
    places: tuple[int, ...] = ()
    header: bool = False
    parts: tuple[tuple[int, int], ...] = field(default=())
    closes: bool = False
    loose: bool = False


def merge(lines: Lines, pieces: list[Piece], floor: int = FLOOR_TOKENS) -> list[Piece]:
    """Put crumbs to a neighbour, then join runs of small pieces until each run reaches the floor.

    Loose code and definitions do not join, so that imports take no function's name; a class's header takes either.
    """
    merged: list[Piece] = []
    for piece in _without_crumbs(lines, pieces):
        if merged and _joins(merged[-1], piece) and _small(lines, merged[-1], floor) and _small(lines, piece, floor):
            merged[-1] = _joined(merged[-1], piece)
        else:
            merged.append(piece)
    return merged


def _joins(one: Piece, other: Piece) -> bool:
    return (
        one.parent == other.parent
        and not (one.closes or other.closes)
        and (one.header or other.header or one.loose == other.loose)
    )


def is_remark(raw: bytes) -> bool:
    """Whether lines hold nothing but comments and blanks."""
    return all(_REMARK.match(line) for line in raw.split(b"\n"))


def _small(lines: Lines, piece: Piece, floor: int = FLOOR_TOKENS) -> bool:
    return not piece.parts and lines.size(piece.first, piece.last) < floor


def _joined(one: Piece, other: Piece) -> Piece:
    places, header = one.places + other.places, one.header or other.header
    return replace(one, last=other.last, places=places, header=header, loose=one.loose and other.loose)


def _without_crumbs(lines: Lines, pieces: list[Piece]) -> list[Piece]:
    """Remarks go to the piece after them. Closing brackets go to loose code before them; behind a definition they stay apart,
    because the definition with a bracket too many would not parse by itself."""
    kept: list[Piece] = []
    waiting: Piece | None = None
    for piece in pieces:
        if waiting is not None:
            end = piece.parts[0][1] if piece.parts else piece.last
            if lines.size(waiting.first, end) <= BUDGET_TOKENS:
                piece = _with_first(piece, waiting)
            else:
                kept.append(waiting)
            waiting = None
        if not piece.places and not piece.header and _small(lines, piece):
            raw = lines.raw(piece.first, piece.last)
            if _CLOSERS.fullmatch(raw):
                if kept and not kept[-1].places and not kept[-1].closes:
                    kept[-1] = _with_last(kept[-1], piece.last)
                else:
                    kept.append(replace(piece, closes=True))
                continue
            if is_remark(raw):
                if kept and raw.lstrip().startswith(b"*"):  # the rest of a comment that began behind the code above
                    kept[-1] = _with_last(kept[-1], piece.last)
                else:
                    waiting = piece
                continue
        kept.append(piece)
    if waiting is not None:
        kept.append(waiting)
    return kept


def _with_first(piece: Piece, before: Piece) -> Piece:
    parts = ((before.first, piece.parts[0][1]), *piece.parts[1:]) if piece.parts else ()
    return replace(piece, first=before.first, parts=parts)


def _with_last(piece: Piece, last: int) -> Piece:
    parts = (*piece.parts[:-1], (piece.parts[-1][0], last)) if piece.parts else ()
    return replace(piece, last=last, parts=parts)
