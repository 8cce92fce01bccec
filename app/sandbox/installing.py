"""Changes to installations and account names. Each sends the events GitHub sends."""

from __future__ import annotations

from collections.abc import Iterable

from app.sandbox import payloads
from app.sandbox.host import Host
from app.sandbox.payloads import Json
from app.sandbox.state import Installation, Repository, User, node_id


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
    send_selection(host, one, sender, added, removed)


def send_selection(
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
