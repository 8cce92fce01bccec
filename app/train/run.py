"""From harvested pairs to a table's file."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from app.core.table_file import arrays_of, quantised
from app.train.corpus import build_corpus, build_vocabulary
from app.train.fit import Recipe, Told, fit
from app.train.harvest import Harvest

TELL_SECONDS = 10.0
"""Between two lines of progress."""


def train_table(
    learnt: Sequence[Harvest], kept: Sequence[Harvest], recipe: Recipe, folder: Path, output: Path, name: str
) -> None:
    """Train and write the table. The file says what it was trained on; nothing in it depends on when or where."""
    corpus = build_corpus(learnt, build_vocabulary(learnt, recipe.words))
    state = fit(corpus, recipe, folder, _progress())
    table = quantised(name, corpus.vocabulary.words, state.table, state.weights)
    about: dict[str, object] = {
        "recipe": asdict(recipe),
        "pairs": len(corpus.groups),
        "repositories": {each.name: {"commit": each.commit, "pairs": each.pairs} for each in learnt},
        "held out": {each.name: {"commit": each.commit, "pairs": each.pairs} for each in kept},
    }
    part = output.with_suffix(".part")
    with part.open("wb") as file:
        np.savez(file, **arrays_of(table, about))  # type: ignore[arg-type]
    os.replace(part, output)


def _progress() -> Told:
    last = [0.0]

    def told(epoch: int, batch: int, batches: int, loss: float) -> None:
        if batch == batches or time.monotonic() - last[0] > TELL_SECONDS:
            last[0] = time.monotonic()
            sys.stderr.write(f"epoch {epoch + 1}, batch {batch} of {batches}: loss {loss:.3f}\n")

    return told
