"""What both stores agree on: names, filtered fields, and which points they refuse. Talks to no store."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TypeVar
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from app.core.types import Hit, Point, Sparse, Where

SCHEMA_VERSION = 1
"""Goes up when stored records change their form: the new version indexes afresh beside the old collection."""
DENSE = "dense"
SPARSE = "sparse"
CHUNK = "chunk"
"""The only `type` of record with vectors."""
TEXT_FIELDS = ("type", "scope", "path", "blob", "digest", "kind")
LIST_FIELDS = ("names", "call_names")
KEYWORD_FIELDS = TEXT_FIELDS + LIST_FIELDS
"""Every field a `Where` may name. Each has a payload index: a strict server refuses filters on others (case H23)."""
BATCH = 256
"""Points a call: an embedded upsert of 256 holds the interpreter for 10 to 15 ms, one of 4,000 for 173 ms."""
PAGE = 2_000
"""Records read at a time. A filtered page of an embedded shard walks all of it: pages of 1,000 took twice as long in all."""
TIE_MARGIN = 16
"""Candidates asked for beyond the limit, so that the cut among equal scores goes by id and not by the store's whim."""
MOST_CANDIDATES = 1_000
"""Where more than this tie (thousands of equal licence headers), the cut is the store's after all."""

T = TypeVar("T")


def collection_name(embedder_id: str) -> str:
    """`coderag-1-code-1-22faa252-256`: vectors of two models or record forms never share a collection or a directory."""
    return f"coderag-{SCHEMA_VERSION}-{re.sub(r'[^A-Za-z0-9.-]+', '_', embedder_id)}"


def check_repo(repo: int) -> None:
    """ValueError unless `repo` can be a repository id: it becomes a folder's name and a 64-bit payload value."""
    if not isinstance(repo, int) or isinstance(repo, bool) or not 0 <= repo < 1 << 63:
        raise ValueError(f"{repo!r} is no repository id")


def check_point(repo: int, point: Point, dimension: int) -> None:
    """ValueError for what a store must never see; the embedded one takes NaN and repeated sparse ids without a word."""
    if point.payload.get("repo") != repo:
        raise ValueError(f"point {point.id} belongs to repository {point.payload.get('repo')!r}, not {repo}")
    if str(UUID(point.id)) != point.id:
        raise ValueError(f"point id {point.id!r} is not a lower-case UUID")
    check_fields(point.payload)
    if point.payload.get("type") != CHUNK and not (point.dense is None and point.sparse is None):
        raise ValueError(f"point {point.id} has vectors and is no {CHUNK}")
    if point.dense is not None:
        check_dense(point.dense, dimension)
    if point.sparse is not None:
        check_sparse(point.sparse)


def check_fields(payload: Mapping[str, object]) -> None:
    """ValueError for a filtered field of the wrong type: no filter would ever find it, and no store would say so."""
    for field in TEXT_FIELDS:
        if not isinstance(payload.get(field, ""), str):
            raise ValueError(f"{field} is {payload[field]!r}, not text")
    for field in LIST_FIELDS:
        value = payload.get(field, ())
        if not isinstance(value, (list, tuple)) or not all(isinstance(item, str) for item in value):
            raise ValueError(f"{field} is {value!r}, not a list of texts")


def check_dense(vector: NDArray[np.float32], dimension: int) -> None:
    """ValueError unless finite and of shape (dimension,)."""
    if vector.shape != (dimension,):
        raise ValueError(f"a dense vector of shape {vector.shape}; the collection holds ({dimension},)")
    if not np.isfinite(vector).all():
        raise ValueError("a dense vector that is not finite")


def check_sparse(vector: Sparse) -> None:
    """ValueError unless ids are 32-bit, ascending, each once, and every weight is finite."""
    indices = vector.indices
    if len(indices) != len(vector.values):
        raise ValueError("a sparse vector with unequal numbers of ids and weights")
    if indices and (indices[0] < 0 or indices[-1] >= 1 << 32):
        raise ValueError("a sparse id outside 32 bits")
    if any(a >= b for a, b in pairwise(indices)):
        raise ValueError("sparse ids must ascend, each once")
    if not all(map(math.isfinite, vector.values)):
        raise ValueError("a sparse weight that is not finite")


def check_where(where: Where) -> None:
    """ValueError for a field without a payload index."""
    if unknown := where.match.keys() - set(KEYWORD_FIELDS):
        raise ValueError(f"no payload index for {', '.join(sorted(unknown))}")


def matches_nothing(where: Where) -> bool:
    """Whether a field may hold none of no values: answered here, since the stores read an empty list as they please."""
    return any(not values for values in where.match.values())


def has_direction(vector: NDArray[np.float32] | None) -> bool:
    """Whether there is a dense vector to store or search with; a text without tokens gives one that is all zero."""
    return vector is not None and bool(vector.any())


def valid_text(text: str) -> str:
    """Half a surrogate pair cannot be written as UTF-8: it becomes `?`, on writing and in filters alike."""
    return text if text.isascii() else text.encode(errors="replace").decode()


def to_json(value: object) -> str:
    """Compact JSON with only valid text; ValueError for NaN and infinity."""
    return valid_text(json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")))


def batches(items: Sequence[T], size: int = BATCH) -> Iterator[Sequence[T]]:
    """Runs of at most `size` items."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


def cut_is_arbitrary(scores: Sequence[float], limit: int, asked: int) -> bool:
    """Whether candidates beyond those fetched may tie with the last one that would be kept."""
    return len(scores) == asked < MOST_CANDIDATES and scores[-1] == scores[limit - 1]


def best(hits: Iterable[Hit]) -> list[Hit]:
    """Best first, equal scores by id."""
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))


def in_order(found: Mapping[str, Point], ids: Sequence[str]) -> list[Point]:
    """The points that exist, in the order asked for, each once."""
    return [found[each] for each in dict.fromkeys(ids) if each in found]
