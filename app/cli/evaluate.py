"""`coderag eval`: how well the right code is found, on rows of known answers. Reads the rows, prints the table, writes the JSON."""

from __future__ import annotations

import json
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from rich.markup import escape
from rich.table import Table

from app.cli.terminal import FOUND, NOTHING, out, progress, run
from app.clients.embed import embedder
from app.clients.git import Mirror, local_mirror
from app.clients.index.open import open_index
from app.core.errors import UserError
from app.core.metrics import FUNCTION_CUTS, TOP, accuracy, mean_reciprocal_rank, recall
from app.core.rows import read_rows
from app.steps.evaluate import Bench, Cost, Found, Repositories, evaluate
from app.steps.ingest import index_workers

T = TypeVar("T")


def evaluation(
    rows: Annotated[
        Path, typer.Argument(metavar="ROWS.jsonl", help="Questions with known answers, a JSON object a line.")
    ],
    repos: Annotated[str, typer.Option(help="Where the repositories are: 'DIR/{owner}+{name}/repo'.")],
    limit: Annotated[int | None, typer.Option(min=1, help="Rows to run, evenly spread over the file.")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write all figures there.")] = None,
    with_tests: Annotated[bool, typer.Option("--with-tests", help="Keep test files in the rankings.")] = False,
) -> None:
    """Measure how well the right code is found, on questions with known answers; the index is brought to each one's commit."""
    chosen = spread(read_rows(text_of(rows)), limit)

    async def work() -> tuple[list[Found], Cost]:
        async with bench_with(repositories_at(repos), f"{len(chosen)} rows") as bench:
            return await evaluate(bench, chosen, with_tests=with_tests)

    found, cost = run(work())
    figures = figures_of(found, cost)
    if json_file:
        json_file.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n")
    _print(found, figures)
    print_cost(cost)
    raise typer.Exit(FOUND if found else NOTHING)


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
            return local_mirror(path)
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


def figures_of(found: Sequence[Found], cost: Cost) -> dict[str, object]:
    """All figures, ready for JSON. Accuracies are in percent, the reciprocal rank between 0 and 1."""
    told = [each for each in found if any(part.lines for part in each.row.gold)]
    return {
        "acc": accuracy([each.ranks for each in found]),
        "mrr": mean_reciprocal_rank([each.ranks for each in found]),
        "functions": recall([each.function for each in told], FUNCTION_CUTS),
        **cost_figures(cost),
        "repositories": {
            repo: {"rows": len(own), "acc": accuracy([each.ranks for each in own])}
            for repo, own in _by_repository(found).items()
        },
        "rows": [
            {
                "id": each.row.id,
                "ranks": list(each.ranks),
                "function": each.function,
                "top": list(each.files[:TOP]),
                "seconds": round(each.seconds, 3),
            }
            for each in found
        ],
    }


def cost_figures(cost: Cost) -> dict[str, object]:
    """What the run took."""
    rows = max(1, cost.rows)
    return {
        "count": cost.rows,
        "skipped": {reason: len(ids) for reason, ids in sorted(cost.skipped.items())},
        "chunks_indexed": cost.chunks,
        "vectors": {"computed": cost.vectors_computed, "reused": cost.vectors_reused},
        "seconds_per_row": {
            "index": round(cost.index_seconds / rows, 3),
            "query": round(cost.query_seconds / rows, 3),
            "all": round((cost.index_seconds + cost.query_seconds) / rows, 3),
        },
    }


def _by_repository(found: Sequence[Found]) -> dict[str, list[Found]]:
    groups: dict[str, list[Found]] = {}
    for each in found:
        groups.setdefault(each.row.repo, []).append(each)
    return groups


def _print(found: Sequence[Found], figures: dict[str, object]) -> None:
    table = Table(box=None, pad_edge=False)
    for column in ("repository", "rows", "Acc@1", "@3", "@5", "@10"):
        table.add_column(column, justify="left" if column == "repository" else "right")
    groups = _by_repository(found)
    for repo, own in groups.items() if len(groups) > 1 else ():
        table.add_row(escape(repo), str(len(own)), *map(str, accuracy([each.ranks for each in own]).values()))
    table.add_row("all", str(len(found)), *map(str, accuracy([each.ranks for each in found]).values()), style="bold")
    out.print(table)
    functions = figures["functions"]
    assert isinstance(functions, dict)
    told = ", ".join(f"{value} at {cut}" for cut, value in functions.items())
    out.print(f"MRR {figures['mrr']}; a changed range lies inside a returned chunk: {told}")


def print_cost(cost: Cost) -> None:
    """Print what the run took and what was skipped."""
    rows = max(1, cost.rows)
    out.print(
        f"{cost.chunks:,} chunks indexed; vectors: {cost.vectors_computed:,} computed, {cost.vectors_reused:,} reused; "
        f"seconds a row: {cost.index_seconds / rows:.2f} index, {cost.query_seconds / rows:.2f} query"
    )
    for reason, ids in sorted(cost.skipped.items()):
        out.print(f"skipped, {reason}: {len(ids):,}")
