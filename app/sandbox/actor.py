"""How a test or the demo acts on the sandbox: on the server's own loop, and back when the deliveries it caused were answered."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import TypeVar, overload

from app.sandbox.host import Host
from app.sandbox.server import Server
from app.sandbox.state import Repository, User

T = TypeVar("T")


class Actor:
    """The host, the server, and the way to act on them."""

    host: Host
    server: Server

    @overload
    async def act(self, change: Callable[[], Awaitable[T]]) -> T: ...

    @overload
    async def act(self, change: Callable[[], T]) -> T: ...

    async def act(self, change: Callable[[], object]) -> object:
        """Make a change where the state lives, and wait until its deliveries were answered (or held back)."""

        async def work() -> object:
            result = change()
            if inspect.isawaitable(result):
                result = await result
            await self.host.webhooks.idle()
            return result

        return await self.server.run(work())

    def person(self, login: str | None, repository: Repository) -> User:
        """Who acts: the one named, else the owner (an organization acts through its `maintainer`)."""
        if login is not None:
            return self.host.state.user(login)
        owner = repository.owner
        return owner if owner.type == "User" else self.host.state.user("maintainer")
