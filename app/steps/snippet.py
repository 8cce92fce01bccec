"""Answers pasted code with the definitions most like it: searched by its words and meaning, compared lexeme by lexeme."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.clients.embed import Embedder
from app.clients.git import Mirror
from app.clients.index import Index
from app.core.query import Question
from app.core.rank import FUSION_K
from app.core.records import ChunkRecord, read_chunk
from app.core.roles import Role, is_doc, is_test, role_of
from app.core.similar import Likeness, Match, compare
from app.core.snippet import is_test_code
from app.core.source import line_range
from app.core.tokens import sparse_query
from app.core.types import Answer, Definition, Evidence, Hit, View
from app.steps.evidence import Place, around, chunks_of, read_texts, verified
from app.steps.graph import read_files
from app.steps.vectors import vectors_now
from app.steps.view import seen

CANDIDATES = 150
"""Chunks taken from each vector list."""
MOST_FILES = 60
"""Files whose definitions are compared with the snippet, about 5 ms each."""
MOST_UNITS = 800
"""Definitions compared; a file of generated accessors may have thousands."""
STANDING_BACK = frozenset({Role.TEST, Role.EXAMPLE, Role.DOC, Role.VENDORED, Role.GENERATED})
DEMOTED = 0.85
"""What the likeness of these counts for beside code: they stand behind it unless they are clearly more alike."""
EMBEDDED_CHARACTERS = 6000
"""Characters of the snippet that its vector is made of, as for any question."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One text compared: a definition, or a chunk that is in none. `definition` is None for a chunk."""

    record: ChunkRecord
    first: int
    last: int
    definition: Definition | None = None


async def like_snippet(
    index: Index, embedder: Embedder, mirror: Mirror, view: View, question: Question, limit: int
) -> Answer:
    """At most `limit` definitions like the question's code, most like first, none of them inside another one shown. Where even
    the first is unlike it, it is only named as near. The reason says how much of the snippet the first one holds."""
    rows = await vectors_now(embedder, [question.text[:EMBEDDED_CHARACTERS]])
    dense = rows[0] if rows is not None else None
    lists = await index.nearest(view.repo, seen(view), dense, sparse_query(question.weights), CANDIDATES)
    found = _best_files(lists)
    units = await _units(index, view, found)
    texts = await read_texts(mirror, list({unit.record.blob for unit in units}))
    units = [unit for unit in units if unit.record.blob in texts]
    bodies = [line_range(texts[unit.record.blob], unit.first, unit.last) for unit in units]
    matches = compare(question.text, bodies, _standing(question.text, units))
    kept = _apart([(units[match.place], match) for match in matches], limit)
    chunks = await chunks_of(index, view, {unit.record.path for unit, _ in kept})
    places = [_place(unit, match, chunks) for unit, match in kept]
    stand = await verified(mirror, view, places, question.weights)
    pairs = [(each, match) for each, (_, match) in zip(stand, kept, strict=True) if each is not None]
    return _answer(view, pairs, len(stand), words_only=rows is None)


def _answer(view: View, pairs: Sequence[tuple[Evidence, Match]], cited: int, *, words_only: bool) -> Answer:
    head = view.heads[view.scopes[-1]]
    if not pairs:
        return Answer("snippet", thin=True, head=head, reason="Nothing in the indexed files has words of this code.")
    best = pairs[0][1]
    shown = tuple(each for each, _ in pairs)
    if best.likeness is Likeness.FAR:
        return Answer(
            "snippet", near=shown[:1], cited=1, verified=1, head=head, thin=True, words_only=words_only,
            reason=f"Nothing here is much like this code: the closest place holds {_held(best)}.",
        )  # fmt: skip
    return Answer(
        "snippet", shown, cited=cited, verified=len(shown), head=head, words_only=words_only,
        reason=f"It holds {_held(best)}.",
    )  # fmt: skip


def _held(match: Match) -> str:
    if match.held == match.rare:
        return "all rarer words of the snippet" if match.rare > 1 else "the one rarer word of the snippet"
    return f"{match.held or 'none'} of the snippet's {match.rare:,} rarer words"


def _best_files(lists: Iterable[Sequence[Hit]]) -> dict[str, list[ChunkRecord]]:
    """Path → its chunks among the hits, for the files with the best chunks in either list."""
    scores: dict[str, float] = {}
    hits: dict[str, Hit] = {}
    for each in lists:
        for position, hit in enumerate(each, 1):
            path = str(hit.payload["path"])
            hits[hit.id] = hit
            scores[path] = max(scores.get(path, 0.0), 1 / (FUSION_K + position))
    best = sorted(scores, key=lambda path: (-scores[path], path))[:MOST_FILES]
    found: dict[str, list[ChunkRecord]] = {path: [] for path in best}
    for hit in hits.values():
        if (path := str(hit.payload["path"])) in found:
            found[path].append(read_chunk(hit.payload))
    return found


async def _units(index: Index, view: View, found: Mapping[str, list[ChunkRecord]]) -> list[Unit]:
    """The definitions that the chunks touch, and the chunks that no definition holds; the best files' first."""
    files = await read_files(index, view, found)
    units: list[Unit] = []
    for path, records in found.items():
        definitions = files[path].definitions if path in files else ()
        touched: dict[tuple[int, int], Unit] = {}
        for record in sorted(records, key=lambda each: each.first):
            inside = False
            for each in definitions:
                if each.first <= record.last and each.last >= record.first:
                    touched.setdefault((each.first, each.last), Unit(record, each.first, each.last, each))
                    inside = inside or (each.first <= record.first and record.last <= each.last)
            if not inside:
                touched.setdefault((record.first, record.last), Unit(record, record.first, record.last))
        units += touched.values()
    return units[:MOST_UNITS]


def _standing(snippet: str, units: Iterable[Unit]) -> list[float]:
    """What each unit's likeness counts for: tests less than code unless the snippet is one, docs and examples less."""
    wanted = {Role.TEST} if is_test_code(snippet) else set()
    roles = [role_of(unit.record.path) for unit in units]
    return [1.0 if role in wanted or role not in STANDING_BACK else DEMOTED for role in roles]


def _apart(ordered: Iterable[tuple[Unit, Match]], limit: int) -> list[tuple[Unit, Match]]:
    """The first `limit` that neither hold nor are inside one before them, and no far ones after a like one."""
    kept: list[tuple[Unit, Match]] = []
    for unit, match in ordered:
        if kept and match.likeness is Likeness.FAR:
            continue
        if all(
            unit.record.path != other.record.path or unit.last < other.first or unit.first > other.last
            for other, _ in kept
        ):
            kept.append((unit, match))
        if len(kept) == limit:
            break
    return kept


def _place(unit: Unit, match: Match, chunks: Mapping[str, list[ChunkRecord]]) -> Place:
    path, definition = unit.record.path, unit.definition
    record = around(chunks.get(path, []), unit.first) or unit.record
    role = "test" if is_test(path) else "doc" if is_doc(path) else "definition" if definition else "related"
    if definition is None:
        return Place(unit.record, role, match.score, (match.likeness.value,))
    lines = (definition.first, definition.last)
    return Place(record, role, match.score, (match.likeness.value,), definition.qualified, lines, definition.signature)
