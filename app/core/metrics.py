"""How well a ranking holds what it should: strict accuracy, reciprocal rank, recall. Pure arithmetic over ranks.

A rank counts from 1; None stands for "not in the ranking". Shares are percentages with one decimal.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from app.core.rows import Part

FILE_CUTS = (1, 3, 5, 10)
"""Places at which whole files are judged: the first, and what is read before somebody asks otherwise."""
FUNCTION_CUTS = (5, 10)
"""Places at which chunks are judged."""
RECALL_CUTS = (5, 10)
"""Places at which what a change left out is judged."""
TOP = 10
"""First files of a ranking that a report names."""

Rank = int | None


@dataclass(frozen=True, slots=True)
class Span:
    """A returned chunk: lines first..last of a file."""

    path: str
    first: int
    last: int


def files_of(spans: Iterable[Span]) -> list[str]:
    """The files of a ranking of chunks, each where its best chunk stands."""
    return list(dict.fromkeys(span.path for span in spans))


def ranks_of(wanted: Iterable[str], files: Sequence[str]) -> list[Rank]:
    """The rank of each wanted file, in the order given."""
    places = {path: place for place, path in reversed(list(enumerate(files, 1)))}
    return [places.get(path) for path in wanted]


def all_within(ranks: Collection[Rank], cut: int) -> bool:
    """Strict: every rank is at most `cut`. A row that wants nothing is never right."""
    return bool(ranks) and all(rank is not None and rank <= cut for rank in ranks)


def reciprocal_rank(ranks: Iterable[Rank]) -> float:
    """1 / the best rank, 0 where nothing was found."""
    return max((1.0 / rank for rank in ranks if rank is not None), default=0.0)


def function_rank(gold: Iterable[Part], spans: Sequence[Span]) -> Rank:
    """The place of the first chunk that one of the gold line ranges lies inside, whole."""
    ranges = [(part.path, first, last) for part in gold for first, last in part.lines]
    for place, span in enumerate(spans, 1):
        if any(path == span.path and span.first <= first and last <= span.last for path, first, last in ranges):
            return place
    return None


def share(hits: Collection[bool]) -> float:
    """Percent of true ones; 0 of none."""
    return round(100.0 * sum(hits) / len(hits), 1) if hits else 0.0


def accuracy(rows: Collection[Collection[Rank]], cuts: Iterable[int] = FILE_CUTS) -> dict[str, float]:
    """Strict accuracy at each cut, in percent; keys are the cuts as text."""
    return {str(cut): share([all_within(ranks, cut) for ranks in rows]) for cut in cuts}


def recall(ranks: Collection[Rank], cuts: Iterable[int]) -> dict[str, float]:
    """Percent of single ranks within each cut; keys are the cuts as text."""
    return {str(cut): share([rank is not None and rank <= cut for rank in ranks]) for cut in cuts}


def mean_reciprocal_rank(rows: Collection[Iterable[Rank]]) -> float:
    """Between 0 and 1; 0 of no rows."""
    return round(sum(map(reciprocal_rank, rows)) / len(rows), 4) if rows else 0.0
