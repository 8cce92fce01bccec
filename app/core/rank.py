"""Orders what the searches found: weights of the named signals, fusion by rank, caps. Searches nothing itself.

Every signal ranks files; a file's score is the sum of weight / (FUSION_K + rank) over the signals that know it, times the
demotion of its role; the signals of BY_SCORE count by score instead of rank. The weights were measured (see Weights); a
change of one brings figures before and after.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.core.demotion import demotion
from app.core.paths import PathTable
from app.core.query import Question
from app.core.roles import is_test
from app.core.signals import BEST_CHUNKS, Candidates, asked_for, signals_of, symbol_scores_of
from app.core.types import Hit

FUSION_K = 5.0
"""The k of reciprocal rank fusion. Small, so that being first in a list means something (60 flattens all weights)."""
BY_SCORE = frozenset({"words", "told"})
"""Signals whose scores are sums over the same words, so that a gap means something: they count (score / best score)², with
the same worth at the first place. Against ranks, at 5 / 10: 82.8 / 88.9 for 81.7 / 88.1 (360 commits of nine repositories),
70.0 / 79.2 for 70.0 / 78.7 (390 commits of thirteen others). For `meaning`, `chunk` and `symbols` it is level or worse."""
SEEDS = 5
"""Best files whose companions in past commits are looked for."""
CHUNKS_A_FILE = 3
"""Chunks of one file in an answer, so that one large file cannot crowd out the rest."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What each signal is worth in the fusion.

    Measured on 140 Python issues and 360 commits in nine languages, counting a row at k if all files that were then changed are
    among the first k, and checked on 480 commits of sixteen other repositories; figures, halves and what each signal adds stand
    in tests/bench/retrieval.md. The plateau is wide: weights fitted to half of the rows do no better on the other half.
    """

    words: float = 1.0  # sparse BM25 over chunks, best three: the strongest single signal
    chunk: float = 0.25  # the single best chunk: focuses on one place instead of a whole file
    meaning: float = 0.15  # dense: the trained table; 0.15 to 0.5 are level, more loses
    path_words: float = 0.5
    named_path: float = 1.0  # paths, modules and frames quoted in the question: rarely there, then mostly right
    symbols: float = 0.3  # identifiers of the question that the file defines, rarer ones more
    quoting: float = 0.4  # error messages and quotations that stand in the file word for word
    recent: float = 0.4  # how often the file changed of late: where work is done, more is to do
    together: float = 0.3  # what changed in one commit with the best files
    told: float = 0.4  # what was changed by commits whose messages speak of the same
    imported: float = 0.15  # what the best files import
    called: float = 0.15  # what defines the names that the best chunks call
    asked: float = 4.0  # the sentence asks about this very name: its definition comes first


WEIGHTS = Weights()


@dataclass
class Ranked:
    """A chunk with its score and the signals that found it."""

    hit: Hit
    score: float
    reasons: tuple[str, ...] = field(default=())

    @property
    def path(self) -> str:
        """The chunk's file."""
        return str(self.hit.payload["path"])


def rank(
    question: Question, found: Candidates, table: PathTable, limit: int, weights: Weights = WEIGHTS
) -> list[Ranked]:
    """The best `limit` chunks, best first, ties by path and line. Pure: the same candidates give the same order."""
    chunks = found.chunks
    symbol_scores = symbol_scores_of(question, found)
    signals = signals_of(question, found, table, symbol_scores)
    paths = {str(hit.payload["path"]) for hit in chunks.values()}
    best = _fused(question, signals, weights)
    seeds = [path for path in sorted(best, key=lambda path: (-best[path], path)) if not is_test(path)][:SEEDS]
    signals["together"] = found.past.together(seeds, paths)
    files = _fused(question, signals, weights)
    reasons: dict[str, list[str]] = {}
    for name, scores in signals.items():
        for path in scores:
            reasons.setdefault(path, []).append(name)
    inside = _chunk_scores(question, found, symbol_scores, weights)
    by_file: dict[str, list[Hit]] = {}
    for hit in chunks.values():
        by_file.setdefault(str(hit.payload["path"]), []).append(hit)
    ranked: list[Ranked] = []
    for path, hits in by_file.items():
        hits.sort(key=lambda hit: (-inside.get(hit.id, 0.0), _first(hit), hit.id))
        for share, hit in zip(BEST_CHUNKS[:CHUNKS_A_FILE], _apart(hits), strict=False):
            ranked.append(Ranked(hit, files.get(path, 0.0) * share, tuple(reasons.get(path, ()))))
    ranked.sort(key=lambda each: (-each.score, each.path, _first(each.hit)))
    return ranked[:limit]


