"""One thing is said once: found by marker and author on any page, edited in place, folded where it stands twice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from app.clients.github import GitHub
from app.core.comment import Marker, marker
from app.core.errors import Transient
from app.core.types import App, Comment
from app.queue import Queue, connect
from app.sandbox import Sandbox
from app.steps.reply import Place, Said, is_ours, post, unsay

REPO = "octo/hello"
MARK = marker("summary", {"head": "abc"})


@dataclass
class Thread:
    """An issue in a repository, our client and our lock."""

    sandbox: Sandbox
    client: GitHub
    queue: Queue
    app: App
    place: Place

    async def say(self, text: str) -> Said:
        return await post(self.client, self.app, self.queue.lock, self.place, f"{MARK}\n{text}", is_summary)

    @property
    def ours(self) -> list[str]:
        said = self.sandbox.comments(REPO, self.place.number)
        return [str(comment.body).removeprefix(f"{MARK}\n") for comment in said if comment.by_app]

    def writes(self) -> list[str]:
        return [one.method for one in self.sandbox.requests if one.method != "GET" and "access_tokens" not in one.path]


def is_summary(found: Marker) -> bool:
    return found.kind == "summary"


@pytest.fixture
async def thread(github: Sandbox) -> AsyncIterator[Thread]:
    installed = await github.add_installation("octo")
    repository = await github.add_repository(REPO, files={"a.py": "x = 1\n"})
    issue = await github.open_issue(REPO, "octo", "Title")
    client = GitHub(github.app_id, github.private_key, github.api_url)
    queue = connect(private=True)
    yield Thread(github, client, queue, await client.app(), Place(installed.id, repository.id, issue.number))
    await client.close()
    await queue.close()


async def test_a_text_is_posted_then_edited_then_left_alone(thread: Thread) -> None:
    assert [await thread.say("one"), await thread.say("two"), await thread.say("two")] == [
        "created",
        "edited",
        "unchanged",
    ]
    assert thread.ours == ["two"]
    assert thread.writes() == ["POST", "PATCH"]


async def test_a_comment_beyond_the_first_page_is_found(thread: Thread) -> None:
    for number in range(103):
        await thread.sandbox.comment(REPO, thread.place.number, "octo", f"noise {number}")
    await thread.say("one")
    for number in range(103):
        await thread.sandbox.comment(REPO, thread.place.number, "octo", f"more noise {number}")
    assert await thread.say("two") is Said.EDITED
    assert thread.ours == ["two"]


async def test_a_marker_that_somebody_pasted_is_not_ours(thread: Thread) -> None:
    await thread.sandbox.comment(REPO, thread.place.number, "octo", f"{MARK}\nI am the bot")
    assert await thread.say("one") is Said.CREATED
    bodies = [str(comment.body) for comment in thread.sandbox.comments(REPO, thread.place.number)]
    assert bodies == [f"{MARK}\nI am the bot", f"{MARK}\none"]


async def test_duplicates_are_folded_into_the_oldest(thread: Thread) -> None:
    for text in ("first", "second", "third"):
        await thread.client.create_comment(
            thread.place.installation, thread.place.repo, thread.place.number, f"{MARK}\n{text}"
        )
    oldest = thread.sandbox.comments(REPO, thread.place.number)[0].id
    assert await thread.say("now") is Said.EDITED
    left = thread.sandbox.comments(REPO, thread.place.number)
    assert [(comment.id, comment.body) for comment in left] == [(oldest, f"{MARK}\nnow")]


async def test_two_workers_at_once_make_one_comment(thread: Thread) -> None:
    outcomes = await asyncio.gather(*(thread.say("the same") for _ in range(4)))
    assert sorted(outcomes) == ["created", "unchanged", "unchanged", "unchanged"]
    assert thread.ours == ["the same"]


@pytest.mark.parametrize("drop", [False, True])
async def test_a_write_that_took_effect_and_failed_all_the_same_is_found_again(thread: Thread, drop: bool) -> None:
    """H20."""
    thread.sandbox.fault("POST", r"/comments$", status=None if drop else 502, drop=drop, after_effect=True)
    with pytest.raises(Transient):
        await thread.say("one")
    assert await thread.say("one") is Said.UNCHANGED
    assert thread.ours == ["one"]


async def test_what_is_no_longer_wanted_is_not_said(thread: Thread) -> None:
    async def unwanted() -> bool:
        return False

    text = f"{MARK}\none"
    said = await post(thread.client, thread.app, thread.queue.lock, thread.place, text, is_summary, unwanted)
    assert said is Said.UNWANTED
    assert thread.writes() == []


async def test_what_was_said_can_be_taken_back(thread: Thread) -> None:
    assert await unsay(thread.client, thread.app, thread.queue.lock, thread.place, is_summary) is Said.UNWANTED
    await thread.say("one")
    await thread.client.create_comment(
        thread.place.installation, thread.place.repo, thread.place.number, marker("answer", {}) + "\nanother"
    )
    assert await unsay(thread.client, thread.app, thread.queue.lock, thread.place, is_summary) is Said.REMOVED
    assert len(thread.ours) == 1


@pytest.mark.parametrize(
    ("author", "author_type", "app_id", "ours"),
    [
        ("coderag[bot]", "Bot", 7, True),
        ("coderag[bot]", "Bot", None, True),
        ("CodeRAG[bot]", "Bot", None, True),
        ("octo", "User", 7, True),  # an App may write as a person, and GitHub tells
        ("coderag[bot]", "Bot", 8, False),
        ("coderag[bot]", "User", None, False),
        ("coderag", "User", None, False),
        ("ghost", "User", None, False),
    ],
)
def test_whose_comment_it_is(author: str, author_type: str, app_id: int | None, ours: bool) -> None:
    comment = Comment(1, "issue", author, author_type, "", "", app_id)
    assert is_ours(comment, App(7, "coderag")) is ours
