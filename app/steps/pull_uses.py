"""Who uses what a pull request changes: callers and tests outside the change, and code like the new code, each line re-read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from app.clients.embed import Embedder
from app.clients.git import Mirror
from app.clients.index import Index
from app.core.changed_symbols import Change, ChangedSymbol, Place
from app.core.graph import Caller, Found
from app.core.pull_context import Use, is_named_test, shared_words, test_name
from app.core.records import FILE, ChunkRecord, dense_text, read_chunk, read_file
from app.core.roles import is_test, role_of
from app.core.source import line_range, split_lines
from app.core.types import Chunk, Citation, Definition, Evidence, View
from app.steps import evidence
from app.steps.evidence import read_texts, tree_of, verified
from app.steps.graph import find_callers, find_definitions
from app.steps.vectors import vectors_now
from app.steps.view import seen

KEPT_CALLERS = 50
"""Callers of one symbol that are kept and verified; the rest is counted."""

KEPT_TESTS = 20
"""Tests of one symbol that are kept and verified."""

HOPS = 3
"""Callers of one symbol through which tests are looked for; a test three calls away says little."""

ENOUGH_TESTS = 3
"""Tests of its own from which no others are looked for."""

MANY_TESTS = 12
"""Tests that share a caller before it says nothing about one of them."""

LIKE_LINES = 5
"""Lines a new function needs before code like it is looked for; getters are all alike."""

LIKE_SCORE = 0.75
"""Cosine from which code is compared word by word. A copy of a short function with one variable renamed scores 0.83."""

LIKE_WORDS = 0.7
"""Share of words in common from which code is told. Of 2,000 functions of the standard library and five packages 14 % pass
both marks with a function of another file; of 25 read by eye all were twins (synchronous and asynchronous, one format and
another). By the vector alone half of those between 0.75 and 0.8 were not."""

LIKE_KEPT = 2
"""Similar places kept for one new function."""

LIKE_CHARACTERS = 20_000
"""Characters of a function that its vector is computed from; more would be a file, not a function."""

_LIKE_CANDIDATES = 12
_FUNCTIONS = frozenset({"function", "method"})


@dataclass(frozen=True, slots=True)
class Changed:
    """What the pull request itself touches at its head: changed lines by path, and changed definitions by (path, name)."""

    lines: Mapping[str, Sequence[tuple[int, int]]]
    symbols: frozenset[tuple[str, str]]

    def holds(self, caller: Caller) -> bool:
        """Whether a call is part of the change: its line or the definition around it was changed."""
        if (caller.path, caller.symbol) in self.symbols:
            return True
        return any(first <= caller.line <= last for first, last in self.lines.get(caller.path, ()))


@dataclass(frozen=True, slots=True)
class Users:
    """The callers of one symbol, by whether the pull request changes them itself and whether they are tests. `through` maps
    a caller in a test to the function by which it reaches the symbol; `unresolved` counts calls of its name on receivers of
    unknown type."""

    callers: tuple[Caller, ...] = ()
    inside: int = 0
    tests: tuple[Caller, ...] = ()
    through: Mapping[Caller, str] = field(default_factory=dict)
    unresolved: int = 0


async def users_of(index: Index, view: View, changed: Changed, symbol: ChangedSymbol) -> Users:
    """Who calls a changed symbol, by the name that code outside the change uses; nobody where that name still leads to it."""
    target = None if symbol.still_bound else await _target(index, view, symbol)
    if target is None:
        return Users()
    report = await find_callers(index, view, target)
    calls = sorted((*report.exact, *report.possible), key=_order)
    gone = symbol.change in (Change.REMOVED, Change.RENAMED, Change.MOVED)
    outside = [caller for caller in calls if gone or not changed.holds(caller)]
    callers = tuple(caller for caller in outside if not is_test(caller.path))
    tests = _distinct(caller for caller in outside if is_test(caller.path))
    return Users(callers, len(calls) - len(outside), tests, unresolved=report.unresolved)


async def tests_through(index: Index, view: View, changed: Changed, users: Users) -> Users:
    """The users with the tests added that call one of the first callers: one step between the test and the symbol.

    Only where few tests call it themselves; a caller that many tests use (the constructor of the application) tells nothing.
    """
    if len(users.tests) >= ENOUGH_TESTS:
        return users
    tests, through = list(users.tests), dict(users.through)
    exact = [caller for caller in users.callers if caller.confidence == "exact"]
    for path, name in list(dict.fromkeys((caller.path, caller.symbol) for caller in exact))[:HOPS]:
        found = [each for each in await find_definitions(index, view, f"{path}:{name}") if each.path == path]
        for target in found[:1]:
            callers = (await find_callers(index, view, target)).exact
            added = _distinct(caller for caller in callers if is_test(caller.path) and not changed.holds(caller))
            if len(added) <= MANY_TESTS:
                tests += added
                through |= {caller: name for caller in added if caller not in users.tests}
    return replace(users, tests=_distinct(tests, in_order=True), through=through)


def _distinct(tests: Iterable[Caller], in_order: bool = False) -> tuple[Caller, ...]:
    """One call a test, functions that are named tests before fixtures and helpers."""
    first: dict[tuple[str, str], Caller] = {}
    for caller in tests:
        first.setdefault((caller.path, test_name(caller.symbol)), caller)
    return tuple(first.values() if in_order else sorted(first.values(), key=lambda one: not is_named_test(one.symbol)))


def _order(caller: Caller) -> tuple[object, ...]:
    """Proved before possible, product code before the rest, then by place."""
    return (caller.confidence != "exact", role_of(caller.path) != "source", caller.path, caller.line)


async def _target(index: Index, view: View, symbol: ChangedSymbol) -> Found | None:
    """The definition as callers outside the change know it. None where its old file imports the name now: old calls still work."""
    if symbol.change not in (Change.REMOVED, Change.RENAMED, Change.MOVED) or symbol.old is None:
        return _found(symbol, symbol.place)
    first_name = symbol.old.qualified.partition(".")[0]
    for point in await index.read(view.repo, seen(view, FILE, path=(symbol.old.path,))):
        imports = read_file(point.payload).imports
        if any(first_name in (each.alias or each.name, each.module) for each in imports):
            return None
    return _found(symbol, symbol.old)


def _found(symbol: ChangedSymbol, place: Place) -> Found:
    name = place.qualified.rpartition(".")[2]
    definition = Definition(name, place.qualified, symbol.kind, place.first, place.last, place.signature)
    return Found(place.path, definition, symbol.language)


# --- similar code -------------------------------------------------------------------------------------------------


async def similar(
    index: Index, embedder: Embedder, mirror: Mirror, view: View, changed: Changed, new: Mapping[ChangedSymbol, str]
) -> dict[ChangedSymbol, tuple[list[Evidence], int]]:
    """For each new function (mapped to the blob it stands in): functions outside the change that are much like it, verified,
    best first, and how many were tried. Small ones are passed over."""
    texts = await read_texts(mirror, list(dict.fromkeys(new.values())))
    chunks = {
        symbol: _chunk(symbol, texts[blob]) for symbol, blob in new.items() if blob in texts and _is_large(symbol)
    }
    if not chunks:
        return {}
    vectors = await vectors_now(embedder, [dense_text(chunk)[:LIKE_CHARACTERS] for chunk in chunks.values()])
    if vectors is None:
        return {}
    like: dict[ChangedSymbol, tuple[list[Evidence], int]] = {}
    functions = replace(seen(view), match={**seen(view).match, "kind": tuple(sorted(_FUNCTIONS))})
    for symbol, vector in zip(chunks, vectors, strict=True):
        if not vector.any():
            continue
        hits, _ = await index.nearest(view.repo, functions, vector, None, _LIKE_CANDIDATES)
        records = [(read_chunk(hit.payload), hit.score) for hit in hits if hit.score >= LIKE_SCORE]
        best = [(record, score) for record, score in records if _is_like(record, symbol.place, changed)]
        places = [evidence.Place(record, "related", round(score, 3), ("similar",)) for record, score in best]
        stand = await verified(mirror, view, places, {})
        told = [each for each in stand if each and shared_words(chunks[symbol].text, each.citation.text) >= LIKE_WORDS]
        like[symbol] = told[:LIKE_KEPT], len(told[:LIKE_KEPT]) + stand.count(None)
    return like


def _is_large(symbol: ChangedSymbol) -> bool:
    return symbol.kind in _FUNCTIONS and symbol.place.last - symbol.place.first + 1 >= LIKE_LINES


def _chunk(symbol: ChangedSymbol, text: str) -> Chunk:
    place = symbol.place
    body = line_range(text, place.first, place.last)
    return Chunk(
        place.path, symbol.language, symbol.kind, symbol.name, place.qualified, place.qualified.rpartition(".")[0],
        place.signature, "", place.first, place.last, body,
    )  # fmt: skip


def _is_like(record: ChunkRecord, place: Place, changed: Changed) -> bool:
    large = record.last - record.first + 1 >= LIKE_LINES
    own = (record.path, record.qualified) in changed.symbols or (
        record.path == place.path and record.qualified == place.qualified
    )
    return bool(record.name) and large and record.part == 0 and not own and is_test(record.path) == is_test(place.path)


# --- proof --------------------------------------------------------------------------------------------------------


async def proved(mirror: Mirror, view: View, callers: Iterable[Caller]) -> dict[Caller, Citation]:
    """The calling line of each caller that stands: its commit has the very file that was indexed, and the line is not blank."""
    wanted = list(dict.fromkeys(callers))
    scopes = dict.fromkeys(caller.scope for caller in wanted)
    trees = {scope: await tree_of(mirror, view.heads[scope]) for scope in scopes}
    stand = [caller for caller in wanted if trees[caller.scope].get(caller.path) == caller.blob]
    texts = await read_texts(mirror, [caller.blob for caller in stand])
    lines = {blob: split_lines(text) for blob, text in texts.items()}
    cited: dict[Caller, Citation] = {}
    for caller in stand:
        file = lines.get(caller.blob, [])
        if 0 < caller.line <= len(file) and (line := file[caller.line - 1]).strip():
            sha = view.heads[caller.scope]
            cited[caller] = Citation(caller.path, caller.line, caller.line, sha, caller.blob, line)
    return cited


async def standing(mirror: Mirror, places: Sequence[tuple[Place, str, str]]) -> list[Citation | None]:
    """A citation of each definition, given as (place, commit, blob), with its text; None where its lines are not there."""
    texts = await read_texts(mirror, [blob for _, _, blob in places if blob])
    cited: list[Citation | None] = []
    for place, sha, blob in places:
        text = line_range(texts[blob], place.first, place.last) if blob in texts else ""
        cited.append(Citation(place.path, place.first, place.last, sha, blob, text) if text.strip() else None)
    return cited


def as_use(caller: Caller, citation: Citation, through: str = "") -> Use:
    """A proved caller as it is told."""
    symbol = "" if caller.symbol == "<module>" else test_name(caller.symbol) if is_test(caller.path) else caller.symbol
    return Use(citation, symbol, caller.confidence == "exact", through)
