"""Turns a refusal of the GitHub API into one of our errors; never retries, and never lets a secret into a message."""

from __future__ import annotations

import re
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from app.core.errors import CodeRagError, ConfigError, Forbidden, Gone, Rejected, Suspended, Transient

if TYPE_CHECKING:
    import httpx

SECONDARY_WAIT = 60.0
"""Seconds to wait on a limit that names no time: GitHub asks for "at least one minute"."""

SERVER_WAIT = 5.0
"""Seconds before a job is tried again after a 5xx or a broken connection."""

UNAUTHORIZED_WAIT = 30.0
"""Seconds before a job is tried again when a fresh installation token was refused as well."""

LONGEST_MESSAGE = 300
"""Characters kept of GitHub's own message."""


class Limited(Transient):
    """GitHub named, or its rules name, the time to wait; waiting less would only be refused again."""


# Installation tokens are now about 520 characters, `ghs_<app>_<JWT>` with dots and dashes, so this is wider than GitHub's regex.
_SECRET = re.compile(
    r"gh[a-z]_[A-Za-z0-9._-]+|github_pat_\w+|eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9._-]+|-----BEGIN[^-]+-----.*?(?:-----END[^-]+-----|$)",
    re.DOTALL,
)


def redact(text: str) -> str:
    """The text without tokens, JWTs and private keys."""
    return _SECRET.sub("[secret]", text)


def message_of(response: httpx.Response) -> str:
    """GitHub's own words, redacted and cut; the validation errors of a 422 are added."""
    try:
        body = response.json()
    except ValueError:
        return ""
    if not isinstance(body, dict):
        return ""
    errors = [e.get("message") or e.get("code") or e if isinstance(e, dict) else e for e in body.get("errors") or []]
    words = [str(word) for word in [body.get("message"), *errors] if word]
    return redact(" · ".join(words))[:LONGEST_MESSAGE]


def failure_of(response: httpx.Response, now: float) -> CodeRagError:
    """The error that a response of 400 or more stands for. `now` is Unix time in seconds."""
    status = response.status_code
    message = message_of(response)
    said = f"{response.request.method} {response.request.url.path} → {status} {message}".rstrip()
    wait = limit_wait(response, message, now)
    if wait is not None:
        return Limited(f"{said} (rate limit)", wait)
    if status == 401:
        return Transient(f"{said} (credentials refused)", UNAUTHORIZED_WAIT)
    if status == 403:
        return Suspended(said) if "suspended" in message.lower() else Forbidden(said)
    if status == 410 and "version" in message.lower():
        return ConfigError(
            f"{said}: this GitHub no longer offers the API version that CodeRAG asks for; update CodeRAG."
        )
    if status in (404, 410, 451):
        return Gone(said)
    if status == 408 or (status >= 500 and status != 501):
        asked = seconds_of(response.headers.get("retry-after"), now)
        return Transient(said, SERVER_WAIT) if asked is None else Limited(said, asked)
    return Rejected(said)


def limit_wait(response: httpx.Response, message: str, now: float) -> float | None:
    """Seconds until a rate limit lets us in again; None where the response is no rate limit.

    A secondary limit may come as a plain 403 without `retry-after`: only its message tells.
    """
    if response.status_code not in (403, 429):
        return None
    asked = seconds_of(response.headers.get("retry-after"), now)
    if asked is not None:
        return max(asked, 1.0)
    lower = message.lower()
    if "secondary rate" in lower or "abuse detection" in lower:
        return SECONDARY_WAIT
    if response.headers.get("x-ratelimit-remaining") == "0":
        reset = response.headers.get("x-ratelimit-reset", "")
        # One second more: the reset is told in whole seconds, and a call in that very second is still refused.
        return max(float(reset) - now + 1.0, 1.0) if reset.isdigit() else SECONDARY_WAIT
    return SECONDARY_WAIT if response.status_code == 429 else None


def seconds_of(header: str | None, now: float) -> float | None:
    """A `retry-after` header in seconds; it may be a number or an HTTP date (RFC 9110, 10.2.3)."""
    if not header:
        return None
    number = re.fullmatch(r" *([0-9]{1,9}) *", header)
    if number:
        return float(number[1])
    try:
        return max(parsedate_to_datetime(header).timestamp() - now, 0.0)
    except (ValueError, OverflowError, TypeError, IndexError):
        return None
