"""Measures signed webhook to 202 at a fixed rate against one web process on loopback: `python -m app.cli.bench_webhooks`."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import socket
import subprocess
import sys
import time
import uuid

import httpx
import uvicorn

from app.cli.bench_corpus import percentile
from app.config import Settings
from app.core.routing import AppIdentity
from app.main import create_app
from app.queue import connect
from app.sandbox.auth import key_pair

RATE = 200
"""Deliveries a second."""
SECRET = "a secret of the bench alone"  # noqa: S105 - nobody else listens
STARTED_SECONDS = 20.0


def payload(number: int) -> bytes:
    """A comment's delivery of the size GitHub sends (about 10 kB) that asks a question; each one asks for a job of its own."""
    person = {"login": "grace", "id": 1, "type": "User"}
    body = {
        "action": "created",
        "installation": {"id": 1},
        "repository": {"id": 1, "full_name": "octo/bench", "default_branch": "main", "private": False, "owner": person},
        "issue": {"number": 1, "title": "Bench", "body": "x" * 8000, "user": person, "state": "open"},
        "comment": {
            "id": number,
            "body": "@coderag where is it?",
            "user": person,
            "created_at": "2026-01-01T00:00:00Z",
        },
        "sender": person,
    }
    return json.dumps(body).encode()


async def serve(port: int) -> None:
    """The web process as `coderag serve` has it, without a worker."""
    settings = Settings(app_id=1, private_key=key_pair()[0], webhook_secret=SECRET)
    app = create_app(settings, connect(""), AppIdentity(1, "coderag"))
    await uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="error")).serve()


async def load(port: int, seconds: float) -> dict[str, object]:
    """Send RATE deliveries a second on time, whether or not earlier ones were answered; milliseconds from due to answered."""
    spent: list[float] = []
    wrong: list[int] = []

    async def deliver(client: httpx.AsyncClient, number: int, due: float) -> None:
        body = payload(number)
        signature = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
        headers = {
            "content-type": "application/json",
            "x-github-event": "issue_comment",
            "x-github-delivery": str(uuid.UUID(int=number + 1)),
            "x-hub-signature-256": f"sha256={signature}",
        }
        answer = await client.post(f"http://127.0.0.1:{port}/webhook", content=body, headers=headers)
        spent.append(1000 * (time.perf_counter() - due))
        if answer.status_code != 202:
            wrong.append(answer.status_code)

    async with httpx.AsyncClient(timeout=30, limits=httpx.Limits(max_connections=50)) as client:
        await deliver(client, 0, time.perf_counter())
        spent.clear()
        start = time.perf_counter()
        async with asyncio.TaskGroup() as group:
            for number in range(1, int(RATE * seconds) + 1):
                due = start + number / RATE
                await asyncio.sleep(max(0.0, due - time.perf_counter()))
                group.create_task(deliver(client, number, due))
    return {
        "rate_a_second": RATE,
        "deliveries": len(spent),
        "not_202": len(wrong),
        "p50_ms": round(percentile(spent, 50), 1),
        "p99_ms": round(percentile(spent, 99), 1),
    }


def measure(seconds: float) -> dict[str, object]:
    """Start a web process, load it for so many seconds, end it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen([sys.executable, "-m", "app.cli.bench_webhooks", "--serve", str(port)])
    try:
        give_up = time.monotonic() + STARTED_SECONDS
        while time.monotonic() < give_up and server.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        return asyncio.run(load(port, seconds))
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        asyncio.run(serve(int(sys.argv[2])))
    else:
        print(json.dumps(measure(float(sys.argv[1]))))
