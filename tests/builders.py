"""Webhook payloads by name: the fields GitHub sends that are read or could mislead a reader, with the values real ones have.

Each derived builder changes one thing about a plain one, and is named for it.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import uuid
from typing import Any

from app.core.routing import AppIdentity

Payload = dict[str, Any]

SECRET = "It's a Secret to Everybody"
APP_ID = 4242
INSTALLATION = 31
REPO = 186853002
HEAD = "ec26c3e57ca3a959ca5aad62de7213c562f8c821"
BASE = "f95f852bd8fca8fcc58a9a2d6c842781e32a215e"
ZERO = "0" * 40

IDENTITY = AppIdentity(APP_ID, "coderag", ("acme-code",))


def user(login: str = "Codertocat", kind: str = "User") -> Payload:
    return {"login": login, "id": 21031067, "node_id": "MDQ6VXNlcjIxMDMxMDY3", "type": kind, "site_admin": False}


def bot(slug: str = "dependabot") -> Payload:
    return user(f"{slug}[bot]", "Bot")


def repository(**changes: object) -> Payload:
    return {
        "id": REPO,
        "name": "Hello-World",
        "full_name": "Codertocat/Hello-World",
        "private": False,
        "owner": user(),
        "html_url": "https://github.com/Codertocat/Hello-World",
        "clone_url": "https://github.com/Codertocat/Hello-World.git",
        "default_branch": "master",
        "archived": False,
        **changes,
    }


def delivery(**changes: object) -> Payload:
    """What every App delivery about a repository holds."""
    return {
        "repository": repository(),
        "sender": user(),
        "installation": {"id": INSTALLATION, "node_id": "MDIzOkludGVn"},
        **changes,
    }


# --- push ---------------------------------------------------------------------------------------------------------------


def push(ref: str = "refs/heads/master", before: str = BASE, after: str = HEAD, **changes: object) -> Payload:
    fields = {"ref": ref, "before": before, "after": after, "created": False, "deleted": False, "forced": False}
    return delivery(**fields, base_ref=None, commits=[], head_commit={"id": after}, **changes)


def force_push() -> Payload:
    return push(before="6113728f27ae82c7b1a177c8d03f9e96e0adf246") | {"forced": True}


def push_of_a_tag() -> Payload:
    return push("refs/tags/simple-tag", before=ZERO) | {"created": True}


def push_to_the_merge_queue() -> Payload:
    return push("refs/heads/gh-readonly-queue/master/pr-2-f95f852", before=ZERO, sender=bot("github-merge-queue"))


def branch_deleted(ref: str = "refs/heads/master") -> Payload:
    return push(ref, after=ZERO) | {"deleted": True, "head_commit": None}


# --- pull requests ------------------------------------------------------------------------------------------------------


def pull_request(action: str = "opened", number: int = 2, **changes: object) -> Payload:
    pull = {
        "id": 279147437,
        "number": number,
        "state": "open",
        "title": "Update the README with new information.",
        "user": user(),
        "body": "This is a pretty simple change that we need to pull into master.",
        "draft": False,
        "merged": False,
        "labels": [],
        "head": {"label": "Codertocat:changes", "ref": "changes", "sha": HEAD, "repo": repository(), "user": user()},
        "base": {"label": "Codertocat:master", "ref": "master", "sha": BASE, "repo": repository(), "user": user()},
        "author_association": "OWNER",
        **changes,
    }
    return delivery(action=action, number=number, pull_request=pull)


def pull_request_from_a_fork(action: str = "opened") -> Payload:
    payload = pull_request(action)
    fork = repository(id=900, full_name="octocat/Hello-World", owner=user("octocat"), fork=True)
    payload["pull_request"]["head"] |= {"label": "octocat:changes", "repo": fork, "user": user("octocat")}
    return payload


def pull_request_whose_fork_is_gone(action: str = "synchronize") -> Payload:
    payload = pull_request(action)
    payload["pull_request"]["head"] |= {"label": "unknown repository", "repo": None, "user": None}
    return payload


def pull_request_synchronized(before: str = BASE, after: str = HEAD) -> Payload:
    payload = pull_request("synchronize") | {"before": before, "after": after}
    payload["pull_request"]["head"]["sha"] = after
    return payload


def pull_request_edited(**changes: object) -> Payload:
    """`changes` as GitHub names them, e.g. `base={"ref": {"from": "old"}}`."""
    return pull_request("edited") | {"changes": changes}


# --- what people write --------------------------------------------------------------------------------------------------


def issue(number: int = 1, **changes: Any) -> Payload:
    fields = {"id": 444500041, "number": number, "title": "Spelling error in the README file", "user": user()}
    return fields | {
        "state": "open",
        "locked": False,
        "body": "It looks like you spelt 'commit' with two 't's.",
        **changes,
    }


def issue_on_a_pull_request(number: int = 2) -> Payload:
    url = f"https://api.github.com/repos/Codertocat/Hello-World/pulls/{number}"
    return issue(number, pull_request={"url": url}, draft=False)


def comment(body: str | None = "@coderag where is the README read?", **changes: object) -> Payload:
    fields = {"id": 492700400, "user": user(), "body": body, "author_association": "OWNER"}
    return fields | {"performed_via_github_app": None, **changes}


def issue_comment(
    body: str | None = "@coderag where is the README read?", action: str = "created", **changes: object
) -> Payload:
    return delivery(action=action, issue=issue(), comment=comment(body, **changes))


def comment_on_a_pull_request(body: str = "@coderag what calls this?") -> Payload:
    return issue_comment(body) | {"issue": issue_on_a_pull_request()}


def edited_comment(before: str, after: str) -> Payload:
    return issue_comment(after, "edited") | {"changes": {"body": {"from": before}}}


def comment_by_a_deleted_account() -> Payload:
    return issue_comment(user=None)


def comment_by_a_bot() -> Payload:
    return issue_comment(user=bot()) | {"sender": bot()}


def comment_by_this_app(body: str = "@coderag help") -> Payload:
    return issue_comment(body, user=bot("coderag"), performed_via_github_app={"id": APP_ID}) | {
        "sender": bot("coderag")
    }


def issue_opened(body: str | None = "@coderag where is it spelt?", **changes: Any) -> Payload:
    return delivery(action="opened", issue=issue(body=body, **changes))


def review(body: str | None = "@coderag is this tested?", action: str = "submitted") -> Payload:
    said = {"id": 237895671, "user": user(), "body": body, "commit_id": HEAD, "state": "commented"}
    return delivery(action=action, review=said, pull_request=pull_request()["pull_request"])


def review_comment(
    body: str | None = "@coderag is this tested?", action: str = "created", **changes: object
) -> Payload:
    place = {
        "path": "README.md",
        "line": 1,
        "diff_hunk": "@@ -1 +1 @@",
        "commit_id": HEAD,
        "pull_request_review_id": 237895671,
    }
    said = comment(body, id=284312630, **place, **changes)
    return delivery(action=action, comment=said, pull_request=pull_request()["pull_request"])


# --- installations and repositories -------------------------------------------------------------------------------------


def installation(action: str = "created", repositories: int | None = 1) -> Payload:
    app = {"id": INSTALLATION, "account": user(), "app_id": APP_ID, "app_slug": "coderag", "target_type": "User"}
    payload: Payload = {"action": action, "installation": app, "sender": user()}
    return payload | ({} if repositories is None else {"repositories": brief(repositories)})


def brief(count: int, first: int = REPO) -> list[Payload]:
    return [{"id": first + n, "full_name": f"Codertocat/r{n}", "private": True} for n in range(count)]


def installation_repositories(added: int = 0, removed: int = 0) -> Payload:
    payload = installation("added" if added else "removed", None)
    return payload | {"repositories_added": brief(added), "repositories_removed": brief(removed, 7_000_000)}


def installation_target_renamed() -> Payload:
    """GitHub leaves `sender` out here."""
    account = user("new-name") | {"type": "Organization"}
    changes = {"login": {"from": "old-name"}}
    return {
        "action": "renamed",
        "account": account,
        "changes": changes,
        "installation": {"id": INSTALLATION},
        "target_type": "Organization",
    }


def repository_changed(action: str, **changes: object) -> Payload:
    return delivery(action=action, **({"changes": changes} if changes else {}))


# --- the delivery itself ------------------------------------------------------------------------------------------------


def sign(body: bytes, secret: str = SECRET) -> str:
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def headers(event: str, body: bytes, guid: str = "", **changes: str) -> dict[str, str]:
    """The headers of a delivery of these bytes, as GitHub sends them; `changes` by name with `_` for `-`, "" leaves one out."""
    found = {
        "content-type": "application/json",
        "user-agent": "GitHub-Hookshot/6dbb9c4",
        "x-github-event": event,
        "x-github-delivery": guid or str(uuid.uuid4()),
        "x-github-hook-id": "109948940",
        "x-github-hook-installation-target-type": "integration",
        "x-github-hook-installation-target-id": str(APP_ID),
        "x-hub-signature-256": sign(body),
    } | {name.replace("_", "-"): value for name, value in changes.items()}
    return {name: value for name, value in found.items() if value}


def encode(payload: object) -> bytes:
    return json.dumps(payload).encode()
