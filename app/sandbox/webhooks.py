"""Signs, sends and records webhook deliveries, as GitHub does: late, once, and sometimes (when told to) twice or out of order."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import ssl
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import httpx

from app.sandbox import payloads
from app.sandbox.auth import allows
from app.sandbox.payloads import Json
from app.sandbox.state import Installation, Repository, User, iso, node_id
from app.sandbox.world import State

TIMEOUT = 10.0
"""Seconds GitHub waits for an answer."""
PAYLOAD_BYTES = 25_000_000
"""Larger payloads are not delivered at all."""
HOOK_ID = 518_000_001

# What an installation must grant before the App hears of an event; those not listed come always.
_NEEDED: Mapping[str, str] = {
    "push": "contents:read",
    "issues": "issues:read",
    "issue_comment": "issues:read|pull_requests:read",
    "pull_request": "pull_requests:read",
    "pull_request_review": "pull_requests:read",
    "pull_request_review_comment": "pull_requests:read",
    "repository": "metadata:read",
    "check_run": "checks:write",
}
# Events that come without a subscription.
_UNASKED = {"installation", "installation_repositories", "installation_target", "check_run", "ping"}


@dataclass
class Delivery:
    """One attempt to deliver one event. `status` is OK only for a 2xx answer; `status_code` is 0 without an answer."""

    id: int
    guid: str
    event: str
    action: str | None
    payload: Json
    body: bytes
    headers: dict[str, str]
    installation_id: int | None
    repository_id: int | None
    redelivery: bool = False
    delivered_at: float = 0.0
    duration: float = 0.0
    status: str = "waiting"
    status_code: int = 0
    response_headers: dict[str, str] = field(default_factory=dict)
    response_body: str = ""


def sign(secret: str, body: bytes) -> str:
    """The value of X-Hub-Signature-256."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


