"""REST: pull requests, their files and commits."""

from __future__ import annotations

from app.sandbox import diff, pull_payloads, pulls, repository_git
from app.sandbox.call import Answer, Call
from app.sandbox.commit_payloads import file_json, shape_of
from app.sandbox.refusal import Refusal
from app.sandbox.router import route
from app.sandbox.state import Thread

READ = "pull_requests:read"
WRITE = "pull_requests:write"
DIFF_FILES = 300
"""REST: pull requests, their files and commits."""
DIFF_LINES = 20_000
"""REST: pull requests, their files and commits."""


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
    return call.listing([pull_payloads.simple_pull(call.host.state, one) for one in found])


def _label(thread: Thread) -> str:
    pull = pulls.pull_of(thread)
    return f"{pull.head_owner.login}:{pull.head_ref}".lower()


@route("GET", "/repo/pulls/{number}", READ)
async def get_pull(call: Call) -> Answer:
    thread = call.pull()
    if "diff" in call.headers.get("accept", ""):
        return await _diff(call, thread)
    return Answer(200, pull_payloads.full_pull(call.host.state, thread))


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
