"""How jobs end: done, given back, given up; told apart by what they raise. On a Redis inside the process."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import cast

import pytest

from app.core.errors import Forbidden, Gone, Suspended, Transient, UserError
from app.core.routing import Job
from app.queue import Queue, connect
from jobs.deps import Deps
from jobs.freshness import Busy
from jobs.kinds import KINDS, Kind
from jobs.worker import HELD_SECONDS, TRIES, running

JOB = Job("index_push", {"installation": 1, "repo": 2}, "index_push:2:abc")
DELIVERY = "7b1c2a52-0001"


@dataclass
class Script:
    """What the job does, run by run (the last for all further runs), and what was seen."""

    runs: list[BaseException | Callable[[], Awaitable[None]] | None]
    gone: Exception | None = None
    started: int = 0
    shown: list[str] = field(default_factory=list)

    async def run(self, _deps: Deps, **_arguments: object) -> str:
        step = self.runs[min(self.started, len(self.runs) - 1)]
        self.started += 1
        if isinstance(step, BaseException):
            raise step
        if step is not None:
            await step()
        return "done"

    async def give_up(self, _deps: Deps, reference: str, **_arguments: object) -> None:
        self.shown.append(reference)

    async def wanted(self, _deps: Deps, **_arguments: object) -> bool:
        if self.gone is not None:
            raise self.gone
        return True

    def kinds(self, seconds: float = 60.0, most: int = 10) -> tuple[Kind, ...]:
        async def nothing(_deps: Deps, **_arguments: object) -> str:
            return "nothing"

        return (
            Kind("index_push", self.run, seconds, self.give_up, self.wanted, most),
            Kind("reconcile", nothing, 60.0),
        )


@pytest.fixture
async def queue() -> AsyncIterator[Queue]:
    made = connect(private=True)
    yield made
    await made.close()


@asynccontextmanager
async def at_work(queue: Queue, kinds: tuple[Kind, ...]) -> AsyncIterator[None]:
    async with running(cast(Deps, SimpleNamespace(queue=queue)), kinds):
        yield


async def take(queue: Queue, job: Job = JOB) -> None:
    """A delivery that asks for the job comes in."""
    assert await queue.claim(DELIVERY)
    assert await queue.enqueue(job, DELIVERY)


async def due(queue: Queue) -> dict[str, float]:
    """Seconds until each queued job is due."""
    entries = await queue.redis.zrange(queue.redis.default_queue_name, 0, -1, withscores=True)
    return {key.decode(): score / 1000 - time.time() for key, score in entries}


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(20):
        while not await condition():
            await asyncio.sleep(0.02)


async def idle(queue: Queue) -> bool:
    """Nothing runs, and what is queued is for later."""
    running = [key async for key in queue.redis.scan_iter("arq:in-progress:*")]
    return not running and all(seconds > 0 for seconds in (await due(queue)).values())


async def finish(queue: Queue) -> list[float]:
    """Run until the queue is empty, pulling forward what was given back; returns the pauses that were asked for."""
    pauses: list[float] = []
    async with asyncio.timeout(20):
        while True:
            await until(lambda: idle(queue))
            waiting = await due(queue)
            if not waiting:
                return pauses
            pauses += waiting.values()
            name = queue.redis.default_queue_name
            await queue.redis.zadd(name, dict.fromkeys(waiting, time.time() * 1000), xx=True)


async def test_a_job_that_is_done_closes_its_delivery(queue: Queue) -> None:
    script = Script([None])
    await take(queue)
    async with at_work(queue, script.kinds()):
        await finish(queue)
    assert script.started == 1
    assert await queue.delivery_state(DELIVERY) == "done"
    assert not await queue.claim(DELIVERY)


async def test_a_passing_failure_gives_the_job_back_for_longer_each_time(queue: Queue) -> None:
    script = Script([Transient("GitHub is away"), Transient("still"), None])
    await take(queue)
    async with at_work(queue, script.kinds()):
        pauses = await finish(queue)
    assert [round(pause) for pause in pauses] == [5, 15]
    assert (script.started, script.shown) == (3, [])
    assert await queue.delivery_state(DELIVERY) == "done"


async def test_a_rate_limit_is_waited_out_in_the_queue(queue: Queue) -> None:
    """H20: the worker is free meanwhile."""
    script = Script([Transient("primary limit", 3000.0), None])
    await take(queue)
    async with at_work(queue, script.kinds()):
        pauses = await finish(queue)
    assert [round(pause) for pause in pauses] == [3000]


async def test_a_failure_that_does_not_pass_ends_and_is_shown_once(queue: Queue) -> None:
    script = Script([Transient("never comes back")])
    await take(queue)
    async with at_work(queue, script.kinds()):
        pauses = await finish(queue)
    assert script.started == TRIES
    assert [round(pause) for pause in pauses] == [5, 15, 45, 135, 405, 600, 600]
    assert script.shown == [JOB.key]
    assert await queue.delivery_state(DELIVERY) == "failed"


async def test_waiting_for_another_writer_is_no_failure(queue: Queue) -> None:
    script = Script([*[Busy("index:2", 3.0)] * (TRIES + 4), None])
    await take(queue)
    async with at_work(queue, script.kinds()):
        await finish(queue)
    assert script.started == TRIES + 5
    assert (script.shown, await queue.delivery_state(DELIVERY)) == ([], "done")


@pytest.mark.parametrize("error", [Gone("404"), Suspended("suspended")])
async def test_what_is_gone_is_left_quietly(queue: Queue, error: Exception) -> None:
    script = Script([error], gone=error)
    await take(queue)
    async with at_work(queue, script.kinds()):
        await finish(queue)
    assert (script.started, script.shown) == (1, [])
    assert await queue.delivery_state(DELIVERY) == "done"


async def test_what_somebody_waits_for_does_not_end_in_silence_because_a_part_of_it_was_missing(queue: Queue) -> None:
    script = Script([Gone("there is no commit abc here"), None])
    await take(queue)
    async with at_work(queue, script.kinds()):
        assert [round(pause) for pause in await finish(queue)] == [5]
    assert (script.started, await queue.delivery_state(DELIVERY)) == (2, "done")


@pytest.mark.parametrize("error", [Forbidden("403"), UserError("mend this"), KeyError("a bug"), None])
async def test_a_failed_job_is_shown_and_its_redelivery_does_the_work(
    queue: Queue, error: Exception | None, caplog: pytest.LogCaptureFixture
) -> None:
    """H1, H24. None stands for a job that takes too long."""

    async def too_long() -> None:
        await asyncio.sleep(60)

    script = Script([error or too_long, None])
    await take(queue)
    async with at_work(queue, script.kinds(seconds=60.0 if error else 0.05)):
        await finish(queue)
        assert (script.started, script.shown) == (1, [JOB.key])
        assert await queue.delivery_state(DELIVERY) == "failed"
        await take(queue)
        await finish(queue)
    assert script.started == 2
    assert await queue.delivery_state(DELIVERY) == "done"
    if isinstance(error, KeyError):
        ours = [record for record in caplog.records if record.name == "jobs.worker" and record.exc_info]
        assert [record.levelno for record in ours] == [logging.ERROR]


async def test_a_failure_to_show_a_failure_is_no_second_failure(queue: Queue) -> None:
    script = Script([KeyError("a bug")])

    async def cannot(_deps: Deps, _reference: str, **_arguments: object) -> None:
        raise Transient("GitHub is away too")

    kinds = script.kinds()
    await take(queue)
    async with at_work(queue, (Kind("index_push", script.run, 60.0, cannot), kinds[1])):
        await finish(queue)
    assert script.started == 1
    assert await queue.delivery_state(DELIVERY) == "failed"


async def test_a_job_that_runs_when_the_worker_stops_is_run_by_the_next_one(
    queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """H1."""
    monkeypatch.setattr("jobs.worker.GRACE_SECONDS", 0.05)

    async def for_ever() -> None:
        await asyncio.sleep(3600)

    script = Script([for_ever, None])
    await take(queue)
    async with at_work(queue, script.kinds()):
        await until(lambda: _is(script.started == 1))
    assert await queue.delivery_state(DELIVERY) == "queued"
    assert not await queue.claim(DELIVERY)
    async with at_work(queue, script.kinds()):
        await finish(queue)
    assert (script.started, await queue.delivery_state(DELIVERY)) == (2, "done")


async def test_a_running_job_is_held_for_a_minute_only(queue: Queue) -> None:
    """A killed worker's jobs are taken over then, not after the longest time limit of all."""
    go = asyncio.Event()

    async def wait() -> None:
        await go.wait()

    script = Script([wait])
    await take(queue)
    async with at_work(queue, script.kinds(seconds=3600.0)):
        await until(lambda: _is(script.started == 1))
        left = await queue.redis.pttl(f"arq:in-progress:{JOB.key}")
        go.set()
        await finish(queue)
    assert 0 < left <= HELD_SECONDS * 1000


