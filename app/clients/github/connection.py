"""One HTTP connection pool to the GitHub API: quoting, signing, our own retry, paging; knows no endpoint's meaning."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import quote

import httpx

from app.clients.github.auth import Scope, Token, Tokens, app_auth
from app.clients.github.failures import SERVER_WAIT, Limited, failure_of
from app.clients.github.pace import Pace
from app.core.errors import CodeRagError, ConfigError, Rejected, Transient

TIMEOUT = httpx.Timeout(30.0, connect=10.0)
"""Seconds; githubkit and httpx would wait for ever or 5 s, and GitHub itself gives up at 10 to 30."""

API_VERSION = "2022-11-28"
"""The version that every supported GitHub, GHES included, still answers."""

PATIENCE = 20.0
"""Seconds that one GET may spend waiting inside a job; what needs longer gives the job back (Transient)."""

BACK_OFF = 0.5
"""Seconds before the second attempt of a GET; three times as long before each further one."""

TRIES = 4
"""Attempts of a GET in all."""

KEPT = httpx.Limits(max_connections=None, max_keepalive_connections=20, keepalive_expiry=4.0)
"""Idle connections are dropped before servers drop them (uvicorn after 5 s): a POST on one that just closed would fail."""

CONCURRENCY = 10
"""Requests in flight per process; GitHub's own bound is 100 for an App over all its processes."""

PAGE = 100
"""Items a page: GitHub's largest."""

LARGEST_PAGES = 1_000
"""Pages of one list before we call it a fault; stops a link header that leads in a circle."""

Parameters = Mapping[str, str | int]


