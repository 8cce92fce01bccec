"""The directory of all mirrors: one bare repository per repository id. Owns their names; fetches nothing itself."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from app.clients.git import store
from app.clients.git.lock import exclusive
from app.clients.git.mirror import Mirror
from app.clients.git.remote import Remote


@dataclass(frozen=True)
class Mirrors:
    """Mirrors are named by repository id, never by name, so a renamed or transferred repository keeps its own."""

    directory: Path

    def mirror(self, repo: int, remote: Remote | None = None) -> Mirror:
        """The mirror of one repository; made on disk by its first fetch."""
        return Mirror(self.directory / f"{int(repo)}.git", remote)

    def repositories(self) -> list[int]:
        """Ids of all repositories that have a mirror, ascending."""
        return sorted(int(path.stem) for path in self.directory.glob("*.git") if path.stem.isdigit())

    async def forget(self, repo: int) -> None:
        """Remove the mirror and its lock, waiting for a fetch that runs. Nothing happens where there is none."""
        path = self.mirror(repo).path
        if not self.directory.is_dir():
            return
        async with exclusive(store.lock_of(path)):
            await store.remove(path)
            await store.remove(path.with_name(f"{path.name}.new"))
            store.lock_of(path).unlink(missing_ok=True)
