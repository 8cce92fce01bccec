"""Owns who this App is, as far as it is known: asked of GitHub once, in the background; must not keep the process from starting."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from app.core.errors import CodeRagError
from app.core.routing import AppIdentity

log = logging.getLogger(__name__)

FIRST_PAUSE = 1.0  # seconds; doubled after each failure
LONGEST_PAUSE = 60.0

Ask = Callable[[], Awaitable[AppIdentity]]


class Identity:
    """`known` is what is known now. Until GitHub told the App's own name, only the configured handle is answered."""

    def __init__(self, known: AppIdentity, ask: Ask | None = None) -> None:
        self.known = known
        self.complete = ask is None
        self._ask = ask

    async def learn(self) -> None:
        """Ask until there is an answer, pausing longer each time. GitHub may be away, or a key not yet be accepted."""
        pause = FIRST_PAUSE
        while self._ask is not None and not self.complete:
            try:
                self.known = await self._ask()
                self.complete = True
                log.info("identity known", extra={"slug": self.known.slug, "app": self.known.app_id})
            except (CodeRagError, OSError) as problem:
                log.warning("identity not known yet", extra={"problem": str(problem), "pause": pause})
                await asyncio.sleep(pause)
                pause = min(pause * 2, LONGEST_PAUSE)
