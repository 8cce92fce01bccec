"""Finds dense vectors that the index already has, by path, blob and digest, and computes the others. Writes nothing."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from app.clients.embed import Embedder
from app.clients.index import Index
from app.core.errors import ConfigError, Transient
from app.core.records import CHUNK
from app.core.types import Point, Where

log = logging.getLogger(__name__)

TEXTS_A_CALL = 256
"""Texts embedded, and digests looked up, in one call."""

MOST_POINTS = 20_000
"""Points read at once, 20 MB of vectors: a licence header may stand in every file. What is not read is computed."""

NOW_SECONDS = 10.0
"""How long a search waits for the vector of its question. A service that is up takes well below one."""

Vectors = dict[str, NDArray[np.float32] | None]
"""Digest → vector; None for a text without direction, which is stored without one."""


async def vectors_of_paths(index: Index, repo: int, scopes: Sequence[str], paths: Sequence[str]) -> dict[str, Vectors]:
    """The vectors of the chunks of some files. In a file's own scope and the branch they serve an edit, or a pull request's
    version of it."""
    where = Where({"type": (CHUNK,), "scope": tuple(dict.fromkeys(scopes)), "path": tuple(paths)})
    return await _grouped(index, repo, where, "path")


async def vectors_of_blobs(index: Index, repo: int, blobs: Sequence[str]) -> dict[str, Vectors]:
    """The vectors of the chunks of some blobs, in whatever scope: a rename, a copy, a merged pull request."""
    return await _grouped(index, repo, Where({"type": (CHUNK,), "blob": tuple(blobs)}), "blob")


async def find_vectors(index: Index, repo: int, digests: Sequence[str]) -> Vectors:
    """The vectors of those digests that any chunk of the repository has (a file renamed and edited, moved code)."""
    found: Vectors = {}
    for start in range(0, len(digests), TEXTS_A_CALL):
        some = tuple(digests[start : start + TEXTS_A_CALL])
        for point in await _read(index, repo, Where({"type": (CHUNK,), "digest": some})):
            found[str(point.payload["digest"])] = point.dense
    return found


async def compute_vectors(embedder: Embedder, texts: Mapping[str, str]) -> Vectors:
    """The vectors of dense texts, by digest."""
    computed: Vectors = {}
    digests = list(texts)
    for start in range(0, len(digests), TEXTS_A_CALL):
        some = digests[start : start + TEXTS_A_CALL]
        rows = await vectors_of(embedder, [texts[digest] for digest in some])
        computed |= dict(zip(some, rows, strict=True))
    return computed


async def vectors_of(embedder: Embedder, texts: Sequence[str]) -> NDArray[np.float32]:
    """A row a text. Off the event loop: an embedder may take long, or wait for a server."""
    return await asyncio.to_thread(embedder.embed, texts)


async def vectors_now(embedder: Embedder, texts: Sequence[str]) -> NDArray[np.float32] | None:
    """The same for somebody who waits: None, and a line in the log, where the embedder fails or takes NOW_SECONDS.

    Words, names and paths are searched without it; an answer out of those beats none.
    """
    try:
        return await asyncio.wait_for(vectors_of(embedder, texts), NOW_SECONDS)
    except (Transient, ConfigError, TimeoutError) as error:
        log.warning("no vectors for a search", extra={"error": str(error) or type(error).__name__})
        return None


async def _grouped(index: Index, repo: int, where: Where, field: str) -> dict[str, Vectors]:
    found: dict[str, Vectors] = {}
    for point in await _read(index, repo, where):
        found.setdefault(str(point.payload[field]), {})[str(point.payload["digest"])] = point.dense
    return found


async def _read(index: Index, repo: int, where: Where) -> list[Point]:
    return await index.read(repo, where, fields=("path", "blob", "digest"), vectors=True, limit=MOST_POINTS)
