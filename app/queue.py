"""Owns Redis: queued jobs, locks, counters and the state of deliveries; must not know what any job does.

Redis may be flushed without loss: what is kept here only spares work. A failing Redis raises Transient from every call.

arq keeps a job's key while it is queued and while it runs, and refuses the same key for as long (results are not kept). What a
job reads at its start is newer than every hint that came before, so a refused hint for a queued job is not lost. For one that
comes while the job runs see `Queue.enqueue`.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any

import arq.worker
from arq.connections import ArqRedis
from arq.constants import default_queue_name, in_progress_key_prefix, job_key_prefix
from fakeredis import FakeAsyncRedisConnection, FakeServer
from redis.asyncio import ConnectionPool
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError, WatchError

from app.core.errors import Transient
from app.core.routing import Job

log = logging.getLogger(__name__)

QUEUE_NAME = default_queue_name

# GitHub offers redelivery for 3 days on github.com and 7 on Enterprise Server; after that a GUID cannot come again.
DELIVERY_DAYS = 8
_DELIVERY_SECONDS = DELIVERY_DAYS * 24 * 3600

# A delivery that was claimed and has no live job is believed to be in hand for this long (its jobs are being queued, or have just
# ended); after it, the process that claimed it is taken for dead, and a redelivery does the work.
CLAIM_SECONDS = 60

COUNTER_SECONDS = 30 * 24 * 3600  # a generation is only compared while its jobs live, which is days at most
AGAIN_SECONDS = 1.0  # how long after a hint came during a run the job is run again
MOST_AGAIN = 8  # runs of one key at once; a worker runs ten jobs in all
LOCK_WAIT_SECONDS = 5.0  # most index runs are shorter; a job that waits longer gives its place back
LOCK_POLL_SECONDS = 0.05
CONNECT_SECONDS = 2.0
ANSWER_SECONDS = 5.0
RETRY_AFTER_SECONDS = 5.0

_PREFIX = "coderag:"
_SHARED = FakeServer()


class Lock:
    """A lock that is held. `lost` is true once it may belong to somebody else: a long pause, or Redis away for too long."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lost = False

    def check(self) -> None:
        """Raise Transient if the lock is lost; to be called before each step that must have one writer."""
        if self.lost:
            raise Transient(f"the lock {self.name} was lost", RETRY_AFTER_SECONDS)


