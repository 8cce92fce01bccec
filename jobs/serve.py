"""Starts and stops the processes of the bot: web and worker in one (`coderag serve`), or web alone; owns nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass

import uvicorn
from starlette.applications import Starlette

from app.clients.github import GitHub
from app.config import Settings
from app.core.routing import AppIdentity
from app.main import create_app
from app.queue import connect
from jobs import worker
from jobs.deps import Deps, open_deps
from jobs.worker import ended_by_signals

SHUTDOWN_SECONDS = 3
"""How long open requests may go on; a webhook is answered in milliseconds."""
STARTED_LOOK = 0.01
"""Seconds between looks whether the web server listens."""


@dataclass(frozen=True)
class Running:
    """A bot at work: where it listens, what its jobs are given, and the server, which ends on a signal."""

    url: str
    deps: Deps
    server: asyncio.Task[None]


async def serve(settings: Settings, host: str, port: int) -> None:
    """Receive webhooks on host:port and work on them until SIGINT or SIGTERM. Needs no Redis; uses REDIS_URL where set.

    Raises ConfigError where the settings do not suffice, before anything listens.
    """
    with ended_by_signals() as stop:
        async with running(settings.require_app(), host, port) as bot:
            stopped = asyncio.create_task(stop.wait())
            await asyncio.wait([bot.server, stopped], return_when=asyncio.FIRST_COMPLETED)
            stopped.cancel()


async def serve_web(settings: Settings, host: str, port: int) -> None:
    """Receive webhooks and queue them in Redis until SIGINT or SIGTERM (`coderag web`). Raises ConfigError as `serve` does."""
    settings.require_app().require_redis()
    queue = connect(settings.redis_url)
    github = GitHub(settings.app_id, settings.private_key, settings.api_url)
    try:
        app = await github.app()
        handles = tuple(name for name in (app.slug, settings.handle) if name)
        web = create_app(settings, queue, AppIdentity(app.id, app.slug, handles))
        with ended_by_signals() as stop:
            server = _Server(_config(web, host, port))
            stopping = asyncio.create_task(_end(server, stop))
            await server.serve()
            stopping.cancel()
    finally:
        await github.close()
        await queue.close()


async def serve_worker(settings: Settings) -> None:
    """Take jobs from Redis until SIGINT or SIGTERM (`coderag worker`)."""
    await worker.run_worker(settings)


@asynccontextmanager
async def running(settings: Settings, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[Running]:
    """Web and worker in this event loop, listening when it yields; port 0 takes a free one."""
    queue = connect(settings.redis_url)
    try:
        async with open_deps(settings, queue) as deps:
            identity = AppIdentity(deps.app.id, deps.app.slug, deps.handles)
            server = _Server(_config(create_app(settings, queue, identity), host, port))
            async with worker.running(deps):
                task = asyncio.create_task(server.serve())
                while not server.started and not task.done():
                    await asyncio.sleep(STARTED_LOOK)
                if task.done():
                    await task
                    raise OSError(f"cannot listen on {host}:{port}")
                listening = server.servers[0].sockets[0].getsockname()
                try:
                    yield Running(f"http://{listening[0]}:{listening[1]}", deps, task)
                finally:
                    server.should_exit = True
                    with suppress(asyncio.CancelledError):
                        await task
    finally:
        await queue.close()


class _Server(uvicorn.Server):
    """uvicorn without its hold on signals: after it has stopped it raises SIGTERM again, which would end the process
    before running jobs were given back and the parser's children ended."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def _end(server: uvicorn.Server, stop: asyncio.Event) -> None:
    await stop.wait()
    server.should_exit = True


def _config(app: Starlette, host: str, port: int) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        host=host,
        port=port,
        log_config=None,
        access_log=False,
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )
