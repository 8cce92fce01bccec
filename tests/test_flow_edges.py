"""The whole App where things go wrong or people are unusual: limits, failures, races, policies, commands. As in test_flow.py.

Names in brackets are the rows of the list of faults that bots of this kind have had in the field.
"""

from __future__ import annotations

import asyncio
import re
import time

import pytest

import jobs.answer_mention
import jobs.summarize_pull
from app.core.records import CHUNK, FILE
from app.core.routing import Job
from app.core.types import BRANCH, Answer, Where
from app.steps.retrieve import retrieve
from app.steps.stored import read_scope_record
from jobs.deps import Deps
from jobs.site import Site
from tests.conftest import Bot
from tests.test_flow import FILES, NEW_LOANS, REPO, ask, library, links, propose

FIVE = b"".join(b"def step_%d(value):\n    return value + %d\n\n\n" % (n, n) for n in range(5))
QUESTION = "@coderag where is `fine` defined?"


def repo_id(bot: Bot) -> int:
    return bot.github.host.state.repository(REPO).id


async def points(bot: Bot) -> dict[str, object]:
    """Every chunk and file of the index, by id."""
    found = await bot.deps.index.read(repo_id(bot), Where({"type": (CHUNK, FILE)}))
    return {point.id: dict(point.payload) for point in found}


def reactions(bot: Bot, number: int) -> list[str]:
    return sorted(reaction.content for reaction in bot.github.thread(REPO, number).reactions)


def words(body: str) -> str:
    """What a person sees of a comment."""
    return re.sub(r"<!--.*?-->", "", body, flags=re.DOTALL).strip()


# --- pushes ---------------------------------------------------------------------------------------------------------


async def test_shrunk_and_deleted_files_leave_the_points_of_a_fresh_index(bot: Bot) -> None:
    """[H8] The same push twice, too."""
    await library(bot.github)
    await bot.github.push_files(REPO, "main", {"steps.py": FIVE, "gone.py": b"def gone():\n    return 1\n"})
    await bot.settle()
    shrunk = b"\n\n\n".join(FIVE.split(b"\n\n\n")[:2]) + b"\n"
    await bot.github.push_files(REPO, "main", {"steps.py": shrunk, "gone.py": None})
    await bot.settle()
    after_push = await points(bot)
    job = Job("index_push", {"installation": bot.github.host.state.installation_of(bot.github.host.state.repository(REPO)).id, "repo": repo_id(bot)}, "again")  # type: ignore[union-attr]  # fmt: skip
    await bot.deps.queue.enqueue(job)
    await bot.settle()
    assert await points(bot) == after_push
    await bot.deps.index.forget(repo_id(bot))
    await bot.deps.queue.enqueue(Job("index_repo", dict(job.arguments), "fresh"))
    await bot.settle()
    assert await points(bot) == after_push
    _, said = await ask(bot, "@coderag where is `gone` defined? And `step_4`?")
    assert not [path for _, _, path, _, _ in links(said[0]) if path == "gone.py"]
    assert "def step_4" not in said[0]


async def test_a_push_and_a_pull_request_of_301_files_are_seen_whole(bot: Bot) -> None:
    """[H10] No API list that stops at 300 is asked."""
    await library(bot.github)
    await bot.settle()
    files = {f"many/m{n:03}.py": b"def many_%d():\n    return %d\n" % (n, n) for n in range(301)}
    await bot.github.push_files(REPO, "main", files)
    await bot.settle()
    held = await bot.deps.index.count(repo_id(bot), Where({"type": (FILE,), "scope": ("branch",)}))
    assert held == len(FILES) + 301
    number = await propose(bot, {path: text.replace(b"return", b"return 1 +") for path, text in files.items()})
    overlay = await bot.deps.index.count(repo_id(bot), Where({"type": (FILE,), "scope": (f"pull/{number}",)}))
    assert overlay == 301


# --- races ----------------------------------------------------------------------------------------------------------


