"""What reconcile queues, by table: scopes against heads, mentions against answers. The calls are in the flow tests."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from app.core.records import ScopeRecord
from app.core.routing import AppIdentity
from app.core.types import Comment, PullRequest
from jobs.questions import question_hash
from jobs.reconcile import stale, unanswered

SINCE = "2026-01-10T00:00:00Z"
IDENTITY = AppIdentity(7, "coderag")


def scope(name: str, head: str, *, dirty: bool = False, installation: int = 1) -> ScopeRecord:
    return ScopeRecord(name, head=head, dirty=dirty, installation=installation)


def pull(number: int, head: str, created: str) -> PullRequest:
    return PullRequest(number, "t", "", "ada", "User", "open", False, "main", "b" * 40, head, 2, created_at=created)


@pytest.mark.parametrize(
    ("head", "pulls", "records", "keys"),
    [
        ("h1", [], [], ["index_repo:2"]),
        ("", [], [], []),  # an empty repository
        ("h1", [], [scope("branch", "h1")], []),
        ("h2", [], [scope("branch", "h1")], ["index_repo:2"]),
        ("h1", [], [scope("branch", "h1", dirty=True)], ["index_repo:2"]),
        ("h1", [], [scope("branch", "h1", installation=9)], ["index_repo:2"]),  # transferred
        # opened before we were installed: left alone
        ("h1", [pull(3, "p1", "2025-01-01T00:00:00Z")], [scope("branch", "h1")], []),
        ("h1", [pull(3, "p1", "2026-01-11T00:00:00Z")], [], ["index_repo:2"]),
        # its delivery was lost
        ("h1", [pull(3, "p1", "2026-01-11T00:00:00Z")], [scope("branch", "h1")], ["index_pull:2:3:p1"]),
        ("h1", [pull(3, "p1", "2025-01-01T00:00:00Z")], [scope("branch", "h1"), scope("pull/3", "p1")], []),
        ("h1", [pull(3, "p2", "2025-01-01T00:00:00Z")], [scope("branch", "h1"), scope("pull/3", "p1")], ["index_pull:2:3:p2"]),
        ("h1", [], [scope("branch", "h1"), scope("pull/3", "p1"), scope("pull/12", "p1")], ["forget:2:12", "forget:2:3"]),
    ],
)  # fmt: skip
def test_what_is_missing_stale_or_left_over(
    head: str, pulls: Sequence[PullRequest], records: Sequence[ScopeRecord], keys: list[str]
) -> None:
    jobs = stale(1, 2, head, pulls, {record.scope: record for record in records}, SINCE)
    assert [job.key for job in jobs] == keys


def said(identifier: int, body: str, *, kind: str = "issue", author: str = "ada", author_type: str = "User") -> Comment:
    return Comment(identifier, kind, author, author_type, body, SINCE)


ASKED = "@coderag where is it?"
ANSWER = (4, "issue", 100, question_hash(ASKED))


@pytest.mark.parametrize(
    ("comment", "answered", "jobs"),
    [
        (said(100, ASKED), set(), 1),
        (said(100, ASKED), {ANSWER}, 0),
        (said(100, ASKED.replace("?", "?\r\n")), {ANSWER}, 1),  # edited since
        (said(101, ASKED), {ANSWER}, 1),
        (said(100, ASKED, kind="review_comment"), {ANSWER}, 1),
        (said(100, "nothing for the bot"), set(), 0),
        (said(100, ASKED, author="helper[bot]", author_type="Bot"), set(), 0),
        (said(100, ASKED, author="coderag[bot]", author_type="Bot"), set(), 0),
        (said(100, ASKED, author="ghost"), set(), 0),
        (said(0, ASKED, kind="body"), {ANSWER}, 1),
    ],
)
def test_which_mentions_have_no_answer(comment: Comment, answered: set[tuple[object, ...]], jobs: int) -> None:
    found = unanswered(1, 2, [(4, comment)], IDENTITY, answered)
    assert len(found) == jobs
    for job in found:
        assert (job.name, job.arguments["number"], job.arguments["comment"]) == ("answer_mention", 4, comment.id)
