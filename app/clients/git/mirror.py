"""One repository read through git: a bare blobless mirror that can fetch, or a user's repository that is only read."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.clients.git import store
from app.clients.git.lock import exclusive
from app.clients.git.parse import MESSAGE, Commit, Revision, parse_changes, parse_diff, parse_log, parse_tree
from app.clients.git.remote import Remote, is_refusal, meaning
from app.clients.git.run import READ_SECONDS, Command, Finished, GitError, complaint, feed, run, started
from app.core.changes import Change
from app.core.errors import Gone, Transient, UserError
from app.core.types import TreeEntry

FETCH_SECONDS = 1800.0
"""A first blobless fetch of a repository with a million commits takes minutes."""
BLOB_BYTES = 1 << 20
"""The largest file that is read; the same limit as `Skip.TOO_LARGE`."""
WANTS_A_FETCH = 50_000
"""Blob ids asked for in one request (2 MB of request body)."""

MOST_LOST_BLOBS = 10
"""Blobs of its own commits that a remote may lack before we take it for broken; it should lack none."""

_OBJECT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z")
_REF = re.compile(r"refs/[^\x00-\x20\x7f~^:?*\[\\]+\Z")
_NOT_THERE = re.compile(r"not our ref ([0-9a-f]{40,64})")
_FILE_MODES = ("100644", "100755", "100664")
_CORRUPT = re.compile(
    r"bad object|corrupt|not a git repository|unable to read (tree|sha1)|unresolved deltas|bad (pack|tree)"
)


@dataclass(frozen=True)
class Mirror:
    """`path` is a git directory. Without a `remote` nothing is ever fetched or written; a file that is not here is
    then an error, or with `lenient` counts as one that does not exist any more.

    Paths are text with undecodable bytes as lone surrogates (`os.fsdecode` in UTF-8); ids are full and lower-case.
    Raises Gone for what does not exist, Transient for what may pass, GitError for what neither is.
    """

    path: Path
    remote: Remote | None = None
    lenient: bool = False

    # --- fetching ---------------------------------------------------------------------------------------------------

    async def fetch(self, refs: Sequence[str]) -> None:
        """Bring full ref names (`refs/heads/main`, `refs/pull/7/head`) or commit ids up to date, without blobs.

        One request for all. Does nothing without a remote. Raises Gone where a ref or the repository is not there.
        """
        if self.remote is None:
            return
        wants = [ref if _OBJECT_ID.match(ref) else f"+{_checked_ref(ref)}:{ref}" for ref in refs]
        try:
            await self._fetch("origin", *wants)
        except GitError as error:
            if not _CORRUPT.search(str(error)):
                raise
            await store.remove(self.path)  # a cache: made anew it is right again
            await self._fetch("origin", *wants)

    async def _fetch(self, *arguments: str, stdin: bytes = b"", noop: bool = False) -> None:
        assert self.remote is not None
        line = [
            "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-gc",
            "--recurse-submodules=no", "--filter=blob:none", *arguments,
        ]  # fmt: skip
        if noop:
            line[0:0] = ["-c", "fetch.negotiationAlgorithm=noop"]  # blobs have no history to negotiate about
        finished = await self._fetched(self.remote, line, stdin)
        if finished.code and is_refusal(finished.error):
            # The token was revoked or ended before its time: once more with a new one.
            self.remote.refused()
            finished = await self._fetched(self.remote, line, stdin)
        if finished.code:
            raise meaning(finished.error)

    async def _fetched(self, remote: Remote, line: list[str], stdin: bytes) -> Finished:
        config = await remote.config()
        async with exclusive(store.lock_of(self.path)) as lock:
            await store.prepare(self.path, config)
            command = Command(line, str(self.path), config, stdin, FETCH_SECONDS, keep_open=(lock,))
            finished = await run(command)
            if finished.code and await store.clear_conflicts(self.path, finished.error):
                finished = await run(command)
            return finished

    async def _fetch_blobs(self, missing: Sequence[str]) -> None:
        if self.remote is None:
            if self.lenient:
                return
            raise self._partial()
        for start in range(0, len(missing), WANTS_A_FETCH):
            await self._fetch_wanted(missing[start : start + WANTS_A_FETCH])

    async def _fetch_wanted(self, wanted: Sequence[str]) -> None:
        """One request. One id that the remote does not have refuses them all: it is named, left out, and the rest asked again."""
        left = dict.fromkeys(wanted)
        for _ in range(MOST_LOST_BLOBS):
            if not left:
                return
            try:
                await self._fetch("--stdin", "origin", stdin="".join(f"{blob}\n" for blob in left).encode(), noop=True)
                return
            except Gone as error:
                named = _NOT_THERE.search(str(error))
                if named is None or named[1] not in left:
                    raise
                del left[named[1]]
        raise Gone(f"the remote lacks more than {MOST_LOST_BLOBS} files of its own commits")

    # --- commits ----------------------------------------------------------------------------------------------------

    async def resolve(self, revision: str) -> str:
        """The commit id that a revision (id, branch, tag, `HEAD~2`) names. Raises Gone where there is none."""
        if not revision or revision.startswith("-") or not revision.isprintable():
            raise Gone(f"{revision!r} is no revision")
        finished = await self._git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        if finished.code:
            raise Gone(f"there is no commit {revision} here")
        return finished.out.decode().strip()

    async def contains(self, sha: str) -> bool:
        """Whether the commit is in the local store."""
        return (await self._git("cat-file", "-e", f"{_checked_id(sha)}^{{commit}}")).code == 0

    async def merge_base(self, one: str, other: str) -> str | None:
        """The best common ancestor, or None for unrelated histories."""
        finished = await self._git("merge-base", _checked_id(one), _checked_id(other))
        if finished.code == 1:
            return None
        return self._output(finished).decode().strip()

    async def history(self, sha: str, limit: int) -> list[Revision]:
        """The last `limit` commits reachable from `sha`, newest first, merges left out, with the paths each changed."""
        form = f"--format=%x01%H%x00%P%x00%an <%ae>{MESSAGE}"
        finished = await self._git(
            "log", "-z", form, "--name-only", "--no-renames", "--no-merges", f"-{int(limit)}", _checked_id(sha), "--"
        )
        return parse_log(self._output(finished))

    async def times(self, shas: Iterable[str]) -> dict[str, int]:
        """Commit id → commit time in seconds since 1970, of those commits that are here."""
        wanted = dict.fromkeys(_checked_id(sha) for sha in shas)
        arguments = ("rev-list", "--no-walk=unsorted", "--ignore-missing", "--timestamp", "--stdin")
        finished = await self._git(*arguments, stdin="".join(f"{sha}\n" for sha in wanted).encode()) if wanted else None
        lines = self._output(finished).decode().splitlines() if finished else []
        return {sha: int(time) for time, sha in (line.split() for line in lines)}

    async def changes(self, sha: str, limit: int) -> list[Commit]:
        """The last `limit` commits, newest first, merges left out, with their whole messages and what each changed."""
        finished = await self._git(
            "log", "-z", "--raw", "--no-abbrev", "--no-renames", "--no-merges", f"--format=%x01%H{MESSAGE}",
            f"-{int(limit)}", _checked_id(sha), "--",
        )  # fmt: skip
        return parse_changes(self._output(finished))

    async def first_parents(self, sha: str, limit: int) -> list[str]:
        """The last `limit` commit ids of the main line of `sha`, newest first: each is the first parent of the one before."""
        finished = await self._git("rev-list", "--first-parent", f"--max-count={int(limit)}", _checked_id(sha), "--")
        return self._output(finished).decode().split()

    # --- files ------------------------------------------------------------------------------------------------------

    async def tree(self, sha: str) -> list[TreeEntry]:
        """Every file, symlink and submodule of a commit in order of path. Sizes are known only of blobs that are here."""
        return parse_tree(self._output(await self._git("ls-tree", "-r", "-l", "-z", "--full-tree", _checked_id(sha))))

    async def diff(self, old: str, new: str) -> list[Change]:
        """The files that differ between two commits, in order of path. Needs no blob and finds no renames: the plan does."""
        arguments = (
            "diff-tree",
            "-r",
            "--raw",
            "-z",
            "--no-renames",
            "--no-abbrev",
            _checked_id(old),
            _checked_id(new),
        )
        return parse_diff(self._output(await self._git(*arguments)))

    async def sizes(self, ids: Iterable[str]) -> dict[str, int]:
        """Bytes of each blob, fetching those that are not here in one request. -1 for what the remote does not have."""
        sizes = await self._sizes(ids)
        missing = [blob for blob, size in sizes.items() if size < 0]
        if missing:
            await self._fetch_blobs(missing)
            sizes |= await self._sizes(missing)
        return sizes

    async def _sizes(self, ids: Iterable[str]) -> dict[str, int]:
        wanted = [_checked_id(blob) for blob in dict.fromkeys(ids)]
        if not wanted:
            return {}
        asked = "".join(f"{blob}\n" for blob in wanted).encode()
        finished = await self._git("cat-file", "--batch-check=%(objecttype) %(objectsize)", stdin=asked)
        lines = self._output(finished).decode().splitlines()
        return {
            blob: int(line.split()[1]) if line.startswith("blob ") else -1
            for blob, line in zip(wanted, lines, strict=True)
        }

    async def blobs(
        self, ids: Iterable[str], limit: int = BLOB_BYTES
    ) -> AsyncGenerator[tuple[str, bytes | None], None]:
        """The content of each blob, one at a time: first those that are missing or over `limit` bytes, as None, then the
        others in the order asked for. Repeated ids are given once.

        Blobs that are not here are fetched first, all in one request. Close the iterator (`contextlib.aclosing`) to stop early.
        """
        sizes = await self.sizes(ids)
        wanted = [blob for blob, size in sizes.items() if 0 <= size <= limit]
        for blob in sizes.keys() - set(wanted):
            yield blob, None
        if not wanted:
            return
        command = Command(["cat-file", "--batch", "--buffer"], str(self.path))
        asked = "".join(f"{blob}\n" for blob in wanted).encode()
        async with started(command) as process:
            # Plain tasks: a TaskGroup around a `yield` would turn an early close into an error.
            sides = [asyncio.create_task(feed(process, asked)), asyncio.create_task(complaint(process))]
            try:
                for blob in wanted:
                    yield blob, await _next_blob(process, blob)
            finally:
                for task in sides:
                    task.cancel()
                await asyncio.gather(*sides, return_exceptions=True)

    async def read(self, sha: str, path: str, limit: int = BLOB_BYTES) -> bytes | None:
        """The content of a file at a commit; None where there is no such file, or it is a link, or over `limit` bytes."""
        entry = await self.entry(sha, path)
        if entry is None or entry.mode not in _FILE_MODES:
            return None
        async with contextlib.aclosing(self.blobs([entry.blob], limit)) as contents:
            async for _, data in contents:
                return data
        return None

    async def entry(self, sha: str, path: str) -> TreeEntry | None:
        """The tree's entry of one file, or None. `path` is literal; a folder is no file."""
        if "\0" in path or not {"", ".", ".."}.isdisjoint(path.split("/")):
            return None  # git would complain of some of these; no tree holds any
        finished = await self._git("ls-tree", "-l", "-z", "--full-tree", _checked_id(sha), "--", path)
        return next((entry for entry in parse_tree(self._output(finished)) if entry.path == path), None)

    # --- running ----------------------------------------------------------------------------------------------------

    async def _git(self, *arguments: str, stdin: bytes = b"") -> Finished:
        if not self.path.is_dir():
            raise Gone(f"there is no mirror at {self.path.name} yet")
        return await run(Command(arguments, str(self.path), stdin=stdin))

    def _output(self, finished: Finished) -> bytes:
        if finished.code == 0:
            return finished.out
        if re.search(r"Not a valid object name|bad object|not a tree object|unknown revision", finished.error):
            raise Gone(f"git: {finished.error}")
        if "promisor remote" in finished.error:
            raise self._partial()
        raise GitError(f"git: {finished.error}")

    def _partial(self) -> UserError:
        return UserError(
            f"files are missing from {self.path}: it is a partial clone. "
            "Run `git fetch --refetch --no-filter` there, or index a full clone."
        )


def _checked_id(sha: str) -> str:
    if not _OBJECT_ID.match(sha):
        raise Gone(f"{sha[:80]!r} is no object id")
    return sha


def _checked_ref(ref: str) -> str:
    if not _REF.match(ref) or ".." in ref or ref.endswith((".lock", "/", ".")):
        raise Gone(f"{ref[:80]!r} is no full ref name")
    return ref


async def _next_blob(process: asyncio.subprocess.Process, blob: str) -> bytes | None:
    assert process.stdout is not None
    try:
        async with asyncio.timeout(READ_SECONDS):
            header = (await process.stdout.readuntil(b"\n")).split()
            if len(header) < 3 or header[1] != b"blob":
                return None
            data = await process.stdout.readexactly(int(header[2]) + 1)
    except TimeoutError as late:
        raise Transient("git cat-file gave nothing for too long") from late
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
        raise GitError(f"git cat-file ended before {blob}") from error
    return data[:-1]
