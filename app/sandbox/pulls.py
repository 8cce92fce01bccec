"""Changes to pull requests: opened, moved, closed, merged, reviewed. Each sends the events GitHub sends."""

from __future__ import annotations

from dataclasses import dataclass

from app.sandbox import diff, pull_payloads, repository_git, threads
from app.sandbox.diff import DiffLine
from app.sandbox.host import Host
from app.sandbox.payloads import Json
from app.sandbox.refusal import Refusal
from app.sandbox.state import Comment, Pull, Repository, Review, Thread, User


@dataclass(frozen=True)
class LineComment:
    """A review comment that is to be written: on `line` of `side` (RIGHT: new file) of the diff, or on lines start_line..line."""

    path: str
    line: int
    body: str
    side: str = "RIGHT"
    start_line: int | None = None
    start_side: str | None = None


def pull_of(thread: Thread) -> Pull:
    """The pull-request half; an issue has none."""
    assert thread.pull is not None, f"#{thread.number} is an issue"
    return thread.pull


async def open_pull(
    host: Host,
    base: tuple[Repository, str],
    head: tuple[Repository, str],
    author: User,
    words: tuple[str, str | None],
    draft: bool,
) -> Thread:
    """A new pull request from `head` (repository, branch) into `base`; writes refs/pull/N/head in the base repository."""
    repository, base_ref = base
    source, head_ref = head
    base_sha = await _tip(repository, base_ref)
    head_sha = await _tip(source, head_ref)
    now = host.state.clock()
    number = threads.next_number(repository)
    thread = Thread(host.state.new_id("thread"), number, repository, words[0], words[1], author, now, now)
    thread.pull = Pull(base_ref, base_sha, head_ref, head_sha, source.owner, source, draft)
    repository.threads[number] = thread
    await _write_head(thread)
    await count_changes(thread)
    send_pull(host, "opened", author, thread)
    return thread


async def _tip(repository: Repository, branch: str) -> str:
    sha = await repository_git.resolve(repository.path, f"refs/heads/{branch}")
    if sha is None:
        raise KeyError(f"no branch {branch} in {repository.full_name}")
    return sha


async def _write_head(thread: Thread) -> None:
    """Bring the head into the base repository, where it stays after the fork is gone."""
    pull = pull_of(thread)
    source, target = pull.head_repository, thread.repository
    if source is not None and source is not target:
        await repository_git.run(target.path, "fetch", "--quiet", "--no-tags", str(source.path), pull.head_sha)
    await repository_git.run(target.path, "update-ref", f"refs/pull/{thread.number}/head", pull.head_sha)


async def merge_base(thread: Thread) -> str:
    """Where the pull request's diff starts; the base itself where the histories are unrelated."""
    pull = pull_of(thread)
    path = thread.repository.path
    return await repository_git.line(path, "merge-base", pull.base_sha, pull.head_sha, check=False) or pull.base_sha


async def count_changes(thread: Thread) -> None:
    """Bring the counts a pull request shows up to its head and base."""
    pull, path = pull_of(thread), thread.repository.path
    start = await merge_base(thread)
    counted = await repository_git.line(path, "rev-list", "--count", f"{pull.base_sha}..{pull.head_sha}")
    numbers = await repository_git.run(path, "diff", "--numstat", "-M", start, pull.head_sha)
    rows = [row.split(b"\t") for row in numbers.splitlines()]
    pull.commits = int(counted)
    pull.changed_files = len(rows)
    pull.additions = sum(int(row[0]) for row in rows if row[0] != b"-")
    pull.deletions = sum(int(row[1]) for row in rows if row[1] != b"-")


def send_pull(host: Host, action: str, sender: User, thread: Thread, extra: Json | None = None) -> None:
    """A `pull_request` event."""
    fields: Json = {
        "action": action,
        "number": thread.number,
        "pull_request": pull_payloads.full_pull(host.state, thread),
    }
    host.webhooks.repository_event("pull_request", sender, thread.repository, fields | (extra or {}))


async def synchronize(host: Host, pusher: User, source: Repository, branch: str, after: str) -> None:
    """A push moved a branch: move the open pull requests that come from it."""
    for repository in list(host.state.repositories.values()):
        for thread in list(repository.threads.values()):
            pull = thread.pull
            if pull is None or thread.state != "open" or (pull.head_repository, pull.head_ref) != (source, branch):
                continue
            before, pull.head_sha = pull.head_sha, after
            pull.base_sha = (
                await repository_git.resolve(repository.path, f"refs/heads/{pull.base_ref}") or pull.base_sha
            )
            thread.updated = host.state.clock()
            await _write_head(thread)
            await count_changes(thread)
            send_pull(host, "synchronize", pusher, thread, {"before": before, "after": after})