class Queue:
    """The one way to Redis. `redis` is for the arq worker of this process."""

    def __init__(self, redis: ArqRedis) -> None:
        self.redis = redis
        self._redis: Any = redis  # redis-py's types mix the synchronous and the asynchronous client

    async def enqueue(self, job: Job, delivery: str = "") -> bool:
        """Queue a job, for this delivery if one is named; False where the same key is queued already.

        Where the key is running, it is queued once more under a key of its own, a second later, unless `job.complete`: what
        the running job read may be older than this hint. arq alone would drop the hint.
        """
        return await self._enqueue(job, delivery, noted=False)

    async def _enqueue(self, job: Job, delivery: str, *, noted: bool) -> bool:
        """`noted` tells that the delivery is known to wait for the job's own key."""
        with _outage():
            for run in range(MOST_AGAIN):
                key = job.key if run == 0 else f"{job.key}:again{run}"
                if delivery and not (noted and run == 0):
                    await self._expect(delivery, key)
                defer = job.defer if run == 0 else max(job.defer, AGAIN_SECONDS)
                state = await self._place(job, key, defer)
                if state != "running" or job.complete:
                    return state == "new"
        raise Transient(f"{job.key} runs {MOST_AGAIN} times at once", RETRY_AFTER_SECONDS)

    async def _place(self, job: Job, key: str, defer: float) -> str:
        """Queue under exactly this key: "new", "queued" (it was) or "running"."""
        while True:
            placed = await self._redis.enqueue_job(job.name, _job_id=key, _defer_by=defer or None, **job.arguments)
            if placed is not None:
                return "new"
            # In this order: arq removes both in one step, so a key found after no run was found has yet to start.
            if await self._redis.exists(in_progress_key_prefix + key):
                return "running"
            if await self._redis.exists(job_key_prefix + key):
                return "queued"
            # It ended between the two looks: try again.

    # --- deliveries -----------------------------------------------------------------------------------------------

    async def deliver(self, delivery: str, jobs: Sequence[Job]) -> list[str] | None:
        """Queue the jobs of a delivery (GitHub's GUID) once; the keys of those that were not queued yet.

        None where the delivery is done or in hand (see `claim`). Where Redis fails in the middle, the delivery counts as failed.
        """
        if not await self.claim(delivery, jobs):
            return None
        try:
            return [job.key for job in jobs if await self._enqueue(job, delivery, noted=True)]
        except Transient:
            await self.fail(delivery)
            raise

    async def claim(self, delivery: str, jobs: Sequence[Job] = ()) -> bool:
        """Whether the work of this delivery is still to be done; if so it is ours from now on, and done when these jobs are.

        False for one that is done, or whose jobs are queued or running. True for a new one and for one that failed: GitHub
        redelivers under the same GUID, and a person asks for that exactly when something went wrong.
        """
        name = _delivery(delivery)
        with _outage():
            while True:
                async with self._redis.pipeline(transaction=True) as pipe:
                    await pipe.watch(name)
                    held = {key.decode(): value.decode() for key, value in (await pipe.hgetall(name)).items()}
                    if held and not await self._is_open(held):
                        return False
                    pipe.multi()
                    pipe.delete(name)
                    keys = [job.key for job in jobs]
                    pipe.hset(name, mapping={"state": "queued", "at": str(time.time()), "jobs": json.dumps(keys)})
                    pipe.expire(name, _DELIVERY_SECONDS)
                    # Noted before anything is queued: a job may end before this process hears that it was taken.
                    for key in keys:
                        pipe.sadd(_waiting(key), delivery)
                        pipe.expire(_waiting(key), _DELIVERY_SECONDS)
                    with suppress(WatchError):
                        await pipe.execute()
                        return True

    async def _is_open(self, held: dict[str, str]) -> bool:
        if held.get("state") != "queued":
            return held.get("state") == "failed"
        jobs = [job_key_prefix + key for key in json.loads(held.get("jobs", "[]"))]
        if jobs and await self._redis.exists(*jobs):
            return False
        return time.time() - float(held.get("at", 0)) > CLAIM_SECONDS

    async def _expect(self, delivery: str, key: str) -> None:
        """Note that this delivery is done when one more job is."""
        name = _delivery(delivery)
        while True:
            async with self._redis.pipeline(transaction=True) as pipe:
                await pipe.watch(name)
                jobs = json.loads(await pipe.hget(name, "jobs") or "[]")
                pipe.multi()
                pipe.hset(name, "jobs", json.dumps([*jobs, key]))
                pipe.expire(name, _DELIVERY_SECONDS)
                pipe.sadd(_waiting(key), delivery)
                pipe.expire(_waiting(key), _DELIVERY_SECONDS)
                with suppress(WatchError):
                    await pipe.execute()
                    return

    async def fail(self, delivery: str) -> None:
        """The delivery's jobs could not be queued: its redelivery does the work."""
        with _outage():
            await self._redis.hset(_delivery(delivery), "state", "failed")

    async def settle(self, key: str, *, succeeded: bool) -> None:
        """Tell that the job of this key (arq's job id) has ended for good, so that its deliveries are done, or failed."""
        with _outage():
            async with self._redis.pipeline(transaction=True) as pipe:
                pipe.smembers(_waiting(key))
                pipe.delete(_waiting(key))
                members, _ = await pipe.execute()
            for delivery in sorted(member.decode() for member in members):
                await self._settle(delivery, key, succeeded)

    async def _settle(self, delivery: str, key: str, succeeded: bool) -> None:
        name = _delivery(delivery)
        while True:
            async with self._redis.pipeline(transaction=True) as pipe:
                await pipe.watch(name)
                held = await pipe.hmget(name, "state", "jobs")
                if held[0] is None:
                    return
                jobs = [other for other in json.loads(held[1] or "[]") if other != key]
                failed = held[0] == b"failed" or not succeeded
                state = "failed" if failed else "queued" if jobs else "done"
                pipe.multi()
                pipe.hset(name, mapping={"state": state, "jobs": json.dumps(jobs)})
                with suppress(WatchError):
                    await pipe.execute()
                    return

    async def delivery_state(self, delivery: str) -> str:
        """queued, done, failed, or "" for one that is not known."""
        with _outage():
            state = await self._redis.hget(_delivery(delivery), "state")
        return state.decode() if state else ""

    # --- locks and counters ---------------------------------------------------------------------------------------

    @asynccontextmanager
    async def lock(self, name: str, seconds: float, wait: float = LOCK_WAIT_SECONDS) -> AsyncIterator[Lock]:
        """Hold the lock of this name; `seconds` is how long it outlives a holder that dies, and it is renewed until the end.

        Waits up to `wait` seconds for another holder, then raises Transient.
        """
        key, token = f"{_PREFIX}lock:{name}", secrets.token_hex(16)
        await self._acquire(key, token, seconds, wait)
        lock = Lock(name)
        renewal = asyncio.create_task(self._renew(lock, key, token, seconds))
        try:
            yield lock
        finally:
            renewal.cancel()
            await asyncio.wait([renewal])
            with suppress(Transient):  # it ends by itself
                await self._if_ours(key, token, 0)

    async def _acquire(self, key: str, token: str, seconds: float, wait: float) -> None:
        until = time.monotonic() + wait
        while True:
            with _outage():
                if await self._redis.set(key, token, nx=True, px=int(seconds * 1000)):
                    return
            if time.monotonic() >= until:
                raise Transient(f"{key} is held by another job", RETRY_AFTER_SECONDS)
            await asyncio.sleep(LOCK_POLL_SECONDS)

    async def _renew(self, lock: Lock, key: str, token: str, seconds: float) -> None:
        renewed = time.monotonic()
        while not lock.lost:
            await asyncio.sleep(seconds / 3)
            try:
                asked = time.monotonic()
                lock.lost = not await self._if_ours(key, token, seconds)
                renewed = asked
            except Transient:
                lock.lost = time.monotonic() - renewed > seconds
        log.warning("lock lost", extra={"lock": lock.name})

    async def _if_ours(self, key: str, token: str, seconds: float) -> bool:
        """Set how long a lock lasts (0 releases it) if it still holds our token; compare and set in one step."""
        with _outage():
            async with self._redis.pipeline(transaction=True) as pipe:
                await pipe.watch(key)
                if await pipe.get(key) != token.encode():
                    return False
                pipe.multi()
                if seconds:
                    pipe.pexpire(key, int(seconds * 1000))
                else:
                    pipe.delete(key)
                try:
                    await pipe.execute()
                except WatchError:
                    return False
        return True

    async def advance(self, name: str, seconds: int = COUNTER_SECONDS) -> int:
        """Count one up and return the new count, from 1; it is forgotten `seconds` after it last moved.

        As a generation: whoever holds the newest number goes on, the others leave.
        """
        with _outage():
            async with self._redis.pipeline(transaction=True) as pipe:
                pipe.incr(f"{_PREFIX}count:{name}")
                pipe.expire(f"{_PREFIX}count:{name}", seconds)
                count, _ = await pipe.execute()
        return int(count)

    async def current(self, name: str) -> int:
        """The count as it stands, 0 where there is none."""
        with _outage():
            return int(await self._redis.get(f"{_PREFIX}count:{name}") or 0)

    # --- life cycle -----------------------------------------------------------------------------------------------

    async def ping(self) -> None:
        """Return if Redis answers, else raise Transient."""
        with _outage():
            await self._redis.ping()

    async def close(self) -> None:
        """Close this process's connections; what is queued stays."""
        await self._redis.aclose()
        await self._redis.connection_pool.disconnect()