async def test_a_slow_summary_of_an_older_head_posts_nothing(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    """[H7] The first job is slow, the second finishes first."""
    await library(bot.github)
    await bot.settle()
    render, started, go = jobs.summarize_pull.render, asyncio.Event(), asyncio.Event()
    rendered: list[str] = []

    async def slow_at_first(deps: Deps, site: Site) -> str | None:
        body = await render(deps, site)
        rendered.append(site.pull_head)
        if len(rendered) == 1:
            started.set()
            await go.wait()
        return body

    monkeypatch.setattr(jobs.summarize_pull, "render", slow_at_first)
    first = await bot.github.commit(REPO, "main", {"library/loans.py": NEW_LOANS}, "Change", by="grace")
    await bot.github.push(REPO, "proposal", first, "grace")
    pull = await bot.github.open_pull(REPO, "proposal", "main", "Change", None, "grace")
    async with asyncio.timeout(30):
        await started.wait()
    second = await bot.github.commit(REPO, "proposal", {"library/loans.py": NEW_LOANS + b"\n# more\n"}, by="grace")
    await bot.github.push(REPO, "proposal", second, "grace")
    async with asyncio.timeout(30):
        while not bot.said(REPO, pull.number):
            await asyncio.sleep(0.05)
    go.set()
    await bot.settle()
    assert rendered[0] == first
    said = bot.said(REPO, pull.number)
    assert len(said) == 1
    assert second[:7] in said[0]
    assert [run.head_sha for run in bot.github.check_runs(REPO)] == [second]


async def test_a_question_that_is_edited_while_it_is_answered_gets_the_newer_answer(
    bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    await library(bot.github)
    await bot.settle()
    started, go = asyncio.Event(), asyncio.Event()

    async def slow_at_first(*arguments: object) -> Answer:
        if not started.is_set():
            started.set()
            await go.wait()
        return await retrieve(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(jobs.answer_mention, "retrieve", slow_at_first)
    issue = await bot.github.open_issue(REPO, "grace", "A question")
    comment = await bot.github.comment(REPO, issue.number, "grace", QUESTION)
    async with asyncio.timeout(30):
        await started.wait()
    await bot.github.edit_comment(comment, "@coderag where is `normalise_isbn` defined?")
    async with asyncio.timeout(30):
        while not bot.said(REPO, issue.number):
            await asyncio.sleep(0.05)
    go.set()
    await bot.settle()
    said = bot.said(REPO, issue.number)
    assert len(said) == 1
    assert "normalise_isbn" in said[0]


async def test_a_question_that_is_deleted_while_it_is_answered_gets_no_answer(
    bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    await library(bot.github)
    await bot.settle()
    issue = await bot.github.open_issue(REPO, "grace", "A question")

    async def deleted_meanwhile(*arguments: object) -> Answer:
        await bot.github.delete_comment(bot.github.comments(REPO, issue.number)[0])
        return await retrieve(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(jobs.answer_mention, "retrieve", deleted_meanwhile)
    await bot.github.comment(REPO, issue.number, "grace", QUESTION)
    await bot.settle()
    assert bot.github.comments(REPO, issue.number) == []


# --- limits and failures --------------------------------------------------------------------------------------------


async def test_a_secondary_limit_gives_the_job_back_for_a_minute_and_posts_once(bot: Bot) -> None:
    """[H20]"""
    await library(bot.github)
    await bot.settle()
    fault = bot.github.fault("POST", r"/issues/\d+/comments$", status=403)
    issue = await bot.github.open_issue(REPO, "grace", "A question", QUESTION)
    await bot.settle(hurry=False)
    waiting = await bot.waiting()
    assert [key.split(":")[0] for key in waiting] == ["answer_mention"]
    assert min(waiting.values()) > 55
    assert (fault.hits, bot.said(REPO, issue.number)) == (1, [])
    await bot.settle()
    assert len(bot.said(REPO, issue.number)) == 1


async def test_a_primary_limit_gives_the_job_back_until_the_reset(bot: Bot) -> None:
    """[H20] The reset is 50 minutes away."""
    await library(bot.github)
    await bot.settle()
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(time.time()) + 3000)}
    bot.github.fault("GET", r"/issues/\d+$", status=403, headers=headers, message="API rate limit exceeded")
    issue = await bot.github.open_issue(REPO, "grace", "A question", QUESTION)
    await bot.settle(hurry=False)
    assert min((await bot.waiting()).values()) > 2900
    await bot.settle()
    assert len(bot.said(REPO, issue.number)) == 1


async def test_an_answer_that_fails_is_said_to_and_its_redelivery_replaces_that(
    bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[H24] [H1]"""
    await library(bot.github)
    await bot.settle()

    async def broken(*_: object) -> Answer:
        raise KeyError("a secret detail of the inside")

    monkeypatch.setattr(jobs.answer_mention, "retrieve", broken)
    number, said = await ask(bot, QUESTION)
    assert len(said) == 1
    assert "secret detail" not in said[0]
    assert not list(links(said[0]))
    assert reactions(bot, number) == ["confused", "eyes"]
    monkeypatch.undo()
    asked = next(each for each in bot.github.deliveries if each.event == "issues")
    assert await bot.deps.queue.delivery_state(asked.guid) == "failed"
    await bot.github.redeliver(asked.guid)
    await bot.settle()
    said = bot.said(REPO, number)
    assert len(said) == 1
    assert list(links(said[0]))
    assert await bot.deps.queue.delivery_state(asked.guid) == "done"


@pytest.mark.parametrize("checks", [True, False])
async def test_a_summary_that_fails_is_a_failed_check_or_a_reaction(
    bot: Bot, monkeypatch: pytest.MonkeyPatch, checks: bool
) -> None:
    """[H24] An installation may not have granted checks."""
    await library(bot.github)
    if not checks:
        installed = next(iter(bot.github.host.state.installations.values()))
        granted = {name: level for name, level in installed.permissions.items() if name != "checks"}
        await bot.github.accept_permissions(installed, granted)
    await bot.settle()

    async def broken(*_: object) -> str:
        raise KeyError("a bug")

    monkeypatch.setattr(jobs.summarize_pull, "render", broken)
    number = await propose(bot, {"library/loans.py": NEW_LOANS})
    assert bot.said(REPO, number) == []
    assert [run.conclusion for run in bot.github.check_runs(REPO)] == (["failure"] if checks else [])
    assert reactions(bot, number) == ([] if checks else ["confused"])


async def test_git_behind_the_api_is_waited_for(bot: Bot) -> None:
    """GitHub serves the two from different copies; a head that was read too early must not end the summary for good."""
    await library(bot.github)
    await bot.settle()
    number = await propose(bot, {"library/loans.py": NEW_LOANS})
    sha = await bot.github.commit(REPO, "proposal", {"library/loans.py": NEW_LOANS + b"\n# more\n"}, by="grace")
    where = str(bot.github.host.state.repository(REPO).path)
    bot.github.hold()
    await bot.github.push(REPO, "proposal", sha, "grace")
    old = (await bot.github.sha(REPO, f"{sha}~1")).strip()
    await _git(where, "update-ref", f"refs/pull/{number}/head", old)
    await bot.github.release()
    await bot.settle(hurry=False)
    assert [key.split(":")[0] for key in await bot.waiting()] == ["index_pull"]
    await _git(where, "update-ref", f"refs/pull/{number}/head", sha)
    await bot.settle()
    assert sha[:7] in bot.said(REPO, number)[0]


async def _git(where: str, *arguments: str) -> None:
    process = await asyncio.create_subprocess_exec("git", "-C", where, *arguments)
    assert await process.wait() == 0


# --- where the App keeps quiet --------------------------------------------------------------------------------------


async def test_a_locked_thread_and_an_archived_repository_are_left_alone(bot: Bot) -> None:
    await library(bot.github)
    await bot.settle()
    issue = await bot.github.open_issue(REPO, "grace", "A question")
    await bot.github.lock(REPO, issue.number)
    await bot.github.comment(REPO, issue.number, "grace", QUESTION)
    await bot.settle()
    await bot.github.archive_repository(REPO)
    await bot.deps.queue.enqueue(Job("reconcile", {}, "reconcile"))
    await bot.settle()
    assert bot.said(REPO, issue.number) == []
    writes = [one for one in bot.github.requests if one.method != "GET" and "access_tokens" not in one.path]
    assert writes == []


async def test_an_app_that_is_installed_does_not_comment_on_what_was_there_before(bot: Bot) -> None:
    bot.github.add_user("grace")
    await bot.github.add_repository(REPO, files=FILES)
    bot.github.set_permission(REPO, "grace", "write")
    sha = await bot.github.commit(REPO, "main", {"library/loans.py": NEW_LOANS}, "Change", by="grace")
    await bot.github.push(REPO, "proposal", sha, "grace")
    pull = await bot.github.open_pull(REPO, "proposal", "main", "Change", None, "grace")
    await bot.github.add_installation("octo")
    await bot.settle()
    assert bot.said(REPO, pull.number) == []
    await bot.github.comment(REPO, pull.number, "grace", "@coderag who calls `due_date`?")
    await bot.settle()
    assert len(bot.said(REPO, pull.number)) == 1


async def test_a_thread_is_not_answered_more_often_than_its_limit(bot: Bot) -> None:
    """The second line against two bots that answer each other."""
    await library(bot.github)
    settings = b"limits:\n  questions_per_thread_per_hour: 2\n"
    await bot.github.push_files(REPO, "main", {".github/coderag.yml": settings})
    await bot.settle()
    issue = await bot.github.open_issue(REPO, "grace", "A question")
    for _ in range(3):
        last = await bot.github.comment(REPO, issue.number, "grace", QUESTION)
        await bot.settle()
    assert len(bot.said(REPO, issue.number)) == 2
    assert sorted(reaction.content for reaction in last.reactions) == ["confused", "eyes"]


async def test_a_refused_person_gets_the_one_line_once_a_thread(bot: Bot) -> None:
    """[H18] [H24]"""
    await library(bot.github)
    await bot.settle()
    number, _ = await ask(bot, QUESTION, login="stranger")
    await bot.github.comment(REPO, number, "stranger", QUESTION)
    await bot.settle()
    assert len(bot.said(REPO, number)) == 1


async def test_the_settings_can_open_questions_to_all_and_to_some(bot: Bot) -> None:
    """[H18]"""
    await library(bot.github)
    bot.github.add_user("visitor")
    await bot.github.push_files(REPO, "main", {".github/coderag.yml": b"who_may_ask:\n  also: [visitor]\n"})
    await bot.settle()
    _, welcome = await ask(bot, QUESTION, login="visitor")
    _, refused = await ask(bot, QUESTION, login="stranger")
    assert list(links(welcome[0]))
    assert not list(links(refused[0]))
    await bot.github.push_files(REPO, "main", {".github/coderag.yml": b"who_may_ask: read\n"})
    await bot.settle()
    _, open_to_all = await ask(bot, QUESTION, login="stranger")
    assert list(links(open_to_all[0]))


async def test_members_who_may_read_a_private_repository_may_ask_in_it(bot: Bot) -> None:
    await library(bot.github, private=True)
    bot.github.set_permission(REPO, "stranger", "read")
    await bot.settle()
    _, said = await ask(bot, QUESTION, login="stranger")
    assert list(links(said[0]))


# --- what was lost on the way ---------------------------------------------------------------------------------------


async def test_a_removal_that_was_lost_is_made_good_by_reconcile(bot: Bot) -> None:
    """A lost `removed` would leave private code searchable."""
    await library(bot.github)
    await bot.github.add_repository("octo/other", files={"other.py": b"def other():\n    return 1\n"})
    await bot.settle()
    lost = repo_id(bot)
    kept = bot.github.host.state.repository("octo/other").id
    installed = next(iter(bot.github.host.state.installations.values()))
    url, bot.github.webhook_url = bot.github.webhook_url, None
    await bot.github.select_repositories(installed, removed=[REPO])
    bot.github.webhook_url = url
    await bot.deps.queue.enqueue(Job("reconcile", {}, "reconcile"))
    await bot.settle()
    assert await bot.deps.index.repositories() == [kept]
    assert bot.deps.mirrors.repositories() == [kept]
    assert lost != kept


async def test_a_suspended_installation_keeps_what_was_indexed(bot: Bot) -> None:
    """[H21]"""
    await library(bot.github)
    await bot.settle()
    await bot.github.suspend(next(iter(bot.github.host.state.installations.values())))
    await bot.deps.queue.enqueue(Job("reconcile", {}, "reconcile"))
    await bot.deps.queue.enqueue(
        Job("forget", {"installation": 91000001, "repos": [repo_id(bot)], "number": None}, "forget")
    )
    await bot.settle()
    assert await bot.deps.index.repositories() == [repo_id(bot)]


async def test_a_repository_that_moves_to_another_account_keeps_its_index(bot: Bot) -> None:
    await library(bot.github)
    await bot.github.add_installation("acme", type="Organization")
    await bot.settle()
    repo = repo_id(bot)
    await bot.github.transfer_repository(REPO, "acme")
    await bot.settle()
    record = await read_scope_record(bot.deps.index, repo, BRANCH)
    assert record is not None
    assert (record.full_name, record.dirty) == ("acme/library", False)
    now = bot.github.host.state.installation_of(bot.github.host.state.repository("acme/library"))
    assert now is not None
    assert record.installation == now.id


async def test_a_closed_pull_request_whose_closing_was_lost_loses_its_overlay(bot: Bot) -> None:
    await library(bot.github)
    await bot.settle()
    number = await propose(bot, {"library/loans.py": NEW_LOANS})
    overlay = Where({"scope": (f"pull/{number}",)})
    assert await bot.deps.index.count(repo_id(bot), overlay)
    url, bot.github.webhook_url = bot.github.webhook_url, None
    await bot.github.close_pull(REPO, number)
    bot.github.webhook_url = url
    await bot.deps.queue.enqueue(Job("reconcile", {}, "reconcile"))
    await bot.settle()
    assert await bot.deps.index.count(repo_id(bot), overlay) == 0


# --- first questions, commands --------------------------------------------------------------------------------------


async def test_a_question_before_the_first_index_is_answered_in_the_comment_that_promised_it(
    bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    await library(bot.github)
    await bot.settle()
    await bot.deps.index.forget(repo_id(bot))
    promised: list[str] = []

    async def look(*arguments: object) -> Answer:
        promised.extend(words(body) for body in bot.said(REPO, 1))
        return await retrieve(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(jobs.answer_mention, "retrieve", look)
    _, said = await ask(bot, QUESTION)
    assert ["first time" in body for body in promised] == [True]
    assert len(said) == 1
    assert list(links(said[0]))


async def test_a_closed_pull_request_whose_branches_are_gone_is_answered_from_the_default_branch(bot: Bot) -> None:
    await library(bot.github)
    await bot.github.push(REPO, "release", await bot.github.sha(REPO, "main"))
    await bot.settle()
    sha = await bot.github.commit(REPO, "release", {"library/loans.py": NEW_LOANS}, "Change", by="grace")
    await bot.github.push(REPO, "proposal", sha, "grace")
    pull = await bot.github.open_pull(REPO, "proposal", "release", "Change", None, "grace")
    await bot.github.close_pull(REPO, pull.number)
    for branch in ("proposal", "release"):
        await bot.github.delete_branch(REPO, branch)
    await bot.github.comment(REPO, pull.number, "grace", QUESTION)
    await bot.settle()
    head = await bot.github.sha(REPO, "main")
    assert next(links(bot.said(REPO, pull.number)[-1]))[1] == head
    assert await bot.deps.index.count(repo_id(bot), Where({"scope": (f"pull/{pull.number}",)})) == 0


async def test_commands_do_what_they_say(bot: Bot) -> None:
    await library(bot.github)
    await bot.settle()
    number = await propose(bot, {"library/loans.py": NEW_LOANS})

    async def command(word: str) -> list[str]:
        await bot.github.comment(REPO, number, "grace", f"@coderag {word}")
        await bot.settle()
        return [words(body) for body in bot.said(REPO, number)]

    def summaries(said: list[str]) -> list[str]:
        return [body for body in said if "changes since" in body]

    assert len(summaries(await command("status"))) == 1
    head = await bot.github.sha(REPO, "main")
    assert any(head[:7] in body and "1 open pull request" in body for body in map(words, bot.said(REPO, number)))
    assert summaries(await command("ignore")) == []
    sha = await bot.github.commit(REPO, "proposal", {"library/loans.py": NEW_LOANS + b"\n# more\n"}, by="grace")
    await bot.github.push(REPO, "proposal", sha, "grace")
    await bot.settle()
    assert summaries([words(body) for body in bot.said(REPO, number)]) == []
    assert len(summaries(await command("summary"))) == 1  # by name, whatever was said before
    await command("ignore")
    assert len(summaries(await command("resume"))) == 1
    before = await points(bot)
    assert any("again from the first file" in body for body in await command("reindex"))
    assert await points(bot) == before


async def test_commands_that_change_things_need_write_access(bot: Bot) -> None:
    await library(bot.github)
    await bot.github.push_files(REPO, "main", {".github/coderag.yml": b"who_may_ask: read\n"})
    await bot.settle()
    number = await propose(bot, {"library/loans.py": NEW_LOANS})
    await bot.github.comment(REPO, number, "stranger", "@coderag ignore")
    await bot.settle()
    said = bot.said(REPO, number)
    assert any("changes since" in body for body in said)
    # The line says what is refused, not that questions are: those are open to this person here.
    assert [words(body) for body in said if "write access" in body] == [
        "`ignore` is for people with write access: it changes what others see."
    ]


@pytest.mark.parametrize(
    ("data", "reason"), [(b"limits:\0\n", "NUL byte"), (b"#" * 300_000, "minified"), (b"\xff\xfe\x00", "undecodable")]
)
async def test_a_settings_file_that_is_no_text_is_said_to_be_none(bot: Bot, data: bytes, reason: str) -> None:
    await library(bot.github)
    await bot.github.push_files(REPO, "main", {".github/coderag.yml": data})
    await bot.settle()
    _, said = await ask(bot, "@coderag status")
    assert f"the file cannot be read as text ({reason})" in words(said[0])


async def test_a_repository_without_commits_is_said_to_have_none(bot: Bot) -> None:
    bot.github.add_user("grace")
    await bot.github.add_repository(REPO)
    bot.github.set_permission(REPO, "grace", "write")
    await bot.github.add_installation("octo")
    await bot.settle()
    _, status = await ask(bot, "@coderag status")
    assert words(status[0]) == "`main` has no commits yet."
    _, answer = await ask(bot, QUESTION)
    assert words(answer[0]) == "This repository has no commits yet."


async def test_a_refusal_names_the_access_that_this_repository_asks_for(bot: Bot) -> None:
    await library(bot.github)
    await bot.github.push_files(REPO, "main", {".github/coderag.yml": b"who_may_ask: maintain\n"})
    await bot.settle()
    _, said = await ask(bot, QUESTION)
    assert "open to people with maintain access" in words(said[0])


async def test_settings_that_say_no_keep_the_summary_away_but_not_the_answer(bot: Bot) -> None:
    await library(bot.github)
    settings = b"auto_review:\n  ignore_title_keywords: [wip]\npath_filters: ['!library/desk.py']\n"
    await bot.github.push_files(REPO, "main", {".github/coderag.yml": settings})
    await bot.settle()
    number = await propose(bot, {"library/loans.py": NEW_LOANS}, title="WIP: change")
    assert bot.said(REPO, number) == []
    await bot.github.edit_thread(REPO, number, title="Change")
    await bot.github.comment(REPO, number, "grace", "@coderag who calls `due_date`?")
    await bot.settle()
    assert not [path for body in bot.said(REPO, number) for _, _, path, _, _ in links(body) if path.endswith("desk.py")]
    assert bot.said(REPO, number)