class Connection:
    """Speaks to one GitHub as the App or as an installation. Every failure is one of `app.core.errors`."""

    def __init__(
        self,
        app_id: str,
        private_key: str,
        api_url: str,
        *,
        now: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._base = httpx.URL(api_url.rstrip("/"))
        self._app_auth = app_auth(app_id, private_key, str(self._base))
        self._now, self._sleep = now, sleep
        self._client = httpx.AsyncClient(
            timeout=TIMEOUT,
            limits=KEPT,
            follow_redirects=True,  # a renamed repository answers 301 to GET and 307 to PATCH
            headers={
                "Accept": "application/vnd.github+json",
                "User-Agent": "coderag",
                "X-GitHub-Api-Version": API_VERSION,
            },
        )
        self._gate = asyncio.Semaphore(CONCURRENCY)
        self._pace = Pace(now, sleep)
        self.tokens = Tokens(self._post_as_app, now)

    async def close(self) -> None:
        """Close the connection pool."""
        await self._client.aclose()

    async def call(
        self, method: str, path: str, who: Scope | None, *, json: object = None, params: Parameters | None = None
    ) -> Any:
        """One call; returns the decoded JSON (None for an empty answer). `who` None speaks as the App.

        `path` is relative, its parts quoted by `segment`. Raises the errors of `failure_of`.
        """
        response = await self._send(method, self._url(path), who, json, params)
        return response.json() if response.content else None

    async def pages(
        self, path: str, who: Scope | None, params: Parameters | None = None, field: str = ""
    ) -> AsyncIterator[Any]:
        """Every item of a list, all pages, in the order given. `field` names the list inside an enveloped answer."""
        url: httpx.URL | None = self._url(path)
        query: Parameters | None = {"per_page": PAGE, **(params or {})}
        for _ in range(LARGEST_PAGES):
            if url is None:
                return
            response = await self._send("GET", url, who, None, query)
            body = response.json()
            items = body.get(field) if field and isinstance(body, dict) else body
            if not isinstance(items, list):
                raise CodeRagError(f"GET {url.path}: expected a list")
            for item in items:
                yield item
            url, query = self._next(response), None
        raise CodeRagError(f"GET {path}: more than {LARGEST_PAGES} pages")

    def _url(self, path: str) -> httpx.URL:
        return httpx.URL(f"{self._base}{path}")

    def _next(self, response: httpx.Response) -> httpx.URL | None:
        link = response.links.get("next", {}).get("url")
        if not link:
            return None
        url = response.url.join(link)
        # The token goes to our GitHub only, whatever a proxy writes into the link.
        if (url.scheme, url.host, url.port) != (self._base.scheme, self._base.host, self._base.port):
            raise CodeRagError(f"GET {response.url.path}: the next page is on another host")
        return url

    async def _post_as_app(self, path: str, body: object) -> object:
        return await self.call("POST", path, None, json=body)

    async def _send(
        self, method: str, url: httpx.URL, who: Scope | None, json: object, params: Parameters | None
    ) -> httpx.Response:
        """GETs are tried again within PATIENCE; anything that writes is sent once, its failure told to the job."""
        # A reaction notifies nobody, and is worth nothing when it comes late.
        if method != "GET" and who is not None and not url.path.endswith("/reactions"):
            await self._pace.wait(who.installation)
        waited, tries = 0.0, 0
        while True:
            tries += 1
            try:
                return await self._once_signed(method, url, who, json, params)
            except Transient as error:
                pause = error.retry_after if isinstance(error, Limited) else BACK_OFF * 3 ** (tries - 1)
                if method != "GET" or tries >= TRIES or waited + pause > PATIENCE:
                    raise
            waited += pause
            await self._sleep(pause)

    async def _once_signed(
        self, method: str, url: httpx.URL, who: Scope | None, json: object, params: Parameters | None
    ) -> httpx.Response:
        if who is None:
            response = await self._transmit(method, url, None, json, params)
            if response.status_code == 401:
                raise ConfigError(
                    "GitHub refused the App's JWT: check GITHUB_APP_ID, the private key and this machine's clock."
                )
            return self._checked(response)
        token = await self.tokens.token(who)
        response = await self._transmit(method, url, token, json, params)
        if response.status_code == 401:
            # Expired or revoked in mid-job. Nothing was done, so a write may be sent again with a fresh token.
            self.tokens.drop(who, token)
            response = await self._transmit(method, url, await self.tokens.token(who), json, params)
        return self._checked(response)

    def _checked(self, response: httpx.Response) -> httpx.Response:
        if response.is_success or response.status_code == 304:
            return response
        if response.is_redirect:
            raise Rejected(f"{response.request.method} {response.request.url.path}: a redirect that cannot be followed")
        raise failure_of(response, self._now())

    async def _transmit(
        self, method: str, url: httpx.URL, token: Token | None, json: object, params: Parameters | None
    ) -> httpx.Response:
        auth = self._app_auth if token is None else None
        headers = {} if token is None else {"Authorization": f"Bearer {token.value}"}
        request = self._client.build_request(method, url, params=params, json=json, headers=headers)
        async with self._gate:
            try:
                return await self._client.send(request, auth=auth)
            except httpx.TooManyRedirects as error:
                raise Rejected(f"{method} {url.path}: too many redirects") from error
            except httpx.TransportError as error:
                raise Transient(f"{method} {url.path}: {type(error).__name__}", SERVER_WAIT) from error


def segment(value: str | int) -> str:
    """One quoted path segment. Raises Rejected for empty, `.` and `..`, which would climb the API's path."""
    text = str(value)
    if text in ("", ".", ".."):
        raise Rejected(f"not a name GitHub can be asked for: {text!r}")
    return quote(text, safe="")


def path_of(value: str) -> str:
    """A quoted path or ref, its slashes kept. Raises Rejected for empty, `.` and `..` parts.

    githubkit and httpx quote neither `#` nor `?`: `src/a b#c.py` would silently read `src/a b`.
    """
    if any(part in ("", ".", "..") for part in value.split("/")):
        raise Rejected(f"not a path GitHub can be asked for: {value!r}")
    return quote(value, safe="/")
