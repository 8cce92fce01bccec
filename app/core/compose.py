"""Owns how pieces of a file become its chunks: names, signatures, parts, and what starts inside. Divides nothing."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from app.core.headers import python_docstring
from app.core.merge import is_remark
from app.core.places import CLASSES, SECTION
from app.core.types import Chunk

if TYPE_CHECKING:
    from app.core.lines import Lines
    from app.core.merge import Piece
    from app.core.symbols import Symbols
    from app.core.types import Definition

CLASS_SIGNATURE_CHARACTERS = 1_500
"""A class's header and the signatures of its methods, one a line: more would drown the class's own words."""

_TAIL = re.compile(rb"[\s;,]*(?:(?://|#|/\*|--).*)?", re.DOTALL)
"""What may follow a definition on its last line without being other code: `{ run: () => 1 },` holds more than `run`."""


class Writer:
    """Makes the chunks of one file. Definitions and calls are found by line with two sorted lists."""

    def __init__(self, path: str, language: str, lines: Lines, symbols: Symbols | None) -> None:
        self.path = path
        self.language = language
        self.lines = lines
        self.calls = symbols.calls if symbols is not None else ()
        self.call_lines = [call.line for call in self.calls]
        self.definitions = symbols.definitions if symbols is not None else ()
        places = symbols.outline.places if symbols is not None else []
        self.places = places
        starts = (
            sorted((symbols.outline.line(place.own), index) for index, place in enumerate(places)) if symbols else []
        )
        self.starts = [line for line, _ in starts]
        self.started = [index for _, index in starts]
        self.runs: dict[int, int] = {}

    def chunk(
        self,
        kind: str,
        first: int,
        last: int,
        *,
        name: str = "",
        qualified: str = "",
        parent: str = "",
        signature: str = "",
        docstring: str = "",
        part: int = 0,
    ) -> Chunk:
        """One chunk of lines first..last with what starts inside it."""
        inside = self.started[bisect_left(self.starts, first) : bisect_right(self.starts, last)]
        return Chunk(
            self.path,
            self.language,
            kind,
            name,
            qualified,
            parent,
            signature,
            docstring,
            first,
            last,
            self.lines.text(first, last),
            part,
            tuple(
                dict.fromkeys(one.qualified for one in map(self.definitions.__getitem__, inside) if one.kind != SECTION)
            ),
            self.calls[bisect_left(self.call_lines, first) : bisect_right(self.call_lines, last)],
        )

    def chunks(self, pieces: list[Piece]) -> list[Chunk]:
        """The chunks of all pieces in order."""
        found: list[Chunk] = []
        for piece in pieces:
            if piece.header or (not piece.places and piece.parent >= 0):
                found.extend(self._of_container(piece))
            elif len(piece.places) == 1 and self._is_alone(piece):
                found.extend(self._of_definition(piece))
            else:
                found.extend(self._of_several(piece))
        return found

    def _is_alone(self, piece: Piece) -> bool:
        """Whether a piece holds one definition and no loose code beside it (remarks above it are its own)."""
        place = self.places[piece.places[0]]
        if piece.last > place.last:
            return False
        if piece.first < place.top and not is_remark(self.lines.raw(piece.first, place.top - 1)):
            return False
        before = self.lines.source[self.lines.starts[self.lines.line(place.start) - 1] : place.start]
        after = self.lines.source[place.end : self.lines.end(place.last)]
        return not before.strip() and _TAIL.fullmatch(after) is not None

    def _of_container(self, piece: Piece) -> list[Chunk]:
        """Lines of a class outside its methods: each run is one more part of the class."""
        definition, parent = self.definitions[piece.parent], self.places[piece.parent].parent
        found = []
        for first, last in piece.parts or ((piece.first, piece.last),):
            part = self.runs[piece.parent] = self.runs.get(piece.parent, 0) + 1
            signature = self._class_signature(piece.parent) if part == 1 else definition.signature
            found.append(
                self.chunk(
                    definition.kind,
                    first,
                    last,
                    name=definition.name,
                    qualified=definition.qualified,
                    parent=self._qualified(parent),
                    signature=signature,
                    docstring=definition.docstring,
                    part=part,
                )
            )
        return found

    def _of_definition(self, piece: Piece) -> list[Chunk]:
        definition = self.definitions[piece.places[0]]
        ranges = piece.parts or ((piece.first, piece.last),)
        return [
            self.chunk(
                definition.kind,
                first,
                last,
                name=definition.name,
                qualified=definition.qualified,
                parent=self._parent(piece.places[0]),
                signature=definition.signature,
                docstring=definition.docstring,
                part=number if len(ranges) > 1 else 0,
            )
            for number, (first, last) in enumerate(ranges, 1)
        ]

    def _of_several(self, piece: Piece) -> list[Chunk]:
        """Small neighbours in one chunk, or loose code between definitions."""
        members: list[Definition] = [self.definitions[index] for index in piece.places]
        kinds = {one.kind for one in members}
        kind = kinds.pop() if len(kinds) == 1 else "module"
        signature = "\n".join(dict.fromkeys(one.signature for one in members))[:CLASS_SIGNATURE_CHARACTERS]
        docstring = "" if members or piece.first > 1 else self._module_docstring(piece)
        ranges = piece.parts or ((piece.first, piece.last),)
        return [
            self.chunk(
                kind,
                first,
                last,
                parent=self._qualified(piece.parent),
                signature=signature,
                docstring=docstring,
                part=number if len(ranges) > 1 else 0,
            )
            for number, (first, last) in enumerate(ranges, 1)
        ]

    def _module_docstring(self, piece: Piece) -> str:
        if self.language != "python":
            return ""
        at = self.lines.starts[piece.first - 1]
        return python_docstring(self.lines.source, at)

    def _qualified(self, index: int) -> str:
        return self.definitions[index].qualified if index >= 0 else ""

    def _parent(self, index: int) -> str:
        """The definition around one, or the class it is written for (Go, C++, `Foo.prototype.bar`)."""
        place = self.places[index]
        return place.owner if place.owner and place.kind not in CLASSES else self._qualified(place.parent)

    def _class_signature(self, index: int) -> str:
        """The header, then the signatures of the members, one a line, up to the limit."""
        listed = self.definitions[index].signature
        for child in self.places[index].children:
            line = "\n" + self.definitions[child].signature
            if len(listed) + len(line) > CLASS_SIGNATURE_CHARACTERS:
                break
            listed += line
        return listed
