"""A mirror's directory on disk: made, mended after a kill, packed, removed. Called with the mirror's lock held."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from app.clients.git.run import Command, GitError, run

MOST_PACKS = 50
"""Each fetch adds a pack, and looking up an object may open them all; git's own gc limit is 50 too."""
REPACK_SECONDS = 600.0
"""Repacking a mirror of 300 MB takes half a minute."""

_CONFLICT = re.compile(
    r"cannot lock ref '([^']+)'|unable to create directory|'(refs/[^']+)' exists; cannot create '([^']+)'"
)
_LEFTOVERS = ("*.lock", "gc.pid", "objects/pack/tmp_*", "objects/info/*.lock", "objects/??/tmp_obj_*", "refs/**/*.lock")


def lock_of(path: Path) -> Path:
    """Beside the mirror, so that the mirror can be removed while its lock is held."""
    return path.with_name(f"{path.name}.lock")


async def prepare(path: Path, config: Mapping[str, str]) -> None:
    """Make the mirror if it is not there; else clear what a killed git left, and pack when packs are many."""
    if not (path / "HEAD").exists():
        await _create(path)
        return
    if _mend(path) > MOST_PACKS:
        await run(Command(["repack", "-a", "-d", "-q"], str(path), config, seconds=REPACK_SECONDS))


def _mend(path: Path) -> int:
    """Remove the lock and temporary files of a git that was killed. Returns how many packs there are."""
    for pattern in _LEFTOVERS:
        for leftover in path.glob(pattern):
            leftover.unlink(missing_ok=True)
    return sum(1 for _ in (path / "objects" / "pack").glob("*.pack"))


async def _create(path: Path) -> None:
    """Made under another name and moved into place, so that a mirror is there whole or not at all."""
    new = path.with_name(f"{path.name}.new")
    await remove(new)
    finished = await run(Command(["init", "--bare", "--quiet", "--template=", "--initial-branch=main", str(new)]))
    if finished.code:
        raise GitError(f"git init: {finished.error}")
    await remove(path)
    os.rename(new, path)


async def remove(path: Path) -> None:
    """Remove a directory tree, if it is there."""
    with contextlib.suppress(FileNotFoundError):
        await asyncio.to_thread(shutil.rmtree, path)


async def clear_conflicts(path: Path, complaint: str) -> bool:
    """Delete the refs in the way of a new one (branch `a` was deleted, `a/b` is new). True if a second try may work."""
    match = _CONFLICT.search(complaint)
    if match is None:
        return False
    wanted = next((name for name in match.groups() if name), "")
    listed = await run(Command(["for-each-ref", "--format=%(refname)"], str(path)))
    refs = listed.out.decode("utf-8", "surrogateescape").splitlines()
    in_the_way = [ref for ref in refs if wanted.startswith(f"{ref}/") or ref.startswith(f"{wanted}/")]
    for ref in in_the_way:
        await run(Command(["update-ref", "-d", ref], str(path)))
    return bool(in_the_way)
