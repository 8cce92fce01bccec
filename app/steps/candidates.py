"""Searches the index for what a question may mean: by words, by meaning, by names and by paths. Ranks nothing.

One search of the vectors and one look-up each by name and by path, whatever the question.
"""

from __future__ import annotations

from app.clients.embed import Embedder
from app.clients.git import Mirror
from app.clients.index import Index
from app.core.paths import PathTable
from app.core.phrases import phrase_scores
from app.core.query import Question
from app.core.records import read_chunk
from app.core.roles import Role, is_test, role_of
from app.core.signals import Candidates, best_three
from app.core.tokens import sparse_query
from app.core.types import Hit, Point, Sparse, View
from app.steps.evidence import read_texts
from app.steps.history import past_of
from app.steps.neighbours import imports_of
from app.steps.vectors import vectors_now
from app.steps.view import seen

CANDIDATES = 150
"""Chunks taken from each vector list, from some 80 files; converting one payload takes 80 µs, and more of them find nothing more."""
MOST_NAMED = 1500
"""Chunks read that define names of the question, about 1 kB each."""
MOST_PLACED_FILES = 12
"""Named files whose chunks are read."""
IMPORTING = 6
"""Best files whose imports are followed: one look-up of six records."""
MOST_QUOTING_FILES = 30
"""Files read to find what the question quotes, the best first: 20 ms for 300 kB."""
MOST_TOLD_FILES = 20
"""Files that past commits name and no search has found, the best first: an index of exports, a table of names."""
MOST_TOLD_CHUNKS = 200
"""Chunks taken of them, in each of two ways."""
EMBEDDED_CHARACTERS = 6000
"""Characters of a question that the dense vector is computed from."""


async def candidates(
    index: Index, embedder: Embedder, mirror: Mirror, view: View, question: Question, table: PathTable
) -> Candidates:
    """What the index has for a question, each list best first; the same index and question give the same lists."""
    # Without the code in it: its words are for the sparse side, and would drown what the person says. Measured on 140 issues.
    text = (question.prose or question.text)[:EMBEDDED_CHARACTERS]
    rows = await vectors_now(embedder, [text]) if question.weights else None
    dense = rows[0] if rows is not None else None
    sparse = sparse_query(question.weights) if question.weights else None
    meaning, words = await index.nearest(view.repo, seen(view), dense, sparse, CANDIDATES)
    past = await past_of(mirror, view.heads[view.scopes[0]])
    told = past.told(question.weights, table.paths)
    named, placed = await _named(index, view, question), await _placed(index, view, question, table)
    found = {str(hit.payload["path"]) for hit in (*words, *meaning, *named, *placed)}
    return Candidates(
        words=words,
        meaning=[hit for hit in meaning if hit.score > 0],
        named=named,
        placed=placed,
        quoting=await _quoting(mirror, question, words),
        past=past,
        told=told,
        remembered=await _remembered(index, view, question, told, found, sparse),
        imports=await imports_of(index, view, table, _best_files(words)),
        words_only=rows is None and bool(question.weights),
    )


def _best_files(words: list[Hit]) -> list[str]:
    scores = best_three(words)
    return sorted((path for path in scores if not is_test(path)), key=lambda path: (-scores[path], path))[:IMPORTING]


async def _remembered(
    index: Index, view: View, question: Question, told: dict[str, float], found: set[str], sparse: Sparse | None
) -> list[Hit]:
    """A chunk or more of each of the best files that only past commits name: those that hold words of the question, best
    first; else the file's first."""
    best = sorted(told, key=lambda path: (-told[path], path))
    some = tuple(path for path in best if "tests" in question.wants or not is_test(path))[:MOST_TOLD_FILES]
    missing = tuple(path for path in some if path not in found)
    if not missing:
        return []
    _, hits = await index.nearest(view.repo, seen(view, path=missing), None, sparse, MOST_TOLD_CHUNKS)
    silent = tuple(set(missing) - {str(hit.payload["path"]) for hit in hits})
    points = await index.read(view.repo, seen(view, path=silent), limit=MOST_TOLD_CHUNKS) if silent else []
    records = sorted((read_chunk(point.payload).position, point.id, point) for point in points)
    first: dict[str, Hit] = {}
    for _, _, point in records:
        first.setdefault(str(point.payload["path"]), _hit(point))
    return [*hits, *first.values()]


async def _quoting(mirror: Mirror, question: Question, words: list[Hit]) -> dict[str, float]:
    """Path → how much of what the question quotes stands there word for word, of the best files that are code."""
    if not question.phrases:
        return {}
    blobs: dict[str, str] = {}
    for hit in words:
        path = str(hit.payload["path"])
        if len(blobs) < MOST_QUOTING_FILES and role_of(path) not in {Role.TEST, Role.DOC}:
            blobs.setdefault(path, str(hit.payload["blob"]))
    texts = await read_texts(mirror, list(blobs.values()))
    return phrase_scores(question.phrases, {path: texts[blob] for path, blob in blobs.items() if blob in texts})


async def _named(index: Index, view: View, question: Question) -> list[Hit]:
    """Chunks that define a name of the question; of a split definition the one part in which the name's line is."""
    names = dict.fromkeys(symbol.simple for symbol in question.symbols)
    names |= dict.fromkeys(frame.function.rpartition(".")[2] for frame in question.frames if frame.function)
    if not names:
        return []
    points = await index.read(view.repo, seen(view, names=tuple(names)), limit=MOST_NAMED)
    return [_hit(point) for point in points]


async def _placed(index: Index, view: View, question: Question, table: PathTable) -> list[Hit]:
    """Chunks at the paths and frames that the question names: those that hold the named line, else the named function's,
    else the file's first. The plainest first."""
    wanted: list[tuple[str, int, str]] = []
    for frame in question.frames:
        wanted += [(path, frame.line, frame.function.rpartition(".")[2]) for path in table.ending(frame.path)]
    for named in question.paths:
        paths = table.module(named.path) if named.module else table.ending(named.path)
        wanted += [(path, named.first, "") for path in paths]
    files = tuple(dict.fromkeys(path for path, _, _ in wanted))[:MOST_PLACED_FILES]
    if not files:
        return []
    chunks: dict[str, list[Point]] = {}
    for point in await index.read(view.repo, seen(view, path=files)):
        chunks.setdefault(str(point.payload["path"]), []).append(point)
    hits = [_hit(point) for path, line, function in wanted for point in _at(chunks.get(path, []), line, function)]
    return list({hit.id: hit for hit in hits}.values())


def _at(points: list[Point], line: int, function: str) -> list[Point]:
    """The chunks of one file that a frame or path means."""
    records = sorted(((read_chunk(point.payload), point) for point in points), key=lambda pair: pair[0].position)
    at_line = [point for record, point in records if line and record.first <= line <= record.last]
    if function:
        # Lines of a trace belong to the version that ran; the function's name says more.
        named = [point for record, point in records if function in record.names]
        if named:
            return named[:1]
    return at_line[:1] or [point for _, point in records[:1]]


def _hit(point: Point) -> Hit:
    return Hit(point.id, point.payload, 1.0)


def texts(value: object) -> list[object]:
    """A payload's list, or an empty one."""
    return value if isinstance(value, list) else []
