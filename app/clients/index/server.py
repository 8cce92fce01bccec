"""The store on a Qdrant server, shared by any number of processes. The only file that knows qdrant-client.

One collection holds all repositories; each is a tenant, and every request filters by its id. On qdrant-client's local
mode the same code is the slow, exact reference that the tests hold the other stores against.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from qdrant_client import AsyncQdrantClient, models
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from app.clients.index import points as rules
from app.core.errors import ConfigError, Transient
from app.core.types import BRANCH, Hit, Point, Sparse, Where

OLDEST_SERVER = (1, 19)
"""The first release that counts IDF over a filter; before it, other repositories decide which words are rare."""
TIMEOUT = 30
"""Seconds a request. A batch of 256 points is some 2 MB and is waited for until it is applied."""
TENANT = "tenant"
"""Payload key that the store adds: the repository id as text, because only keyword and UUID indexes can be `is_tenant`."""
MOST_REPOSITORIES = 1_000_000
"""Facet hits asked for; an App on more repositories than this has outgrown one collection."""
PASSING_STATUS = frozenset({408, 425, 429})

T = TypeVar("T")


def connect(url: str, api_key: str | None) -> AsyncQdrantClient:
    """A client of the server at `url`, speaking REST; nothing is sent before the first call. ConfigError for a bad URL.

    Without a port in the URL it is 6333, for https too.
    """
    try:
        return AsyncQdrantClient(url=url, api_key=api_key or None, timeout=TIMEOUT, check_compatibility=False)
    except ValueError as error:
        raise ConfigError(f"QDRANT_URL cannot be used: {error}") from error


class ServerIndex:
    """`Index` in one collection; made with its payload indexes on the first call, by whichever process comes first."""

    def __init__(self, client: AsyncQdrantClient, embedder_id: str, dimension: int) -> None:
        self._client = client
        self._name = rules.collection_name(embedder_id)
        self._dimension = dimension
        self._is_ready = False
        self._preparing = asyncio.Lock()

    @property
    def name(self) -> str:
        """See `Index`."""
        return self._name

    async def upsert(self, repo: int, points: Sequence[Point]) -> None:
        """See `Index`. All points are checked before the first is written."""
        rules.check_repo(repo)
        for point in points:
            rules.check_point(repo, point, self._dimension)
        await self._ready()
        for batch in rules.batches(points):
            await _sent(self._client.upsert(self._name, [_struct(point) for point in batch], wait=True))

    async def delete_ids(self, repo: int, ids: Sequence[str]) -> None:
        """See `Index`."""
        rules.check_repo(repo)
        await self._ready()
        for batch in rules.batches(ids):
            await self._delete(_filter(repo, Where(), batch))

    async def delete(self, repo: int, where: Where) -> None:
        """See `Index`."""
        if await self._may_match(repo, where):
            await self._delete(_filter(repo, where))

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
        if not await self._may_match(repo, where):
            return []
        return await self._scroll(_filter(repo, where), fields, vectors, limit)

    async def get(self, repo: int, ids: Sequence[str], *, vectors: bool = False) -> list[Point]:
        """See `Index`."""
        rules.check_repo(repo)
        await self._ready()
        found: dict[str, Point] = {}
        for batch in rules.batches(ids, rules.PAGE):
            points = await self._scroll(_filter(repo, Where(), batch), None, vectors, None)
            found |= {point.id: point for point in points}
        return rules.in_order(found, ids)

    async def nearest(
        self, repo: int, where: Where, dense: NDArray[np.float32] | None, sparse: Sparse | None, limit: int
    ) -> tuple[list[Hit], list[Hit]]:
        """See `Index`."""
        queries = self._queries(dense, sparse)
        if not await self._may_match(repo, where) or not queries or limit < 1:
            return [], []
        asked = limit + rules.TIE_MARGIN
        while True:
            requests = [_query(repo, where, using, query, asked) for using, query in queries.items()]
            answers = await _sent(self._client.query_batch_points(self._name, requests))
            lists = [answer.points for answer in answers]
            if not any(rules.cut_is_arbitrary([hit.score for hit in hits], limit, asked) for hits in lists):
                break
            asked = min(4 * asked, rules.MOST_CANDIDATES)
        found = {using: rules.best(map(_hit, hits))[:limit] for using, hits in zip(queries, lists, strict=True)}
        return found.get(rules.DENSE, []), found.get(rules.SPARSE, [])

    async def count(self, repo: int, where: Where) -> int:
        """See `Index`."""
        if not await self._may_match(repo, where):
            return 0
        return (await _sent(self._client.count(self._name, _filter(repo, where), exact=True))).count

    async def flush(self, repo: int) -> None:
        """See `Index`: every write was waited for, so there is nothing left to do."""
        rules.check_repo(repo)

    async def forget(self, repo: int) -> None:
        """See `Index`."""
        rules.check_repo(repo)
        await self._ready()
        await self._delete(_filter(repo, Where()))

    async def repositories(self) -> list[int]:
        """See `Index`."""
        await self._ready()
        answer = await _sent(self._client.facet(self._name, TENANT, limit=MOST_REPOSITORIES, exact=True))
        return sorted(int(hit.value) for hit in answer.hits if hit.count)

    async def close(self) -> None:
        """See `Index`."""
        await self._client.close()

    # --- the collection ---------------------------------------------------------------------------------------------

    async def _ready(self) -> None:
        """Makes sure, once, that the server is new enough and the collection complete."""
        async with self._preparing:
            if self._is_ready:
                return
            _check_version((await _sent(self._client.info())).version)
            if not await _sent(self._client.collection_exists(self._name)):
                await self._create()
            indexed = (await _sent(self._client.get_collection(self._name))).payload_schema
            for field, schema in _payload_indexes().items():
                if field not in indexed:  # also after a process that was killed between the two steps
                    await _sent(self._client.create_payload_index(self._name, field, schema, wait=True))
            self._is_ready = True

    async def _create(self) -> None:
        half = models.Datatype.FLOAT16
        try:
            await _sent(
                self._client.create_collection(
                    self._name,
                    vectors_config={
                        rules.DENSE: models.VectorParams(
                            size=self._dimension, distance=models.Distance.COSINE, datatype=half, on_disk=True
                        )
                    },
                    sparse_vectors_config={rules.SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)},
                    # No graph across tenants: each repository gets its own, and a search never leaves it.
                    hnsw_config=models.HnswConfigDiff(m=0, payload_m=16),
                    on_disk_payload=True,
                )
            )
        except UnexpectedResponse as error:
            if error.status_code != 409:  # another process was first
                raise

    async def _may_match(self, repo: int, where: Where) -> bool:
        """Whether the store need be asked at all. ValueError for a filter no store may see."""
        rules.check_repo(repo)
        rules.check_where(where)
        await self._ready()
        return not rules.matches_nothing(where)

    def _queries(self, dense: NDArray[np.float32] | None, sparse: Sparse | None) -> dict[str, Any]:
        queries: dict[str, Any] = {}
        if dense is not None and rules.has_direction(dense):
            rules.check_dense(dense, self._dimension)
            queries[rules.DENSE] = dense.tolist()
        if sparse is not None and sparse.indices:
            rules.check_sparse(sparse)
            queries[rules.SPARSE] = _sparse(sparse)
        return queries

    async def _delete(self, condition: models.Filter) -> None:
        await _sent(self._client.delete(self._name, models.FilterSelector(filter=condition), wait=True))

    async def _scroll(
        self, condition: models.Filter, fields: Sequence[str] | None, vectors: bool, limit: int | None
    ) -> list[Point]:
        found: list[Point] = []
        offset: Any = None
        while limit is None or len(found) < limit:
            page = rules.PAGE if limit is None else min(rules.PAGE, limit - len(found))
            records, offset = await _sent(
                self._client.scroll(
                    self._name,
                    condition,
                    limit=page,
                    offset=offset,
                    with_payload=True if fields is None else list(fields) or False,
                    with_vectors=[rules.DENSE] if vectors else False,
                )
            )
            found += map(_point, records)
            if offset is None:
                break
        return found


async def _sent(call: Awaitable[T]) -> T:
    """Awaits one request; what passes by itself becomes Transient, what a setting can mend ConfigError."""
    try:
        return await call
    except ResourceExhaustedResponse as error:
        raise Transient("the Qdrant server limits our requests", error.retry_after_s) from error
    except ResponseHandlingException as error:
        raise Transient(f"the Qdrant server cannot be reached: {error.source!r}") from error
    except UnexpectedResponse as error:
        status = error.status_code or 0
        if status in (401, 403):
            raise ConfigError(f"the Qdrant server refuses QDRANT_API_KEY ({status})") from error
        if status in PASSING_STATUS or status >= 500:
            raise Transient(f"the Qdrant server answered {status}") from error
        raise


def _check_version(version: str) -> None:
    numbers = re.match(r"(\d+)\.(\d+)", version)
    if numbers is None or tuple(map(int, numbers.groups())) < OLDEST_SERVER:
        oldest = ".".join(map(str, OLDEST_SERVER))
        raise ConfigError(f"the Qdrant server at QDRANT_URL is version {version}; CodeRAG needs {oldest} or newer")


def _payload_indexes() -> dict[str, models.KeywordIndexParams]:
    keyword = models.KeywordIndexType.KEYWORD
    indexes = {field: models.KeywordIndexParams(type=keyword) for field in rules.KEYWORD_FIELDS}
    return {TENANT: models.KeywordIndexParams(type=keyword, is_tenant=True)} | indexes


# --- translation ------------------------------------------------------------------------------------------------------


def _any_of(field: str, values: Sequence[str]) -> models.FieldCondition:
    return models.FieldCondition(key=field, match=models.MatchAny(any=[rules.valid_text(value) for value in values]))


def _filter(repo: int, where: Where, ids: Sequence[str] | None = None) -> models.Filter:
    must: list[models.Condition] = [_any_of(TENANT, [str(repo)])]
    must += [_any_of(field, values) for field, values in where.match.items()]
    if ids is not None:
        must.append(models.HasIdCondition(has_id=list(ids)))
    if not where.hidden:
        return models.Filter(must=must)
    hidden = models.Filter(must=[_any_of("scope", [BRANCH]), _any_of("path", where.hidden)])
    return models.Filter(must=must, must_not=[hidden])


def _query(repo: int, where: Where, using: str, query: Any, limit: int) -> models.QueryRequest:
    """IDF over the repository's chunks whatever is searched: `where` may leave too few of them to tell rare from common."""
    corpus = _filter(repo, Where({"type": (rules.CHUNK,)}))
    return models.QueryRequest(
        query=query,
        using=using,
        filter=_filter(repo, where),
        limit=limit,
        with_payload=True,
        params=models.SearchParams(idf=models.IdfCorpusParams(corpus=corpus)) if using == rules.SPARSE else None,
    )


def _sparse(vector: Sparse) -> models.SparseVector:
    return models.SparseVector(indices=list(vector.indices), values=list(vector.values))


def _struct(point: Point) -> models.PointStruct:
    vectors: dict[str, Any] = {}
    if point.dense is not None and rules.has_direction(point.dense):
        vectors[rules.DENSE] = point.dense.tolist()
    if point.sparse is not None and point.sparse.indices:
        vectors[rules.SPARSE] = _sparse(point.sparse)
    payload: dict[str, Any] = json.loads(rules.to_json(dict(point.payload)))
    return models.PointStruct(id=point.id, vector=vectors, payload=payload | {TENANT: str(point.payload["repo"])})


def _point(record: models.Record) -> Point:
    vectors = record.vector if isinstance(record.vector, dict) else {}
    dense = np.array(vectors[rules.DENSE], dtype=np.float32) if rules.DENSE in vectors else None
    return Point(str(record.id), _without_tenant(record.payload), dense)


def _hit(hit: models.ScoredPoint) -> Hit:
    return Hit(str(hit.id), _without_tenant(hit.payload), hit.score)


def _without_tenant(payload: dict[str, Any] | None) -> dict[str, object]:
    return {key: value for key, value in (payload or {}).items() if key != TENANT}
