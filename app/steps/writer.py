"""Writes the points of built files in the order that a kill may interrupt: chunks, the file's record, then leftovers go."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from app.clients.embed import Embedder
from app.clients.index import Index
from app.core.records import CHUNK, FILE, FileRecord, file_payload, point_id
from app.core.types import Ledger, Point, Sparse, Where
from app.steps.ingest import Built
from app.steps.vectors import TEXTS_A_CALL, Vectors, compute_vectors, find_vectors

POINTS_A_CALL = 256
"""An embedded upsert of 256 points holds the interpreter for 10 to 15 ms."""
PATHS_A_CALL = 256
"""Paths whose points are deleted by one filter."""


@dataclass
class Writer:
    """One run's writes to one scope. `extents` tells how many chunk positions each path has in the index now."""

    index: Index
    embedder: Embedder
    ledger: Ledger
    extents: Mapping[str, int]
    lookup: bool
    wrote: Callable[[int], None]
    waiting: list[tuple[Built, Vectors]] = field(default_factory=list)
    unknown: dict[str, str] = field(default_factory=dict)
    points: list[Point] = field(default_factory=list)
    leftover: list[str] = field(default_factory=list)

    async def built(self, built: Built, known: Vectors) -> None:
        """Take a built file. `known` holds the vectors of its chunks except those in `built.texts`, or nothing where
        `built.dense` holds them all."""
        if not built.texts:
            await self._add(built, known, 0)
            return
        self.waiting.append((built, known))
        self.unknown |= built.texts
        if len(self.unknown) >= TEXTS_A_CALL:
            await self._add_waiting()

    async def record(self, record: FileRecord) -> None:
        """Take a file that has no chunks."""
        await self._queue([], record.path, file_payload(self.ledger.repo, record), 0)

    async def finish(self) -> None:
        """Write all that still waits."""
        await self._add_waiting()
        await self._write(len(self.points))

    async def remove(self, paths: Sequence[str]) -> None:
        """Delete every point of some paths of the scope."""
        for start in range(0, len(paths), PATHS_A_CALL):
            some = tuple(paths[start : start + PATHS_A_CALL])
            await self.index.delete(self.ledger.repo, Where({"scope": (self.ledger.scope,), "path": some}))
            self.wrote(len(some))

    async def _add_waiting(self) -> None:
        """Give the waiting files their vectors: those that any chunk of the repository has, the others computed."""
        if not self.waiting:
            return
        unknown, waiting = self.unknown, self.waiting
        self.unknown, self.waiting = {}, []
        found = await find_vectors(self.index, self.ledger.repo, list(unknown)) if self.lookup else {}
        computed = await compute_vectors(
            self.embedder, {each: text for each, text in unknown.items() if each not in found}
        )
        found |= computed
        for built, known in waiting:
            fresh = computed.keys() & built.texts.keys()
            await self._add(built, {**known, **{digest: found[digest] for digest in built.texts}}, len(fresh))
            computed = {digest: vector for digest, vector in computed.items() if digest not in fresh}  # counted once

    async def _add(self, built: Built, vectors: Vectors, computed: int) -> None:
        repo, scope, path = self.ledger.repo, self.ledger.scope, str(built.file["path"])
        points = []
        for position, payload in enumerate(built.chunks):
            dense = vectors[str(payload["digest"])] if built.dense is None else built.dense[position]
            points.append(Point(point_id(repo, scope, CHUNK, path, position), payload, dense, _sparse(built, position)))
        count = len(points) if built.dense is not None else computed
        self.ledger.vectors_computed += count
        self.ledger.vectors_reused += len(points) - count
        for payload in built.chunks:
            language = str(payload["language"])
            self.ledger.chunks[language] = self.ledger.chunks.get(language, 0) + 1
        await self._queue(points, path, built.file, len(points))

    async def _queue(self, points: list[Point], path: str, file: Mapping[str, object], chunks: int) -> None:
        self._account(path, file)
        repo, scope = self.ledger.repo, self.ledger.scope
        self.points += [*points, Point(point_id(repo, scope, FILE, path, 0), file)]
        extent = self.extents.get(path, 0)
        self.leftover += [point_id(repo, scope, CHUNK, path, position) for position in range(chunks, extent)]
        await self._write(len(self.points) // POINTS_A_CALL * POINTS_A_CALL)
        self.wrote(1)

    def _account(self, path: str, file: Mapping[str, object]) -> None:
        ledger, size = self.ledger, file["size"]
        if file["skip"]:
            ledger.skipped.setdefault(str(file["skip"]), []).append(path)
        if file["note"]:
            ledger.notes.setdefault(str(file["note"]), []).append(path)
        if isinstance(size, int) and not file["skip"]:
            ledger.source_bytes += size

    async def _write(self, count: int) -> None:
        """Write the first `count` points in order, then delete the leftovers of files that are written whole."""
        for start in range(0, count, POINTS_A_CALL):
            await self.index.upsert(self.ledger.repo, self.points[start : start + POINTS_A_CALL])
        del self.points[:count]
        if self.leftover and not self.points:
            await self.index.delete_ids(self.ledger.repo, self.leftover)
            self.leftover = []


def _sparse(built: Built, position: int) -> Sparse:
    first, end = built.offsets[position], built.offsets[position + 1]
    return Sparse(tuple(built.indices[first:end].tolist()), tuple(built.values[first:end].tolist()))