async def test_no_more_of_a_kind_run_at_once_than_it_allows(queue: Queue) -> None:
    go, together, most = asyncio.Event(), 0, 0

    async def wait() -> None:
        nonlocal together, most
        together += 1
        most = max(most, together)
        await go.wait()
        together -= 1

    script = Script([wait])
    for number in range(5):
        await queue.enqueue(Job("index_push", {}, f"index_push:{number}"))
    async with at_work(queue, script.kinds(most=2)):
        await until(lambda: _is(script.started == 2))
        go.set()
        await finish(queue)
    assert (script.started, most) == (5, 2)


async def test_jobs_stand_in_redis_as_json(queue: Queue) -> None:
    await queue.enqueue(JOB)
    stored = json.loads(await queue.redis.get(f"arq:job:{JOB.key}"))
    assert (stored["f"], stored["k"]) == (JOB.name, dict(JOB.arguments))


async def test_the_worker_survives_a_fault_of_its_own_loop(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jobs.worker.OUTAGE_SECONDS", 0.01)
    script = Script([None])
    async with running(cast(Deps, SimpleNamespace(queue=queue)), script.kinds()) as worker:
        await until(lambda: _is(worker.main_task is not None))
        iteration = worker._poll_iteration
        failed: list[bool] = []

        async def broken() -> None:
            if not failed:
                failed.append(True)
                raise ConnectionError("Redis went away")
            await iteration()

        monkeypatch.setattr(worker, "_poll_iteration", broken)
        await until(lambda: _is(bool(failed)))
        await take(queue)
        await finish(queue)
    assert script.started == 1


def test_every_job_that_can_be_queued_has_a_function() -> None:
    assert [kind.name for kind in KINDS] == [
        "index_repo", "index_push", "index_pull", "summarize_pull", "answer_mention", "forget", "reconcile",
    ]  # fmt: skip
    shown = {kind.name for kind in KINDS if kind.give_up is not None}
    assert shown == {"index_pull", "summarize_pull", "answer_mention"}


async def _is(value: bool) -> bool:
    return value
