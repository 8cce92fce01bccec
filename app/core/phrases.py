"""Finds the strings that a text quotes (error messages, quotations) and which code holds them word for word. Pure.

A message is often put together (`f"cannot read {path}"`), so a run of its words counts, the longer the better.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

RUN = 3
"""Words in a row that are looked for; two are found everywhere."""
SHORTEST_RUN = 10
"""Characters of such a run; shorter ones ("is not a") are English."""
MOST_WORDS = 16
"""Words of one quotation that are looked for."""
MOST_PHRASES = 8
"""Quotations of one text, error messages first."""
MOST_HOLDERS = 10
"""Files that may hold the longest run; in more of them it is a phrase of the house."""
ERROR_WEIGHT = 2.0
"""An error message against a mere quotation: the program said it, so some code holds it."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A quotation in lower case, by its words."""

    words: tuple[str, ...]
    weight: float = 1.0

    @property
    def runs(self) -> list[str]:
        """Every RUN words in a row that are long enough, in order."""
        starts = range(len(self.words) - RUN + 1)
        runs = [" ".join(self.words[start : start + RUN]) for start in starts]
        return [run if len(run) >= SHORTEST_RUN else "" for run in runs]


_ERROR = re.compile(
    r"^[ \t]{0,40}(?:E[ \t]+|\[?)(?:Exception in thread \S{1,80}[ \t]+|(?:PHP )?Fatal error:[ \t]+|Uncaught[ \t]+|Caused by:[ \t]+)*"
    r"(?:[\w.:\\]{0,120}(?:Error|Exception|Warning|Failure)|panic|fatal|error|warning)\b[^:\n]{0,60}:[ \t]*(\S.{8,400})$",
    re.MULTILINE,
)
_PANIC = re.compile(
    r"panicked at '([^'\n]{8,400})'|^[^:\n]{1,200}:\d+:in [`'][^'\n]{1,80}': (.{8,400}?) \(\w+\)$", re.MULTILINE
)
_QUOTED = re.compile(r'"([^"\n]{10,300})"|(?<!\w)\'([^\'\n]{10,300})\'(?!\w)|`([^`\n]{10,300})`|“([^”\n]{10,300})”')


def find_phrases(text: str) -> tuple[Phrase, ...]:
    """The quotations of `text` with at least RUN words, error messages first, at most MOST_PHRASES."""
    found: dict[tuple[str, ...], float] = {}
    for pattern, weight in ((_ERROR, ERROR_WEIGHT), (_PANIC, ERROR_WEIGHT), (_QUOTED, 1.0)):
        for match in pattern.finditer(text):
            said = next(group for group in match.groups() if group)
            words = tuple(said.strip("\"'` .").lower().split()[:MOST_WORDS])
            if len(words) >= RUN:
                found.setdefault(words, weight)
    return tuple(Phrase(words, weight) for words, weight in list(found.items())[:MOST_PHRASES])


def phrase_scores(phrases: tuple[Phrase, ...], texts: Mapping[str, str]) -> dict[str, float]:
    """Path → how much of the quotations its text holds. Only the files with the longest run of a quotation have it."""
    lower = {path: text.lower() for path, text in texts.items()}
    scores: dict[str, float] = {}
    for phrase in phrases:
        runs = phrase.runs
        lengths = {path: _longest(runs, text) for path, text in lower.items()}
        best = max(lengths.values(), default=0)
        holders = [path for path, length in lengths.items() if length == best]
        if best and len(holders) <= MOST_HOLDERS:
            for path in holders:
                scores[path] = scores.get(path, 0.0) + phrase.weight * best / len(holders)
    return scores


def _longest(runs: list[str], text: str) -> int:
    """Words of the longest part of a quotation that stands in `text`: overlapping runs in a row are one part."""
    best = length = 0
    for run in runs:
        length = (length + 1 if length else RUN) if run and run in text else 0
        best = max(best, length)
    return best
