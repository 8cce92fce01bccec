"""The embedded store: one qdrant-edge shard a repository, in this process. The only file that knows qdrant-edge.

A shard belongs to one process at a time, and every call holds the interpreter for its whole length: writes go in small
batches with a pause between them, and no graph index is ever built (exact search answers 100,000 chunks in milliseconds).
"""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import re
import shutil
import tempfile
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

import numpy as np
import qdrant_edge as edge
from numpy.typing import NDArray

from app.clients.index import points as rules
from app.core.errors import CodeRagError, ConfigError, Transient
from app.core.types import BRANCH, Hit, Point, Sparse, Where

log = logging.getLogger(__name__)

OPEN_SHARDS = 64
"""Shards kept open. Each costs a thread, a few files and about 2 MB; opening one again takes tens of milliseconds."""
NO_GRAPH = 100_000_000
"""kB of vectors before HNSW is built, in other words never: building it for 20,000 points froze the process for 20 s."""
REST = "rest"
"""Payload key of everything that is never filtered, as one JSON string. The binding takes about 10 µs for each string it
converts and 40 µs for each list: a chunk record with five calls took 230 µs as values, 80 µs like this."""
NATIVE = frozenset(rules.KEYWORD_FIELDS)
LEFTOVER_AGE = 3_600
"""Seconds after which a shard under construction was left by a killed process."""
BUILDING = ".building-"
NOT_CORRUPT = {errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EACCES, errno.EPERM}
NOT_CORRUPT |= {errno.EROFS, errno.EIO, errno.EINTR}
"""Reasons for a failed opening that say nothing about the data: never a reason to throw it away."""

T = TypeVar("T")


