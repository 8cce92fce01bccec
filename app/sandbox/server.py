"""Runs one stand-in GitHub on a socket of its own, in a thread of its own: a caller that blocks must not stop it."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import uvicorn
from starlette.requests import Request as HttpRequest
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from app.sandbox import git_http, pages, rest
from app.sandbox.host import Host
from app.sandbox.rest import Dropped

T = TypeVar("T")

SHUTDOWN_SECONDS = 0.2
"""How long open requests may go on once the sandbox closes."""
TICK_SECONDS = 0.1
"""How often uvicorn renews its Date header."""
TICKS_A_DAY = 864_000

Transports = dict[tuple[str, int], asyncio.Transport]


def _protocol(transports: Transports) -> type[H11Protocol]:
    """An HTTP protocol that remembers each connection, so that a script can cut it."""

    class Connection(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            transports[transport.get_extra_info("peername")[:2]] = transport

        def connection_lost(self, exc: Exception | None) -> None:
            transports.pop(self.transport.get_extra_info("peername")[:2], None)
            super().connection_lost(exc)

    return Connection


class _Uvicorn(uvicorn.Server):
    """A uvicorn that says when it serves and ends at once: its own ends take 0.2 s, which every test would pay."""

    def __init__(self, config: uvicorn.Config, ready: threading.Event, transports: Transports) -> None:
        super().__init__(config)
        self._ready = ready
        self._transports = transports
        self.ended = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready.set()

    async def main_loop(self) -> None:
        counter = 0
        while not await self.on_tick(counter):
            counter = (counter + 1) % TICKS_A_DAY
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(TICK_SECONDS):
                    await self.ended.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop listening, let open requests finish for a while, then cut what is left."""
        for server in self.servers:
            server.close()
        for one in sockets or []:
            one.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        if tasks := set(self.server_state.tasks):
            _, late = await asyncio.wait(tasks, timeout=SHUTDOWN_SECONDS)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        for transport in list(self._transports.values()):
            transport.abort()
        # Each transport tells its protocol on the loop's next round.
        await asyncio.sleep(0)
        await asyncio.sleep(0)


class Server:
    """The thread, its event loop and its socket."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self._transports: Transports = {}
        # asyncio turns Nagle's delay (40 ms an answer) off only where the socket names its protocol.
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self._socket.bind(("127.0.0.1", 0))
        self.host.state.html_url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sandbox", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._uvicorn = _Uvicorn(
            uvicorn.Config(
                self._application,
                http=_protocol(self._transports),
                ws="none",
                interface="asgi3",
                proxy_headers=False,
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
            ),
            self._ready,
            self._transports,
        )

    def start(self) -> None:
        """Serve; returns once requests are answered."""
        self._thread.start()
        self._ready.wait()

    def stop(self) -> None:
        """End the server and its thread; returns once both are gone."""
        self._uvicorn.should_exit = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._uvicorn.ended.set)
        self._thread.join()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.host.webhooks.start()
        try:
            await self._uvicorn.serve(sockets=[self._socket])
        finally:
            self._ready.set()
            await self.host.webhooks.close()

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Await `work` on the server's own loop, where all state lives."""
        assert self._loop is not None
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    def call(self, function: Callable[[], T]) -> T:
        """Call a function that does not wait on the server's own loop."""

        async def work() -> T:
            return function()

        assert self._loop is not None
        return asyncio.run_coroutine_threadsafe(work(), self._loop).result()

    async def _application(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send each request to REST, git or the pages; cut the connection where the script says so."""
        if scope["type"] != "http":
            return
        request = HttpRequest(scope, receive)
        try:
            response = await self._respond(request)
            await response(scope, receive, send)
        except Dropped:
            await self._cut(scope)

    async def _respond(self, request: HttpRequest) -> Response:
        path = request.scope["path"]
        if path.startswith("/api/"):
            return await rest.answer(self.host, request)
        git = git_http.URL.fullmatch(path)
        if git:
            return await git_http.answer(self.host, request, git[1], git[2])
        return await pages.answer(self.host, request)

    async def _cut(self, scope: Scope) -> None:
        transport = self._transports.get(tuple(scope["client"][:2]))
        if transport is not None:
            transport.abort()
        # The protocol must see the loss before the request ends, or uvicorn would answer 500.
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(0)
            await asyncio.sleep(0)
