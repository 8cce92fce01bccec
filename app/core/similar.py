"""Compares code with code: how much of a snippet a definition holds, whatever its layout, comments and names. Pure.

Two readings of the same lexemes: as written, and with every name and value replaced by its kind, which survives renaming.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.core.snippet import KEYWORDS
from app.core.tokens import tokens

LONGEST_CODE = 60_000
"""Characters of one text that are compared; no definition worth finding is longer."""
MOST_READ = 120
"""Texts whose lexemes are compared, those with most of the snippet's words; the others only have words."""
WRITTEN_RUN, FORM_RUN = 4, 7
"""Lexemes in a run as written and in a run of kinds, which needs more to say as much."""
WORDS_SHARE, WRITTEN_SHARE, FORM_SHARE = 0.45, 0.25, 0.30
"""What the three shares of a snippet are worth in its likeness."""
TIGHTNESS = 0.25
"""How much of the likeness goes where the text is far larger than the snippet: the method is meant, not its class."""
FEWEST_RARE = 4
"""Words of a snippet that are called its rarer ones: half of them, those that the fewest of the compared texts hold, but not fewer."""
SURE_RUN = 8
"""Lexemes of a snippet from which standing somewhere word for word says anything."""
SURE_FORM = 30
"""The same for its form alone."""
LIKE = 0.45
"""Likeness from which a text is like the snippet; unrelated code of the same language and project reaches 0.3."""

_LEXEME = re.compile(
    r"(?P<skip>\s+|\"{3}(?:[^\"]|\"(?!\"\"))*+(?:\"{3})|'{3}(?:[^']|'(?!''))*+(?:'{3})|/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
    r"|(?<!:)//[^\n]*|\#(?!include|define|if|el|end|\[|!\[|\w)[^\n]*)"
    r"|(?P<text>\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'|`[^`\n]*+`)|(?P<number>\d[\w.]*)|(?P<name>[^\W\d]\w*)|(?P<mark>.)",
    re.DOTALL,
)


class Likeness(StrEnum):
    """How a text holds a snippet: word for word, in the same form with other names or values, much of it, or too little."""

    SAME = "same code"
    FORM = "same form"
    CLOSE = "close"
    FAR = "far"


@dataclass(frozen=True, slots=True)
class Code:
    """One text, read for comparing. `written` and `form` are its lexemes joined by blanks."""

    written: str
    form: str
    written_runs: frozenset[tuple[str, ...]]
    form_runs: frozenset[tuple[str, ...]]
    length: int


@dataclass(frozen=True, slots=True)
class Match:
    """How the text at `place` in the given order compares: `score` 0 to 1, and how many of the snippet's `rare` words it holds."""

    place: int
    score: float
    likeness: Likeness
    held: int
    rare: int


def read_code(text: str) -> Code:
    """The lexemes of code in any language. Linear in the text; comments and layout do not count."""
    written: list[str] = []
    form: list[str] = []
    for match in _LEXEME.finditer(text[:LONGEST_CODE]):
        kind, lexeme = match.lastgroup, match[0]
        if kind == "skip":
            continue
        written.append(lexeme[1:-1] if kind == "text" else lexeme)
        plain = kind == "mark" or lexeme in KEYWORDS
        form.append(lexeme if plain else {"text": '"', "number": "0"}.get(kind or "", "x"))
    return Code(
        _joined(written),
        _joined(form),
        _runs(written, WRITTEN_RUN),
        _runs(form, FORM_RUN),
        len(form),
    )


def compare(snippet: str, texts: Sequence[str], standing: Sequence[float]) -> list[Match]:
    """How each text holds the snippet, best first, ties in the order given; which words are rare the texts themselves tell.

    `standing`, one a text, is what its score is multiplied by (tests stand back); what is the same code comes first all the same.
    """
    wanted = _words(snippet)
    held = [wanted & _words(text) for text in texts]
    spread = Counter(word for words in held for word in words)
    worth = {word: math.log(1 + (1 + len(texts)) / (1 + spread[word])) for word in sorted(wanted)}
    rare = set(sorted(wanted, key=lambda word: (spread[word], word))[: max(FEWEST_RARE, len(wanted) // 2)])
    shares = [sum(value for word, value in worth.items() if word in words) for words in held]
    code, order, found = read_code(snippet), list(Likeness), []
    for place in sorted(range(len(texts)), key=lambda place: (-shares[place], place))[:MOST_READ]:
        share = shares[place] / (sum(worth.values()) or 1.0) if worth else None
        score, likeness = _likeness(code, read_code(texts[place]), share)
        found.append(Match(place, round(score * standing[place], 6), likeness, len(rare & held[place]), len(rare)))
    return sorted(found, key=lambda each: (min(order.index(each.likeness), 1), -each.score, each.place))


def _words(text: str) -> set[str]:
    return set(tokens(text[:LONGEST_CODE])) - KEYWORDS


def _likeness(code: Code, other: Code, words: float | None) -> tuple[float, Likeness]:
    """`words` is the share of the snippet's words that the other has, None for a snippet without any."""
    parts = [(words or 0.0, 0.0 if words is None else WORDS_SHARE)]
    for own, held, share in (
        (code.written_runs, other.written_runs, WRITTEN_SHARE),
        (code.form_runs, other.form_runs, FORM_SHARE),
    ):
        parts.append((len(own & held) / (len(own) or 1), share if own else 0.0))
    likeness = sum(value * share for value, share in parts) / (sum(share for _, share in parts) or 1.0)
    score = likeness * (1 - TIGHTNESS + TIGHTNESS * min(1.0, code.length / (other.length or 1)))
    if code.length >= SURE_RUN and code.written in other.written:
        return score, Likeness.SAME
    if code.length >= SURE_FORM and code.form in other.form:
        return score, Likeness.FORM
    return score, Likeness.CLOSE if likeness >= LIKE else Likeness.FAR


def _joined(lexemes: Iterable[str]) -> str:
    return " " + " ".join(lexemes) + " "


def _runs(lexemes: Sequence[str], length: int) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(lexemes[at : at + length]) for at in range(len(lexemes) - length + 1))
