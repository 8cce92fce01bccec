"""Who we are to GitHub: the App's JWT and narrow installation tokens, each fetched once; knows no endpoint but the token's."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

import httpx
from githubkit import AppAuthStrategy
from githubkit.core import GitHubCore
from jwt import PyJWTError

from app.core.errors import CodeRagError, ConfigError, Forbidden, Gone, Rejected

TOKEN_MARGIN = 120.0
"""Seconds before its expiry at which a token is no longer handed out: longer than any single request or git fetch set-up."""

Permissions = Mapping[str, str]

READ: Permissions = {"issues": "read", "pull_requests": "read"}
CONTENTS: Permissions = {"contents": "read"}
WRITE: Permissions = {"issues": "write", "pull_requests": "write"}
CHECKS: Permissions = {"checks": "write"}
METADATA: Permissions = {"metadata": "read"}


@dataclass(frozen=True, slots=True)
class Scope:
    """What a token may do. `repository` None means every repository of the installation."""

    installation: int
    repository: int | None
    permissions: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Token:
    """An opaque installation token (40 to some 520 characters) and its expiry in Unix seconds."""

    value: str
    expires: float

    def __repr__(self) -> str:
        return "Token([secret])"


def scope(installation: int, repository: int | None, permissions: Permissions) -> Scope:
    """The scope of the narrowest token for a step; permissions are compared without regard to order."""
    return Scope(installation, repository, tuple(sorted(permissions.items())))


def app_auth(app_id: str, private_key: str, base_url: str) -> httpx.Auth:
    """Signs requests below /app with the App's JWT (RS256, at most 10 minutes, cached for 8).

    Raises ConfigError where the key is no RSA private key in PEM form.
    """
    # githubkit's own client is not used: it retries POSTs, sleeps out limits in place and opens a client per call outside its context.
    core = GitHubCore(AppAuthStrategy(app_id, private_key), base_url=base_url, http_cache=False, auto_retry=False)
    auth = core.auth.get_auth_flow(core)
    try:
        auth.get_jwt()  # type: ignore[attr-defined]
    except (ValueError, TypeError, PyJWTError) as error:
        raise ConfigError(
            "GITHUB_PRIVATE_KEY (or the file of GITHUB_PRIVATE_KEY_PATH) is not an RSA private key in PEM form; "
            "download a new one from the App's settings page."
        ) from error
    return auth


class Tokens:
    """Installation tokens by scope: cached until shortly before expiry, one request at a time for each."""

    def __init__(self, post: Callable[[str, object], Awaitable[object]], now: Callable[[], float]) -> None:
        self._post = post
        self._now = now
        self._cache: dict[Scope, Token] = {}
        self._locks: dict[Scope, asyncio.Lock] = {}

    async def token(self, wanted: Scope) -> Token:
        """A token for the scope. Raises Gone, Suspended, Forbidden (a permission not granted) or Transient."""
        # Eight concurrent first calls would otherwise ask for eight tokens.
        async with self._locks.setdefault(wanted, asyncio.Lock()):
            held = self._cache.get(wanted)
            if held and held.expires - TOKEN_MARGIN > self._now():
                return held
            self._forget_expired()
            fresh = await self._request(wanted)
            self._cache[wanted] = fresh
            return fresh

    def drop(self, wanted: Scope, token: Token) -> None:
        """Forget a token that GitHub refused, unless it was replaced in the meantime."""
        if self._cache.get(wanted) == token:
            del self._cache[wanted]

    def forget(self, wanted: Scope) -> None:
        """Forget the token of a scope, whatever it is."""
        self._cache.pop(wanted, None)

    def drop_installation(self, installation: int) -> None:
        """Forget every token of an installation: its permissions, repositories or state changed."""
        for held in [held for held in self._cache if held.installation == installation]:
            del self._cache[held]

    def _forget_expired(self) -> None:
        for held in [held for held, token in self._cache.items() if token.expires <= self._now()]:
            del self._cache[held]
            if not self._locks[held].locked():
                del self._locks[held]

    async def _request(self, wanted: Scope) -> Token:
        body: dict[str, object] = {"permissions": dict(wanted.permissions)}
        if wanted.repository is not None:
            body["repository_ids"] = [wanted.repository]
        try:
            answer = await self._post(f"/app/installations/{wanted.installation}/access_tokens", body)
        except Rejected as error:
            raise _refused_scope(error) from error
        if not isinstance(answer, dict) or not isinstance(answer.get("token"), str):
            raise CodeRagError("GitHub answered a token request without a token")
        return Token(answer["token"], datetime.fromisoformat(str(answer["expires_at"])).timestamp())


def _refused_scope(error: Rejected) -> CodeRagError:
    # A 422 here has two meanings that only its words tell apart: a permission that the owner has not granted,
    # and a repository that is no longer among the installation's.
    if "permission" in str(error).lower():
        return Forbidden(str(error))
    return Gone(str(error))
