"""Changes to repositories and installations: made, pushed to, renamed, moved, deleted. Each sends the events GitHub sends."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from app.sandbox import payloads, pulls, repository_git
from app.sandbox.host import Host
from app.sandbox.payloads import Json
from app.sandbox.state import ZERO_SHA, Installation, Repository, User, node_id

PUSH_COMMITS = 2_048
"""A push event lists so many commits at most."""


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
        _send_selection(host, installation, sender, [repository], [])


def signature(host: Host, person: User) -> tuple[str, str, float]:
    """How a person signs commits: name, GitHub's no-reply address, time."""
    return person.login, f"{person.id}+{person.login}@users.noreply.github.com", host.state.clock()


async def fork(host: Host, parent: Repository, owner: User) -> Repository:
    """A fork under another account, with the parent's branches."""
    full_name = f"{owner.login}/{parent.name}"
    copy = await add_repository(host, full_name, parent.path, parent.private, parent.default_branch)
    copy.fork_of = parent
    return copy


async def push(host: Host, repository: Repository, ref: str, after: str, pusher: User) -> None:
    """Move (or make, or with ZERO_SHA delete) a ref: a push event, then `synchronize` for pull requests from it."""
    path = repository.path
    full = ref if ref.startswith("refs/") else f"refs/heads/{ref}"
    before = await repository_git.resolve(path, full) or ZERO_SHA
    if after == ZERO_SHA:
        await repository_git.run(path, "update-ref", "-d", full)
    else:
        await repository_git.run(path, "update-ref", full, after)
    repository.pushed = host.state.clock()
    fields = await _push_fields(host, repository, full, before, after)
    email = f"{pusher.id}+{pusher.login}@users.noreply.github.com"
    fields["pusher"] = {"name": pusher.login, "email": email}
    host.webhooks.repository_event("push", pusher, repository, fields)
    if full.startswith("refs/heads/") and after != ZERO_SHA:
        await pulls.synchronize(host, pusher, repository, full.removeprefix("refs/heads/"), after)


async def _push_fields(host: Host, repository: Repository, ref: str, before: str, after: str) -> Json:
    created, deleted = before == ZERO_SHA, after == ZERO_SHA
    forced = not created and not deleted and not await repository_git.contains(repository.path, before, after)
    commits: list[Json] = []
    head: Json | None = None
    if not deleted:
        if created:
            known = f"refs/heads/{repository.default_branch}"
            others = (
                [] if ref == known or not await repository_git.resolve(repository.path, known) else ["--not", known]
            )
            arguments = [after, *others]
        else:
            arguments = [f"{before}..{after}"]
        found = await repository_git.log(repository.path, f"--max-count={PUSH_COMMITS}", *arguments)
        known_tip = found[:1] if found and found[0].sha == after else []
        tip = known_tip or await repository_git.log(repository.path, "--max-count=1", after)
        files = await repository_git.files_of(repository.path, [*found, *tip])
        commits = [_push_commit(host, repository, commit, files[commit.sha]) for commit in reversed(found)]
        head = _push_commit(host, repository, tip[0], files[after])
    html = payloads.html_of(host.state, repository)
    span = f"{before[:12]}...{after[:12]}" if not created and not deleted else ref.split("/", 2)[2]
    return {
        "ref": ref,
        "before": before,
        "after": after,
        "created": created,
        "deleted": deleted,
        "forced": forced,
        "base_ref": None,
        "compare": f"{html}/compare/{span}",
        "commits": commits,
        "head_commit": head,
    }


def _push_commit(
    host: Host, repository: Repository, commit: repository_git.Commit, changes: list[tuple[str, str]]
) -> Json:
    def paths(letters: str) -> list[str]:
        # Bytes that are no UTF-8 arrive as U+FFFD in GitHub's JSON.
        return [
            name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
            for kind, name in changes
            if kind in letters
        ]

    return {
        "id": commit.sha,
        "tree_id": commit.tree,
        "distinct": True,
        "message": commit.message,
        "timestamp": commit.committer[2],
        "url": f"{payloads.html_of(host.state, repository)}/commit/{commit.sha}",
        "author": {"name": commit.author[0], "email": commit.author[1]},
        "committer": {"name": commit.committer[0], "email": commit.committer[1]},
        "added": paths("A"),
        "removed": paths("D"),
        "modified": paths("MT"),
    }


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
        _send_selection(host, old, sender, [], [repository])


def delete(host: Host, repository: Repository, sender: User) -> None:
    """The repository is gone, also as the head of pull requests elsewhere."""
    send_repository(host, "deleted", sender, repository)
    repository.deleted = True
    for other in host.state.repositories.values():
        for thread in other.threads.values():
            if thread.pull is not None and thread.pull.head_repository is repository and other is not repository:
                thread.pull.head_repository = None
    shutil.rmtree(repository.path, ignore_errors=True)


# --- installations ---


def add_installation(host: Host, account: User, permissions: dict[str, str], selected: set[int] | None) -> Installation:
    """The App on an account: an `installation` event that lists the repositories it sees."""
    number = host.state.new_id("installation")
    one = Installation(number, account, permissions, host.state.clock(), selected)
    host.state.installations[number] = one
    send_installation(host, "created", account, one)
    return one


def send_installation(host: Host, action: str, sender: User, one: Installation) -> None:
    """An `installation` event; created and deleted ones list the repositories."""
    fields: Json = {"action": action}
    listed = [payloads.short_repository(repository) for repository in host.state.repositories_of(one)]
    if action in ("created", "deleted", "suspend", "unsuspend", "new_permissions_accepted"):
        fields["repositories"] = listed
    host.webhooks.installation_event("installation", sender, one, fields)


def select(
    host: Host, one: Installation, sender: User, added: Iterable[Repository], removed: Iterable[Repository]
) -> None:
    """Choose repositories of an installation, one event for the added and one for the removed ones."""
    added, removed = list(added), list(removed)
    if one.selected is None:
        one.selected = {repository.id for repository in host.state.repositories_of(one)}
    one.selected |= {repository.id for repository in added}
    one.selected -= {repository.id for repository in removed}
    _send_selection(host, one, sender, added, removed)


def _send_selection(
    host: Host, one: Installation, sender: User, added: list[Repository], removed: list[Repository]
) -> None:
    for action, changed in (("added", added), ("removed", removed)):
        if not changed:
            continue
        listed = [payloads.short_repository(repository) for repository in changed]
        fields: Json = {
            "action": action,
            "repository_selection": "all" if one.selected is None else "selected",
            "repositories_added": listed if action == "added" else [],
            "repositories_removed": listed if action == "removed" else [],
            "requester": None,
        }
        host.webhooks.installation_event("installation_repositories", sender, one, fields)


def rename_account(host: Host, account: User, name: str) -> None:
    """Another login. The event has no sender: GitHub leaves it out here."""
    state, before = host.state, account.login
    for repository in state.repositories.values():
        if repository.owner is account:
            state.former_names[repository.full_name.lower()] = repository.id
    del state.users[before.lower()]
    account.login = name
    state.users[name.lower()] = account
    for one in state.installations.values():
        if one.account is account and not one.deleted:
            payload: Json = {
                "action": "renamed",
                "account": payloads.user(state, account),
                "changes": {"login": {"from": before}},
                "installation": {"id": one.id, "node_id": node_id("IN", one.id)},
                "target_type": account.type,
            }
            host.webhooks.emit("installation_target", payload, one, None)
