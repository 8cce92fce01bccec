"""The App's JWT and installation tokens: what is let in, and what each refusal looks like."""

from __future__ import annotations

import re
import time
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from app.sandbox import Sandbox
from tests.sandbox.conftest import World


def _foreign_key() -> str:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    form = serialization.PrivateFormat.PKCS8
    return key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()).decode()


async def _app(
    world: World, token: str, path: str = "/app", method: str = "GET", body: object = None
) -> httpx.Response:
    return await world.client.request(method, path, json=body, headers={"Authorization": f"Bearer {token}"})


async def test_the_app_names_itself(world: World) -> None:
    answer = await _app(world, world.github.app_jwt())
    assert answer.status_code == 200
    assert (answer.json()["id"], answer.json()["slug"]) == (4242, "coderag")


@pytest.mark.parametrize(
    ("claims", "complaint"),
    [
        ({"iss": "1"}, "Issuer"),
        ({"exp": -10}, "Expiration"),
        ({"exp": 3600}, "too far in the future"),
        ({"iat": 300}, "Issued at"),
        ({"exp": None}, "Expiration"),
    ],
    ids=["another app", "expired", "an hour long", "issued in the future", "without end"],
)
async def test_a_wrong_jwt_is_refused(world: World, claims: dict[str, object], complaint: str) -> None:
    now = int(time.time())
    good: dict[str, object] = {"iss": "4242", "iat": now - 60, "exp": now + 540}
    for name, value in claims.items():
        good[name] = now + value if isinstance(value, int) else value
    signed = jwt.encode(
        {name: value for name, value in good.items() if value is not None}, world.github.private_key, "RS256"
    )
    answer = await _app(world, signed)
    assert answer.status_code == 401
    assert complaint in answer.json()["message"]


async def test_a_jwt_signed_by_another_key_or_by_none_is_refused(world: World) -> None:
    now = int(time.time())
    claims = {"iss": "4242", "iat": now - 60, "exp": now + 540}
    foreign = jwt.encode(claims, _foreign_key(), "RS256")
    unsigned = jwt.encode(claims, "", "none")
    for token in (foreign, unsigned, "nonsense", "ghp_sometoken"):
        assert (await _app(world, token)).status_code == 401


async def test_tokens_have_the_long_format_unless_asked_otherwise(world: World) -> None:
    path, signed = f"/app/installations/{world.installation.id}/access_tokens", world.github.app_jwt()
    long = (await _app(world, signed, path, "POST")).json()
    assert re.fullmatch(r"ghs_4242_[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+", long["token"])
    assert 500 < len(long["token"]) < 540
    headers = {"Authorization": f"Bearer {signed}", "X-GitHub-Stateless-S2S-Token": "disabled"}
    short = (await world.client.post(path, headers=headers)).json()
    assert len(short["token"]) == 40
    for token in (long["token"], short["token"]):
        assert (await world.call("GET", "/repos/octo/hello", token=token)).status_code == 200


async def test_a_token_is_narrowed_to_repositories_and_permissions(world: World) -> None:
    other = await world.github.add_repository("octo/other", files={"a": "b"})
    path, signed = f"/app/installations/{world.installation.id}/access_tokens", world.github.app_jwt()
    body = {"repository_ids": [other.id], "permissions": {"contents": "read"}}
    answer = await _app(world, signed, path, "POST", body)
    assert answer.json()["permissions"] == {"metadata": "read", "contents": "read"}
    assert [one["id"] for one in answer.json()["repositories"]] == [other.id]
    token = answer.json()["token"]
    assert (await world.call("GET", "/repos/octo/other/branches/main", token=token)).status_code == 200
    assert (await world.call("GET", "/repos/octo/hello", token=token)).status_code == 404
    refused = await world.call("GET", "/repos/octo/other/issues", token=token)
    assert (refused.status_code, refused.json()["message"]) == (403, "Resource not accessible by integration")


async def test_a_token_cannot_be_widened(world: World) -> None:
    path, signed = f"/app/installations/{world.installation.id}/access_tokens", world.github.app_jwt()
    stranger = await world.github.add_repository("someone/else", files={"a": "b"})
    for body in (
        {"permissions": {"contents": "write"}},
        {"repository_ids": [stranger.id]},
        {"permissions": {"actions": "read"}},
    ):
        assert (await _app(world, signed, path, "POST", body)).status_code == 422


