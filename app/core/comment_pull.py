"""The context comment of a pull request: what the code outside it has to do with it. Silent when that is nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.core.changed_symbols import BREAKING, Change, ChangedSymbol
from app.core.comment_frame import Section, compose, count, marker
from app.core.comment_place import call_row, joined, place
from app.core.pull_context import Impact, PullContext, Use, before
from app.core.sanitize import code_span, fence, inline
from app.core.types import Evidence

OPEN_SYMBOLS = 5
"""Changed symbols that are open; a reviewer reads a screen, the rest is one click away."""

SYMBOLS_SHOWN = 60
"""Changed symbols that are listed at all; the rest is counted."""

CALLERS_SHOWN = 6
"""Callers listed for one symbol."""

TESTS_SHOWN = 4
"""Tests listed for one symbol."""

RELATED_SHOWN = 2
"""Similar places listed for one new symbol."""

SIGNATURE_LENGTH = 300
"""Characters of a signature that are shown."""


def pull_comment(context: PullContext, html_url: str, about: Mapping[str, object]) -> str | None:
    """The context comment, or None when there is nothing to say that the diff does not say itself.

    `about` goes into its marker; `html_url` is the base repository's page: it also has the commits of forks.
    """
    told = [impact for impact in context.impacts if has_findings(impact)]
    if not told:
        return None
    items = [_item(impact, html_url) for impact in told[:SYMBOLS_SHOWN]]
    section = Section("", items, OPEN_SYMBOLS, "changed symbol", "changed symbols", len(told) - len(items))
    return compose(marker("summary", about), _opening(told), [section], _footer(context))


def has_findings(impact: Impact) -> bool:
    """Whether there is anything outside the change to tell about a symbol."""
    return bool(impact.calls or impact.tests or impact.related)


def _opening(told: Sequence[Impact]) -> str:
    """The one thing to know, as a sentence that stands alone in a mail's first line."""
    first = told[0]
    name = code_span(_called(first.symbol))
    certain = sum(use.certain for use in first.callers) + first.more_callers
    calls, verb = count(certain, "call", "calls"), "s" if certain == 1 else ""
    match first.symbol.change:
        case Change.REMOVED if certain:
            text = f"**{name} is removed, but {calls} still name{verb} it.**"
        case Change.RENAMED | Change.MOVED if certain:
            done = "renamed" if first.symbol.change is Change.RENAMED else "moved"
            text = f"**{name} is {done}, but {calls} still name{verb} it as it was.**"
        case Change.SIGNATURE if certain:
            text = f"**{name} has a new signature; {calls} outside this pull request use{verb} it.**"
        case _:
            return f"**{_totals(told)}**"
    rest = _totals(told[1:], " more") if len(told) > 1 else ""
    return f"{text} {rest}".rstrip()


def _totals(told: Sequence[Impact], more: str = "") -> str:
    """ "3 changed symbols are used outside this pull request: 12 calls, 4 tests." """
    used = [impact for impact in told if impact.calls or impact.tests]
    if not used:
        verb = "symbol resembles" if len(told) == 1 else "symbols resemble"
        return f"{len(told):,}{more} new {verb} code that is here already."
    calls = sum(impact.calls for impact in used)
    tests = len({use.citation for impact in used for use in impact.tests}) + max(impact.more_tests for impact in used)
    numbers = [count(calls, "call", "calls") if calls else "", count(tests, "test", "tests") if tests else ""]
    verb = "symbol is" if len(used) == 1 else "symbols are"
    return f"{len(used):,}{more} changed {verb} used outside this pull request: {', '.join(filter(None, numbers))}."


