"""Gathers what is true of a repository when a job starts: its state, its fetched branch, its settings; writes nothing to GitHub."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from app.clients.git import Mirror, Remote
from app.core.comment import CONFIG_PATH
from app.core.errors import ConfigError, Gone, Transient
from app.core.repo_config import RepoConfig, WhoMayAsk, parse
from app.core.source import decode
from app.core.types import PullRequest, Repository, Skip
from jobs.deps import Deps

UNREADABLE = RepoConfig(who_may_ask=WhoMayAsk("write"))
"""What holds while the settings file cannot be used: the defaults, but nobody may ask whom it may have meant to keep out."""

BEHIND_SECONDS = 5.0
"""Until git is asked again for a commit that the API has told of."""


@dataclass(frozen=True)
class Site:
    """One repository, now. `head` is the default branch's commit, empty for a repository without commits.

    `config` is read at the default branch, or for a pull request at its base branch; where the file cannot be used it
    holds the defaults and `config_error` says why. `pull_head` is the pull request's fetched head.
    """

    installation: int
    repository: Repository
    mirror: Mirror
    head: str
    config: RepoConfig
    config_error: str = ""
    pull: PullRequest | None = None
    pull_head: str = ""

    @property
    def repo(self) -> int:
        """The repository's id."""
        return self.repository.id


async def visit(
    deps: Deps, installation: int, repo: int, pull: PullRequest | None = None, repository: Repository | None = None
) -> Site:
    """Ask GitHub for the repository and fetch its default branch, with a pull request's base and head in the same request.

    `repository` spares a call where the job has asked for it already.

    Raises Gone where we may no longer see it, Transient where git does not show yet what the API tells.
    """
    repository = repository or await deps.github.repository(installation, repo)
    token, refused = deps.github.git_token(installation, repo), partial(deps.github.drop_git_token, installation, repo)
    remote = Remote(repository.clone_url, token, refused)
    mirror = deps.mirrors.mirror(repo, remote)
    branch = f"refs/heads/{repository.default_branch}"
    if pull is None:
        head = await _branch_head(deps, installation, repository, mirror)
        config, error = await read_config(mirror, head)
        return Site(installation, repository, mirror, head, config, error)
    # The fork may be gone or closed to us: its commits are in the base repository under refs/pull/N/head.
    base, ours = f"refs/heads/{pull.base_ref}", f"refs/pull/{pull.number}/head"
    try:
        await mirror.fetch(list(dict.fromkeys([branch, base, ours])))
        head, base_head, pull_head = [await mirror.resolve(ref) for ref in (branch, base, ours)]
    except Gone as error:
        raise _behind(repository, str(error)) from error
    if pull_head != pull.head_sha:
        pull = await deps.github.pull(installation, repo, pull.number)
        if pull.head_sha != pull_head and pull.state == "open":
            raise _behind(repository, f"{ours} is at {pull_head}")
    config, wrong = await read_config(mirror, base_head)
    return Site(installation, repository, mirror, head, config, wrong, pull, pull_head)


async def read_config(mirror: Mirror, commit: str) -> tuple[RepoConfig, str]:
    """The repository's settings at a commit, and what is wrong with the file; the defaults where there is none."""
    data = await mirror.read(commit, CONFIG_PATH) if commit else None
    if not data:
        return RepoConfig(), ""
    text = decode(data)
    if isinstance(text, Skip):  # a string itself, so that asking for a string would let it through
        return UNREADABLE, f"the file cannot be read as text ({text.value})"
    try:
        return parse(text), ""
    except ConfigError as error:
        return UNREADABLE, str(error)


async def _branch_head(deps: Deps, installation: int, repository: Repository, mirror: Mirror) -> str:
    branch = f"refs/heads/{repository.default_branch}"
    try:
        await mirror.fetch([branch])
    except Gone as error:
        # An empty repository has no branch to fetch; anything else is really gone.
        if await deps.github.branch_head(installation, repository.id, repository.default_branch):
            raise _behind(repository, str(error)) from error
        return ""
    return await mirror.resolve(branch)


def _behind(repository: Repository, what: str) -> Transient:
    """The API already tells what git does not show yet: GitHub serves the two from different copies."""
    return Transient(f"{repository.full_name}: git is behind the API: {what}", BEHIND_SECONDS)
