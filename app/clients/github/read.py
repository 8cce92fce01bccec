"""Reads the few fields we use out of GitHub's JSON into our own types; tolerant of everything it does not need."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

from app.core.errors import BadPayload
from app.core.types import App, Comment, Installation, Issue, PullRequest, Repository

GHOST = "ghost"
"""GitHub's own name for a deleted account; the API gives null."""

Json = Mapping[str, Any]
Items = AsyncIterator[Any]


def app(body: Json) -> App:
    return App(id=_number(body, "id"), slug=_text(body, "slug"))


def installation(body: Json) -> Installation:
    account = body.get("account") or {}
    return Installation(
        id=_number(body, "id"),
        account=_text(account, "login") or _text(account, "slug") or GHOST,
        suspended=body.get("suspended_at") is not None,
        permissions={str(name): str(level) for name, level in (body.get("permissions") or {}).items()},
    )


def repository(body: Json) -> Repository:
    return Repository(
        id=_number(body, "id"),
        full_name=_text(body, "full_name"),
        default_branch=_text(body, "default_branch") or "main",
        clone_url=_text(body, "clone_url"),
        html_url=_text(body, "html_url"),
        # Fail closed: a repository whose visibility is not told is treated as private.
        private=body.get("private") is not False,
        archived=body.get("archived") is True,
    )


def issue(body: Json) -> Issue:
    author, author_type = user(body)
    return Issue(
        number=_number(body, "number"),
        title=_text(body, "title"),
        body=_text(body, "body"),
        author=author,
        author_type=author_type,
        state=_text(body, "state"),
        is_pull=body.get("pull_request") is not None,
        locked=body.get("locked") is True,
        created_at=_text(body, "created_at"),
    )


def pull(body: Json) -> PullRequest:
    author, author_type = user(body)
    base, head = body.get("base") or {}, body.get("head") or {}
    return PullRequest(
        number=_number(body, "number"),
        title=_text(body, "title"),
        body=_text(body, "body"),
        author=author,
        author_type=author_type,
        state=_text(body, "state"),
        draft=body.get("draft") is True,
        base_ref=_text(base, "ref"),
        base_sha=_text(base, "sha"),
        head_sha=_text(head, "sha"),
        head_repo=(head.get("repo") or {}).get("id"),  # null once the fork is deleted
        labels=tuple(_text(label, "name") for label in body.get("labels") or []),
        created_at=_text(body, "created_at"),
    )


def comment(body: Json, kind: str) -> Comment:
    """A comment of `kind` issue, review_comment or review (a review's text; its time is `submitted_at`)."""
    author, author_type = user(body)
    via = body.get("performed_via_github_app") or {}
    return Comment(
        id=_number(body, "id"),
        kind=kind,
        author=author,
        author_type=author_type,
        body=_text(body, "body"),
        created_at=_text(body, "created_at") or _text(body, "submitted_at"),
        app_id=via.get("id"),
        in_reply_to=body.get("in_reply_to_id"),
        path=_text(body, "path"),
        line=body.get("line") or body.get("original_line"),
        diff_hunk=_text(body, "diff_hunk"),
    )


def thread_number(body: Json) -> int:
    """The issue or pull request number of a comment from a list over a whole repository."""
    url = _text(body, "issue_url") or _text(body, "pull_request_url")
    tail = url.rstrip("/").rpartition("/")[2]
    if not tail.isdigit():
        raise BadPayload(f"a comment without its thread: {url!r}")
    return int(tail)


def user(body: Json) -> tuple[str, str]:
    """Login and type of an author; ("ghost", "User") for a deleted account."""
    who = body.get("user") or {}
    return _text(who, "login") or GHOST, _text(who, "type") or "User"


def _text(body: Json, name: str) -> str:
    value = body.get(name)
    return value if isinstance(value, str) else ""


def _number(body: Json, name: str) -> int:
    value = body.get(name)
    if not isinstance(value, int):
        raise BadPayload(f"GitHub's answer has no {name}")
    return value
