"""The records that the index holds, as payloads and back: chunk, file and scope. Owns ids and fields; stores nothing.

No code is kept: whoever shows a chunk reads its lines from the blob again. A file's record is written after its chunks,
a scope's with its head only after all of them, so a record that is there vouches for what it names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, cast
from uuid import UUID

from app.core.changes import identity
from app.core.errors import BadPayload
from app.core.named import unmarked
from app.core.types import Call, Chunk, Definition, Import, Skip, SourceFile

VERSION = 4
"""Of chunks and payloads. Raise it when the same file gives other records: every scope is then written anew."""
CHUNK, FILE, SCOPE = "chunk", "file", "scope"
"""The types of record, each the value of the payload's `type`."""
DIGEST_BYTES = 16
"""128 bits: no two of a billion texts collide by chance."""
LONGEST_SIGNATURE = 400
LONGEST_DOCSTRING = 400
LONGEST_RECEIVER = 80
"""Characters kept for display and ranking; the whole text is in the blob, and the index stays small."""

REREAD = frozenset({Skip.MISSING})
"""Reasons that may pass by themselves: such a file never counts as up to date."""


# --- ids and digests ----------------------------------------------------------------------------------------------


def point_id(repo: int, scope: str, kind: str, path: str, position: int) -> str:
    """The UUID of a record: the same on every machine, so a job that runs twice writes the same points."""
    key = f"{repo}\0{scope}\0{kind}\0{path}\0{position}".encode("utf-8", "surrogateescape")
    return str(UUID(bytes=blake2b(key, digest_size=16).digest(), version=5))


def breadcrumb(chunk: Chunk) -> str:
    """`Class > method`, or the headings above a section."""
    return " > ".join(chunk.qualified.split("."))


def signature_shown(chunk: Chunk) -> str:
    """The signature a part is searched with besides its text: later parts lack it, a class's first lists its methods."""
    return chunk.signature[:LONGEST_SIGNATURE] if chunk.part else ""


_WORD = re.compile(r"\w")


def says_nothing(chunk: Chunk) -> bool:
    """Whether a chunk is nothing but brackets: it has no dense vector, or every closing brace would resemble its class."""
    return not _WORD.search(chunk.text)


def dense_text(chunk: Chunk) -> str:
    """The text that the dense vector is computed from; empty for a chunk that says nothing.

    Not the path, so that a renamed file costs no embedding.
    """
    return "" if says_nothing(chunk) else f"{breadcrumb(chunk)}\n{signature_shown(chunk)}\n{chunk.text}"


def digest_of(text: str) -> str:
    """32 hex digits that name a dense text: equal digests have equal vectors."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).hexdigest()


# --- chunks -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ChunkRecord:
    """A chunk as the index knows it: all but its text. `names` and `call_names` are what it can be found by."""

    scope: str
    path: str
    blob: str
    position: int
    language: str
    kind: str
    name: str
    qualified: str
    parent: str
    signature: str
    docstring: str
    first: int
    last: int
    part: int
    digest: str
    names: tuple[str, ...]
    call_names: tuple[str, ...]
    calls: tuple[Call, ...]


def chunk_payload(
    repo: int, scope: str, blob: str, position: int, chunk: Chunk, imports: Sequence[Import]
) -> dict[str, object]:
    """The payload of one chunk. `imports` are its file's: a call is also found under the alias the file gave it."""
    return {
        "repo": repo,
        "type": CHUNK,
        "scope": scope,
        "path": chunk.path,
        "blob": blob,
        "position": position,
        "language": chunk.language,
        "kind": chunk.kind,
        "name": chunk.name,
        "qualified": chunk.qualified,
        "parent": chunk.parent,
        "signature": chunk.signature[:LONGEST_SIGNATURE],
        "docstring": chunk.docstring[:LONGEST_DOCSTRING],
        "first": chunk.first,
        "last": chunk.last,
        "part": chunk.part,
        "digest": digest_of(dense_text(chunk)),
        "names": _names(chunk.defines),
        "call_names": _call_names(chunk.calls, imports),
        "calls": [_call_row(call, chunk.qualified) for call in chunk.calls],
    }  # fmt: skip


def read_chunk(payload: Mapping[str, object]) -> ChunkRecord:
    """The record of a chunk's payload. Raises BadPayload where it does not have the form."""
    with _Reading(payload, CHUNK) as read:
        return ChunkRecord(
            scope=read.text("scope"),
            path=read.text("path"),
            blob=read.text("blob"),
            position=read.number("position"),
            language=read.text("language"),
            kind=read.text("kind"),
            name=read.text("name"),
            qualified=read.text("qualified"),
            parent=read.text("parent"),
            signature=read.text("signature"),
            docstring=read.text("docstring"),
            first=read.number("first"),
            last=read.number("last"),
            part=read.number("part"),
            digest=read.text("digest"),
            names=tuple(read.texts("names")),
            call_names=tuple(read.texts("call_names")),
            calls=read_calls(payload),
        )


