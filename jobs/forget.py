"""Removes what we hold of a repository, an installation or a closed pull request, after asking GitHub whether it is really gone."""

from __future__ import annotations

from app.core.errors import Gone, Suspended
from app.core.types import BRANCH, pull_scope
from app.steps.reindex import forget_scope
from jobs.deps import Deps
from jobs.freshness import scope_records, writing


async def forget(deps: Deps, installation: int, repos: list[int] | None = None, number: int | None = None) -> str:
    """Forget the scope of pull request `number` of the one repository in `repos`; else the repositories; else, with
    `repos` None, all that the installation had. What GitHub still shows us is kept: the delivery may be late.
    """
    if number is not None:
        return await _forget_pull(deps, installation, (repos or [])[0], number)
    if repos is None:
        if await _installed(deps, installation):
            return "still installed"
        repos = await _repositories_of(deps, installation)
    deps.github.forget_tokens(installation)
    forgotten = [repo for repo in repos if await _forget_repository(deps, installation, repo)]
    return f"forgot {len(forgotten)} of {len(repos)} repositories"


async def _forget_pull(deps: Deps, installation: int, repo: int, number: int) -> str:
    try:
        if (await deps.github.pull(installation, repo, number)).state == "open":
            return "open again"
    except Suspended:
        return "suspended"
    except Gone:
        pass  # the whole repository, or the pull request with it
    async with writing(deps, repo):
        await forget_scope(deps.index, repo, pull_scope(number))
    return "forgotten"


async def _forget_repository(deps: Deps, installation: int, repo: int) -> bool:
    if await _visible(deps, installation, repo):
        return False
    branch = (await scope_records(deps, repo)).get(BRANCH)
    # Transferred to another account that has us too: its installation indexed it since, and may see it.
    if (
        branch is not None
        and branch.installation not in (0, installation)
        and await _visible(deps, branch.installation, repo)
    ):
        return False
    async with writing(deps, repo):
        await deps.index.forget(repo)
        await deps.mirrors.forget(repo)
    return True


async def _visible(deps: Deps, installation: int, repo: int) -> bool:
    """Whether the installation still gives us the repository. A suspended one may be let in again: what it had is kept."""
    try:
        await deps.github.repository(installation, repo)
    except Suspended:
        return True
    except Gone:
        return False
    return True


async def _installed(deps: Deps, installation: int) -> bool:
    try:
        await deps.github.installation(installation)
    except Gone:
        return False
    return True


async def _repositories_of(deps: Deps, installation: int) -> list[int]:
    found = []
    for repo in await deps.index.repositories():
        records = (await scope_records(deps, repo)).values()
        if any(record.installation == installation for record in records):
            found.append(repo)
    return found
