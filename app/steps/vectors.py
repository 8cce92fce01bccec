"""Finds dense vectors that the index already has, by path, blob and digest, and computes the others. Writes nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from app.clients.embed import Embedder
from app.clients.index import Index
from app.core.records import CHUNK
from app.core.types import BRANCH, Point, Where

TEXTS_A_CALL = 256
"""Texts embedded, and digests looked up, in one call."""

Vectors = dict[str, NDArray[np.float32] | None]
"""Digest → vector; None for a text without direction, which is stored without one."""


async def known_vectors(index: Index, repo: int, scope: str, blobs: Mapping[str, str]) -> dict[str, Vectors]:
    """For each of some files (path → blob) the vectors of chunks that share its path or its blob.

    By path in its own scope and the branch (an edit, or a pull request's version of a file); by blob in every scope
    (a rename, a copy, a merged pull request).
    """
    here = {"scope": tuple(dict.fromkeys((scope, BRANCH))), "path": tuple(blobs)}
    by_path = await _read(index, repo, Where({"type": (CHUNK,), **here}))
    by_blob = await _read(index, repo, Where({"type": (CHUNK,), "blob": tuple(dict.fromkeys(blobs.values()))}))
    known: dict[str, Vectors] = {path: {} for path in blobs}
    for point in by_path:
        known[str(point.payload["path"])][str(point.payload["digest"])] = point.dense
    of_blob: dict[str, Vectors] = {}
    for point in by_blob:
        of_blob.setdefault(str(point.payload["blob"]), {})[str(point.payload["digest"])] = point.dense
    for path, blob in blobs.items():
        known[path] |= of_blob.get(blob, {})
    return known


async def find_vectors(index: Index, repo: int, digests: Sequence[str]) -> Vectors:
    """The vectors of those digests that any chunk of the repository has (a file renamed and edited, moved code)."""
    found: Vectors = {}
    for start in range(0, len(digests), TEXTS_A_CALL):
        some = tuple(digests[start : start + TEXTS_A_CALL])
        for point in await _read(index, repo, Where({"type": (CHUNK,), "digest": some})):
            found[str(point.payload["digest"])] = point.dense
    return found


async def compute_vectors(embedder: Embedder, texts: Mapping[str, str]) -> Vectors:
    """The vectors of dense texts, by digest. Off the event loop: an embedder may take long, or wait for a server."""
    computed: Vectors = {}
    digests = list(texts)
    for start in range(0, len(digests), TEXTS_A_CALL):
        some = digests[start : start + TEXTS_A_CALL]
        rows = await asyncio.to_thread(embedder.embed, [texts[digest] for digest in some])
        computed |= dict(zip(some, rows, strict=True))
    return computed


async def _read(index: Index, repo: int, where: Where) -> list[Point]:
    return await index.read(repo, where, fields=("path", "blob", "digest"), vectors=True)
