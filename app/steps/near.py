"""What is said where the evidence is not enough: thin, not there, and what there is instead. Ranks and searches no questions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from app.clients.git import Mirror
from app.clients.index import Index
from app.core.asking import SHORT_QUESTION
from app.core.enough import NEAR_MISSES, closest, is_thin, mentions, spellings
from app.core.named import QUOTED
from app.core.query import Question
from app.core.roles import is_test
from app.core.signals import Candidates
from app.core.types import Answer, Evidence, View
from app.steps.candidates import texts
from app.steps.evidence import around, chunks_of, shown_as, verified
from app.steps.graph import find_definitions
from app.steps.view import seen

MOST_MISSING = 3
"""Names that exist nowhere for which near misses are looked for."""
MOST_NEAR = 200
"""Chunks read that define a name one slip away from a missing one."""
FEWEST_NAMES = 12
"""Subject words up to which a question is about its name, so that a name that does not exist leaves nothing to answer."""


@dataclass(frozen=True, slots=True)
class Near:
    """Where near misses are looked for, and for which question."""

    index: Index
    mirror: Mirror
    view: View
    question: Question


async def judged(answer: Answer, near: Near, found: Candidates) -> Answer:
    """The answer as it may be given: thin where it does not hold what was asked, empty where the name asked about is nowhere."""
    question, missing = near.question, answer.missing
    shown = [f"{each.citation.path} {each.symbol} {each.citation.text}" for each in answer.evidence]
    if missing and (question.asked in missing or len(question.subject) <= FEWEST_NAMES):
        names = ", ".join(missing[:MOST_MISSING])
        if not mentions(shown, missing):
            misses = await _misses(near, missing[:MOST_MISSING], found)
            reason = f"Nothing in this repository is called {names}."
            return replace(
                answer, evidence=(), near=misses, thin=True, cited=len(misses), verified=len(misses), reason=reason,
            )  # fmt: skip
        if question.asked in missing:
            return replace(
                answer, reason=f"Nothing in this repository defines {question.asked}; these places mention it."
            )
    if not answer.evidence:
        return replace(answer, thin=True, reason=answer.reason or "Nothing in the indexed files matches.")
    if question.kind == "signature":
        return replace(answer, thin=True)
    if not question.asks_callers and is_thin(question, shown) and not _defines_what_is_quoted(answer, question):
        return replace(answer, thin=True, reason="No place here holds enough of the words of the question.")
    return answer


def _defines_what_is_quoted(answer: Answer, question: Question) -> bool:
    """Whether a short question names code in backticks and its definition is shown: the words around it may be in any language."""
    quoted = {each.name.rpartition(".")[2] for each in question.symbols if each.strength >= QUOTED}
    if answer.missing or len(question.text) > SHORT_QUESTION:
        return False
    return any(each.role == "definition" and each.symbol.rpartition(".")[2] in quoted for each in answer.evidence)


async def _misses(near: Near, missing: Sequence[str], found: Candidates) -> tuple[Evidence, ...]:
    """Definitions with names like the missing ones: of the candidates, and where they have none, one slip away."""
    index, view = near.index, near.view
    names = _closest(missing, (hit.payload for hit in (*found.named, *found.words, *found.meaning)))
    if not names:
        slips = tuple(dict.fromkeys(each for name in missing for each in spellings(name)))
        points = await index.read(view.repo, seen(view, names=slips), fields=("names",), limit=MOST_NEAR)
        names = _closest(missing, (point.payload for point in points))
    definitions = [each for name in names for each in await find_definitions(index, view, name)]
    definitions.sort(key=lambda each: is_test(each.path))  # stable: the closest names stay first
    chunks = await chunks_of(index, view, {each.path for each in definitions[:NEAR_MISSES]})
    places = []
    for each in definitions[:NEAR_MISSES]:
        record = around(chunks.get(each.path, []), each.definition.first)
        if record is not None:
            places.append(shown_as(record, each.definition, 0.0, "near"))
    stand = await verified(near.mirror, view, places, near.question.weights)
    return tuple(each for each in stand if each is not None)


def _closest(missing: Sequence[str], payloads: Iterable[Mapping[str, object]]) -> list[str]:
    names = dict.fromkeys(str(name) for payload in payloads for name in texts(payload.get("names")))
    simple = [name for name in names if "." not in name]
    return list(dict.fromkeys(each for name in missing for each in closest(name, simple)))[:NEAR_MISSES]
