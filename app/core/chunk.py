"""Owns how one file becomes chunks: by its grammar, its headings, or line windows; and code inside it by its own grammar.

Pure: the caller's clock says when to stop.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import replace
from typing import TYPE_CHECKING

from app.core.compose import Writer
from app.core.embedded import Region, regions
from app.core.languages import language_for, row_of
from app.core.layout import Layout
from app.core.lines import BUDGET_TOKENS, FLOOR_TOKENS, Lines
from app.core.outline import read_outline
from app.core.parse import is_hopeless, parse
from app.core.sections import Section, markdown_sections, rst_sections
from app.core.statements import by_statements
from app.core.symbols import Symbols, read_symbols
from app.core.types import Chunk, Skip, SourceFile
from app.core.windows import windows

if TYPE_CHECKING:
    from collections.abc import Callable

_LINES_A_DEFINITION = 200
"""A broken file in which fewer definitions are found is cut by lines: an unclosed quote hides all that follows it."""

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
    whole = _by_headings(path, language, lines) if language in _PROSE else _by_grammar(path, language, lines, deadline)
    found = [] if deadline is not None and deadline() else regions(language, lines)
    return _with_embedded(whole, lines, found, deadline) if found else whole


def _by_grammar(path: str, language: str, lines: Lines, deadline: Callable[[], bool] | None) -> SourceFile:
    row, source = row_of(language), lines.source
    if row is None or not row.grammar:
        return _by_windows(path, language, lines)
    tree = parse(language, source, deadline)
    if tree is not None and is_hopeless(tree.root_node):
        return _by_windows(path, language, lines, "syntax errors")
    outline = None if tree is None else read_outline(tree.root_node, source, row, lines.starts, deadline)
    if tree is None or outline is None:
        return _by_windows(path, language, lines, "timeout")
    broken = tree.root_node.has_error
    if broken and language == "sql":
        by_statements(outline, tree.root_node)
    symbols = read_symbols(outline)
    if broken and len(outline.places) * _LINES_A_DEFINITION < lines.count:
        return _by_windows(path, language, lines, "syntax errors", symbols)
    if deadline is not None and deadline():
        return _by_windows(path, language, lines, "timeout", symbols)
    pieces = Layout(outline, tree.root_node, lines).pieces()
    chunks = Writer(path, language, lines, symbols).chunks(pieces)
    return SourceFile(path, language, tuple(chunks), symbols.defined, symbols.imports, parsed=not broken)


# --- code inside of other files

_UNNAMED = frozenset({"module", "window"})
"""Kinds of chunks that are no definition: examples of a document that only use what others define."""


def _with_embedded(
    whole: SourceFile, lines: Lines, found: list[Region], deadline: Callable[[], bool] | None
) -> SourceFile:
    """The file with its embedded code in chunks of that code's own language. The chunks around keep the lines that are left."""
    inner: list[SourceFile] = []
    taken: list[tuple[int, int]] = []
    for region in found:
        if deadline is not None and deadline():
            break
        raw = Lines(lines.raw(region.first, region.last))
        part = _by_grammar(whole.path, region.language, raw, deadline)
        if whole.language in _PROSE and not part.parsed:
            continue  # a fragment or a listing with dots: the text around it says more
        if part.definitions or raw.size(1, raw.count) >= FLOOR_TOKENS:
            holder = next(chunk for chunk in whole.chunks if chunk.last >= region.first)
            inner.append(_moved(part, region.first - 1, holder))
            taken.append((region.first, region.last))
    around = [left for chunk in whole.chunks for left in _around(chunk, lines, taken)]
    chunks = sorted((*around, *(chunk for part in inner for chunk in part.chunks)), key=lambda chunk: chunk.first)
    return replace(
        whole,
        chunks=tuple(chunks),
        definitions=(*whole.definitions, *(one for part in inner for one in part.definitions)),
        imports=(*whole.imports, *(one for part in inner for one in part.imports)),
        parsed=whole.parsed and all(part.parsed for part in inner),
    )


def _moved(part: SourceFile, lines: int, holder: Chunk) -> SourceFile:
    """What was found in a region, with the lines it has in its file; code that has no name takes that of the section it is in."""
    return replace(
        part,
        chunks=tuple(
            replace(
                chunk if chunk.kind not in _UNNAMED else _named_like(chunk, holder),
                first=chunk.first + lines,
                last=chunk.last + lines,
                calls=tuple(replace(call, line=call.line + lines) for call in chunk.calls),
            )
            for chunk in part.chunks
        ),
        definitions=tuple(replace(one, first=one.first + lines, last=one.last + lines) for one in part.definitions),
        imports=tuple(replace(one, line=one.line + lines) for one in part.imports),
    )


def _named_like(chunk: Chunk, holder: Chunk) -> Chunk:
    return replace(chunk, name=holder.name, qualified=holder.qualified, parent=holder.parent)


def _around(chunk: Chunk, lines: Lines, taken: list[tuple[int, int]]) -> list[Chunk]:
    """A chunk without the lines that were taken: itself, or one for each run of lines that is left."""
    inside = taken[
        bisect_left(taken, chunk.first, key=lambda one: one[1]) : bisect_right(
            taken, chunk.last, key=lambda one: one[0]
        )
    ]
    if not inside:
        return [chunk]
    edges = [chunk.first - 1, *(edge for one in inside for edge in one), chunk.last + 1]
    runs = [
        kept
        for before, after in zip(edges[::2], edges[1::2], strict=True)
        if before + 1 < after and (kept := lines.trim(before + 1, after - 1)) is not None
    ]
    return [
        replace(
            chunk,
            first=first,
            last=last,
            text=lines.text(first, last),
            part=number if len(runs) > 1 and not chunk.part else chunk.part,
            calls=tuple(call for call in chunk.calls if first <= call.line <= last),
        )
        for number, (first, last) in enumerate(runs, 1)
    ]


def _by_windows(path: str, language: str, lines: Lines, note: str = "", symbols: Symbols | None = None) -> SourceFile:
    write = Writer(path, language, lines, symbols)
    chunks = tuple(write.chunk("window", first, last) for first, last in windows(lines, 1, lines.count))
    if symbols is None:
        return SourceFile(path, language, chunks, note=note)
    return SourceFile(path, language, chunks, symbols.defined, symbols.imports, note=note)


def _by_headings(path: str, language: str, lines: Lines) -> SourceFile:
    write = Writer(path, language, lines, None)
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
