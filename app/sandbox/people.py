"""What people do in issues and pull requests, as methods of the sandbox. Each returns when its deliveries were answered."""

from __future__ import annotations

from collections.abc import Sequence

from app.sandbox import hosting, pulls, pushes, repository_git, thread_payloads, threads
from app.sandbox.actor import Actor
from app.sandbox.pulls import LineComment
from app.sandbox.state import Comment, Review, Thread


class People(Actor):
    """Issues, comments, pull requests and reviews."""

    async def open_issue(self, repo: str, login: str, title: str, body: str | None = None) -> Thread:
        """A person opens an issue."""
        state = self.host.state
        return await self.act(
            lambda: threads.open_issue(self.host, state.repository(repo), state.user(login), title, body)
        )

    async def comment(self, repo: str, number: int, login: str, body: str | None) -> Comment:
        """A person comments on an issue or in a pull request's conversation."""
        state = self.host.state
        return await self.act(
            lambda: threads.add_comment(self.host, state.thread(repo, number), state.user(login), body)
        )

    async def edit_comment(self, comment: int | Comment, body: str, *, by: str | None = None) -> None:
        """Someone (its author unless named) edits a comment of either kind."""
        one = self._comment(comment)
        editor = one.author if by is None else self.host.state.user(by)
        await self.act(lambda: threads.edit_comment(self.host, one, editor, body))

    async def delete_comment(self, comment: int | Comment, *, by: str | None = None) -> None:
        """Someone (its author unless named) deletes a comment of either kind."""
        one = self._comment(comment)
        sender = one.author if by is None else self.host.state.user(by)
        await self.act(lambda: threads.delete_comment(self.host, one, sender))

    def _comment(self, comment: int | Comment) -> Comment:
        return comment if isinstance(comment, Comment) else self.host.state.comments[comment]

    async def edit_thread(
        self, repo: str, number: int, *, title: str | None = None, body: str | None = None, by: str | None = None
    ) -> None:
        """Someone edits the title or the opening text of an issue or pull request."""
        thread = self.host.state.thread(repo, number)
        changes: dict[str, object] = {}
        if title is not None:
            changes["title"] = {"from": thread.title}
        if body is not None:
            changes["body"] = {"from": thread.body or ""}

        def edit() -> None:
            thread.title = thread.title if title is None else title
            thread.body = thread.body if body is None else body
            self._send(thread, "edited", by, {"changes": changes})

        await self.act(edit)

    async def close(self, repo: str, number: int, *, by: str | None = None) -> None:
        """Someone closes an issue or, without merging it, a pull request."""

        def change() -> None:
            thread = self.host.state.thread(repo, number)
            thread.state, thread.closed_at = "closed", self.host.state.clock()
            thread.state_reason = None if thread.pull else "completed"
            self._send(thread, "closed", by)

        await self.act(change)

    close_pull = close

    async def reopen(self, repo: str, number: int, *, by: str | None = None) -> None:
        """Someone reopens an issue or a pull request that was not merged."""

        def change() -> None:
            thread = self.host.state.thread(repo, number)
            thread.state, thread.closed_at = "open", None
            thread.state_reason = None if thread.pull else "reopened"
            self._send(thread, "reopened", by)

        await self.act(change)

    async def lock(self, repo: str, number: int, *, locked: bool = True, by: str | None = None) -> None:
        """Someone locks (or unlocks) a conversation."""

        def change() -> None:
            thread = self.host.state.thread(repo, number)
            thread.locked = locked
            self._send(thread, "locked" if locked else "unlocked", by)

        await self.act(change)

    async def label(self, repo: str, number: int, name: str, *, by: str | None = None) -> None:
        """Someone labels an issue or pull request."""

        def change() -> None:
            thread = self.host.state.thread(repo, number)
            thread.labels.append(name)
            shape = thread_payloads.label(self.host.state, thread.repository, name)
            self._send(thread, "labeled", by, {"label": shape})

        await self.act(change)

    def _send(self, thread: Thread, action: str, by: str | None, extra: dict[str, object] | None = None) -> None:
        thread.updated = self.host.state.clock()
        sender = thread.author if by is None else self.host.state.user(by)
        send = pulls.send_pull if thread.pull else threads.send_issue
        send(self.host, action, sender, thread, extra)

    # --- pull requests ---

    async def open_pull(
        self,
        repo: str,
        head: str | tuple[str, str],
        base: str,
        title: str,
        body: str | None,
        login: str,
        draft: bool = False,
    ) -> Thread:
        """A person opens a pull request from a branch, or from (fork, branch), into `base`."""
        source, branch = (repo, head) if isinstance(head, str) else head
        state = self.host.state
        return await self.act(
            lambda: pulls.open_pull(
                self.host,
                (state.repository(repo), base),
                (state.repository(source), branch),
                state.user(login),
                (title, body),
                draft,
            )
        )

    async def ready_for_review(self, repo: str, number: int, *, by: str | None = None) -> None:
        """A draft becomes ready."""

        def change() -> None:
            thread = self.host.state.thread(repo, number)
            pulls.pull_of(thread).draft = False
            self._send(thread, "ready_for_review", by)

        await self.act(change)

    async def retarget(self, repo: str, number: int, base: str, *, by: str | None = None) -> None:
        """Someone gives a pull request another base branch."""
        thread = self.host.state.thread(repo, number)
        sender = thread.author if by is None else self.host.state.user(by)
        await self.act(lambda: pulls.retarget(self.host, thread, sender, base))

    async def merge(self, repo: str, number: int, *, by: str | None = None) -> str:
        """Someone merges a pull request with a merge commit: a push to the base, then `closed`. Returns the commit."""

        async def change() -> str:
            thread = self.host.state.thread(repo, number)
            pull = pulls.pull_of(thread)
            sender = thread.repository.owner if by is None else self.host.state.user(by)
            path = thread.repository.path
            tip = await repository_git.resolve(path, f"refs/heads/{pull.base_ref}")
            assert tip is not None
            author = hosting.signature(self.host, sender)
            message = f"Merge pull request #{number} from {pull.head_owner.login}/{pull.head_ref}"
            merged = await repository_git.merge(path, tip, pull.head_sha, message, author)
            thread.state, thread.closed_at = "closed", self.host.state.clock()
            pull.merged_at, pull.merged_by, pull.merge_commit = thread.closed_at, sender, merged
            await pushes.push(self.host, thread.repository, pull.base_ref, merged, sender)
            thread.updated = self.host.state.clock()
            pulls.send_pull(self.host, "closed", sender, thread)
            return merged

        return await self.act(change)

    async def review(
        self,
        repo: str,
        number: int,
        login: str,
        body: str | None = None,
        comments: Sequence[LineComment] = (),
        state: str = "COMMENTED",
    ) -> Review:
        """A person submits a review: one pull_request_review event, and one pull_request_review_comment for each comment."""

        async def change() -> Review:
            thread = self.host.state.thread(repo, number)
            author = self.host.state.user(login)
            hunks = await pulls.Hunks.of(thread)
            made = [
                pulls.make_comment(self.host, thread, author, one, hunks.locate(one), by_app=False) for one in comments
            ]
            return pulls.add_review(self.host, thread, author, (state, body), made)

        return await self.act(change)

    async def edit_review(self, review: Review, body: str, *, by: str | None = None) -> None:
        """Someone (its author unless named) edits the summary of a review."""

        def change() -> None:
            before, review.body = review.body, body
            editor = review.author if by is None else self.host.state.user(by)
            extra: dict[str, object] = {"changes": {"body": {"from": before}}}
            pulls.send_review(self.host, "edited", editor, review, extra)

        await self.act(change)

    async def review_comment(
        self, repo: str, number: int, login: str, body: str, path: str, line: int, side: str = "RIGHT"
    ) -> Comment:
        """A person comments on one line; GitHub makes a review of it, so both events fire."""
        review = await self.review(repo, number, login, None, [LineComment(path, line, body, side)])
        return next(one for one in review.thread.of_kind("review") if one.review is review)

    async def reply(self, repo: str, number: int, comment: int | Comment, login: str, body: str) -> Comment:
        """A person answers in the thread of a review comment (any comment of it); both events fire."""

        def change() -> Comment:
            thread = self.host.state.thread(repo, number)
            author, top = self.host.state.user(login), self._comment(comment)
            if top.in_reply_to is not None:
                top = self._comment(top.in_reply_to)
            made = pulls.make_reply(self.host, top, author, body, by_app=False)
            pulls.add_review(self.host, thread, author, ("COMMENTED", None), [made])
            return made

        return await self.act(change)

    async def react(self, comment: int | Comment, login: str, content: str) -> None:
        """A person reacts to a comment; no event exists for it."""
        one = self._comment(comment)
        await self.act(lambda: threads.add_reaction(self.host, one.reactions, self.host.state.user(login), content))
