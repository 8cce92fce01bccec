"""The vector store behind one small interface. Owns how points are kept; decides nothing about the product."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from app.core.types import Hit, Point, Sparse, Where


class Index(Protocol):
    """A store of points, one tenant a repository. Every call names the repository id; no call reaches two of them.

    Refuses (ValueError) vectors that are not finite or of the wrong dimension, and sparse ids that repeat.
    """

    @property
    def name(self) -> str:
        """The collection's name: project, schema version and embedding model id."""

    async def upsert(self, repo: int, points: Sequence[Point]) -> None:
        """Write points; an id that exists is replaced whole."""

    async def delete_ids(self, repo: int, ids: Sequence[str]) -> None:
        """Delete points by id; unknown ids are passed over."""

    async def delete(self, repo: int, where: Where) -> None:
        """Delete all points that match."""

    async def read(
        self,
        repo: int,
        where: Where,
        *,
        fields: Sequence[str] | None = None,
        vectors: bool = False,
        limit: int | None = None,
    ) -> list[Point]:
        """All points that match, in order of id. `fields` cuts the payload to those keys; `vectors` adds the dense vector."""

    async def get(self, repo: int, ids: Sequence[str], *, vectors: bool = False) -> list[Point]:
        """Points by id, those that exist, in the order asked for."""

    async def nearest(
        self, repo: int, where: Where, dense: NDArray[np.float32] | None, sparse: Sparse | None, limit: int
    ) -> tuple[list[Hit], list[Hit]]:
        """The best `limit` points by cosine and by IDF-weighted dot product, each best first, ties by id.

        IDF counts the chunks of this repository only (type "chunk"), whatever `where` says. A query that is None gives [].
        """

    async def count(self, repo: int, where: Where) -> int:
        """How many points match, exactly."""

    async def flush(self, repo: int) -> None:
        """Return only when every acknowledged write survives a power cut (embedded) or is acknowledged (server)."""

    async def forget(self, repo: int) -> None:
        """Remove every trace of the repository."""

    async def repositories(self) -> list[int]:
        """Ids of all repositories that have points, ascending."""

    async def close(self) -> None:
        """Release files and connections."""
