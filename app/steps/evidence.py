"""Turns places that the index names into evidence that stands: re-reads every line from its blob at the commit cited.

A place counts only if the commit's own tree holds that blob at that path, or holds the same lines elsewhere in the file.
What cannot be shown to stand is dropped, never shown.
"""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.clients.git import Mirror
from app.clients.index import Index
from app.core.cite import anchor, focus
from app.core.records import LONGEST_SIGNATURE, ChunkRecord, dense_text, digest_of, read_chunk
from app.core.source import decode, line_range
from app.core.types import Chunk, Citation, Definition, Evidence, Skip, View
from app.steps.view import seen

MOST_TREES = 8
"""Trees (path → blob of a commit) kept in memory: 100,000 files take about 20 MB."""

SIGNATURE_HEAD = 40
"""Characters of a signature that tell its line from others."""

_trees: OrderedDict[tuple[str, str], Mapping[str, str]] = OrderedDict()
"""By git directory and commit id: what a commit holds never changes."""


@dataclass(frozen=True, slots=True)
class Place:
    """A chunk that is to be shown, and why.

    `lines` cuts it to (first, last) as indexed, for one definition or one call of several in it. `inner` are the definitions
    of its file: a chunk of many small ones is shown as the one that holds the lines that matter.
    """

    record: ChunkRecord
    role: str
    score: float = 0.0
    reasons: tuple[str, ...] = ()
    symbol: str = ""
    lines: tuple[int, int] = (0, 0)
    signature: str = ""
    inner: tuple[Definition, ...] = ()


async def verified(
    mirror: Mirror, view: View, places: Sequence[Place], weights: Mapping[str, float], most: int = 1000
) -> list[Evidence | None]:
    """Evidence for each place, in order, up to the `most`th that stands; None where it cannot be shown to stand at its head.

    All blobs are read in one batch. `weights` are the question's, for choosing the lines to show.
    """
    scopes = dict.fromkeys(place.record.scope for place in places)
    trees = {scope: await tree_of(mirror, view.heads[scope]) for scope in scopes}
    blobs = [trees[place.record.scope].get(place.record.path, "") for place in places]
    texts = await read_texts(mirror, [blob for blob in blobs if blob])
    found: list[Evidence | None] = []
    for place, blob in zip(places, blobs, strict=True):
        sha = view.heads[place.record.scope]
        found.append(_stand(place, sha, blob, texts[blob], weights) if blob in texts else None)
        most -= found[-1] is not None
        if most == 0:
            break
    return found


async def tree_of(mirror: Mirror, sha: str) -> Mapping[str, str]:
    """Path → blob id of a commit."""
    key = (str(mirror.path), sha)
    if key not in _trees:
        _trees[key] = {entry.path: entry.blob for entry in await mirror.tree(sha)}
        while len(_trees) > MOST_TREES:
            _trees.popitem(last=False)
    _trees.move_to_end(key)
    return _trees[key]


async def read_texts(mirror: Mirror, blobs: Sequence[str]) -> dict[str, str]:
    """Blob id → decoded text, for those that are there and are text."""
    texts: dict[str, str] = {}
    if not blobs:
        return texts
    async with contextlib.aclosing(mirror.blobs(dict.fromkeys(blobs))) as stream:
        async for blob, data in stream:
            text = Skip.MISSING if data is None else decode(data)
            if not isinstance(text, Skip):
                texts[blob] = text
    return texts


def shown_as(record: ChunkRecord, definition: Definition, score: float, reason: str) -> Place:
    """The place of one definition in its chunk."""
    lines = (definition.first, definition.last)
    return Place(record, "definition", score, (reason,), definition.qualified, lines, definition.signature)


async def chunks_of(index: Index, view: View, paths: Iterable[str]) -> dict[str, list[ChunkRecord]]:
    """Path → its chunks."""
    points = await index.read(view.repo, seen(view, path=tuple(sorted(paths))))
    chunks: dict[str, list[ChunkRecord]] = {}
    for point in points:
        record = read_chunk(point.payload)
        chunks.setdefault(record.path, []).append(record)
    return chunks


def around(records: Sequence[ChunkRecord], line: int) -> ChunkRecord | None:
    """The smallest chunk that holds a line."""
    holding = [record for record in records if record.first <= line <= record.last]
    return min(holding, key=lambda record: (record.last - record.first, record.position), default=None)


def _stand(place: Place, sha: str, blob: str, text: str, weights: Mapping[str, float]) -> Evidence | None:
    record = place.record
    if blob == record.blob:
        found = (record.first, record.last) if _is_chunk(record, line_range(text, record.first, record.last)) else None
    else:  # the points are ahead of the commit, or behind it: the same lines may stand elsewhere
        found = anchor(record.first, record.last, text, lambda lines: _is_chunk(record, lines))
    if found is None:
        return None
    moved = found[0] - record.first
    lines, symbol = place.lines, place.symbol or record.qualified or record.name
    if not symbol and not lines[0]:
        around = focus(line_range(text, *found), record.first, weights)
        lines, symbol = _definition_at(place, around)
    first, last = (max(lines[0], record.first), min(lines[1], record.last)) if lines[0] else (record.first, record.last)
    shown = line_range(text, first + moved, last + moved)
    if not shown.strip():
        return None
    citation = Citation(record.path, first + moved, last + moved, sha, blob, shown)
    at = _signature_line(shown, citation.first, place) if place.role == "definition" else 0
    return Evidence(
        citation, symbol, place.role, record.language, place.score, place.reasons, focus(shown, citation.first, weights, at)
    )  # fmt: skip


def _definition_at(place: Place, around: tuple[int, int]) -> tuple[tuple[int, int], str]:
    """The lines and name of the smallest definition that holds the first line that matters; no lines and no name without one."""
    holding = [each for each in place.inner if each.first <= around[0] <= each.last]
    best = min(holding, key=lambda each: (each.last - each.first, each.first), default=None)
    return ((best.first, best.last), best.qualified) if best else ((0, 0), "")


def _is_chunk(record: ChunkRecord, lines: str) -> bool:
    """Whether `lines` are what was indexed, by their digest. (The parts of a definition with a signature too long to be
    stored cannot be told so; they are never the first part, which can.)"""
    if record.part > 1 and len(record.signature) >= LONGEST_SIGNATURE:
        return False
    return digest_of(dense_text(_with_text(record, lines))) == record.digest


def _with_text(record: ChunkRecord, text: str) -> Chunk:
    return Chunk(
        record.path, record.language, record.kind, record.name, record.qualified, record.parent, record.signature,
        record.docstring, record.first, record.last, text, record.part,
    )  # fmt: skip


def _signature_line(text: str, first: int, place: Place) -> int:
    """The line on which the definition's own words begin, below its decorators and comments."""
    head = (place.signature or place.record.signature).split("\n", 1)[0].strip()
    for offset, line in enumerate(text.split("\n")):
        if head and line.strip().startswith(head[:SIGNATURE_HEAD]):
            return first + offset
    return first
