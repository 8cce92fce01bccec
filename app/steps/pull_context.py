"""Gathers what the code outside a pull request has to do with it: changed symbols, their callers, tests, similar code.

Every line that is cited is read from the blob of the commit it is cited at. The work is bounded whatever the size of the
pull request: what is left out is counted, and what matters most is looked up first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.clients.embed import Embedder
from app.clients.git import Mirror
from app.clients.index import Index
from app.clients.workers import Workers
from app.core.changed_symbols import Change, ChangedSymbol, settle
from app.core.graph import CONSTRUCTORS, Caller
from app.core.pull_context import NOT_CALLED, Impact, PullContext, before, first_to_look_up, ordered
from app.core.roles import is_test
from app.core.types import Citation, Evidence, View
from app.steps.pull_files import Compared, compare_files
from app.steps.pull_uses import (
    KEPT_CALLERS,
    KEPT_TESTS,
    Changed,
    Users,
    as_use,
    proved,
    similar,
    standing,
    tests_through,
    users_of,
)
from app.steps.view import seen

__all__ = ["pull_context"]

MOST_LOOKED_UP = 60
"""Changed symbols whose callers are searched, a few index reads each: some seconds for the largest change."""

MOST_STEPS = 30
"""Symbols for which tests are also looked for one call further away, up to three searches each."""

MOST_SIMILAR = 12
"""New functions for which similar code is searched, one vector search each."""

MOST_KEPT = 120
"""Impacts that are kept: those looked up, and the largest of the others."""

NAMES_A_READ = 256
"""Names in one filter."""

MOST_NAMES = 4096
"""Names of changed symbols whose mentions are counted, the largest changes first."""

MOST_MENTIONS = 20_000
"""Chunks read to count the mentions of one batch of names, some 100 bytes each."""


async def pull_context(
    index: Index,
    embedder: Embedder,
    mirror: Mirror,
    view: View,
    *,
    base: str,
    head: str,
    workers: Workers | None = None,
) -> PullContext:
    """What a pull request from `base` to `head` (commit ids, both in the mirror) means to the rest of the repository.

    `view` is the pull request's (the branch with its overlay); `base` may be any commit of the target, the merge base is
    found here. `workers` is the pool of `reindex`, used for blobs that the index does not hold. The same input gives the same
    value. Raises Gone where a commit is not there.
    """
    since = await mirror.merge_base(base, head) or base
    diff = await mirror.diff(since, head)
    compared = await compare_files(index, mirror, view, diff, workers)
    symbols = settle(compared.changes)
    shown = [symbol for symbol in symbols if not is_test(symbol.place.path)]
    changed = _changed(compared, symbols)
    candidates, unsearched = await _candidates(index, view, shown)
    users = {symbol: await users_of(index, view, changed, symbol) for symbol in candidates}
    for symbol in candidates[:MOST_STEPS]:
        users[symbol] = await tests_through(index, view, changed, users[symbol])
    read = _Read(since, head, {each.path: each.old_blob for each in diff}, {each.path: each.new_blob for each in diff})
    like = await similar(index, embedder, mirror, view, changed, _new_functions(shown, read))
    impacts, cited, verified = await _impacts(mirror, view, read, _kept(shown, users, like), users, like)
    return PullContext(
        base=since,
        head=head,
        files=len(diff),
        compared=len(compared.changes),
        left_out=tuple(sorted(compared.left_out.items(), key=lambda row: (-row[1], row[0]))),
        changed=len(shown),
        changed_tests=len(symbols) - len(shown),
        impacts=tuple(ordered(impacts)),
        not_looked_up=unsearched,
        cited=cited,
        verified=verified,
        findings=any(impact.calls or impact.tests or impact.related for impact in impacts),
    )


@dataclass(frozen=True, slots=True)
class _Read:
    """The two commits that were compared, and the blobs of the changed files on either side by path."""

    since: str
    head: str
    old: Mapping[str, str]
    new: Mapping[str, str]

    def commit(self, symbol: ChangedSymbol) -> str:
        """The commit at which a symbol is shown."""
        return self.head if symbol.new else self.since

    def blob(self, symbol: ChangedSymbol) -> str:
        """The blob in which a symbol stands at that commit."""
        return (self.new if symbol.new else self.old)[symbol.place.path]


def _changed(compared: Compared, symbols: Iterable[ChangedSymbol]) -> Changed:
    lines = {change.path: change.lines for change in compared.changes}
    return Changed(lines, frozenset((symbol.new.path, symbol.new.qualified) for symbol in symbols if symbol.new))


async def _candidates(index: Index, view: View, symbols: Sequence[ChangedSymbol]) -> tuple[list[ChangedSymbol], int]:
    """The symbols whose callers are searched, and how many more are called by something but not searched."""
    callable_ones = [symbol for symbol in symbols if symbol.kind not in NOT_CALLED]
    by_size = sorted(callable_ones, key=lambda symbol: (-symbol.size, symbol.place.path, symbol.place.first))
    names = list(dict.fromkeys(name for symbol in by_size for name in _called(symbol)))
    mentions: Counter[str] = Counter()
    for start in range(0, min(len(names), MOST_NAMES), NAMES_A_READ):
        some = tuple(names[start : min(start + NAMES_A_READ, MOST_NAMES)])
        points = await index.read(view.repo, seen(view, call_names=some), fields=("call_names",), limit=MOST_MENTIONS)
        wanted = set(some)
        for point in points:
            called = point.payload["call_names"]
            mentions.update(wanted.intersection(called) if isinstance(called, list) else ())
    counts = {before(symbol): max(mentions[name] for name in _called(symbol)) for symbol in callable_ones}
    called = [symbol for symbol in first_to_look_up(callable_ones, counts) if counts[before(symbol)]]
    uncounted = sum(not set(_called(symbol)) & set(names[:MOST_NAMES]) for symbol in callable_ones)
    return called[:MOST_LOOKED_UP], max(0, len(called) - MOST_LOOKED_UP) + uncounted


def _called(symbol: ChangedSymbol) -> tuple[str, ...]:
    """The names that calls of a symbol may use: its own, and its class's, since constructors are called by it."""
    qualified = symbol.old.qualified if symbol.old else symbol.place.qualified
    owner = qualified.rpartition(".")[0].rpartition(".")[2]
    return (before(symbol), owner) if owner and before(symbol) in CONSTRUCTORS | {owner} else (before(symbol),)


