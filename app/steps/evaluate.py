"""Runs rows through the product's own path: the index is brought to each row's commit, the question goes through retrieval.

Rows of one repository are taken in order of their commits' time, so that each incremental step is small. Measures, and
decides nothing about what is good: `core.metrics` does the arithmetic.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Protocol, TypeVar

from app.clients.embed import Embedder
from app.clients.git import Mirror
from app.clients.index import Index
from app.clients.workers import Workers
from app.core import impact as core_impact
from app.core import rank as core_rank
from app.core.errors import Gone, UserError
from app.core.metrics import Rank, Span, files_of, function_rank, ranks_of
from app.core.query import Question, read_question
from app.core.rank import Ranked, rank
from app.core.roles import is_test
from app.core.rows import ImpactRow, Row
from app.core.types import BRANCH, Ledger, Skip, View
from app.steps.impact import signals_of
from app.steps.reindex import reindex
from app.steps.retrieve import ranking
from app.steps.view import paths_of, view_of

DEEP = 5000
"""Chunks of a full ranking: more than all the searches together find."""
MISSING_REPOSITORY = "missing repository"
MISSING_COMMIT = "missing commit"
MISSING_FILES = "missing files"
"""Why a row was skipped. The last: a partial clone that lacks more than a few files of the commit."""
MOST_MISSING = 10
"""Files that a mirror may lack (copies leave the largest out) before a measurement on it means nothing."""

Repositories = Callable[[str], Mirror | None]
"""`owner/name` → its mirror, or None where there is none."""


class HasCommit(Protocol):
    """What is needed of a row to bring the index to it."""

    @property
    def id(self) -> str: ...
    @property
    def repo(self) -> str: ...
    @property
    def commit(self) -> str: ...


R = TypeVar("R", bound=HasCommit)


@dataclass(frozen=True)
class Bench:
    """What rows are run with: an index of their own, and how progress is told (rows done, rows in all)."""

    index: Index
    embedder: Embedder
    workers: Workers
    repositories: Repositories
    progress: Callable[[int, int], None]


@dataclass
class Cost:
    """What the index runs of all rows did. Seconds are of the clock."""

    rows: int = 0
    chunks: int = 0
    vectors_computed: int = 0
    vectors_reused: int = 0
    index_seconds: float = 0.0
    query_seconds: float = 0.0
    skipped: dict[str, list[str]] = field(default_factory=dict)

    def add(self, ledger: Ledger) -> None:
        """Count one index run. Its chunks are those of the files that were looked at."""
        self.chunks += sum(ledger.chunks.values())
        self.vectors_computed += ledger.vectors_computed
        self.vectors_reused += ledger.vectors_reused
        self.index_seconds += ledger.seconds


@dataclass(frozen=True, slots=True)
class Found:
    """One row's outcome: the rank of each gold file, the place of the first chunk that holds a gold range, the first files.

    `without` has the ranks where one signal counts nothing, by its name, if that was asked for.
    """

    row: Row
    ranks: tuple[Rank, ...]
    function: Rank
    files: tuple[str, ...]
    seconds: float
    without: Mapping[str, tuple[Rank, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FoundHidden:
    """One impact row's outcome: the rank of the hidden file among those that the change does not show, and the first files.

    `without` as in Found.
    """

    row: ImpactRow
    rank: Rank
    files: tuple[str, ...]
    seconds: float
    without: Mapping[str, Rank] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Stand:
    """One row with the index standing at its commit."""

    mirror: Mirror
    head: str
    view: View


async def evaluate(
    bench: Bench, rows: Sequence[Row], *, with_tests: bool = False, ablation: bool = False
) -> tuple[list[Found], Cost]:
    """Rank the files for each row, in the rows' order. Test files are no part of a ranking unless `with_tests`. `ablation`
    ranks again without each signal."""

    def spans(ranked: Iterable[Ranked]) -> list[Span]:
        return [span for span in _spans(ranked) if with_tests or not is_test(span.path)]

    async def measured(row: Row, stand: Stand) -> Found:
        question = question_of(row.query)
        gold = [part.path for part in row.gold]
        if not question.weights and not question.paths and not question.frames:
            return Found(row, tuple(ranks_of(gold, [])), None, (), 0.0)
        began = time.perf_counter()
        question, found, ranked = await ranking(bench.index, bench.embedder, stand.mirror, stand.view, question, DEEP)
        seconds = time.perf_counter() - began
        table = await paths_of(bench.index, stand.view)
        kept = spans(ranked)
        files = files_of(kept)
        without = {
            each.name: tuple(
                ranks_of(
                    gold,
                    files_of(spans(rank(question, found, table, DEEP, replace(core_rank.WEIGHTS, **{each.name: 0.0})))),
                )
            )
            for each in (fields(core_rank.Weights) if ablation else ())
        }
        return Found(row, tuple(ranks_of(gold, files)), function_rank(row.gold, kept), tuple(files), seconds, without)

    return await run_rows(bench, rows, measured)


async def evaluate_impact(
    bench: Bench, rows: Sequence[ImpactRow], *, ablation: bool = False
) -> tuple[list[FoundHidden], Cost]:
    """Rank the files that each change does not show, in the rows' order. Tests are part of the ranking."""

    async def measured(row: ImpactRow, stand: Stand) -> FoundHidden:
        began = time.perf_counter()
        signals = await signals_of(bench.index, bench.embedder, stand.mirror, stand.view, row.changed)
        shown = {part.path for part in row.changed}

        def ranked(weights: core_impact.Weights) -> tuple[str, ...]:
            return tuple(each.path for each in core_impact.fused(signals, shown, weights))

        files = ranked(core_impact.WEIGHTS)
        seconds = time.perf_counter() - began
        without = {
            each.name: ranks_of([row.hidden], ranked(replace(core_impact.WEIGHTS, **{each.name: 0.0})))[0]
            for each in (fields(core_impact.Weights) if ablation else ())
        }
        return FoundHidden(row, ranks_of([row.hidden], files)[0], files, seconds, without)

    return await run_rows(bench, rows, measured)


