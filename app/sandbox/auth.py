"""Who is asking: App JWTs and installation tokens. Owns what a token may do; knows no route."""

from __future__ import annotations

import base64
import functools
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from app.sandbox.refusal import Refusal
from app.sandbox.state import Installation, Repository
from app.sandbox.world import State

TOKEN_LIFETIME = 3600.0
"""Seconds an installation token lives."""
JWT_LIFETIME = 600
"""Seconds an App's JWT may live at most."""
CLOCK_DRIFT = 60
"""Seconds the caller's clock may be ahead."""
TOKEN_REPOSITORIES = 500
"""A token can be narrowed to so many repositories at most."""

_LEVELS = {"none": 0, "read": 1, "write": 2, "admin": 3}


@functools.cache
def key_pair() -> tuple[str, str]:
    """(private, public) PEM; one pair a process, because making a 2,048-bit key costs as much as a whole test."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return private.decode(), public.decode()


@dataclass
class Token:
    """An installation token. `repositories` is None where it was not narrowed."""

    value: str
    installation: Installation
    permissions: dict[str, str]
    repositories: set[int] | None
    expires: float
    revoked: bool = False


@dataclass(frozen=True)
class AppCaller:
    """A request signed by the App itself."""


@dataclass
class Tokens:
    """The installation tokens handed out, and the checks on them."""

    state: State
    stateless: bool = True
    lifetime: float = TOKEN_LIFETIME
    issued: dict[str, Token] = field(default_factory=dict)

    def caller(self, authorization: str | None) -> AppCaller | Token | None:
        """Who an Authorization header names, None without one; 401 for a bad, expired or revoked credential."""
        if not authorization:
            return None
        scheme, _, value = authorization.partition(" ")
        value = value.strip()
        if scheme.lower() not in ("bearer", "token") or not value:
            raise Refusal(401, "Bad credentials")
        if value.startswith("ghs_"):
            return self.token(value)
        if value.count(".") != 2:
            raise Refusal(401, "Bad credentials")
        return self._app(value)

    def token(self, value: str) -> Token:
        """The living token of that value, else 401; 403 where its installation is suspended."""
        token = self.issued.get(value)
        if token is None or token.revoked or token.installation.deleted or token.expires <= self.state.clock():
            raise Refusal(401, "Bad credentials")
        if token.installation.suspended_at is not None:
            raise Refusal(403, "This installation has been suspended")
        return token

    def _app(self, value: str) -> AppCaller:
        try:
            claims = jwt.decode(
                value,
                key_pair()[1],
                algorithms=["RS256"],
                options={"verify_exp": False, "verify_iat": False, "verify_nbf": False, "verify_iss": False},
            )
        except jwt.InvalidTokenError:
            raise Refusal(401, "A JSON web token could not be decoded") from None
        self._check_claims(claims)
        return AppCaller()

    def _check_claims(self, claims: Mapping[str, object]) -> None:
        now = self.state.clock()
        issued, expires, issuer = claims.get("iat"), claims.get("exp"), claims.get("iss")
        if str(issuer) not in (str(self.state.app_id), client_id(self.state)):
            raise Refusal(401, "'Issuer' claim ('iss') must be an Integer or the app's client id")
        if not isinstance(issued, int | float) or issued > now + CLOCK_DRIFT:
            raise Refusal(
                401, "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"
            )
        if not isinstance(expires, int | float) or expires <= now:
            raise Refusal(
                401,
                "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
            )
        if expires > now + JWT_LIFETIME + CLOCK_DRIFT or expires - issued > JWT_LIFETIME + CLOCK_DRIFT:
            raise Refusal(401, "'Expiration time' claim ('exp') is too far in the future")

    def issue(
        self, installation: Installation, permissions: dict[str, str], repositories: set[int] | None, stateless: bool
    ) -> Token:
        """A new token, in the long format of 2026 (`ghs_APPID_JWT`, about 520 characters) or the old one of 40."""
        value = _long_value(self.state.app_id) if stateless else "ghs_" + secrets.token_hex(18)
        expires = self.state.clock() + self.lifetime
        token = self.issued[value] = Token(value, installation, permissions, repositories, expires)
        return token

    def repositories(self, token: Token) -> list[Repository]:
        """What a token may touch now."""
        return [
            repository
            for repository in self.state.repositories_of(token.installation)
            if token.repositories is None or repository.id in token.repositories
        ]

    def expire_all(self) -> None:
        """End every token before its time, as GitHub does when permissions change."""
        for token in self.issued.values():
            token.revoked = True


def _long_value(app_id: int) -> str:
    def part(size: int) -> str:
        return base64.urlsafe_b64encode(secrets.token_bytes(size)).decode().rstrip("=")

    return f"ghs_{app_id}_{part(27)}.{part(160)}.{part(192)}"


def client_id(state: State) -> str:
    """The App's client id, which a JWT may name as its issuer instead of the number."""
    return f"Iv23li{state.app_id:014d}"


def allows(granted: Mapping[str, str], needed: str) -> bool:
    """Whether permissions satisfy `name:level`, or one of several joined by `|`."""
    for one in needed.split("|"):
        name, _, level = one.partition(":")
        if _LEVELS[granted.get(name, "none")] >= _LEVELS[level]:
            return True
    return False
