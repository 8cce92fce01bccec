"""Dense vectors of code and questions behind one small interface. Owns no tokens (core) and no storage (index)."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Protocol
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from app.clients.table import load_table
from app.core.tokens import count_tokens

ROWS = 1 << 16
"""Rows of the table; a token's row is the low 16 bits of its id. 16 MB, and few of a chunk's sixty tokens collide."""
LAST_ROW = ROWS - 1
DIMENSION = 256
STEM = 4
"""Letters. A token that long also counts, as much again, as its first four: `parsing` and `parser` meet. Among
2,000 functions of the standard library and installed packages, found by the first paragraph of their docstring, this
moved recall at 1 from 0.32 to 0.36; quadgrams gave 0.35 at five times the cost, weights by length lost."""
STEM_SALT = 1
"""Start value of a stem's checksum, so that the stem `pars` is not the token `pars`."""
_COMMON = (
    "def return self none null nil true false import class else elif try except finally raise throw throws catch new this "
    "super public private protected static void final const let var function func fn pub mut impl use mod struct enum "
    "interface type int str string bool float double char long len list dict isinstance async await yield pass break "
    "continue switch case default package args kwargs obj cls end unsigned include define endif export extends"
)
COMMON = frozenset(_COMMON.split())
"""Tokens that stand in most code of some language. The table knows no frequencies, so this list is its only IDF."""
COMMON_SHARE = 3
"""A common token weighs a third: recall at 1 above went from 0.30 to 0.32; nought, a tenth and a third are within noise."""
LOG_UNIT = 16
"""Weights are whole sixteenths: ln(2) of a single mention becomes 11."""
EXACT_FLOAT32 = 1 << 24
"""Up to here every whole number is a float32, so sums below it are exact."""
SEED = b"coderag static-hash 1"
"""What the table is generated from. Another seed is another model: change the id with it."""

SHIPPED = Path(__file__).parent.parent / "models" / "code.npz"
"""The table trained on public repositories; `app/models/README.md` says which."""
TABLE_VARIABLE = "CODERAG_TABLE"
"""Path of another table, trained by `coderag train`. A variable, because the processes that parse files inherit it."""


class Embedder(Protocol):
    """Text → unit vector; the same for documents and queries.

    A text without a single token (all stop words, punctuation) has no direction: its row is all zero. The index keeps a
    point with such a row without a dense vector, and answers a query with such a row with no dense candidates.
    """

    @property
    def id(self) -> str:
        """Names the model and its version; part of the collection's name, so that vectors of two models never meet."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(len(texts), dimension), each row of length 1 or all zero. May block for long: call it off the event loop."""


class CountEmbedder(Embedder, Protocol):
    """An embedder that needs no more of a text than its tokens, so that it can run where they are counted."""

    def embed_counts(self, counts: Sequence[Mapping[str, int]]) -> NDArray[np.float32]:
        """The same from `core.tokens.count_tokens`, for a caller who has counted already."""


class StaticEmbedder:
    """The untrained baseline, random indexing: each token has a fixed pseudo-random direction, a text is their weighted sum.

    Texts that share tokens point the same way, weighted by how telling a token is; nothing is learned. It needs no files
    and no network. All arithmetic up to the final division is on whole numbers, so every platform gives the same bits.
    """

    id = "static-hash-1-256"
    dimension = DIMENSION

    def __init__(self) -> None:
        # SHAKE-128 gives the same bytes everywhere and for ever; a generator of numpy's may change with its version.
        noise = np.frombuffer(hashlib.shake_128(SEED).digest(ROWS * DIMENSION), dtype=np.int8)
        self._table = noise.reshape(ROWS, DIMENSION) | np.int8(1)  # odd numbers -127..127: their mean is 0

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Embedder`."""
        return self.embed_counts([count_tokens(text) for text in texts])

    def embed_counts(self, counts: Sequence[Mapping[str, int]]) -> NDArray[np.float32]:
        """See `Embedder`."""
        sums = np.zeros((len(counts), DIMENSION))
        for row, count in zip(sums, counts, strict=True):
            if count:
                rows, weights = _terms(count)
                # Whole numbers below the limit: the sum is exact in whatever order the platform's BLAS adds.
                exact = np.float32 if 127 * sum(weights) < EXACT_FLOAT32 else np.float64
                row[:] = np.array(weights, dtype=exact) @ self._table[rows].astype(exact)
        return _unit_rows(sums)


def embedder() -> CountEmbedder:
    """The built-in embedder: the trained table that is shipped, or the one that TABLE_VARIABLE names. `embed_open` chooses
    the one that an installation uses.

    Raises ConfigError where that table cannot be used.
    """
    own = os.environ.get(TABLE_VARIABLE, "").strip()
    return _table(Path(own).expanduser() if own else SHIPPED)


@lru_cache(maxsize=1)
def _table(path: Path) -> CountEmbedder:
    return load_table(path)


def _terms(count: Mapping[str, int]) -> tuple[list[int], list[int]]:
    """Table rows and whole-number weights of a text: one of each token, one more of each token's stem."""
    rows: list[int] = []
    weights: list[int] = []
    for token, times in count.items():
        weight = LOG_WEIGHTS[times] if times < len(LOG_WEIGHTS) else _log_weight(times)
        if token in COMMON:
            weight //= COMMON_SHARE
        rows.append(crc32(token.encode()) & LAST_ROW)
        weights.append(weight)
        if len(token) >= STEM:
            rows.append(crc32(token[:STEM].encode(), STEM_SALT) & LAST_ROW)
            weights.append(weight)
    return rows, weights


def _log_weight(times: int) -> int:
    return round(LOG_UNIT * math.log(1 + times))


LOG_WEIGHTS = [_log_weight(times) for times in range(64)]


def _unit_rows(sums: NDArray[np.float64]) -> NDArray[np.float32]:
    """Rows divided by their length; rows of nought stay. The squares are summed as integers: exact on every platform."""
    whole = sums.astype(np.int64)
    lengths = np.sqrt(np.einsum("ij,ij->i", whole, whole).astype(np.float64))
    lengths[lengths == 0] = 1
    unit: NDArray[np.float32] = (sums / lengths[:, None]).astype(np.float32)
    return unit
