"""Queued jobs, deliveries, locks and counters, on the Redis inside the process and on a real one, with arq's own worker."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from arq import func
from arq.worker import Worker

from app import queue as queue_module
from app.core.errors import Transient
from app.core.routing import Job
from app.queue import CLAIM_SECONDS, Queue, connect, serialize

GUID = "72d3162e-cc78-11e3-81ab-4c9367dc0958"
PULL = Job("index_pull", {"installation": 1, "repo": 2, "number": 3}, "index_pull:2:3:abc")
ANSWER = Job("answer_mention", {"installation": 1, "comment": 9}, "answer_mention:2:3:issue:9:d", complete=True)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A real Redis on a socket of its own; empty where redis-server is not installed."""
    program = shutil.which("redis-server")
    if not program:
        yield ""
        return
    place = tmp_path_factory.mktemp("redis") / "redis.sock"
    options = [
        "--port",
        "0",
        "--unixsocket",
        str(place),
        "--save",
        "",
        "--appendonly",
        "no",
        "--dir",
        str(place.parent),
    ]
    process = subprocess.Popen([program, *options], stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 10
    while not place.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    yield f"unix://{place}"
    process.terminate()
    process.wait()


@pytest.fixture(params=["inside the process", "a server"])
async def queue(request: pytest.FixtureRequest, server: str) -> AsyncIterator[Queue]:
    inside = request.param == "inside the process"
    if not inside and not server:
        pytest.skip("redis-server is not installed")
    found = connect("", private=True) if inside else connect(server)
    await found.redis.flushall()
    yield found
    await found.close()


async def queued(queue: Queue) -> list[str]:
    return sorted(job.job_id or "" for job in await queue.redis.queued_jobs())


class Jobs:
    """Jobs that write down that they ran, and can be held while they run."""

    def __init__(self, queue: Queue) -> None:
        self.queue = queue
        self.ran: list[dict[str, Any]] = []
        self.running = asyncio.Event()
        self.go_on = asyncio.Event()
        self.go_on.set()
        self.outcome = True

    async def work(self, context: dict[str, Any], **arguments: Any) -> None:
        self.ran.append(arguments)
        self.running.set()
        await self.go_on.wait()
        await self.queue.settle(context["job_id"], succeeded=self.outcome)

    async def run(self) -> None:
        """Work until the queue is empty."""
        names = {"index_pull", "answer_mention"}
        functions = [func(self.work, name=name, keep_result=0) for name in names]  # type: ignore[arg-type]
        worker = Worker(
            functions,
            redis_pool=self.queue.redis,
            burst=True,
            poll_delay=0.01,
            handle_signals=False,
            job_serializer=serialize,
            job_deserializer=json.loads,
            keep_result=0,
        )
        await worker.async_run()
        assert worker.jobs_failed == 0


# --- jobs ---------------------------------------------------------------------------------------------------------------


async def test_a_job_runs_with_its_arguments_and_leaves_nothing_behind(queue: Queue) -> None:
    jobs = Jobs(queue)
    assert await queue.enqueue(PULL)
    await jobs.run()
    assert jobs.ran == [PULL.arguments]
    assert await queued(queue) == []
    assert [key for key in await queue.redis.keys("arq:*") if b"health" not in key] == []


async def test_the_same_key_is_queued_once_and_again_after_it_ran(queue: Queue) -> None:
    jobs = Jobs(queue)
    assert await queue.enqueue(PULL)
    assert not await queue.enqueue(PULL)
    assert await queued(queue) == [PULL.key]
    await jobs.run()
    assert await queue.enqueue(PULL)
    await jobs.run()
    assert len(jobs.ran) == 2


async def test_the_same_key_queued_by_many_at_once_is_one_job(queue: Queue) -> None:
    placed = await asyncio.gather(*(queue.enqueue(PULL) for _ in range(20)))
    assert sum(placed) == 1
    assert await queued(queue) == [PULL.key]


async def test_a_hint_that_comes_while_its_job_runs_is_not_lost(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the running job read may be older than the hint; arq alone drops it."""
    monkeypatch.setattr(queue_module, "AGAIN_SECONDS", 0.05)
    jobs = Jobs(queue)
    jobs.go_on.clear()
    await queue.enqueue(PULL)
    working = asyncio.create_task(jobs.run())
    await jobs.running.wait()
    assert await queue.redis.enqueue_job(PULL.name, _job_id=PULL.key) is None
    assert await queue.enqueue(PULL)
    assert not await queue.enqueue(PULL)  # once more is enough for any number of hints
    jobs.go_on.set()
    await working
    assert jobs.ran == [PULL.arguments] * 2


async def test_a_hint_that_adds_nothing_to_a_running_job_is_dropped(queue: Queue) -> None:
    jobs = Jobs(queue)
    jobs.go_on.clear()
    await queue.enqueue(ANSWER)
    working = asyncio.create_task(jobs.run())
    await jobs.running.wait()
    assert not await queue.enqueue(ANSWER)
    jobs.go_on.set()
    await working
    assert jobs.ran == [ANSWER.arguments]


async def test_a_deferred_job_waits(queue: Queue) -> None:
    await queue.enqueue(Job("index_pull", {}, "later", defer=3600))
    assert await queue.redis.zcount("arq:queue", "-inf", (time.time() + 3000) * 1000) == 0
    assert await queue.redis.zcount("arq:queue", "-inf", (time.time() + 4000) * 1000) == 1


async def test_what_stands_in_redis_is_json_and_nothing_that_could_run(queue: Queue) -> None:
    await queue.enqueue(PULL)
    stored = json.loads(await queue.redis.get(f"arq:job:{PULL.key}"))
    assert (stored["f"], stored["k"]) == (PULL.name, PULL.arguments)
    assert json.loads(serialize({"r": ValueError("no")})) == {"r": "no"}


# --- deliveries ---------------------------------------------------------------------------------------------------------


async def test_a_delivery_is_taken_once_also_at_the_same_moment(queue: Queue) -> None:
    assert sum(await asyncio.gather(*(queue.claim(GUID) for _ in range(20)))) == 1
    assert await queue.delivery_state(GUID) == "queued"


async def test_a_delivery_whose_job_is_queued_running_or_done_is_not_taken_again(queue: Queue) -> None:
    jobs = Jobs(queue)
    assert await queue.claim(GUID)
    await queue.enqueue(ANSWER, GUID)
    assert not await queue.claim(GUID)
    await jobs.run()
    assert await queue.delivery_state(GUID) == "done"
    assert not await queue.claim(GUID)


async def test_a_delivery_whose_job_failed_is_taken_again_and_can_then_be_done(queue: Queue) -> None:
    jobs = Jobs(queue)
    jobs.outcome = False
    await queue.claim(GUID)
    await queue.enqueue(ANSWER, GUID)
    await jobs.run()
    assert await queue.delivery_state(GUID) == "failed"
    assert await queue.claim(GUID)
    jobs.outcome = True
    assert await queue.enqueue(ANSWER, GUID)
    await jobs.run()
    assert await queue.delivery_state(GUID) == "done"


@pytest.mark.parametrize(
    ("first", "second", "state"), [(True, True, "done"), (False, True, "failed"), (True, False, "failed")]
)
async def test_a_delivery_with_two_jobs_is_done_when_both_are(
    queue: Queue, first: bool, second: bool, state: str
) -> None:
    await queue.claim(GUID)
    await queue.enqueue(PULL, GUID)
    await queue.enqueue(ANSWER, GUID)
    await queue.settle(PULL.key, succeeded=first)
    assert await queue.delivery_state(GUID) == ("queued" if first else "failed")
    await queue.settle(ANSWER.key, succeeded=second)
    assert await queue.delivery_state(GUID) == state


async def test_a_delivery_that_asked_for_one_more_run_is_done_after_that_run(
    queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue_module, "AGAIN_SECONDS", 0.05)
    jobs = Jobs(queue)
    jobs.go_on.clear()
    await queue.enqueue(PULL)
    working = asyncio.create_task(jobs.run())
    await jobs.running.wait()
    assert await queue.deliver(GUID, [PULL]) == [PULL.key]
    await queue.settle(PULL.key, succeeded=True)
    assert await queue.delivery_state(GUID) == "queued"
    jobs.go_on.set()
    await working
    assert len(jobs.ran) == 2
    assert await queue.delivery_state(GUID) == "done"


async def test_the_jobs_of_a_delivery_are_queued_in_one_call_and_once(queue: Queue) -> None:
    assert await queue.deliver(GUID, [PULL, ANSWER]) == [PULL.key, ANSWER.key]
    assert await queue.deliver(GUID, [PULL, ANSWER]) is None
    assert await queue.deliver("another-guid", [PULL]) == []
    await Jobs(queue).run()
    assert [await queue.delivery_state(guid) for guid in (GUID, "another-guid")] == ["done", "done"]


async def test_two_deliveries_that_share_a_job_end_with_it(queue: Queue) -> None:
    for guid in ("guid-one", "guid-two"):
        assert await queue.claim(guid)
        await queue.enqueue(PULL, guid)
    await Jobs(queue).run()
    assert [await queue.delivery_state(guid) for guid in ("guid-one", "guid-two")] == ["done", "done"]


async def test_a_delivery_that_could_not_be_queued_is_taken_again(queue: Queue) -> None:
    await queue.claim(GUID)
    await queue.fail(GUID)
    assert await queue.claim(GUID)


async def test_a_delivery_whose_job_vanished_is_taken_again_after_a_while(
    queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that died between taking and queueing, or a job that Redis evicted."""
    await queue.claim(GUID)
    await queue.enqueue(ANSWER, GUID)
    await queue.redis.delete(f"arq:job:{ANSWER.key}", "arq:queue")
    assert not await queue.claim(GUID)
    later = time.time() + CLAIM_SECONDS + 1
    monkeypatch.setattr(time, "time", lambda: later)
    assert await queue.claim(GUID)


async def test_a_flushed_redis_loses_only_the_memory_of_deliveries(queue: Queue) -> None:
    await queue.claim(GUID)
    await queue.enqueue(ANSWER, GUID)
    await queue.redis.flushall()
    await queue.settle(ANSWER.key, succeeded=True)
    assert await queue.delivery_state(GUID) == ""
    assert await queue.claim(GUID)


async def test_everything_about_deliveries_ends_by_itself(queue: Queue) -> None:
    await queue.claim(GUID)
    await queue.enqueue(ANSWER, GUID)
    await queue.advance("pull:2:3")
    kept = await queue.redis.keys("coderag:*")
    assert len(kept) == 3
    assert all([await queue.redis.ttl(key) > 0 for key in kept])


# --- locks --------------------------------------------------------------------------------------------------------------


async def test_a_lock_is_held_by_one_at_a_time_and_then_by_the_next(queue: Queue) -> None:
    inside: list[int] = []

    async def hold(number: int) -> None:
        async with queue.lock("index:2", 5):
            inside.append(number)
            await asyncio.sleep(0.01)
            assert inside[-1] == number

    await asyncio.gather(*(hold(number) for number in range(5)))
    assert sorted(inside) == [0, 1, 2, 3, 4]


async def test_a_lock_that_is_taken_gives_the_job_back(queue: Queue) -> None:
    async with queue.lock("index:2", 5):
        with pytest.raises(Transient, match="index:2"):
            async with queue.lock("index:2", 5, wait=0.05):
                pytest.fail("two holders")
        async with queue.lock("index:3", 5, wait=0):
            pass


async def test_a_lock_is_released_after_an_error(queue: Queue) -> None:
    with pytest.raises(ValueError, match="no"):
        async with queue.lock("index:2", 5):
            raise ValueError("no")
    async with queue.lock("index:2", 5, wait=0):
        pass


async def test_a_lock_is_renewed_while_it_is_held(queue: Queue) -> None:
    async with queue.lock("index:2", 0.3) as lock:
        await asyncio.sleep(0.8)
        lock.check()
        with pytest.raises(Transient):
            async with queue.lock("index:2", 0.3, wait=0):
                pytest.fail("two holders")


async def test_the_lock_of_a_holder_that_died_ends_by_itself(queue: Queue) -> None:
    await queue.redis.set("coderag:lock:index:2", "of a dead process", px=100)
    async with queue.lock("index:2", 5, wait=2):
        pass


async def test_a_lost_lock_is_noticed_and_the_next_holder_keeps_it(queue: Queue) -> None:
    async with queue.lock("index:2", 0.3) as lock:
        await queue.redis.set("coderag:lock:index:2", "somebody else")
        await asyncio.sleep(0.3)
        with pytest.raises(Transient, match="lost"):
            lock.check()
    assert await queue.redis.get("coderag:lock:index:2") == b"somebody else"


async def test_a_cancelled_holder_releases_its_lock(queue: Queue) -> None:
    held = asyncio.Event()

    async def hold() -> None:
        async with queue.lock("index:2", 60):
            held.set()
            await asyncio.sleep(60)

    holder = asyncio.create_task(hold())
    await held.wait()
    holder.cancel()
    with pytest.raises(asyncio.CancelledError):
        await holder
    async with queue.lock("index:2", 5, wait=0):
        pass


# --- counters and connections -------------------------------------------------------------------------------------------


async def test_a_generation_counts_up_and_is_read_by_its_name(queue: Queue) -> None:
    assert await queue.current("pull:2:3") == 0
    assert [await queue.advance("pull:2:3") for _ in range(3)] == [1, 2, 3]
    assert await queue.current("pull:2:3") == 3
    assert await queue.current("pull:2:4") == 0


async def test_the_redis_inside_the_process_is_one_for_all_that_ask_for_it() -> None:
    web, worker, other = connect(), connect(""), connect(private=True)
    await web.redis.flushall()
    await web.enqueue(PULL)
    assert (await queued(worker), await queued(other)) == ([PULL.key], [])
    await web.redis.flushall()
    for one in (web, worker, other):
        await one.close()


async def test_a_redis_that_is_away_raises_transient_from_every_call(tmp_path: Path) -> None:
    away = connect(f"unix://{tmp_path}/none.sock")
    for call in (
        away.enqueue(PULL),
        away.enqueue(PULL, GUID),
        away.claim(GUID),
        away.deliver(GUID, [PULL]),
        away.fail(GUID),
        away.settle(PULL.key, succeeded=True),
        away.delivery_state(GUID),
        away.advance("x"),
        away.current("x"),
        away.ping(),
    ):
        with pytest.raises(Transient, match="Redis"):
            await call
    with pytest.raises(Transient, match="Redis"):
        async with away.lock("x", 1):
            pytest.fail("no lock without Redis")
    await away.close()