def _new_functions(symbols: Sequence[ChangedSymbol], read: _Read) -> dict[ChangedSymbol, str]:
    """The largest new definitions, with the blob each stands in."""
    new = [symbol for symbol in symbols if symbol.change is Change.ADDED]
    largest = sorted(new, key=lambda symbol: (-symbol.size, symbol.place.path, symbol.place.first))[:MOST_SIMILAR]
    return {symbol: read.blob(symbol) for symbol in largest}


# --- putting it together ------------------------------------------------------------------------------------------


_Like = Mapping[ChangedSymbol, tuple[list[Evidence], int]]


def _kept(symbols: Sequence[ChangedSymbol], users: Mapping[ChangedSymbol, Users], like: _Like) -> list[ChangedSymbol]:
    """The symbols that are told: all with users or something similar, and the largest of the others."""
    told = [symbol for symbol in symbols if symbol in users or (symbol in like and like[symbol][0])]
    others = sorted(set(symbols) - set(told), key=lambda symbol: (-symbol.size, symbol.place.path, symbol.place.first))
    return [*told, *others[: max(0, MOST_KEPT - len(told))]]


async def _impacts(
    mirror: Mirror,
    view: View,
    read: _Read,
    symbols: Sequence[ChangedSymbol],
    users: Mapping[ChangedSymbol, Users],
    like: _Like,
) -> tuple[list[Impact], int, int]:
    """The impacts with proved lines only; how many citations were tried and how many of them stand."""
    lists = {symbol: (user.callers[:KEPT_CALLERS], user.tests[:KEPT_TESTS]) for symbol, user in users.items()}
    calls = await proved(mirror, view, (caller for both in lists.values() for some in both for caller in some))
    places = [(symbol.place, read.commit(symbol), read.blob(symbol)) for symbol in symbols]
    definitions = await standing(mirror, places)
    impacts = [
        _impact(symbol, definition, users.get(symbol, Users()), calls, like.get(symbol, ([], 0))[0])
        for symbol, definition in zip(symbols, definitions, strict=True)
    ]
    cited = {caller for both in lists.values() for some in both for caller in some}
    related = [evidence for symbol in symbols for evidence in like.get(symbol, ([], 0))[0]]
    tried = len(cited) + len(definitions) + sum(number for _, number in like.values())
    stand = len(calls) + sum(definition is not None for definition in definitions) + len(related)
    return impacts, tried, stand


def _impact(
    symbol: ChangedSymbol,
    citation: Citation | None,
    users: Users,
    calls: Mapping[Caller, Citation],
    like: Sequence[Evidence],
) -> Impact:
    callers = tuple(as_use(one, calls[one]) for one in users.callers[:KEPT_CALLERS] if one in calls)
    tests = tuple(
        as_use(one, calls[one], users.through.get(one, "")) for one in users.tests[:KEPT_TESTS] if one in calls
    )
    return Impact(
        symbol=symbol,
        citation=citation,
        callers=callers,
        more_callers=max(0, len(users.callers) - KEPT_CALLERS),
        inside=users.inside,
        unresolved=users.unresolved,
        tests=tests,
        more_tests=max(0, len(users.tests) - KEPT_TESTS),
        related=tuple(like),
    )