_CALL = (str, str, int, str)
_CALL_ELSEWHERE = (*_CALL, str)


def _call_row(call: Call, qualified: str) -> list[object]:
    """Calls are half of what is stored: who makes one is said only where it is not the chunk's own definition."""
    row: list[object] = [call.name, call.receiver[:LONGEST_RECEIVER], call.line, call.target]
    return row if call.within == qualified else [*row, call.within]


def _call(row: list[Any], qualified: str) -> Call:
    return Call(*(row if len(row) == len(_CALL_ELSEWHERE) else [*row, qualified]))


CALL_FIELDS = ("type", "scope", "path", "blob", "qualified", "calls")
"""The fields of a chunk's payload that `read_calls` needs, with those that say where the chunk stands."""


def read_calls(payload: Mapping[str, object]) -> tuple[Call, ...]:
    """The calls alone of a chunk's payload. Raises BadPayload where it does not have the form."""
    with _Reading(payload, CHUNK) as read:
        qualified = read.text("qualified")
        return tuple(_call(row, qualified) for row in read.rows("calls", _CALL, _CALL_ELSEWHERE))


def _names(defines: Sequence[str]) -> list[str]:
    """Each qualified name and its last part; that of Ruby's and Elixir's `valid?` and `save!` also as a sentence has it."""
    names: dict[str, None] = {}
    for qualified in defines:
        simple = qualified.rpartition(".")[2]
        names |= dict.fromkeys((simple, qualified, unmarked(simple), unmarked(qualified)))
    return list(names)


def _call_names(calls: Sequence[Call], imports: Sequence[Import]) -> list[str]:
    called = dict.fromkeys(call.name for call in calls)
    aliases = [each.alias for each in imports if each.alias and each.name in called]
    return list(dict.fromkeys((*called, *aliases)))


# --- files --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A file as the index knows it. `chunks` counts its points; `skip` says why there are none, `refused` whether that
    was known without reading it. `size` is in bytes, -1 where unknown. `blob` is empty for a file that an overlay deletes."""

    scope: str
    path: str
    blob: str
    language: str = ""
    chunks: int = 0
    imports: tuple[Import, ...] = ()
    definitions: tuple[Definition, ...] = ()
    parsed: bool = False
    skip: str = ""
    refused: bool = False
    note: str = ""
    size: int = -1

    @property
    def identity(self) -> str:
        """What `core.changes.plan` compares; empty where the file must be looked at again."""
        if self.skip in REREAD:
            return ""
        return identity(self.blob, self.skip if self.refused else "")


def file_record(scope: str, blob: str, size: int, source: SourceFile) -> FileRecord:
    """The record of a file that was read."""
    return FileRecord(
        scope=scope,
        path=source.path,
        blob=blob,
        language=source.language,
        chunks=len(source.chunks),
        imports=source.imports,
        definitions=source.definitions,
        parsed=source.parsed,
        skip=source.skip.value if source.skip else "",
        note=source.note,
        size=size,
    )


def file_payload(repo: int, record: FileRecord) -> dict[str, object]:
    """The payload of one file."""
    return {
        "repo": repo,
        "type": FILE,
        "scope": record.scope,
        "path": record.path,
        "blob": record.blob,
        "language": record.language,
        "chunks": record.chunks,
        "imports": [[each.module, each.name, each.alias, each.line] for each in record.imports],
        "call_names": [renamed_key(each) for each in record.imports if hands_on_renamed(each)],
        "definitions": [
            [each.name, each.qualified, each.kind, each.first, each.last, each.signature[:LONGEST_SIGNATURE],
             each.docstring[:LONGEST_DOCSTRING], list(each.bases)]
            for each in record.definitions
        ],
        "parsed": record.parsed,
        "skip": record.skip,
        "refused": record.refused,
        "note": record.note,
        "size": record.size,
    }  # fmt: skip


def hands_on_renamed(each: Import) -> bool:
    """Whether an import binds something under another name than its own: calls elsewhere may go by that name."""
    return bool(each.alias) and each.name not in {"", "*", each.alias}


def renamed_key(each: Import) -> str:
    """What such an import is found by: the name, or for JavaScript's default export, which has none, the module's last part."""
    return default_key(each.module) if each.name == "default" else each.name


def default_key(module: str) -> str:
    """`default:store` for `./store`, `../store.js` and `src/store/index.ts`."""
    parts = [part for part in module.split("/") if part.strip(".")]
    stem = parts[-1].split(".")[0] if parts else ""
    return f"default:{parts[-2] if stem == 'index' and len(parts) > 1 else stem}"


FILE_FACTS = ("type", "scope", "path", "blob", "language", "chunks", "parsed", "skip", "refused", "note", "size")
"""The fields of a file's payload without its imports and definitions, for readers that compare many files."""
FILE_WHOLE = (*FILE_FACTS, "imports", "definitions")
"""All fields of a file's payload that `read_file` reads."""


