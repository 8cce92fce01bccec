"""Starts and stops the processes of the bot: web and worker in one (`coderag serve`), or web alone; owns nothing else."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass

import uvicorn
from starlette.applications import Starlette

from app.clients.github import GitHub
from app.config import Settings
from app.core.errors import ConfigError
from app.core.routing import AppIdentity
from app.core.types import App
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
            await _first(bot.server, stop)


async def serve_web(settings: Settings, host: str, port: int) -> None:
    """Receive webhooks and queue them in Redis until SIGINT or SIGTERM (`coderag web`). Raises ConfigError as `serve` does."""
    settings.require_app().require_redis()
    queue = connect(settings.redis_url)
    github = GitHub(settings.app_id, settings.private_key, settings.api_url)

    async def ask() -> AppIdentity:
        return _identity(settings, await github.app())

    try:
        with ended_by_signals() as stop:
            async with _listening(create_app(settings, queue, ask), host, port) as (_, server):
                await _first(server, stop)
    finally:
        await github.close()
        await queue.close()


async def serve_worker(settings: Settings) -> None:
    """Take jobs from Redis until SIGINT or SIGTERM (`coderag worker`)."""
    await worker.run_worker(settings)


@asynccontextmanager
async def running(settings: Settings, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[Running]:
    """Web and worker in this event loop, listening when it yields; port 0 takes a free one.

    Raises ConfigError where the address cannot be listened on.
    """
    queue = connect(settings.redis_url)
    try:
        async with open_deps(settings, queue) as deps:
            app = create_app(settings, queue, _identity(settings, deps.app))
            async with worker.running(deps), _listening(app, host, port) as (url, server):
                yield Running(url, deps, server)
    finally:
        await queue.close()


@asynccontextmanager
async def _listening(app: Starlette, host: str, port: int) -> AsyncIterator[tuple[str, asyncio.Task[None]]]:
    """The address and the task of a web server that listens; it ends with the block."""
    # Bound here, because uvicorn answers a port that is taken with a trace and the end of the process.
    with _bound(host, port) as listener:
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            ws="none",
            timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        )
        server = _Server(config)
        task = asyncio.create_task(server.serve(sockets=[listener]))
        while not server.started and not task.done():
            await asyncio.sleep(STARTED_LOOK)
        name, number = listener.getsockname()[:2]
        try:
            yield f"http://{f'[{name}]' if ':' in name else name}:{number}", task
        finally:
            server.should_exit = True
            with suppress(asyncio.CancelledError):
                await task


def _bound(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        bound = socket.socket(family, kind, protocol)
    except OSError as error:
        raise ConfigError(f"cannot listen on {host}:{port}: {error.strerror or error}") from error
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
    except OSError as error:
        bound.close()
        raise ConfigError(f"cannot listen on {host}:{port}: {error.strerror}; choose another with --port") from error
    return bound


def _identity(settings: Settings, app: App) -> AppIdentity:
    return AppIdentity(app.id, app.slug, tuple(name for name in (app.slug, settings.handle) if name))


async def _first(server: asyncio.Task[None], stop: asyncio.Event) -> None:
    """Return when the server has ended or a signal came."""
    stopped = asyncio.create_task(stop.wait())
    await asyncio.wait([server, stopped], return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()


class _Server(uvicorn.Server):
    """uvicorn without its hold on signals: after it has stopped it raises SIGTERM again, which would end the process
    before running jobs were given back and the parser's children ended."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to `ended_by_signals`."""
        yield