def question_of(query: str) -> Question:
    """The question of an issue-like text: its first line is the title, as it is where the bot is asked in that issue."""
    title, _, body = query.strip().partition("\n")
    return read_question(body, title) if body.strip() else read_question(title)


def _spans(ranked: Iterable[Ranked]) -> list[Span]:
    places = ((each.path, each.hit.payload.get("first"), each.hit.payload.get("last")) for each in ranked)
    return [Span(path, first, last) for path, first, last in places if isinstance(first, int) and isinstance(last, int)]


Outcome = TypeVar("Outcome")
Measure = Callable[[R, Stand], Awaitable[Outcome]]


async def run_rows(bench: Bench, rows: Sequence[R], measure: Measure[R, Outcome]) -> tuple[list[Outcome], Cost]:
    """Call `measure` for each row whose commit is there, with the index at that commit; outcomes are in the rows' order."""
    cost = Cost()
    outcomes: dict[int, Outcome] = {}
    done = 0
    for number, name in enumerate(dict.fromkeys(row.repo for row in rows), 1):
        places = [place for place, row in enumerate(rows) if row.repo == name]
        mirror = bench.repositories(name)
        if mirror is None:
            cost.skipped.setdefault(MISSING_REPOSITORY, []).extend(rows[place].id for place in places)
            done += len(places)
            continue
        for place, head in await _in_order(mirror, [(place, rows[place].commit) for place in places]):
            bench.progress(done, len(rows))
            done += 1
            row = rows[place]
            view = await _brought(bench, mirror, number, name, head, cost) if head else MISSING_COMMIT
            if isinstance(view, str):
                cost.skipped.setdefault(view, []).append(row.id)
                continue
            began = time.perf_counter()
            outcomes[place] = await measure(row, Stand(mirror, head, view))
            cost.query_seconds += time.perf_counter() - began
            cost.rows += 1
        await bench.index.forget(number)
    bench.progress(len(rows), len(rows))
    return [outcomes[place] for place in sorted(outcomes)], cost


async def _in_order(mirror: Mirror, wanted: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
    """(place, commit id or "" where it is not there), by the commits' time."""
    resolved: list[tuple[int, str]] = []
    for place, revision in wanted:
        try:
            resolved.append((place, await mirror.resolve(revision)))
        except Gone:
            resolved.append((place, ""))
    times = await mirror.times(head for _, head in resolved if head)
    return sorted(resolved, key=lambda each: (times.get(each[1], 0), each[1], each[0]))


async def _brought(bench: Bench, mirror: Mirror, repo: int, name: str, head: str, cost: Cost) -> View | str:
    """The view at `head` after an incremental run, or why there is none."""
    try:
        ledger = await reindex(
            bench.index, mirror, bench.workers, bench.embedder, repo=repo, scope=BRANCH, head=head, full_name=name
        )
    except Gone:
        return MISSING_COMMIT
    except UserError:
        return MISSING_FILES  # a partial clone without a remote; only git's own reading can tell
    cost.add(ledger)
    if len(ledger.skipped.get(Skip.MISSING.value, ())) > MOST_MISSING:
        return MISSING_FILES
    return await view_of(bench.index, repo)
