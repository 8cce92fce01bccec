"""The changed files of two commits and the lines a review comment may sit on, as git computes them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from app.sandbox import repository_git

PATCH_LINES = 20_000
"""A file's patch is left out past this many lines (GitHub's diff limits)."""
PATCH_BYTES = 500_000
"""… and past this many bytes."""

KEPT_DIFFS = 8
"""Diffs remembered, over all sandboxes of the process."""

_kept: dict[tuple[str, str, str], list[ChangedFile]] = {}
_STATUS = {"A": "added", "D": "removed", "M": "modified", "R": "renamed", "T": "changed", "C": "copied"}
_HUNK = re.compile(r"^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


@dataclass(frozen=True)
class ChangedFile:
    """One file of a diff. `patch` starts at its first `@@`; None where binary, too large or without changed lines."""

    path: str
    previous: str | None
    status: str
    blob: str
    additions: int
    deletions: int
    patch: str | None


@dataclass(frozen=True)
class DiffLine:
    """A line one can comment on: `position` counts lines below the first `@@`; `hunk` ends at it."""

    position: int
    hunk: str


async def changed_files(path: Path, old: str, new: str) -> list[ChangedFile]:
    """All files that differ between two commits, in git's order, with renames detected as GitHub does (50% alike)."""
    key = (str(path), old, new)
    found = _kept.get(key)
    if found is None:
        # Commits never change, and a caller asks for page after page of one diff.
        found = _kept[key] = await _compare(path, old, new)
        for oldest in list(_kept)[:-KEPT_DIFFS]:
            # Another sandbox's thread may have dropped it already.
            _kept.pop(oldest, None)
    return list(found)


async def _compare(path: Path, old: str, new: str) -> list[ChangedFile]:
    output = await repository_git.run(path, "diff", "--raw", "--numstat", "-z", "-M", "--no-abbrev", old, new)
    raw, counts = _split(output.decode(errors="surrogateescape").split("\0"))
    patches = await _patches(path, old, new) if raw else []
    files = []
    for (status, blobs, names), (added, deleted), patch in zip(raw, counts, patches, strict=True):
        files.append(
            ChangedFile(
                path=names[-1],
                previous=names[0] if len(names) > 1 else None,
                status=_STATUS.get(status[0], "modified"),
                blob=blobs[0] if status[0] == "D" else blobs[1],
                additions=added,
                deletions=deleted,
                patch=patch,
            )
        )
    return files


def _split(fields: list[str]) -> tuple[list[tuple[str, tuple[str, str], list[str]]], list[tuple[int, int]]]:
    """The raw records, then the numstat ones; a rename's numstat has empty third field and two more names."""
    raw, counts, at = [], [], 0
    while at < len(fields) and fields[at].startswith(":"):
        _, _, old, new, status = fields[at].split(" ")
        names = fields[at + 1 : at + (3 if status[0] in "RC" else 2)]
        raw.append((status, (old, new), names))
        at += 1 + len(names)
    while at < len(fields) and fields[at]:
        added, deleted, name = fields[at].split("\t", 2)
        counts.append((0, 0) if added == "-" else (int(added), int(deleted)))
        at += 1 if name else 3
    return raw, counts


async def _patches(path: Path, old: str, new: str) -> list[str | None]:
    output = (await repository_git.run(path, "diff", "--no-color", "-M", old, new)).decode(errors="replace")
    patches: list[str | None] = []
    for part in re.split(r"^diff --git .*\n", output, flags=re.MULTILINE)[1:]:
        start = re.search(r"^@@ ", part, flags=re.MULTILINE)
        patch = part[start.start() :].removesuffix("\n") if start else None
        if patch is not None and (len(patch) > PATCH_BYTES or patch.count("\n") > PATCH_LINES):
            patch = None
        patches.append(patch)
    return patches


def diff_lines(patch: str) -> dict[tuple[str, int], DiffLine]:
    """(side, line number) of every line of a patch that can carry a comment: LEFT is the old file, RIGHT the new one."""
    found: dict[tuple[str, int], DiffLine] = {}
    old = new = 0
    hunk: list[str] = []
    for position, text in enumerate(patch.split("\n")):
        header = _HUNK.match(text)
        if header:
            old, new, hunk = int(header[1]), int(header[2]), [text]
            continue
        hunk.append(text)
        here = DiffLine(position, "\n".join(hunk))
        if text.startswith(("-", " ")):
            found["LEFT", old] = here
            old += 1
        if text.startswith(("+", " ")):
            found["RIGHT", new] = here
            new += 1
    return found
