"""Says how well a table finds the code of what was written, on repositories it has not learnt from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from app.train.harvest import Harvest, read_pairs
from app.train.pairs import Pair

SAMPLE = 2_000
"""Pairs that compete: the size at which the prototype's figures were taken."""


class Embeds(Protocol):
    """What is measured."""

    def embed_counts(self, counts: Sequence[Mapping[str, int]]) -> NDArray[np.float32]:
        """Unit rows."""


def held_out(harvests: Sequence[Harvest], most: int = SAMPLE) -> list[Pair]:
    """At most `most` pairs with one of each group, spread evenly over the repositories."""
    kept: dict[str, Pair] = {}
    for each in harvests:
        for pair in read_pairs(each.path):
            kept.setdefault(pair.group, pair)
    pairs = list(kept.values())
    return pairs if len(pairs) <= most else [pairs[at * len(pairs) // most] for at in range(most)]


def recall(embedder: Embeds, pairs: Sequence[Pair], at: int) -> float:
    """Share of queries whose own code is among the nearest `at`; 0 where there are no pairs."""
    if not pairs:
        return 0.0
    queries = embedder.embed_counts([pair.query for pair in pairs])
    codes = embedder.embed_counts([pair.code for pair in pairs])
    cosines = queries @ codes.T
    better = (cosines > np.diagonal(cosines)[:, None]).sum(axis=1)
    return float((better < at).mean())
