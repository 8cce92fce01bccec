"""What a pull request's context found, one by one: by section, with how sure it is and the lines that prove it. Renders nothing.

The comment, the check's annotations and `coderag pull --json` all tell these.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from app.core.changed_symbols import BREAKING
from app.core.pull_context import Impact, PullContext, Use
from app.core.types import Citation, Evidence


class Section(StrEnum):
    """The parts of the context comment, in their order."""

    CONTRACT = "contract"
    CHANGED = "changed"
    TESTS = "tests"
    ALREADY_HERE = "already here"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that the diff does not show. `says` is a plain sentence with foreign names in it, not Markdown.

    `about` names the changed symbol or file, `path` and `line` where it stands at the head (line 0: only at the base).
    `confidence` is exact, possible, similar or a share such as "9/10". `citations` are the lines that prove it, each read
    back from its commit.
    """

    section: Section
    about: str
    path: str
    line: int
    confidence: str
    says: str
    citations: tuple[Citation, ...]


def findings_of(context: PullContext) -> list[Finding]:
    """All findings, section by section, in the order of the comment."""
    found = [each for impact in context.impacts for each in _of_symbol(impact)]
    order = {section: at for at, section in enumerate(Section)}
    return sorted(found, key=lambda each: order[each.section])


def _of_symbol(impact: Impact) -> Iterator[Finding]:
    for use in impact.callers:
        section = Section.CONTRACT if impact.symbol.change in BREAKING else Section.CHANGED
        yield _finding(
            impact, section, _confidence(use), f"calls {impact.symbol.name} outside this pull request", use.citation
        )
    for use in impact.tests:
        through = f", through {use.through}" if use.through else ""
        yield _finding(impact, Section.TESTS, _confidence(use), f"tests it{through}", use.citation)
    for evidence in impact.related:
        yield _finding(impact, Section.ALREADY_HERE, "similar", _like(evidence), evidence.citation)


def _finding(impact: Impact, section: Section, confidence: str, says: str, citation: Citation) -> Finding:
    symbol = impact.symbol
    line = symbol.new.first if symbol.new else 0
    text = f"{citation.path}:{citation.first} {says}"
    return Finding(section, symbol.place.qualified, symbol.place.path, line, confidence, text, (citation,))


def _confidence(use: Use) -> str:
    return "exact" if use.certain else "possible"


def _like(evidence: Evidence) -> str:
    return f"resembles it as {evidence.symbol}" if evidence.symbol else "resembles it"
