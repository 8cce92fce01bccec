"""A process that indexes one commit and says each write before it makes it, so that a test can kill it anywhere."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from app.clients.git import Mirrors, Remote
from app.clients.index.edge import EdgeIndex
from app.core.types import BRANCH, Point, Where
from app.steps.ingest import index_workers
from app.steps.reindex import reindex
from tests.indexing import EMBEDDER, REPO


class Spoken(EdgeIndex):
    """An index that prints a line before each write."""

    async def upsert(self, repo: int, points: Sequence[Point]) -> None:
        for point in points:  # one at a time: more moments to be killed at
            print("upsert", flush=True)
            await super().upsert(repo, [point])

    async def delete(self, repo: int, where: Where) -> None:
        print("delete", flush=True)
        await super().delete(repo, where)

    async def delete_ids(self, repo: int, ids: Sequence[str]) -> None:
        print("delete", flush=True)
        await super().delete_ids(repo, ids)

    async def flush(self, repo: int) -> None:
        print("flush", flush=True)
        await super().flush(repo)


async def main(directory: Path, head: str) -> None:
    mirror = Mirrors(directory / "mirrors").mirror(REPO, Remote(f"file://{directory}/origin.git"))
    await mirror.fetch(["refs/heads/main"])
    index = Spoken(directory / "index", EMBEDDER.id, EMBEDDER.dimension)
    workers = index_workers(1)
    await reindex(index, mirror, workers, EMBEDDER, repo=REPO, scope=BRANCH, head=head, installation=3, full_name="o/r")
    print("done", flush=True)
    await workers.close()
    await index.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
