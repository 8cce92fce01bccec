"""Whether the process lives and can take deliveries, and that it learns its own name without being held up by that."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest

from app.core.errors import Transient
from app.core.routing import AppIdentity
from app.main import create_app
from app.queue import Queue, connect
from app.web import health, identity
from tests import builders as b
from tests.web.test_webhook import SETTINGS, deliver, open_client


@pytest.fixture
async def queue() -> AsyncIterator[Queue]:
    found = connect(private=True)
    yield found
    await found.close()


async def passes() -> None:
    return None


async def fails() -> None:
    raise OSError("/data/index: a path that is nobody's business")


async def hangs() -> None:
    await asyncio.sleep(60)


async def ready(client: httpx.AsyncClient) -> tuple[int, dict[str, str]]:
    answer = await client.get("/readyz")
    assert answer.json()["ready"] is (answer.status_code == 200)
    return answer.status_code, answer.json()["checks"]


async def test_a_process_whose_checks_pass_is_ready(queue: Queue) -> None:
    async with open_client(create_app(SETTINGS, queue, b.IDENTITY, {"index": passes})) as client:
        assert (await client.get("/healthz")).status_code == 200
        assert await ready(client) == (200, {"redis": "ok", "index": "ok"})


async def test_a_failed_check_is_named_without_telling_the_world_why(queue: Queue) -> None:
    async with open_client(create_app(SETTINGS, queue, b.IDENTITY, {"index": fails})) as client:
        assert await ready(client) == (503, {"redis": "ok", "index": "OSError"})
        assert (await client.get("/healthz")).status_code == 200


async def test_a_check_that_does_not_answer_does_not_hold_the_probe_up(
    queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "CHECK_SECONDS", 0.02)
    async with open_client(create_app(SETTINGS, queue, b.IDENTITY, {"index": hangs})) as client:
        assert await ready(client) == (503, {"redis": "ok", "index": "no answer"})


async def test_without_redis_it_lives_and_is_not_ready() -> None:
    away = connect("unix:///nonexistent/redis.sock")
    async with open_client(create_app(SETTINGS, away, b.IDENTITY)) as client:
        assert await ready(client) == (503, {"redis": "Transient"})
        assert (await client.get("/healthz")).status_code == 200
    await away.close()


async def test_until_github_tells_our_name_it_takes_deliveries_but_is_not_ready(
    queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(identity, "FIRST_PAUSE", 0.01)
    github_is_back = asyncio.Event()
    asked = 0

    async def ask() -> AppIdentity:
        nonlocal asked
        asked += 1
        if asked == 1:
            raise Transient("GitHub is away")
        await github_is_back.wait()
        return b.IDENTITY

    app = create_app(SETTINGS, queue, ask)
    async with app.router.lifespan_context(app), open_client(app) as client:
        assert (await ready(client))[0] == 503
        assert len((await deliver(client, "push", b.push())).json()["queued"]) == 1
        assert "no mention" in (await deliver(client, "issue_comment", b.issue_comment())).json()["ignored"]
        github_is_back.set()
        async with asyncio.timeout(5):
            while (await ready(client))[0] != 200:
                await asyncio.sleep(0.01)
        assert len((await deliver(client, "issue_comment", b.issue_comment())).json()["queued"]) == 1
    assert asked == 2


async def test_it_can_stop_while_it_still_asks_for_its_name(queue: Queue) -> None:
    async def never() -> AppIdentity:
        await asyncio.sleep(3600)
        return b.IDENTITY

    app = create_app(SETTINGS, queue, never)
    async with asyncio.timeout(5), app.router.lifespan_context(app):
        await asyncio.sleep(0)
