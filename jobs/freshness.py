"""Brings a repository's scopes in the index up to its heads, one writer a repository; the same step for every job that needs it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace

from app.clients.git import Mirror
from app.core.errors import Transient
from app.core.records import SCOPE, ScopeRecord, read_scope
from app.core.rules import Rules
from app.core.types import BRANCH, Ledger, Where, pull_scope
from app.steps.reindex import ATTRIBUTES_BYTES, reindex
from jobs.deps import Deps
from jobs.site import Site

LOCK_SECONDS = 60.0
"""How long the lock of a killed worker stays; it is renewed while a run goes on."""

LOCK_WAIT_SECONDS = 2.0
"""How long a job waits for another writer before it gives its place in the worker back; most pushes are indexed sooner."""

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
async def writing(deps: Deps, repo: int) -> AsyncIterator[None]:
    """Be the one writer of a repository's index. Raises Busy where another job is."""
    async with AsyncExitStack() as stack:
        try:
            await stack.enter_async_context(deps.queue.lock(f"index:{repo}", LOCK_SECONDS, LOCK_WAIT_SECONDS))
        except Transient as error:
            raise Busy(str(error), BUSY_SECONDS) from error
        yield


async def bring_branch(deps: Deps, site: Site, *, full: bool = False) -> Ledger | None:
    """Index the default branch at the head that was fetched; None where there is nothing to do.

    Raises Busy where another job is writing this repository's index.
    """
    if not site.head:
        return None
    rules = Rules(tuple(site.config.path_filters))
    record = (await scope_records(deps, site.repo)).get(BRANCH)
    if not full and await _is_current(site.mirror, record, site.head, rules):
        return None
    async with writing(deps, site.repo):
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
    if held is not None and held.base == base and await _is_current(site.mirror, held, site.pull_head, rules):
        return None
    async with writing(deps, site.repo):
        return await _write(deps, site, scope, site.pull_head, base, rules, full=False)


async def _is_current(mirror: Mirror, record: ScopeRecord | None, head: str, rules: Rules) -> bool:
    """Whether a scope's points are those of `head` under these rules, so that no lock need be taken to find nothing to do."""
    if record is None or record.dirty or record.head != head:
        return False
    attributes = await mirror.read(head, ".gitattributes", ATTRIBUTES_BYTES)
    return record.rules == replace(rules, attributes=(attributes or b"").decode("utf-8", "replace")).digest


async def _write(deps: Deps, site: Site, scope: str, head: str, base: str | None, rules: Rules, full: bool) -> Ledger:
    return await reindex(
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
