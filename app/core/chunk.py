"""Owns how one file becomes chunks: by its grammar, by its headings, or by line windows. Pure: the caller's clock says when to stop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.core.compose import Writer
from app.core.languages import language_for, row_of
from app.core.layout import Layout
from app.core.lines import BUDGET_TOKENS, FLOOR_TOKENS, Lines
from app.core.outline import read_outline
from app.core.parse import is_hopeless, parse
from app.core.sections import Section, markdown_sections, rst_sections
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
    chunks = Writer(path, language, lines, symbols).chunks(pieces)
    return SourceFile(path, language, tuple(chunks), symbols.definitions, symbols.imports, parsed=not broken)


def _by_windows(path: str, language: str, lines: Lines, note: str = "", symbols: Symbols | None = None) -> SourceFile:
    write = Writer(path, language, lines, symbols)
    chunks = tuple(write.chunk("window", first, last) for first, last in windows(lines, 1, lines.count))
    if symbols is None:
        return SourceFile(path, language, chunks, note=note)
    return SourceFile(path, language, chunks, symbols.definitions, symbols.imports, note=note)


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
