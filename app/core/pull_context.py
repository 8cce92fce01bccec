"""What the code outside a pull request has to do with it: the value, and what of it matters most. Reads no git and no index.

Which definitions changed is found in `app.core.changed_symbols`; callers and tests are gathered by `app.steps.pull_context`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from app.core.changed_symbols import BREAKING, ChangedSymbol
from app.core.types import Citation, Evidence

_TEST = re.compile(r"test(?:_|[A-Z0-9]|$)|Test(?:_|[A-Z]|$)|\w+Test$")
_WORD = re.compile(r"\w+|[^\w\s]")

COMMON_NAME = 1000
"""Chunks that call a name before it counts as so common (`get`, `run`) that more of them say nothing."""

NOT_CALLED = frozenset({"constant"})
"""Kinds of definitions that have no call sites to search for."""


@dataclass(frozen=True, slots=True)
class Use:
    """A line that uses a changed symbol, verified at its commit. `symbol` is what holds it, empty at the top of a file.

    `certain` is false where the call may mean another definition of that name. `through` names the function by which a
    test reaches the symbol when it does not call it itself.
    """

    citation: Citation
    symbol: str
    certain: bool
    through: str = ""


@dataclass(frozen=True, slots=True)
class Impact:
    """A changed symbol and who feels it. `callers` and `tests` are outside the change, but for a definition that is gone from its
    place: then they are all calls that still name it. The `more_` counts go beyond those kept.

    `inside` counts callers that the pull request changes itself, `unresolved` calls of the same name on something of unknown
    type, which may or may not be callers. `citation` is the symbol at the head, or where it stood at the
    merge base; `looked_up` is false where the search for callers was left out for its cost.
    """

    symbol: ChangedSymbol
    citation: Citation | None
    callers: tuple[Use, ...] = ()
    more_callers: int = 0
    inside: int = 0
    unresolved: int = 0
    tests: tuple[Use, ...] = ()
    more_tests: int = 0
    related: tuple[Evidence, ...] = ()
    looked_up: bool = True

    @property
    def calls(self) -> int:
        """All callers outside the change, kept or only counted."""
        return len(self.callers) + self.more_callers


@dataclass(frozen=True, slots=True)
class PullContext:
    """What the code outside a pull request has to do with it. `base` is the merge base, `head` the commit that was read.

    `files` counts changed files, `compared` those compared symbol by symbol; `left_out` says how many were not, by reason.
    `changed` counts changed symbols, `impacts` holds the ones kept, most important first; `not_looked_up` counts those whose
    callers were not searched. `findings` is false when there is nothing to tell. `cited` citations were tried, `verified` stand.
    """

    base: str
    head: str
    files: int
    compared: int
    left_out: tuple[tuple[str, int], ...] = ()
    changed: int = 0
    changed_tests: int = 0
    impacts: tuple[Impact, ...] = ()
    not_looked_up: int = 0
    cited: int = 0
    verified: int = 0
    findings: bool = False


def first_to_look_up(symbols: Iterable[ChangedSymbol], mentions: Mapping[str, int]) -> list[ChangedSymbol]:
    """The symbols whose callers are worth searching, most promising first; never by alphabet.

    `mentions` counts the chunks that call something of a name. A name nobody calls is searched last, whatever happened to it.
    """

    def rank(symbol: ChangedSymbol) -> tuple[object, ...]:
        called = mentions.get(before(symbol), 0)
        broken = symbol.change in BREAKING and called > 0
        return (not broken, -min(called, COMMON_NAME), -called, -symbol.size, symbol.place.path, symbol.place.first)

    return sorted((symbol for symbol in symbols if symbol.kind not in NOT_CALLED), key=rank)


def before(symbol: ChangedSymbol) -> str:
    """The name that callers which were not changed still use."""
    return symbol.old.qualified.rsplit(".", 1)[-1] if symbol.old else symbol.name


def ordered(impacts: Iterable[Impact]) -> list[Impact]:
    """By what a reviewer must know first: what may break callers, then how many feel it, then how large the change is."""

    def rank(impact: Impact) -> tuple[object, ...]:
        certain = sum(use.certain for use in impact.callers) + impact.more_callers
        broken = impact.symbol.change in BREAKING and certain > 0
        tests = len(impact.tests) + impact.more_tests
        place = impact.symbol.place
        return (
            not broken,
            -certain,
            -impact.calls,
            -tests,
            -len(impact.related),
            -impact.symbol.size,
            place.path,
            place.first,
        )

    return sorted(impacts, key=rank)


def test_name(symbol: str) -> str:
    """The test that holds a line: `TestCart.test_pay` of `TestCart.test_pay.stub`; other names stay as they are."""
    parts = symbol.split(".")
    tests = [at for at, part in enumerate(parts) if _TEST.match(part)]
    return ".".join(parts[: tests[-1] + 1]) if tests else symbol


def is_named_test(symbol: str) -> bool:
    """Whether a name says that it is a test, and not a fixture or a helper."""
    return _TEST.match(test_name(symbol).rpartition(".")[2]) is not None


def shared_words(one: str, other: str) -> float:
    """How much two pieces of code have in common, word for word, from 0 to 1; their order does not count."""
    words, others = Counter(_WORD.findall(one)), Counter(_WORD.findall(other))
    return 2 * (words & others).total() / max(1, words.total() + others.total())
