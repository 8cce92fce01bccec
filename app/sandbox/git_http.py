"""Serves git clones and fetches: smart HTTP through `git http-backend`. Pushes are refused; nothing else of git is served."""

from __future__ import annotations

import asyncio
import base64
import binascii
import contextlib
import os
import re
import signal
import zlib
from collections.abc import AsyncIterator

from starlette.requests import ClientDisconnect
from starlette.requests import Request as HttpRequest
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import Receive, Scope, Send

from app.sandbox import repository_git
from app.sandbox.auth import Token, allows
from app.sandbox.faults import Fault
from app.sandbox.host import GitRequest, Host
from app.sandbox.refusal import Refusal
from app.sandbox.rest import Dropped
from app.sandbox.state import Repository

PIECE = 65_536
"""Bytes passed on at a time."""
PEEK = 1_048_576
"""Bytes of a request looked at to tell what it asks for."""

URL = re.compile(r"/([^/]+/[^/]+?)(?:\.git)?/(info/refs|git-upload-pack|git-receive-pack)")


async def answer(host: Host, request: HttpRequest, full_name: str, service: str) -> Response:
    """git's answer to one request, streamed and recorded."""
    pieces = request.stream()
    body, more = await _peek(pieces)
    record = GitRequest(request.method, request.url.path, *_ask(request, service, body))
    host.git_requests.append(record)
    fault = host.faults.take(request.method, request.url.path, record.command)
    if fault is not None and fault.delay:
        await asyncio.sleep(fault.delay)
    if fault is not None and fault.drop:
        raise Dropped
    if fault is not None and fault.status is not None:
        record.status = fault.status
        return PlainTextResponse("", fault.status, dict(fault.headers))
    try:
        found = _admit(host, request, full_name, service)
    except Refusal as refusal:
        record.status = refusal.status
        return PlainTextResponse(refusal.message + "\n", refusal.status, refusal.headers)
    if isinstance(found, str):
        record.status = 301
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(f"{host.state.html_url}/{found}.git/{service}{query}", 301)
    return await _backend(request, found, service, (body, more), (record, fault))


async def _peek(pieces: AsyncIterator[bytes]) -> tuple[bytes, AsyncIterator[bytes]]:
    """The first part of the body, and the rest as it comes."""
    first = b""
    async for piece in pieces:
        first += piece
        if len(first) >= PEEK:
            break
    return first, pieces


def _ask(request: HttpRequest, service: str, body: bytes) -> tuple[str, int, int]:
    """(command, status so far, number of wanted objects) of a request."""
    if service == "info/refs":
        return f"advertise {request.query_params.get('service', '')}", 0, 0
    if request.headers.get("content-encoding") in ("gzip", "x-gzip"):
        body = zlib.decompressobj(wbits=31).decompress(body)
    command = re.search(rb"command=([a-z-]+)", body[:200])
    name = command[1].decode() if command else ("fetch" if b"want " in body else service)
    return name, 0, len(re.findall(rb"[0-9a-f]{4}want [0-9a-f]{40}", body))


def _admit(host: Host, request: HttpRequest, full_name: str, service: str) -> Repository | str:
    """The repository to serve, or the new name to redirect to; Refusal for all that GitHub refuses."""
    repository, moved = host.state.find_repository(full_name)
    token = _token(host, request)
    wanted = request.query_params.get("service", service)
    if token is None:
        if repository is None or repository.private or wanted == "git-receive-pack":
            raise Refusal(401, "Authentication required", headers={"WWW-Authenticate": 'Basic realm="GitHub"'})
    elif repository is None or (repository.private and repository not in host.tokens.repositories(token)):
        raise Refusal(404, "Repository not found.")
    elif repository.private and not allows(token.permissions, "contents:read"):
        raise Refusal(403, "Write access to repository not granted.")
    if wanted != "git-upload-pack":
        raise Refusal(
            403, "Permission to push denied." if wanted == "git-receive-pack" else "Please upgrade your git client."
        )
    return repository.full_name if moved else repository


