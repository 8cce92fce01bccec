"""Brings a repository's scopes in the index up to its heads, one writer a repository; the same step for every job that needs it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace

from app.core.errors import Transient
from app.core.records import SCOPE, ScopeRecord, point_id, read_scope, scope_payload
from app.core.rules import Rules
from app.core.types import BRANCH, Ledger, Point, Where, pull_scope
from app.queue import Lock
from app.steps.reindex import ATTRIBUTES_BYTES, reindex
from jobs.deps import Deps
from jobs.site import Site

LOCK_SECONDS = 60.0
"""How long the lock of a killed worker stays; it is renewed while a run goes on."""

LOCK_WAIT_SECONDS = 2.0
"""How long a job waits for another writer before it gives its place in the worker back; most pushes are indexed sooner."""

DISTRUST_WAIT_SECONDS = 600.0
"""How long a run that lost its lock waits for the other writer; longer than all but the largest first indexes."""

BUSY_SECONDS = 3.0
"""Seconds until a job that found another writer looks again."""


async def scope_records(deps: Deps, repo: int) -> dict[str, ScopeRecord]:
    """What the index holds of a repository: scope → its record."""
    points = await deps.index.read(repo, Where({"type": (SCOPE,)}))
    records = [read_scope(point.payload) for point in points]
    return {record.scope: record for record in records}


class Busy(Transient):
    """Another job writes the index of the same repository: come back later. No failure, so it is not counted as one."""


@asynccontextmanager
async def writing(deps: Deps, repo: int) -> AsyncIterator[Lock]:
    """Be the one writer of a repository's index. Raises Busy where another job is."""
    async with AsyncExitStack() as stack:
        try:
            lock = await stack.enter_async_context(deps.queue.lock(_lock_name(repo), LOCK_SECONDS, LOCK_WAIT_SECONDS))
        except Transient as error:
            raise Busy(str(error), BUSY_SECONDS) from error
        yield lock


def _lock_name(repo: int) -> str:
    return f"index:{repo}"


async def bring_branch(deps: Deps, site: Site, *, full: bool = False) -> Ledger | None:
    """Index the default branch at the head that was fetched; None where there is nothing to do.

    Raises Busy where another job is writing this repository's index.
    """
    if not site.head:
        return None
    rules = Rules(tuple(site.config.path_filters))
    record = (await scope_records(deps, site.repo)).get(BRANCH)
    if not full and await _is_current(site, record, site.head, rules):
        return None
    return await _write(deps, site, BRANCH, site.head, None, rules, full)


async def bring_pull(deps: Deps, site: Site) -> Ledger | None:
    """Index what a pull request changes, as an overlay over the indexed branch; the branch first, where it is not indexed.

    The overlay is the difference to the merge base with the indexed branch, so a branch that moved on hides nothing.
    """
    assert site.pull is not None
    await bring_branch(deps, site)
    records = await scope_records(deps, site.repo)
    branch = records.get(BRANCH)
    if branch is None or not branch.head:
        return None
    base = await site.mirror.merge_base(branch.head, site.pull_head) or branch.head
    rules, scope = Rules(tuple(site.config.path_filters)), pull_scope(site.pull.number)
    held = records.get(scope)
    if held is not None and held.base == base and await _is_current(site, held, site.pull_head, rules):
        return None
    return await _write(deps, site, scope, site.pull_head, base, rules, full=False)


async def _is_current(site: Site, record: ScopeRecord | None, head: str, rules: Rules) -> bool:
    """Whether a scope's points are those of `head` under these rules, so that no lock need be taken to find nothing to do."""
    if record is None or record.dirty or record.head != head:
        return False
    if (record.installation, record.full_name) != (site.installation, site.repository.full_name):
        return False  # transferred or renamed: only the record is written again
    attributes = await site.mirror.read(head, ".gitattributes", ATTRIBUTES_BYTES)
    return record.rules == replace(rules, attributes=(attributes or b"").decode("utf-8", "replace")).digest


async def _write(deps: Deps, site: Site, scope: str, head: str, base: str | None, rules: Rules, full: bool) -> Ledger:
    async with writing(deps, site.repo) as lock:
        ledger = await reindex(
            deps.index,
            site.mirror,
            deps.workers,
            deps.embedder,
            repo=site.repo,
            scope=scope,
            head=head,
            base=base,
            rules=rules,
            installation=site.installation,
            full_name=site.repository.full_name,
            full=full,
        )
    if lock.lost:
        await _distrust(deps, site.repo, scope)
        raise Transient(f"the lock on the index of {site.repository.full_name} was lost", BUSY_SECONDS)
    return ledger


async def _distrust(deps: Deps, repo: int, scope: str) -> None:
    """Mark a scope dirty after two may have written it at once (Redis was flushed): its next run compares everything.

    Under the lock, so that it comes after the other writer's last word.
    """
    async with deps.queue.lock(_lock_name(repo), LOCK_SECONDS, DISTRUST_WAIT_SECONDS):
        record = (await scope_records(deps, repo)).get(scope)
        if record is not None:
            payload = scope_payload(repo, replace(record, dirty=True))
            await deps.index.upsert(repo, [Point(point_id(repo, scope, SCOPE, "", 0), payload)])
