"""Answers REST requests over HTTP: reads the request, meets the script of faults, meters, and writes GitHub's headers."""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
from urllib.parse import unquote

from starlette.requests import Request as HttpRequest
from starlette.responses import Response

from app.sandbox import (
    metering,
    rest_app,
    rest_checks,
    rest_commits,
    rest_contents,
    rest_issues,
    rest_line_comments,
    rest_pulls,
    rest_reactions,
    rest_repositories,
    rest_reviews,
)
from app.sandbox.call import Answer, Call
from app.sandbox.faults import Fault, fault_body
from app.sandbox.host import Host, Request
from app.sandbox.refusal import Refusal
from app.sandbox.router import dispatch

OPERATIONS = (
    rest_app,
    rest_checks,
    rest_commits,
    rest_contents,
    rest_issues,
    rest_line_comments,
    rest_pulls,
    rest_reactions,
    rest_repositories,
    rest_reviews,
)
"""The modules whose import registers the routes."""

API = "/api/v3"
VERSIONS = ("2022-11-28", "2026-03-10")

HEALTHY = {"x-ratelimit-limit": "5000", "x-ratelimit-remaining": "4987", "x-ratelimit-used": "13"}
"""What a scripted refusal says of the primary limit unless the script says otherwise: that it was not the reason."""


class Dropped(Exception):
    """The connection is to be closed without an answer."""


async def answer(host: Host, request: HttpRequest) -> Response:
    """GitHub's answer to one REST request, recorded."""
    path = _path(request)
    raw = await request.body()
    fault = host.faults.take(request.method, API + path)
    if fault is not None and fault.delay:
        await asyncio.sleep(fault.delay)
    if fault is not None and fault.drop and not fault.after_effect:
        _record(host, request, path, 0)
        raise Dropped
    if fault is not None and fault.status is not None and not fault.after_effect:
        response = _scripted(fault)
    else:
        response = await _answer(host, request, path, raw)
        if fault is not None and fault.after_effect:
            if fault.drop:
                _record(host, request, path, 0)
                raise Dropped
            response = _scripted(fault)
    _record(host, request, path, response.status_code)
    return response


def _path(request: HttpRequest) -> str:
    """The decoded path below /api/v3; an encoded slash is one slash, as on GitHub."""
    raw = request.scope.get("raw_path") or request.scope["path"].encode()
    return unquote(raw.split(b"?")[0].decode("ascii", "replace"), errors="surrogateescape").removeprefix(API)


def _record(host: Host, request: HttpRequest, path: str, status: int) -> None:
    host.requests.append(Request(request.method, path, status, request.url.query))


def _scripted(fault: Fault) -> Response:
    content = json.dumps(fault_body(fault)).encode()
    headers = {"content-type": "application/json; charset=utf-8", **HEALTHY} | {
        name.lower(): value for name, value in fault.headers.items()
    }
    return Response(content, fault.status or 502, headers)


async def _answer(host: Host, request: HttpRequest, path: str, raw: bytes) -> Response:
    call = Call(host, request.method, path, dict(request.query_params), request.headers, raw, None)
    try:
        version = request.headers.get("x-github-api-version")
        if version is not None and version not in VERSIONS:
            raise Refusal(410 if version < VERSIONS[0] else 400, f"The API version {version} is not supported.")
        call.caller = host.tokens.caller(request.headers.get("authorization"))
        metering.check(call)
        result = await dispatch(call)
    except Refusal as refusal:
        result = Answer(refusal.status, refusal.body(), refusal.headers)
    return _response(call, result)


def _response(call: Call, result: Answer) -> Response:
    content, kind = b"", "application/json; charset=utf-8"
    if isinstance(result.body, bytes):
        content = result.body
    elif result.body is not None:
        content = json.dumps(result.body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    status = result.status
    headers = {"Content-Type": kind, "X-GitHub-Media-Type": "github.v3; format=json"} | result.headers
    if call.method == "GET" and status == 200:
        headers["ETag"] = f'W/"{hashlib.sha256(content).hexdigest()}"'
        if headers["ETag"] in call.headers.get("if-none-match", ""):
            status, content = 304, b""
    metering.count(call, status)
    headers |= metering.headers(call)
    headers["X-GitHub-Request-Id"] = secrets.token_hex(8).upper()
    headers["X-GitHub-Api-Version-Selected"] = call.headers.get("x-github-api-version", VERSIONS[0])
    if status in (204, 304):
        headers.pop("Content-Type")
    return Response(content, status, headers)
