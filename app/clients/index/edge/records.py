"""Our points, filters and queries in qdrant-edge's words and back. Pure translation: no shard is touched here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import qdrant_edge as edge

from app.clients.index import points as rules
from app.core.types import BRANCH, Hit, Point, Sparse, Where

REST = "rest"
"""Payload key of everything that is never filtered, as one JSON string. The binding takes about 10 µs for each string it
converts and 40 µs for each list: a chunk record with five calls took 230 µs as values, 80 µs like this."""
TEXT = frozenset(rules.TEXT_FIELDS)
LISTS = frozenset(rules.LIST_FIELDS)


def _any_of(field: str, values: Sequence[str]) -> edge.FieldCondition:
    texts = [rules.valid_text(value) for value in values]
    match = edge.MatchValue(texts[0]) if len(texts) == 1 else edge.MatchAny(texts)  # one value is tested faster alone
    return edge.FieldCondition(field, match=match)


def filter_of(where: Where) -> edge.Filter:
    """`where` without the repository: a shard holds only one.

    `hidden` is "not (branch and hidden)" told as "not hidden, or not branch": the nested form tests every point twice,
    and took 36 ms against 20 to 30 at 100,000 chunks.
    """
    must = [_any_of(field, values) for field, values in where.match.items()]
    if not where.hidden:
        return edge.Filter(must=[*must])
    shown = [edge.Filter(must_not=[_any_of("path", where.hidden)]), edge.Filter(must_not=[_any_of("scope", [BRANCH])])]
    return edge.Filter(must=[*must], should=[*shown])


def request_of(where: Where, using: str, query: edge.Query, limit: int) -> edge.QueryRequest:
    """IDF over the repository's chunks whatever is searched: `where` may leave too few of them to tell rare from common.

    Only chunks have vectors (`check_point`), so asking for chunks asks nothing; left out, it saves testing every point.
    """
    corpus = edge.IdfParams(corpus=edge.Filter(must=[_any_of("type", [rules.CHUNK])]))
    if rules.CHUNK in where.match.get("type", ()):
        where = replace(where, match={field: values for field, values in where.match.items() if field != "type"})
    return edge.QueryRequest(
        query=query,
        filter=filter_of(where),
        limit=limit,
        with_payload=True,
        params=edge.SearchParams(idf=corpus) if using == rules.SPARSE else None,
    )


def sparse_of(vector: Sparse) -> edge.SparseVector:
    """A sparse vector as the binding takes it."""
    return edge.SparseVector(list(vector.indices), list(vector.values))


def record_of(point: Point) -> edge.Point:
    """A point to be written; vectors that say nothing are left out."""
    vectors: dict[str, list[float] | edge.SparseVector | list[list[float]]] = {}
    if point.dense is not None and rules.has_direction(point.dense):
        vectors[rules.DENSE] = point.dense.tolist()
    if point.sparse is not None and point.sparse.indices:
        vectors[rules.SPARSE] = sparse_of(point.sparse)
    return edge.Point(point.id, vectors, _pack(point.payload))


def _pack(payload: Mapping[str, object]) -> dict[str, object]:
    """Filtered fields as they are, all else as JSON in `REST`; so are empty lists, which nothing is filtered by."""
    native: dict[str, object] = {}
    rest: dict[str, object] = {}
    for key, value in payload.items():
        if key in TEXT and isinstance(value, str):
            native[key] = rules.valid_text(value)
        elif key in LISTS and value and isinstance(value, (list, tuple)):
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


def stored_fields(fields: Sequence[str] | None) -> bool | list[str]:
    """Which stored keys hold `fields`; False for none of them. `REST` is read only where it may be needed."""
    if fields is None or not fields:
        return fields is None
    native = [field for field in fields if field in TEXT or field in LISTS]
    return native if TEXT.issuperset(fields) else [*native, REST]


def point_of(record: edge.Record, fields: Sequence[str] | None) -> Point:
    """A stored record, its payload cut to `fields`."""
    vectors = record.vector if isinstance(record.vector, dict) else {}
    dense = np.array(vectors[rules.DENSE], dtype=np.float32) if rules.DENSE in vectors else None
    return Point(str(record.id), _unpack(record.payload or {}, fields), dense)


def hit_of(hit: edge.ScoredPoint) -> Hit:
    """A search result with its whole payload."""
    return Hit(str(hit.id), _unpack(hit.payload or {}, None), hit.score)
