"""Shared fixtures: the stand-in GitHub, on a socket of its own; a test that asks it for something unknown fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
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


@dataclass
class Bot:
    """The running App of a test: web and worker in this process, told of the sandbox as it would be of GitHub."""

    github: Sandbox
    deps: Deps

    async def settle(self) -> None:
        """Wait until every delivery was answered and no job waits or runs; fails where that takes longer than a minute."""
        quiet = 0
        async with asyncio.timeout(60):
            while quiet < 2:
                await self.github.settled()
                redis = self.deps.queue.redis
                waiting = await redis.zcard(redis.default_queue_name)
                busy = [key async for key in redis.scan_iter("arq:in-progress:*")]
                quiet = 0 if waiting or busy else quiet + 1
                await asyncio.sleep(0.06)

    def said(self, repo: str, number: int, kind: str = "issue") -> list[str]:
        """What the App has said in a thread, oldest first."""
        return [str(comment.body) for comment in self.github.comments(repo, number, kind) if comment.by_app]


@pytest.fixture
async def bot(github: Sandbox, tmp_path: Path) -> AsyncIterator[Bot]:
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
