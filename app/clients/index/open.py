"""Chooses the store: a Qdrant server where one is set, else the embedded one. Knows nothing else about either."""

from __future__ import annotations

from pathlib import Path

from app.clients.embed import Embedder
from app.clients.index import Index

FOLDER = "index"


def open_index(data_dir: Path, qdrant_url: str | None, qdrant_api_key: str | None, embedder: Embedder) -> Index:
    """The index of this installation for vectors of `embedder`; nothing is opened or sent before its first call.

    A ConfigError comes from that first call: an unusable URL or key, too old a server, a folder another process holds.
    """
    # Imported when chosen: qdrant-client takes 0.7 s and 86 MB that an embedded installation need not spend.
    if qdrant_url:
        from app.clients.index.server import ServerIndex, connect

        return ServerIndex(connect(qdrant_url, qdrant_api_key), embedder.id, embedder.dimension)
    from app.clients.index.edge import EdgeIndex

    return EdgeIndex(data_dir / FOLDER, embedder.id, embedder.dimension)
