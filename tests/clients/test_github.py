"""The GitHub client against the stand-in GitHub: identity, refusals, limits, pages, and writes that happen once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.clients.github import Check, GitHub
from app.clients.github.connection import path_of, segment
from app.clients.github.failures import failure_of, redact, seconds_of
from app.clients.github.read import comment as read_comment
from app.core.errors import ConfigError, Forbidden, Gone, Rejected, Suspended, Transient
from app.sandbox import LineComment, Sandbox

ROOT = "/api/v3"


@dataclass
class Clock:
    """Time that only moves when somebody sleeps; what was slept is kept."""

    now: float = field(default_factory=time.time)
    slept: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@dataclass
class World:
    """One repository `octo/hello` under one installation, and a client."""

    sandbox: Sandbox
    client: GitHub
    clock: Clock
    installation: int
    repo: int

    def calls(self, method: str, end: str) -> int:
        return sum(one.method == method and one.path.endswith(end) for one in self.sandbox.requests)


@pytest.fixture
async def world(github: Sandbox) -> AsyncIterator[World]:
    installed = await github.add_installation("octo")
    repository = await github.add_repository("octo/hello", files={"a.py": "x = 1\n", ".github/coderag.yml": ""})
    clock = Clock()
    client = GitHub(github.app_id, github.private_key, github.api_url, now=clock, sleep=clock.sleep)
    yield World(github, client, clock, installed.id, repository.id)
    await client.close()


# --- who we are -----------------------------------------------------------------------------------------------------


async def test_the_app_knows_its_name_and_installations(world: World) -> None:
    app = await world.client.app()
    assert (app.id, app.slug) == (world.sandbox.app_id, world.sandbox.slug)
    installations = await world.client.installations()
    assert [(one.account, one.suspended) for one in installations] == [("octo", False)]
    assert (await world.client.installation(world.installation)).permissions["issues"] == "write"


def test_a_key_that_is_no_key_is_said_at_start() -> None:
    with pytest.raises(ConfigError, match="GITHUB_PRIVATE_KEY"):
        GitHub(1, "-----BEGIN RSA PRIVATE KEY-----\nnope\n-----END RSA PRIVATE KEY-----")


async def test_a_wrong_app_id_is_said_plainly(github: Sandbox) -> None:
    client = GitHub(github.app_id + 1, github.private_key, github.api_url)
    with pytest.raises(ConfigError, match="GITHUB_APP_ID"):
        await client.app()
    await client.close()


async def test_eight_concurrent_calls_ask_for_one_token(world: World) -> None:
    await asyncio.gather(*(world.client.repository(world.installation, world.repo) for _ in range(8)))
    assert world.calls("POST", "/access_tokens") == 1


async def test_tokens_are_narrowed_to_the_repository_and_the_step(world: World) -> None:
    await world.client.git_token(world.installation, world.repo)()
    await world.client.pulls_open(world.installation, world.repo)
    issued = list(world.sandbox.host.tokens.issued.values())
    assert [one.permissions for one in issued] == [
        {"metadata": "read", "contents": "read"},
        {"metadata": "read", "issues": "read", "pull_requests": "read"},
    ]
    assert all(one.repositories == {world.repo} for one in issued)


async def test_a_token_is_renewed_before_it_expires(world: World) -> None:
    provide = world.client.git_token(world.installation, world.repo)
    first = await provide()
    assert await provide() == first
    world.clock.now += 3500
    assert await provide() != first


async def test_a_token_that_expires_in_the_middle_of_a_job_is_renewed_once(world: World) -> None:
    """H21: the write after it is sent again, and exists once."""
    issue = await world.sandbox.open_issue("octo/hello", "octo", "Title")
    await world.client.create_comment(world.installation, world.repo, issue.number, "one")
    world.sandbox.expire_tokens()
    await world.client.create_comment(world.installation, world.repo, issue.number, "two")
    assert [comment.body for comment in issue.comments] == ["one", "two"]


async def test_credentials_refused_twice_give_the_job_back(world: World) -> None:
    world.sandbox.fault("GET", "/issues/1$", status=401, times=None)
    with pytest.raises(Transient):
        await world.client.issue(world.installation, world.repo, 1)


async def test_a_suspended_installation_is_told_apart(world: World) -> None:
    """H21."""
    await world.client.repository(world.installation, world.repo)
    installed = world.sandbox.host.state.installations[world.installation]
    await world.sandbox.suspend(installed)
    with pytest.raises(Suspended):
        await world.client.repository(world.installation, world.repo)
    world.client.forget_tokens(world.installation)
    with pytest.raises(Suspended):
        await world.client.repository(world.installation, world.repo)
    assert [one.suspended for one in await world.client.installations()] == [True]


async def test_a_removed_installation_and_a_removed_repository_are_gone(world: World) -> None:
    await world.sandbox.add_repository("octo/other", files={"b.py": ""})
    installed = world.sandbox.host.state.installations[world.installation]
    await world.sandbox.select_repositories(installed, removed=["octo/hello"])
    with pytest.raises(Gone):
        await world.client.repository(world.installation, world.repo)
    assert [one.full_name for one in await world.client.installation_repositories(world.installation)] == ["octo/other"]
    await world.sandbox.delete_installation(installed)
    world.client.forget_tokens(world.installation)
    with pytest.raises(Gone):
        await world.client.installation_repositories(world.installation)


async def test_a_permission_that_was_never_granted_is_forbidden_and_harmless_for_checks(github: Sandbox) -> None:
    installed = await github.add_installation("octo", {"contents": "read", "issues": "read", "pull_requests": "read"})
    repository = await github.add_repository("octo/hello", files={"a.py": ""})
    issue = await github.open_issue("octo/hello", "octo", "Title")
    client = GitHub(github.app_id, github.private_key, github.api_url)
    with pytest.raises(Forbidden):
        await client.create_comment(installed.id, repository.id, issue.number, "hello")
    assert not await client.react(installed.id, repository.id, issue.number, "body", 0, "eyes")
    check = Check(github.app_id, "neutral", "title", "summary")
    head = await github.sha("octo/hello", "main")
    assert not await client.check_run(installed.id, repository.id, head, check)
    await client.close()


# --- limits and failures --------------------------------------------------------------------------------------------


async def test_reads_are_tried_again_and_writes_are_not(world: World) -> None:
    issue = await world.sandbox.open_issue("octo/hello", "octo", "Title")
    world.sandbox.fault("GET", "/issues/1$", status=502, times=2)
    assert (await world.client.issue(world.installation, world.repo, issue.number)).title == "Title"
    assert world.clock.slept == [0.5, 1.5]
    fault = world.sandbox.fault("POST", "/comments$", status=502, times=None)
    with pytest.raises(Transient):
        await world.client.create_comment(world.installation, world.repo, issue.number, "hello")
    assert fault.hits == 1


async def test_a_dropped_connection_is_transient(world: World) -> None:
    world.sandbox.fault("GET", "/issues/1$", drop=True, times=None)
    with pytest.raises(Transient):
        await world.client.issue(world.installation, world.repo, 1)
    assert sum(world.clock.slept) <= 20


async def test_a_secondary_limit_without_retry_after_waits_a_minute_outside_the_job(world: World) -> None:
    """H20."""
    fault = world.sandbox.fault("GET", "/issues/1$", status=403, times=None)
    with pytest.raises(Transient) as caught:
        await world.client.issue(world.installation, world.repo, 1)
    assert caught.value.retry_after >= 60
    assert (fault.hits, world.clock.slept) == (1, [])


async def test_a_primary_limit_gives_the_job_back_until_the_reset(world: World) -> None:
    """H20: 50 minutes are not slept inside a job."""
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(world.clock.now) + 3000)}
    world.sandbox.fault("GET", "/issues/1$", status=403, times=None, headers=headers, message="API rate limit exceeded")
    with pytest.raises(Transient) as caught:
        await world.client.issue(world.installation, world.repo, 1)
    assert 2999 <= caught.value.retry_after <= 3002
    assert world.clock.slept == []


async def test_a_short_retry_after_is_waited_out_by_a_read(world: World) -> None:
    await world.sandbox.open_issue("octo/hello", "octo", "Title")
    world.sandbox.fault("GET", "/issues/1$", status=429, headers={"retry-after": "7"})
    await world.client.issue(world.installation, world.repo, 1)
    assert world.clock.slept == [7.0]


async def test_many_writes_are_paced(world: World) -> None:
    issue = await world.sandbox.open_issue("octo/hello", "octo", "Title")
    for number in range(22):
        await world.client.react(world.installation, world.repo, issue.number, "body", 0, "eyes")
        await world.client.create_comment(world.installation, world.repo, issue.number, f"comment {number}")
    assert len(issue.comments) == 22
    assert world.clock.slept == [pytest.approx(1.0)] * 2


@pytest.mark.parametrize(
    ("status", "headers", "message", "kind", "wait"),
    [
        (404, {}, "Not Found", Gone, None),
        (410, {}, "This issue was deleted", Gone, None),
        (451, {}, "Repository access blocked", Gone, None),
        (410, {}, "The API version 2022-11-28 is not supported.", ConfigError, None),
        (403, {}, "Resource not accessible by integration", Forbidden, None),
        (403, {}, "This installation has been suspended", Suspended, None),
        (403, {}, "You have exceeded a secondary rate limit.", Transient, 60.0),
        (403, {}, "You have triggered an abuse detection mechanism.", Transient, 60.0),
        (403, {"retry-after": "90"}, "You have exceeded a secondary rate limit.", Transient, 90.0),
        (403, {"retry-after": "Thu, 01 Jan 1970 00:18:20 GMT"}, "slow down", Transient, 100.0),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "4000"}, "API rate limit exceeded", Transient, 3001.0),
        (429, {}, "", Transient, 60.0),
        (422, {}, "Validation Failed", Rejected, None),
        (400, {}, "Problems parsing JSON", Rejected, None),
        (500, {}, "", Transient, 5.0),
        (502, {"retry-after": "30"}, "", Transient, 30.0),
    ],
)  # fmt: skip
def test_each_refusal_has_one_meaning(
    status: int, headers: dict[str, str], message: str, kind: type[Exception], wait: float | None
) -> None:
    request = httpx.Request("GET", "https://api.github.com/repositories/1/issues/1")
    error = failure_of(httpx.Response(status, json={"message": message}, headers=headers, request=request), now=1000.0)
    assert isinstance(error, kind)
    assert (error.retry_after if isinstance(error, Transient) else None) == wait


def test_an_answer_that_is_no_json_is_still_a_failure() -> None:
    request = httpx.Request("GET", "https://api.github.com/app")
    error = failure_of(httpx.Response(502, content=b"<html>Unicorn!</html>", request=request), now=0.0)
    assert isinstance(error, Transient)


@given(st.text())
def test_any_retry_after_is_read_or_passed_over(header: str) -> None:
    seconds = seconds_of(header, now=0.0)
    assert seconds is None or seconds >= 0


async def test_no_secret_reaches_an_error(world: World) -> None:
    token = await world.client.git_token(world.installation, world.repo)()
    assert len(token) > 400
    secrets = (token, world.sandbox.app_jwt(), world.sandbox.private_key)
    assert redact(" and ".join(secrets)).split() == ["[secret]", "and", "[secret]", "and", "[secret]"]
    world.sandbox.fault("GET", "/issues/1$", status=422, message=f"bad {token}")
    with pytest.raises(Rejected) as caught:
        await world.client.issue(world.installation, world.repo, 1)
    assert token not in str(caught.value)
    assert token not in repr(world.client.__dict__)


# --- paths ----------------------------------------------------------------------------------------------------------


@given(st.text(min_size=1))
def test_a_quoted_name_never_leaves_its_segment(name: str) -> None:
    try:
        quoted = segment(name)
    except Rejected:
        assert name in (".", "..")
        return
    except UnicodeEncodeError:
        assert any("\ud800" <= character <= "\udfff" for character in name)
        return
    assert not set(quoted) & set("/?# ")


@pytest.mark.parametrize("path", ["", "..", "a/../b", "../../../user", "a//b", "/a", "a/.", "."])
def test_a_path_that_climbs_is_refused(path: str) -> None:
    with pytest.raises(Rejected):
        path_of(path)


async def test_a_branch_with_odd_characters_is_found(world: World) -> None:
    head = await world.sandbox.sha("octo/hello", "main")
    await world.sandbox.push("octo/hello", "feature/a#1", head)
    assert await world.client.branch_head(world.installation, world.repo, "feature/a#1") == head
    assert await world.client.branch_head(world.installation, world.repo, "nowhere") == ""


async def test_a_renamed_repository_keeps_its_id(world: World) -> None:
    await world.sandbox.rename_repository("octo/hello", "world")
    repository = await world.client.repository(world.installation, world.repo)
    assert repository.full_name == "octo/world"
    assert repository.clone_url.endswith("/octo/world.git")


# --- reading --------------------------------------------------------------------------------------------------------


async def test_every_page_of_a_long_thread_is_read(world: World) -> None:
    issue = await world.sandbox.open_issue("octo/hello", "octo", "Title")
    for number in range(203):
        await world.sandbox.comment("octo/hello", issue.number, "octo", f"comment {number}")
    comments = await world.client.issue_comments(world.installation, world.repo, issue.number)
    assert [comment.body for comment in comments] == [f"comment {number}" for number in range(203)]


async def test_deleted_authors_and_empty_texts_are_read(world: World) -> None:
    """H4."""
    world.sandbox.add_user("leaver", deleted=True)
    issue = await world.sandbox.open_issue("octo/hello", "leaver", "Title", None)
    await world.sandbox.comment("octo/hello", issue.number, "leaver", None)
    read = await world.client.issue(world.installation, world.repo, issue.number)
    assert (read.author, read.body) == ("ghost", "")
    comments = await world.client.issue_comments(world.installation, world.repo, issue.number)
    assert [(comment.author, comment.body) for comment in comments] == [("ghost", "")]


async def test_a_pull_request_whose_fork_is_gone_is_read(world: World) -> None:
    """H3."""
    await world.sandbox.fork("octo/hello", "stranger")
    await world.sandbox.push_files("stranger/hello", "fix", {"a.py": "x = 2\n"})
    pull = await world.sandbox.open_pull("octo/hello", ("stranger/hello", "fix"), "main", "Fix", None, "stranger")
    before = await world.client.pull(world.installation, world.repo, pull.number)
    assert before.head_repo not in (None, world.repo)
    await world.sandbox.delete_fork("stranger/hello")
    after = await world.client.pull(world.installation, world.repo, pull.number)
    assert (after.head_repo, after.head_sha, after.body) == (None, before.head_sha, "")
    assert [one.number for one in await world.client.pulls_open(world.installation, world.repo)] == [pull.number]


async def test_who_may_do_what(world: World) -> None:
    for login, role in {"ada": "maintain", "bob": "triage", "eve": "none"}.items():
        world.sandbox.set_permission("octo/hello", login, role)
    world.sandbox.add_user("stranger")
    levels = [
        await world.client.permission(world.installation, world.repo, login)
        for login in ("octo", "ada", "bob", "stranger", "eve")
    ]
    assert [one.level for one in levels] == ["admin", "write", "read", "read", "none"]
    assert [one.role for one in levels] == ["admin", "maintain", "triage", "read", "none"]


async def test_comments_since_a_time_name_their_thread(world: World) -> None:
    first = await world.sandbox.open_issue("octo/hello", "octo", "First")
    second = await world.sandbox.open_issue("octo/hello", "octo", "Second")
    await world.sandbox.comment("octo/hello", first.number, "octo", "one")
    await world.sandbox.comment("octo/hello", second.number, "octo", "two")
    found = await world.client.comments_since(world.installation, world.repo, "issue", "2020-01-01T00:00:00Z")
    assert [(number, comment.body) for number, comment in found] == [(first.number, "one"), (second.number, "two")]
    assert await world.client.comments_since(world.installation, world.repo, "issue", "2100-01-01T00:00:00Z") == []


# --- writing --------------------------------------------------------------------------------------------------------


async def test_a_thread_on_a_line_is_answered_in_place(world: World) -> None:
    await world.sandbox.push_files("octo/hello", "fix", {"a.py": "x = 2\n"})
    pull = await world.sandbox.open_pull("octo/hello", "fix", "main", "Fix", None, "octo")
    review = await world.sandbox.review("octo/hello", pull.number, "octo", "Look", [LineComment("a.py", 1, "why?")])
    top = (await world.client.review_comments(world.installation, world.repo, pull.number))[0]
    assert (top.path, top.line, top.in_reply_to) == ("a.py", 1, None)
    reply = await world.client.reply_to_review_comment(world.installation, world.repo, pull.number, top.id, "because")
    assert (reply.in_reply_to, reply.author) == (top.id, "coderag[bot]")
    said = await world.client.comments(world.installation, world.repo, pull.number, is_pull=True)
    bodies = sorted((comment.kind, comment.body) for comment in said if comment.body)
    assert bodies == [("review", "Look"), ("review_comment", "because"), ("review_comment", "why?")]
    one = await world.client.comment(world.installation, world.repo, pull.number, "review", review.id)
    assert one.body == "Look"


async def test_comments_are_made_changed_and_removed(world: World) -> None:
    issue = await world.sandbox.open_issue("octo/hello", "octo", "Title")
    made = await world.client.create_comment(world.installation, world.repo, issue.number, "one")
    assert made.app_id == world.sandbox.app_id
    assert made.author == "coderag[bot]"
    await world.client.update_comment(world.installation, world.repo, "issue", made.id, "two")
    assert (await world.client.comment(world.installation, world.repo, 1, "issue", made.id)).body == "two"
    await world.client.delete_comment(world.installation, world.repo, "issue", made.id)
    await world.client.delete_comment(world.installation, world.repo, "issue", made.id)
    assert issue.comments == []
    with pytest.raises(Gone):
        await world.client.comment(world.installation, world.repo, 1, "issue", made.id)


async def test_a_body_that_is_too_long_is_rejected_and_not_retried(world: World) -> None:
    issue = await world.sandbox.open_issue("octo/hello", "octo", "Title")
    with pytest.raises(Rejected):
        await world.client.create_comment(world.installation, world.repo, issue.number, "x" * 70_000)
    assert world.calls("POST", "/comments") == 1


async def test_reactions_do_not_fail_the_job(world: World) -> None:
    issue = await world.sandbox.open_issue("octo/hello", "octo", "Title")
    comment = await world.sandbox.comment("octo/hello", issue.number, "octo", "hi")
    for _ in range(2):
        assert await world.client.react(world.installation, world.repo, 1, "issue", comment.id, "eyes")
    assert [reaction.content for reaction in comment.reactions] == ["eyes"]
    assert await world.client.react(world.installation, world.repo, 1, "body", 0, "eyes")
    assert not await world.client.react(world.installation, world.repo, 1, "issue", 1, "eyes")
    assert not await world.client.react(world.installation, world.repo, 1, "review", 1, "eyes")


async def test_one_check_run_a_commit_is_kept_up_to_date(world: World) -> None:
    head = await world.sandbox.sha("octo/hello", "main")
    for conclusion in ("failure", "neutral"):
        check = Check(world.sandbox.app_id, conclusion, "title", "summary")
        assert await world.client.check_run(world.installation, world.repo, head, check)
    runs = world.sandbox.host.state.repository("octo/hello").checks
    assert [(run.name, run.conclusion) for run in runs] == [("CodeRAG", "neutral")]


def test_a_comment_keeps_the_line_of_an_outdated_thread() -> None:
    body: dict[str, Any] = {"id": 1, "user": None, "body": None, "line": None, "original_line": 7, "path": "a.py"}
    assert read_comment(body, "review_comment").line == 7
