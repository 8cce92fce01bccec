"""Changes to repositories: made, forked, renamed, moved, deleted. Each sends the events GitHub sends."""

from __future__ import annotations

import shutil
from pathlib import Path

from app.sandbox import payloads, repository_git
from app.sandbox.host import Host
from app.sandbox.installing import send_selection
from app.sandbox.payloads import Json
from app.sandbox.state import Repository, User


async def add_repository(
    host: Host, full_name: str, source: Path | None, private: bool, default_branch: str | None
) -> Repository:
    """A repository with the branches and tags of `source`, or an empty one."""
    owner, _, name = full_name.partition("/")
    number = host.state.new_id("repository")
    path = host.state.directory / "repositories" / f"{number}.git"
    if source is None:
        branch = default_branch or "main"
        await repository_git.create(path, branch)
    else:
        branch = await repository_git.copy(source, path, default_branch)
    now = host.state.clock()
    repository = Repository(number, host.state.user(owner), name, path, private, branch, now, now)
    host.state.repositories[number] = repository
    host.state.former_names.pop(full_name.lower(), None)
    return repository


def announce(host: Host, repository: Repository, sender: User) -> None:
    """Tell the installation that covers all of the owner's repositories of a new one."""
    installation = host.state.installation_of(repository)
    if installation is None:
        return
    send_repository(host, "created", sender, repository)
    if installation.suspended_at is None:
        send_selection(host, installation, sender, [repository], [])


def signature(host: Host, person: User) -> tuple[str, str, float]:
    """How a person signs commits: name, GitHub's no-reply address, time."""
    return person.login, f"{person.id}+{person.login}@users.noreply.github.com", host.state.clock()


async def fork(host: Host, parent: Repository, owner: User) -> Repository:
    """A fork under another account, with the parent's branches."""
    full_name = f"{owner.login}/{parent.name}"
    copy = await add_repository(host, full_name, parent.path, parent.private, parent.default_branch)
    copy.fork_of = parent
    return copy


def send_repository(host: Host, action: str, sender: User, repository: Repository, changes: Json | None = None) -> None:
    """A `repository` event."""
    fields: Json = {"action": action} | ({"changes": changes} if changes else {})
    host.webhooks.repository_event("repository", sender, repository, fields)


def rename(host: Host, repository: Repository, sender: User, name: str) -> None:
    """A new name; the old one redirects until another repository takes it."""
    before = repository.name
    host.state.former_names[repository.full_name.lower()] = repository.id
    repository.name = name
    send_repository(host, "renamed", sender, repository, {"repository": {"name": {"from": before}}})


def transfer(host: Host, repository: Repository, sender: User, owner: User) -> None:
    """A new owner. Heard only by an installation that the new owner has; the old one loses the repository."""
    before = repository.owner
    old = host.state.installation_of(repository)
    host.state.former_names[repository.full_name.lower()] = repository.id
    repository.owner = owner
    if old is not None and old.selected is not None:
        old.selected.discard(repository.id)
    organized = before.type == "Organization"
    former = payloads.organization(host.state, before) if organized else payloads.user(host.state, before)
    changes: Json = {"owner": {"from": {"organization" if organized else "user": former}}}
    send_repository(host, "transferred", sender, repository, changes)
    if old is not None:
        send_selection(host, old, sender, [], [repository])


def delete(host: Host, repository: Repository, sender: User) -> None:
    """The repository is gone, also as the head of pull requests elsewhere."""
    send_repository(host, "deleted", sender, repository)
    repository.deleted = True
    for other in host.state.repositories.values():
        for thread in other.threads.values():
            if thread.pull is not None and thread.pull.head_repository is repository and other is not repository:
                thread.pull.head_repository = None
    shutil.rmtree(repository.path, ignore_errors=True)
