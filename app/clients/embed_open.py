"""Chooses the embedder: a service where one is set, a local model where one is named, else the built-in one."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path

from app.clients.embed import Embedder, embedder
from app.clients.embed_http import HttpEmbedder, Learned, learn
from app.clients.embed_onnx import PREFIX, OnnxEmbedder
from app.clients.embed_service import Service
from app.core.errors import Transient

MEMORY = "embeddings.json"
"""Below the data directory: what the service said last. With it CodeRAG starts, and answers by words, while the service is away."""

log = logging.getLogger(__name__)


@asynccontextmanager
async def open_embedder(data_dir: Path, url: str = "", model: str = "", key: str = "") -> AsyncIterator[Embedder]:
    """The embedder of this installation, closed at the end. A service is asked once, for its dimension.

    Raises ConfigError where a setting must be mended, and Transient where a service that was never used before does not
    answer.
    """
    if model.startswith(PREFIX):
        yield await asyncio.to_thread(OnnxEmbedder, model.removeprefix(PREFIX))
    elif url:
        service = Service(url, model, key)
        try:
            remote = HttpEmbedder(service, await asyncio.to_thread(_learned, service, data_dir / MEMORY))
            try:
                yield remote
            finally:
                remote.close()
        finally:
            service.close()
    else:
        yield embedder()


def _learned(service: Service, memory: Path) -> Learned:
    try:
        learned = learn(service)
    except Transient as error:
        known = _recalled(service, memory)
        if known is None:
            raise
        log.warning("embeddings service away", extra={"error": str(error)})
        return known
    if learned != _recalled(service, memory):
        memory.parent.mkdir(parents=True, exist_ok=True)
        memory.write_text(json.dumps({"url": service.url, "model": service.model, **asdict(learned)}), "utf-8")
    return learned


def _recalled(service: Service, memory: Path) -> Learned | None:
    """What this model of this service said last; None for another one, or where nothing usable is kept."""
    try:
        kept = json.loads(memory.read_text("utf-8"))
        if (kept["url"], kept["model"]) != (service.url, service.model):
            return None
        return Learned(str(kept["answers_as"]), int(kept["dimension"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
