"""Runs one git command: clean environment, no prompt, no lazy fetch, bounded time and output. Knows no repository.

Every command runs in its own process group, which is killed on timeout, on too much output and on cancellation.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field

from app.core.errors import CodeRagError, Transient

READ_SECONDS = 120.0
"""For commands that only read the local store; listing a tree of a million files takes some seconds."""
OUTPUT_BYTES = 512 << 20
"""Most that one command may print: a tree of a million files prints about 100 MB."""
PIPE_BYTES = 1 << 20
"""How much of git's output waits in memory before git is made to wait."""
ERROR_CHARACTERS = 500
"""How much of git's complaint is kept."""

PASSED_ON = (
    "PATH", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO", "GIT_EXEC_PATH",
    "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
)  # fmt: skip
"""The only variables of ours that git sees: no secret, no GIT_DIR of a surrounding hook, no HOME with a .netrc."""

QUIET = {
    "LC_ALL": "C",  # errors are told apart by their English text
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",  # a replaced object would show text that its id does not name
    "GIT_ATTR_NOSYSTEM": "1",
}

SAFE = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.quotePath": "false",
    "credential.helper": "",
    "protocol.allow": "never",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "submodule.recurse": "false",
}

_USERINFO = re.compile(r"//[^/\s@]*@")


class GitError(CodeRagError):
    """git failed in a way that neither passes by itself nor is the user's. The message is git's own, without credentials."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A command that ended: its exit code, output and the end of its complaint."""

    code: int
    out: bytes
    error: str


@dataclass(frozen=True)
class Command:
    """What to run: git's arguments after the configuration, the repository, settings passed by the environment."""

    arguments: Sequence[str]
    git_dir: str | None = None
    config: Mapping[str, str] = field(default_factory=dict)
    stdin: bytes = b""
    seconds: float = READ_SECONDS
    keep_open: tuple[int, ...] = ()

    def environment(self) -> dict[str, str]:
        """Settings travel as GIT_CONFIG_COUNT/KEY/VALUE: a token among them is neither in argv nor in a file."""
        settings = {**SAFE, **self.config}
        environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        environment |= QUIET
        environment["GIT_CONFIG_COUNT"] = str(len(settings))
        for number, (key, value) in enumerate(settings.items()):
            environment[f"GIT_CONFIG_KEY_{number}"] = key
            environment[f"GIT_CONFIG_VALUE_{number}"] = value
        return environment

    def line(self) -> list[str]:
        """The argument list."""
        return ["git", *([f"--git-dir={self.git_dir}"] if self.git_dir else []), *self.arguments]


@contextlib.asynccontextmanager
async def started(command: Command) -> AsyncIterator[asyncio.subprocess.Process]:
    """The running command. Its whole process group is dead when the block is left, however it is left."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command.line(),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=command.environment(),
            start_new_session=True,
            pass_fds=command.keep_open,
            limit=PIPE_BYTES,
        )
    except FileNotFoundError as error:
        raise GitError("git is not installed, or not on PATH") from error
    try:
        yield process
    finally:
        await _end(process)


async def run(command: Command) -> Finished:
    """Run to the end. Raises Transient on timeout and GitError on more than OUTPUT_BYTES of output."""
    async with started(command) as process:
        try:
            async with asyncio.timeout(command.seconds):
                _, out, error = await asyncio.gather(
                    feed(process, command.stdin), _all(process.stdout, OUTPUT_BYTES), complaint(process)
                )
                code = await process.wait()
        except TimeoutError as late:
            raise Transient(f"git {command.arguments[0]} took over {command.seconds:.0f} s") from late
    return Finished(code, out, error)


async def feed(process: asyncio.subprocess.Process, data: bytes) -> None:
    """Write all of git's input and close it. A git that ended early has said why on its standard error."""
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        for start in range(0, len(data), PIPE_BYTES):
            process.stdin.write(data[start : start + PIPE_BYTES])
            await process.stdin.drain()
    process.stdin.close()
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        await process.stdin.wait_closed()


async def complaint(process: asyncio.subprocess.Process) -> str:
    """The end of what git says on standard error, without user names and passwords of URLs."""
    assert process.stderr is not None
    kept = b""
    while piece := await process.stderr.read(1 << 16):
        kept = (kept + piece)[-4 * ERROR_CHARACTERS :]
    return _USERINFO.sub("//", kept.decode("utf-8", "replace")).strip()[-ERROR_CHARACTERS:]


async def _all(stream: asyncio.StreamReader | None, most: int) -> bytes:
    assert stream is not None
    pieces: list[bytes] = []
    while piece := await stream.read(PIPE_BYTES):
        most -= len(piece)
        if most < 0:
            raise GitError(f"git printed more than {OUTPUT_BYTES >> 20} MB")
        pieces.append(piece)
    return b"".join(pieces)


async def _end(process: asyncio.subprocess.Process) -> None:
    """Kill what still runs (index-pack and remote helpers are in the same group), then wait, so no zombie is left."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    if process.stdin is not None:
        process.stdin.close()
    await process.wait()
