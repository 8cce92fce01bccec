"""Reads what git prints with `-z`. Owns the forms; runs nothing.

Paths are bytes to git: they become text with undecodable bytes as lone surrogates, so that none is lost or merged.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.core.changes import Change
from app.core.types import TreeEntry

_COMMIT = re.compile(rb"(?:\A|(?<=\0))\x01(?=[0-9a-f]{40}(?:[0-9a-f]{24})?\0)")
"""Before each commit of a log. No message can forge it: none holds a zero byte, nor, behind MESSAGE, follows one."""
MESSAGE = "%x00>%B%x00"
"""The form of a whole message in a log's format."""


@dataclass(frozen=True, slots=True)
class Revision:
    """One commit of a history: its id, first line, the paths it changed, its parents' ids, `name <address>` of its author
    and its whole message."""

    sha: str
    subject: str
    paths: tuple[str, ...]
    parents: tuple[str, ...] = ()
    author: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit with its whole message and the files in which it differs from its parent."""

    sha: str
    message: str
    changes: tuple[Change, ...]


def parse_tree(out: bytes) -> list[TreeEntry]:
    """Of `ls-tree -r -l -z`. The size is `BAD` where the blob is not in the local store, `-` for a submodule."""
    entries: list[TreeEntry] = []
    for record in out.split(b"\0")[:-1]:
        facts, _, path = record.partition(b"\t")
        mode, kind, blob, size = facts.decode("ascii").split()
        if kind != "tree":
            entries.append(TreeEntry(_path(path), mode, blob, int(size) if size.isdigit() else -1))
    return entries


def parse_diff(out: bytes) -> list[Change]:
    """Of `diff-tree -r --raw -z`: `:mode mode id id status NUL path NUL`; a side that is not there has a zero id."""
    fields = out.split(b"\0")[:-1]
    changes: list[Change] = []
    for facts, path in zip(fields[::2], fields[1::2], strict=True):
        old_mode, new_mode, old, new, status = facts.decode("ascii")[1:].split()
        gone, made = not old.strip("0"), not new.strip("0")
        changes.append(
            Change(_path(path), "" if gone else old_mode, "" if made else new_mode, "" if gone else old, "" if made else new, status[0])
        )  # fmt: skip
    return changes


def parse_log(out: bytes) -> list[Revision]:
    """Of `log -z --format=%x01%H%x00%P%x00%an <%ae>` with MESSAGE, `--name-only`."""
    revisions: list[Revision] = []
    for record in _COMMIT.split(out)[1:]:
        sha, parents, author, message, *paths = record.split(b"\0")
        names = tuple(_path(path.lstrip(b"\n")) for path in paths if path.strip(b"\n"))
        whole = message[1:].decode("utf-8", "replace").strip()
        revisions.append(
            Revision(
                sha.decode("ascii"), whole.partition("\n")[0], names, tuple(parents.decode("ascii").split()),
                author.decode("utf-8", "replace"), whole,
            )
        )  # fmt: skip
    return revisions


def parse_changes(out: bytes) -> list[Commit]:
    """Of `log -z --raw --no-abbrev --format=%x01%H` with MESSAGE."""
    commits: list[Commit] = []
    for record in _COMMIT.split(out)[1:]:
        sha, _, rest = record.partition(b"\0")
        message, _, raw = rest.partition(b"\0")
        at = raw.find(b":")
        changes = parse_diff(raw[at:].rstrip(b"\0") + b"\0") if at >= 0 else []
        commits.append(Commit(sha.decode("ascii"), message[1:].decode("utf-8", "replace"), tuple(changes)))
    return commits


def _path(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def show_path(path: str) -> str:
    """A path that can be printed and stored: bytes that are not UTF-8 become `\\xNN`."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
