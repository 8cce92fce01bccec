"""REST: pull requests, their files, commits, line comments and reviews."""

from __future__ import annotations

from collections.abc import Mapping

from app.sandbox import diff, pulls, repository_git, thread_payloads, threads
from app.sandbox.payloads import Json
from app.sandbox.pulls import Hunks, LineComment
from app.sandbox.refusal import Refusal, invalid, not_found, unsupplied, wrong_type
from app.sandbox.rest_issues import all_comments, since_of
from app.sandbox.rest_repositories import file_json, shape_of
from app.sandbox.router import Answer, Call, route
from app.sandbox.state import Review, Thread, iso

READ = "pull_requests:read"
WRITE = "pull_requests:write"
DIFF_FILES = 300
"""A pull request's .diff is refused past so many files …"""
DIFF_LINES = 20_000
"""… or lines."""
REVIEW_EVENTS = {"COMMENT": "COMMENTED", "APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED"}


@route("GET", "/repo/pulls", READ)
async def list_pulls(call: Call) -> Answer:
    wanted = call.query.get("state", "open")
    found = [one for one in call.repo.threads.values() if one.pull and wanted in ("all", one.state)]
    if base := call.query.get("base"):
        found = [one for one in found if pulls.pull_of(one).base_ref == base]
    if head := call.query.get("head"):
        found = [one for one in found if _label(one) == head.lower()]
    by_update = call.query.get("sort") == "updated"
    found.sort(key=lambda one: (one.updated if by_update else one.number, one.number))
    if call.query.get("direction", "desc") != "asc":
        found.reverse()
    return call.listing([thread_payloads.simple_pull(call.host.state, one) for one in found])


def _label(thread: Thread) -> str:
    pull = pulls.pull_of(thread)
    return f"{pull.head_owner.login}:{pull.head_ref}".lower()


@route("GET", "/repo/pulls/{number}", READ)
async def get_pull(call: Call) -> Answer:
    thread = call.pull()
    if "diff" in call.headers.get("accept", ""):
        return await _diff(call, thread)
    return Answer(200, thread_payloads.full_pull(call.host.state, thread))


async def _diff(call: Call, thread: Thread) -> Answer:
    """The diff as text, or 406 where it is too large."""
    start, head = await pulls.merge_base(thread), pulls.pull_of(thread).head_sha
    text = await repository_git.run(call.repo.path, "diff", "--no-color", "-M", start, head)
    if pulls.pull_of(thread).changed_files > DIFF_FILES or text.count(b"\n") > DIFF_LINES:
        message = f"Sorry, the diff exceeded the maximum number of files ({DIFF_FILES}) or lines ({DIFF_LINES})."
        raise Refusal(406, message, [{"resource": "PullRequest", "field": "diff", "code": "too_large"}])
    return Answer(200, text, {"Content-Type": "application/vnd.github.diff; charset=utf-8"})


@route("GET", "/repo/pulls/{number}/files", READ)
async def list_files(call: Call) -> Answer:
    """The changed files, which stop without a word at 3,000."""
    thread = call.pull()
    head = pulls.pull_of(thread).head_sha
    files = await diff.changed_files(call.repo.path, await pulls.merge_base(thread), head)
    kept = files[: call.host.limits.pull_files]
    return call.listing([file_json(call.host.state, call.repo, file, head) for file in kept])


@route("GET", "/repo/pulls/{number}/commits", READ)
async def list_commits(call: Call) -> Answer:
    """The commits, oldest first, 250 at most."""
    pull = pulls.pull_of(call.pull())
    found = await repository_git.log(call.repo.path, "--reverse", f"{pull.base_sha}..{pull.head_sha}")
    kept = found[: call.host.limits.pull_commits]
    return call.listing([shape_of(call.host.state, call.repo, commit) for commit in kept])


# --- line comments ---


@route("GET", "/repo/pulls/{number}/comments", READ)
async def list_comments(call: Call) -> Answer:
    since = since_of(call)
    found = [one for one in call.pull().of_kind("review") if iso(one.updated) >= since]
    return call.listing([thread_payloads.review_comment(call.host.state, one) for one in found])


@route("GET", "/repo/pulls/comments", READ)
async def list_all_comments(call: Call) -> Answer:
    return call.listing([thread_payloads.review_comment(call.host.state, one) for one in all_comments(call, "review")])


@route("GET", "/repo/pulls/comments/{comment}", READ)
async def get_comment(call: Call) -> Answer:
    return Answer(200, thread_payloads.review_comment(call.host.state, call.comment("review")))


