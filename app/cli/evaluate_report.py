"""What `coderag eval` prints and writes: tables, the report on a repository's own history, figures for JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from rich.markup import escape
from rich.table import Table

from app.cli.local import printable
from app.cli.terminal import out
from app.core.metrics import (
    FILE_CUTS,
    FUNCTION_CUTS,
    RECALL_CUTS,
    TOP,
    Rank,
    accuracy,
    all_within,
    mean_reciprocal_rank,
    recall,
    share,
)
from app.steps.evaluate import Cost, Found, FoundHidden

Figures = Mapping[str, object]
Each = TypeVar("Each", Found, FoundHidden)

EXAMPLES = 4
"""Examples found and missed in a report, so that it stays on one screen."""
TITLE_CHARACTERS = 68
"""Of a commit's first line in an example."""
REPORTED_CUTS = (1, 5, 10)
"""Places that a report speaks of."""
INSTEAD = 2
"""Files named that came first where the right one did not."""


def accuracy_figures(found: Sequence[Found], cost: Cost) -> Figures:
    """All figures of rows with gold files. Accuracies are in percent, the reciprocal rank is between 0 and 1. `functions` is
    over the rows that name lines."""
    return {
        "acc": accuracy([each.ranks for each in found]),
        "mrr": mean_reciprocal_rank([each.ranks for each in found]),
        "functions": recall(_functions(found), FUNCTION_CUTS),
        "without": {
            name: {"acc": accuracy(ranks), "mrr": mean_reciprocal_rank(ranks)}
            for name, ranks in _without(found).items()
        },
        **_cost_figures(cost),
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


def recall_figures(found: Sequence[FoundHidden], cost: Cost) -> Figures:
    """All figures of rows with a hidden file, in percent."""
    return {
        "recall": recall([each.rank for each in found], RECALL_CUTS),
        "mrr": mean_reciprocal_rank([[each.rank] for each in found]),
        "without": {name: {"recall": recall(ranks, RECALL_CUTS)} for name, ranks in _recall_without(found).items()},
        **_cost_figures(cost),
        "repositories": {
            repo: {"rows": len(own), "recall": recall([each.rank for each in own], RECALL_CUTS)}
            for repo, own in _by_repository(found).items()
        },
        "rows": [
            {
                "id": each.row.id,
                "ranks": [each.rank],
                "top": list(each.files[:TOP]),
                "seconds": round(each.seconds, 3),
            }
            for each in found
        ],
    }


def print_accuracy(found: Sequence[Found]) -> None:
    """The table of strict accuracy, a line a repository where there are several."""
    table = _table("Acc@", FILE_CUTS)
    groups = _by_repository(found)
    for repo, own in groups.items() if len(groups) > 1 else ():
        table.add_row(escape(repo), str(len(own)), *map(str, accuracy([each.ranks for each in own]).values()))
    table.add_row("all", str(len(found)), *map(str, accuracy([each.ranks for each in found]).values()), style="bold")
    out.print(table)
    inside = ", ".join(f"{value} at {cut}" for cut, value in recall(_functions(found), FUNCTION_CUTS).items())
    out.print(f"MRR {mean_reciprocal_rank([each.ranks for each in found])}; a changed range inside a chunk: {inside}")


def print_recall(found: Sequence[FoundHidden]) -> None:
    """The table of how often the hidden file is among the first."""
    table = _table("recall@", RECALL_CUTS)
    groups = _by_repository(found)
    for repo, own in groups.items() if len(groups) > 1 else ():
        table.add_row(escape(repo), str(len(own)), *map(str, recall([each.rank for each in own], RECALL_CUTS).values()))
    table.add_row(
        "all", str(len(found)), *map(str, recall([each.rank for each in found], RECALL_CUTS).values()), style="bold"
    )
    out.print(table)


def print_ablation(found: Sequence[Found]) -> None:
    """What is found without each signal, where that was measured."""
    table = _table("Acc@", FILE_CUTS, first="without")
    for name, ranks in _without(found).items():
        table.add_row(name, str(len(found)), *map(str, accuracy(ranks).values()))
    if table.row_count:
        out.print(table)


def print_recall_ablation(found: Sequence[FoundHidden]) -> None:
    """The same for what a change left out."""
    table = _table("recall@", RECALL_CUTS, first="without")
    for name, ranks in _recall_without(found).items():
        table.add_row(name, str(len(found)), *map(str, recall(ranks, RECALL_CUTS).values()))
    if table.row_count:
        out.print(table)


def print_cost(cost: Cost) -> None:
    """What the run took, and what was skipped."""
    rows = max(1, cost.rows)
    out.print(
        f"{cost.chunks:,} chunks indexed; vectors: {cost.vectors_computed:,} computed, {cost.vectors_reused:,} reused; "
        f"seconds a row: {cost.index_seconds / rows:.2f} index, {cost.query_seconds / rows:.2f} query"
    )
    for reason, ids in sorted(cost.skipped.items()):
        out.print(f"skipped, {reason}: {len(ids):,}")


def print_report(name: str, found: Sequence[Found]) -> None:
    """One screen in plain words: how well code is found in a repository, by its own history."""
    out.print(
        f"[bold]{escape(printable(name))}[/]: {len(found)} changes of its history. Each was asked for in the words of its commit "
        "message, of the code as it stood before.\n"
    )
    table = Table(box=None, pad_edge=True)
    for column in ("what was changed is", "one of its files", "all of its files"):
        table.add_column(column, justify="left" if column.startswith("what") else "right")
    for cut in REPORTED_CUTS:
        one = [any(rank is not None and rank <= cut for rank in each.ranks) for each in found]
        every = [all_within(each.ranks, cut) for each in found]
        table.add_row("first" if cut == 1 else f"among the first {cut}", _told(one), _told(every))
    out.print(table)
    functions = _functions(found)
    for cut in FUNCTION_CUTS:
        right = sum(rank is not None and rank <= cut for rank in functions)
        out.print(f"  changed lines lie in one of the first {cut} pieces of code: {right} of {len(functions)}")
    good = [each for each in found if all_within(each.ranks, 1)]
    bad = [each for each in found if not all_within(each.ranks, FILE_CUTS[-1])]
    _print_examples("Found at once", good)
    _print_examples(f"Not among the first {FILE_CUTS[-1]}", bad)


def _told(hits: Sequence[bool]) -> str:
    return f"{sum(hits)} of {len(hits)}, {share(hits):.0f} %"


def _print_examples(title: str, found: Sequence[Found]) -> None:
    if found:
        out.print(f"\n{title}:")
    for each in found[:EXAMPLES]:
        asked = printable(each.row.query.partition("\n")[0].strip())
        shown = asked if len(asked) <= TITLE_CHARACTERS else f"{asked[:TITLE_CHARACTERS]}…"
        told = ", ".join(
            printable(part.path) + ("" if rank == 1 else f" (place {rank})" if rank else " (not found)")
            for part, rank in zip(each.row.gold, each.ranks, strict=True)
        )
        out.print(f"  {each.row.id[:7]} {shown}", markup=False)
        out.print(f"          {told}", markup=False)
        if not all_within(each.ranks, FILE_CUTS[-1]) and each.files:
            first = ", ".join(printable(path) for path in each.files[:INSTEAD])
            out.print(f"          first instead: {first}", markup=False)


def _table(title: str, cuts: Sequence[int], first: str = "repository") -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(first)
    table.add_column("rows", justify="right")
    for cut in cuts:
        table.add_column(f"{title}{cut}", justify="right")
    return table


def _functions(found: Sequence[Found]) -> list[Rank]:
    return [each.function for each in found if any(part.lines for part in each.row.gold)]


def _without(found: Sequence[Found]) -> dict[str, list[Sequence[Rank]]]:
    """Signal → the ranks of each row without it. A row whose question says nothing has none: nothing is found either way."""
    names = dict.fromkeys(name for each in found for name in each.without)
    return {name: [each.without.get(name, each.ranks) for each in found] for name in names}


def _recall_without(found: Sequence[FoundHidden]) -> dict[str, list[Rank]]:
    names = dict.fromkeys(name for each in found for name in each.without)
    return {name: [each.without[name] for each in found] for name in names}


def _cost_figures(cost: Cost) -> dict[str, object]:
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


def _by_repository(found: Sequence[Each]) -> dict[str, list[Each]]:
    groups: dict[str, list[Each]] = {}
    for each in found:
        groups.setdefault(each.row.repo, []).append(each)
    return groups
