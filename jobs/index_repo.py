"""Indexes a repository's default branch: for the first time, after a lost push, or again from the first file."""

from __future__ import annotations

from jobs.deps import Deps
from jobs.freshness import bring_branch
from jobs.site import visit


async def index_repo(deps: Deps, installation: int, repo: int, full: bool = False) -> str:
    """Bring the branch up to its head now; `full` compares every file. Returns what was done, for the log.

    Open pull requests are left alone: an App that is installed must not comment on all of them at once. They are indexed
    by their next push, or when somebody asks in them.
    """
    site = await visit(deps, installation, repo)
    if not site.head:
        return "the repository is empty"
    ledger = await bring_branch(deps, site, full=full)
    return "already indexed" if ledger is None else f"indexed {ledger.listed} files"
