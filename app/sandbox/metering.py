"""Counts requests and writes of each caller, and refuses past GitHub's primary and secondary limits."""

from __future__ import annotations

from app.sandbox.auth import AppCaller, Token
from app.sandbox.call import Call
from app.sandbox.host import Usage
from app.sandbox.refusal import Refusal

HOUR = 3600.0
MINUTE = 60.0
ANONYMOUS_RATE = 60
"""Requests an hour without a credential."""
APP_RATE = 5_000


def account_of(call: Call) -> tuple[str, int]:
    """(whose counter, its limit an hour)."""
    if isinstance(call.caller, Token):
        return f"installation {call.caller.installation.id}", call.host.limits.rate
    if isinstance(call.caller, AppCaller):
        return "app", APP_RATE
    return "anonymous", ANONYMOUS_RATE


def usage_of(call: Call) -> tuple[Usage, int]:
    """The caller's counter in the current hour, and its limit."""
    account, limit = account_of(call)
    now = call.host.state.clock()
    usage = call.host.usage.get(account)
    if usage is None or usage.reset <= now:
        usage = call.host.usage[account] = Usage(0, now + HOUR)
    return usage, limit


def check(call: Call) -> None:
    """403 when the hour's requests or the minute's writes are used up."""
    usage, limit = usage_of(call)
    if usage.used >= limit and call.path != "/rate_limit":
        account, _ = account_of(call)
        raise Refusal(403, f"API rate limit exceeded for {account}.")
    most = call.host.limits.contents_a_minute
    if most is None or call.method not in ("POST", "PATCH") or call.path.startswith("/app/"):
        return
    now = call.host.state.clock()
    call.host.writes[:] = [when for when in call.host.writes if when > now - MINUTE]
    if len(call.host.writes) >= most:
        raise Refusal(403, "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.")
    call.host.writes.append(now)


def headers(call: Call) -> dict[str, str]:
    """The counters as every answer carries them."""
    usage, limit = usage_of(call)
    return {
        "X-RateLimit-Limit": str(limit),
        "X-RateLimit-Remaining": str(max(0, limit - usage.used)),
        "X-RateLimit-Used": str(usage.used),
        "X-RateLimit-Reset": str(int(usage.reset)),
        "X-RateLimit-Resource": "core",
    }


def count(call: Call, status: int) -> None:
    """A request counts, unless it was answered 304 or asked for the counters."""
    if status != 304 and call.path != "/rate_limit":
        usage_of(call)[0].used += 1
