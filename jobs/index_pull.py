"""Follows a pull request's head: indexes what it changes as an overlay, then asks for its context comment."""

from __future__ import annotations

from app.core.routing import Job
from app.core.types import pull_scope
from app.steps.reindex import forget_scope
from jobs.deps import Deps
from jobs.freshness import bring_pull, writing
from jobs.site import visit


async def index_pull(deps: Deps, installation: int, repo: int, number: int) -> str:
    """Bring the overlay up to the pull request's head now; a closed one loses its overlay."""
    pull = await deps.github.pull(installation, repo, number)
    if pull.state != "open":
        async with writing(deps, repo):
            await forget_scope(deps.index, repo, pull_scope(number))
        return "closed"
    site = await visit(deps, installation, repo, pull)
    ledger = await bring_pull(deps, site)
    arguments = {"installation": installation, "repo": repo, "number": number}
    await deps.queue.enqueue(Job("summarize_pull", arguments, f"summarize_pull:{repo}:{number}:{site.pull_head}"))
    return "already indexed" if ledger is None else f"indexed {ledger.listed} files"
