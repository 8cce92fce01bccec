"""The embedded store: one qdrant-edge shard a repository, in this process. The only package that knows qdrant-edge.

Every call holds the interpreter for its whole length: writes go in small batches with a pause between them, and no graph
index is ever built (exact search answers 100,000 chunks in milliseconds).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import numpy as np
import qdrant_edge as edge
from numpy.typing import NDArray

from app.clients.index import points as rules
from app.clients.index.edge.records import filter_of, hit_of, point_of, record_of, request_of, sparse_of, stored_fields
from app.clients.index.edge.shards import Shards, call
from app.core.types import BRANCH, Hit, Point, Sparse, Where


class EdgeIndex:
    """`Index` over shards in `directory`/<collection name>/<repository id>; see `Shards` for how they are kept."""

    def __init__(self, directory: Path, embedder_id: str, dimension: int) -> None:
        self._name = rules.collection_name(embedder_id)
        self._dimension = dimension
        self._shards = Shards(directory / self._name, dimension)

    @property
    def name(self) -> str:
        """See `Index`."""
        return self._name

    async def upsert(self, repo: int, points: Sequence[Point]) -> None:
        """See `Index`. All points are checked before the first is written."""
        rules.check_repo(repo)
        for point in points:
            rules.check_point(repo, point, self._dimension)
        for batch in rules.batches(points):
            shard = await self._shards.get_or_new(repo)
            call(shard.update, edge.UpdateOperation.upsert_points([record_of(point) for point in batch]))
            await asyncio.sleep(0)

    async def delete_ids(self, repo: int, ids: Sequence[str]) -> None:
        """See `Index`."""
        rules.check_repo(repo)
        for batch in rules.batches(ids):
            if (shard := await self._shards.get(repo)) is not None:
                call(shard.update, edge.UpdateOperation.delete_points(list(batch)))
                await asyncio.sleep(0)
        await self._remove_if_empty(repo)

    async def delete(self, repo: int, where: Where) -> None:
        """See `Index`."""
        if (shard := await self._searchable(repo, where)) is not None:
            call(shard.update, edge.UpdateOperation.delete_points_by_filter(filter_of(where)))
            await self._remove_if_empty(repo)

    async def read(
        self,
        repo: int,
        where: Where,
        *,
        fields: Sequence[str] | None = None,
        vectors: bool = False,
        limit: int | None = None,
    ) -> list[Point]:
        """See `Index`."""
        found: list[Point] = []
        offset: int | UUID | str | None = None
        while limit is None or len(found) < limit:
            if (shard := await self._searchable(repo, where)) is None:
                break
            request = edge.ScrollRequest(
                limit=rules.PAGE if limit is None else min(rules.PAGE, limit - len(found)),
                offset=offset,
                filter=filter_of(where),
                with_payload=stored_fields(fields),
                with_vector=[rules.DENSE] if vectors else False,
            )
            records, offset = call(shard.scroll, request)
            found += [point_of(record, fields) for record in records]
            if offset is None:
                break
            await asyncio.sleep(0)
        return found

    async def get(self, repo: int, ids: Sequence[str], *, vectors: bool = False) -> list[Point]:
        """See `Index`."""
        rules.check_repo(repo)
        found: dict[str, Point] = {}
        for batch in rules.batches(ids):
            if (shard := await self._shards.get(repo)) is not None:
                records = call(shard.retrieve, list(batch), True, [rules.DENSE] if vectors else False)
                found |= {str(record.id): point_of(record, None) for record in records}
                await asyncio.sleep(0)
        return rules.in_order(found, ids)

    async def nearest(
        self, repo: int, where: Where, dense: NDArray[np.float32] | None, sparse: Sparse | None, limit: int
    ) -> tuple[list[Hit], list[Hit]]:
        """See `Index`."""
        queries = self._queries(dense, sparse)
        shard = await self._searchable(repo, where)
        if shard is None or not queries or limit < 1:
            return [], []
        lists = _shown(shard, where, queries, limit) if where.hidden else None
        found = lists or _filtered(shard, where, queries, limit)
        return found.get(rules.DENSE, [])[:limit], found.get(rules.SPARSE, [])[:limit]

    async def count(self, repo: int, where: Where) -> int:
        """See `Index`."""
        shard = await self._searchable(repo, where)
        return 0 if shard is None else call(shard.count, edge.CountRequest(exact=True, filter=filter_of(where)))

    async def flush(self, repo: int) -> None:
        """See `Index`: a killed process loses nothing acknowledged, a power cut what came after the last flush."""
        rules.check_repo(repo)
        if (shard := await self._shards.get(repo)) is not None:
            call(shard.flush)
            await self._shards.vacuum(repo)

    async def forget(self, repo: int) -> None:
        """See `Index`."""
        rules.check_repo(repo)
        await self._shards.remove(repo)

    async def repositories(self) -> list[int]:
        """See `Index`: a shard is made for its first point and removed with its last."""
        return self._shards.repositories()

    async def close(self) -> None:
        """See `Index`."""
        await self._shards.close()

    async def _searchable(self, repo: int, where: Where) -> edge.EdgeShard | None:
        """The repository's shard, or None where nothing can match. ValueError for a filter no store may see."""
        rules.check_repo(repo)
        rules.check_where(where)
        return None if rules.matches_nothing(where) else await self._shards.get(repo)

    async def _remove_if_empty(self, repo: int) -> None:
        shard = await self._shards.get(repo)
        if shard is not None and call(shard.count, edge.CountRequest(exact=True)) == 0:
            await self._shards.remove(repo)

    def _queries(self, dense: NDArray[np.float32] | None, sparse: Sparse | None) -> dict[str, edge.Query]:
        queries: dict[str, edge.Query] = {}
        if dense is not None and rules.has_direction(dense):
            rules.check_dense(dense, self._dimension)
            queries[rules.DENSE] = edge.Query.Nearest(dense.tolist(), using=rules.DENSE)
        if sparse is not None and sparse.indices:
            rules.check_sparse(sparse)
            queries[rules.SPARSE] = edge.Query.Nearest(sparse_of(sparse), using=rules.SPARSE)
        return queries


