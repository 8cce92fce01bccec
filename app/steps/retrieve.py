"""From a question to verified evidence: search the index, rank, re-read every line, and say so where it is not enough.

One search of the vectors and at most a handful of look-ups by name and path, whatever the question; nothing is awaited
per candidate.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from app.clients.embed import Embedder
from app.clients.git import Mirror
from app.clients.index import Index
from app.core.asking import Asking, is_named
from app.core.enough import missing_names
from app.core.graph import Caller, Found
from app.core.named import IN_CODE, unmarked
from app.core.query import Question
from app.core.rank import Ranked, rank
from app.core.records import ChunkRecord, read_chunk
from app.core.roles import Role, is_doc, is_test, role_of
from app.core.signals import Candidates, defines
from app.core.types import Answer, Definition, View
from app.steps.candidates import candidates
from app.steps.evidence import Place, around, chunks_of, shown_as, verified
from app.steps.graph import find_callers, find_definitions, read_files
from app.steps.near import Near, judged
from app.steps.overview import overview
from app.steps.signatures import by_signature
from app.steps.snippet import like_snippet
from app.steps.view import paths_of, view_of

__all__ = ["ranking", "retrieve", "view_of"]

EVIDENCE = 8
"""Pieces of evidence in an answer: more is a list to read, not an answer."""
MOST_TARGETS = 3
"""Definitions of one name whose callers are shown; more are a name that must be asked for with its class."""
MOST_CALLERS = 30
"""Callers shown for one question."""
SPARE = 4
"""Extra candidates that are verified, so that a dropped one leaves no gap."""


async def retrieve(
    index: Index, embedder: Embedder, mirror: Mirror, view: View, question: Question, limit: int = EVIDENCE
) -> Answer:
    """Answer a question out of the view: at most `limit` pieces of evidence (callers up to MOST_CALLERS), best first, each
    re-read at its scope's head. The same index and question give the same answer, byte for byte."""
    if not view.scopes:
        return Answer(question.kind, thin=True, reason="This repository is not indexed yet.")
    head = view.heads[view.scopes[-1]]
    if question.kind == "overview":
        if answer := await overview(index, mirror, view, question.asking):
            return answer
        question = replace(question, asking=Asking())
    if not question.weights and not question.paths and not question.frames and not question.asked:
        return Answer(
            question.kind, thin=True, head=head, reason="The question names nothing that could be looked for."
        )
    if question.kind == "snippet":
        return await like_snippet(index, embedder, mirror, view, question, limit)
    reason = ""
    question, found, ranked = await ranking(index, embedder, mirror, view, question, limit + SPARE)
    missing = missing_names(question, [hit.payload for hit in found.named])
    callers: list[Place] = []
    if question.asks_callers and question.asked and question.asked not in missing:
        callers, reason = await _callers(index, view, question)
    if question.kind == "signature":
        fitting, reason = await by_signature(index, view, question, found, limit)
        if fitting or is_named(question.asking):
            stand = await verified(mirror, view, fitting, question.weights)
            shown = tuple(each for each in stand if each is not None)
            return Answer(
                "signature", shown, cited=len(stand), verified=len(shown), head=head, thin=not shown, reason=reason
            )
    places = callers or await _places(index, view, question, ranked)
    most = MOST_CALLERS if callers else limit
    if len(callers) > most:
        reason = f"{reason} {len(callers) - most} more are not shown.".strip()
    stand = await verified(mirror, view, places[: most + SPARE], question.weights, most)
    cited, shown = len(stand), tuple(each for each in stand if each is not None)
    answer = Answer(
        question.kind, shown, cited=cited, verified=len(shown), missing=missing, head=head, reason=reason,
        words_only=found.words_only,
    )  # fmt: skip
    near = Near(index, mirror, view, question)
    return await judged(answer, near, found)


async def ranking(
    index: Index, embedder: Embedder, mirror: Mirror, view: View, question: Question, limit: int
) -> tuple[Question, Candidates, list[Ranked]]:
    """What an answer is chosen from: the question as it is meant, all that the searches found, and the best `limit` chunks,
    best first, before any line is read back. A file is as good as its first chunk in the list."""
    table = await paths_of(index, view)
    found = await candidates(index, embedder, mirror, view, question, table)
    question = await _meant_by(index, view, question, found)
    return question, found, rank(question, found, table, limit)


async def _meant_by(index: Index, view: View, question: Question, found: Candidates) -> Question:
    """The question with `app.run` read as `Flask.run` where that is the only run there is: what stands before may be a variable."""
    if "." not in question.asked or any(defines(hit.payload, question.asked) for hit in found.named):
        return question
    same = await find_definitions(index, view, question.asked.rpartition(".")[2])
    code = [each for each in same if not is_test(each.path)]
    if len(code) != 1 or question.asked[0].isupper():
        return question
    name = code[0].definition.qualified
    symbols = tuple(replace(each, name=name) if each.name == question.asked else each for each in question.symbols)
    return replace(question, resolved=name, symbols=symbols)


