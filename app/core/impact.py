"""What else a change must touch: named signals over files, fused by rank. Pure: the history and the graph are given to it.

Each signal maps a path to a score, higher is nearer; a file without evidence is not in it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.core.languages import language_of
from app.core.rank import nearness
from app.core.roles import Role, role_of
from app.core.tokens import tokens

Scores = Mapping[str, float]

FUSION_K = 2.0
"""The k of reciprocal rank fusion. Smaller than in `core.rank`: the first place of a list means more here. Against 5 it moved
recall at 5 from 75.0 to 75.4 and from 71.2 to 72.9 on two halves of the repositories measured."""
BY_SCORE = frozenset({"words", "imports"})
"""Signals that count by score instead of rank, as in `core.rank`: 75.8 / 84.0 instead of 75.2 / 83.8."""
MOST_FILES = 40
"""Files of a commit beyond which it tells nothing about which two belong together: a release, a formatting, an import."""
HALF_LIFE = 300
"""Commits after which one counts half: what belonged together years ago may have been taken apart."""
UNSEEN = 1.0
"""Commits added to a file's own count, so that one shared commit out of one is no certainty."""
FAME = 0.25
FAME_FLOOR = 3.0
"""A file's co-change is divided by (its own commits + FAME_FLOOR) ** FAME: what changes with everything says less."""
SAME_STEM = 3.0
INSIDE_STEM = 1.0
SAME_FOLDER = 0.5
SHARED_WORDS = 2.0
LEAST_ALIKE = 0.3
"""What alike names are worth: the same stem (test and source), one inside the other, the same folder, shared rare words."""
MOST_TWINS = 4
"""Files of one stem beyond which it is no name of anything (`index`, `mod`)."""
NO_STEMS = frozenset({"", "index", "init", "mod", "main", "readme"})
"""Stems that every folder may have."""
SHORTEST_INSIDE = 4
"""Letters of a stem that may be found inside another: `io` is inside half of all names."""

_TEST_AFFIX = re.compile(
    r"^(?:test|spec)[-_.]|[-_.](?:tests?|spec|unittest)$|(?<=[a-z0-9])(?:Tests?|Spec|IT)$|^Test(?=[A-Z])"
)


@dataclass(frozen=True, slots=True)
class Weights:
    """What each signal is worth in the fusion.

    Measured on 480 changes of twelve repositories, one file of each hidden: it is among the first 5 in 75.8 %, among the first
    10 in 84.0 %; on the two halves of the repositories 75.8 / 84.6 and 75.4 / 83.3. The plateau is wide: weights fitted to half
    of the repositories do no better on the other half (74.8 / 83.3). What each signal adds stands in tests/bench/retrieval.md.
    """

    together: float = 1.0  # changed in the same commits before: the strongest single signal
    around: float = 0.35  # changed in the same commits as other files of the folder
    active: float = 0.35  # changes often, of late
    names: float = 0.3  # the same stem, shared words, the same folder
    twins: float = 0.5  # the same stem, which few others have: a test and its source, a header and its body
    callers: float = 0.3  # calls what is changed
    callees: float = 0.3  # is called by what is changed
    imports: float = 0.2  # imports a changed file, or is imported by one
    words: float = 0.35  # holds the words of the changed code
    meaning: float = 0.2  # lies near the changed code


WEIGHTS = Weights()

DEMOTION = 0.3
"""What the score of a file is multiplied by that is no code of this project: prose, settings, generated, vendored. It changes
with everything, and is seldom what was forgotten."""
NO_CODE = frozenset({"", "markdown", "restructuredtext", "text", "json", "yaml", "toml", "xml", "ini"})
NOT_OURS = frozenset({Role.GENERATED, Role.VENDORED})


@dataclass(frozen=True, slots=True)
class Impacted:
    """A file that may have to change too, with its score and the signals that found it."""

    path: str
    score: float
    reasons: tuple[str, ...]


def together(changed: Collection[str], commits: Iterable[Sequence[str]]) -> dict[str, float]:
    """Co-change: for each changed file the share of its commits that touched the other too, summed.

    `commits` are the paths of each commit, newest first: one HALF_LIFE commits back counts half. A commit also counts
    1 / (its other files), so that large ones say little, and as often as it holds changed files.
    """
    own: dict[str, float] = {}
    fame: dict[str, float] = {}
    shared: dict[str, dict[str, float]] = {path: {} for path in changed}
    for number, paths in enumerate(commits):
        weight = 0.5 ** (number / HALF_LIFE)
        for path in paths:
            fame[path] = fame.get(path, 0.0) + weight
        touched = [path for path in paths if path in shared]
        for path in touched:
            own[path] = own.get(path, 0.0) + weight
        if touched and 2 <= len(paths) <= MOST_FILES:
            for other in paths:
                if other not in shared:
                    for path in touched:
                        share = weight * len(touched) / (len(paths) - 1)
                        shared[path][other] = shared[path].get(other, 0.0) + share
    scores: dict[str, float] = {}
    for path, others in shared.items():
        for other, share in others.items():
            scores[other] = scores.get(other, 0.0) + share / (own[path] + UNSEEN)
    return {path: score / (fame[path] + FAME_FLOOR) ** FAME for path, score in scores.items()}