def _filtered(
    shard: edge.EdgeShard, where: Where, queries: Mapping[str, edge.Query], limit: int
) -> dict[str, list[Hit]]:
    """The best `limit` and more of each query, the shard testing every point against the whole of `where`."""
    asked = limit + rules.TIE_MARGIN
    while True:
        lists = _search(shard, where, queries, asked)
        if not any(rules.cut_is_arbitrary([hit.score for hit in hits], limit, asked) for hits in lists.values()):
            return lists
        asked = min(4 * asked, rules.MOST_CANDIDATES)


def _shown(
    shard: edge.EdgeShard, where: Where, queries: Mapping[str, edge.Query], limit: int
) -> dict[str, list[Hit]] | None:
    """The same, hidden points dropped from twice as many; None where too few are left to be sure of the best.

    A pull request hides few of the best hits, and the shard needs 10 to 30 ms more at 100,000 chunks to test each point.
    """
    asked = 2 * limit + rules.TIE_MARGIN
    hidden = frozenset(map(rules.valid_text, where.hidden))
    shown: dict[str, list[Hit]] = {}
    for using, hits in _search(shard, replace(where, hidden=()), queries, asked).items():
        kept = [hit for hit in hits if hit.payload.get("scope") != BRANCH or hit.payload.get("path") not in hidden]
        if len(hits) == asked and (len(kept) < limit or kept[limit - 1].score == hits[-1].score):
            return None
        shown[using] = kept
    return shown


def _search(shard: edge.EdgeShard, where: Where, queries: Mapping[str, edge.Query], limit: int) -> dict[str, list[Hit]]:
    """All queries as one batch, which the shard answers in one pass; each list best first, equal scores by id."""
    requests = [request_of(where, using, query, limit) for using, query in queries.items()]
    lists = call(shard.query_batch, edge.QueryBatchRequest(requests))
    return {using: rules.best(map(hit_of, hits)) for using, hits in zip(queries, lists, strict=True)}