@route("PATCH", "/repo/pulls/comments/{comment}", WRITE)
async def edit_comment(call: Call) -> Answer:
    comment = call.comment("review")
    body = call.text("body")
    threads.check_body("PullRequestReviewComment", body)
    threads.edit_comment(call.host, comment, call.sender, body)
    return Answer(200, thread_payloads.review_comment(call.host.state, comment))


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
    wanted = _line_comment(body)
    if body["commit_id"] != pulls.pull_of(thread).head_sha:
        await _check_commit(call, thread, str(body["commit_id"]))
    _check_unlocked(thread)
    try:
        at = (await Hunks.of(thread)).locate(wanted)
    except Refusal as refusal:
        field = "path" if "Path" in str(refusal.errors) else "pull_request_review_thread.line"
        message = f"{field} {'is invalid' if field == 'path' else 'must be part of the diff'}"
        raise invalid("PullRequestReviewComment", field, message) from None
    comment = pulls.make_comment(call.host, thread, call.sender, wanted, at, by_app=True)
    pulls.add_review(call.host, thread, call.sender, ("COMMENTED", None), [comment], by_app=True)
    return Answer(201, thread_payloads.review_comment(call.host.state, comment))


async def _check_commit(call: Call, thread: Thread, sha: str) -> None:
    pull = pulls.pull_of(thread)
    known = await repository_git.resolve(call.repo.path, sha) if len(sha) == 40 else None
    if known is None or not await repository_git.contains(call.repo.path, known, pull.head_sha):
        raise invalid("PullRequestReviewComment", "commit_id", "commit_id is not part of the pull request")


def _check_unlocked(thread: Thread) -> None:
    if thread.locked:
        raise Refusal(403, "Unable to create comment because issue is locked.")


def _line_comment(body: Mapping[str, object]) -> LineComment:
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
    _check_unlocked(thread)
    reply = pulls.make_reply(call.host, top, call.sender, text, by_app=True)
    pulls.add_review(call.host, thread, call.sender, ("COMMENTED", None), [reply], by_app=True)
    return Answer(201, thread_payloads.review_comment(call.host.state, reply))


# --- reviews ---


@route("GET", "/repo/pulls/{number}/reviews", READ)
async def list_reviews(call: Call) -> Answer:
    found = pulls.pull_of(call.pull()).reviews
    return call.listing([thread_payloads.rest_review(call.host.state, one) for one in found])


def _review(call: Call) -> Review:
    for one in pulls.pull_of(call.pull()).reviews:
        if one.id == call.number("id"):
            return one
    raise not_found()


@route("GET", "/repo/pulls/{number}/reviews/{id}", READ)
async def get_review(call: Call) -> Answer:
    return Answer(200, thread_payloads.rest_review(call.host.state, _review(call)))


@route("GET", "/repo/pulls/{number}/reviews/{id}/comments", READ)
async def list_review_comments(call: Call) -> Answer:
    review = _review(call)
    found = [one for one in review.thread.of_kind("review") if one.review is review]
    return call.listing([thread_payloads.review_comment(call.host.state, one) for one in found])


@route("POST", "/repo/pulls/{number}/reviews", WRITE)
async def create_review(call: Call) -> Answer:
    """A review with its line comments, all or nothing: one line outside the hunks refuses the whole."""
    thread = call.pull()
    body = call.json()
    event = body.get("event")
    if event not in REVIEW_EVENTS:
        raise wrong_type("event", event, 'one of "APPROVE", "REQUEST_CHANGES", "COMMENT"')
    wanted = [_line_comment(one) for one in _comments(body)]
    text = body.get("body")
    if text is not None and not isinstance(text, str):
        raise wrong_type("body", text, "a string")
    if event != "APPROVE" and not (text or "").strip() and not wanted:
        raise Refusal(422, "Unprocessable Entity", ["Body is required"])
    threads.check_length("PullRequestReview", text or "")
    for one in wanted:
        threads.check_body("PullRequestReviewComment", one.body)
    _check_unlocked(thread)
    hunks = await Hunks.of(thread)
    places = [hunks.locate(one) for one in wanted]
    comments = [
        pulls.make_comment(call.host, thread, call.sender, one, at, by_app=True)
        for one, at in zip(wanted, places, strict=True)
    ]
    review = pulls.add_review(call.host, thread, call.sender, (REVIEW_EVENTS[str(event)], text), comments, by_app=True)
    return Answer(200, thread_payloads.rest_review(call.host.state, review))


def _comments(body: Json) -> list[Mapping[str, object]]:
    listed = body.get("comments") or []
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise wrong_type("comments", listed, "an array of objects")
    return listed