def read_file(payload: Mapping[str, object]) -> FileRecord:
    """The record of a file's payload; imports and definitions are empty where they were not asked for."""
    with _Reading(payload, FILE) as read:
        return FileRecord(
            scope=read.text("scope"),
            path=read.text("path"),
            blob=read.text("blob"),
            language=read.text("language"),
            chunks=read.number("chunks"),
            imports=tuple(Import(*row) for row in read.rows("imports", (str, str, str, int), optional=True)),
            definitions=tuple(map(_definition, read.rows("definitions", _DEFINITION, optional=True))),
            parsed=read.truth("parsed"),
            skip=read.text("skip"),
            refused=read.truth("refused"),
            note=read.text("note"),
            size=read.number("size"),
        )


_DEFINITION = (str, str, str, int, int, str, str, list)


def _definition(row: list[Any]) -> Definition:
    name, qualified, kind, first, last, signature, docstring, bases = row
    return Definition(name, qualified, kind, first, last, signature, docstring, tuple(bases))


# --- scopes -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ScopeRecord:
    """The state of a scope. Its points are those of `head` exactly when `dirty` is false; `head` is empty before the
    first finished run. `base` is the commit an overlay differs from, empty for a branch. `files` counts its file records.
    `ledger` holds the last run's counts."""

    scope: str
    head: str = ""
    base: str = ""
    dirty: bool = True
    rules: str = ""
    installation: int = 0
    full_name: str = ""
    files: int = 0
    ledger: Mapping[str, object] = field(default_factory=dict)


def scope_payload(repo: int, record: ScopeRecord) -> dict[str, object]:
    """The payload of a scope's record."""
    return {
        "repo": repo,
        "type": SCOPE,
        "scope": record.scope,
        "head": record.head,
        "base": record.base,
        "dirty": record.dirty,
        "rules": record.rules,
        "installation": record.installation,
        "full_name": record.full_name,
        "files": record.files,
        "ledger": dict(record.ledger),
    }


def read_scope(payload: Mapping[str, object]) -> ScopeRecord:
    """The record of a scope's payload."""
    with _Reading(payload, SCOPE) as read:
        ledger = payload.get("ledger")
        return ScopeRecord(
            scope=read.text("scope"),
            head=read.text("head"),
            base=read.text("base"),
            dirty=read.truth("dirty"),
            rules=read.text("rules"),
            installation=read.number("installation"),
            full_name=read.text("full_name"),
            files=read.number("files"),
            ledger=cast("Mapping[str, object]", ledger) if isinstance(ledger, dict) else {},
        )


# --- reading ------------------------------------------------------------------------------------------------------


class _Reading:
    """Reads typed fields of one payload; whatever is wrong becomes one BadPayload that names the record."""

    def __init__(self, payload: Mapping[str, object], kind: str) -> None:
        self.payload, self.kind = payload, kind

    def __enter__(self) -> _Reading:
        if self.payload.get("type") != self.kind:
            raise BadPayload(f"a {self.kind} record has the type {self.payload.get('type')!r}")
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if isinstance(error, TypeError | ValueError | KeyError):
            where = f"{self.payload.get('scope')}:{self.payload.get('path', '')}"
            raise BadPayload(f"the {self.kind} record of {where} cannot be read: {error}") from error

    def text(self, name: str) -> str:
        value = self.payload[name]
        if not isinstance(value, str):
            raise TypeError(f"{name} is no text")
        return value

    def number(self, name: str) -> int:
        value = self.payload[name]
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"{name} is no whole number")
        return value

    def truth(self, name: str) -> bool:
        value = self.payload[name]
        if not isinstance(value, bool):
            raise TypeError(f"{name} is neither true nor false")
        return value

    def texts(self, name: str) -> list[str]:
        value = self.payload[name]
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise TypeError(f"{name} is no list of texts")
        return value

    def rows(self, name: str, *forms: Sequence[type], optional: bool = False) -> list[list[Any]]:
        """Lists whose values have exactly the types of one of `forms`."""
        rows = self.payload.get(name, []) if optional else self.payload[name]
        if not isinstance(rows, list):
            raise TypeError(f"{name} is no list")
        for row in rows:
            if not isinstance(row, list) or tuple(type(each) for each in row) not in forms:
                raise ValueError(f"{name} has the row {row!r}")
        return rows
