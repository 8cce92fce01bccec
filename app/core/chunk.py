"""Owns how one file becomes chunks: by its grammar, by its headings, or by line windows. Pure: the caller's clock says when to stop."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from app.core.headers import python_docstring
from app.core.languages import language_for, row_of
from app.core.layout import Layout
from app.core.lines import BUDGET_TOKENS, FLOOR_TOKENS, Lines
from app.core.merge import is_remark
from app.core.outline import CLASSES, read_outline
from app.core.parse import is_hopeless, parse
from app.core.sections import Section, markdown_sections, rst_sections
from app.core.symbols import Symbols, read_symbols
from app.core.types import Chunk, Skip, SourceFile
from app.core.windows import windows

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.core.merge import Piece
    from app.core.types import Definition

CLASS_SIGNATURE_CHARACTERS = 1_500
"""A class's header and the signatures of its methods, one a line: more would drown the class's own words."""

_LINES_A_DEFINITION = 200
"""A broken file in which fewer definitions are found is cut by lines: an unclosed quote hides all that follows it."""

_TAIL = re.compile(rb"[\s;,]*(?:(?://|#|/\*|--).*)?", re.DOTALL)
"""What may follow a definition on its last line without being other code: `{ run: () => 1 },` holds more than `run`."""

_PROSE = {"markdown": markdown_sections, "restructuredtext": rst_sections}


def chunk_file(path: str, text: str, deadline: Callable[[], bool] | None = None) -> SourceFile:
    """Chunks, definitions, imports and calls of one file. The same input gives the same output.

    `text` is what `source.decode` gave. `deadline` answers true once time is up; the file then falls back to line windows with
    the note "timeout". Every non-blank line is in exactly one chunk, and a chunk's text is the file's lines first..last.
    A chunk that holds several small definitions has their common kind (else `module`), no name, and all of them in `defines`.
    The lines of a class outside its methods are parts 1.. of its chunk; part 1 lists the methods in its signature.
    """
    source = text.encode("utf-8", "surrogatepass")
    language = language_for(path, text)
    if not source.strip():
        return SourceFile(path, language, skip=Skip.EMPTY)
    lines = Lines(source)
    if source.count(b"\r") - source.count(b"\r\n") > lines.count:
        return _by_windows(path, language, lines, "lone CR")
    if language in _PROSE:
        return _by_headings(path, language, lines)
    row = row_of(language)
    if row is None or not row.grammar:
        return _by_windows(path, language, lines)
    tree = parse(language, source, deadline)
    if tree is not None and is_hopeless(tree.root_node):
        return _by_windows(path, language, lines, "syntax errors")
    outline = None if tree is None else read_outline(tree.root_node, source, row, lines.starts, deadline)
    if tree is None or outline is None:
        return _by_windows(path, language, lines, "timeout")
    broken = tree.root_node.has_error
    symbols = read_symbols(outline)
    if broken and len(outline.places) * _LINES_A_DEFINITION < lines.count:
        return _by_windows(path, language, lines, "syntax errors", symbols)
    if deadline is not None and deadline():
        return _by_windows(path, language, lines, "timeout", symbols)
    pieces = Layout(outline, tree.root_node, lines).pieces()
    chunks = _Writer(path, language, lines, symbols).chunks(pieces)
    return SourceFile(path, language, tuple(chunks), symbols.definitions, symbols.imports, parsed=not broken)


def _by_windows(path: str, language: str, lines: Lines, note: str = "", symbols: Symbols | None = None) -> SourceFile:
    write = _Writer(path, language, lines, symbols)
    chunks = tuple(write.chunk("window", first, last) for first, last in windows(lines, 1, lines.count))
    if symbols is None:
        return SourceFile(path, language, chunks, note=note)
    return SourceFile(path, language, chunks, symbols.definitions, symbols.imports, note=note)


def _by_headings(path: str, language: str, lines: Lines) -> SourceFile:
    write = _Writer(path, language, lines, None)
    chunks: list[Chunk] = []
    for section, last in _merged_sections(lines, _PROSE[language](lines)):
        ranges = [(section.first, last)]
        if lines.size(section.first, last) > BUDGET_TOKENS:
            ranges = windows(lines, section.first, last, BUDGET_TOKENS, lines.count)
        for number, (first, end) in enumerate(ranges, 1):
            chunks.append(
                write.chunk(
                    "section",
                    first,
                    end,
                    name=section.title,
                    qualified=" > ".join(section.trail),
                    parent=" > ".join(section.trail[:-1]),
                    part=number if len(ranges) > 1 else 0,
                )
            )
    return SourceFile(path, language, tuple(chunks), parsed=True)


def _merged_sections(lines: Lines, sections: list[Section]) -> list[tuple[Section, int]]:
    """Sections with their last lines; one below the floor takes in what follows it on the same or a deeper level."""
    merged: list[tuple[Section, int]] = []
    for section in sections:
        if merged:
            open_section, last = merged[-1]
            small = (
                lines.size(open_section.first, last) < FLOOR_TOKENS
                and lines.size(section.first, section.last) < BUDGET_TOKENS // 2
            )
            if small and section.level >= open_section.level:
                merged[-1] = (open_section, section.last)
                continue
        merged.append((section, section.last))
    return merged


class _Writer:
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
            tuple(dict.fromkeys(self.definitions[index].qualified for index in inside)),
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
