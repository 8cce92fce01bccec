"""The life of the embedded store's shards: made, opened, closed, rebuilt, vacuumed, removed. Knows nothing of what they hold.

A shard is a folder that one process at a time may open. What is in it can always be made again from git, so a folder that
cannot be read is thrown away, but never for a reason that lies outside it.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import re
import shutil
import sys
import tempfile
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import qdrant_edge as edge

from app.clients.index import points as rules
from app.core.errors import CodeRagError, ConfigError, Transient

log = logging.getLogger(__name__)

OPEN_SHARDS = 64
"""Shards kept open. Each costs a thread, a few files and about 2 MB; opening one again takes tens of milliseconds."""
NO_GRAPH = 100_000_000
"""kB of vectors before HNSW is built, in other words never: building it for 20,000 points froze the process for 20 s."""
DEAD_SHARE = 0.3
"""Share of vector slots that deleted points may hold. A dead slot costs 1.1 kB and a little of every search."""
DEAD_AT_LEAST = 5_000
"""Dead slots, 6 MB, below which a vacuum is not worth its child process."""
SLOTS_BYTES = 8
"""Size of the number that a segment of qdrant-edge 0.9.0 keeps its slots in."""
VACUUM_SECONDS = 600
"""Copying live points takes 0.12 ms each: two minutes for a million."""
VACUUM = "import sys, qdrant_edge; shard = qdrant_edge.EdgeShard.load(sys.argv[1]); shard.optimize(); shard.flush(); shard.close()"
ASIDE = ".aside-"
"""Start of the names of folders that are being built or removed."""
LEFTOVER_SECONDS = 3_600
"""Age at which a folder aside was left by a killed process."""
NOT_CORRUPT = {errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EACCES, errno.EPERM}
NOT_CORRUPT |= {errno.EROFS, errno.EIO, errno.EINTR}
"""Reasons for a failed opening that say nothing about the data: never a reason to throw it away."""

T = TypeVar("T")


class Shards:
    """The shards of one collection, in `directory`/<repository id>; at most `OPEN_SHARDS` are open.

    Nobody keeps a shard across an await: ask again. So the one closed to make room is never in use.
    """

    def __init__(self, directory: Path, dimension: int) -> None:
        self._directory = directory
        self._dimension = dimension
        self._open: OrderedDict[int, edge.EdgeShard] = OrderedDict()
        self._vacuumed: dict[int, asyncio.Event] = {}

    async def get(self, repo: int) -> edge.EdgeShard | None:
        """The repository's shard; None where there is none. ConfigError where another process holds it."""
        while (done := self._vacuumed.get(repo)) is not None:
            await done.wait()
        return self._get(repo)

    async def get_or_new(self, repo: int) -> edge.EdgeShard:
        """The repository's shard, made where there is none."""
        shard = await self.get(repo)
        if shard is None:
            _build(self._path(repo), self._dimension)
            shard = self._get(repo)
        if shard is None:
            raise Transient(f"the index in {self._path(repo)} is being changed by something else")
        return shard

    async def remove(self, repo: int) -> None:
        """Removes the shard and its folder. Opened first: never removed under another process."""
        if (shard := await self.get(repo)) is not None:
            del self._open[repo]
            call(shard.close)
            _discard(self._path(repo))

    def repositories(self) -> list[int]:
        """Ids of all shards, ascending."""
        names = [each.name for each in self._directory.iterdir()] if self._directory.is_dir() else []
        return sorted(int(name) for name in names if re.fullmatch(r"\d+", name))

    async def vacuum(self, repo: int) -> bool:
        """Rewrites a shard that is mostly deleted points; whether it did. Calls for this repository wait meanwhile.

        In a child process, since qdrant-edge would hold this one's interpreter for as long as it takes.
        """
        shard = await self.get(repo)
        if shard is None or not _is_worth_it(self._path(repo), call(shard.info).points_count):
            return False
        done = self._vacuumed[repo] = asyncio.Event()
        try:
            del self._open[repo]
            call(shard.close)
            await _vacuum_in_child(self._path(repo))
        finally:
            del self._vacuumed[repo]
            done.set()
        return True

    async def close(self) -> None:
        """Flushes and closes every shard."""
        while self._open:
            self._close_oldest()

    def _path(self, repo: int) -> Path:
        return self._directory / str(repo)

    def _get(self, repo: int) -> edge.EdgeShard | None:
        if (shard := self._open.get(repo)) is not None:
            self._open.move_to_end(repo)
            return shard
        path = self._path(repo)
        shard = _load(path) if path.exists() else None
        if shard is not None:
            while len(self._open) >= OPEN_SHARDS:
                self._close_oldest()
            self._open[repo] = shard
        return shard

    def _close_oldest(self) -> None:
        _, shard = self._open.popitem(last=False)
        call(shard.flush)
        call(shard.close)


