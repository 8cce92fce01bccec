"""Says one thing once: finds what we already said by its marker, edits it in place, folds duplicates; decides no text."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from enum import StrEnum

from app.clients.github import GitHub
from app.core.comment import Marker, read_marker
from app.core.types import App, Comment

LOCK_SECONDS = 120.0
"""How long a thread may stay locked: a listing of many pages and three writes, each with its own retries."""

Lock = Callable[[str, float], AbstractAsyncContextManager[object]]
"""`Queue.lock`: name and seconds to a lock that is held inside; raises Transient where another holds it too long."""

Same = Callable[[Marker], bool]
"""Whether a marker is that of the thing to be said."""

Wanted = Callable[[], Awaitable[bool]]
"""Asked under the lock, right before writing: is this still to be said?"""


class Said(StrEnum):
    """What became of a text."""

    CREATED = "created"
    EDITED = "edited"
    UNCHANGED = "unchanged"
    UNWANTED = "unwanted"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a text belongs: the conversation of an issue or pull request, or a thread on a line.

    `line_thread` is the thread's top-level review comment; None means the conversation.
    """

    installation: int
    repo: int
    number: int
    line_thread: int | None = None

    @property
    def kind(self) -> str:
        """The kind of the comments at this place."""
        return "issue" if self.line_thread is None else "review_comment"


def is_ours(comment: Comment, app: App) -> bool:
    """Whether our App wrote the comment. Anyone can paste a marker; nobody else can be this author."""
    if comment.app_id is not None:
        return comment.app_id == app.id
    return comment.author_type == "Bot" and comment.author.lower() == f"{app.slug}[bot]".lower()


def ours(comments: Iterable[Comment], app: App, same: Same) -> list[Comment]:
    """Our comments whose marker is meant, oldest first."""
    found = []
    for comment in comments:
        marker = read_marker(comment.body)
        if marker is not None and is_ours(comment, app) and same(marker):
            found.append(comment)
    return sorted(found, key=lambda comment: comment.id)


async def said_at(github: GitHub, place: Place) -> list[Comment]:
    """Every comment at the place, all pages: a marker past the first hundred must be found too."""
    if place.line_thread is None:
        return await github.issue_comments(place.installation, place.repo, place.number)
    comments = await github.review_comments(place.installation, place.repo, place.number)
    return [comment for comment in comments if place.line_thread in (comment.id, comment.in_reply_to)]


async def always() -> bool:
    """For texts that stay wanted whatever happens meanwhile."""
    return True


async def post(
    github: GitHub, app: App, lock: Lock, place: Place, body: str, same: Same, wanted: Wanted = always
) -> Said:
    """Make `body` the one comment at `place` whose marker is `same`: create, edit, or leave it as it is.

    Safe to run twice and after a failure whose write took effect: the comment is then found by its marker. Two workers
    are kept apart by the thread's lock; duplicates of older races are folded into the oldest.
    """
    async with lock(_name(place), LOCK_SECONDS):
        found = ours(await said_at(github, place), app, same)
        if not await wanted():
            return Said.UNWANTED
        if not found:
            await _create(github, place, body)
            return Said.CREATED
        first, *duplicates = found
        for duplicate in duplicates:
            await github.delete_comment(place.installation, place.repo, place.kind, duplicate.id)
        if _plain(first.body) == _plain(body):
            return Said.UNCHANGED
        await github.update_comment(place.installation, place.repo, place.kind, first.id, body)
        return Said.EDITED


async def unsay(github: GitHub, app: App, lock: Lock, place: Place, same: Same, wanted: Wanted = always) -> Said:
    """Remove what we said at `place` under this marker; nothing happens where we said nothing."""
    async with lock(_name(place), LOCK_SECONDS):
        found = ours(await said_at(github, place), app, same)
        if not found or not await wanted():
            return Said.UNWANTED
        for comment in found:
            await github.delete_comment(place.installation, place.repo, place.kind, comment.id)
        return Said.REMOVED


async def _create(github: GitHub, place: Place, body: str) -> None:
    if place.line_thread is None:
        await github.create_comment(place.installation, place.repo, place.number, body)
    else:
        await github.reply_to_review_comment(place.installation, place.repo, place.number, place.line_thread, body)


def _name(place: Place) -> str:
    return f"thread:{place.repo}:{place.number}"


def _plain(body: str) -> str:
    """A body as GitHub may have stored it: other line ends, no blanks at the end."""
    return body.replace("\r\n", "\n").strip()
