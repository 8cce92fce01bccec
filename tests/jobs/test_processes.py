"""The processes as an operator runs them: `coderag serve`, and `web` and `worker` apart on a real Redis; started, used, ended."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from app.sandbox import Sandbox
from tests.processes import running
from tests.test_flow import REPO, library, links

COMMAND = (sys.executable, "-c", "from app.cli import main; main()")
QUESTION = "@coderag where is `fine` defined?"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


@asynccontextmanager
async def process(*arguments: str, **environment: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """A process of ours; killed at the end if the test has not ended it."""
    started = await asyncio.create_subprocess_exec(
        *arguments, env={"PATH": os.environ["PATH"], **environment}, stderr=asyncio.subprocess.PIPE
    )
    try:
        yield started
    finally:
        if started.returncode is None:
            started.kill()
            _, logged = await started.communicate()
            print(logged.decode())  # pytest shows it beside the failure


async def end(started: asyncio.subprocess.Process, number: signal.Signals) -> str:
    """Send the signal; the process must end well, soon, and leave no child. Returns what it logged."""
    children = {each.pid for each in running(lambda each: each.parent == started.pid)}
    started.send_signal(number)
    async with asyncio.timeout(15):
        _, logged = await started.communicate()
    assert started.returncode == 0, logged.decode()
    assert not running(lambda each: each.pid in children)
    return logged.decode()


async def listens(url: str) -> None:
    async with asyncio.timeout(30), httpx.AsyncClient() as client:
        while True:
            try:
                if (await client.get(f"{url}/readyz")).status_code == 200:
                    return
            except httpx.TransportError:
                await asyncio.sleep(0.05)


async def answered(github: Sandbox, number: int) -> str:
    async with asyncio.timeout(60):
        while True:
            said = [str(comment.body) for comment in github.comments(REPO, number) if comment.by_app]
            if any(list(links(body)) for body in said):
                return said[0]
            await asyncio.sleep(0.05)


def environment(github: Sandbox, data: Path, **more: str) -> dict[str, str]:
    return {
        "GITHUB_APP_ID": str(github.app_id),
        "GITHUB_PRIVATE_KEY": github.private_key,
        "GITHUB_WEBHOOK_SECRET": github.webhook_secret,
        "GITHUB_API_URL": github.api_url,
        "CODERAG_DATA_DIR": str(data),
        **more,
    }


@pytest.fixture
async def redis_url() -> AsyncIterator[str]:
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("redis-server is not installed")
    with tempfile.TemporaryDirectory() as directory:  # not tmp_path: a socket's path has 108 bytes at most
        path = f"{directory}/redis"
        line = (program, "--port", "0", "--unixsocket", path, "--save", "", "--dir", directory, "--loglevel", "warning")
        async with process(*line):
            async with asyncio.timeout(10):
                while not Path(path).exists():
                    await asyncio.sleep(0.01)
            yield f"unix://{path}"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_serve_answers_and_ends_on_a_signal_with_all_its_children(
    github: Sandbox, tmp_path: Path, number: signal.Signals
) -> None:
    await library(github)
    url = f"http://127.0.0.1:{(port := free_port())}"
    async with process(*COMMAND, "serve", "--port", str(port), **environment(github, tmp_path / "data")) as served:
        await listens(url)
        github.webhook_url = f"{url}/webhook"
        issue = await github.open_issue(REPO, "grace", "A question", QUESTION)
        await answered(github, issue.number)
        logged = await end(served, number)
    assert "Traceback" not in logged
    assert github.private_key.splitlines()[1] not in logged
    assert "ghs_" not in logged


async def test_web_and_worker_run_apart_and_a_new_worker_takes_over(
    github: Sandbox, tmp_path: Path, redis_url: str
) -> None:
    """H1: also after a restart of the worker one delivery gives one reply."""
    await library(github)
    url = f"http://127.0.0.1:{(port := free_port())}"
    settings = environment(github, tmp_path / "data", REDIS_URL=redis_url)
    async with process(*COMMAND, "web", "--port", str(port), **settings) as web:
        await listens(url)
        github.webhook_url = f"{url}/webhook"
        async with process(*COMMAND, "worker", **settings) as worker:
            first = await github.open_issue(REPO, "grace", "A question", QUESTION)
            await answered(github, first.number)
            await end(worker, signal.SIGTERM)
        second = await github.open_issue(REPO, "grace", "Another", QUESTION)
        told = next(each for each in github.deliveries if each.payload.get("issue", {}).get("number") == second.number)  # type: ignore[attr-defined]
        await github.redeliver(told.guid)
        async with process(*COMMAND, "worker", **settings) as worker:
            await answered(github, second.number)
            await github.redeliver(told.guid)
            await end(worker, signal.SIGTERM)
        await end(web, signal.SIGTERM)
    assert len([comment for comment in github.comments(REPO, second.number) if comment.by_app]) == 1


async def test_a_port_that_is_taken_is_said_plainly(github: Sandbox, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        async with process(*COMMAND, "serve", "--port", port, **environment(github, tmp_path / "data")) as served:
            async with asyncio.timeout(30):
                _, logged = await served.communicate()
    assert served.returncode not in (0, None, -signal.SIGKILL)
    assert "Traceback" not in logged.decode()
    assert port in logged.decode()
