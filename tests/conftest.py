"""Shared fixtures: the stand-in GitHub, on a socket of its own; a test that asks it for something unknown fails."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from app.config import Settings
from app.queue import connect
from app.sandbox import Sandbox
from jobs.deps import Deps
from jobs.serve import running


@pytest.fixture
async def github(tmp_path: Path) -> AsyncIterator[Sandbox]:
    """An empty GitHub with our App registered."""
    async with Sandbox(tmp_path / "github") as sandbox:
        yield sandbox
        sandbox.check()


SOON = 1.0
"""Seconds: a job that waits longer was given back on purpose."""


@dataclass
class Bot:
    """The running App of a test: web and worker in this process, told of the sandbox as it would be of GitHub."""

    github: Sandbox
    deps: Deps

    async def settle(self, *, hurry: bool = True) -> None:
        """Wait until every delivery was answered and no job waits or runs; fails where that takes longer than a minute.

        Jobs that were given back for later are pulled forward; with `hurry` False they are left, see `waiting`.
        """
        quiet = 0
        async with asyncio.timeout(60):
            while quiet < 2:
                await self.github.settled()
                redis = self.deps.queue.redis
                busy = [key async for key in redis.scan_iter("arq:in-progress:*")]
                waiting = await self.waiting()
                later = {key: seconds for key, seconds in waiting.items() if seconds > SOON}
                if hurry and later and not busy:
                    await redis.zadd(redis.default_queue_name, dict.fromkeys(later, time.time() * 1000), xx=True)
                quiet = 0 if busy or len(waiting) > (0 if hurry else len(later)) else quiet + 1
                await asyncio.sleep(0.06)

    async def waiting(self) -> dict[str, float]:
        """The keys of all jobs in the queue, with the seconds until each is due."""
        redis = self.deps.queue.redis
        entries = await redis.zrange(redis.default_queue_name, 0, -1, withscores=True)
        return {key.decode(): score / 1000 - time.time() for key, score in entries}

    def said(self, repo: str, number: int, kind: str = "issue") -> list[str]:
        """What the App has said in a thread, oldest first."""
        return [str(comment.body) for comment in self.github.comments(repo, number, kind) if comment.by_app]


@pytest.fixture
def no_daily_job(monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts the daily job twelve hours away: a suite that runs at 03:17 would see its work in the midst of a test."""
    away = datetime.now() + timedelta(hours=12)
    monkeypatch.setattr("jobs.worker.DAILY", {"hour": {away.hour}, "minute": {0}})


@pytest.fixture
async def bot(github: Sandbox, tmp_path: Path, no_daily_job: None) -> AsyncIterator[Bot]:
    """The App at work on the sandbox, with an empty queue and an empty index."""
    settings = Settings(
        app_id=github.app_id,
        private_key=github.private_key,
        webhook_secret=github.webhook_secret,
        api_url=github.api_url,
        data_dir=tmp_path / "data",
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
