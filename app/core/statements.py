"""Finds the definitions of an SQL file by its statements alone, for files whose dialect the grammar cannot read. Reads no tree.

PL/pgSQL, psql, MySQL's DELIMITER and T-SQL's GO are understood as far as is needed to see where a statement ends.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.core.nesting import Above, arrange
from app.core.places import Outline, Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

MOST_UNCLOSED = 1_000
"""Dollar quotes that never close, after which `$` is looked at no more: each costs a look through the rest of the file."""

_TOKEN = re.compile(
    rb"--[^\n]*|/\*|['\"`]|\$\w*\$|;|//|^CREATE\b|^\\[^\n]*|^/[ \t]*\r?$|^GO[ \t]*\r?$|^DELIMITER[ \t]+(?P<mark>[^\s]+)"
    rb"|\b(?:BEGIN|CASE|END(?:[ \t]+(?:IF|LOOP|WHILE|REPEAT|FOR))?)\b",
    re.IGNORECASE | re.MULTILINE,
)
_PART = r"(?:\"[^\"\n]{1,200}\"|`[^`\n]{1,200}`|\[[^\]\n]{1,200}\]|[\w$@:]{1,200})"
_CREATE = re.compile(
    r"CREATE\s+(?:OR\s+(?:REPLACE|ALTER)\s+)?(?:(?:GLOBAL|LOCAL|TEMP|TEMPORARY|UNLOGGED|EXTERNAL|FOREIGN|MATERIALIZED|RECURSIVE"
    r"|CONSTRAINT|EVENT|UNIQUE|VIRTUAL|DEFINER\s*=\s*\S{1,100})\s+){0,5}"
    r"(?P<what>TABLE|VIEW|FUNCTION|PROCEDURE|PROC|AGGREGATE|TRIGGER|TYPE|DOMAIN|SEQUENCE|SCHEMA|INDEX|PACKAGE(?:\s+BODY)?)\s+"
    rf"(?:CONCURRENTLY\s+)?(?:IF\s+NOT\s+EXISTS\s+)?(?:{_PART}\s*\.\s*){{0,3}}(?P<name>{_PART})".encode(),
    re.IGNORECASE,
)
_KINDS = {
    "TABLE": "type", "VIEW": "type", "TYPE": "type", "DOMAIN": "type", "SEQUENCE": "constant", "INDEX": "constant", "SCHEMA": "module",
}  # fmt: skip
_ROUTINES = frozenset({"FUNCTION", "PROCEDURE", "PROC", "TRIGGER", "PACKAGE"})
_BODY = re.compile(rb"\b(?:AS|IS|BEGIN)\b|\(", re.IGNORECASE)
_ROUTINE_BODY = re.compile(rb"\b(?:AS|IS|BEGIN|EXECUTE)\b|\$\w*\$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Created:
    """One CREATE statement: its bytes start..end, where its name ends, where its header ends (-1: nowhere)."""

    kind: str
    name: str
    start: int
    end: int
    name_end: int
    body: int


def by_statements(outline: Outline, root: Node) -> None:
    """Give the outline of a file the definitions that its statements tell, with the comments above each, in place of its own."""
    raw: list[Place] = []
    above: dict[int, Above] = {}
    for each in created(outline.source):
        first, last = outline.line(each.start), outline.line(each.end - 1)
        raw.append(
            Place(
                each.kind,
                root,
                each.name,
                each.start,
                each.start,
                each.end,
                each.name_end,
                each.body,
                first,
                last,
                first,
            )
        )
        for line in range(first - 1, 0, -1):
            start, end = outline.starts[line - 1], outline.starts[line] - 1
            if not outline.source[start:end].startswith(b"--"):
                break
            above[line] = Above(line, start, end, True)
    outline.edges, outline.inside = [], []
    arrange(outline, raw, [], above)


def created(source: bytes) -> list[Created]:
    """What the statements of an SQL file create, in order. Linear in the source."""
    found: list[Created] = []
    for start, stop in _statements(source):
        end = start + len(source[start:stop].rstrip())
        match = _CREATE.match(source, start, end)
        if match is None:
            continue
        what = match["what"].decode().upper().split()[0]
        header = (_ROUTINE_BODY if what in _ROUTINES else _BODY).search(source, match.end(), end)
        found.append(
            Created(
                _KINDS.get(what, "function"),
                match["name"].decode("utf-8", "replace").strip('"`[]'),
                start,
                end,
                match.end("name"),
                header.start() if header else -1,
            )
        )
    return found


def _statements(source: bytes) -> Iterator[tuple[int, int]]:
    """Byte ranges of statements, without the comments before them, their closing mark included."""
    at, start, depth, mark, unclosed = 0, -1, 0, b"", 0
    while (token := _TOKEN.search(source, at)) is not None:
        text = token[0]
        if start < 0:
            start = _first_code(source, at, token.start())
        at = token.end()
        if text.startswith((b"--", b"\\")):
            if start == token.start():
                start = -1
            continue
        if token["mark"] is not None:
            mark = b"" if token["mark"] == b";" else token["mark"]
            start, depth = -1, 0
        elif text == b"/*":
            at = _after(source, b"*/", at)
            if start == token.start():
                start = -1
        elif text[:6].upper() == b"CREATE":
            if start < token.start():  # the one before had no end
                yield start, token.start()
            start, depth = token.start(), 0
        elif mark and text == mark:
            yield start, at
            start, depth = -1, 0
        elif text in {b"'", b'"', b"`"} or text[:1] == b"$":
            closed = source.find(text, at) if text[:1] != b"$" or unclosed < MOST_UNCLOSED else -1
            unclosed += closed < 0
            at = closed + len(text) if closed >= 0 else at
        elif text[:1].isalpha() and text.upper().strip() != b"GO":
            depth += _opens(source, start, text)
        elif text == b";":
            if depth <= 0 and not mark:
                yield start, at
                start, depth = -1, 0
        elif text != b"//":  # GO and / stand alone on their line
            yield start, token.start()
            start, depth = -1, 0
    last = start if start >= 0 else _first_code(source, at, len(source))
    if last < len(source):
        yield last, len(source.rstrip())


def _opens(source: bytes, start: int, word: bytes) -> int:
    """How a word changes the depth of blocks; only routines have blocks, elsewhere BEGIN starts a transaction."""
    upper = word.upper()
    match = _CREATE.match(source, start)
    if match is None or match["what"].decode().upper().split()[0] not in _ROUTINES or b" " in upper or b"\t" in upper:
        return 0
    return -1 if upper == b"END" else 1


def _first_code(source: bytes, start: int, end: int) -> int:
    """The first byte in start..end that is no space, or `end`."""
    return end - len(source[start:end].lstrip())


def _after(source: bytes, closer: bytes, at: int) -> int:
    found = source.find(closer, at)
    return found + len(closer) if found >= 0 else len(source)
