"""Which files a change does not show but may have to touch: gathers the signals that `core.impact` fuses.

Work is bounded whatever the change: so many definitions, chunks and files are looked at, the first of each.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from app.clients.embed import Embedder
from app.clients.git import Mirror
from app.clients.index import Index
from app.core.impact import Impacted, active, alike, around, fused, together, twins
from app.core.paths import PathTable
from app.core.records import FILE, FILE_FACTS, ChunkRecord, FileRecord, read_file
from app.core.rows import Part
from app.core.source import decode, line_range
from app.core.tokens import count_tokens, sparse_query
from app.core.types import BRANCH, Hit, View
from app.steps.evidence import chunks_of
from app.steps.neighbours import imported_by
from app.steps.vectors import vectors_now
from app.steps.view import paths_of, seen

HISTORY = 1500
"""Commits that co-change is counted in: some years of most projects, half a second of git."""
MOST_HISTORIES = 8
"""Histories kept in memory, about 300 kB each."""
MOST_CHUNKS = 24
"""Changed chunks that are followed."""
MOST_NAMES = 60
"""Names of definitions and calls in one look-up."""
MOST_HOLDERS = 600
"""Chunks read that define or call one of these names, about 1 kB each."""
MOST_SURVEYED = 4000
"""Files up to which the imports of all of them are read; in larger repositories only those of the changed files count."""
MOST_COMPARED = 20
"""Changed files whose names are compared with all others', some 5 µs a pair."""
SIMILAR = 100
"""Chunks taken from each list of similar code."""

_histories: OrderedDict[tuple[str, str], list[tuple[str, ...]]] = OrderedDict()


@dataclass(frozen=True, slots=True)
class Touched:
    """The change as the index knows it: the chunks its lines lie in, the records of its files, their text by path."""

    chunks: tuple[ChunkRecord, ...]
    files: tuple[FileRecord, ...]
    texts: dict[str, str]


async def impact(
    index: Index, embedder: Embedder, mirror: Mirror, view: View, changed: Sequence[Part]
) -> list[Impacted]:
    """The files that may have to change too, best first. `changed` are files and lines at the head of the view's branch."""
    signals = await signals_of(index, embedder, mirror, view, changed)
    return fused(signals, {part.path for part in changed})


async def signals_of(
    index: Index, embedder: Embedder, mirror: Mirror, view: View, changed: Sequence[Part]
) -> dict[str, dict[str, float]]:
    """Signal → file → score; the keys are the fields of `core.impact.Weights`. Only files that stand at the head."""
    head = view.heads[BRANCH]
    paths = {part.path for part in changed}
    table = await paths_of(index, view)
    present = table.paths | {entry.path for entry in await mirror.tree(head)}
    touched = await _touched(index, mirror, view, head, changed)
    commits = await _history(mirror, head)
    words, meaning = await _similar(index, embedder, view, touched)
    signals = {
        "together": together(paths, commits),
        "around": around(paths, commits),
        "active": active(paths, commits),
        "names": alike(sorted(paths)[:MOST_COMPARED], table.paths),
        "twins": twins(paths, table.paths),
        "callers": await _callers(index, view, touched),
        "callees": await _callees(index, view, touched),
        "imports": await _imports(index, view, touched, table),
        "words": words,
        "meaning": meaning,
    }
    return {
        name: {path: score for path, score in scores.items() if path in present and path not in paths}
        for name, scores in signals.items()
    }


async def _history(mirror: Mirror, head: str) -> list[tuple[str, ...]]:
    """The paths of each of the last commits. Never stale: a commit's history does not change."""
    key = (str(mirror.path), head)
    if key not in _histories:
        _histories[key] = [revision.paths for revision in await mirror.history(head, HISTORY)]
        while len(_histories) > MOST_HISTORIES:
            _histories.popitem(last=False)
    _histories.move_to_end(key)
    return _histories[key]