# --- what is shown --------------------------------------------------------------------------------------------------


async def _places(index: Index, view: View, question: Question, ranked: Sequence[Ranked]) -> list[Place]:
    """What to show of each ranked chunk: the definition that the question names, where it holds one."""
    records = [read_chunk(each.hit.payload) for each in ranked]
    named = {symbol.simple for symbol in question.symbols}
    unclear = {record.path for record in records if not record.qualified or named.intersection(record.names)}
    files = await read_files(index, view, unclear)
    return [
        _place(record, each, question, files[record.path].definitions if record.path in files else ())
        for record, each in zip(records, ranked, strict=True)
    ]


def _place(record: ChunkRecord, ranked: Ranked, question: Question, definitions: Sequence[Definition]) -> Place:
    inner = tuple(each for each in definitions if record.first <= each.first <= record.last)
    named = _named_in(record, question, inner)
    role = "test" if is_test(record.path) else "definition" if named else "doc" if is_doc(record.path) else "related"
    place = Place(record, role, round(ranked.score, 6), ranked.reasons, inner=inner)
    one = named or _pointed_at(record, question, inner)
    if one is None:
        return place
    return replace(place, symbol=one.qualified, lines=(one.first, one.last), signature=one.signature)


def _pointed_at(record: ChunkRecord, question: Question, inner: Sequence[Definition]) -> Definition | None:
    """The definition in a chunk that a frame or a line of the question points at: by the function's name, else by the line."""
    file = record.path.rpartition("/")[2]
    for frame in question.frames:
        if frame.path.rpartition("/")[2] == file:
            simple = frame.function.rpartition(".")[2]
            found = [each for each in inner if each.name == simple] or _holding(inner, 0 if simple else frame.line)
            if found:
                return found[0]
    for path in question.paths:
        if path.first and path.path.rpartition("/")[2] == file and (found := _holding(inner, path.first)):
            return found[0]
    return None


def _holding(definitions: Sequence[Definition], line: int) -> list[Definition]:
    """The definitions that hold a line, the smallest first."""
    holding = [each for each in definitions if each.first <= line <= each.last]
    return sorted(holding, key=lambda each: (each.last - each.first, each.first))


def _named_in(record: ChunkRecord, question: Question, inner: Sequence[Definition]) -> Definition | None:
    """The definition in a chunk that the question names, the plainest named first."""
    names = [symbol.name for symbol in question.symbols if symbol.strength >= IN_CODE]
    for name in ([question.asked] if question.asked else []) + names:
        for each in inner:
            payload = {
                "path": record.path,
                "names": [each.name, unmarked(each.name), each.qualified, unmarked(each.qualified)],
            }
            if name.rpartition(".")[2] in {each.name, unmarked(each.name)} and defines(payload, name):
                return each
    return None


async def _callers(index: Index, view: View, question: Question) -> tuple[list[Place], str]:
    """The definitions asked about, each followed by its callers, proved ones first; and why there are none, where so."""
    found = _meant(await find_definitions(index, view, question.asked), question.asked)
    places: list[Place] = []
    reasons: list[str] = []
    for target in found[:MOST_TARGETS]:
        report = await find_callers(index, view, target)
        chunks = await chunks_of(
            index, view, {target.path, *(caller.path for caller in (*report.exact, *report.possible))}
        )
        definition = around(chunks.get(target.path, []), target.definition.first)
        if definition is not None:
            places.append(shown_as(definition, target.definition, 1.0, "asked"))
        tests_last = sorted(report.exact, key=lambda caller: is_test(caller.path))
        places += _called_from(tests_last, chunks, 0.9)
        places += _called_from(report.possible, chunks, 0.5)
        if report.reason:
            reasons.append(report.reason)
    return places, " ".join(dict.fromkeys(reasons))


def _meant(found: Sequence[Found], asked: str) -> list[Found]:
    """The definitions most likely meant: no tests or examples where there are others; the one at the top of its file before methods."""
    code = [each for each in found if role_of(each.path) is Role.SOURCE]
    code = code or [each for each in found if not is_test(each.path)] or list(found)
    top = [each for each in code if each.definition.qualified == asked]
    return top or code


def _called_from(callers: Iterable[Caller], chunks: dict[str, list[ChunkRecord]], score: float) -> list[Place]:
    places = []
    for caller in callers:
        record = around(chunks.get(caller.path, []), caller.line)
        if record is not None:
            role = "test" if is_test(caller.path) else "caller"
            places.append(Place(record, role, score, (caller.confidence,), caller.symbol, (caller.line, caller.line)))
    return places
