"""What a job is given: opened once a worker, closed with it; holds no state about any repository."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from app.clients.embed import Embedder
from app.clients.embed_open import open_embedder
from app.clients.git import Mirrors
from app.clients.github import GitHub
from app.clients.index import Index
from app.clients.index.open import open_index
from app.clients.workers import Workers
from app.config import Settings
from app.core.types import App
from app.queue import Queue
from app.steps.ingest import index_workers

MIRRORS = "mirrors"
"""The folder of git mirrors below the data directory."""


@dataclass(frozen=True)
class Deps:
    """The outside world, one client each, and who we are in it."""

    settings: Settings
    github: GitHub
    queue: Queue
    index: Index
    embedder: Embedder
    mirrors: Mirrors
    workers: Workers
    app: App

    @property
    def handles(self) -> tuple[str, ...]:
        """The names that speak to us: the App's own and the configured alias."""
        return tuple(name for name in (self.app.slug, self.settings.handle) if name)


@asynccontextmanager
async def open_deps(settings: Settings, queue: Queue) -> AsyncIterator[Deps]:
    """Open everything a job needs; all is released at the end, also after an error, in the reverse order.

    Raises ConfigError where GitHub does not accept the App's key, or the embeddings service its settings.
    """
    async with AsyncExitStack() as stack:
        github = GitHub(settings.app_id, settings.private_key, settings.api_url)
        stack.push_async_callback(github.close)
        app = await github.app()
        embed = await stack.enter_async_context(
            open_embedder(
                settings.data_dir, settings.embeddings_url, settings.embeddings_model, settings.embeddings_api_key
            )
        )
        index = open_index(settings.data_dir, settings.qdrant_url, settings.qdrant_api_key, embed)
        stack.push_async_callback(index.close)
        workers = index_workers()
        stack.push_async_callback(workers.close)
        mirrors = Mirrors(settings.data_dir / MIRRORS)
        yield Deps(settings, github, queue, index, embed, mirrors, workers, app)
