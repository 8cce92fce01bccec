"""Brings one scope of the index to a commit: what a fresh index would hold, for the price of what changed.

The scope's record is marked dirty before the first write and given its new head only after a flush. A run that finds it
dirty compares everything, so a process may be killed at any line and the next run mends what it left.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from app.clients.embed import Embedder
from app.clients.git import Mirror, show_path
from app.clients.index import Index
from app.clients.workers import Workers
from app.core.changes import Plan, plan
from app.core.records import CHUNK, FILE, SCOPE, ScopeRecord, point_id, scope_payload
from app.core.rules import Rules
from app.core.types import Ledger, Point, Where
from app.core.wanted import NAMELESS, Wanted, select, select_changes
from app.steps.build import Build
from app.steps.stored import Stored, read_all, read_and_check, read_paths, read_scope_record
from app.steps.writer import Writer

ATTRIBUTES_BYTES = 256 << 10
"""Most that is read of a .gitattributes file; git itself ignores one over 100 MB."""

Progress = Callable[[int, int], None]
"""Called with the number of files done and of files to do."""


@dataclass(frozen=True, slots=True)
class Work:
    """What a run has to do: the plan, what the commit wants, what the index holds, and how many files the scope then has."""

    plan: Plan
    wanted: Wanted
    stored: Stored
    files: int
    unchanged: int


async def reindex(
    index: Index,
    mirror: Mirror,
    workers: Workers,
    embedder: Embedder,
    *,
    repo: int,
    scope: str,
    head: str,
    base: str | None = None,
    rules: Rules = Rules(),  # noqa: B008 (frozen)
    installation: int = 0,
    full_name: str = "",
    full: bool = False,
    progress: Progress | None = None,
) -> Ledger:
    """Make `scope` hold the files of commit `head`, or with `base` (an overlay) only those that differ from it.

    Costs what changed where the last run finished under the same rules; compares all files where it did not, or with
    `full`. Both commits must be in the mirror (Gone). One run a scope at a time: the caller holds the lock. Never fails
    for what a single file holds; raises Transient when the index or git does. The ledger's `skipped` and `chunks` cover
    the files that were looked at: all on a full run, the changed ones otherwise.
    """
    began = time.monotonic()
    rules = await _rules_at(mirror, head, rules)
    found = await read_scope_record(index, repo, scope)
    before = replace(found or ScopeRecord(scope), installation=installation, full_name=full_name)
    after = replace(before, head=head, base=base or "", dirty=False, rules=rules.digest)
    ledger = Ledger(repo, scope, head, listed=before.files, unchanged=before.files)
    if after != before or full:
        work = await _decide(index, mirror, repo, before, after, rules, full)
        _account(ledger, work)
        if work.plan.write or work.plan.removed:
            # A scope that was never finished resumes under the rules of the run that began it.
            await _store(index, repo, replace(before, dirty=True, rules=before.rules or rules.digest))
            await index.flush(repo)  # a power cut must not keep later writes and lose this one
        lookup = await index.count(repo, Where({"type": (CHUNK,)})) > 0
        writer = Writer(index, embedder, ledger, work.stored.extents, lookup, _counter(work.plan, progress))
        await Build(mirror, workers, writer, work.wanted, embedder.id).run(work.plan)
        await index.flush(repo)
        after = replace(after, files=work.files, ledger=_summary(ledger))
    if after != found:
        await _store(index, repo, after)
    ledger.seconds = time.monotonic() - began
    return ledger


async def forget_scope(index: Index, repo: int, scope: str) -> None:
    """Remove a scope. Its record goes last, and dirty: a run that is killed on the way leaves something to find."""
    before = await read_scope_record(index, repo, scope)
    if before is not None:
        await _store(index, repo, replace(before, dirty=True))
    await index.delete(repo, Where({"type": (CHUNK, FILE), "scope": (scope,)}))
    await index.delete(repo, Where({"scope": (scope,)}))


# --- deciding -----------------------------------------------------------------------------------------------------


async def _rules_at(mirror: Mirror, head: str, rules: Rules) -> Rules:
    """The rules with the root's .gitattributes. A pull request's own may only hide its own files from its overlay."""
    data = await mirror.read(head, ".gitattributes", ATTRIBUTES_BYTES)
    return replace(rules, attributes=(data or b"").decode("utf-8", "replace"))


async def _decide(
    index: Index, mirror: Mirror, repo: int, before: ScopeRecord, after: ScopeRecord, rules: Rules, full: bool
) -> Work:
    trusted = not before.dirty and not full
    same_rules = before.rules == after.rules
    if trusted and same_rules and not before.base and not after.base and await mirror.contains(before.head):
        return await _decide_of_push(index, mirror, repo, before, after, rules)
    if after.base:
        wanted = select_changes(await mirror.diff(after.base, after.head), rules, hide_deleted=True)
    else:
        wanted = select(await mirror.tree(after.head), rules)
    stored = await (read_all if trusted else read_and_check)(index, repo, after.scope)
    same_version = before.rules.partition(".")[0] == rules.version
    indexed = stored.identities if same_version or not before.rules else dict.fromkeys(stored.identities, "")
    decided = plan(indexed, wanted.identities)
    return Work(decided, wanted, stored, len(wanted.entries), decided.unchanged)


async def _decide_of_push(
    index: Index, mirror: Mirror, repo: int, before: ScopeRecord, after: ScopeRecord, rules: Rules
) -> Work:
    """The work between two commits of a clean scope, without looking at the files that are the same in both."""
    changes = await mirror.diff(before.head, after.head)
    wanted = select_changes(changes, rules, hide_deleted=False)
    stored = await read_paths(index, repo, after.scope, [change.path for change in changes])
    decided = plan(stored.identities, wanted.identities)
    files = before.files + len(decided.added) - len(decided.removed)
    return Work(decided, wanted, stored, files, files - len(decided.write))


# --- accounting ---------------------------------------------------------------------------------------------------


def _account(ledger: Ledger, work: Work) -> None:
    """Counts of the plan, and the reasons of files that were skipped before and have not changed."""
    ledger.listed, ledger.unchanged = work.files, work.unchanged
    ledger.added, ledger.changed, ledger.removed = len(work.plan.added), len(work.plan.changed), len(work.plan.removed)
    ledger.moved = len(work.plan.moved)
    touched = {*work.plan.write, *work.plan.removed}
    for path, record in work.stored.files.items():
        if record.skip and path not in touched:
            ledger.skipped.setdefault(record.skip, []).append(path)
    if work.wanted.nameless:
        ledger.skipped[NAMELESS] = [show_path(path) for path in work.wanted.nameless]


def _counter(decided: Plan, progress: Progress | None) -> Callable[[int], None]:
    total = len(decided.write) + len(decided.removed)
    done = 0

    def wrote(files: int) -> None:
        nonlocal done
        done += files
        if progress is not None:
            progress(done, total)

    return wrote


def _summary(ledger: Ledger) -> dict[str, object]:
    """The counts that the scope's record keeps; the names can be read from the file records."""
    return {
        "listed": ledger.listed,
        "added": ledger.added,
        "changed": ledger.changed,
        "unchanged": ledger.unchanged,
        "removed": ledger.removed,
        "moved": ledger.moved,
        "skipped": {reason: len(paths) for reason, paths in sorted(ledger.skipped.items())},
        "notes": {reason: len(paths) for reason, paths in sorted(ledger.notes.items())},
        "chunks": dict(sorted(ledger.chunks.items())),
        "vectors_computed": ledger.vectors_computed,
        "vectors_reused": ledger.vectors_reused,
    }


async def _store(index: Index, repo: int, record: ScopeRecord) -> None:
    await index.upsert(repo, [Point(point_id(repo, record.scope, SCOPE, "", 0), scope_payload(repo, record))])
