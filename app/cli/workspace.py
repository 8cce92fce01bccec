"""Opens what a command needs to work on a repository on this machine; keeps its index up to date, writes nothing into the repository."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from app.clients.embed import Embedder
from app.clients.embed_open import open_embedder
from app.clients.git import Mirror, local_mirror, origin_of
from app.clients.git.parse import show_path
from app.clients.index import Index
from app.clients.index.open import open_index
from app.clients.workers import Workers
from app.config import Settings
from app.core.errors import ConfigError, Gone, UserError
from app.core.rules import Rules
from app.core.types import BRANCH, Ledger, View
from app.core.wanted import NAMELESS, select
from app.steps.ingest import index_workers
from app.steps.reindex import Progress, reindex
from app.steps.retrieve import view_of
from app.steps.stored import read_all

PLACEHOLDER_URL = "https://github.com/OWNER/"
"""Where links point for a repository that has no `origin` on a web host."""


@dataclass(frozen=True)
class Workspace:
    """A local repository with its index. `html_url` is the web address of its `origin`, or a placeholder."""

    path: Path
    repo: int
    full_name: str
    html_url: str
    mirror: Mirror
    index: Index
    workers: Workers
    embedder: Embedder

    async def bring_to(self, revision: str, *, full: bool = False, progress: Progress | None = None) -> Ledger:
        """Index the tree at `revision` (anything git resolves) and return what was done. Raises Gone for an unknown revision."""
        try:
            head = await self.mirror.resolve(revision)
        except Gone as error:
            if revision != "HEAD":
                raise
            raise UserError(f"{self.path} has no commit yet, so there is nothing to index.") from error
        return await reindex(
            self.index,
            self.mirror,
            self.workers,
            self.embedder,
            repo=self.repo,
            scope=BRANCH,
            head=head,
            full_name=self.full_name,
            full=full,
            progress=progress,
        )

    async def held(self, ledger: Ledger) -> Ledger:
        """The ledger with what the index holds now: files left out and noted, chunks by language, whichever run saw them."""
        stored = await read_all(self.index, self.repo, ledger.scope)
        nameless = select(await self.mirror.tree(ledger.head), Rules()).nameless
        skipped = {NAMELESS: [show_path(path) for path in nameless]} if nameless else {}
        notes: dict[str, list[str]] = {}
        chunks: Counter[str] = Counter()
        for path, record in sorted(stored.files.items()):
            if record.skip:
                skipped.setdefault(record.skip, []).append(path)
            if record.note:
                notes.setdefault(record.note, []).append(path)
            chunks[record.language] += record.chunks
        return replace(ledger, skipped=skipped, notes=notes, chunks=dict(+chunks))

    async def view(self) -> View:
        return await view_of(self.index, self.repo)


def local_id(path: Path) -> int:
    """A repository id for a folder of this machine: stable, and above every id GitHub gives today."""
    digest = hashlib.blake2b(str(path).encode("utf-8", "surrogateescape"), digest_size=6).digest()
    return int.from_bytes(digest, "big") | 1 << 47


def web_address(remote: str) -> str | None:
    """The web page of a git remote (`git@host:o/r.git`, `ssh://…`, `https://…`), or None where it has none."""
    match = re.fullmatch(
        r"(?:https?://|ssh://)?(?:[^@/\s]+@)?([\w.-]+(?::\d+)?)[:/]+([\w.-]+/[\w.-]+?)(?:\.git)?/?", remote.strip()
    )
    return f"https://{match[1]}/{match[2]}" if match else None


@asynccontextmanager
async def open_workspace(path: Path, settings: Settings) -> AsyncIterator[Workspace]:
    """Open the repository at `path` and its index; everything is released at the end, also after an error."""
    root = path.expanduser().resolve()
    if not root.exists():
        raise ConfigError(f"{path} does not exist.")
    mirror = local_mirror(root)
    origin = await origin_of(mirror)
    html_url = (web_address(origin) if origin else None) or PLACEHOLDER_URL + (root.name or "repository")
    async with AsyncExitStack() as stack:
        embed = await stack.enter_async_context(
            open_embedder(
                settings.data_dir, settings.embeddings_url, settings.embeddings_model, settings.embeddings_api_key
            )
        )
        index = open_index(settings.data_dir, settings.qdrant_url, settings.qdrant_api_key, embed)
        stack.push_async_callback(index.close)
        workers = index_workers()
        stack.push_async_callback(workers.close)
        yield Workspace(
            path=root,
            repo=local_id(root),
            full_name="/".join(html_url.split("/")[-2:]),
            html_url=html_url,
            mirror=mirror,
            index=index,
            workers=workers,
            embedder=embed,
        )
