"""The calls CodeRAG makes, one method each, named for what they read or write; no decision about what to say or when."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from app.clients.github import read
from app.clients.github.auth import CHECKS, CONTENTS, METADATA, READ, WRITE, Permissions, Scope, scope
from app.clients.github.connection import Connection, Parameters, path_of, segment
from app.core.errors import Forbidden, Gone, Rejected, Suspended, Transient
from app.core.types import App, Comment, Installation, Issue, PullRequest, Repository

CHECK_NAME = "CodeRAG"
"""The check run's name: one a commit, found again by it."""

COMMENT_PATHS = {"issue": "issues/comments", "review_comment": "pulls/comments"}
"""Where a single comment of a kind lives; reviews and bodies are reached through their pull request or issue."""


@dataclass(frozen=True, slots=True)
class Check:
    """What our check run on a commit says. `conclusion` is success, neutral or failure; `app` is our App's id."""

    app: int
    conclusion: str
    title: str
    summary: str


@dataclass(frozen=True, slots=True)
class Permission:
    """What a person may do in a repository. `level` is admin, write, read or none (maintain counts as write, triage as
    read); `role` is the exact role, which an organisation may have named itself."""

    level: str
    role: str


class GitHub:
    """One GitHub and one App. Arguments name the installation and the repository's id; every method may raise
    Transient (try the job again later), Gone, Suspended, Forbidden or Rejected."""

    def __init__(
        self,
        app_id: str | int,
        private_key: str,
        api_url: str = "https://api.github.com",
        *,
        now: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._connection = Connection(str(app_id), private_key, api_url, now=now, sleep=sleep)
        self._call, self._pages = self._connection.call, self._connection.pages

    async def close(self) -> None:
        """Close the connection pool."""
        await self._connection.close()

    # --- the App and its installations ---

    async def app(self) -> App:
        """Who we are: `GET /app`."""
        return read.app(await self._call("GET", "/app", None))

    async def installations(self) -> list[Installation]:
        """All installations, the suspended ones included and marked."""
        return [read.installation(item) async for item in self._pages("/app/installations", None)]

    async def installation(self, installation: int) -> Installation:
        """One installation. Raises Gone where the App was removed."""
        return read.installation(await self._call("GET", f"/app/installations/{installation}", None))

    async def installation_repositories(self, installation: int) -> list[Repository]:
        """Every repository the installation gives us."""
        who = scope(installation, None, METADATA)
        pages = self._pages("/installation/repositories", who, field="repositories")
        return [read.repository(item) async for item in pages]

    def forget_tokens(self, installation: int) -> None:
        """Drop the installation's cached tokens, after its permissions or repositories changed."""
        self._connection.tokens.drop_installation(installation)

    def git_token(self, installation: int, repo: int) -> Callable[[], Awaitable[str]]:
        """A provider of read-only git tokens for one repository; each call gives one that is still valid."""

        async def provide() -> str:
            return (await self._connection.tokens.token(scope(installation, repo, CONTENTS))).value

        return provide

    def drop_git_token(self, installation: int, repo: int) -> None:
        """Forget the cached git token of a repository, after git refused it."""
        self._connection.tokens.forget(scope(installation, repo, CONTENTS))

    # --- repositories and people ---

    async def repository(self, installation: int, repo: int) -> Repository:
        """The repository's state now, renamed or not."""
        return read.repository(await self._get(installation, repo, "", METADATA))

    async def branch_head(self, installation: int, repo: int, branch: str) -> str:
        """The commit (40 hex) a branch points at; "" where there is no such branch (an empty repository)."""
        try:
            body = await self._get(installation, repo, f"/branches/{path_of(branch)}", CONTENTS)
        except Suspended:
            raise
        except Gone:
            return ""
        return str(body["commit"]["sha"])

    async def permission(self, installation: int, repo: int, login: str) -> Permission:
        """What a person may do here, whoever wrote what: `author_association` is no substitute, because concealed
        members arrive as CONTRIBUTOR or NONE."""
        try:
            body = await self._get(installation, repo, f"/collaborators/{segment(login)}/permission", METADATA)
        except Suspended:
            raise
        except Gone:
            return Permission("none", "none")
        return Permission(str(body.get("permission") or "none"), str(body.get("role_name") or ""))

    # --- issues, pull requests and their comments ---

    async def issue(self, installation: int, repo: int, number: int) -> Issue:
        """An issue, or the issue side of a pull request."""
        return read.issue(await self._get(installation, repo, f"/issues/{number}"))

    async def issues_since(self, installation: int, repo: int, since: str) -> list[Issue]:
        """Issues and pull requests updated at or after `since` (ISO 8601, UTC)."""
        params = {"since": since, "state": "all", "sort": "updated", "direction": "asc"}
        return [read.issue(item) async for item in self._list(installation, repo, "/issues", params)]

    async def pull(self, installation: int, repo: int, number: int) -> PullRequest:
        """A pull request's state now."""
        return read.pull(await self._get(installation, repo, f"/pulls/{number}"))

    async def pulls_open(self, installation: int, repo: int) -> list[PullRequest]:
        """All open pull requests."""
        return [read.pull(item) async for item in self._list(installation, repo, "/pulls", {"state": "open"})]

    async def issue_comments(self, installation: int, repo: int, number: int) -> list[Comment]:
        """The conversation of an issue or pull request, oldest first, all pages."""
        pages = self._list(installation, repo, f"/issues/{number}/comments")
        return [read.comment(item, "issue") async for item in pages]

    async def review_comments(self, installation: int, repo: int, number: int) -> list[Comment]:
        """The comments on lines of a pull request, oldest first, all pages."""
        pages = self._list(installation, repo, f"/pulls/{number}/comments")
        return [read.comment(item, "review_comment") async for item in pages]

    async def reviews(self, installation: int, repo: int, number: int) -> list[Comment]:
        """The texts of a pull request's reviews, oldest first, all pages; pending reviews are not shown to us."""
        pages = self._list(installation, repo, f"/pulls/{number}/reviews")
        return [read.comment(item, "review") async for item in pages]

    async def comments(self, installation: int, repo: int, number: int, *, is_pull: bool) -> list[Comment]:
        """Everything said in a thread, of all kinds, in order of time."""
        said = await self.issue_comments(installation, repo, number)
        if is_pull:
            said += await self.review_comments(installation, repo, number)
            said += await self.reviews(installation, repo, number)
        return sorted(said, key=lambda comment: (comment.created_at, comment.id))

    async def comment(self, installation: int, repo: int, number: int, kind: str, comment: int) -> Comment:
        """One comment as it stands now. For kind `body` the text of the issue itself, under id 0."""
        if kind == "body":
            issue = await self.issue(installation, repo, number)
            return Comment(0, "body", issue.author, issue.author_type, issue.body, "")
        if kind == "review":
            for review in await self.reviews(installation, repo, number):
                if review.id == comment:
                    return review
            raise Gone(f"review {comment} is no longer there")
        return read.comment(await self._get(installation, repo, f"/{COMMENT_PATHS[kind]}/{comment}"), kind)

    async def comments_since(self, installation: int, repo: int, kind: str, since: str) -> list[tuple[int, Comment]]:
        """(thread number, comment) of one kind (issue or review_comment), over the whole repository, updated since then."""
        params = {"since": since, "sort": "updated", "direction": "asc"}
        pages = self._list(installation, repo, f"/{COMMENT_PATHS[kind]}", params)
        return [(read.thread_number(item), read.comment(item, kind)) async for item in pages]

    # --- writing ---

    async def create_comment(self, installation: int, repo: int, number: int, body: str) -> Comment:
        """Say something in an issue or pull request. Sent once: after a Transient it may exist all the same."""
        made = await self._write("POST", installation, repo, f"/issues/{number}/comments", {"body": body})
        return read.comment(made, "issue")

    async def reply_to_review_comment(
        self, installation: int, repo: int, number: int, comment: int, body: str
    ) -> Comment:
        """Reply in a thread on a line. `comment` must be the thread's top-level comment."""
        path = f"/pulls/{number}/comments/{comment}/replies"
        return read.comment(await self._write("POST", installation, repo, path, {"body": body}), "review_comment")

    async def update_comment(self, installation: int, repo: int, kind: str, comment: int, body: str) -> None:
        """Replace the text of one of our comments (kind issue or review_comment)."""
        await self._write("PATCH", installation, repo, f"/{COMMENT_PATHS[kind]}/{comment}", {"body": body})

    async def delete_comment(self, installation: int, repo: int, kind: str, comment: int) -> None:
        """Delete one of our comments; one that is gone already is well."""
        try:
            await self._write("DELETE", installation, repo, f"/{COMMENT_PATHS[kind]}/{comment}", None)
        except Gone:
            return

    async def react(self, installation: int, repo: int, number: int, kind: str, comment: int, content: str) -> bool:
        """Add a reaction (eyes, confused, …). False where that failed: a reaction is never worth failing a job.

        A review's text cannot be reacted to over REST.
        """
        if kind == "review":
            return False
        target = f"/issues/{number}" if kind == "body" else f"/{COMMENT_PATHS[kind]}/{comment}"
        try:
            await self._write("POST", installation, repo, f"{target}/reactions", {"content": content})
        except (Forbidden, Rejected, Gone, Transient):
            return False
        return True

    async def check_run(self, installation: int, repo: int, head: str, check: Check) -> bool:
        """Set our one check run on a commit. False where the App may not write checks."""
        who = scope(installation, repo, CHECKS)
        output = {"title": check.title, "summary": check.summary}
        body: dict[str, object] = {"name": CHECK_NAME, "status": "completed", "output": output}
        body["conclusion"] = check.conclusion
        params: Parameters = {"check_name": CHECK_NAME, "app_id": check.app}
        prefix = f"/repositories/{repo}"
        try:
            pages = self._pages(f"{prefix}/commits/{segment(head)}/check-runs", who, params, field="check_runs")
            runs = [run async for run in pages]
            if runs:
                await self._call("PATCH", f"{prefix}/check-runs/{runs[0]['id']}", who, json=body)
            else:
                await self._call("POST", f"{prefix}/check-runs", who, json={**body, "head_sha": head})
        except (Forbidden, Rejected, Gone):
            return False
        return True

    # --- shared ---

    async def _get(self, installation: int, repo: int, path: str, permissions: Permissions = READ) -> read.Json:
        who = scope(installation, repo, permissions)
        body = await self._call("GET", f"/repositories/{repo}{path}", who)
        if not isinstance(body, dict):
            raise Rejected(f"GET /repositories/{repo}{path}: expected an object")
        return body

    def _list(self, installation: int, repo: int, path: str, params: Parameters | None = None) -> read.Items:
        who: Scope = scope(installation, repo, READ)
        return self._pages(f"/repositories/{repo}{path}", who, params)

    async def _write(self, method: str, installation: int, repo: int, path: str, body: object) -> read.Json:
        answer = await self._call(method, f"/repositories/{repo}{path}", scope(installation, repo, WRITE), json=body)
        return answer if isinstance(answer, dict) else {}
