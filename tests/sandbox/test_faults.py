"""Faults by script: each goes wrong as told, as often as told, and leaves (or leaves out) its effect."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from tests.sandbox.conftest import World

COMMENTS = "/repos/octo/hello/issues/1/comments"


async def _count(world: World) -> int:
    return len((await world.get(COMMENTS)).json())


async def test_a_502_after_the_comment_was_made(world: World) -> None:
    fault = world.github.fault("POST", "/issues/1/comments", status=502, after_effect=True)
    assert (await world.post(COMMENTS, {"body": "x"})).status_code == 502
    assert await _count(world) == 1
    assert (await world.post(COMMENTS, {"body": "x"})).status_code == 201
    assert fault.hits == 1


async def test_a_502_before_it(world: World) -> None:
    world.github.fault("POST", "/issues/1/comments", status=502, times=2)
    statuses = [(await world.post(COMMENTS, {"body": "x"})).status_code for _ in range(3)]
    assert (statuses, await _count(world)) == ([502, 502, 201], 1)


async def test_a_secondary_limit_without_retry_after(world: World) -> None:
    world.github.fault("*", "/comments$", status=403)
    answer = await world.post(COMMENTS, {"body": "x"})
    assert (answer.status_code, "secondary rate limit" in answer.json()["message"]) == (403, True)
    assert "retry-after" not in answer.headers
    assert int(answer.headers["x-ratelimit-remaining"]) > 0


async def test_a_primary_limit_with_its_reset(world: World) -> None:
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1800003000"}
    world.github.fault(
        "GET", "^/api/v3/repos/octo/hello$", status=403, headers=headers, message="API rate limit exceeded"
    )
    answer = await world.get("/repos/octo/hello")
    assert (answer.status_code, answer.headers["x-ratelimit-remaining"]) == (403, "0")
    assert answer.headers["x-ratelimit-reset"] == "1800003000"


@pytest.mark.parametrize(("after_effect", "comments"), [(False, 0), (True, 1)])
async def test_a_dropped_connection(world: World, after_effect: bool, comments: int) -> None:
    world.github.fault("POST", "/comments", drop=True, after_effect=after_effect)
    with pytest.raises(httpx.TransportError):
        await world.post(COMMENTS, {"body": "x"})
    assert await _count(world) == comments


async def test_a_slow_answer_holds_nobody_else_up(world: World) -> None:
    world.github.fault("GET", "/issues/1$", delay=30)
    slow = asyncio.create_task(world.get("/repos/octo/hello/issues/1"))
    assert (await world.get("/repos/octo/hello/issues/2")).status_code == 200
    assert not slow.done()
    slow.cancel()
    await asyncio.gather(slow, return_exceptions=True)


async def test_faults_end_when_cleared(world: World) -> None:
    fault = world.github.fault("GET", ".", status=500, times=None)
    for _ in range(3):
        assert (await world.get("/repos/octo/hello")).status_code == 500
    world.github.clear_faults()
    assert ((await world.get("/repos/octo/hello")).status_code, fault.hits) == (200, 3)


async def test_every_request_is_recorded(world: World) -> None:
    await world.get("/repos/octo/hello/issues/99")
    last = world.github.requests[-1]
    assert (last.method, last.path, last.status) == ("GET", "/repos/octo/hello/issues/99", 404)
