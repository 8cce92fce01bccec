"""The arithmetic of learning a table: texts as weighted sums of rows, a contrastive loss, its gradient, and Adam. Reads nothing.

A text's vector is `unit(Σ ln(1 + count) · weight[row] · table[row])`. Two texts of a pair should be nearer to each other
than to the other pairs of their batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from app.core.vocabulary import HASHED, Vocabulary

Floats = NDArray[np.float32]
Rows = NDArray[np.int32]

SCALE = 12.0
"""Sharpness of the softmax over cosines: at 1 a batch of a thousand would look all alike, at 20 the table leans on few words
(recall at 10 of held-out pairs 0.583, here 0.603)."""
SHARED_LETTERS = 4
"""Of words that start alike; the untrained baseline has found this length best."""
LOG_PACE = 3.0
"""Steps of the logarithm of a weight, measured in those of the table: a weight is to double or halve within an epoch."""
MOMENTUM = 0.9
DECAY = 0.999
EPSILON = 1e-8
"""Adam's usual constants."""
TINY = np.float32(1e-12)
"""Keeps a text whose rows cancel out from dividing by nought."""


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts as rows of the table: text i has rows[offsets[i]:offsets[i + 1]] with `values` ln(1 + count)."""

    offsets: NDArray[np.int64]
    rows: Rows
    values: Floats

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def take(self, which: NDArray[np.int64]) -> Texts:
        """The texts of those numbers, in that order."""
        starts, ends = self.offsets[which], self.offsets[which + 1]
        at = (
            np.concatenate([np.arange(a, b) for a, b in zip(starts, ends, strict=True)])
            if len(which)
            else np.zeros(0, np.int64)
        )
        offsets = np.concatenate([[0], np.cumsum(ends - starts)]).astype(np.int64)
        return Texts(offsets, self.rows[at], self.values[at])

    def among(self, used: Rows) -> Texts:
        """The same texts with rows numbered by their place in `used`, which is sorted and has them all."""
        return Texts(self.offsets, np.searchsorted(used, self.rows).astype(np.int32), self.values)

    def without(self, share: float, generator: np.random.Generator) -> Texts:
        """The same texts with about that share of their rows left out."""
        kept = generator.random(len(self.rows)) >= share
        before = np.concatenate([[0], np.cumsum(kept)]).astype(np.int64)
        return Texts(before[self.offsets], self.rows[kept], self.values[kept])


@dataclass(slots=True)
class State:
    """What training changes: the table, the logarithm of a weight a row, and Adam's moments: the first as large as what it
    moves, the second one number a row (a row is one thing; it halves the memory and a third of the time)."""

    table: Floats
    logs: Floats
    table_mean: Floats
    table_square: Floats
    logs_mean: Floats
    logs_square: Floats
    steps: int = 0

    @classmethod
    def start(cls, table: Floats, weights: Floats) -> State:
        """At a table and weights above nought, with nothing learnt yet."""
        logs: Floats = np.log(weights)
        nought = np.zeros_like(logs)
        return cls(table, logs, np.zeros_like(table), nought.copy(), nought.copy(), nought.copy())

    @property
    def weights(self) -> Floats:
        """What each row counts in a text. Never below nought: a word may say little, not the opposite."""
        weights: Floats = np.exp(self.logs)
        return weights


def start_table(vocabulary: Vocabulary, dimension: int, seed: int) -> Floats:
    """Random rows of length about one. Words with the same first letters share half of theirs: `parser` starts near `parsing`."""
    generator = np.random.default_rng(seed)
    table = generator.standard_normal((vocabulary.rows, dimension), dtype=np.float32)
    stems = generator.standard_normal((HASHED, dimension), dtype=np.float32)
    long = [at for at, word in enumerate(vocabulary.words) if len(word) >= SHARED_LETTERS]
    shared = [crc32(vocabulary.words[at][:SHARED_LETTERS].encode()) & (HASHED - 1) for at in long]
    table[long] = (table[long] + stems[shared]) / np.float32(2**0.5)
    return table / np.float32(dimension**0.5)


def vectors(state: State, texts: Texts) -> Floats:
    """Unit vectors of texts, a row each."""
    return _forward(texts, state.table * state.weights[:, None])[0]


def step(state: State, queries: Texts, codes: Texts, groups: NDArray[np.int64], rate: float) -> float:
    """Learn from one batch of pairs, in place; the loss before. Pairs of one group are no wrong answers to each other."""
    used: Rows = np.unique(np.concatenate([queries.rows, codes.rows]))
    weights = np.exp(state.logs[used])
    scaled = state.table[used] * weights[:, None]
    sides = [each.among(used) for each in (queries, codes)]
    (one, one_length), (other, other_length) = (_forward(each, scaled) for each in sides)
    loss, slope = _softmax(one @ other.T, groups)
    pull = _backward(sides[0], slope @ other, one, one_length, len(used))
    pull += _backward(sides[1], slope.T @ one, other, other_length, len(used))
    state.steps += 1
    log_slope = np.einsum("ij,ij->i", pull, scaled)
    _adam(state.table, state.table_mean, state.table_square, used, pull * weights[:, None], rate, state.steps)
    _adam(state.logs, state.logs_mean, state.logs_square, used, log_slope, rate * LOG_PACE, state.steps)
    return loss


def weighted_sums(texts: Texts, table: Floats) -> Floats:
    """Σ value · table[row] of each text: (texts, columns of the table)."""
    sums = np.zeros((len(texts), table.shape[1]), np.float32)
    for at, (start, end) in enumerate(pairwise(texts.offsets.tolist())):
        if end > start:
            sums[at] = texts.values[start:end] @ table[texts.rows[start:end]]
    return sums


def gathered(texts: Texts, given: Floats, rows: int) -> Floats:
    """The transpose: Σ value · given[text] of each row, over the texts that have it: (rows, columns of `given`)."""
    owners = np.repeat(np.arange(len(texts)), np.diff(texts.offsets))
    order = np.argsort(texts.rows, kind="stable")
    owners, values = owners[order], texts.values[order]
    counts = np.bincount(texts.rows, minlength=rows)
    found = np.zeros((rows, given.shape[1]), np.float32)
    starts = np.concatenate([[0], np.cumsum(counts)])[:-1]
    single = np.flatnonzero(counts == 1)
    found[single] = values[starts[single], None] * given[owners[starts[single]]]
    for row in np.flatnonzero(counts > 1).tolist():
        start = int(starts[row])
        end = start + int(counts[row])
        found[row] = values[start:end] @ given[owners[start:end]]
    return found


def _forward(texts: Texts, scaled: Floats) -> tuple[Floats, Floats]:
    sums = weighted_sums(texts, scaled)
    lengths = np.maximum(np.sqrt(np.einsum("ij,ij->i", sums, sums)), TINY)
    return sums / lengths[:, None], lengths


def _softmax(cosines: Floats, groups: NDArray[np.int64]) -> tuple[float, Floats]:
    """Mean loss of both directions, and its slope by cosine."""
    size = len(groups)
    logits = np.float32(SCALE) * cosines
    same = groups[:, None] == groups[None, :]
    np.fill_diagonal(same, False)
    logits[same] = -np.inf
    loss, slope = 0.0, np.zeros_like(logits)
    for axis in (1, 0):
        raised = np.exp(logits - logits.max(axis=axis, keepdims=True))
        chances = raised / raised.sum(axis=axis, keepdims=True)
        loss -= float(np.log(np.maximum(np.diagonal(chances), TINY)).mean()) / 2
        slope += chances
    slope[np.arange(size), np.arange(size)] -= 2
    return loss, slope * np.float32(SCALE / (2 * size))


def _backward(texts: Texts, slope: Floats, unit: Floats, lengths: Floats, rows: int) -> Floats:
    """Σ value · d loss / d sum, for every row used."""
    inner = (slope - unit * np.einsum("ij,ij->i", slope, unit)[:, None]) / lengths[:, None]
    return gathered(texts, inner, rows)


def _adam(target: Floats, mean: Floats, square: Floats, used: Rows, slope: Floats, rate: float, steps: int) -> None:
    """Adam with one second moment a row, on the rows used only: a row rests while no text of a batch has it."""
    size = slope.reshape(len(used), -1)
    new_square = square[used] * np.float32(DECAY) + np.einsum("ij,ij->i", size, size) * np.float32(
        (1 - DECAY) / size.shape[1]
    )
    square[used] = new_square
    moved = mean[used]
    moved *= np.float32(MOMENTUM)
    moved += slope * np.float32(1 - MOMENTUM)
    mean[used] = moved
    pace = np.float32(rate / (1 - MOMENTUM**steps)) / (
        np.sqrt(new_square / np.float32(1 - DECAY**steps)) + np.float32(EPSILON)
    )
    moved *= pace.reshape(-1, *[1] * (slope.ndim - 1))
    target[used] -= moved
