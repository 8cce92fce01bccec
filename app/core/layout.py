"""Owns how a parsed file is divided into pieces: one a definition, the lines between them, methods apart from their class."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from app.core.lines import BUDGET_TOKENS, FLOOR_TOKENS, Lines
from app.core.merge import Piece, merge
from app.core.places import CLASSES, SECTION, Outline
from app.core.split import Splitter

if TYPE_CHECKING:
    from tree_sitter import Node

    from app.core.places import Place

WHOLE_CLASS_TOKENS = 2 * FLOOR_TOKENS
"""A class of this size stays one chunk with its methods."""

WHOLE_INTERFACE_TOKENS = 600
"""So does a longer one whose members are all small: an interface, an enum, a class of accessors."""

SECTION_FLOOR_TOKENS = 150
"""Keys inside a key are short and read with their neighbours: more of them stand in one chunk than of definitions."""

WHOLE_SECTION_TOKENS = 400
"""A key, table or element of this size stays one chunk with all that is below it."""


class Layout:
    """Divides one file. Containers are visited with a worklist: nests may be deep."""

    def __init__(self, outline: Outline, root: Node, lines: Lines) -> None:
        self.outline = outline
        self.root = root
        self.lines = lines
        self.splitter = Splitter(lines)

    def pieces(self) -> list[Piece]:
        """All pieces in order of their lines; every non-blank line is in exactly one."""
        found: list[Piece] = []
        top = [index for index, place in enumerate(self.outline.places) if place.parent < 0]
        pending = [(-1, top, 1, self.lines.count)]
        while pending:
            container, children, first, last = pending.pop()
            for piece in merge(self.lines, self._divide(container, children, first, last), self._floor(container)):
                opened = self._container_of(piece)
                if opened >= 0:
                    pending.append((opened, self._members(opened), piece.first, piece.last))
                else:
                    found.append(piece)
        found.sort(key=lambda piece: piece.first)
        return found

    def _floor(self, container: int) -> int:
        return SECTION_FLOOR_TOKENS if container >= 0 and self.outline.language.data else FLOOR_TOKENS

    def _divide(self, container: int, children: list[int], first: int, last: int) -> list[Piece]:
        pieces: list[Piece] = []
        at = first
        for index in children:
            place = self.outline.places[index]
            top, end = max(place.top, first), min(place.last, last)
            if pieces and pieces[-1].places and place.first <= pieces[-1].last:
                before = pieces[-1]  # two definitions on one line are one piece
                pieces[-1] = Piece(before.first, max(before.last, end), container, (*before.places, index))
            else:
                top = max(top, at)
                self._gap(pieces, container, at, top - 1)
                pieces.append(Piece(min(top, end), end, container, (index,), loose=place.kind == "constant"))
            at = max(at, pieces[-1].last + 1)
        self._gap(pieces, container, at, last)
        if container >= 0 and pieces:
            pieces[0] = replace(pieces[0], header=True)
        return [self._parted(piece) for piece in pieces]

    def _gap(self, pieces: list[Piece], container: int, first: int, last: int) -> None:
        kept = self.lines.trim(first, last)
        if kept is not None:
            pieces.append(Piece(kept[0], kept[1], container, loose=True))

    def _parted(self, piece: Piece) -> Piece:
        """The piece with its parts, when it is over the budget and is no container that is opened instead."""
        if self.lines.size(piece.first, piece.last) <= BUDGET_TOKENS or self._container_of(piece) >= 0:
            return piece
        if len(piece.places) == 1:
            node = self.outline.places[piece.places[0]].node
        else:
            node = self.outline.places[piece.parent].node if piece.parent >= 0 else self.root
        parts = tuple(self.splitter.split(node, piece.first, piece.last))
        return replace(piece, parts=parts)

    def _container_of(self, piece: Piece) -> int:
        """The one definition of a piece whose members get chunks of their own, or -1."""
        if len(piece.places) != 1 or piece.header:
            return -1
        index = piece.places[0]
        place = self.outline.places[index]
        if not place.children or not (place.kind in CLASSES or place.kind in {"module", "constant", SECTION}):
            return -1
        size = self.lines.size(place.top, place.last)
        if place.kind == SECTION:
            return index if size > WHOLE_SECTION_TOKENS else -1
        if size <= WHOLE_CLASS_TOKENS:
            return -1
        if size <= WHOLE_INTERFACE_TOKENS and all(self._small(self.outline.places[one]) for one in place.children):
            return -1
        return index

    def _small(self, place: Place) -> bool:
        return self.lines.size(place.top, place.last) < FLOOR_TOKENS

    def _members(self, container: int) -> list[int]:
        return self.outline.places[container].children
