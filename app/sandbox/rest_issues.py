"""REST: issues and conversation comments (those of pull requests too)."""

from __future__ import annotations

from datetime import datetime

from app.sandbox import thread_payloads, threads
from app.sandbox.call import Answer, Call
from app.sandbox.refusal import Refusal, no_permission
from app.sandbox.router import route
from app.sandbox.state import Comment, Thread, iso

READ = "issues:read|pull_requests:read"
WRITE = "issues:write|pull_requests:write"


def since_of(call: Call) -> str:
    """The `since` of a list, in the form times are kept; empty without one. 422 for what is no ISO 8601 time."""
    text = call.query.get("since")
    if not text:
        return ""
    try:
        return iso(datetime.fromisoformat(text).timestamp())
    except ValueError:
        raise Refusal(422, "Validation Failed", [f"'{text}' is not a valid time"]) from None


@route("GET", "/repo/issues", "issues:read|pull_requests:read")
async def list_issues(call: Call) -> Answer:
    """Issues and pull requests, newest first unless told otherwise."""
    wanted, since = call.query.get("state", "open"), since_of(call)
    found = [
        thread
        for thread in call.repo.threads.values()
        if wanted in ("all", thread.state) and iso(thread.updated) >= since
    ]
    keys = {"updated": lambda one: (one.updated, one.number), "comments": lambda one: (len(one.comments), one.number)}
    found.sort(key=keys.get(call.query.get("sort", "created"), lambda one: one.number))
    if call.query.get("direction", "desc") != "asc":
        found.reverse()
    return call.listing([thread_payloads.issue(call.host.state, thread) for thread in found])


@route("GET", "/repo/issues/{number}", READ)
async def get_issue(call: Call) -> Answer:
    return Answer(200, thread_payloads.issue(call.host.state, call.thread()))


@route("GET", "/repo/issues/{number}/comments", READ)
async def list_comments(call: Call) -> Answer:
    """Oldest first; `since` is by time of update."""
    since = since_of(call)
    found = [one for one in call.thread().of_kind("issue") if iso(one.updated) >= since]
    return call.listing([thread_payloads.issue_comment(call.host.state, one) for one in found])


@route("POST", "/repo/issues/{number}/comments", WRITE)
async def create_comment(call: Call) -> Answer:
    thread = call.thread()
    check_writable(call, thread)
    body = call.text("body")
    threads.check_body("IssueComment", body)
    if thread.locked:
        raise Refusal(403, "Unable to create comment because issue is locked.")
    comment = threads.add_comment(call.host, thread, call.sender, body, by_app=True)
    shape = thread_payloads.issue_comment(call.host.state, comment)
    return Answer(201, shape, {"Location": str(shape["url"])})


def check_writable(call: Call, thread: Thread) -> None:
    """On an issue `pull_requests` does not help; on a pull request either permission does."""
    if thread.pull is None and call.token.permissions.get("issues") != "write":
        raise no_permission()


@route("GET", "/repo/issues/comments", READ)
async def list_all_comments(call: Call) -> Answer:
    """The comments of the whole repository: by id, or by `sort` and then newest first unless told otherwise."""
    return call.listing([thread_payloads.issue_comment(call.host.state, one) for one in all_comments(call, "issue")])


def all_comments(call: Call, kind: str) -> list[Comment]:
    """The repository's comments of one kind in the order the caller asked for."""
    since, sort = since_of(call), call.query.get("sort")
    found = [one for thread in call.repo.threads.values() for one in thread.of_kind(kind) if iso(one.updated) >= since]
    found.sort(key=lambda one: (one.updated if sort == "updated" else one.id, one.id))
    if sort in ("created", "updated", "created_at") and call.query.get("direction", "desc") != "asc":
        found.reverse()
    return found


@route("GET", "/repo/issues/comments/{comment}", READ)
async def get_comment(call: Call) -> Answer:
    return Answer(200, thread_payloads.issue_comment(call.host.state, call.comment("issue")))


@route("PATCH", "/repo/issues/comments/{comment}", WRITE)
async def edit_comment(call: Call) -> Answer:
    comment = call.comment("issue")
    check_writable(call, comment.thread)
    body = call.text("body")
    threads.check_body("IssueComment", body)
    threads.edit_comment(call.host, comment, call.sender, body)
    return Answer(200, thread_payloads.issue_comment(call.host.state, comment))


@route("DELETE", "/repo/issues/comments/{comment}", WRITE)
async def delete_comment(call: Call) -> Answer:
    comment = call.comment("issue")
    check_writable(call, comment.thread)
    threads.delete_comment(call.host, comment, call.sender)
    return Answer(204)
