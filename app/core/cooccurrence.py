"""Where words start before anything is learnt of pairs: near the words that stand in the same texts. Reads nothing.

Correspondence analysis of texts by words, that is, a singular value decomposition in which no word counts for being
common: its leading directions are those of point-wise mutual information. By randomised subspace iteration.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from app.core.static_model import TINY, Floats, Rows, Texts, gathered, weighted_sums

SWEEPS = 3
"""Passes over the texts; the directions hardly move after the second."""
SPARE = 16
"""Directions more than wanted that are iterated with, so that the last wanted ones are found as well."""
RARE = 10.0
"""Added to a word's total: a word of two texts would else lie in their direction and pull it."""
BLOCK = 4_096
"""Texts at a time; bounds the memory."""


def joined(queries: Texts, codes: Texts) -> Texts:
    """Each pair as one text, in which the words of a question stand with those of its code."""
    owners = np.concatenate([np.repeat(np.arange(len(each)), np.diff(each.offsets)) for each in (queries, codes)])
    order = np.argsort(owners, kind="stable")
    rows = np.concatenate([queries.rows, codes.rows])[order]
    values = np.concatenate([queries.values, codes.values])[order]
    return Texts(queries.offsets + codes.offsets, rows, values)


def cooccurrence_rows(texts: Texts, rows: int, dimension: int, seed: int) -> Floats:
    """(rows, dimension): a unit vector a word, alike for words of like company; nought for words that no text has."""
    scaled = _scaled(texts, rows)
    # The first direction is the same for all words: how common they are. It is left out.
    found = np.random.default_rng(seed).standard_normal((rows, min(rows, dimension + 1 + SPARE)), dtype=np.float32)
    for _ in range(SWEEPS):
        swept = np.zeros_like(found)
        for used, block in _blocks(scaled):
            swept[used] += gathered(block, weighted_sums(block, found[used]), len(used))
        found = np.linalg.qr(swept)[0].astype(np.float32)
    inner = np.zeros((found.shape[1], found.shape[1]))
    for used, block in _blocks(scaled):
        sums = weighted_sums(block, found[used]).astype(np.float64)
        inner += sums.T @ sums
    squares, turn = np.linalg.eigh(inner)
    first = np.argsort(-squares, kind="stable")[1 : dimension + 1]
    spread = np.maximum(squares[first], 0) ** 0.25  # the root of a singular value: halfway between words and texts
    directions = (found @ turn[:, first].astype(np.float32)) * spread.astype(np.float32)
    unit: Floats = directions / np.maximum(np.linalg.norm(directions, axis=1, keepdims=True), TINY)
    return unit


def _scaled(texts: Texts, rows: int) -> Texts:
    """Values by the roots of their text's total and of their word's."""
    sizes = np.diff(texts.offsets)
    owners = np.repeat(np.arange(len(texts)), sizes)
    of_texts = np.bincount(owners, texts.values, minlength=len(texts))
    of_words = np.bincount(texts.rows, texts.values, minlength=rows) + RARE
    values = texts.values / np.sqrt(of_texts[owners] * of_words[texts.rows])
    return Texts(texts.offsets, texts.rows, values.astype(np.float32))


def _blocks(texts: Texts) -> Iterator[tuple[Rows, Texts]]:
    for start in range(0, len(texts), BLOCK):
        block = texts.take(np.arange(start, min(start + BLOCK, len(texts))))
        used: Rows = np.unique(block.rows)
        yield used, block.among(used)
