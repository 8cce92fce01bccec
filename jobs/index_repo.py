"""Indexes a repository's default branch for the first time, or again from the first file, and its open pull requests after it."""

from __future__ import annotations

from app.core.routing import Job
from jobs.deps import Deps
from jobs.freshness import bring_branch
from jobs.site import visit


async def index_repo(deps: Deps, installation: int, repo: int, full: bool = False) -> str:
    """Bring the branch up to its head now; `full` compares every file. Returns what was done, for the log."""
    site = await visit(deps, installation, repo)
    if not site.head:
        return "the repository is empty"
    ledger = await bring_branch(deps, site, full=full)
    for pull in await deps.github.pulls_open(installation, repo):
        arguments = {"installation": installation, "repo": repo, "number": pull.number}
        await deps.queue.enqueue(Job("index_pull", arguments, f"index_pull:{repo}:{pull.number}:{pull.head_sha}"))
    return "already indexed" if ledger is None else f"indexed {ledger.listed} files"