def connect(redis_url: str = "", *, private: bool = False) -> Queue:
    """The queue at this URL, connecting when it is first used; without one a Redis inside this process, shared by all callers.

    `private` gives a Redis inside the process that no other call shares.
    """
    if redis_url:
        pool = ConnectionPool.from_url(
            redis_url,
            socket_connect_timeout=CONNECT_SECONDS,
            socket_timeout=ANSWER_SECONDS,
            health_check_interval=30,
            # One more try, for a connection that the server closed while it was idle; an outage is told at once.
            retry=Retry(ExponentialBackoff(cap=0.2, base=0.05), 1),
            retry_on_error=[RedisConnectionError],
        )
    else:
        inside: Any = FakeAsyncRedisConnection
        pool = ConnectionPool(connection_class=inside, server=FakeServer() if private else _SHARED)
        setattr(arq.worker, "log_redis_info", _no_information)  # noqa: B010
    redis = ArqRedis(pool, job_serializer=serialize, job_deserializer=json.loads, default_queue_name=QUEUE_NAME)
    return Queue(redis)


def serialize(data: dict[str, Any]) -> bytes:
    """A job as JSON, so that what stands in Redis cannot run code (arq's default is pickle). An exception becomes its text."""
    return json.dumps(data, default=str).encode()


async def _no_information(*_: object) -> None:
    """In place of arq's log line about the server: the Redis inside this process has no INFO, and the worker would not start."""


@contextmanager
def _outage() -> Iterator[None]:
    try:
        yield
    except (RedisError, OSError, TimeoutError) as error:
        raise Transient(f"Redis: {type(error).__name__}", RETRY_AFTER_SECONDS) from error


def _delivery(delivery: str) -> str:
    return f"{_PREFIX}delivery:{delivery}"


def _waiting(key: str) -> str:
    return f"{_PREFIX}waiting:{key}"


__all__ = ["QUEUE_NAME", "Job", "Lock", "Queue", "connect", "serialize"]
