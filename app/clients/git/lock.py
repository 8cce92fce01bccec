"""One writer at a time for a mirror, across processes. Owns the lock file; knows nothing of git."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
from collections.abc import AsyncIterator
from pathlib import Path

from app.core.errors import Transient

WAIT_SECONDS = 900.0
"""How long a job waits for another's fetch before it is given back to the queue."""
POLL_SECONDS = (0.01, 0.1)
"""First and longest pause between tries; a blocked thread could not be cancelled."""


@contextlib.asynccontextmanager
async def exclusive(path: Path, seconds: float = WAIT_SECONDS) -> AsyncIterator[int]:
    """Hold the lock at `path`; gives its descriptor. Raises Transient after `seconds`.

    A child that inherits the descriptor keeps the lock: while an orphaned git of a killed process still writes, nobody
    else does.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    give_up = asyncio.get_running_loop().time() + seconds
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            await _take(descriptor, path, give_up)
            if _is_at(descriptor, path):  # else its holder removed it with the mirror, and a newer file is the lock
                yield descriptor
                return
        finally:
            os.close(descriptor)


async def _take(descriptor: int, path: Path, give_up: float) -> None:
    pause, longest = POLL_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if asyncio.get_running_loop().time() >= give_up:
                raise Transient(f"{path.name} is held by another process") from None
            await asyncio.sleep(pause)
            pause = min(longest, pause * 2)
        else:
            return


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False
