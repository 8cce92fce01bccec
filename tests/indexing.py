"""Indexes small repositories for tests, and tells what an index holds in a form that two can be compared by."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.clients.embed import Embedder, StaticEmbedder
from app.clients.git import Mirror, Mirrors, Remote
from app.clients.index import Index
from app.clients.index.edge import EdgeIndex
from app.clients.workers import Workers
from app.core.rules import Rules
from app.core.tokens import sparse_query
from app.core.types import BRANCH, Ledger, Where
from app.steps.ingest import index_workers
from app.steps.reindex import reindex
from app.steps.stored import read_scope_record
from tests.repositories import GitRepository

REPO = 7
EMBEDDER = StaticEmbedder()

WORDS = ("function", "one", "load", "value", "title", "text", "py")
"""Tokens that the test repositories hold."""

Held = dict[str, tuple[object, bytes | None]]
"""Point id → payload and dense vector."""


class CountingEmbedder(StaticEmbedder):
    """The same vectors under another id, so that the parent computes them and every text can be seen."""

    id = "counting-256"

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.texts += texts
        return super().embed(texts)


class Throwaway(EdgeIndex):
    """An index that need not survive a power cut."""

    async def flush(self, repo: int) -> None:
        """Nothing: waiting for the disk is most of a small run's time."""


@dataclass
class World:
    """One repository, its mirror and its index."""

    origin: GitRepository
    mirror: Mirror
    index: EdgeIndex
    workers: Workers
    directory: Path
    rules: Rules = field(default_factory=Rules)

    async def reindex(
        self,
        head: str = "",
        scope: str = BRANCH,
        base: str | None = None,
        full: bool = False,
        embedder: Embedder = EMBEDDER,
        index: Index | None = None,
    ) -> Ledger:
        """Fetch and index; by default the branch at its head."""
        await self.mirror.fetch(
            [ref for ref in ("refs/heads/main",) if self.origin.exists(ref)] + ([head] if head else [])
        )
        return await reindex(
            index or self.index, self.mirror, self.workers, embedder, repo=REPO, scope=scope, full=full, base=base,
            head=head or await self.mirror.resolve("refs/heads/main"), rules=self.rules, installation=3, full_name="o/r",
        )  # fmt: skip

    async def held(self, index: Index | None = None) -> Held:
        """Every point of the repository, without what the last run counted."""
        held: Held = {}
        for point in await (index or self.index).read(REPO, Where(), vectors=True):
            payload = {key: value for key, value in point.payload.items() if key != "ledger"}
            held[point.id] = (payload, None if point.dense is None else point.dense.astype(np.float16).tobytes())
        return held

    async def assert_fresh(self, scope: str = BRANCH) -> None:
        """The points and the sparse scores of `scope` are those of an index made from nothing."""
        record = await read_scope_record(self.index, REPO, scope)
        assert record is not None
        fresh = Throwaway(
            self.directory / f"fresh-{len(list(self.directory.iterdir()))}", EMBEDDER.id, EMBEDDER.dimension
        )
        try:
            await reindex(
                fresh, self.mirror, self.workers, EMBEDDER, repo=REPO, scope=scope, head=record.head,
                base=record.base or None, rules=self.rules, installation=3, full_name="o/r",
            )  # fmt: skip
            expected, held = await self.held(fresh), await self.held()
            held = {key: value for key, value in held.items() if _scope(value[0]) == scope}
            assert differences(held, expected) == []
            where = Where({"scope": (scope,)})
            assert await searched(self.index, where) == await searched(fresh, where)
        finally:
            await fresh.close()


def _scope(payload: object) -> object:
    assert isinstance(payload, dict)
    return payload["scope"]


def differences(held: Held, expected: Held) -> list[str]:
    """What tells two indexes apart, in words."""
    found = [f"extra {held[key][0]}" for key in held.keys() - expected.keys()]
    found += [f"lacking {expected[key][0]}" for key in expected.keys() - held.keys()]
    for key in held.keys() & expected.keys():
        if held[key] != expected[key]:
            found.append(
                f"{held[key][0]} is not {expected[key][0]}" if held[key][0] != expected[key][0] else f"vector of {key}"
            )
    return found


async def searched(index: Index, where: Where) -> dict[str, dict[str, float]]:
    """For each of some words the sparse weight of each chunk, relative to the largest: the vectors cannot be read back, and
    IDF, which is over all scopes, falls out."""
    chunks = replace(where, match={**where.match, "type": ("chunk",)})
    found: dict[str, dict[str, float]] = {}
    for word in WORDS:
        _, hits = await index.nearest(REPO, chunks, None, sparse_query({word: 1.0}), 500)
        found[word] = {hit.id: round(hit.score / hits[0].score, 3) for hit in hits}
    return found


@asynccontextmanager
async def world(directory: Path, workers: Workers | None = None, rules: Rules | None = None) -> AsyncIterator[World]:
    """An empty repository with an empty index; `workers` may be shared between worlds, since children take a moment."""
    origin = GitRepository.create(directory / "origin.git")
    mirror = Mirrors(directory / "mirrors").mirror(REPO, Remote(origin.url))
    index = EdgeIndex(directory / "index", EMBEDDER.id, EMBEDDER.dimension)
    pool = workers or index_workers(1)
    try:
        yield World(origin, mirror, index, pool, directory, rules or Rules())
    finally:
        await index.close()
        if workers is None:
            await pool.close()


def module(*names: str, body: str = "return 1") -> str:
    """A Python file with one function a name, long enough that none is merged with its neighbour."""
    filler = "\n".join(f"    value_{number} = load('{number}' * {number})" for number in range(12))
    return "\n\n".join(f'def {name}():\n    """Function {name}."""\n{filler}\n    {body}\n' for name in names)


def paths(held: Held) -> set[str]:
    """Paths that have chunks."""
    return {
        str(payload["path"]) for payload, _ in held.values() if isinstance(payload, dict) and payload["type"] == "chunk"
    }
