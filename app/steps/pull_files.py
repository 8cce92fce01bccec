"""Reads both sides of a pull request's changed files and finds the definitions that differ. Searches no callers.

Definitions come from the index wherever it holds the very blob; only other blobs are parsed, in a killable child.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from app.clients.git import Mirror
from app.clients.index import Index
from app.clients.workers import Failure, Workers
from app.core.changed_symbols import FileChange, FileSides, compare
from app.core.changes import DELETED, Change
from app.core.records import FILE, FileRecord, read_file
from app.core.roles import Role, role_of
from app.core.source import decode
from app.core.types import Skip, SourceFile, View, Where
from app.steps.ingest import Blob, Built, index_workers

MOST_FILES = 4000
"""Files compared by symbol. A pull request of 3,100 files is compared whole; beyond, source files come first."""

PATHS_A_READ = 256
"""Paths named in one filter."""

_FILE_MODES = frozenset({"100644", "100755", "100664"})
_REASON_OF_MODE = {"120000": Skip.SYMLINK.value, "160000": Skip.SUBMODULE.value}
_FIRST = {Role.SOURCE: 0, Role.TEST: 1, Role.CONFIG: 2, Role.EXAMPLE: 2, Role.DOC: 3}


@dataclass
class Compared:
    """What came of the changed files: `changes` of the compared ones, `left_out` counts of the others by reason."""

    changes: list[FileChange] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class _Pair:
    """A changed file with what is known of its sides; a side that does not exist is None."""

    change: Change
    old: FileRecord | None
    new: FileRecord | None


async def compare_files(
    index: Index, mirror: Mirror, view: View, changes: Sequence[Change], workers: Workers | None = None
) -> Compared:
    """Compare the changed files of a pull request. Both sides of a file are held only while it is compared.

    `workers` is the pool that reindexing uses; without one a small pool is started when a blob must be parsed.
    """
    compared = Compared()
    plain = [change for change in changes if not _left_out(change, compared.left_out)]
    facts = await _facts(index, view, plain)
    await _parse_missing(mirror, plain, facts, view.repo, workers)
    pairs = [pair for change in plain if (pair := _pair(change, facts, compared.left_out)) is not None]
    pairs.sort(key=_importance)
    if len(pairs) > MOST_FILES:
        compared.left_out["over the limit of files"] += len(pairs) - MOST_FILES
        del pairs[MOST_FILES:]
    async with contextlib.aclosing(_read_pairs(mirror, pairs, compared.left_out)) as sides_of_files:
        async for sides in sides_of_files:
            compared.changes.append(await asyncio.to_thread(compare, sides))
    compared.changes.sort(key=lambda change: change.path)
    return compared


# --- which files --------------------------------------------------------------------------------------------------


def _left_out(change: Change, reasons: Counter[str]) -> bool:
    """Count a change that has no two texts to compare."""
    if change.old_blob == change.new_blob:
        reasons["mode only"] += 1
        return True
    modes = [mode for mode in (change.new_mode, change.old_mode) if mode]
    odd = next((mode for mode in modes if mode not in _FILE_MODES), None)
    if odd is not None:
        reasons[_REASON_OF_MODE.get(odd, "no file")] += 1
    return odd is not None


def _pair(change: Change, facts: Mapping[tuple[str, str], FileRecord], reasons: Counter[str]) -> _Pair | None:
    role = role_of(change.path)
    if role in (Role.VENDORED, Role.GENERATED):
        reasons[role.value] += 1
        return None
    old = facts.get((change.path, change.old_blob)) if change.old_blob else None
    new = facts.get((change.path, change.new_blob)) if change.new_blob else None
    if (change.old_blob and old is None) or (change.new_blob and new is None):
        reasons[Skip.MISSING.value] += 1
        return None
    for record in (new, old):
        if record is not None and record.skip not in {"", Skip.EMPTY.value}:
            reasons[record.skip] += 1
            return None
    if not any(record is not None and record.definitions for record in (old, new)):
        reasons["without definitions"] += 1
        return None
    return _Pair(change, old, new)


def _importance(pair: _Pair) -> tuple[int, int, str]:
    """Source before tests before the rest, files with many definitions first."""
    definitions = sum(len(record.definitions) for record in (pair.old, pair.new) if record)
    return (_FIRST.get(role_of(pair.change.path), 4), -definitions, pair.change.path)


# --- definitions --------------------------------------------------------------------------------------------------


async def _facts(index: Index, view: View, changes: Sequence[Change]) -> dict[tuple[str, str], FileRecord]:
    """File records by (path, blob), of all scopes of the view: the branch holds most old sides, the overlay the new."""
    facts: dict[tuple[str, str], FileRecord] = {}
    paths = [change.path for change in changes]
    for start in range(0, len(paths), PATHS_A_READ):
        some = tuple(paths[start : start + PATHS_A_READ])
        for point in await index.read(view.repo, Where({"type": (FILE,), "scope": view.scopes, "path": some})):
            record = read_file(point.payload)
            if record.skip != DELETED:
                facts[record.path, record.blob] = record
    return facts


async def _parse_missing(
    mirror: Mirror,
    changes: Sequence[Change],
    facts: dict[tuple[str, str], FileRecord],
    repo: int,
    workers: Workers | None,
) -> None:
    """Parse the sides that the index does not hold, and add their records."""
    wanted = {
        (change.path, blob)
        for change in changes
        for blob in (change.old_blob, change.new_blob)
        if blob and (change.path, blob) not in facts
    }
    if not wanted:
        return
    pool = workers or index_workers(1)
    try:
        async for blob, built in pool.run(_blobs(mirror, sorted(wanted), repo)):
            if isinstance(built, Failure):
                facts[blob.path, blob.blob] = FileRecord("", blob.path, blob.blob, skip=f"not parsed ({built.reason})")
            elif isinstance(built, Built):
                facts[blob.path, blob.blob] = read_file(built.file)
    finally:
        if workers is None:
            await pool.close()


async def _blobs(mirror: Mirror, wanted: Iterable[tuple[str, str]], repo: int) -> AsyncIterator[Blob]:
    paths: dict[str, list[str]] = defaultdict(list)
    for path, blob in wanted:
        paths[blob].append(path)
    async with contextlib.aclosing(mirror.blobs(paths)) as contents:
        async for blob, data in contents:
            for path in paths[blob] if data is not None else []:
                yield Blob(repo, "", path, blob, data or b"", "", frozenset())


# --- texts --------------------------------------------------------------------------------------------------------


async def _read_pairs(mirror: Mirror, pairs: Sequence[_Pair], reasons: Counter[str]) -> AsyncGenerator[FileSides, None]:
    """Both texts of each file as soon as they are there, from one batch in which the sides of a file follow each other."""
    users: dict[str, list[int]] = defaultdict(list)
    for at, pair in enumerate(pairs):
        for blob in {pair.change.old_blob, pair.change.new_blob} - {""}:
            users[blob].append(at)
    waiting = {at: len({pair.change.old_blob, pair.change.new_blob} - {""}) for at, pair in enumerate(pairs)}
    texts: dict[str, str | Skip] = {}
    async with contextlib.aclosing(mirror.blobs(users)) as contents:
        async for blob, data in contents:
            texts[blob] = Skip.MISSING if data is None else decode(data)
            for at in users[blob]:
                waiting[at] -= 1
                if waiting[at] == 0:
                    sides = _sides(pairs[at], texts, reasons)
                    if sides is not None:
                        yield sides
            for side in {
                blob,
                *(other for at in users[blob] for other in (pairs[at].change.old_blob, pairs[at].change.new_blob)),
            }:
                if side in texts and all(waiting[at] == 0 for at in users[side]):
                    del texts[side]


def _sides(pair: _Pair, texts: Mapping[str, str | Skip], reasons: Counter[str]) -> FileSides | None:
    old, new = (_text(texts, blob) for blob in (pair.change.old_blob, pair.change.new_blob))
    for text in (new, old):
        if isinstance(text, Skip):
            reasons[text.value] += 1
            return None
    assert not isinstance(old, Skip)
    assert not isinstance(new, Skip)
    return FileSides(_source(pair.old), _source(pair.new), old, new)


def _text(texts: Mapping[str, str | Skip], blob: str) -> str | Skip:
    """The text of a side; a side that does not exist, or is an empty file, has none."""
    text = texts[blob] if blob else ""
    return "" if text is Skip.EMPTY else text


def _source(record: FileRecord | None) -> SourceFile | None:
    if record is None:
        return None
    return SourceFile(record.path, record.language, (), record.definitions, record.imports, record.parsed)