async def retarget(host: Host, thread: Thread, sender: User, base: str) -> None:
    """Another base branch: an `edited` event that names the former one."""
    pull = pull_of(thread)
    changes = {"base": {"ref": {"from": pull.base_ref}, "sha": {"from": pull.base_sha}}}
    pull.base_ref, pull.base_sha = base, await _tip(thread.repository, base)
    thread.updated = host.state.clock()
    await count_changes(thread)
    send_pull(host, "edited", sender, thread, {"changes": changes})


def add_review(
    host: Host,
    thread: Thread,
    author: User,
    words: tuple[str, str | None],
    comments: list[Comment],
    by_app: bool = False,
) -> Review:
    """A submitted review of (state, body): one event for it, and one more for each of its line comments."""
    pull = pull_of(thread)
    now = host.state.clock()
    review = Review(host.state.new_id("review"), thread, author, words[1], words[0], pull.head_sha, now, by_app)
    pull.reviews.append(review)
    thread.updated = now
    for comment in comments:
        comment.review = review
        thread.comments.append(comment)
        host.state.comments[comment.id] = comment
    send_review(host, "submitted", author, review)
    for comment in comments:
        threads.send_review_comment(host, author, comment)
    return review


def send_review(host: Host, action: str, sender: User, review: Review, extra: Json | None = None) -> None:
    """A `pull_request_review` event."""
    fields: Json = {
        "action": action,
        "review": pull_payloads.review(host.state, review),
        "pull_request": pull_payloads.simple_pull(host.state, review.thread),
    }
    host.webhooks.repository_event("pull_request_review", sender, review.thread.repository, fields | (extra or {}))


def make_comment(host: Host, thread: Thread, author: User, wanted: LineComment, at: DiffLine, by_app: bool) -> Comment:
    """A line comment, not yet part of a review."""
    now = host.state.clock()
    return Comment(
        host.state.new_id("comment"),
        "review",
        thread.repository,
        thread,
        author,
        wanted.body,
        now,
        now,
        by_app,
        path=wanted.path,
        line=wanted.line,
        side=wanted.side,
        start_line=wanted.start_line,
        start_side=wanted.start_side if wanted.start_line is not None else None,
        commit=pull_of(thread).head_sha,
        diff_hunk=at.hunk,
        position=at.position,
    )


def make_reply(host: Host, top: Comment, author: User, body: str, by_app: bool) -> Comment:
    """An answer in the thread of a top-level review comment: same lines, its own id; not yet part of a review."""
    now = host.state.clock()
    return Comment(
        host.state.new_id("comment"),
        "review",
        top.repository,
        top.thread,
        author,
        body,
        now,
        now,
        by_app,
        in_reply_to=top.id,
        path=top.path,
        line=top.line,
        side=top.side,
        start_line=top.start_line,
        start_side=top.start_side,
        commit=top.commit,
        diff_hunk=top.diff_hunk,
        position=top.position,
    )


class Hunks:
    """The lines of one pull request that can carry a comment."""

    def __init__(self, files: dict[str, str | None]) -> None:
        self._patches = files
        self._lines: dict[str, dict[tuple[str, int], DiffLine]] = {}

    @classmethod
    async def of(cls, thread: Thread) -> Hunks:
        """Read from git, at the pull request's head."""
        start = await merge_base(thread)
        files = await diff.changed_files(thread.repository.path, start, pull_of(thread).head_sha)
        return cls({file.path: file.patch for file in files})

    def locate(self, wanted: LineComment) -> DiffLine:
        """Where a comment goes; 422 where its path or one of its lines is not in the diff."""
        if wanted.path not in self._patches:
            raise Refusal(422, "Unprocessable Entity", ["Path could not be resolved"])
        lines = self._lines.get(wanted.path)
        if lines is None:
            lines = self._lines[wanted.path] = diff.diff_lines(self._patches[wanted.path] or "")
        last = lines.get((wanted.side, wanted.line))
        if last is None:
            raise Refusal(422, "Unprocessable Entity", ["Line could not be resolved"])
        if wanted.start_line is not None:
            first = lines.get((wanted.start_side or wanted.side, wanted.start_line))
            if first is None or first.position >= last.position or not _same_hunk(first, last):
                raise Refusal(422, "Unprocessable Entity", ["Start line could not be resolved"])
        return last


def _same_hunk(first: DiffLine, last: DiffLine) -> bool:
    return last.hunk.startswith(first.hunk)
