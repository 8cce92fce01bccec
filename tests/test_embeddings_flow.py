"""The whole bot with vectors from a service: pushes wait while it is away, and people are answered all the same."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from app.clients import embed_service
from app.config import Settings
from app.core.types import BRANCH, Where
from app.queue import connect
from app.sandbox.sandbox import Sandbox
from app.steps.stored import read_scope_record
from jobs.serve import running
from tests.conftest import Bot
from tests.embeddings import KEY, Embeddings, embeddings_service
from tests.test_flow import NEW_LOANS, REPO, ask, library, links


@pytest.fixture
def service() -> Iterator[Embeddings]:
    with embeddings_service() as found:
        yield found


@pytest.fixture
async def bot(
    github: Sandbox, service: Embeddings, tmp_path: Path, no_daily_job: None, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Bot]:
    monkeypatch.setattr(embed_service, "BACK_OFF", 0.01)
    monkeypatch.setattr(embed_service, "REST", 0.0)
    settings = Settings(
        app_id=github.app_id,
        private_key=github.private_key,
        webhook_secret=github.webhook_secret,
        api_url=github.api_url,
        data_dir=tmp_path / "data",
        embeddings_url=service.url,
        embeddings_model="code-embed",
        embeddings_api_key=KEY,
    )
    queue = connect("")
    await queue.redis.flushall()  # the in-process Redis is one for the whole process
    await queue.close()
    async with running(settings) as started:
        github.webhook_url = f"{started.url}/webhook"
        app = Bot(github, started.deps)
        await app.settle()
        yield app
        await app.settle()
        github.webhook_url = None


async def head_of(bot: Bot) -> str:
    record = await read_scope_record(bot.deps.index, bot.github.host.state.repository(REPO).id, BRANCH)
    return record.head if record is not None and not record.dirty else ""


async def test_a_push_waits_for_the_service_and_a_question_does_not(bot: Bot, service: Embeddings) -> None:
    await library(bot.github)
    await bot.settle()
    old = await head_of(bot)
    assert old
    points = await bot.deps.index.read(
        bot.github.host.state.repository(REPO).id, Where({"type": ("chunk",)}), vectors=True
    )
    assert {point.dense.shape for point in points if point.dense is not None} == {(64,)}
    _, said = await ask(bot, "@coderag where is the due date of a loan worked out?")
    assert "did not answer" not in said[0]

    service.fail_after(0, 503)
    new = await bot.github.push_files(REPO, "main", {"library/loans.py": NEW_LOANS})
    await bot.settle(hurry=False)
    assert await head_of(bot) != new
    said = await ask_now(bot, "@coderag where is `Catalogue.find` defined?")
    _, cited, path, _, _ = next(links(said[0]))
    assert (cited, path) == (old, "library/catalogue.py")
    assert "by words and names only, the embeddings did not answer" in said[0]

    service.mend()
    await bot.settle()
    assert await head_of(bot) == new
    _, said = await ask(bot, "@coderag where is `due_date` defined?")
    assert next(links(said[0]))[1] == new
    assert "did not answer" not in said[0]


async def ask_now(bot: Bot, text: str) -> list[str]:
    """Ask, and look while jobs that were given back for later still wait."""
    issue = await bot.github.open_issue(REPO, "grace", "A question", text)
    await bot.settle(hurry=False)
    return bot.said(REPO, issue.number)
