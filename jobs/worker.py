"""Runs the jobs: arq's worker with our own time limits, retries and endings; must not know what any job does."""

from __future__ import annotations

import asyncio
import json
import logging
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any

from arq import cron, func
from arq.constants import in_progress_key_prefix
from arq.worker import Retry, Worker
from redis.exceptions import RedisError

from app.config import Settings
from app.core.errors import CodeRagError, Forbidden, Gone, Rejected, Transient, UserError
from app.core.routing import Job
from app.log import bind
from app.queue import Queue, connect, serialize
from jobs.deps import Deps, open_deps
from jobs.freshness import BUSY_SECONDS, Busy
from jobs.kinds import KINDS, Kind

log = logging.getLogger(__name__)

MOST_JOBS = 10
"""Jobs at once in a process: they mostly wait for GitHub, git and the parser's children."""

TRIES = 8
"""Runs of a job that fails in passing, over about half an hour; then somebody is told."""

BACK_OFF_SECONDS = (5.0, 600.0)
"""Pause before the second run, three times as long before each further one, up to the longest."""

MOST_STARTS = 10_000
"""arq's own bound. Waiting for another writer and restarts of the worker count as starts there, so it must not decide."""

HELD_SECONDS = 60
"""How long a job stays taken after its worker was killed; renewed while it runs (arq would hold it for the longest timeout)."""

POLL_SECONDS = 0.05
"""Pause between looks at the queue: the latency of every answer, at some 20 small reads a second."""

HEALTH_SECONDS = 30
"""Between health records in Redis; arq's default of an hour tells nothing."""

GRACE_SECONDS = 3.0
"""How long running jobs may finish when the worker stops; then they are cancelled and run again later."""

OUTAGE_SECONDS = 2.0
"""Pause before the worker looks for Redis again."""

DAILY = {"hour": {3}, "minute": {17}}
"""When everything is compared with GitHub again, beside the start of each worker."""


class JobFailed(Exception):
    """A job ended for good without doing its work. Its cause is in the log before it; arq counts it as failed."""


def create_worker(deps: Deps, kinds: Sequence[Kind] = KINDS) -> Worker:
    """A worker over the open clients; run it with `running`. Several may work on one Redis."""
    functions = [
        func(
            _runner(deps, kind),  # type: ignore[arg-type]
            name=kind.name,
            timeout=kind.seconds + HELD_SECONDS,
            max_tries=MOST_STARTS,
            keep_result=0,
        )
        for kind in kinds
    ]
    daily = _runner(deps, next(kind for kind in kinds if kind.name == "reconcile"))
    worker = Worker(
        functions,
        cron_jobs=[cron(daily, name="reconcile_daily", timeout=3600, keep_result=0, **DAILY)],  # type: ignore[arg-type]
        redis_pool=deps.queue.redis,
        queue_name=deps.queue.redis.default_queue_name,
        handle_signals=False,
        max_jobs=MOST_JOBS,
        max_tries=MOST_STARTS,
        keep_result=0,
        poll_delay=POLL_SECONDS,
        health_check_interval=HEALTH_SECONDS,
        job_serializer=serialize,
        job_deserializer=json.loads,
    )
    worker.in_progress_timeout_s = HELD_SECONDS
    return worker


@asynccontextmanager
async def running(deps: Deps, kinds: Sequence[Kind] = KINDS) -> AsyncIterator[Worker]:
    """Run a worker in this event loop, after queueing a first `reconcile`; at the end jobs may finish for a moment."""
    worker = create_worker(deps, kinds)
    task = asyncio.create_task(_work(deps.queue, worker))
    try:
        yield worker
    finally:
        worker.allow_pick_jobs = False
        with suppress(TimeoutError):
            async with asyncio.timeout(GRACE_SECONDS):
                while any(not job.done() for job in worker.tasks.values()):
                    await asyncio.sleep(POLL_SECONDS)
        # Not `worker.close()`: it closes the pool, which belongs to the queue, by a call that redis has deprecated.
        for job in worker.tasks.values():
            job.cancel()
        await asyncio.gather(*worker.tasks.values(), return_exceptions=True)
        if worker.main_task is not None:
            worker.main_task.cancel()
        task.cancel()
        await asyncio.gather(task, *([worker.main_task] if worker.main_task else []), return_exceptions=True)


async def run_worker(settings: Settings) -> None:
    """Work until SIGINT or SIGTERM (`coderag worker`). Raises ConfigError where the settings do not suffice."""
    settings.require_app().require_redis()
    queue = connect(settings.redis_url)
    try:
        with ended_by_signals() as stop:
            async with open_deps(settings, queue) as deps, running(deps):
                await stop.wait()
    finally:
        await queue.close()


