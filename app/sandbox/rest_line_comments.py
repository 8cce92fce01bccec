"""REST: comments on the lines of a pull request and their replies."""

from __future__ import annotations

from collections.abc import Mapping

from app.sandbox import pull_payloads, pulls, repository_git, threads
from app.sandbox.call import Answer, Call
from app.sandbox.pulls import Hunks, LineComment
from app.sandbox.refusal import Refusal, invalid, not_found, unsupplied, wrong_type
from app.sandbox.rest_issues import all_comments, since_of
from app.sandbox.rest_pulls import READ, WRITE
from app.sandbox.router import route
from app.sandbox.state import Thread, iso


@route("GET", "/repo/pulls/{number}/comments", READ)
async def list_comments(call: Call) -> Answer:
    since = since_of(call)
    found = [one for one in call.pull().of_kind("review") if iso(one.updated) >= since]
    return call.listing([pull_payloads.review_comment(call.host.state, one) for one in found])


@route("GET", "/repo/pulls/comments", READ)
async def list_all_comments(call: Call) -> Answer:
    return call.listing([pull_payloads.review_comment(call.host.state, one) for one in all_comments(call, "review")])


@route("GET", "/repo/pulls/comments/{comment}", READ)
async def get_comment(call: Call) -> Answer:
    return Answer(200, pull_payloads.review_comment(call.host.state, call.comment("review")))


@route("PATCH", "/repo/pulls/comments/{comment}", WRITE)
async def edit_comment(call: Call) -> Answer:
    comment = call.comment("review")
    body = call.text("body")
    threads.check_body("PullRequestReviewComment", body)
    threads.edit_comment(call.host, comment, call.sender, body)
    return Answer(200, pull_payloads.review_comment(call.host.state, comment))


@route("DELETE", "/repo/pulls/comments/{comment}", WRITE)
async def delete_comment(call: Call) -> Answer:
    threads.delete_comment(call.host, call.comment("review"), call.sender)
    return Answer(204)


@route("POST", "/repo/pulls/{number}/comments", WRITE)
async def create_comment(call: Call) -> Answer:
    """One line comment; with `in_reply_to` only the body counts."""
    thread = call.pull()
    body = call.json()
    if body.get("in_reply_to") is not None:
        return _reply(call, thread, body["in_reply_to"])
    text = call.text("body")
    threads.check_body("PullRequestReviewComment", text)
    for name in ("commit_id", "path"):
        call.text(name)
    wanted = line_comment(body)
    if body["commit_id"] != pulls.pull_of(thread).head_sha:
        await _check_commit(call, thread, str(body["commit_id"]))
    check_unlocked(thread)
    try:
        at = (await Hunks.of(thread)).locate(wanted)
    except Refusal as refusal:
        field = "path" if "Path" in str(refusal.errors) else "pull_request_review_thread.line"
        message = f"{field} {'is invalid' if field == 'path' else 'must be part of the diff'}"
        raise invalid("PullRequestReviewComment", field, message) from None
    comment = pulls.make_comment(call.host, thread, call.sender, wanted, at, by_app=True)
    pulls.add_review(call.host, thread, call.sender, ("COMMENTED", None), [comment], by_app=True)
    return Answer(201, pull_payloads.review_comment(call.host.state, comment))


async def _check_commit(call: Call, thread: Thread, sha: str) -> None:
    pull = pulls.pull_of(thread)
    known = await repository_git.resolve(call.repo.path, sha) if len(sha) == 40 else None
    if known is None or not await repository_git.contains(call.repo.path, known, pull.head_sha):
        raise invalid("PullRequestReviewComment", "commit_id", "commit_id is not part of the pull request")


def check_unlocked(thread: Thread) -> None:
    if thread.locked:
        raise Refusal(403, "Unable to create comment because issue is locked.")


def line_comment(body: Mapping[str, object]) -> LineComment:
    """A comment's place and text; 422 where a property is missing or of the wrong type."""
    for name, kind, words in (("path", str, "a string"), ("body", str, "a string"), ("line", int, "an integer")):
        if name not in body:
            raise unsupplied(name)
        if not isinstance(body[name], kind) or isinstance(body[name], bool):
            raise wrong_type(name, body[name], words)
    side, start_side = body.get("side") or "RIGHT", body.get("start_side")
    for name, value in (("side", side), ("start_side", start_side)):
        if value not in ("LEFT", "RIGHT") and not (name == "start_side" and value is None):
            raise wrong_type(name, value, 'one of "LEFT", "RIGHT"')
    start, line = body.get("start_line"), body["line"]
    if start is not None and (not isinstance(start, int) or not isinstance(line, int) or start >= line):
        raise invalid("PullRequestReviewComment", "start_line", "start_line must precede the end line.")
    assert isinstance(line, int)
    return LineComment(
        str(body["path"]), line, str(body["body"]), str(side), start, str(start_side) if start_side else None
    )


@route("POST", "/repo/pulls/{number}/comments/{comment}/replies", WRITE)
async def create_reply(call: Call) -> Answer:
    return _reply(call, call.pull(), call.number("comment"))


def _reply(call: Call, thread: Thread, to: object) -> Answer:
    """Answer a top-level comment; a reply cannot be replied to."""
    text = call.text("body")
    threads.check_body("PullRequestReviewComment", text)
    top = next((one for one in thread.of_kind("review") if one.id == to), None)
    if top is None:
        raise (
            not_found()
            if call.path.endswith("/replies")
            else invalid("PullRequestReviewComment", "in_reply_to", "in_reply_to is invalid")
        )
    if top.in_reply_to is not None:
        raise invalid("PullRequestReviewComment", "in_reply_to", "Replies to replies are not supported")
    check_unlocked(thread)
    reply = pulls.make_reply(call.host, top, call.sender, text, by_app=True)
    pulls.add_review(call.host, thread, call.sender, ("COMMENTED", None), [reply], by_app=True)
    return Answer(201, pull_payloads.review_comment(call.host.state, reply))
