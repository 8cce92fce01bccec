"""The command that trains a dense table from the histories of repositories."""

from __future__ import annotations

import json
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Annotated

import typer

from app.cli.terminal import err, out
from app.clients.embed import StaticEmbedder
from app.clients.table import load_table
from app.core.errors import UserError
from app.core.table_file import NAME
from app.train.fit import Recipe
from app.train.harvest import Bounds, Harvest, harvest_now, kept_harvest
from app.train.measure import held_out, recall
from app.train.run import train_table

FEWEST_PAIRS = 2
"""With one pair there is nothing to tell it from."""


def train(
    paths: Annotated[list[Path] | None, typer.Argument(help="Git repositories of this machine to learn from.")] = None,
    kept: Annotated[
        list[Path] | None,
        typer.Option("--harvest", help="Pairs that another run has kept, learnt from as they are."),
    ] = None,
    output: Annotated[Path, typer.Option("--out", help="The table's file.")] = Path("code.npz"),
    name: Annotated[str, typer.Option(help="The model's name; a part of the index's identity.")] = "code",
    hold_out: Annotated[list[Path] | None, typer.Option(help="A repository to measure on, not to learn from.")] = None,
    work: Annotated[Path | None, typer.Option(help="Where harvests and epochs are kept; beside the file.")] = None,
    commits: Annotated[int, typer.Option(min=1, help="Most commits read of a repository.")] = 2_000,
    files: Annotated[int, typer.Option(min=0, help="Most files whose docstrings are read of a repository.")] = 600,
    words: Annotated[int, typer.Option(min=1, max=60_000, help="Words with a row of their own.")] = 49_152,
    dimension: Annotated[int, typer.Option(min=8, max=1_024, help="Length of a vector.")] = 256,
    epochs: Annotated[int, typer.Option(min=1, max=100, help="Times every pair is learnt from.")] = 3,
    batch: Annotated[int, typer.Option(min=2, max=16_384, help="Pairs that are told apart at a time.")] = 1_024,
    jobs: Annotated[int, typer.Option(min=1, max=64, help="Repositories read at the same time.")] = 2,
) -> None:
    """Train a dense table on commit messages and docstrings, so that questions meet the code that answers them.

    Stopped at any time and started again with the same arguments, it goes on where it was and gives the same file.
    """
    if not NAME.match(name):
        raise UserError(f"the name {name!r} must be small letters, digits, dots and dashes, at most 40")
    folder = work or output.with_suffix(".work")
    folder.mkdir(parents=True, exist_ok=True)
    bounds = Bounds(commits, files)
    learnt = [*map(kept_harvest, kept or []), *_harvested(paths or [], folder, bounds, jobs)]
    measured = _harvested(hold_out or [], folder, bounds, jobs)
    if sum(each.pairs for each in learnt) < FEWEST_PAIRS:
        raise UserError(
            "these histories hold no pairs to learn from: commits need a message of twenty characters and one to four changed files of code"
        )
    recipe = Recipe(words, dimension, epochs, batch)
    with _fresh_process() as process:
        process.submit(train_table, learnt, measured, recipe, folder, output, name).result()
    _print_figures(output, measured)


def _harvested(paths: list[Path], folder: Path, bounds: Bounds, jobs: int) -> list[Harvest]:
    if not paths:
        return []
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        waiting = [pool.submit(harvest_now, path, folder, bounds) for path in dict.fromkeys(paths)]
        found = []
        for each in waiting:
            found.append(each.result())
            err.print(f"{found[-1].name}: {found[-1].pairs:,} pairs", markup=False)
    return found


def _fresh_process() -> ProcessPoolExecutor:
    """A process whose BLAS has one thread: the products of a step are too small to share, and the order of sums stays."""
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"
    return ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))


def _print_figures(output: Path, kept: list[Harvest]) -> None:
    made = load_table(output)
    figures: dict[str, object] = {"id": made.id, "bytes": output.stat().st_size}
    pairs = held_out(kept)
    if pairs:
        before = StaticEmbedder()
        figures["pairs held out"] = len(pairs)
        for at in (1, 10):
            figures[f"recall at {at}"] = {
                "untrained": round(recall(before, pairs, at), 4),
                "trained": round(recall(made, pairs, at), 4),
            }
    out.print(json.dumps(figures, indent=2), markup=False)
