"""REST: the App itself, its installations, tokens and deliveries, and what every server tells about itself."""

from __future__ import annotations

import base64

from app.sandbox import payloads, webhooks
from app.sandbox.auth import TOKEN_REPOSITORIES, allows
from app.sandbox.call import Answer, Call
from app.sandbox.host import Usage
from app.sandbox.metering import account_of
from app.sandbox.payloads import Json
from app.sandbox.refusal import Refusal, not_found
from app.sandbox.router import route
from app.sandbox.state import Installation, iso


@route("GET", "/app", "app")
async def get_app(call: Call) -> Answer:
    state = call.host.state
    living = sum(1 for one in state.installations.values() if not one.deleted)
    return Answer(200, payloads.app(state) | {"installations_count": living})


@route("GET", "/app/installations", "app")
async def list_installations(call: Call) -> Answer:
    state = call.host.state
    return call.listing([payloads.installation(state, one) for one in state.installations.values() if not one.deleted])


def _installation(call: Call) -> Installation:
    one = call.host.state.installations.get(call.number("id"))
    if one is None or one.deleted:
        raise not_found()
    return one


@route("GET", "/app/installations/{id}", "app")
async def get_installation(call: Call) -> Answer:
    return Answer(200, payloads.installation(call.host.state, _installation(call)))


@route("GET", "/repo/installation", "app")
async def get_repository_installation(call: Call) -> Answer:
    one = call.host.state.installation_of(call.repo)
    if one is None:
        raise not_found()
    return Answer(200, payloads.installation(call.host.state, one))


@route("POST", "/app/installations/{id}/access_tokens", "app")
async def create_token(call: Call) -> Answer:
    one = _installation(call)
    if one.suspended_at is not None:
        raise Refusal(403, "This installation has been suspended")
    state = call.host.state
    body = call.json()
    permissions = _narrow_permissions(one, body.get("permissions"))
    chosen = _narrow_repositories(call, one, body)
    wish = call.headers.get("x-github-stateless-s2s-token")
    stateless = call.host.tokens.stateless if wish not in ("enabled", "disabled") else wish == "enabled"
    token = call.host.tokens.issue(one, permissions, chosen, stateless)
    answer: Json = {
        "token": token.value,
        "expires_at": iso(token.expires),
        "permissions": permissions,
        "repository_selection": "all" if one.selected is None and chosen is None else "selected",
    }
    if chosen is not None:
        answer["repositories"] = [payloads.repository(state, state.repositories[number]) for number in sorted(chosen)]
    return Answer(201, answer)


def _narrow_permissions(one: Installation, wanted: object) -> dict[str, str]:
    if wanted is None:
        return dict(one.permissions)
    if not isinstance(wanted, dict):
        raise Refusal(422, "Invalid request.\n\nFor 'properties/permissions', the value is not an object.")
    narrowed = {str(name): str(level) for name, level in wanted.items()}
    for name, level in narrowed.items():
        if level not in ("read", "write") or not allows(one.permissions, f"{name}:{level}"):
            raise Refusal(422, "The permissions requested are not granted to this installation.")
    return {"metadata": "read"} | narrowed


def _narrow_repositories(call: Call, one: Installation, body: Json) -> set[int] | None:
    ids, names = body.get("repository_ids"), body.get("repositories")
    if ids is None and names is None:
        return None
    wanted = [*(ids if isinstance(ids, list) else []), *(names if isinstance(names, list) else [])]
    if len(wanted) > TOKEN_REPOSITORIES:
        raise Refusal(422, f"Too many repositories: a token takes {TOKEN_REPOSITORIES} at most.")
    seen = call.host.state.repositories_of(one)
    chosen = {repository.id for repository in seen if repository.id in wanted or repository.name in wanted}
    if len(chosen) < len(set(wanted)):
        raise Refusal(
            422, "There is at least one repository that does not exist or is not accessible to the parent installation."
        )
    return chosen


@route("DELETE", "/installation/token", "token")
async def revoke_token(call: Call) -> Answer:
    call.token.revoked = True
    return Answer(204)


@route("GET", "/installation/repositories", "token")
async def list_repositories(call: Call) -> Answer:
    state, token = call.host.state, call.token
    items: list[object] = [payloads.full_repository(state, one) for one in call.host.tokens.repositories(token)]
    selection = "all" if token.installation.selected is None and token.repositories is None else "selected"
    return call.listing(
        items, lambda part: {"total_count": len(items), "repository_selection": selection, "repositories": part}
    )


# --- deliveries ---


@route("GET", "/app/hook/deliveries", "app")
async def list_deliveries(call: Call) -> Answer:
    """Newest first; the cursor names the delivery to go on after. `status=failure` finds answers of 400 to 599 only."""
    state = call.host.state
    found = sorted(call.host.webhooks.log, key=lambda one: -one.id)
    status = call.query.get("status")
    if status == "failure":
        found = [one for one in found if 400 <= one.status_code <= 599]
    elif status == "success":
        found = [one for one in found if 200 <= one.status_code <= 399]
    after = _cursor(call.query.get("cursor"))
    if after is not None:
        found = [one for one in found if one.id < after]
    _, size = call.page()
    part = found[:size]
    headers = {}
    if len(found) > size:
        cursor = "v1_" + base64.urlsafe_b64encode(str(part[-1].id).encode()).decode()
        headers["Link"] = f'<{call.link(cursor=cursor)}>; rel="next"'
    return Answer(200, [webhooks.delivery_item(state, one) for one in part], headers)


def _cursor(text: str | None) -> int | None:
    if not text:
        return None
    try:
        return int(base64.urlsafe_b64decode(text.removeprefix("v1_")))
    except ValueError:
        raise Refusal(422, "Invalid cursor") from None


def _delivery(call: Call) -> webhooks.Delivery:
    for one in call.host.webhooks.log:
        if one.id == call.number("id"):
            return one
    raise not_found()


@route("GET", "/app/hook/deliveries/{id}", "app")
async def get_delivery(call: Call) -> Answer:
    return Answer(200, webhooks.delivery_detail(call.host.state, _delivery(call), call.host.webhooks.url))


@route("POST", "/app/hook/deliveries/{id}/attempts", "app")
async def redeliver(call: Call) -> Answer:
    call.host.webhooks.redeliver(_delivery(call))
    return Answer(202, {})


# --- the server ---


@route("GET", "/rate_limit", "anyone")
async def rate_limit(call: Call) -> Answer:
    account, limit = account_of(call)
    usage = call.host.usage.get(account, Usage(0, call.host.state.clock() + 3600))
    core = {"limit": limit, "used": usage.used, "remaining": max(0, limit - usage.used), "reset": int(usage.reset)}
    search = {"limit": 30, "used": 0, "remaining": 30, "reset": int(usage.reset)}
    return Answer(200, {"resources": {"core": core, "search": search}, "rate": core})


@route("GET", "/users/{login}", "anyone")
async def get_user(call: Call) -> Answer:
    account = call.host.state.users.get(call.params["login"].lower())
    if account is None or account.deleted:
        raise not_found()
    return Answer(200, payloads.user(call.host.state, account) | {"name": None, "email": None})


@route("GET", "/meta", "anyone")
async def meta(call: Call) -> Answer:
    del call
    return Answer(
        200, {"verifiable_password_authentication": False, "hooks": ["127.0.0.1/32"], "git": ["127.0.0.1/32"]}
    )


@route("GET", "/versions", "anyone")
async def versions(call: Call) -> Answer:
    del call
    return Answer(200, ["2026-03-10", "2022-11-28"])