def _token(host: Host, request: HttpRequest) -> Token | None:
    """The token of a Basic header; None without one, 401 for one that is not (or no longer) good."""
    scheme, _, value = request.headers.get("authorization", "").partition(" ")
    if not value:
        return None
    try:
        user, _, password = base64.b64decode(value, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        user, password = "", ""
    if scheme.lower() != "basic" or not user or not password:
        raise _bad()
    try:
        return host.tokens.token(password)
    except Refusal as refusal:
        raise (_bad() if refusal.status == 401 else refusal) from None


def _bad() -> Refusal:
    return Refusal(401, "Invalid username or token.", headers={"WWW-Authenticate": 'Basic realm="GitHub"'})


async def _backend(
    request: HttpRequest,
    repository: Repository,
    service: str,
    sent: tuple[bytes, AsyncIterator[bytes]],
    watch: tuple[GitRequest, Fault | None],
) -> Response:
    """Run `git http-backend` and pass its answer on while its input is still being written."""
    process = await asyncio.create_subprocess_exec(
        "git",
        "http-backend",
        env=_cgi(request, repository, service),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        limit=PIECE,
    )
    return _Stream(process, asyncio.create_task(_feed(process, *sent)), *watch)


def _cgi(request: HttpRequest, repository: Repository, service: str) -> dict[str, str]:
    variables = repository_git.environment(repository.path) | {
        "GIT_PROJECT_ROOT": str(repository.path.parent),
        "GIT_HTTP_EXPORT_ALL": "1",
        "PATH_INFO": f"/{repository.path.name}/{service}",
        "QUERY_STRING": request.url.query,
        "REQUEST_METHOD": request.method,
        "REMOTE_ADDR": "127.0.0.1",
    }
    for header, variable in (
        ("content-type", "CONTENT_TYPE"),
        ("content-length", "CONTENT_LENGTH"),
        ("content-encoding", "HTTP_CONTENT_ENCODING"),
        ("git-protocol", "GIT_PROTOCOL"),
    ):
        if header in request.headers:
            variables[variable] = request.headers[header]
    return variables


async def _feed(process: asyncio.subprocess.Process, first: bytes, rest: AsyncIterator[bytes]) -> None:
    """Write the request's body; git may stop reading early."""
    assert process.stdin is not None
    try:
        process.stdin.write(first)
        await process.stdin.drain()
        async for piece in rest:
            process.stdin.write(piece)
            await process.stdin.drain()
    except (BrokenPipeError, ConnectionResetError, ClientDisconnect):
        return
    finally:
        process.stdin.close()


async def _head(process: asyncio.subprocess.Process) -> tuple[int, dict[str, str]]:
    """Status and headers of a CGI answer."""
    assert process.stdout is not None
    status, headers = 200, {}
    while line := (await process.stdout.readline()).strip():
        name, _, value = line.decode("latin-1").partition(":")
        if name.lower() == "status":
            status = int(value.split()[0])
        else:
            headers[name] = value.strip()
    return status, headers


class _Stream(Response):
    """The backend's answer, piece by piece, while the request's body may still be on its way in.

    Starlette's own streaming response reads the request to notice a disconnect, and would take pieces of the body away from git.
    """

    def __init__(
        self, process: asyncio.subprocess.Process, feeding: asyncio.Task[None], record: GitRequest, fault: Fault | None
    ) -> None:
        super().__init__(status_code=200)
        self._process = process
        self._feeding = feeding
        self._record = record
        self._end = None if fault is None else fault.reset_after

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send head and body; Dropped in the middle where the script resets it. The process never outlives the answer."""
        del scope, receive
        try:
            self._record.status, headers = await _head(self._process)
            head = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
            await send({"type": "http.response.start", "status": self._record.status, "headers": head})
            async for piece in self._pieces():
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
            await self._process.wait()
        finally:
            await self._finish()

    async def _pieces(self) -> AsyncIterator[bytes]:
        assert self._process.stdout is not None
        while piece := await self._process.stdout.read(PIECE):
            if self._end is not None and self._record.sent + len(piece) > self._end:
                piece = piece[: self._end - self._record.sent]
                self._record.sent += len(piece)
                yield piece
                raise Dropped
            self._record.sent += len(piece)
            yield piece

    async def _finish(self) -> None:
        """Leave no process behind. Not by `Process.kill`: it would reap the child under asyncio's own watcher."""
        self._feeding.cancel()
        await asyncio.gather(self._feeding, return_exceptions=True)
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGKILL)
        await self._process.communicate()
