"""What the index holds of a scope: its record, its files, and whether their chunks are all there. Changes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.clients.index import Index
from app.core.records import CHUNK, FILE, FILE_FACTS, SCOPE, FileRecord, ScopeRecord, point_id, read_file, read_scope
from app.core.types import Where

PATHS_A_READ = 256
"""Paths named in one filter."""


@dataclass(frozen=True, slots=True)
class Stored:
    """`identities` (path → identity, empty where the file must be written again) is what the plan compares. `extents`
    counts each path's chunk positions, leftovers included. `files` are the records themselves."""

    files: Mapping[str, FileRecord]
    identities: Mapping[str, str]
    extents: Mapping[str, int]


async def read_scope_record(index: Index, repo: int, scope: str) -> ScopeRecord | None:
    """The record of a scope, or None where it was never indexed."""
    points = await index.get(repo, [point_id(repo, scope, SCOPE, "", 0)])
    return read_scope(points[0].payload) if points else None


async def read_paths(index: Index, repo: int, scope: str, paths: Sequence[str]) -> Stored:
    """What is held of some paths of a clean scope; costs what the paths hold, not what the scope does."""
    files: dict[str, FileRecord] = {}
    for start in range(0, len(paths), PATHS_A_READ):
        some = tuple(paths[start : start + PATHS_A_READ])
        files |= await _files(index, repo, Where({"type": (FILE,), "scope": (scope,), "path": some}))
    return _trusted(files)


async def read_all(index: Index, repo: int, scope: str) -> Stored:
    """What is held of a clean scope."""
    return _trusted(await _files(index, repo, Where({"type": (FILE,), "scope": (scope,)})))


async def read_and_check(index: Index, repo: int, scope: str) -> Stored:
    """What is held of a scope that a run may have left half written: a file counts only if exactly its chunks are there."""
    files = await _files(index, repo, Where({"type": (FILE,), "scope": (scope,)}))
    held: dict[str, set[tuple[int, str]]] = {}
    where = Where({"type": (CHUNK,), "scope": (scope,)})
    for point in await index.read(repo, where, fields=("path", "blob", "position")):
        position = point.payload["position"]
        assert isinstance(position, int)
        held.setdefault(str(point.payload["path"]), set()).add((position, str(point.payload["blob"])))
    identities = dict.fromkeys(held, "")
    for path, record in files.items():
        whole = held.get(path, set()) == {(position, record.blob) for position in range(record.chunks)}
        identities[path] = record.identity if whole else ""
    extents = {path: max(position for position, _ in positions) + 1 for path, positions in held.items()}
    return Stored(files, identities, extents)


async def _files(index: Index, repo: int, where: Where) -> dict[str, FileRecord]:
    points = await index.read(repo, where, fields=FILE_FACTS)
    return {record.path: record for record in _records(point.payload for point in points)}


def _records(payloads: Iterable[Mapping[str, object]]) -> Iterable[FileRecord]:
    return (read_file(payload) for payload in payloads)


def _trusted(files: Mapping[str, FileRecord]) -> Stored:
    identities = {path: record.identity for path, record in files.items()}
    return Stored(files, identities, {path: record.chunks for path, record in files.items() if record.chunks})
