"""What a repository's history says about its files: which change often of late, which change together, and which were changed
by commits that speak of the same. Reads no history."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from app.core.messages import Messages
from app.core.roles import is_test

HALF = 100
"""Commits ago at which a change counts half."""
SMALL_COMMIT = 4
"""Files up to which a commit is one idea; a change in a larger one counts half."""
SWEEPING_COMMIT = 30
"""Files from which a commit (a rename, a new formatter) says nothing about any of them."""
MOST_TOGETHER = 12
"""Files of a commit up to which they are said to change together."""
SEED_RANK = 3.0
"""How fast the best files' say in what changes with them falls: 1 / (SEED_RANK + place)."""
MOST_ALIKE = 20
"""Commits whose messages are nearest to a question and that count; of more, the last say little of it."""
HALF_TOLD = 1500
"""Commits ago at which a message counts half: what a part of the project is called outlives its code."""


@dataclass(frozen=True)
class Past:
    """The paths that each of the last commits changed, newest first, and what follows from them. `messages` are theirs, in
    the same order, or none."""

    commits: tuple[tuple[str, ...], ...] = ()
    messages: Messages = field(default_factory=Messages, repr=False, compare=False)
    recent: dict[str, float] = field(init=False, repr=False, compare=False)
    _commits_of: dict[str, list[tuple[str, ...]]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        recent: dict[str, float] = {}
        commits_of: dict[str, list[tuple[str, ...]]] = {}
        for place, paths in enumerate(self.commits):
            if len(paths) > SWEEPING_COMMIT:
                continue
            worth = 1 / (1 + place / HALF) / (1 if len(paths) <= SMALL_COMMIT else 2)
            code = tuple(path for path in paths if not is_test(path))
            for path in paths:
                recent[path] = recent.get(path, 0.0) + worth
            if 2 <= len(code) <= MOST_TOGETHER:
                for path in code:
                    commits_of.setdefault(path, []).append(code)
        object.__setattr__(self, "recent", recent)
        object.__setattr__(self, "_commits_of", commits_of)

    def together(self, seeds: Sequence[str], among: Collection[str]) -> dict[str, float]:
        """Those of `among` that changed in one commit with a seed: more for the better seed, the smaller commit, the more often."""
        scores: dict[str, float] = {}
        for place, seed in enumerate(seeds):
            for paths in self._commits_of.get(seed, ()):
                for path in paths:
                    if path != seed and path in among:
                        scores[path] = scores.get(path, 0.0) + 1 / (SEED_RANK + place) / len(paths)
        return scores

    def told(self, weights: Mapping[str, float], among: Collection[str]) -> dict[str, float]:
        """Those of `among` that were changed by the commits whose messages are nearest to a question (token → weight): more
        for the nearer message, the later commit, the fewer files of it."""
        near = {place: score * 0.5 ** (place / HALF_TOLD) for place, score in self.messages.scores(weights).items()}
        telling = [place for place in near if 0 < len(self.commits[place]) <= SWEEPING_COMMIT]
        scores: dict[str, float] = {}
        for place in sorted(telling, key=lambda place: (-near[place], place))[:MOST_ALIKE]:
            paths = self.commits[place]
            code = sum(not is_test(path) and path in among for path in paths)
            for path in paths if code <= MOST_TOGETHER else ():
                if path in among:
                    scores[path] = scores.get(path, 0.0) + near[place] / max(1, code) ** 0.5
        return scores


NO_PAST = Past()
