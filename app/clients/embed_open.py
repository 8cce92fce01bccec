"""Chooses the embedder: a service where one is set, a local model where one is named, else the built-in one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from app.clients.embed import Embedder, embedder
from app.clients.embed_http import HttpEmbedder
from app.clients.embed_onnx import PREFIX, OnnxEmbedder
from app.clients.embed_service import Service


@asynccontextmanager
async def open_embedder(url: str = "", model: str = "", key: str = "") -> AsyncIterator[Embedder]:
    """The embedder of this installation, closed at the end. A service is asked once, for its dimension.

    Raises ConfigError where a setting must be mended, and Transient where the service does not answer.
    """
    if model.startswith(PREFIX):
        yield await asyncio.to_thread(OnnxEmbedder, model.removeprefix(PREFIX))
    elif url:
        service = Service(url, model, key)
        try:
            remote = await asyncio.to_thread(HttpEmbedder, service)
            try:
                yield remote
            finally:
                remote.close()
        finally:
            service.close()
    else:
        yield embedder()
