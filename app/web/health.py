"""Owns `/healthz` and `/readyz`: whether the process lives, and whether it can take deliveries; must not repair anything."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from starlette.requests import Request
from starlette.responses import JSONResponse

Check = Callable[[], Awaitable[object]]
"""Returns where what it looks at can be used, and raises where it cannot."""

CHECK_SECONDS = 2.0
"""For all checks together; a probe waits for a few seconds at most."""


async def healthz(_request: Request) -> JSONResponse:
    """200: the event loop runs. A process that does not answer here is to be restarted."""
    return JSONResponse({"alive": True})


async def readyz(request: Request) -> JSONResponse:
    """200 if every check passes, else 503; the body names each check and what is wrong with it."""
    checks: Mapping[str, Check] = request.app.state.checks
    found = dict(zip(checks, await asyncio.gather(*(_outcome(check) for check in checks.values())), strict=True))
    if not request.app.state.identity.complete:
        found["identity"] = "GitHub has not told the App's name yet"
    ready = all(outcome == "ok" for outcome in found.values())
    return JSONResponse({"ready": ready, "checks": found}, 200 if ready else 503, {"Cache-Control": "no-store"})


async def _outcome(check: Check) -> str:
    try:
        async with asyncio.timeout(CHECK_SECONDS):
            await check()
    except TimeoutError:
        return "no answer"
    except (
        Exception
    ) as problem:  # a probe must say what is wrong, whatever it is; the type alone, for /readyz is public
        return type(problem).__name__
    return "ok"
