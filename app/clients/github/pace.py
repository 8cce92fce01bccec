"""Keeps our writes below GitHub's limit on content creation; reads are not paced."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from app.core.errors import Transient

BURST = 20
"""Writes an installation may send at once after a quiet time, so that no single answer is slowed down."""

INTERVAL = 1.0
"""Seconds a write then; GitHub asks for one second between writes and stops at about 80 a minute: 20 + 60."""

LONGEST_WAIT = 20.0
"""Seconds a job may wait here; beyond that it is given back."""


class Pace:
    """A token bucket per installation."""

    def __init__(self, now: Callable[[], float], sleep: Callable[[float], Awaitable[None]]) -> None:
        self._now, self._sleep = now, sleep
        self._due: dict[int, float] = {}

    async def wait(self, installation: int) -> None:
        """Returns when the installation may write. Raises Transient where its turn is too far away."""
        now = self._now()
        due = max(self._due.get(installation, 0.0), now - BURST * INTERVAL)
        ahead = due + INTERVAL - now
        if ahead > LONGEST_WAIT:
            raise Transient("too many writes to one installation at once", ahead)
        self._due[installation] = due + INTERVAL
        if ahead > 0:
            await self._sleep(ahead)
