"""Builds the web process: its routes, its answers to errors, its start and end; must not decide about events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.config import Settings
from app.core.routing import AppIdentity
from app.queue import Queue
from app.web.health import Check, healthz, readyz
from app.web.identity import Ask, Identity
from app.web.webhook import webhook


def create_app(
    settings: Settings, queue: Queue, identity: AppIdentity | Ask, checks: Mapping[str, Check] | None = None
) -> Starlette:
    """The web application. `identity` is who we are, or an async function that finds out, called after the start.

    `checks` are asked by `/readyz` beside Redis (`index`, where this process holds one). The caller opens the queue and
    closes it. Raises ConfigError where the settings are not enough to receive webhooks.
    """
    settings.require_app()
    app = Starlette(
        routes=[
            Route("/webhook", webhook, methods=["POST"]),
            Route("/healthz", healthz, methods=["GET"]),
            Route("/readyz", readyz, methods=["GET"]),
        ],
        exception_handlers={HTTPException: _refusal},
        lifespan=_lifespan,
    )
    app.state.settings = settings
    app.state.queue = queue
    app.state.checks = {"redis": queue.ping, **(checks or {})}
    app.state.identity = _identity(settings, identity)
    return app


def _identity(settings: Settings, identity: AppIdentity | Ask) -> Identity:
    if isinstance(identity, AppIdentity):
        return Identity(identity)
    return Identity(AppIdentity(settings.app_id, handles=tuple(filter(None, [settings.handle]))), identity)


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    learning = asyncio.create_task(app.state.identity.learn())
    try:
        yield
    finally:
        learning.cancel()
        await asyncio.wait([learning])


async def _refusal(_request: Request, refused: Exception) -> Response:
    assert isinstance(refused, HTTPException)
    return JSONResponse({"error": refused.detail}, refused.status_code, refused.headers)
