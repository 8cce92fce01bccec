"""What is said where the evidence is not enough: thin, not there, and what there is instead. Ranks and searches no questions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from app.clients.git import Mirror
from app.clients.index import Index
from app.core.asking import SHORT_QUESTION
from app.core.enough import (
    NEAR_MISSES,
    beside_paths,
    calls_or_names,
    closest,
    is_thin,
    mentions,
    missing_paths,
    spellings,
    subject_held,
)
from app.core.named import QUOTED, SHAPED
from app.core.query import Question
from app.core.roles import is_test
from app.core.signals import Candidates
from app.core.types import Answer, Evidence, View
from app.steps.candidates import texts
from app.steps.evidence import Place, around, chunks_of, shown_as, verified
from app.steps.graph import find_definitions
from app.steps.view import paths_of, seen

MOST_MISSING = 3
"""Names that exist nowhere for which near misses are looked for."""
MOST_NEAR = 200
"""Chunks read that define a name one slip away from a missing one."""
MOST_NAMES = 20_000
"""File names compared with one that does not exist, those nearest to the top: 10 µs each."""
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
    table = await paths_of(near.index, near.view)
    lost = missing_paths(question, table)
    if lost:
        answer = replace(answer, lost=lost)
        if not beside_paths(question):
            return await _without_file(answer, near, lost)
    answer = _about_the_name(answer, question)
    if question.kind == "settings":
        answer = _of_the_setting(answer, question)
    shown = [f"{each.citation.path} {each.symbol} {each.citation.text}" for each in answer.evidence]
    if missing and (question.asked in missing or len(question.subject) <= FEWEST_NAMES):
        names = ", ".join(missing[:MOST_MISSING])
        asks_calls = question.asks_callers and question.asked in missing
        if not (
            any(calls_or_names(text, question.asked, called=True) for text in shown)
            if asks_calls
            else mentions(shown, missing)
        ):
            misses = await _misses(near, missing[:MOST_MISSING], found)
            reason = f"Nothing in this repository is called {names}."
            return replace(
                answer, evidence=(), near=misses, thin=True, cited=len(misses), verified=len(misses), reason=reason,
            )  # fmt: skip
        if question.asked in missing:
            told = [
                each for each in answer.evidence if calls_or_names(each.citation.text, question.asked, called=False)
            ]
            reason = f"Nothing in this repository defines {question.asked}; these places name it."
            return replace(answer, evidence=tuple(told), cited=len(told), verified=len(told), reason=reason)
    if not answer.evidence:
        return replace(answer, thin=True, reason=answer.reason or "Nothing in the indexed files matches.")
    if question.kind == "signature":
        return replace(answer, thin=True)
    found_by_place = bool(question.frames or question.paths) and "named_path" in answer.evidence[0].reasons
    if question.asks_callers or found_by_place or _defines_what_is_quoted(answer, question):
        return answer
    if is_thin(question, shown):
        return replace(answer, thin=True, reason="No place here holds enough of the words of the question.")
    return answer


def _about_the_name(answer: Answer, question: Question) -> Answer:
    """An answer that defines the name asked about, with the tests and docs that name it and nothing else: the ranking fills
    every answer up."""
    if question.kind != "definition" or not answer.evidence or answer.evidence[0].role != "definition":
        return answer
    if question.soft and question.text.strip("` ()") != question.asked:
        return answer
    defined = answer.evidence[0].symbol.rpartition(".")[2]
    if defined != question.asked.rpartition(".")[2]:
        return answer
    told = tuple(
        each
        for each in answer.evidence
        if each.role == "definition"
        or (each.role != "related" and calls_or_names(each.citation.text, defined, called=False))
    )
    left = len(answer.evidence) - len(told)
    return replace(answer, evidence=told, cited=answer.cited - left, verified=answer.verified - left)


def _of_the_setting(answer: Answer, question: Question) -> Answer:
    """An answer of settings with what holds most of the subject's words first (files of settings are full of others), and where
    the setting is named, only what names it."""
    names = [each.simple for each in question.symbols if each.strength >= SHAPED]
    told = [
        each
        for each in answer.evidence
        if any(calls_or_names(each.citation.text, name, called=False) for name in names)
    ]
    kept = told or list(answer.evidence)
    held = [subject_held(question, f"{each.citation.path} {each.citation.text}") for each in kept]
    ordered = tuple(kept[at] for at in sorted(range(len(kept)), key=lambda at: -held[at]))
    left = len(answer.evidence) - len(ordered)
    return replace(answer, evidence=ordered, cited=answer.cited - left, verified=answer.verified - left)


async def _without_file(answer: Answer, near: Near, lost: Sequence[str]) -> Answer:
    """What is said of a path that is not here: so, and the files with names most like it."""
    table = await paths_of(near.index, near.view)
    by_name: dict[str, str] = {}
    for path in sorted(table.paths, key=lambda path: (is_test(path), path.count("/"), path)):
        if len(by_name) < MOST_NAMES:
            by_name.setdefault(_stem(path), path)
    paths = [by_name[name] for each in lost for name in closest(_stem(each), by_name)][:NEAR_MISSES]
    chunks = await chunks_of(near.index, near.view, paths)
    firsts = [min(chunks[path], key=lambda record: record.position) for path in paths if path in chunks]
    stand = await verified(near.mirror, near.view, [Place(each, "related") for each in firsts], {})
    misses = tuple(each for each in stand if each is not None)
    reason = f"No file {', '.join(lost[:MOST_MISSING])} exists here."
    return replace(
        answer, evidence=(), near=misses, thin=True, missing=(), cited=len(misses), verified=len(misses), reason=reason
    )


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


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