@contextmanager
def ended_by_signals() -> Iterator[asyncio.Event]:
    """An event that SIGINT and SIGTERM set in place of ending the process, so that it can stop in order."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    signals = (signal.SIGINT, signal.SIGTERM)
    for number in signals:
        loop.add_signal_handler(number, stop.set)
    try:
        yield stop
    finally:
        for number in signals:
            loop.remove_signal_handler(number)


async def _work(queue: Queue, worker: Worker) -> None:
    """arq's loop, taken up again after Redis was away."""
    started = False
    while True:
        try:
            if not started:
                await queue.enqueue(Job("reconcile", {}, "reconcile"))
                started = True
            await worker.async_run()
        except (RedisError, OSError, Transient) as error:
            log.warning("queue away", extra={"error": type(error).__name__})
        except Exception:
            # A worker that ended in silence would leave a web process that takes deliveries and does nothing.
            log.exception("worker failed")
        await asyncio.sleep(OUTAGE_SECONDS)


# --- one job --------------------------------------------------------------------------------------------------------


def _runner(deps: Deps, kind: Kind) -> Callable[..., Awaitable[str]]:
    gate = asyncio.Semaphore(kind.most)

    async def run(ctx: dict[str, Any], **arguments: Any) -> str:
        key = str(ctx["job_id"])
        if gate.locked():
            raise Retry(defer=BUSY_SECONDS)
        with bind(job=kind.name, key=key, start=ctx["job_try"]):
            async with gate, _held(deps.queue, key):
                return await _attempt(deps, kind, key, arguments)

    run.__qualname__ = kind.name
    return run


async def _attempt(deps: Deps, kind: Kind, key: str, arguments: dict[str, Any]) -> str:
    """One run of a job, and the one place where its failures are told apart."""
    try:
        async with asyncio.timeout(kind.seconds):
            outcome = await kind.run(deps, **arguments)
    except Gone as error:
        # Mostly deleted, uninstalled or suspended in the meantime. But a job that somebody waits for must not end in
        # silence because a commit or a mirror was missing for a moment.
        if await _is_wanted(deps, kind, arguments):
            await _back_off(deps, kind, key, arguments, Transient(f"gone: {error}"))
        outcome = f"gone: {error}"
    except Busy as error:
        raise Retry(defer=error.retry_after) from None
    except Transient as error:
        await _back_off(deps, kind, key, arguments, error)
    except (UserError, Forbidden, Rejected) as error:
        log.warning("job refused", extra={"error": str(error)})
        await _fail(deps, kind, key, arguments)
    except Exception:
        log.exception("job failed")
        await _fail(deps, kind, key, arguments)
    await _end(deps.queue, key, succeeded=True)
    log.info("job done", extra={"outcome": outcome})
    return outcome


async def _is_wanted(deps: Deps, kind: Kind, arguments: dict[str, Any]) -> bool:
    try:
        return kind.wanted is not None and await kind.wanted(deps, **arguments)
    except Gone:
        return False
    except Transient:
        return True


async def _back_off(deps: Deps, kind: Kind, key: str, arguments: dict[str, Any], error: Transient) -> None:
    """Give the job back to the queue, or end it after TRIES failures."""
    tries = await _count(deps.queue, key)
    log.warning("job failed in passing", extra={"error": str(error), "tries": tries})
    if tries < TRIES:
        first, longest = BACK_OFF_SECONDS
        raise Retry(defer=max(error.retry_after, min(first * 3 ** (tries - 1), longest)))
    await _fail(deps, kind, key, arguments)


async def _fail(deps: Deps, kind: Kind, key: str, arguments: dict[str, Any]) -> None:
    """End a job for good: visibly where somebody waits for it, counted, and open to a redelivery."""
    if kind.give_up is not None:
        try:
            await kind.give_up(deps, key, **arguments)
        except CodeRagError as error:
            log.warning("failure not shown", extra={"error": str(error)})
        except Exception:
            log.exception("failure not shown")
    await _end(deps.queue, key, succeeded=False)
    raise JobFailed(key)


async def _end(queue: Queue, key: str, *, succeeded: bool) -> None:
    await queue.settle(key, succeeded=succeeded)
    await queue.redis.delete(_tries(key))


async def _count(queue: Queue, key: str) -> int:
    """Failures of this job so far, kept for as long as arq keeps the job itself (a day)."""
    async with queue.redis.pipeline(transaction=True) as pipe:
        pipe.incr(_tries(key))
        pipe.expire(_tries(key), 24 * 3600)
        count, _ = await pipe.execute()
    return int(count)


def _tries(key: str) -> str:
    return f"coderag:tries:{key}"


@asynccontextmanager
async def _held(queue: Queue, key: str) -> AsyncIterator[None]:
    """Keep the job marked as running while it runs, for HELD_SECONDS at a time."""

    async def renew() -> None:
        while True:
            await asyncio.sleep(HELD_SECONDS / 3)
            with suppress(RedisError, OSError):
                await queue.redis.pexpire(in_progress_key_prefix + key, HELD_SECONDS * 1000)

    task = asyncio.create_task(renew())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
