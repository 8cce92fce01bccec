"""What a child process does with one blob: decode, chunk, count tokens once, both vectors. Knows no index and no git.

A child has no secrets and no network. It gives back payloads that are ready to be stored and packed arrays, so the
parent, which holds the index, does little a chunk.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from app.clients.embed import CountEmbedder, embedder
from app.clients.workers import Workers
from app.core.chunk import chunk_file
from app.core.records import (
    breadcrumb,
    chunk_payload,
    dense_text,
    file_payload,
    file_record,
    says_nothing,
    signature_shown,
)
from app.core.source import decode, is_generated
from app.core.tokens import count_tokens, document_counts, sparse_of_counts
from app.core.types import Chunk, Skip, SourceFile, Sparse

PARSE_SECONDS = 2.0
"""Of the child's own processor time, so that a busy machine indexes the same as an idle one. After it a parse is given up
and the file is cut by line windows."""
CHILD_SECONDS = 30.0
"""By the clock, for one file in all. After it the child is stuck where no deadline is looked at, and is killed; the largest
ordinary file takes one second on an idle core."""


@dataclass(frozen=True, slots=True)
class Blob:
    """One file to build. `known` are digests whose vectors the parent has; None means: compute all vectors here, with the
    embedder of this id. `failed` is set on a second try and says how a child ended: then nothing is parsed."""

    repo: int
    scope: str
    path: str
    blob: str
    data: bytes
    embedder: str
    known: frozenset[str] | None = None
    failed: str = ""


@dataclass(frozen=True, slots=True)
class Built:
    """One file, ready to be stored: its payload and its chunks', in order of position.

    Chunk i has the sparse ids and values [offsets[i]:offsets[i + 1]]. `dense` has a row a chunk, or is None: then `texts`
    holds the dense text of each digest that is not known.
    """

    file: dict[str, object]
    chunks: list[dict[str, object]]
    offsets: NDArray[np.int64]
    indices: NDArray[np.uint32]
    values: NDArray[np.float32]
    dense: NDArray[np.float32] | None
    texts: dict[str, str]


def index_workers(count: int = 0) -> Workers:
    """The pool that builds files: `count` children, by default one a core."""
    return Workers("app.steps.ingest:build_file", count or os.cpu_count() or 1, seconds=CHILD_SECONDS)


def build_file(blob: Blob) -> Built:
    """Build one file. Never raises for what a file holds: the reason is in its record."""
    source = _read(blob)
    chunks = source.chunks
    payloads = [
        chunk_payload(blob.repo, blob.scope, blob.blob, position, chunk, source.imports)
        for position, chunk in enumerate(chunks)
    ]
    counts = [_counts(chunk) for chunk in chunks]
    sparse = [sparse_of_counts(document) for document, _ in counts]
    dense, texts = None, {}
    if blob.known is None and _embedder().id == blob.embedder:
        dense = _embedder().embed_counts([count for _, count in counts])
    else:
        texts = _unknown_texts(chunks, payloads, blob.known or frozenset())
    record = file_record(blob.scope, blob.blob, len(blob.data), source)
    return Built(file_payload(blob.repo, record), payloads, *_packed(sparse), dense, texts)


def _read(blob: Blob) -> SourceFile:
    text = decode(blob.data)
    if isinstance(text, Skip):
        return SourceFile(blob.path, "", skip=text)
    if is_generated(blob.path, text):
        return SourceFile(blob.path, "", skip=Skip.GENERATED)
    if blob.failed:  # no time at all: the file is cut by line windows
        return replace(chunk_file(blob.path, text, lambda: True), note=blob.failed)
    end = time.process_time() + PARSE_SECONDS
    return chunk_file(blob.path, text, lambda: time.process_time() > end)


def _counts(chunk: Chunk) -> tuple[dict[str, int], dict[str, int]]:
    """Tokens of the sparse and of the dense text. The chunk's own text, by far the longest, is counted once for both."""
    if not dense_text(chunk):
        return {}, {}  # nothing but brackets: kept so that every line is in a chunk, never found
    body = _sum(count_tokens(chunk.text), count_tokens(signature_shown(chunk)))
    dense = {} if says_nothing(chunk) else _sum(body, count_tokens(breadcrumb(chunk)))
    return document_counts(body, chunk.path, chunk.name, chunk.qualified), dense


def _sum(one: dict[str, int], other: dict[str, int]) -> dict[str, int]:
    if not other:
        return one
    counts = dict(one)
    for token, times in other.items():
        counts[token] = counts.get(token, 0) + times
    return counts


def _unknown_texts(chunks: Sequence[Chunk], payloads: list[dict[str, object]], known: frozenset[str]) -> dict[str, str]:
    texts: dict[str, str] = {}
    for chunk, payload in zip(chunks, payloads, strict=True):
        digest = str(payload["digest"])
        if digest not in known and digest not in texts:
            texts[digest] = dense_text(chunk)
    return texts


def _packed(sparse: Sequence[Sparse]) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.float32]]:
    offsets = np.fromiter(accumulate((len(each.indices) for each in sparse), initial=0), np.int64, len(sparse) + 1)
    indices = np.fromiter((index for each in sparse for index in each.indices), np.uint32, int(offsets[-1]))
    values = np.fromiter((value for each in sparse for value in each.values), np.float32, int(offsets[-1]))
    return offsets, indices, values


@lru_cache(maxsize=1)
def _embedder() -> CountEmbedder:
    return embedder()