async def test_a_token_of_one_installation_finds_nothing_of_another(world: World) -> None:
    other = await world.github.add_installation("rival")
    for private in (True, False):
        name = f"rival/{'private' if private else 'public'}"
        repository = await world.github.add_repository(name, private=private, files={"a": "b"})
        for path in (
            f"/repos/{name}",
            f"/repositories/{repository.id}",
            f"/repos/{name}/contents/a",
            f"/repos/{name}/issues",
        ):
            assert (await world.get(path)).status_code == 404
            assert (await world.call("GET", path, token=world.github.token(other))).status_code == 200


@pytest.fixture
async def timed(tmp_path: Path) -> AsyncIterator[tuple[Sandbox, list[float], httpx.AsyncClient]]:
    now = [1_800_000_000.0]
    async with (
        Sandbox(tmp_path / "github", clock=lambda: now[0]) as github,
        httpx.AsyncClient(base_url=github.api_url) as client,
    ):
        yield github, now, client


async def test_a_token_ends_after_an_hour(timed: tuple[Sandbox, list[float], httpx.AsyncClient]) -> None:
    github, now, client = timed
    installation = await github.add_installation("octo")
    headers = {"Authorization": f"Bearer {github.app_jwt()}"}
    answer = (await client.post(f"/app/installations/{installation.id}/access_tokens", headers=headers)).json()
    assert answer["expires_at"] == "2027-01-15T09:00:00Z"
    bearer = {"Authorization": f"Bearer {answer['token']}"}
    now[0] += 3599
    assert (await client.get("/installation/repositories", headers=bearer)).status_code == 200
    now[0] += 1
    answer = await client.get("/installation/repositories", headers=bearer)
    assert (answer.status_code, answer.json()["message"]) == (401, "Bad credentials")


async def test_tokens_can_be_ended_early_and_given_back(world: World) -> None:
    token = world.github.token(world.installation)
    assert (await world.call("DELETE", "/installation/token", token=token)).status_code == 204
    assert (await world.call("GET", "/installation/repositories", token=token)).status_code == 401
    token = world.github.token(world.installation)
    world.github.expire_tokens()
    assert (await world.call("GET", "/installation/repositories", token=token)).status_code == 401


async def test_a_suspended_installation_is_refused_and_still_listed(world: World) -> None:
    token = world.github.token(world.installation)
    await world.github.suspend(world.installation)
    signed = world.github.app_jwt()
    minted = await _app(world, signed, f"/app/installations/{world.installation.id}/access_tokens", "POST")
    used = await world.call("GET", "/repos/octo/hello", token=token)
    for answer in (minted, used):
        assert (answer.status_code, answer.json()["message"]) == (403, "This installation has been suspended")
    listed = (await _app(world, signed, "/app/installations")).json()
    assert listed[0]["suspended_at"] is not None
    await world.github.unsuspend(world.installation)
    assert (await world.call("GET", "/repos/octo/hello", token=token)).status_code == 200


async def test_a_deleted_installation_is_not_found(world: World) -> None:
    token = world.github.token(world.installation)
    await world.github.delete_installation(world.installation)
    minted = await _app(
        world, world.github.app_jwt(), f"/app/installations/{world.installation.id}/access_tokens", "POST"
    )
    assert minted.status_code == 404
    assert (await world.call("GET", "/repos/octo/hello", token=token)).status_code == 401


async def test_the_installation_of_a_repository(world: World) -> None:
    answer = await _app(world, world.github.app_jwt(), "/repos/octo/hello/installation")
    assert answer.json()["id"] == world.installation.id
    await world.github.add_repository("stranger/thing", files={"a": "b"})
    assert (await _app(world, world.github.app_jwt(), "/repos/stranger/thing/installation")).status_code == 404


async def test_app_routes_refuse_tokens_and_other_routes_the_jwt(world: World) -> None:
    assert (await world.get("/app")).status_code == 401
    assert (await _app(world, world.github.app_jwt(), "/repos/octo/hello/issues")).status_code == 403
    assert (await world.client.get("/repos/octo/hello/issues")).status_code == 401
