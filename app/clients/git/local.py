"""Finds a user's repository on disk: clone, linked work tree, submodule or bare. Never writes into it."""

from __future__ import annotations

from pathlib import Path

from app.clients.git.mirror import Mirror
from app.clients.git.run import Command, run
from app.core.errors import UserError

POINTER = "gitdir:"
"""How a `.git` file of a linked work tree or submodule starts."""
POINTER_BYTES = 4096
"""Most that is read of a `.git` file; it holds one path."""


def local_mirror(path: Path) -> Mirror:
    """A Mirror that reads the repository at `path`, or the one that holds it. Raises UserError where there is none.

    The git directory is found here rather than by git, which refuses repositories of another owner (a mounted folder in
    a container) unless a setting of the user's, which we do not read, allows them.
    """
    start = path.expanduser().resolve()
    for folder in (start, *start.parents):
        for candidate in (folder / ".git", folder):
            found = _git_directory(candidate)
            if found is not None:
                return Mirror(found)
    raise UserError(f"{path} is not in a git repository; name a clone, or run `git init` and commit there first")


async def origin_of(mirror: Mirror) -> str:
    """The URL of the repository's remote `origin`, as its owner wrote it; empty where there is none."""
    finished = await run(Command(["config", "--local", "--get", "remote.origin.url"], str(mirror.path)))
    return finished.out.decode("utf-8", "replace").strip() if finished.code == 0 else ""


def _git_directory(candidate: Path) -> Path | None:
    if candidate.is_file() and candidate.name == ".git":
        with candidate.open("rb") as file:
            text = file.read(POINTER_BYTES).decode("utf-8", "surrogateescape").strip()
        if not text.startswith(POINTER):
            return None
        candidate = (candidate.parent / text.removeprefix(POINTER).strip()).resolve()
    is_repository = (candidate / "HEAD").is_file() and (
        (candidate / "objects").is_dir() or (candidate / "commondir").is_file()
    )
    return candidate if is_repository else None
