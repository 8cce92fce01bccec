"""Builds rows from a repository's own history: each a commit message, the tree before it, and what the commit changed there."""

from __future__ import annotations

from collections.abc import Sequence

from app.clients.git import Mirror, Revision
from app.core.changes import Change
from app.core.history_rows import old_ranges, question_text, wanted_paths
from app.core.rows import Part, Row
from app.core.source import decode

SCANNED = 3000
"""Commits looked at, newest first; a history whose messages say nothing gives fewer rows than asked for."""


async def rows_of_history(mirror: Mirror, head: str, limit: int, name: str) -> list[Row]:
    """At most `limit` rows, newest first. `name` stands as the rows' repository. Reads only what is in the local store."""
    rows: list[Row] = []
    for revision in await mirror.history(head, SCANNED):
        text = question_text(revision.author, revision.message)
        if not text or len(revision.parents) != 1 or not await mirror.contains(revision.parents[0]):
            continue  # the last commit of a shallow clone names a parent that is not there
        gold = await _gold(mirror, revision)
        if gold:
            rows.append(Row(revision.sha, name, revision.parents[0], text, gold))
        if len(rows) == limit:
            break
    return rows


async def _gold(mirror: Mirror, revision: Revision) -> tuple[Part, ...]:
    if not any(wanted_paths((path,), 1) for path in revision.paths):
        return ()  # spares a git call: most commits of some histories touch no source at all
    changes = {each.path: each for each in await mirror.diff(revision.parents[0], revision.sha)}
    there = [path for path, change in changes.items() if change.old_blob]
    wanted = wanted_paths(there, len(changes))
    return await _parts(mirror, [changes[path] for path in wanted])


async def _parts(mirror: Mirror, changes: Sequence[Change]) -> tuple[Part, ...]:
    texts: dict[str, str] = {}
    async for blob, data in mirror.blobs(blob for each in changes for blob in (each.old_blob, each.new_blob) if blob):
        text = decode(data) if data is not None else None
        if isinstance(text, str):
            texts[blob] = text
    return tuple(
        Part(each.path, old_ranges(texts.get(each.old_blob, ""), texts.get(each.new_blob, ""))) for each in changes
    )