def around(changed: Collection[str], commits: Iterable[Sequence[str]]) -> dict[str, float]:
    """Co-change one step wider: what changed in the same commits as other files of the changed files' folders.

    For a file that is new or seldom changed its folder's history speaks. `commits` as for `together`.
    """
    folders = {_folder(path) for path in changed}
    fame: dict[str, float] = {}
    scores: dict[str, float] = {}
    for number, paths in enumerate(commits):
        weight = 0.5 ** (number / HALF_LIFE)
        for path in paths:
            fame[path] = fame.get(path, 0.0) + weight
        inside = [path for path in paths if _folder(path) in folders]
        if inside and 2 <= len(paths) <= MOST_FILES:
            for path in paths:
                others = len(inside) - (_folder(path) in folders)
                if others and path not in changed:
                    scores[path] = scores.get(path, 0.0) + weight * others / (len(paths) - 1)
    return {path: score / (fame[path] + FAME_FLOOR) ** FAME for path, score in scores.items()}


def active(changed: Collection[str], commits: Iterable[Sequence[str]]) -> dict[str, float]:
    """How much each file changes at all, newer commits more. `commits` as for `together`."""
    scores: dict[str, float] = {}
    for number, paths in enumerate(commits):
        if len(paths) <= MOST_FILES:
            for path in paths:
                scores[path] = scores.get(path, 0.0) + 0.5 ** (number / HALF_LIFE)
    return {path: score for path, score in scores.items() if path not in changed}


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def alike(changed: Iterable[str], paths: Collection[str]) -> dict[str, float]:
    """Matching names and folder: how much the path of each file resembles that of a changed one, the best of them."""
    words = {path: frozenset(tokens(path.rpartition(".")[0] or path)) for path in paths}
    spread = Counter(word for each in words.values() for word in each)
    rarity = {word: math.log(1 + len(words) / (1 + count)) for word, count in spread.items()}
    stems = {path: stem_of(path) for path in paths}
    given = [
        (stem_of(path), path.rpartition("/")[0], frozenset(tokens(path.rpartition(".")[0] or path))) for path in changed
    ]
    scores: dict[str, float] = {}
    for path in paths:
        best = max(
            (
                _stem_score(stems[path], stem)
                + (SAME_FOLDER if folder == _folder(path) else 0.0)
                + SHARED_WORDS * _overlap(words[path], own, rarity)
                for stem, folder, own in given
            ),
            default=0.0,
        )
        if best >= LEAST_ALIKE:
            scores[path] = best
    return scores


def twins(changed: Collection[str], paths: Collection[str]) -> dict[str, float]:
    """Files with the stem of a changed one, which at most MOST_TWINS have: 1 / (how many of them there are)."""
    alike: dict[str, list[str]] = {stem_of(path): [] for path in changed}
    for path in paths:
        if path not in changed and (stem := stem_of(path)) in alike:
            alike[stem].append(path)
    return {
        path: 1 / len(found)
        for stem, found in alike.items()
        if stem not in NO_STEMS and len(found) <= MOST_TWINS
        for path in found
    }


def stem_of(path: str) -> str:
    """A file's name without what makes it a test, an extension or a form of writing: `tests/test_form_data.py` gives `formdata`."""
    name = path.rpartition("/")[2].split(".", 1)[0]
    bare = _TEST_AFFIX.sub("", name) or name
    return re.sub(r"[\W_]", "", bare).lower()


def _stem_score(one: str, other: str) -> float:
    if one and one == other:
        return SAME_STEM
    inside = (one in other or other in one) and min(len(one), len(other)) >= SHORTEST_INSIDE
    return INSIDE_STEM if inside else 0.0


def _overlap(one: frozenset[str], other: frozenset[str], rarity: Scores) -> float:
    whole = sum(rarity.get(word, 0.0) for word in one | other)
    return sum(rarity.get(word, 0.0) for word in one & other) / whole if whole else 0.0


def fused(signals: Mapping[str, Scores], shown: Collection[str], weights: Weights = WEIGHTS) -> list[Impacted]:
    """All files that any signal knows but the change does not show, best first, ties by path."""
    scores: dict[str, float] = {}
    reasons: dict[str, list[str]] = {}
    for name, own in signals.items():
        weight = float(getattr(weights, name))
        for path, near in nearness(own, FUSION_K, by_score=name in BY_SCORE).items():
            scores[path] = scores.get(path, 0.0) + weight * near
            reasons.setdefault(path, []).append(name)
    ranked = [
        Impacted(path, score * _demotion(path), tuple(reasons[path]))
        for path, score in scores.items()
        if path not in shown
    ]
    return sorted(ranked, key=lambda each: (-each.score, each.path))


def _demotion(path: str) -> float:
    return DEMOTION if language_of(path) in NO_CODE or role_of(path) in NOT_OURS else 1.0
