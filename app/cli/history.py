"""Chooses what of a repository's own history makes a good demo: commits to push, one to open as a pull request, a name to ask for."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from app.clients.git import Mirror
from app.core.changed_symbols import Change as What
from app.core.changed_symbols import FileSides, compare
from app.core.changes import Change
from app.core.chunk import chunk_file
from app.core.errors import UserError
from app.core.languages import language_of
from app.core.roles import is_test
from app.core.source import decode
from app.core.types import Skip

LOOKED_AT = 60
"""Commits of the first-parent history that are considered."""
PUSHES = 2
"""Commits pushed before the pull request."""
MOST_FILES = 25
"""Files of a pull request that can still be read on one screen."""
SURVEYED_FILES = 400
"""Source files read to learn which names are called."""
SHORTEST_NAME = 6
"""Characters; shorter names are often words."""
WELL_KNOWN = 12
"""Calls beyond which a name makes a long list and no better demo."""
TOLD = (What.SIGNATURE, What.REMOVED, What.RENAMED, What.BODY)
"""Changes that callers feel."""


@dataclass(frozen=True, slots=True)
class Chapters:
    """Commit ids of the story: the branch starts at `start`, `pushes` follow one by one, `pull` and then `update` are proposed."""

    start: str
    pushes: tuple[str, ...]
    pull: str
    update: str | None = None


@dataclass(frozen=True, slots=True)
class Survey:
    """How often each name is called and defined in a tree, and which names are functions with a docstring."""

    calls: Counter[str]
    defined: Counter[str]
    told: frozenset[str]


async def choose_chapters(mirror: Mirror, head: str) -> Chapters:
    """The newest commit that changes something others call, as the pull request; the commits before it as pushes."""
    line = await mirror.first_parents(head, LOOKED_AT + PUSHES + 1)
    if len(line) < PUSHES + 1:
        raise UserError(
            f"{mirror.path} has {len(line)} commits on its main line; the demo replays {PUSHES + 1} or more of them. A shallow "
            "clone can be completed with `git fetch --unshallow`."
        )
    pushes = min(PUSHES, len(line) - 2)
    known = await survey(mirror, head)
    last = len(line) - pushes - 1
    scores = [await _worth(mirror, line[at + 1], line[at], known) for at in range(last)]
    at = max(range(last), key=lambda position: (scores[position], -position))
    return Chapters(
        line[at + 1 + pushes], tuple(reversed(line[at + 1 : at + 1 + pushes])), line[at], line[at - 1] if at else None
    )


async def _worth(mirror: Mirror, old: str, new: str, known: Survey) -> int:
    """How many calls of the repository the changed functions have, up to WELL_KNOWN; 0 for a commit too large to read."""
    changes = await mirror.diff(old, new)
    if len(changes) > MOST_FILES:
        return 0
    code = [each for each in changes if each.status == "M" and _is_code(each.path)]
    texts = await _texts(mirror, code)
    felt: set[str] = set()
    for change in code:
        before, after = texts.get(change.old_blob), texts.get(change.new_blob)
        if before is not None and after is not None:
            sides = FileSides(chunk_file(change.path, before), chunk_file(change.path, after), before, after)
            felt |= {each.name for each in compare(sides).symbols if each.change in TOLD}
    worth = sum(min(known.calls[name], WELL_KNOWN) for name in felt if known.defined[name] <= 1)
    return min(worth, WELL_KNOWN)


async def _texts(mirror: Mirror, changes: list[Change]) -> dict[str, str]:
    wanted = [blob for change in changes for blob in (change.old_blob, change.new_blob)]
    texts = {}
    async for blob, data in mirror.blobs(wanted):
        text = Skip.MISSING if data is None else decode(data)
        if not isinstance(text, Skip):
            texts[blob] = text
    return texts


def _is_code(path: str) -> bool:
    return language_of(path) not in ("", "markdown") and not is_test(path)


async def survey(mirror: Mirror, sha: str) -> Survey:
    """Read up to SURVEYED_FILES source files of a commit, no tests, and count the names that are defined and called."""
    entries = [each for each in await mirror.tree(sha) if each.mode.startswith("100") and _is_code(each.path)]
    paths = {each.blob: each.path for each in entries[:SURVEYED_FILES]}
    calls: Counter[str] = Counter()
    defined: Counter[str] = Counter()
    told: set[str] = set()
    async for blob, data in mirror.blobs(paths):
        text = Skip.MISSING if data is None else decode(data)
        if isinstance(text, Skip):
            continue
        source = chunk_file(paths[blob], text)
        for definition in source.definitions:
            defined[definition.name] += 1
            if definition.kind in ("function", "method") and len(definition.name) >= SHORTEST_NAME:
                told.add(definition.name)
        calls.update(call.name for chunk in source.chunks for call in chunk.calls)
    return Survey(calls, defined, frozenset(told))


def choose_symbol(known: Survey) -> str:
    """The name of a function that is defined once and called some, not dozens of times; empty where no function is called."""
    good = sorted(name for name in known.told if known.defined[name] == 1 and known.calls[name])
    return max(good, key=lambda name: (known.calls[name] <= WELL_KNOWN, min(known.calls[name], WELL_KNOWN)), default="")
