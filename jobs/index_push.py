"""Follows a push to the default branch: indexes what changed up to the branch's head now, whatever the delivery said."""

from __future__ import annotations

from jobs.deps import Deps
from jobs.freshness import bring_branch
from jobs.site import visit


async def index_push(deps: Deps, installation: int, repo: int) -> str:
    """Bring the branch up to its head now. Late, lost and reordered pushes end at the same index."""
    site = await visit(deps, installation, repo)
    ledger = await bring_branch(deps, site)
    if ledger is None:
        return "already indexed"
    return f"{ledger.added} added, {ledger.changed} changed, {ledger.removed} removed"
