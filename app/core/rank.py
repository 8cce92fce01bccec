"""Orders what the searches found: named signals, their weights, fusion by rank, caps and demotions. Searches nothing itself.

Every signal ranks files; a file's score is the sum of weight / (FUSION_K + rank) over the signals that know it, times the
demotion of its role; the signals of BY_SCORE count by score instead of rank. The weights were measured (see Weights); a
change of one brings figures before and after.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from app.core.languages import language_of
from app.core.past import NO_PAST, Past
from app.core.paths import PathTable, dotted_parts
from app.core.query import Question
from app.core.roles import Role, is_gathering, is_settings, is_test, role_of
from app.core.types import Hit

FUSION_K = 5.0
"""The k of reciprocal rank fusion. Small, so that being first in a list means something (60 flattens all weights)."""
BY_SCORE = frozenset({"words", "told"})
"""Signals whose scores are sums over the same words, so that a gap means something: they count (score / best score)², with
the same worth at the first place. Against ranks, at 5 / 10: 82.8 / 88.9 for 81.7 / 88.1 (360 commits of nine repositories),
70.0 / 79.2 for 70.0 / 78.7 (390 commits of thirteen others). For `meaning`, `chunk` and `symbols` it is level or worse."""
BEST_CHUNKS = (1.0, 0.5, 0.25)
"""A file is as good as its best three chunks: several good ones say more than one, with diminishing return."""
SEEDS = 5
"""Best files whose companions in past commits are looked for."""
CHUNKS_A_FILE = 3
"""Chunks of one file in an answer, so that one large file cannot crowd out the rest."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What each signal is worth in the fusion.

    Measured on 88 Python issues and 100 commits in Go, Java, TypeScript, JavaScript and Rust, counting a row at k if all
    files that were then changed are among the first k, at 1 / 5 / 10: 61.4 / 84.1 / 89.8 and 50.0 / 87.0 / 92.0; the weights
    before, without `quoting`, `recent` and `together`: 59.3 / 82.6 / 86.0 (86 of the rows) and 47.0 / 87.0 / 89.0. Of the
    88 rows not seen when the weights were chosen: 71.4 / 92.9 / 92.9 on 28 issues, as before, and 53.3 / 95.0 / 100.0 on 60
    commits, before 51.7 / 96.7 / 98.3. The plateau is wide: each weight a
    quarter up or down moves at most three rows in a hundred. Tried and worth nothing beside these: whole files as documents,
    importers, callees, the words of definitions' names, scripts demoted.
    """

    words: float = 1.0  # sparse BM25 over chunks, best three: the strongest single signal
    chunk: float = 0.25  # the single best chunk: focuses on one place instead of a whole file
    meaning: float = 0.15  # dense: the trained table; 0.15 to 0.5 are level on 69 rows, more loses
    path_words: float = 0.5
    named_path: float = 1.0  # paths, modules and frames quoted in the question: rarely there, then mostly right
    symbols: float = 0.3  # identifiers of the question that the file defines, rarer ones more
    quoting: float = 0.4  # error messages and quotations that stand in the file word for word
    recent: float = 0.4  # how often the file changed of late: where work is done, more is to do
    together: float = 0.3  # what changed in one commit with the best files
    told: float = 0.4  # what was changed by commits whose messages speak of the same
    asked: float = 4.0  # the sentence asks about this very name: its definition comes first


WEIGHTS = Weights()

DEMOTION: Mapping[Role, float] = {
    Role.TEST: 0.35,
    Role.EXAMPLE: 0.4,
    Role.DOC: 0.3,
    Role.VENDORED: 0.3,
    Role.GENERATED: 0.3,
    Role.CONFIG: 0.5,
}
"""What a file's score is multiplied by, unless the question asks for its kind or names the file. Demoted, never dropped."""
STANDING_BACK = 0.35
"""Same, for files of another kind than the question asks for (tests, docs, settings)."""
NO_LANGUAGE = 0.5
"""Same, for files of an unknown kind (`baseline.neon`, `release.asc`)."""
GATHERING = 0.8
"""Same, for files that only gather others (`__init__.py`): they name everything."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """What the searches found, each list best first. Payloads are chunk records (path, first, last, names, part …).

    `named` are chunks that define a name of the question, in any order; `placed` chunks at named paths and frames, the
    plainest first; `remembered` chunks of files that only past commits name. `quoting` tells which files hold what the
    question quotes, `past` what the last commits changed, `told` what those changed whose messages speak of the same.
    `words_only`: there was no vector to search with, so `meaning` is empty.
    """

    words: Sequence[Hit] = ()
    meaning: Sequence[Hit] = ()
    named: Sequence[Hit] = ()
    placed: Sequence[Hit] = ()
    quoting: Mapping[str, float] = field(default_factory=dict)
    past: Past = NO_PAST
    told: Mapping[str, float] = field(default_factory=dict)
    remembered: Sequence[Hit] = ()
    words_only: bool = False


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
    every = (*found.remembered, *found.named, *found.placed, *found.words, *found.meaning)
    chunks = {hit.id: hit for hit in every}
    symbol_scores = _symbol_scores(question, found)
    signals = _signals(question, found, table, symbol_scores, chunks.values())
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
    return {path: score * (1.0 if path in named else _demotion(question, path)) for path, score in files.items()}


def _signals(
    question: Question, found: Candidates, table: PathTable, symbol_scores: Mapping[str, float], hits: Iterable[Hit]
) -> dict[str, dict[str, float]]:
    """Signal → file → score; the keys are the fields of Weights. A file without evidence for a signal is not in it."""
    paths = sorted({str(hit.payload["path"]) for hit in hits})
    path_words = {path: table.word_score(path, question.weights) for path in paths}
    symbols: dict[str, float] = {}
    asked: dict[str, float] = {}
    for hit in found.named:
        path = str(hit.payload["path"])
        score = symbol_scores.get(hit.id, 0.0)
        symbols[path] = symbols.get(path, 0.0) + score
        if question.asked and defines(hit.payload, question.asked):
            asked[path] = max(asked.get(path, 0.0), 1.0 + score) * _demotion(question, path)
    return {
        "words": _best_three(found.words),
        "chunk": _best_one(found.words),
        "meaning": _best_three(found.meaning),
        "path_words": {path: score for path, score in path_words.items() if score > 0},
        "named_path": _best_one(
            [Hit(hit.id, hit.payload, 1.0 / (1 + index)) for index, hit in enumerate(found.placed)]
        ),
        "symbols": {path: score for path, score in symbols.items() if score > 0},
        "quoting": {path: score for path, score in found.quoting.items() if path in path_words},
        "recent": {path: found.past.recent[path] for path in paths if path in found.past.recent},
        "told": {path: found.told[path] for path in paths if path in found.told},
        "asked": asked,
    }


def defines(payload: Mapping[str, object], name: str) -> bool:
    """Whether a chunk defines `name`: simple, or dotted as far as it is written, by its classes (`A.save` is not B's save),
    its file and its folders (`shop.cart.A.save`)."""
    listed = payload.get("names")
    names = [str(each) for each in listed] if isinstance(listed, list | tuple) else []
    if "." not in name:
        return name in names
    wanted = name.split(".")
    whole = [each for each in names if each.rpartition(".")[2] == wanted[-1]]
    # The list holds each qualified name and its last part: that part is a name of its own only where it is alone.
    whole = [each for each in whole if "." in each] or whole
    return any(dotted_parts(str(payload["path"]), each)[-len(wanted) :] == wanted for each in whole)


def _symbol_scores(question: Question, found: Candidates) -> dict[str, float]:
    """Chunk id → sum of strength × rarity over the names it defines; a name that a hundred places define says little."""
    strengths: dict[str, float] = {}
    for symbol in question.symbols:
        strengths[symbol.simple] = max(strengths.get(symbol.simple, 0.0), symbol.strength)
    for frame in question.frames:
        if frame.function:
            simple = frame.function.rsplit(".", 1)[-1]
            strengths[simple] = max(strengths.get(simple, 0.0), 0.5)
    spread: dict[str, int] = {}
    for hit in found.named:
        for name in _names_of(hit) & strengths.keys():
            spread[name] = spread.get(name, 0) + 1
    scores: dict[str, float] = {}
    for hit in found.named:
        total = 0.0
        for name in sorted(_names_of(hit) & strengths.keys()):
            total += strengths[name] / spread[name]
        scores[hit.id] = total
    return scores


def _names_of(hit: Hit) -> set[str]:
    names = hit.payload.get("names")
    return {str(name) for name in names} if isinstance(names, list | tuple) else set()


def _best_three(hits: Sequence[Hit]) -> dict[str, float]:
    """File → weighted sum of its best three chunk scores (`hits` are best first)."""
    taken: dict[str, int] = {}
    scores: dict[str, float] = {}
    for hit in hits:
        path = str(hit.payload["path"])
        place = taken.get(path, 0)
        if place < len(BEST_CHUNKS):
            taken[path] = place + 1
            scores[path] = scores.get(path, 0.0) + BEST_CHUNKS[place] * hit.score
    return scores


def _best_one(hits: Sequence[Hit]) -> dict[str, float]:
    scores: dict[str, float] = {}
    for hit in hits:
        scores.setdefault(str(hit.payload["path"]), hit.score)
    return scores


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
        if question.asked and defines(hit.payload, question.asked):
            scores[hit.id] = scores.get(hit.id, 0.0) + weights.asked
    return scores


def _demotion(question: Question, path: str) -> float:
    role = role_of(path)
    if any(_is_wanted(kind, role, path) for kind in question.wants):
        return 1.0
    factor = DEMOTION.get(role, NO_LANGUAGE if _is_of_unknown_kind(path) else 1.0)
    factor *= GATHERING if is_gathering(path) else 1.0
    return factor * STANDING_BACK if question.wants else factor


def _is_of_unknown_kind(path: str) -> bool:
    """Whether the name's ending is that of no language; a name without one may be a script."""
    return "." in path.rpartition("/")[2] and not language_of(path)


def _is_wanted(kind: str, role: Role, path: str) -> bool:
    if kind == "settings":
        return role in {Role.CONFIG, Role.SOURCE} and (role is Role.CONFIG or is_settings(path))
    return role is (Role.TEST if kind == "tests" else Role.DOC)


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
