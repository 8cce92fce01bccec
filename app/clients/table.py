"""Dense vectors from a trained table: read once from a file, then a weighted sum of rows. Owns no training and no tokens."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.core.errors import ConfigError
from app.core.table_file import Table, table_of
from app.core.tokens import count_tokens
from app.core.vocabulary import Vocabulary

LOG_UNIT = 16
"""Weights are whole sixteenths: ln(2) of a single mention becomes 11. Whole numbers add up alike on every platform."""
GRID = 1 << 23
"""A sum is brought to whole numbers up to this before its length is taken: their squares add up exactly in 64 bits."""
CACHED_TOKENS = 1 << 16
"""Tokens whose rows are remembered, about 200 bytes each."""

_UNREADABLE = (OSError, ValueError, EOFError, KeyError, AttributeError, NotImplementedError, zipfile.BadZipFile)
"""What numpy and zipfile raise for files that are cut, changed, or something else altogether."""


class TableEmbedder:
    """A text is `unit(Σ ln(1 + count) · row)` over the rows of its tokens; see `core.vocabulary` for unseen tokens.

    All arithmetic up to the last division is on whole numbers, so every platform gives the same bits.
    """

    def __init__(self, table: Table) -> None:
        self.id = table.id
        self.dimension = int(table.codes.shape[1])
        self._codes = table.codes
        self._scales = table.scales.astype(np.float64)
        self._rows_of = lru_cache(maxsize=CACHED_TOKENS)(Vocabulary(table.words).rows_of)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Embedder`."""
        return self.embed_counts([count_tokens(text) for text in texts])

    def embed_counts(self, counts: Sequence[Mapping[str, int]]) -> NDArray[np.float32]:
        """See `Embedder`."""
        sums = np.zeros((len(counts), self.dimension))
        for sum_, count in zip(sums, counts, strict=True):
            if count:
                rows, weights = self._terms(count)
                # Whole numbers far below 2^53: exact in whatever order the platform's BLAS adds them.
                sum_[:] = (np.array(weights) * self._scales[rows]) @ self._codes[rows].astype(np.float64)
        return _unit_rows(sums)

    def _terms(self, count: Mapping[str, int]) -> tuple[list[int], list[float]]:
        rows: list[int] = []
        weights: list[float] = []
        rows_of = self._rows_of
        for token, times in count.items():
            weight = LOG_WEIGHTS[times] if times < len(LOG_WEIGHTS) else _log_weight(times)
            for row in rows_of(token):
                rows.append(row)
                weights.append(weight)
        return rows, weights


def load_table(path: Path) -> TableEmbedder:
    """The embedder of a table file. Raises ConfigError where there is none or it cannot be used."""
    try:
        # The file is opened here: numpy leaves it open where it finds no archive in it.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            table = table_of({name: arrays[name] for name in arrays.files})
    except FileNotFoundError as error:
        raise ConfigError(f"there is no table of dense vectors at {path}; `coderag train` writes one") from error
    except ConfigError as error:
        raise ConfigError(f"the table of dense vectors at {path} cannot be used: {error}") from error
    except _UNREADABLE as error:
        raise ConfigError(f"{path} is not a table of dense vectors, or it is damaged: {error}") from error
    return TableEmbedder(table)


def _log_weight(times: int) -> float:
    return float(round(LOG_UNIT * math.log(1 + times)))


LOG_WEIGHTS = [_log_weight(times) for times in range(64)]


def _unit_rows(sums: NDArray[np.float64]) -> NDArray[np.float32]:
    """Rows divided by their length; rows of nought stay."""
    largest = np.abs(sums).max(axis=1, initial=0.0)
    largest[largest == 0] = 1
    whole = np.rint(sums / largest[:, None] * GRID).astype(np.int64)
    lengths = np.sqrt(np.einsum("ij,ij->i", whole, whole).astype(np.float64))
    lengths[lengths == 0] = 1
    unit: NDArray[np.float32] = (whole / lengths[:, None]).astype(np.float32)
    return unit