def _fused(question: Question, signals: Mapping[str, Mapping[str, float]], weights: Weights) -> dict[str, float]:
    """File → sum of weight / (FUSION_K + rank) over its signals, times its demotion."""
    files: dict[str, float] = {}
    for name, scores in signals.items():
        weight = float(getattr(weights, name))
        for path, near in nearness(scores, FUSION_K, by_score=name in BY_SCORE).items():
            files[path] = files.get(path, 0.0) + weight * near
    best_asked = (path for path, position in positions(signals["asked"]).items() if position == 1)
    named = {*signals["named_path"], *best_asked}
    return {path: score * (1.0 if path in named else demotion(question.wants, path)) for path, score in files.items()}


def nearness(scores: Mapping[str, float], k: float, *, by_score: bool = False) -> dict[str, float]:
    """File → what its place in one signal is worth: 1 / (k + rank), or by score (score / best score)² / (k + 1)."""
    if not by_score:
        return {path: 1 / (k + position) for path, position in positions(scores).items()}
    best = max(scores.values(), default=0.0)
    return {path: (score / best) ** 2 / (k + 1) for path, score in scores.items()} if best > 0 else {}


def positions(scores: Mapping[str, float]) -> dict[str, int]:
    """Rank from 1 of each file; equal scores share the better rank, so that no order of names decides."""
    places: dict[str, int] = {}
    before, position = None, 0
    for index, path in enumerate(sorted(scores, key=lambda path: (-scores[path], path)), 1):
        if before is None or scores[path] < before - 1e-9:
            before, position = scores[path], index
        places[path] = position
    return places


def _chunk_scores(
    question: Question, found: Candidates, symbol_scores: Mapping[str, float], weights: Weights
) -> dict[str, float]:
    """Which chunk of a file to show: the same fusion, over chunks."""
    scores: dict[str, float] = {}
    for hits, weight in (
        (found.words, weights.words),
        (found.meaning, weights.meaning),
        (found.placed, weights.named_path),
        (found.remembered, weights.told),
    ):
        for position, hit in enumerate(hits, 1):
            scores[hit.id] = scores.get(hit.id, 0.0) + weight / (FUSION_K + position)
    for hit_id, score in symbol_scores.items():
        scores[hit_id] = scores.get(hit_id, 0.0) + weights.symbols * score
    for hit in found.named:
        if question.asked:
            scores[hit.id] = scores.get(hit.id, 0.0) + weights.asked * asked_for(hit.payload, question.asked)
    return scores


def _apart(hits: Sequence[Hit]) -> list[Hit]:
    """`hits` without those that overlap a better one, so that no line is shown twice."""
    kept: list[Hit] = []
    for hit in hits:
        first, last = _first(hit), _last(hit)
        if all(last < _first(other) or first > _last(other) for other in kept):
            kept.append(hit)
        if len(kept) == CHUNKS_A_FILE:
            break
    return kept


def _first(hit: Hit) -> int:
    return _integer(hit.payload.get("first"))


def _last(hit: Hit) -> int:
    return _integer(hit.payload.get("last"))


def _integer(value: object) -> int:
    return value if isinstance(value, int) else 0
