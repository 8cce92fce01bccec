"""Finds the handler of a REST call and checks the caller: token, repository, permission, limits. Answers nothing itself."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from app.sandbox.auth import AppCaller, Token, allows
from app.sandbox.call import Answer, Call
from app.sandbox.refusal import Refusal, no_permission, not_found
from app.sandbox.state import Repository

Handler = Callable[[Call], Awaitable[Answer]]


@dataclass(frozen=True)
class Route:
    """One operation. `needs` is `app`, `token`, `anyone`, or the permission(s) an installation must grant."""

    method: str
    pattern: re.Pattern[str]
    needs: str
    handler: Handler


ROUTES: list[Route] = []


def route(method: str, path: str, needs: str) -> Callable[[Handler], Handler]:
    """Register a handler. `{name}` in the path is one segment (`{number}`, `{comment}`, `{id}`, `{reaction}`: digits), `{name+}` any
    number of segments; a path below a repository starts `/repo`."""

    def register(handler: Handler) -> Handler:
        pattern = re.sub(r"\{(\w+)\+\}", r"(?P<\1>.+)", path)
        pattern = re.sub(r"\{(number|comment|id|reaction)\}", r"(?P<\1>[0-9]+)", pattern)
        pattern = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", pattern)
        ROUTES.append(Route(method, re.compile(pattern + r"/?"), needs, handler))
        return handler

    return register


_BY_NAME = re.compile(r"/repos/([^/]+/[^/]+)(/.*)?")
_BY_ID = re.compile(r"/repositories/(\d+)(/.*)?")


async def dispatch(call: Call) -> Answer:
    """The handler's answer; Refusal for what GitHub refuses; 501 (and recorded) for what the stand-in does not know."""
    by_name, by_id = _BY_NAME.fullmatch(call.path), _BY_ID.fullmatch(call.path)
    match = by_name or by_id
    local = "/repo" + (match[2] or "") if match else call.path
    chosen = _find(call, local)
    if chosen is None:
        call.host.refused.append(f"{call.method} {call.path}")
        raise Refusal(501, f"The sandbox does not know {call.method} {call.path}")
    if match:
        redirect = _locate(call, by_name[1] if by_name else "", int(by_id[1]) if by_id else 0, match[2] or "")
        if redirect is not None:
            return redirect
    _authorize(call, chosen)
    return await chosen.handler(call)


def _find(call: Call, local: str) -> Route | None:
    for one in sorted(ROUTES, key=lambda route: ".+" in route.pattern.pattern):
        match = one.pattern.fullmatch(local)
        if match and one.method == call.method:
            call.params = match.groupdict()
            return one
    return None


def _locate(call: Call, full_name: str, number: int, rest: str) -> Answer | None:
    """Find the repository of the path, as far as the caller may see it; a former name redirects to the id."""
    state = call.host.state
    moved = False
    if full_name:
        repository, moved = state.find_repository(full_name)
    else:
        repository = state.repositories.get(number)
    if repository is None or repository.deleted or not _visible(call, repository):
        raise not_found()
    call.found = repository
    if not moved:
        return None
    target = f"{state.api_url}/repositories/{repository.id}{quote(rest, safe='/.')}"
    if call.query:
        target += "?" + urlencode(dict(call.query))
    body = {"message": "Moved Permanently", "url": target, "documentation_url": "https://docs.github.com/rest"}
    return Answer(301 if call.method in ("GET", "HEAD") else 307, body, {"Location": target})


def _visible(call: Call, repository: Repository) -> bool:
    """An App's JWT may ask which installation covers a repository; a token sees its own repositories only.

    Real GitHub also lets a token read public repositories it is not installed on. The stand-in is stricter on purpose: our App
    has no business there, and a call that leaves its own repositories should fail a test.
    """
    if isinstance(call.caller, Token):
        return repository in call.host.tokens.repositories(call.caller)
    if isinstance(call.caller, AppCaller):
        return call.host.state.installation_of(repository) is not None
    return not repository.private


def _authorize(call: Call, chosen: Route) -> None:
    if chosen.needs == "anyone":
        return
    if chosen.needs == "app":
        if not isinstance(call.caller, AppCaller):
            raise Refusal(401, "A JSON web token could not be decoded")
        return
    if isinstance(call.caller, AppCaller):
        raise Refusal(403, "Resource not accessible by integration")
    token = call.token
    if chosen.needs == "token":
        return
    granted = {
        name: level
        for name, level in token.permissions.items()
        if allows(token.installation.permissions, f"{name}:{level}")
    }
    if not allows(granted, chosen.needs):
        raise no_permission()
    if call.found is not None and call.found.archived and call.method != "GET":
        raise Refusal(403, "Repository was archived so is read-only.")