def call(function: Callable[..., T], *arguments: object) -> T:
    """Runs one call of qdrant-edge; its bare Exception becomes ours, a passing one where disk or memory is the reason."""
    try:
        return function(*arguments)
    except (TypeError, ValueError):
        raise  # our own mistake in the arguments
    except BaseException as error:
        if not _is_edge_error(error):
            raise
        if _passes(str(error)):
            raise Transient(f"embedded index: {error}") from error
        raise CodeRagError(f"embedded index: {error}") from error


def _load(path: Path) -> edge.EdgeShard | None:
    """The shard at `path`, or None (and the folder gone) where it is broken."""
    try:
        return edge.EdgeShard.load(str(path))
    except BaseException as error:
        if not _is_edge_error(error):
            raise
        message = str(error)
    if "WouldBlock" in message:
        raise ConfigError(
            f"the index in {path} is in use by another process: stop that one, or set QDRANT_URL, since only a Qdrant "
            "server can be shared between processes"
        )
    if _passes(message):
        raise Transient(f"the index in {path} could not be opened: {message}")
    log.warning("index shard is broken and is built again", extra={"path": str(path), "reason": message})
    _discard(path)
    return None


def _is_edge_error(error: BaseException) -> bool:
    """qdrant-edge raises bare Exception, and where its own code panics (a file cut short) a BaseException by this name."""
    return isinstance(error, Exception) or type(error).__name__ == "PanicException"


def _passes(message: str) -> bool:
    number = re.search(r"os error (\d+)", message)
    return number is not None and int(number.group(1)) in NOT_CORRUPT


def _build(path: Path, dimension: int) -> None:
    """An empty shard with its payload indexes, made aside and renamed: a process killed here leaves no half a shard."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for leftover in path.parent.glob(f"{ASIDE}*"):
        if time.time() - leftover.stat().st_mtime > LEFTOVER_SECONDS:
            shutil.rmtree(leftover, ignore_errors=True)
    aside = Path(tempfile.mkdtemp(prefix=ASIDE, dir=path.parent))
    shard = call(edge.EdgeShard.create, str(aside), _config(dimension))
    for field in rules.KEYWORD_FIELDS:
        call(shard.update, edge.UpdateOperation.create_field_index(field, edge.PayloadSchemaType.Keyword))
    call(shard.flush)
    call(shard.close)
    try:
        aside.rename(path)
    except OSError:  # another process was first; opening that one's shard will say so
        shutil.rmtree(aside, ignore_errors=True)


def _discard(path: Path) -> None:
    """Removes a shard. Renamed first, so that a process killed on the way leaves no half a shard under its name."""
    aside = path.with_name(f"{ASIDE}{path.name}-{time.time_ns()}")
    path.rename(aside)
    shutil.rmtree(aside, ignore_errors=True)


def _config(dimension: int) -> edge.EdgeConfig:
    """Float16 halves the vectors on disk; cosines move by less than 0.001."""
    half = edge.VectorStorageDatatype.Float16
    return edge.EdgeConfig(
        vectors={rules.DENSE: edge.EdgeVectorParams(size=dimension, distance=edge.Distance.Cosine, datatype=half)},
        sparse_vectors={rules.SPARSE: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)},
        optimizers=edge.EdgeOptimizersConfig(
            indexing_threshold=NO_GRAPH, deleted_threshold=DEAD_SHARE, vacuum_min_vector_number=DEAD_AT_LEAST
        ),
    )


def _is_worth_it(path: Path, points: int) -> bool:
    dead = slots(path) - points
    return dead > max(DEAD_AT_LEAST, DEAD_SHARE * (dead + points))


def slots(path: Path) -> int:
    """Dense vectors the shard at `path` has room for, those of deleted points among them; 0 where it does not tell.

    Read from the segments' own files: `ShardInfo` forgets the deleted ones when a shard is opened again.
    """
    lengths = [
        status.read_bytes() for status in path.glob(f"segments/*/vector_storage-{rules.DENSE}/vectors/status.dat")
    ]
    return sum(int.from_bytes(length, "little") for length in lengths if len(length) == SLOTS_BYTES)


async def _vacuum_in_child(path: Path) -> None:
    """Runs `VACUUM` to its end, or kills it: a child left behind would keep the shard locked."""
    environment = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        VACUUM,
        str(path),
        env=environment,
        stdin=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(VACUUM_SECONDS):
            _, errors = await child.communicate()
    except TimeoutError:
        errors = b"timeout"
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    if child.returncode:
        log.warning("index shard could not be vacuumed", extra={"path": str(path), "reason": errors[-500:].decode()})
