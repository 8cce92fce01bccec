"""The whole App through its door: what people do on GitHub goes in as signed deliveries, what they see comes out as comments.

Names in brackets are the rows of the list of faults that bots of this kind have had in the field.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from urllib.parse import unquote

import httpx
import pytest

from app.core.records import CHUNK
from app.core.types import BRANCH, Where
from app.sandbox import Sandbox
from app.sandbox.sample import STEPS
from app.steps.stored import read_scope_record
from tests.conftest import Bot

REPO = "octo/library"
FILES = {name: text.encode() for name, text in STEPS[0].files.items()}
NEW_LOANS = STEPS[2].files["library/loans.py"].encode()
ODD_PATH = "src/app/(main)/[id]/a b#c%20.ts"

_LINK = re.compile(r"\((http://[^\s]+?/blob/([0-9a-f]{40})/([^\s?#]+)(?:\?plain=1)?#L(\d+)(?:-L(\d+))?)\)")


async def library(github: Sandbox, *, private: bool = False) -> None:
    """A repository with an installed App, a member who may write, and a stranger."""
    github.add_user("grace")
    github.add_user("stranger")
    await github.add_repository(REPO, files=FILES, private=private)
    github.set_permission(REPO, "grace", "write")
    await github.add_installation("octo")


def links(body: str) -> Iterator[tuple[str, str, str, int, int]]:
    """(url, sha, path, first, last) of every permalink."""
    for match in _LINK.finditer(body):
        first = int(match[4])
        yield match[1], match[2], unquote(match[3]), first, int(match[5] or first)


def lines_at(github: Sandbox, repo: str, sha: str, path: str, first: int, last: int) -> list[str]:
    """The lines of a file, read by git itself."""
    where = str(github.host.state.repository(repo).path)
    shown = subprocess.run(["git", "-C", where, "show", f"{sha}:{path}"], capture_output=True, check=True).stdout
    return shown.decode().split("\n")[first - 1 : last]


async def ask(bot: Bot, text: str, login: str = "grace", repo: str = REPO) -> tuple[int, list[str]]:
    """Open an issue with a text, and return its number and what the App said."""
    issue = await bot.github.open_issue(repo, login, "A question", text)
    await bot.settle()
    return issue.number, bot.said(repo, issue.number)


async def propose(bot: Bot, files: dict[str, bytes | None], title: str = "Change", login: str = "grace") -> int:
    """Open a pull request from a branch that changes files."""
    sha = await bot.github.commit(REPO, "main", files, title, by=login)
    await bot.github.push(REPO, "proposal", sha, login)
    pull = await bot.github.open_pull(REPO, "proposal", "main", title, None, login)
    await bot.settle()
    return pull.number


# --- questions ------------------------------------------------------------------------------------------------------


async def test_a_question_is_answered_with_links_whose_lines_are_right(bot: Bot) -> None:
    await library(bot.github)
    await bot.settle()
    number, said = await ask(bot, "@coderag where is `due_date` defined?")
    assert len(said) == 1
    found = list(links(said[0]))
    assert found[0][2] == "library/loans.py"
    assert "def due_date(" in "\n".join(lines_at(bot.github, REPO, *found[0][1:]))
    for _, sha, path, first, last in found:
        assert len(lines_at(bot.github, REPO, sha, path, first, last)) == last - first + 1
    assert f"{len(found)} verified @ {found[0][1][:7]}" in said[0]
    eyes = [reaction.content for reaction in bot.github.thread(REPO, number).reactions]
    assert eyes == ["eyes"]


async def test_the_same_delivery_twice_at_once_and_again_later_gives_one_reply(bot: Bot) -> None:
    """[H1]"""
    await library(bot.github)
    await bot.settle()
    issue = await bot.github.open_issue(REPO, "grace", "A question")
    bot.github.duplicate(2)
    await bot.github.comment(REPO, issue.number, "grace", "@coderag where is `fine` defined?")
    await bot.settle()
    bot.github.duplicate(1)
    told = next(each for each in bot.github.deliveries if each.event == "issue_comment")
    again = await bot.github.redeliver(told.guid)
    await bot.settle()
    assert again.status_code in (200, 202)
    assert len(bot.said(REPO, issue.number)) == 1


async def test_a_redelivery_of_a_delivery_that_was_lost_does_the_work(bot: Bot) -> None:
    """[H1]"""
    await library(bot.github)
    await bot.settle()
    url, bot.github.webhook_url = bot.github.webhook_url, "http://127.0.0.1:9/webhook"
    issue = await bot.github.open_issue(REPO, "grace", "A question", "@coderag where is `fine` defined?")
    bot.github.webhook_url = url
    lost = next(each for each in bot.github.deliveries if each.event == "issues")
    assert lost.status != "OK"
    await bot.github.redeliver(lost.guid)
    await bot.settle()
    assert len(bot.said(REPO, issue.number)) == 1


async def test_a_deleted_users_question_does_not_hide_the_thread(bot: Bot) -> None:
    """[H4]"""
    await library(bot.github)
    bot.github.add_user("gone", deleted=True)
    await bot.settle()
    issue = await bot.github.open_issue(REPO, "gone", "Old question", None)
    await bot.github.comment(REPO, issue.number, "gone", "nobody knows")
    await bot.github.comment(REPO, issue.number, "grace", "@coderag where is `fine` defined?")
    await bot.settle()
    assert len(bot.said(REPO, issue.number)) == 1


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("Hey @CodeRag, where is `normalise_isbn` defined?", 1),
        ("@coderag-bot where is `normalise_isbn` defined?", 0),
        ("Write to me@coderag.dev about `normalise_isbn`", 0),
        ("> @coderag where is `normalise_isbn` defined?", 0),
        ("Write `@coderag where is x`", 0),
    ],
)
async def test_only_a_real_mention_wakes_the_app(bot: Bot, text: str, answers: int) -> None:
    """[H5]"""
    await library(bot.github)
    await bot.settle()
    _, said = await ask(bot, text)
    assert len(said) == answers
    assert all("normalise_isbn" in body for body in said)


async def test_the_app_never_answers_itself_or_another_bot(bot: Bot) -> None:
    """[H6]"""
    await library(bot.github)
    bot.github.add_user("helper[bot]", type="Bot")
    bot.github.set_permission(REPO, "helper[bot]", "write")
    await bot.settle()
    number, said = await ask(bot, "@coderag help")
    assert len(said) == 1
    assert "@coderag" in said[0].replace("\u200b", "") or "coderag" in said[0]
    await bot.github.comment(REPO, number, "helper[bot]", "@coderag where is `fine` defined?")
    await bot.settle()
    assert len(bot.said(REPO, number)) == 1


async def test_an_edited_question_is_answered_again_in_place(bot: Bot) -> None:
    await library(bot.github)
    await bot.settle()
    issue = await bot.github.open_issue(REPO, "grace", "A question")
    comment = await bot.github.comment(REPO, issue.number, "grace", "@coderag where is `fine` defined?")
    await bot.settle()
    await bot.github.edit_comment(comment, "@coderag where is `normalise_isbn` defined?")
    await bot.settle()
    said = bot.said(REPO, issue.number)
    assert len(said) == 1
    assert next(links(said[0]))[2] == "library/catalogue.py"


async def test_a_question_in_a_review_thread_is_answered_in_that_thread(bot: Bot) -> None:
    await library(bot.github)
    await bot.settle()
    number = await propose(bot, {"library/loans.py": NEW_LOANS})
    line = (
        NEW_LOANS.decode().split("\n").index(next(x for x in NEW_LOANS.decode().split("\n") if "def due_date" in x)) + 1
    )
    await bot.github.review_comment(REPO, number, "grace", "@coderag who calls `due_date`?", "library/loans.py", line)
    await bot.settle()
    threads = bot.github.comments(REPO, number, "review")
    answers = [each for each in threads if each.by_app]
    assert len(answers) == 1
    assert answers[0].in_reply_to == threads[0].id
    assert "library/desk.py" in str(answers[0].body)


async def test_a_question_about_the_repository_under_an_issue_or_on_a_line_is_not_mixed_with_what_it_stands_under(
    bot: Bot,
) -> None:
    await library(bot.github)
    await bot.settle()
    issue = await bot.github.open_issue(
        REPO, "grace", "Loans end on Sundays", "The desk lends, and the loan ends on a Sunday."
    )
    await bot.github.comment(REPO, issue.number, "grace", "@coderag what is in this repository?")
    number = await propose(bot, {"library/loans.py": NEW_LOANS})
    await bot.github.review_comment(
        REPO, number, "grace", "@coderag what is in this repository?", "library/loans.py", 9
    )
    await bot.settle()
    said = [
        *bot.said(REPO, issue.number),
        *(str(each.body) for each in bot.github.comments(REPO, number, "review") if each.by_app),
    ]
    assert len(said) == 2
    for each in said:
        assert "This repository has" in each
        assert "`library/`" in each


async def test_a_name_that_does_not_exist_is_said_not_to_exist(bot: Bot) -> None:
    await library(bot.github)
    await bot.settle()
    _, said = await ask(bot, "@coderag where is `overdue_penalty_table` defined?")
    assert len(said) == 1
    assert "overdue_penalty_table" in said[0].replace("\\", "")
    assert not re.search(r"\*\*Definition\*\*", said[0])


async def test_the_link_of_a_path_full_of_signs_opens_the_file_at_its_line(bot: Bot) -> None:
    """[H17]"""
    await library(bot.github)
    await bot.github.push_files(REPO, "main", {ODD_PATH: b"// one\nexport function oddlyPlaced() {\n  return 1;\n}\n"})
    await bot.settle()
    _, said = await ask(bot, "@coderag where is `oddlyPlaced` defined?")
    url, _, path, _, _ = next(links(said[0]))
    assert path == ODD_PATH
    async with httpx.AsyncClient() as client:
        page = await client.get(url.split("#")[0])
    assert page.status_code == 200
    assert "oddlyPlaced" in page.text


async def test_code_of_one_repository_never_answers_a_question_in_another(bot: Bot) -> None:
    await library(bot.github)
    secret = {"vault.py": b"def vault_combination() -> int:\n    return 4711\n"}
    await bot.github.add_repository("octo/vault", files=secret, private=True)
    await bot.settle()
    _, said = await ask(bot, "@coderag where is `vault_combination` defined? See vault.py")
    assert len(said) == 1
    assert "4711" not in said[0]
    assert not list(links(said[0])) or all(path != "vault.py" for _, _, path, _, _ in links(said[0]))


# --- who may ask ----------------------------------------------------------------------------------------------------


async def test_a_stranger_on_a_public_repository_gets_one_polite_line(bot: Bot) -> None:
    """[H18] [H24]"""
    await library(bot.github)
    await bot.settle()
    _, said = await ask(bot, "@coderag where is `fine` defined?", login="stranger")
    assert len(said) == 1
    assert not list(links(said[0]))
    assert len(re.sub(r"<!--.*?-->", "", said[0]).strip().split("\n")) == 1


async def test_a_fork_cannot_change_the_settings_it_is_judged_by(bot: Bot) -> None:
    """[H18] [H3]"""
    await library(bot.github)
    await bot.settle()
    await bot.github.fork(REPO, "stranger")
    files = {
        "library/loans.py": NEW_LOANS,
        ".github/coderag.yml": b"auto_review:\n  enabled: false\nwho_may_ask: read\n",
    }
    sha = await bot.github.commit("stranger/library", "main", files, "Turn it off", by="stranger")
    await bot.github.push("stranger/library", "off", sha, "stranger")
    pull = await bot.github.open_pull(REPO, ("stranger/library", "off"), "main", "Turn it off", None, "stranger")
    await bot.settle()
    summaries = bot.said(REPO, pull.number)
    assert len(summaries) == 1
    assert "due_date" in summaries[0]
    await bot.github.comment(REPO, pull.number, "stranger", "@coderag where is `fine` defined?")
    await bot.settle()
    assert not list(links(bot.said(REPO, pull.number)[-1])) or len(bot.said(REPO, pull.number)) == 2


async def test_a_pull_request_whose_fork_was_deleted_is_still_read(bot: Bot) -> None:
    """[H3]"""
    await library(bot.github)
    await bot.settle()
    await bot.github.fork(REPO, "stranger")
    sha = await bot.github.commit("stranger/library", "main", {"library/loans.py": NEW_LOANS}, "x", by="stranger")
    await bot.github.push("stranger/library", "work", sha, "stranger")
    pull = await bot.github.open_pull(REPO, ("stranger/library", "work"), "main", "Change", None, "stranger")
    await bot.github.delete_repository("stranger/library")
    await bot.github.comment(REPO, pull.number, "grace", "@coderag where is `due_date` defined?")
    await bot.settle()
    answer = bot.said(REPO, pull.number)[-1]
    _, cited, path, first, last = next(links(answer))
    assert (cited, path) == (sha, "library/loans.py")
    assert "period: timedelta" in "\n".join(lines_at(bot.github, REPO, cited, path, first, last))


# --- pushes ---------------------------------------------------------------------------------------------------------


async def test_a_push_reindexes_the_changed_file_alone(bot: Bot) -> None:
    await library(bot.github)
    await bot.settle()
    sha = await bot.github.push_files(REPO, "main", {"library/loans.py": NEW_LOANS})
    await bot.settle()
    repo = bot.github.host.state.repository(REPO).id
    record = await read_scope_record(bot.deps.index, repo, BRANCH)
    assert record is not None
    assert (record.head, record.dirty) == (sha, False)
    assert (record.ledger["changed"], record.ledger["unchanged"]) == (1, len(FILES) - 1)
    batches = [each for each in bot.github.git_requests if each.wants]
    assert len(batches) <= 5
    _, said = await ask(bot, "@coderag where is `due_date` defined?")
    assert next(links(said[0]))[1] == sha


async def test_a_force_push_to_unrelated_history_leaves_nothing_of_the_old(bot: Bot) -> None:
    await library(bot.github)
    await bot.settle()
    sha = await bot.github.commit(REPO, "main", {"other.py": b"def other():\n    return 1\n"}, "Start over", parents=[])
    await bot.github.push(REPO, "main", sha)
    await bot.settle()
    repo = bot.github.host.state.repository(REPO).id
    points = await bot.deps.index.read(repo, Where({"type": (CHUNK,)}), fields=("path",))
    assert {point.payload["path"] for point in points} == {"other.py"}


# --- pull requests --------------------------------------------------------------------------------------------------


async def test_a_pull_request_gets_one_comment_that_follows_its_head(bot: Bot) -> None:
    await library(bot.github)
    await bot.settle()
    number = await propose(bot, {"library/loans.py": NEW_LOANS})
    first = bot.said(REPO, number)
    assert len(first) == 1
    assert "library/desk.py" in first[0]
    assert "due_date" in first[0]
    sha = await bot.github.commit(REPO, "proposal", {"library/loans.py": NEW_LOANS + b"\n\nLATE = 1\n"}, by="grace")
    await bot.github.push(REPO, "proposal", sha, "grace")
    await bot.settle()
    second = bot.said(REPO, number)
    assert len(second) == 1
    assert sha[:7] in second[0]
    for _, cited, path, start, end in links(second[0]):
        assert len(lines_at(bot.github, REPO, cited, path, start, end)) == end - start + 1


async def test_the_newest_head_wins_when_deliveries_come_out_of_order(bot: Bot) -> None:
    """[H7]"""
    await library(bot.github)
    await bot.settle()
    number = await propose(bot, {"library/loans.py": NEW_LOANS})
    bot.github.hold()
    heads = []
    for step in (1, 2):
        heads.append(
            await bot.github.commit(REPO, "proposal", {"library/loans.py": NEW_LOANS + b"\n# %d\n" % step}, by="grace")
        )
        await bot.github.push(REPO, "proposal", heads[-1], "grace")
    waiting = bot.github.held
    await bot.github.release(list(reversed(range(len(waiting)))))
    await bot.settle()
    said = bot.said(REPO, number)
    assert len(said) == 1
    assert heads[-1][:7] in said[0]
    assert heads[0][:7] not in said[0]


async def test_the_same_pull_request_twice_gives_the_same_bytes_and_no_edit(bot: Bot) -> None:
    """[H22]"""
    await library(bot.github)
    await bot.settle()
    number = await propose(bot, {"library/loans.py": NEW_LOANS})
    before = bot.said(REPO, number)
    edits = [each for each in bot.github.requests if each.method == "PATCH" and "/issues/comments/" in each.path]
    opened = next(each for each in bot.github.deliveries if each.event == "pull_request")
    await bot.deps.queue.redis.flushall()
    await bot.github.redeliver(opened.guid)
    await bot.settle()
    assert bot.said(REPO, number) == before
    assert edits == [
        each for each in bot.github.requests if each.method == "PATCH" and "/issues/comments/" in each.path
    ]


async def test_a_removed_function_is_told_with_the_callers_that_remain(bot: Bot) -> None:
    """[H14]"""
    await library(bot.github)
    await bot.settle()
    loans = FILES["library/loans.py"]
    start = loans.index(b"def fine(")
    number = await propose(bot, {"library/loans.py": loans[:start].rstrip() + b"\n"})
    said = bot.said(REPO, number)
    assert len(said) == 1
    assert "fine" in said[0]
    assert any(path == "library/desk.py" for _, _, path, _, _ in links(said[0]))


async def test_nothing_to_say_is_silence_and_a_neutral_check(bot: Bot) -> None:
    """[H24]"""
    await library(bot.github)
    await bot.settle()
    number = await propose(bot, {"NOTES.txt": b"nothing to do with code\n"})
    assert bot.said(REPO, number) == []
    assert [run.conclusion for run in bot.github.check_runs(REPO)] == ["neutral"]


async def test_pause_holds_after_redis_lost_everything(bot: Bot) -> None:
    await library(bot.github)
    await bot.settle()
    number = await propose(bot, {"library/loans.py": NEW_LOANS})
    await bot.github.comment(REPO, number, "grace", "@coderag pause")
    await bot.settle()
    before = bot.said(REPO, number)
    await bot.deps.queue.redis.flushall()
    sha = await bot.github.commit(REPO, "proposal", {"library/loans.py": NEW_LOANS + b"\n# more\n"}, by="grace")
    await bot.github.push(REPO, "proposal", sha, "grace")
    await bot.settle()
    assert bot.said(REPO, number) == before
    await bot.github.comment(REPO, number, "grace", "@coderag resume")
    await bot.settle()
    assert any(sha[:7] in body for body in bot.said(REPO, number))


async def test_broken_settings_get_one_comment_that_names_the_field(bot: Bot) -> None:
    await library(bot.github)
    await bot.github.push_files(REPO, "main", {".github/coderag.yml": b"auto_review:\n  enabled: perhaps\n"})
    await bot.settle()
    number = await propose(bot, {"library/loans.py": NEW_LOANS})
    told = [body for body in bot.said(REPO, number) if "auto_review" in body.replace("\\", "")]
    assert len(told) == 1
    assert "enabled" in told[0]


# --- failures -------------------------------------------------------------------------------------------------------


async def test_an_answer_that_was_posted_in_spite_of_a_502_is_not_posted_again(bot: Bot) -> None:
    """[H20]"""
    await library(bot.github)
    await bot.settle()
    fault = bot.github.fault("POST", r"/issues/\d+/comments$", status=502, after_effect=True)
    number, said = await ask(bot, "@coderag where is `fine` defined?")
    assert fault.hits == 1
    assert len(said) == 1
    assert len([each for each in bot.github.comments(REPO, number) if each.by_app]) == 1


async def test_a_token_that_ends_in_the_middle_is_replaced(bot: Bot) -> None:
    """[H21]"""
    await library(bot.github)
    await bot.settle()
    bot.github.expire_tokens()
    _, said = await ask(bot, "@coderag where is `fine` defined?")
    assert len(said) == 1


async def test_a_suspended_installation_is_left_alone_until_it_is_back(bot: Bot) -> None:
    """[H21]"""
    github = bot.github
    github.add_user("grace")
    await github.add_repository(REPO, files=FILES)
    github.set_permission(REPO, "grace", "write")
    installation = await github.add_installation("octo")
    await bot.settle()
    await github.suspend(installation)
    await bot.settle()
    await github.push_files(REPO, "main", {"library/loans.py": NEW_LOANS})
    await bot.settle()
    asked = len(github.requests)
    await bot.settle()
    assert len(github.requests) == asked
    await github.unsuspend(installation)
    await bot.settle()
    repo = github.host.state.repository(REPO).id
    record = await read_scope_record(bot.deps.index, repo, BRANCH)
    assert record is not None
    assert record.head == await github.sha(REPO, "main")


async def test_a_removed_repository_leaves_no_vector_and_no_mirror(bot: Bot) -> None:
    github = bot.github
    github.add_user("grace")
    await github.add_repository(REPO, files=FILES)
    installation = await github.add_installation("octo")
    await bot.settle()
    repo = github.host.state.repository(REPO).id
    assert await bot.deps.index.count(repo, Where({"type": (CHUNK,)}))
    await github.delete_installation(installation)
    await bot.settle()
    assert repo not in await bot.deps.index.repositories()
    mirrors = bot.deps.settings.data_dir / "mirrors"
    assert not [path for path in mirrors.iterdir() if str(repo) in path.name and path.is_dir()]


async def test_a_renamed_repository_keeps_its_index_and_gets_right_links(bot: Bot) -> None:
    await library(bot.github)
    await bot.settle()
    await bot.github.rename_repository(REPO, "lending")
    await bot.settle()
    _, said = await ask(bot, "@coderag where is `fine` defined?", repo="octo/lending")
    assert len(said) == 1
    assert "/octo/lending/blob/" in said[0]


async def test_a_mention_whose_delivery_was_lost_is_answered_by_reconcile(bot: Bot) -> None:
    await library(bot.github)
    await bot.settle()
    url, bot.github.webhook_url = bot.github.webhook_url, None
    issue = await bot.github.open_issue(REPO, "grace", "A question", "@coderag where is `fine` defined?")
    sha = await bot.github.push_files(REPO, "main", {"library/loans.py": NEW_LOANS})
    bot.github.webhook_url = url
    await bot.deps.queue.redis.flushall()
    from app.core.routing import Job

    await bot.deps.queue.enqueue(Job("reconcile", {}, "reconcile"))
    await bot.settle()
    said = bot.said(REPO, issue.number)
    assert len(said) == 1
    assert sha in said[0]
