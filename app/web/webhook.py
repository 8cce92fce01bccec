"""Owns `POST /webhook`: takes a delivery in, proves that GitHub sent it, queues its jobs; must not do any of the work.

Nothing of a body is looked at before its signature holds, and nothing is read beyond the size limit.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import logging
import re
from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse

from app.core.errors import BadPayload, Transient
from app.core.events import read_event
from app.core.routing import Decision, decide
from app.log import bind
from app.queue import Queue

log = logging.getLogger(__name__)

LARGEST_BODY = 25 * 1024 * 1024
"""Bytes; GitHub does not deliver larger payloads at all."""

BODY_SECONDS = 10.0
"""GitHub gives a delivery up after this time, so whoever is slower is not GitHub."""

_SIGNATURE = re.compile(r"sha256=([0-9a-f]{64})", re.ASCII)
_EVENT = re.compile(r"[a-z0-9_]{1,64}", re.ASCII)  # projects_v2_item has a digit
_DELIVERY = re.compile(r"[0-9A-Za-z-]{8,64}", re.ASCII)
# What a webhook that is not an App's names as its target. Its payloads hold no installation.
_NOT_AN_APP = frozenset(
    {"repository", "organization", "enterprise", "business", "marketplace::listing", "sponsorslisting"}
)


async def webhook(request: Request) -> JSONResponse:
    """Answer one delivery: 202 with the keys of the jobs queued, or with the reason why there are none.

    413 too large, 401 not signed by GitHub, 415 not JSON, 400 not a delivery, 503 not queued (GitHub then counts it as
    failed, and it can be redelivered).
    """
    headers = request.headers
    delivery, event = headers.get("x-github-delivery", ""), headers.get("x-github-event", "")
    body = await _signed_body(request)
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, "the webhook's content type must be application/json")
    if not _DELIVERY.fullmatch(delivery) or not _EVENT.fullmatch(event):
        raise HTTPException(400, "X-GitHub-Delivery or X-GitHub-Event is missing or malformed")
    payload = _payload(body)
    with bind(delivery=delivery, event=event, repository=_repository(payload)):
        decision = _decision(request, event, payload)
        queued, reason = await _queue(request.app.state.queue, delivery, decision)
        log.info("delivery taken", extra={"queued": queued, "reason": reason})
    return JSONResponse({"queued": queued, **({"ignored": reason} if reason else {})}, 202)


def signature_holds(secret: str, body: bytes, signature: str | None) -> bool:
    """Whether `signature` (X-Hub-Signature-256) is the HMAC-SHA256 of exactly these bytes; compared in constant time.

    Never with an empty secret, and never by the older SHA-1 header.
    """
    given = _SIGNATURE.fullmatch(signature or "")
    if not secret or not given:
        return False
    expected = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), given[1].encode())


async def _signed_body(request: Request) -> bytes:
    signature = request.headers.get("x-hub-signature-256")
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length[:20]) > LARGEST_BODY:
        raise HTTPException(413, f"more than {LARGEST_BODY} bytes")
    if not _SIGNATURE.fullmatch(signature or ""):
        raise HTTPException(401, "X-Hub-Signature-256 is missing or malformed")
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for part in request.stream():
                body += part
                if len(body) > LARGEST_BODY:
                    raise HTTPException(413, f"more than {LARGEST_BODY} bytes")
    except TimeoutError:
        raise HTTPException(408, "the body did not arrive in time") from None
    except ClientDisconnect:
        raise HTTPException(400, "the body ended early") from None
    if not signature_holds(request.app.state.settings.webhook_secret, bytes(body), signature):
        raise HTTPException(401, "X-Hub-Signature-256 does not match the body")
    return bytes(body)


def _payload(body: bytes) -> dict[str, Any]:
    try:
        payload = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        raise HTTPException(400, "the body is not JSON") from None
    if not isinstance(payload, dict):
        raise HTTPException(400, "the payload is not an object")
    return payload


def _decision(request: Request, event: str, payload: Mapping[str, object]) -> Decision:
    identity = request.app.state.identity.known
    kind = request.headers.get("x-github-hook-installation-target-type", "").lower()
    target = request.headers.get("x-github-hook-installation-target-id", "")
    if kind in _NOT_AN_APP:
        return Decision(reason=f"sent by the webhook of a {kind}, not of an App")
    if kind == "integration" and target != str(identity.app_id):
        # Two Apps that share a URL and a secret, most likely; told, and not refused, for GitHub does not document the header.
        log.warning("delivery names another App", extra={"target": target[:40]})
    try:
        return decide(read_event(event, payload), identity)
    except BadPayload as problem:
        log.warning("payload not understood", extra={"problem": str(problem)})
        raise HTTPException(400, f"payload not understood: {problem}") from None


async def _queue(queue: Queue, delivery: str, decision: Decision) -> tuple[list[str], str]:
    """The keys of the jobs that were queued, and the reason where there are none."""
    if not decision.jobs:
        return [], decision.reason
    try:
        queued = await queue.deliver(delivery, decision.jobs)
    except Transient as problem:
        log.error("delivery not queued", extra={"problem": str(problem)})
        raise HTTPException(503, "not queued; redeliver", {"Retry-After": f"{problem.retry_after:.0f}"}) from None
    if queued is None:
        return [], "this delivery is done or in hand"
    return queued, "" if queued else "the same work is queued already"


def _repository(payload: Mapping[str, object]) -> str | None:
    repository = payload.get("repository")
    name = repository.get("full_name") if isinstance(repository, dict) else None
    return name if isinstance(name, str) else None
