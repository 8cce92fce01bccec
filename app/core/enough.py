"""Decides whether evidence carries an answer, and which existing names come close to one that does not exist. Pure.

The nearest chunks always exist. Showing them as an answer to a question about something that is not there is the
worst thing a search can do, so an answer must hold what the question is about.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher
from functools import lru_cache

from app.core.named import QUOTED
from app.core.paths import PathTable
from app.core.query import Question
from app.core.signals import defines
from app.core.tokens import tokens

LEAST_COVERAGE = 0.4
"""Share of a short question's subject words that its best evidence must hold, all together."""
LEAST_COVERAGE_LONG = 0.1
"""The same for a whole issue, which tells a story around its subject."""
MOST_TOGETHER = 3
"""Subject words that one piece of evidence must hold: a third of them, but no more than this."""
LONG_SUBJECT = 20
"""Distinct subject words from which a text is a story."""
CLOSE = 0.72
"""Likeness from which a name is offered as a near miss: one typing error in five letters, or a shared longer part."""
LONGEST_SLIP = 32
"""Characters of a name whose typing errors are undone: about 60 candidates a character."""
_LETTERS = "abcdefghijklmnopqrstuvwxyz_"
PLAIN_PATH = 0.8
"""Strength from which a named path is one by its form, with an extension or several folders."""
NEAR_MISSES = 5
"""Names offered."""


def coverage(question: Question, texts: Iterable[str]) -> float:
    """Share of the subject's words, by number, that stand in `texts` (code or prose, with their paths). 1.0 without a subject."""
    subject = _subject(question)
    held = {token for text in texts for token in tokens(text)}
    return sum(_is_held(token, held) for token in subject) / len(subject) if subject else 1.0


