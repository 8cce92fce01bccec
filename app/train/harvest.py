"""Reads pairs from one git repository and keeps them in a file, so that a harvest that was stopped goes on where it was."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from app.clients.git import Mirror
from app.clients.git.local import local_mirror
from app.core.changes import Change
from app.core.errors import UserError
from app.core.generated import is_generated
from app.core.source import decode
from app.train.pairs import Edited, Pair, commit_pairs, docstring_pairs, is_code, readable_changes, telling_message

MOST_COMMITS = 15_000
"""Newest commits looked at; older code is written in another style and its blobs are rarely packed near each other."""
LONGEST_FILE = 60_000
"""Bytes. Larger files take a second to chunk and give no more pairs a commit than small ones."""
AT_ONCE = 256
"""Commits whose files are read from git in one call: some 500 blobs, 10 MB."""
T = TypeVar("T")

FORM = 1
"""Version of the pairs' file; another one is harvested anew."""
_FILE = re.compile(r"(?P<name>.+)-(?P<commit>[0-9a-f]{12})-\d+-\d+-(?P<form>\d+)\.jsonl\.gz")


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much is taken from one repository: commits spread evenly over its history, files of its newest tree."""

    commits: int = 2_000
    files: int = 600


@dataclass(frozen=True, slots=True)
class Harvest:
    """Where a repository's pairs are. `commit` is the one it was read at."""

    name: str
    commit: str
    pairs: int
    path: Path


async def harvest(repository: Path, folder: Path, bounds: Bounds) -> Harvest:
    """The pairs of one repository, read again only where its commit, the bounds or the form differ. UserError for no repository."""
    mirror = local_mirror(repository)
    commit = await mirror.resolve("HEAD")
    name = name_of(repository)
    path = folder / f"{name}-{commit[:12]}-{bounds.commits}-{bounds.files}-{FORM}.jsonl.gz"
    if not path.exists():
        pairs = await _pairs(mirror, commit, bounds)
        part = path.with_suffix(".part")
        with part.open("wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=1, mtime=0) as out:
            for pair in pairs:
                row = [pair.group, dict(pair.query), dict(pair.code)]
                out.write(json.dumps(row, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n")
        os.replace(part, path)
    return Harvest(name, commit, sum(1 for _ in read_pairs(path)), path)


def kept_harvest(path: Path) -> Harvest:
    """A file that `harvest` wrote, here or on another machine, whatever its bounds; its commit is as much as the name says.

    UserError where the name is not such a file's or the form is another one.
    """
    named = _FILE.fullmatch(path.name)
    if named is None or int(named["form"]) != FORM:
        raise UserError(
            f"{path} is not a harvest of form {FORM}: its name must end in -COMMIT-COMMITS-FILES-{FORM}.jsonl.gz"
        )
    try:
        pairs = sum(1 for _ in read_pairs(path))
    except (OSError, EOFError, ValueError, TypeError, zlib.error) as error:
        raise UserError(f"the harvest {path} cannot be read: {error}") from error
    return Harvest(named["name"], named["commit"], pairs, path)


def harvest_now(repository: Path, folder: Path, bounds: Bounds) -> Harvest:
    """`harvest` for a process of its own."""
    return asyncio.run(harvest(repository, folder, bounds))


def read_pairs(path: Path) -> Iterator[Pair]:
    """The pairs of a file that `harvest` wrote, in its order."""
    with gzip.open(path, "rb") as lines:
        for line in lines:
            group, query, code = json.loads(line)
            yield Pair(group, query, code)


def name_of(repository: Path) -> str:
    """A folder's name that tells the repository: `owner+name` of a mirror's parent, else the folder's own."""
    path = repository.expanduser().resolve()
    name = path.parent.name if path.name in ("repo", ".git") else path.name
    return "".join(each if each.isalnum() or each in "+-_." else "_" for each in name)


async def _pairs(mirror: Mirror, commit: str, bounds: Bounds) -> list[Pair]:
    """Pairs without repeats: a function edited twice is learnt twice only under different words."""
    found: dict[tuple[str, str], Pair] = {}
    for pair in [*await _from_commits(mirror, commit, bounds), *await _from_tree(mirror, commit, bounds)]:
        found.setdefault((pair.group, json.dumps(list(pair.code.items()))), pair)
    return list(found.values())


async def _from_commits(mirror: Mirror, commit: str, bounds: Bounds) -> list[Pair]:
    usable: list[tuple[str, str, tuple[Change, ...]]] = []
    for revision in await mirror.changes(commit, MOST_COMMITS):
        message = telling_message(revision.message)
        changes = readable_changes(revision.changes) if message else ()
        if changes:
            usable.append((revision.sha, message, changes))
    usable = _spread(usable, bounds.commits)
    pairs: list[Pair] = []
    for start in range(0, len(usable), AT_ONCE):
        some = usable[start : start + AT_ONCE]
        texts = await _texts(
            mirror, [blob for *_, each in some for file in each for blob in (file.old_blob, file.new_blob)]
        )
        for sha, message, changes in some:
            files = [
                Edited(each.path, texts[each.old_blob], texts[each.new_blob])
                for each in changes
                if each.old_blob in texts
                and each.new_blob in texts
                and not is_generated(each.path, texts[each.old_blob])
            ]
            pairs += commit_pairs(sha, message, files)
    return pairs


async def _from_tree(mirror: Mirror, commit: str, bounds: Bounds) -> list[Pair]:
    entries = [
        each for each in await mirror.tree(commit)
        if each.mode.startswith("100") and 0 < each.size <= LONGEST_FILE and is_code(each.path)
    ]  # fmt: skip
    paths = {each.blob: each.path for each in _spread(entries, bounds.files)}
    pairs: list[Pair] = []
    for blob, text in (await _texts(mirror, list(paths))).items():
        if not is_generated(paths[blob], text):
            pairs += docstring_pairs(paths[blob], text)
    return pairs


async def _texts(mirror: Mirror, blobs: Sequence[str]) -> dict[str, str]:
    texts: dict[str, str] = {}
    async for blob, data in mirror.blobs(blobs, LONGEST_FILE):
        text = decode(data) if data is not None else None
        if isinstance(text, str):
            texts[blob] = text
    return texts


def _spread(items: list[T], most: int) -> list[T]:
    """At most `most` of them, evenly over the list."""
    if len(items) <= most:
        return items
    return [items[at * len(items) // most] for at in range(most)]