class EdgeIndex:
    """`Index` over shards in `directory`/<collection name>/<repository id>.

    No method keeps a shard across an await, so that closing the one used longest ago never closes one in use.
    """

    def __init__(self, directory: Path, embedder_id: str, dimension: int) -> None:
        self._name = rules.collection_name(embedder_id)
        self._directory = directory / self._name
        self._dimension = dimension
        self._open: OrderedDict[int, edge.EdgeShard] = OrderedDict()

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
            operation = edge.UpdateOperation.upsert_points([_edge_point(point) for point in batch])
            _call(self._shard_or_new(repo).update, operation)
            await asyncio.sleep(0)

    async def delete_ids(self, repo: int, ids: Sequence[str]) -> None:
        """See `Index`."""
        rules.check_repo(repo)
        for batch in rules.batches(ids):
            if (shard := self._shard(repo)) is None:
                return
            _call(shard.update, edge.UpdateOperation.delete_points(list(batch)))
            await asyncio.sleep(0)
        self._drop_if_empty(repo)

    async def delete(self, repo: int, where: Where) -> None:
        """See `Index`."""
        if (shard := self._searchable(repo, where)) is not None:
            _call(shard.update, edge.UpdateOperation.delete_points_by_filter(_filter(where)))
            self._drop_if_empty(repo)

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
            if (shard := self._searchable(repo, where)) is None:
                break
            page = rules.PAGE if limit is None else min(rules.PAGE, limit - len(found))
            request = edge.ScrollRequest(
                limit=page,
                offset=offset,
                filter=_filter(where),
                with_payload=_stored_fields(fields),
                with_vector=[rules.DENSE] if vectors else False,
            )
            records, offset = _call(shard.scroll, request)
            found += [_point(record, fields) for record in records]
            if offset is None:
                break
            await asyncio.sleep(0)
        return found

    async def get(self, repo: int, ids: Sequence[str], *, vectors: bool = False) -> list[Point]:
        """See `Index`."""
        rules.check_repo(repo)
        found: dict[str, Point] = {}
        for batch in rules.batches(ids, rules.PAGE):
            if (shard := self._shard(repo)) is None:
                break
            records = _call(shard.retrieve, list(batch), True, [rules.DENSE] if vectors else False)
            found |= {point.id: point for point in (_point(record, None) for record in records)}
            await asyncio.sleep(0)
        return rules.in_order(found, ids)

    async def nearest(
        self, repo: int, where: Where, dense: NDArray[np.float32] | None, sparse: Sparse | None, limit: int
    ) -> tuple[list[Hit], list[Hit]]:
        """See `Index`."""
        queries = self._queries(dense, sparse)
        shard = self._searchable(repo, where)
        if shard is None or not queries or limit < 1:
            return [], []
        asked = limit + rules.TIE_MARGIN
        while True:
            requests = [_query(where, using, query, asked) for using, query in queries.items()]
            lists = _call(shard.query_batch, edge.QueryBatchRequest(requests))
            if not any(rules.cut_is_arbitrary([hit.score for hit in hits], limit, asked) for hits in lists):
                break
            asked = min(4 * asked, rules.MOST_CANDIDATES)
        found = {name: rules.best(map(_hit, hits), limit) for name, hits in zip(queries, lists, strict=True)}
        return found.get(rules.DENSE, []), found.get(rules.SPARSE, [])

    async def count(self, repo: int, where: Where) -> int:
        """See `Index`."""
        shard = self._searchable(repo, where)
        return 0 if shard is None else int(_call(shard.count, edge.CountRequest(exact=True, filter=_filter(where))))

    async def flush(self, repo: int) -> None:
        """See `Index`: a killed process loses nothing acknowledged, a power cut what came after the last flush."""
        rules.check_repo(repo)
        if (shard := self._shard(repo)) is not None:
            _call(shard.flush)

    async def forget(self, repo: int) -> None:
        """See `Index`."""
        rules.check_repo(repo)
        if self._shard(repo) is not None:  # opened first: never removed under another process that uses it
            self._remove(repo)

    async def repositories(self) -> list[int]:
        """See `Index`: a shard without points is removed with its last point."""
        if not self._directory.is_dir():
            return []
        return sorted(int(each.name) for each in self._directory.iterdir() if re.fullmatch(r"\d+", each.name))

    async def close(self) -> None:
        """See `Index`."""
        while self._open:
            self._close_oldest()

    # --- the shards' life -------------------------------------------------------------------------------------------

    def _searchable(self, repo: int, where: Where) -> edge.EdgeShard | None:
        """The repository's shard, or None where nothing can match. ValueError for a filter no store may see."""
        rules.check_repo(repo)
        rules.check_where(where)
        return None if rules.matches_nothing(where) else self._shard(repo)

    def _queries(self, dense: NDArray[np.float32] | None, sparse: Sparse | None) -> dict[str, edge.Query]:
        queries: dict[str, edge.Query] = {}
        if dense is not None and rules.has_direction(dense):
            rules.check_dense(dense, self._dimension)
            queries[rules.DENSE] = edge.Query.Nearest(dense.tolist(), using=rules.DENSE)
        if sparse is not None and sparse.indices:
            rules.check_sparse(sparse)
            queries[rules.SPARSE] = edge.Query.Nearest(_edge_sparse(sparse), using=rules.SPARSE)
        return queries

    def _shard(self, repo: int) -> edge.EdgeShard | None:
        """The open shard of the repository; opened where it is not. None where there is none (any more)."""
        shard = self._open.get(repo)
        if shard is not None:
            self._open.move_to_end(repo)
            return shard
        path = self._directory / str(repo)
        shard = _load(path) if path.exists() else None
        if shard is not None:
            while len(self._open) >= OPEN_SHARDS:
                self._close_oldest()
            self._open[repo] = shard
        return shard

    def _shard_or_new(self, repo: int) -> edge.EdgeShard:
        if (shard := self._shard(repo)) is not None:
            return shard
        _build(self._directory / str(repo), self._dimension)
        if (shard := self._shard(repo)) is not None:
            return shard
        raise Transient(f"the index in {self._directory} is being changed by something else")

    def _close_oldest(self) -> None:
        _, shard = self._open.popitem(last=False)
        _call(shard.flush)
        _call(shard.close)

    def _drop_if_empty(self, repo: int) -> None:
        shard = self._shard(repo)
        if shard is not None and _call(shard.count, edge.CountRequest(exact=True)) == 0:
            self._remove(repo)

    def _remove(self, repo: int) -> None:
        _call(self._open.pop(repo).close)
        _discard(self._directory / str(repo))


def _load(path: Path) -> edge.EdgeShard | None:
    """The shard at `path`, or None (and the folder gone) where it is broken: the index can be made again from git."""
    try:
        return edge.EdgeShard.load(str(path))
    except Exception as error:  # qdrant-edge raises nothing narrower
        message = str(error)
    if "WouldBlock" in message:
        raise ConfigError(
            f"the index in {path} is in use by another process: stop that one, or set QDRANT_URL, since only a Qdrant "
            "server can be shared between processes"
        )
    number = re.search(r"os error (\d+)", message)
    if number and int(number.group(1)) in NOT_CORRUPT:
        raise Transient(f"the index in {path} could not be opened: {message}")
    log.warning("index shard is broken and is built again", extra={"path": str(path), "reason": message})
    _discard(path)
    return None