class Webhooks:
    """The App's webhook: where it points, what was sent, what is held back. Lives on the server's event loop."""

    def __init__(self, state: State, secret: str) -> None:
        self.state = state
        self.secret = secret
        self.url: str | None = None
        self.copies = 1
        self.holding = False
        self.held: list[Delivery] = []
        self.log: list[Delivery] = []
        self._queue: asyncio.Queue[Delivery] = asyncio.Queue()
        # A default TLS context costs 25 ms; this one trusts nobody, for deliveries stay on this machine.
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self._client = httpx.AsyncClient(timeout=TIMEOUT, trust_env=False, verify=context)
        self._sender: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._sender = asyncio.create_task(self._send_all())

    async def close(self) -> None:
        if self._sender is not None:
            self._sender.cancel()
            await asyncio.gather(self._sender, return_exceptions=True)
        await self._client.aclose()

    async def idle(self) -> None:
        """Wait until all that was not held back has been sent and answered (or has failed)."""
        await self._queue.join()

    # --- events ---

    def repository_event(self, event: str, sender: User, repository: Repository, fields: Json) -> None:
        """Queue an event of a repository for the installation that covers it; nothing where there is none or it may not hear it."""
        installation = self.state.installation_of(repository)
        if installation is None or installation.suspended_at is not None:
            return
        shape = payloads.push_repository if event == "push" else payloads.repository
        payload = dict(fields) | {"repository": shape(self.state, repository)}
        if repository.owner.type == "Organization":
            payload["organization"] = payloads.organization(self.state, repository.owner)
        payload["sender"] = payloads.user(self.state, sender)
        payload["installation"] = {"id": installation.id, "node_id": node_id("IN", installation.id)}
        self.emit(event, payload, installation, repository)

    def installation_event(self, event: str, sender: User, installation: Installation, fields: Json) -> None:
        """Queue an event about an installation itself."""
        payload = dict(fields) | {
            "installation": payloads.installation(self.state, installation),
            "sender": payloads.user(self.state, sender),
        }
        self.emit(event, payload, installation, None)

    def emit(self, event: str, payload: Json, installation: Installation | None, repository: Repository | None) -> None:
        """Queue (or hold back) one signed delivery, if the App is subscribed and permitted."""
        if event not in _UNASKED and event not in self.state.events:
            return
        if installation is not None and event in _NEEDED and not allows(installation.permissions, _NEEDED[event]):
            return
        body = json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()
        if len(body) > PAYLOAD_BYTES:
            return
        guid = str(uuid.uuid4())
        action = payload.get("action")
        delivery = Delivery(
            id=self.state.new_id("delivery"),
            guid=guid,
            event=event,
            action=action if isinstance(action, str) else None,
            payload=payload,
            body=body,
            headers=self._headers(event, guid, body),
            installation_id=installation.id if installation else None,
            repository_id=repository.id if repository else None,
        )
        if self.holding:
            self.held.append(delivery)
        else:
            self._enqueue(delivery)

    def _enqueue(self, delivery: Delivery) -> None:
        self.log.append(delivery)
        self._queue.put_nowait(delivery)

    def release(self, order: Sequence[int] | None = None) -> None:
        """Send what was held back, in the order of these positions (default: as it happened), and stop holding."""
        self.holding = False
        held, self.held = self.held, []
        for position in range(len(held)) if order is None else order:
            self._enqueue(held[position])

    def redeliver(self, delivery: Delivery) -> Delivery:
        """Send again what an earlier delivery carried, under the same GUID."""
        again = replace(
            delivery,
            id=self.state.new_id("delivery"),
            redelivery=True,
            status="waiting",
            status_code=0,
            response_headers={},
            response_body="",
            headers=self._headers(delivery.event, delivery.guid, delivery.body),
        )
        self._enqueue(again)
        return again

    def _headers(self, event: str, guid: str, body: bytes) -> dict[str, str]:
        return {
            "Accept": "*/*",
            "Content-Type": "application/json",
            "User-Agent": "GitHub-Hookshot/c0de4a6",
            "X-GitHub-Delivery": guid,
            "X-GitHub-Event": event,
            "X-GitHub-Hook-ID": str(HOOK_ID),
            "X-GitHub-Hook-Installation-Target-ID": str(self.state.app_id),
            "X-GitHub-Hook-Installation-Target-Type": "integration",
            "X-Hub-Signature-256": sign(self.secret, body),
        }

    # --- sending ---

    async def _send_all(self) -> None:
        while True:
            delivery = await self._queue.get()
            try:
                twins = [replace(delivery, id=self.state.new_id("delivery")) for _ in range(self.copies - 1)]
                self.log.extend(twins)
                await asyncio.gather(*(self._send(one) for one in [delivery, *twins]))
            finally:
                self._queue.task_done()

    async def _send(self, delivery: Delivery) -> None:
        delivery.delivered_at = self.state.clock()
        if self.url is None:
            delivery.status = "no webhook url"
            return
        started = time.monotonic()
        try:
            async with asyncio.timeout(TIMEOUT):
                answer = await self._client.post(self.url, content=delivery.body, headers=delivery.headers)
        except (TimeoutError, httpx.TimeoutException):
            delivery.status = "timed out"
        except httpx.HTTPError:
            delivery.status = "failed to connect to host"
        else:
            delivery.status_code = answer.status_code
            delivery.status = "OK" if answer.is_success else f"Invalid HTTP Response: {answer.status_code}"
            delivery.response_headers = dict(answer.headers)
            delivery.response_body = answer.text
        delivery.duration = round(time.monotonic() - started, 2)


def delivery_item(state: State, one: Delivery) -> Json:
    """A delivery as the list shows it."""
    return {
        "id": one.id,
        "guid": one.guid,
        "delivered_at": iso(one.delivered_at or state.clock()),
        "redelivery": one.redelivery,
        "duration": one.duration,
        "status": one.status,
        "status_code": one.status_code,
        "event": one.event,
        "action": one.action,
        "installation_id": one.installation_id,
        "repository_id": one.repository_id,
        "throttled_at": None,
    }


def delivery_detail(state: State, one: Delivery, url: str | None) -> Json:
    """A delivery with its request and response."""
    return delivery_item(state, one) | {
        "url": url or "",
        "request": {"headers": dict(one.headers), "payload": one.payload},
        "response": {"headers": dict(one.response_headers) or None, "payload": one.response_body or None},
    }