def _item(impact: Impact, html_url: str) -> str:
    """One changed symbol: what happened to it, then who calls it, which tests touch it, what it resembles."""
    symbol = impact.symbol
    where = place(html_url, impact.citation) if impact.citation else code_span(symbol.place.path)
    blocks = [joined([f"**{code_span(symbol.place.qualified)}** {_happened(symbol)}", where])]
    signature = _signature(symbol)
    if signature:
        blocks.append(signature)
    rows = [_row(use, html_url) for use in impact.callers[:CALLERS_SHOWN]]
    rows += _more(impact.calls - len(rows), "caller", "callers")
    rows += [_unresolved_row(impact)] if impact.unresolved and symbol.change in BREAKING else []
    rows += [_test_row(impact, html_url)] if impact.tests else []
    rows += [_related_row(evidence, html_url) for evidence in impact.related[:RELATED_SHOWN]]
    blocks.append("\n".join(f"- {row}" for row in rows))
    return "\n\n".join(blocks)


def _called(symbol: ChangedSymbol) -> str:
    return (
        symbol.old.qualified
        if symbol.old and symbol.change in (Change.RENAMED, Change.MOVED)
        else symbol.place.qualified
    )


def _happened(symbol: ChangedSymbol) -> str:
    old, new = symbol.old, symbol.new
    if symbol.change is Change.RENAMED and old and new:
        moved = f" in {code_span(old.path)}" if old.path != new.path else ""
        return f"was {code_span(old.qualified)}{moved}"
    if symbol.change is Change.MOVED and old:
        return f"moved from {code_span(old.path)}"
    return {Change.BODY: "changed", Change.ADDED: "is new"}.get(symbol.change, symbol.change.value)


def _signature(symbol: ChangedSymbol) -> str:
    if symbol.change is not Change.SIGNATURE or symbol.old is None or symbol.new is None:
        return ""
    old, new = (" ".join(side.signature.split())[:SIGNATURE_LENGTH] for side in (symbol.old, symbol.new))
    return fence(f"- {old}\n+ {new}", "diff")


def _row(use: Use, html_url: str) -> str:
    return call_row(html_url, use.citation, use.symbol, "called at" if use.certain else "possibly called at")


def _unresolved_row(impact: Impact) -> str:
    """What a silent tool would hide: calls that may break, but that nothing here can prove to be callers."""
    name = code_span(before(impact.symbol))
    return f"{count(impact.unresolved, 'call', 'calls')} of {name} on something of unknown type not listed"


def _test_row(impact: Impact, html_url: str) -> str:
    shown = [_test(use, html_url) for use in impact.tests[:TESTS_SHOWN]]
    missing = impact.more_tests + len(impact.tests) - len(shown)
    return f"tested by {', '.join(shown)}{f' and {missing:,} more' if missing else ''}"


def _test(use: Use, html_url: str) -> str:
    name = f"{code_span(use.symbol)} " if use.symbol else ""
    through = f", through {code_span(use.through)}" if use.through else ""
    doubt = "" if use.certain else ", possibly"
    return f"{name}({place(html_url, use.citation)}{through}{doubt})"


def _related_row(evidence: Evidence, html_url: str) -> str:
    name = f"{code_span(evidence.symbol)} at " if evidence.symbol else ""
    return f"resembles {name}{place(html_url, evidence.citation)}"


def _more(number: int, one: str, many: str) -> list[str]:
    return [f"+{number:,} more {one if number == 1 else many}"] if number > 0 else []


def _footer(context: PullContext) -> str:
    """Which commits were read, and what was not covered and why: a reader must not take silence for safety."""
    cited = count(context.cited, "citation", "citations")
    parts = [f"{cited} · {context.verified:,} verified @ {context.head[:7]}", f"changes since {context.base[:7]}"]
    covered = f"{context.compared:,} of {count(context.files, 'changed file', 'changed files')} compared by symbol"
    reasons = ", ".join(f"{number:,} {inline(reason)}" for reason, number in context.left_out)
    parts.append(f"{covered} (not: {reasons})" if reasons else covered)
    if context.not_looked_up:
        parts.append(f"callers of {count(context.not_looked_up, 'further symbol', 'further symbols')} not searched")
    return f"<sub>{joined(parts)}</sub>"
