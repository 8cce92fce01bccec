"""Decides which files of a commit a scope should hold, and which it leaves out unread, and why. Reads no content."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from app.core.changes import DELETED, Change, identity
from app.core.rules import Rules
from app.core.source import generated_paths, refuse
from app.core.types import Skip, TreeEntry

NAMELESS = "path is not UTF-8"
"""The ledger's reason for a file whose path no record can hold: it is named with `\\xNN` and has no record at all."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """`entries` are the files that get a record, by path; `refused` says why some of them are not read. `nameless`
    have no record."""

    entries: Mapping[str, TreeEntry]
    refused: Mapping[str, str]
    nameless: tuple[str, ...] = ()

    @property
    def identities(self) -> dict[str, str]:
        """Path → identity, for `core.changes.plan`."""
        return {path: identity(entry.blob, self.refused.get(path, "")) for path, entry in self.entries.items()}


def select(entries: Iterable[TreeEntry], rules: Rules, deleted: Iterable[str] = ()) -> Wanted:
    """What a scope should hold of these files. `deleted` are paths that an overlay must hide.

    Sizes are left out of account: whether git knows one depends on what was fetched before, not on the commit.
    """
    is_generated = generated_paths(rules.attributes)
    kept: dict[str, TreeEntry] = {}
    refused: dict[str, str] = {}
    nameless: list[str] = []
    for entry in entries:
        if _has_no_name(entry.path):
            nameless.append(entry.path)
            continue
        kept[entry.path] = entry
        reason = _refusal(entry, rules, is_generated(entry.path))
        if reason is not None:
            refused[entry.path] = reason.value
    for path in deleted:
        if not _has_no_name(path):
            kept[path] = TreeEntry(path, "", "")
            refused[path] = DELETED
    return Wanted(kept, refused, tuple(nameless))


def select_changes(changes: Iterable[Change], rules: Rules, hide_deleted: bool) -> Wanted:
    """The same of the files that differ between two commits; with `hide_deleted` those that are gone get a record too."""
    changes = list(changes)
    entries = [TreeEntry(change.path, change.new_mode, change.new_blob) for change in changes if change.new_mode]
    gone = [change.path for change in changes if not change.new_mode]
    return select(entries, rules, gone if hide_deleted else ())


def _refusal(entry: TreeEntry, rules: Rules, generated: bool) -> Skip | None:
    if not rules.keeps(entry.path):
        return Skip.FILTERED
    return refuse(replace(entry, size=-1), generated)


def _has_no_name(path: str) -> bool:
    return not path.isascii() and any("\ud800" <= character <= "\udfff" for character in path)
