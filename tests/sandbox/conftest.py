"""One sandbox with an installation, a repository, an issue and a pull request; a client; and a webhook receiver."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from app.sandbox import Sandbox
from app.sandbox.state import Installation, Repository

README = "# Hello\n\nfirst\nsecond\nthird\n"


@dataclass
class World:
    """A sandbox and what the fixture put into it. Issue 1 is by alice, pull request 2 changes two files."""

    github: Sandbox
    installation: Installation
    repository: Repository
    head: str
    client: httpx.AsyncClient

    async def call(
        self,
        method: str,
        path: str,
        *,
        token: str | None = None,
        body: object = None,
        headers: dict[str, str] | None = None,
    ) -> httpx.Response:
        """A REST call with a token of the installation (or the one given)."""
        token = token or self.github.token(self.installation)
        sent = {"Authorization": f"Bearer {token}"} | (headers or {})
        return await self.client.request(method, path, json=body, headers=sent)

    async def get(self, path: str) -> httpx.Response:
        return await self.call("GET", path)

    async def post(self, path: str, body: object) -> httpx.Response:
        return await self.call("POST", path, body=body)


@pytest.fixture
async def github(tmp_path: Path) -> AsyncIterator[Sandbox]:
    async with Sandbox(tmp_path / "github") as sandbox:
        yield sandbox


@pytest.fixture
async def world(github: Sandbox) -> AsyncIterator[World]:
    installation = await github.add_installation("octo")
    files = {"README.md": README, "src/a b#c.py": "def f():\n    return 1\n"}
    repository = await github.add_repository("octo/hello", files=files)
    await github.open_issue("octo/hello", "alice", "Where is f?", "I cannot find it")
    changes = {"README.md": README.replace("second", "2nd"), "src/new.py": "x = 1\n"}
    head = await github.commit("octo/hello", "main", changes, by="alice")
    await github.push("octo/hello", "feature", head, by="alice")
    await github.open_pull("octo/hello", "feature", "main", "Number the lines", None, "alice")
    async with httpx.AsyncClient(base_url=github.api_url, verify=False) as client:
        yield World(github, installation, repository, head, client)


@dataclass
class Receiver:
    """A webhook endpoint that keeps what it got and answers with `status` (once each of `statuses`, then that)."""

    url: str = ""
    status: int = 202
    statuses: list[int] = field(default_factory=list)
    got: list[tuple[dict[str, str], bytes]] = field(default_factory=list)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    kept = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            kept.got.append(({name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(kept.statuses.pop(0) if kept.statuses else kept.status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    kept.url = f"http://127.0.0.1:{server.server_address[1]}/webhook"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield kept
    server.shutdown()
    thread.join()
    server.server_close()
