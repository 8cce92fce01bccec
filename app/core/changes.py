"""Decides what an index run must do: two maps of path → identity in, a plan out. Reads and writes nothing.

An identity is the blob id, followed by the reason where the file is left out before it is read. So a file that becomes
ignored, or a symlink with the bytes of the file it replaced, counts as changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

DELETED = "deleted"
"""The reason kept in an overlay for a file that the pull request deletes, so that the branch's copy can be hidden."""


@dataclass(frozen=True, slots=True)
class Change:
    """One file that differs between two commits, as `git diff-tree -r --raw --no-renames` tells it.

    `status` is A, M, T (type) or D. The old side's mode and blob are empty for A, the new side's for D.
    """

    path: str
    old_mode: str
    new_mode: str
    old_blob: str
    new_blob: str
    status: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do, each tuple in order of path. `moved` maps a new path to an old one that held the same identity.

    `write` = added + changed, the paths whose points are written; points of `removed` go after all writes.
    """

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: int
    moved: Mapping[str, str]

    @property
    def write(self) -> tuple[str, ...]:
        """Every path whose file must be looked at, in order."""
        return tuple(sorted((*self.added, *self.changed)))


def identity(blob: str, refused: str = "") -> str:
    """What of a file decides whether it must be indexed again: its blob id and why it is not even read, if so."""
    return f"{blob} {refused}" if refused else blob


def plan(indexed: Mapping[str, str], wanted: Mapping[str, str]) -> Plan:
    """Compare path → identity in the index with path → identity that should be there.

    A move pairs an added path with a removed one of equal identity; the one with the same file name is preferred, then
    the first by path. Each removed path is used once.
    """
    added = sorted(wanted.keys() - indexed.keys())
    removed = sorted(indexed.keys() - wanted.keys())
    changed = sorted(path for path in wanted.keys() & indexed.keys() if wanted[path] != indexed[path])
    return Plan(
        added=tuple(added),
        changed=tuple(changed),
        removed=tuple(removed),
        unchanged=len(wanted) - len(added) - len(changed),
        moved=_moves({path: wanted[path] for path in added}, {path: indexed[path] for path in removed}),
    )


def _moves(added: Mapping[str, str], removed: Mapping[str, str]) -> dict[str, str]:
    sources: dict[str, dict[str, list[str]]] = {}  # identity → file name → old paths, last first
    for path in sorted(removed, reverse=True):
        sources.setdefault(removed[path], {}).setdefault(_file_name(path), []).append(path)
    moved: dict[str, str] = {}
    for same_name in (True, False):
        for path, blob in added.items():
            names = sources.get(blob)
            if path in moved or not names:
                continue
            name = _file_name(path) if same_name else min(names, key=lambda each: names[each][-1])
            if name in names:
                moved[path] = names[name].pop()
                if not names[name]:
                    del names[name]
    return moved


def _file_name(path: str) -> str:
    return path.rpartition("/")[2]