def _build(path: Path, dimension: int) -> None:
    """An empty shard with its payload indexes, made aside and renamed: a process killed here leaves no half a shard."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for leftover in path.parent.glob(f"{BUILDING}*"):
        if time.time() - leftover.stat().st_mtime > LEFTOVER_AGE:
            shutil.rmtree(leftover, ignore_errors=True)
    aside = Path(tempfile.mkdtemp(prefix=BUILDING, dir=path.parent))
    shard = _call(edge.EdgeShard.create, str(aside), _config(dimension))
    for field in rules.KEYWORD_FIELDS:
        _call(shard.update, edge.UpdateOperation.create_field_index(field, edge.PayloadSchemaType.Keyword))
    _call(shard.flush)
    _call(shard.close)
    try:
        aside.rename(path)
    except OSError:  # another process was first; opening that one's shard will say so
        shutil.rmtree(aside, ignore_errors=True)


def _discard(path: Path) -> None:
    """Removes a shard. Renamed first, so that a process killed on the way leaves no half a shard under its name."""
    aside = path.with_name(f"{BUILDING}{path.name}-{time.time_ns()}")
    path.rename(aside)
    shutil.rmtree(aside, ignore_errors=True)


def _config(dimension: int) -> edge.EdgeConfig:
    """Float16 halves the vectors on disk; cosines move by less than 0.001."""
    half = edge.VectorStorageDatatype.Float16
    return edge.EdgeConfig(
        vectors={rules.DENSE: edge.EdgeVectorParams(size=dimension, distance=edge.Distance.Cosine, datatype=half)},
        sparse_vectors={rules.SPARSE: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)},
        optimizers=edge.EdgeOptimizersConfig(indexing_threshold=NO_GRAPH),
    )


def _call(function: Callable[..., T], *arguments: object) -> T:
    """Runs one call of qdrant-edge; its bare Exception becomes ours, passing where the disk or memory is the reason."""
    try:
        return function(*arguments)
    except (TypeError, ValueError):
        raise  # our own mistake in the arguments
    except Exception as error:
        number = re.search(r"os error (\d+)", str(error))
        if number and int(number.group(1)) in NOT_CORRUPT:
            raise Transient(f"embedded index: {error}") from error
        raise CodeRagError(f"embedded index: {error}") from error


# --- translation ------------------------------------------------------------------------------------------------------


def _any_of(field: str, values: Sequence[str]) -> edge.FieldCondition:
    return edge.FieldCondition(field, match=edge.MatchAny([rules.valid_text(value) for value in values]))


def _filter(where: Where) -> edge.Filter:
    must = [_any_of(field, values) for field, values in where.match.items()]
    if not where.hidden:
        return edge.Filter(must=[*must])
    return edge.Filter(
        must=[*must], must_not=[edge.Filter(must=[_any_of("scope", [BRANCH]), _any_of("path", where.hidden)])]
    )


def _query(where: Where, using: str, query: edge.Query, limit: int) -> edge.QueryRequest:
    """IDF over the repository's chunks whatever is searched: `where` may leave too few of them to tell rare from common."""
    corpus = edge.IdfParams(corpus=edge.Filter(must=[_any_of("type", ["chunk"])]))
    return edge.QueryRequest(
        query=query,
        filter=_filter(where),
        limit=limit,
        with_payload=True,
        params=edge.SearchParams(idf=corpus) if using == rules.SPARSE else None,
    )


def _edge_sparse(vector: Sparse) -> edge.SparseVector:
    return edge.SparseVector(list(vector.indices), list(vector.values))


def _edge_point(point: Point) -> edge.Point:
    vectors: dict[str, list[float] | edge.SparseVector | list[list[float]]] = {}
    if point.dense is not None and rules.has_direction(point.dense):
        vectors[rules.DENSE] = point.dense.tolist()
    if point.sparse is not None and point.sparse.indices:
        vectors[rules.SPARSE] = _edge_sparse(point.sparse)
    return edge.Point(point.id, vectors, _pack(point.payload))


def _pack(payload: Mapping[str, object]) -> dict[str, object]:
    """Filtered fields as they are, all else (and what is empty: nothing is filtered by it) as JSON in `REST`."""
    native: dict[str, object] = {}
    rest: dict[str, object] = {}
    for key, value in payload.items():
        if key in NATIVE and value and isinstance(value, str):
            native[key] = rules.valid_text(value)
        elif key in NATIVE and value and isinstance(value, (list, tuple)):
            native[key] = [rules.valid_text(item) for item in value]
        else:
            rest[key] = value
    native[REST] = rules.to_json(rest)
    return native


def _unpack(payload: Mapping[str, Any], fields: Sequence[str] | None) -> dict[str, object]:
    whole = dict(payload)
    if (rest := whole.pop(REST, None)) is not None:
        whole |= json.loads(rest)
    return whole if fields is None else {key: whole[key] for key in fields if key in whole}


def _stored_fields(fields: Sequence[str] | None) -> bool | list[str]:
    """Which stored keys hold `fields`. An empty native field sits in `REST`, so that one is always read too."""
    return True if fields is None else [*(field for field in fields if field in NATIVE), REST] if fields else False


def _point(record: edge.Record, fields: Sequence[str] | None) -> Point:
    vectors = record.vector if isinstance(record.vector, dict) else {}
    dense = np.array(vectors[rules.DENSE], dtype=np.float32) if rules.DENSE in vectors else None
    return Point(str(record.id), _unpack(record.payload or {}, fields), dense)


def _hit(hit: edge.ScoredPoint) -> Hit:
    return Hit(str(hit.id), _unpack(hit.payload or {}, None), hit.score)