async def _touched(index: Index, mirror: Mirror, view: View, head: str, changed: Sequence[Part]) -> Touched:
    by_path = await chunks_of(index, view, {part.path for part in changed})
    chunks = [
        chunk
        for part in changed
        for chunk in sorted(by_path.get(part.path, ()), key=lambda each: each.position)
        if not part.lines or any(first <= chunk.last and chunk.first <= last for first, last in part.lines)
    ]
    where = seen(view, FILE, path=tuple(sorted({part.path for part in changed})))
    files = tuple(read_file(point.payload) for point in await index.read(view.repo, where))
    texts: dict[str, str] = {}
    for path in {chunk.path for chunk in chunks[:MOST_CHUNKS]}:
        data = await mirror.read(head, path)
        text = decode(data) if data is not None else None
        if isinstance(text, str):
            texts[path] = text
    return Touched(tuple(chunks[:MOST_CHUNKS]), files, texts)


async def _callers(index: Index, view: View, touched: Touched) -> dict[str, float]:
    """Files that call what the changed chunks define, rarer names more."""
    names = _first(name for chunk in touched.chunks for name in chunk.names if "." not in name)
    if not names:
        return {}
    points = await index.read(
        view.repo, seen(view, call_names=names), fields=("path", "call_names"), limit=MOST_HOLDERS
    )
    return _by_rarity(names, [(str(point.payload["path"]), point.payload.get("call_names")) for point in points])


async def _callees(index: Index, view: View, touched: Touched) -> dict[str, float]:
    """Files that define what the changed chunks call, rarer names more."""
    names = _first(call.name for chunk in touched.chunks for call in chunk.calls)
    if not names:
        return {}
    points = await index.read(view.repo, seen(view, names=names), fields=("path", "names"), limit=MOST_HOLDERS)
    return _by_rarity(names, [(str(point.payload["path"]), point.payload.get("names")) for point in points])


def _first(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))[:MOST_NAMES]


def _by_rarity(names: Sequence[str], holders: Sequence[tuple[str, object]]) -> dict[str, float]:
    """File → sum over the names it holds of 1 / (files that hold the name)."""
    held: dict[str, set[str]] = {name: set() for name in names}
    for path, listed in holders:
        for name in listed if isinstance(listed, list | tuple) else ():
            if name in held:
                held[name].add(path)
    scores: dict[str, float] = {}
    for paths in held.values():
        for path in paths:
            scores[path] = scores.get(path, 0.0) + 1.0 / len(paths)
    return scores


async def _imports(index: Index, view: View, touched: Touched, table: PathTable) -> dict[str, float]:
    """Files that a changed file imports, and those that import one; fewer siblings say more."""
    scores: dict[str, float] = {}
    for record in touched.files:
        _lead(scores, imported_by(record, table))
    changed = {record.path for record in touched.files}
    if len(table) <= MOST_SURVEYED:
        importers: dict[str, set[str]] = {path: set() for path in changed}
        for point in await index.read(view.repo, seen(view, FILE), fields=(*FILE_FACTS, "imports")):
            record = read_file(point.payload)
            for path in changed & imported_by(record, table):
                importers[path].add(record.path)
        for paths in importers.values():
            _lead(scores, paths)
    return scores


def _lead(scores: dict[str, float], paths: Iterable[str]) -> None:
    distinct = set(paths)
    for path in distinct:
        scores[path] = scores.get(path, 0.0) + 1.0 / len(distinct)


async def _similar(
    index: Index, embedder: Embedder, view: View, touched: Touched
) -> tuple[dict[str, float], dict[str, float]]:
    """Files with code like the changed chunks: by words and by meaning."""
    text = "\n".join(
        line_range(touched.texts[chunk.path], chunk.first, chunk.last)
        for chunk in touched.chunks
        if chunk.path in touched.texts
    )
    counts = count_tokens(text)
    if not counts:
        return {}, {}
    vectors = await vectors_now(embedder, [text])
    dense = vectors[0] if vectors is not None else None
    sparse = sparse_query({token: float(count) ** 0.5 for token, count in counts.items()})
    # Without the changed files: their own chunks would fill both lists.
    where = seen(view)
    where = replace(where, hidden=(*where.hidden, *sorted({chunk.path for chunk in touched.chunks})))
    meaning, words = await index.nearest(view.repo, where, dense, sparse, SIMILAR)
    return _best(words), _best([hit for hit in meaning if hit.score > 0])


def _best(hits: Sequence[Hit]) -> dict[str, float]:
    """File → its best chunk's score; `hits` are best first. Summing three found 2 fewer of 80 hidden files among the first 10:
    a large file resembles every change a little."""
    scores: dict[str, float] = {}
    for hit in hits:
        scores.setdefault(str(hit.payload["path"]), hit.score)
    return scores
