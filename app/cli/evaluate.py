"""`coderag eval`: how well the right code is found, on rows of known answers. Reads the rows, prints the table, writes the JSON."""

from __future__ import annotations

import json
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from app.cli.evaluate_report import (
    Figures,
    accuracy_figures,
    print_ablation,
    print_accuracy,
    print_cost,
    print_recall,
    print_recall_ablation,
    print_report,
    recall_figures,
)
from app.cli.terminal import FOUND, NOTHING, progress, run
from app.clients.embed import embedder
from app.clients.git import Mirror, local_mirror
from app.clients.index.open import open_index
from app.core.errors import UserError
from app.core.history_rows import MOST_FILES, SHORTEST_MESSAGE
from app.core.rows import read_impact_rows, read_rows
from app.steps.evaluate import Bench, Repositories, evaluate, evaluate_impact
from app.steps.history_rows import rows_of_history
from app.steps.ingest import index_workers

T = TypeVar("T")

HISTORY_ROWS = 50
"""Commits asked with where `--limit` says nothing: about a minute, and a share that is right to some 7 percent points."""


def evaluation(
    rows: Annotated[
        Path | None, typer.Argument(metavar="ROWS.jsonl", help="Questions with known answers, a JSON object a line.")
    ] = None,
    repos: Annotated[str, typer.Option(help="Where their repositories are: 'DIR/{owner}+{name}/repo'.")] = "",
    from_history: Annotated[
        Path | None,
        typer.Option("--from-history", metavar="PATH", help="Make the rows from this repository's commits."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Rows to run: spread over the file, or the newest commits.")
    ] = None,
    json_file: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write all figures there.")] = None,
    with_tests: Annotated[bool, typer.Option("--with-tests", help="Keep test files in the rankings.")] = False,
    impact: Annotated[
        bool, typer.Option("--impact", help="The rows are changes with one file hidden: rank what else must change.")
    ] = False,
    ablation: Annotated[
        bool, typer.Option("--ablation", help="Say also what is found without each signal, in the same run.")
    ] = False,
) -> None:
    """Measure how well the right code is found: on rows of known answers, or on the history of a repository of yours."""
    if (rows is None) == (from_history is None):
        raise UserError("Name a file of rows, or a repository with --from-history PATH; one of the two.")
    if from_history is not None:
        if impact or repos:
            raise UserError("--from-history makes its own rows: leave --repos and --impact out.")
        figures = run(_from_history(from_history, limit or HISTORY_ROWS, with_tests=with_tests, ablation=ablation))
    else:
        assert rows is not None
        if not repos:
            raise UserError("Say where the repositories are: --repos 'DIR/{owner}+{name}/repo'.")
        text = text_of(rows)
        if impact:
            figures = run(_impact(text, repos, limit, ablation=ablation))
        else:
            figures = run(_issues(text, repos, limit, with_tests=with_tests, ablation=ablation))
    if json_file:
        _write(json_file, figures)
    raise typer.Exit(FOUND if figures["count"] else NOTHING)


async def _issues(text: str, repos: str, limit: int | None, *, with_tests: bool, ablation: bool) -> Figures:
    chosen = spread(read_rows(text), limit)
    async with bench_with(repositories_at(repos), f"{len(chosen)} rows") as bench:
        found, cost = await evaluate(bench, chosen, with_tests=with_tests, ablation=ablation)
    print_accuracy(found)
    print_ablation(found)
    print_cost(cost)
    return accuracy_figures(found, cost)


async def _impact(text: str, repos: str, limit: int | None, *, ablation: bool) -> Figures:
    chosen = spread(read_impact_rows(text), limit)
    async with bench_with(repositories_at(repos), f"{len(chosen)} changes") as bench:
        found, cost = await evaluate_impact(bench, chosen, ablation=ablation)
    print_recall(found)
    print_recall_ablation(found)
    print_cost(cost)
    return recall_figures(found, cost)


async def _from_history(path: Path, limit: int, *, with_tests: bool, ablation: bool) -> Figures:
    if not path.expanduser().exists():
        raise UserError(f"{path} does not exist.")
    mirror = local_mirror(path)
    name = path.expanduser().resolve().name or "repository"
    rows = await rows_of_history(mirror, await mirror.resolve("HEAD"), limit, name)
    if not rows:
        raise UserError(
            f"The history of {path} holds no commit to ask with: a message of {SHORTEST_MESSAGE} characters or more, and one to "
            f"{MOST_FILES} source files that were there before. A shallow clone can be completed with `git fetch --unshallow`."
        )
    async with bench_with(lambda _: mirror, f"{len(rows)} commits") as bench:
        found, cost = await evaluate(bench, rows, with_tests=with_tests, ablation=ablation)
    print_report(str(path), found)
    print_ablation(found)
    print_cost(cost)
    return accuracy_figures(found, cost)


def _write(path: Path, figures: Figures) -> None:
    try:
        path.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}") from error


def text_of(path: Path) -> str:
    """The text of a file of rows. Raises UserError where it cannot be read."""
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8 text") from error


def spread(rows: Sequence[T], limit: int | None) -> list[T]:
    """At most `limit` rows, evenly over the whole file: its first rows are often all of one repository."""
    if limit is None or limit >= len(rows):
        return list(rows)
    return [rows[place * len(rows) // limit] for place in range(limit)]


def repositories_at(pattern: str) -> Repositories:
    """Finds repositories on disk by a pattern that holds `{owner}` and `{name}`."""

    def found(repo: str) -> Mirror | None:
        owner, _, name = repo.partition("/")
        path = Path(pattern.replace("{owner}", owner).replace("{name}", name)).expanduser()
        if not path.exists():
            return None
        try:
            return replace(local_mirror(path), lenient=True)
        except UserError:
            return None

    return found


@asynccontextmanager
async def bench_with(repositories: Repositories, title: str) -> AsyncIterator[Bench]:
    """A bench with an embedded index that is thrown away afterwards: a measurement starts from nothing and leaves nothing."""
    embed, workers = embedder(), index_workers()
    with tempfile.TemporaryDirectory(prefix="coderag-eval-") as folder:
        index = open_index(Path(folder), "", "", embed)
        try:
            with progress(title, quiet=False) as step:
                yield Bench(index, embed, workers, repositories, step)
        finally:
            await workers.close()
            await index.close()