def is_thin(question: Question, texts: Iterable[str]) -> bool:
    """Whether `texts`, one a piece of evidence, hold too little of what the question is about to be its answer: too few of
    its words in all, or no piece that holds several together, since single words are found everywhere."""
    pieces = [set(tokens(text)) for text in texts]
    subject = _subject(question)
    least = LEAST_COVERAGE_LONG if len(subject) >= LONG_SUBJECT else LEAST_COVERAGE
    everything = set().union(*pieces)
    if subject and sum(_is_held(token, everything) for token in subject) < least * len(subject):
        return True
    together = min(-(-len(subject) // 3), MOST_TOGETHER)
    best = max((sum(_is_held(token, piece) for token in subject) for piece in pieces), default=0)
    return best < together


def subject_held(question: Question, text: str) -> int:
    """How many of the subject's words a text holds."""
    held = set(tokens(text))
    return sum(_is_held(token, held) for token in question.subject)


def _subject(question: Question) -> list[str]:
    """The subject's words, only parts: a name that does not exist is not counted twice by its joined form."""
    return sorted(token for token in question.subject if not _joined(token, question.subject))


def _is_held(token: str, held: set[str]) -> bool:
    """Whether a word is there in any of its forms: `signed` where `sign`, `signing` where `signed`."""
    return not held.isdisjoint(_forms(token))


@lru_cache(maxsize=1 << 12)
def _forms(token: str) -> frozenset[str]:
    stems = {token}
    for ending in ("s", "es", "ed", "d", "ing", "er", "r"):
        if token.endswith(ending) and len(token) - len(ending) > 2:
            stems.add(token.removesuffix(ending))
    stems |= {stem + "e" for stem in stems} | {stem[:-1] for stem in stems if len(stem) > 4 and stem[-1] == stem[-2]}
    return frozenset(stem + ending for stem in stems for ending in ("", "s", "es", "ed", "ing", "er"))


def closest(name: str, names: Iterable[str], most: int = NEAR_MISSES) -> list[str]:
    """The existing names most like `name`, best first, ties by alphabet; none where nothing comes close."""
    simple = name.rpartition(".")[2]
    scored = [(likeness(simple, each), each) for each in dict.fromkeys(names)]
    found = sorted((-score, each) for score, each in scored if score >= CLOSE)
    return [each for _, each in found[:most]]


def likeness(one: str, other: str) -> float:
    """0 to 1: by letters, or by shared words where there are two of them (`fetch_user_name`, `getUserName`)."""
    first, second = one.lower().replace("_", ""), other.lower().replace("_", "")
    if first == second:
        return 1.0
    parts, others = set(tokens(one)) - {first}, set(tokens(other)) - {second}
    shared = parts & others
    by_words = 0.5 + 0.9 * len(shared) / (len(parts) + len(others)) if len(shared) > 1 else 0.0
    if 2 * min(len(first), len(second)) < CLOSE * (len(first) + len(second)):
        return by_words
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    if matcher.real_quick_ratio() < CLOSE or matcher.quick_ratio() < CLOSE:
        return by_words
    return max(by_words, matcher.ratio())


def spellings(name: str) -> list[str]:
    """Names that `name` may be a slip of: the same words in another style, and every single typing error undone.

    For a look-up in an index of names, which costs the same for a thousand names as for one, where comparing with all
    names of a large repository would take seconds. Bounded by LONGEST_SLIP; sorted.
    """
    simple = name.rpartition(".")[2]
    found = _styles(simple)
    if len(simple) <= LONGEST_SLIP:
        letters = sorted({*_LETTERS, *simple})
        for cut in range(len(simple) + 1):
            head, tail = simple[:cut], simple[cut:]
            found |= {head + letter + tail for letter in letters}
            if tail:
                found.add(head + tail[1:])
                found |= {head + letter + tail[1:] for letter in letters}
            if len(tail) > 1:
                found.add(head + tail[1] + tail[0] + tail[2:])
    return sorted(found - {simple, ""})


def _styles(name: str) -> set[str]:
    """`parse_url`, `parseUrl`, `ParseUrl`, `parseURL`, `PARSE_URL`, `parseurl` of any of them."""
    parts = [part.lower() for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", name)]
    if not parts:
        return set()
    camel = parts[0] + "".join(part.capitalize() for part in parts[1:])
    loud = parts[0] + "".join(part.upper() for part in parts[1:])
    snake = "_".join(parts)
    return {
        snake,
        "_" + snake,
        snake.upper(),
        camel,
        camel[0].upper() + camel[1:],
        loud,
        loud[0].upper() + loud[1:],
        "".join(parts),
    }


def missing_names(question: Question, payloads: Iterable[Mapping[str, object]]) -> tuple[str, ...]:
    """Names that the question states plainly and no chunk of `payloads` defines, in the order they are named.

    The name that is asked for must be there as written (`A.save`, not some save); of others the last part is enough, since
    what stands before it is often a variable (`app.config`).
    """
    chunks = list(payloads)
    plain = [symbol.name for symbol in question.symbols if symbol.strength >= QUOTED]
    return tuple(
        name
        for name in plain
        if not any(defines(each, name if name == question.asked else name.rpartition(".")[2]) for each in chunks)
    )


def missing_paths(question: Question, table: PathTable) -> tuple[str, ...]:
    """Paths that the question states plainly and no file or folder has, as they are written."""
    plain = [each.path for each in question.paths if each.strength >= PLAIN_PATH and not each.module]
    return tuple(path for path in plain if not table.ending(path) and not table.has_folder(path))


def beside_paths(question: Question) -> bool:
    """Whether the question is about more than the paths that it names."""
    named = {token for each in question.paths for token in tokens(each.path)}
    return not question.subject <= named


def calls_or_names(text: str, name: str, called: bool) -> bool:
    """Whether a text holds a name as a word: before a bracket where calls are wanted."""
    simple = re.escape(name)
    after = r"\s*\(" if called else r"(?!\w)"
    return re.search(rf"(?<!\w){simple}{after}", text) is not None


def mentions(texts: Iterable[str], names: Iterable[str]) -> bool:
    """Whether a text holds one of the names as a word: not defined there, but used (a library's, a setting's, a key)."""
    words = "|".join(re.escape(name) for name in names)
    return bool(words) and any(re.search(rf"(?<![\w.])(?:{words})(?!\w)", text) for text in texts)


def _joined(token: str, subject: frozenset[str]) -> bool:
    """Whether a token is the joined form of others (`parseurl` of parse, url)."""
    return any(token != part and token.startswith(part) and token[len(part) :] in subject for part in subject)
