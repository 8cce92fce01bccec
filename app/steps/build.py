"""Takes the files of a plan from git through the child processes to the writer, a bounded number at a time."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from app.clients.git import Mirror
from app.clients.workers import Workers
from app.core.changes import Plan
from app.core.errors import Transient
from app.core.records import FileRecord
from app.core.source import refuse
from app.core.types import BRANCH, Skip, TreeEntry
from app.core.wanted import Wanted
from app.steps.ingest import Blob, Built
from app.steps.vectors import Vectors, vectors_of_blobs, vectors_of_paths
from app.steps.writer import Writer

log = logging.getLogger(__name__)

FILES_A_GROUP = 128
"""Files whose known vectors are held at a time: some 3,000 chunks of 1 kB."""


@dataclass
class Build:
    """One run's way from plan to points. `known` holds the vectors of files that are with the children now."""

    mirror: Mirror
    workers: Workers
    writer: Writer
    wanted: Wanted
    embedder: str
    known: dict[str, Vectors] = field(default_factory=dict)

    async def run(self, plan: Plan) -> None:
        """Write what the plan writes, then remove what it removes."""
        readable = await self._readable(plan.write)
        first: dict[str, str] = {}  # blob → the path that is built first: its twins then reuse its vectors
        for path in readable:
            first.setdefault(self.wanted.entries[path].blob, path)
        originals = set(first.values())
        died = await self._files([path for path in readable if path in originals])
        await self.writer.finish()
        twins = {path: first[self.wanted.entries[path].blob] for path in readable if path not in originals}
        died |= await self._files(list(twins), twins)
        await self._files(sorted(died), failed=died)
        await self.writer.finish()
        await self.writer.remove(plan.removed)

    async def _readable(self, paths: Sequence[str]) -> list[str]:
        """Write the records of files that are not to be read; fetch the others in one request and give their paths."""
        asked: list[str] = []
        for path in paths:
            if path in self.wanted.refused:
                await self._skip(path, self.wanted.refused[path], -1, refused=True)
            else:
                asked.append(path)
        sizes = await self.mirror.sizes(self.wanted.entries[path].blob for path in asked)
        readable: list[str] = []
        for path in asked:
            entry = self.wanted.entries[path]
            reason = _unreadable(entry, sizes[entry.blob])
            if reason is None:
                readable.append(path)
            else:
                await self._skip(path, reason.value, sizes[entry.blob])
        return readable

    async def _skip(self, path: str, reason: str, size: int, refused: bool = False) -> None:
        scope, blob = self.writer.ledger.scope, self.wanted.entries[path].blob
        await self.writer.record(FileRecord(scope, path, blob, skip=reason, refused=refused, size=size))

    async def _files(
        self, paths: Sequence[str], twins: Mapping[str, str] | None = None, failed: Mapping[str, str] | None = None
    ) -> dict[str, str]:
        """Build some files. Gives those whose child died, and how; one that dies again gets a record without chunks.

        `twins` names for each a file of the same bytes that is written already; `failed` says how each died the first time.
        """
        died: dict[str, str] = {}
        if not paths:
            return died
        async with contextlib.aclosing(self.workers.run(self._blobs(paths, twins or {}, failed or {}))) as results:
            async for blob, result in results:
                known = self.known.pop(blob.path, {})
                if isinstance(result, Built):
                    await self.writer.built(result, known)
                elif failed:
                    log.error(
                        "file could not be built",
                        extra={"path": blob.path, "reason": result.reason, "detail": result.detail},
                    )
                    scope, size = self.writer.ledger.scope, len(blob.data)
                    await self.writer.record(FileRecord(scope, blob.path, blob.blob, note=result.reason, size=size))
                else:
                    died[blob.path] = result.reason
        return died

    async def _blobs(
        self, paths: Sequence[str], twins: Mapping[str, str], failed: Mapping[str, str]
    ) -> AsyncGenerator[Blob, None]:
        ledger = self.writer.ledger
        for start in range(0, len(paths), FILES_A_GROUP):
            blobs = {path: self.wanted.entries[path].blob for path in paths[start : start + FILES_A_GROUP]}
            if twins or self.writer.lookup:
                self.known |= await self._vectors(blobs, twins)
            waiting: dict[str, list[str]] = {}
            for path, blob in blobs.items():
                waiting.setdefault(blob, []).append(path)
            async with contextlib.aclosing(self.mirror.blobs(waiting)) as contents:
                async for blob, data in contents:
                    if data is None:
                        raise Transient(f"blob {blob} was in the mirror and is no longer")
                    for path in waiting[blob]:
                        known = frozenset(self.known[path]) if path in self.known else None
                        yield Blob(
                            ledger.repo, ledger.scope, path, blob, data, self.embedder, known, failed.get(path, "")
                        )

    async def _vectors(self, blobs: Mapping[str, str], twins: Mapping[str, str]) -> dict[str, Vectors]:
        """The vectors that the index has for the chunks that some files (path → blob) are likely to hold."""
        index, repo, scope = self.writer.index, self.writer.ledger.repo, self.writer.ledger.scope
        if twins:
            of_twins = await vectors_of_paths(index, repo, [scope], [twins[path] for path in blobs])
            return {path: of_twins.get(twins[path], {}) for path in blobs}
        by_path = await vectors_of_paths(index, repo, [scope, BRANCH], list(blobs))
        by_blob = await vectors_of_blobs(index, repo, list(dict.fromkeys(blobs.values())))
        return {path: by_path.get(path, {}) | by_blob.get(blob, {}) for path, blob in blobs.items()}


def _unreadable(entry: TreeEntry, size: int) -> Skip | None:
    return Skip.MISSING if size < 0 else refuse(replace(entry, size=size), generated=False)
