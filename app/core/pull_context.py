"""What the code outside a pull request has to do with it: the value, and what of it matters most. Reads no git and no index.

Which definitions changed is found in `app.core.changed_symbols`; callers and tests are gathered by `app.steps.pull_context`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from app.core.changed_symbols import BREAKING, ChangedSymbol
from app.core.types import Citation, Evidence

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
    """A changed symbol and who feels it. `callers` and `tests` are outside the change; the `more_` counts go beyond those kept.

    `inside` counts callers that the pull request changes itself. `citation` is the symbol at the head, or where it stood at the
    merge base; `looked_up` is false where the search for callers was left out for its cost.
    """

    symbol: ChangedSymbol
    citation: Citation | None
    callers: tuple[Use, ...] = ()
    more_callers: int = 0
    inside: int = 0
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
        broken = impact.symbol.change in BREAKING and bool(impact.callers)
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
