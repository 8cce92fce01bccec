"""The door: who gets in, what is answered, and that a delivery's work is queued once, whatever happens around it."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.applications import Starlette

from app.config import Settings
from app.core.errors import ConfigError
from app.main import create_app
from app.queue import Queue, connect
from app.web import webhook as webhook_module
from app.web.webhook import LARGEST_BODY, signature_holds
from tests import builders as b
from tests.payloads import ABSENT, examples
from tests.test_config import KEY

GUID = "72d3162e-cc78-11e3-81ab-4c9367dc0958"
SETTINGS = Settings(app_id=b.APP_ID, private_key=KEY, webhook_secret=b.SECRET)


@pytest.fixture
async def queue() -> AsyncIterator[Queue]:
    found = connect(private=True)
    yield found
    await found.close()


@pytest.fixture
async def client(queue: Queue) -> AsyncIterator[httpx.AsyncClient]:
    async with open_client(create_app(SETTINGS, queue, b.IDENTITY)) as found:
        yield found


def open_client(app: Starlette) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://bot.example")


async def deliver(
    client: httpx.AsyncClient, event: str, payload: object, guid: str = "", **changes: str
) -> httpx.Response:
    body = b.encode(payload)
    return await client.post("/webhook", content=body, headers=b.headers(event, body, guid, **changes))


async def queued(queue: Queue) -> list[str]:
    return sorted(job.job_id or "" for job in await queue.redis.queued_jobs())


# --- what is queued -----------------------------------------------------------------------------------------------------


async def test_a_signed_delivery_is_queued_and_told(client: httpx.AsyncClient, queue: Queue) -> None:
    answer = await deliver(client, "push", b.push())
    assert (answer.status_code, answer.json()) == (202, {"queued": [f"index_push:{b.REPO}:{b.HEAD}"]})
    (job,) = await queue.redis.queued_jobs()
    assert (job.function, job.kwargs) == ("index_push", {"installation": b.INSTALLATION, "repo": b.REPO})


async def test_what_asks_for_nothing_is_accepted_with_the_reason(client: httpx.AsyncClient, queue: Queue) -> None:
    for event, payload, reason in (
        ("ping", {"zen": "Design for failure.", "hook_id": 1}, "the webhook is set up"),
        ("star", b.delivery(action="created"), "event star is not used"),
        ("event_of_next_year", {}, "event event_of_next_year is not used"),
        ("pull_request", b.pull_request("labeled"), "action labeled is not used"),
        ("issue_comment", b.comment_by_this_app(), "written by this App"),
    ):
        answer = await deliver(client, event, payload)
        assert answer.status_code == 202
        assert answer.json()["queued"] == []
        assert reason in answer.json()["ignored"]
    assert await queued(queue) == []


async def test_two_deliveries_that_ask_for_the_same_are_one_job(client: httpx.AsyncClient, queue: Queue) -> None:
    await deliver(client, "pull_request", b.pull_request("opened", body="no mention"))
    answer = await deliver(client, "pull_request", b.pull_request("ready_for_review"))
    assert answer.json() == {"queued": [], "ignored": "the same work is queued already"}
    assert len(await queued(queue)) == 1


async def test_a_delivery_that_comes_twice_is_one_job_and_2xx_both_times(
    client: httpx.AsyncClient, queue: Queue
) -> None:
    first = await deliver(client, "issue_comment", b.issue_comment(), GUID)
    second = await deliver(client, "issue_comment", b.issue_comment(), GUID)
    assert (first.status_code, second.status_code) == (202, 202)
    assert (len(first.json()["queued"]), second.json()["ignored"]) == (1, "this delivery is done or in hand")
    assert len(await queued(queue)) == 1


async def test_a_delivery_that_comes_twice_at_the_same_moment_is_one_job(
    client: httpx.AsyncClient, queue: Queue
) -> None:
    sent = await asyncio.gather(*(deliver(client, "issue_comment", b.issue_comment(), GUID) for _ in range(10)))
    assert {answer.status_code for answer in sent} == {202}
    assert sum(len(answer.json()["queued"]) for answer in sent) == 1
    assert len(await queued(queue)) == 1


async def test_a_redelivery_does_nothing_after_success_and_the_work_after_failure(
    client: httpx.AsyncClient, queue: Queue
) -> None:
    (key,) = (await deliver(client, "issue_comment", b.issue_comment(), GUID)).json()["queued"]
    await end(queue, key, succeeded=False)
    assert (await deliver(client, "issue_comment", b.issue_comment(), GUID)).json() == {"queued": [key]}
    await end(queue, key, succeeded=True)
    assert (await deliver(client, "issue_comment", b.issue_comment(), GUID)).json()["queued"] == []
    assert await queued(queue) == []


async def test_a_redelivery_after_a_restart_of_the_process_is_still_known(queue: Queue) -> None:
    for expected in (1, 0):
        async with open_client(create_app(SETTINGS, queue, b.IDENTITY)) as client:
            answer = await deliver(client, "issue_comment", b.issue_comment(), GUID)
            assert len(answer.json()["queued"]) == expected


async def end(queue: Queue, key: str, *, succeeded: bool) -> None:
    """What the worker does when a job has ended for good."""
    await queue.settle(key, succeeded=succeeded)
    await queue.redis.delete(f"arq:job:{key}")
    await queue.redis.zrem("arq:queue", key)


async def test_while_redis_is_away_a_delivery_is_refused_so_that_github_counts_it_as_failed() -> None:
    away = connect("unix:///nonexistent/redis.sock")
    async with open_client(create_app(SETTINGS, away, b.IDENTITY)) as client:
        answer = await deliver(client, "push", b.push())
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
        assert (await deliver(client, "star", b.delivery(action="created"))).status_code == 202
    await away.close()


async def test_a_delivery_refused_while_redis_was_away_is_taken_when_it_is_redelivered(
    client: httpx.AsyncClient, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = queue.redis.enqueue_job

    async def refuse(*args: Any, **kwargs: Any) -> Any:
        raise ConnectionError("connection reset")

    monkeypatch.setattr(queue.redis, "enqueue_job", refuse)
    assert (await deliver(client, "push", b.push(), GUID)).status_code == 503
    monkeypatch.setattr(queue.redis, "enqueue_job", real)
    assert len((await deliver(client, "push", b.push(), GUID)).json()["queued"]) == 1


# --- the signature ------------------------------------------------------------------------------------------------------


def test_the_signature_is_the_one_github_documents() -> None:
    expected = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    assert signature_holds("It's a Secret to Everybody", b"Hello, World!", expected)


@given(st.binary(max_size=50), st.binary(max_size=50), st.text(min_size=1, max_size=20))
def test_a_signature_holds_for_exactly_its_bytes_and_secret(body: bytes, other: bytes, secret: str) -> None:
    secret = secret.encode("utf-8", "replace").decode()
    assert signature_holds(secret, body, b.sign(body, secret))
    assert signature_holds(secret, other, b.sign(body, secret)) is (other == body)
    assert not signature_holds(secret + "x", body, b.sign(body, secret))
    assert not signature_holds("", body, b.sign(body, ""))


@given(st.text(max_size=100) | st.none())
def test_no_header_can_break_the_comparison(header: str | None) -> None:
    assert not signature_holds(b.SECRET, b"{}", header)


GOOD = b.sign(b"{}")


@pytest.mark.parametrize(
    "signature",
    [
        "",
        "sha256=",
        "sha256=00",
        "sha256=" + "0" * 64,
        GOOD[:-1],
        GOOD + "0",
        GOOD.upper(),
        GOOD.replace("sha256", "sha1"),
        GOOD.removeprefix("sha256="),
        "sha256=" + "é" * 64,
        "sha256=" + "\u0660" * 32,
        "ü",
    ],
)
async def test_a_wrong_signature_is_401_and_never_500(client: httpx.AsyncClient, queue: Queue, signature: str) -> None:
    headers = [(name, value.encode()) for name, value in b.headers("push", b"{}", x_hub_signature_256="").items()]
    if signature:
        headers.append(("x-hub-signature-256", signature.encode()))
    answer = await client.post("/webhook", content=b"{}", headers=[(name.encode(), value) for name, value in headers])
    assert answer.status_code == 401
    assert await queued(queue) == []


async def test_the_sha1_header_alone_is_not_enough(client: httpx.AsyncClient) -> None:
    body = b.encode(b.push())
    old = "sha1=" + hmac.new(b.SECRET.encode(), body, hashlib.sha1).hexdigest()
    headers = b.headers("push", body, x_hub_signature_256="", x_hub_signature=old)
    assert (await client.post("/webhook", content=body, headers=headers)).status_code == 401


async def test_a_body_written_anew_is_not_the_body_that_was_signed(client: httpx.AsyncClient) -> None:
    body = b.encode(b.push())
    anew = json.dumps(b.push(), separators=(",", ":")).encode()
    answer = await client.post(
        "/webhook", content=anew, headers=b.headers("push", anew, x_hub_signature_256=b.sign(body))
    )
    assert answer.status_code == 401


async def test_nothing_is_parsed_before_the_signature_holds(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def parse(_: bytes) -> dict[str, Any]:
        pytest.fail("parsed an unsigned body")

    monkeypatch.setattr(webhook_module, "_payload", parse)
    answer = await client.post("/webhook", content=b"{", headers=b.headers("push", b"{", x_hub_signature_256=GOOD))
    assert answer.status_code == 401


@pytest.mark.parametrize("secret", ["", "short"])
async def test_without_a_good_secret_the_process_does_not_start(queue: Queue, secret: str) -> None:
    with pytest.raises(ConfigError, match="GITHUB_WEBHOOK_SECRET"):
        create_app(Settings(app_id=b.APP_ID, private_key=KEY, webhook_secret=secret), queue, b.IDENTITY)


# --- the form of a delivery ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"content_type": "application/x-www-form-urlencoded"}, 415),
        ({"content_type": "text/plain"}, 415),
        ({"content_type": ""}, 415),
        ({"content_type": "application/json; charset=utf-8"}, 202),
        ({"content_type": "Application/JSON"}, 202),
        ({"x_github_event": ""}, 400),
        ({"x_github_event": "projects_v2_item"}, 202),
        ({"x_github_event": "Push!"}, 400),
        ({"x_github_event": "p" * 65}, 400),
        ({"x_github_delivery": ""}, 400),
        ({"x_github_delivery": "x"}, 400),
        ({"x_github_delivery": "a b c d e f"}, 400),
        ({"x_github_delivery": "a" * 65}, 400),
        ({"x_github_hook_installation_target_type": ""}, 202),
        ({"x_github_hook_installation_target_id": "1"}, 202),
    ],
)
async def test_the_headers_of_a_delivery(client: httpx.AsyncClient, changes: dict[str, str], status: int) -> None:
    assert (await deliver(client, "push", b.push(), **changes)).status_code == status


@pytest.mark.parametrize("kind", ["repository", "organization", "Enterprise"])
async def test_a_webhook_that_is_not_the_apps_is_ignored(client: httpx.AsyncClient, kind: str) -> None:
    answer = await deliver(client, "push", b.push(), x_github_hook_installation_target_type=kind)
    assert answer.status_code == 202
    assert "not of an App" in answer.json()["ignored"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe",
        "{}".encode("utf-16"),
        b"[" * 200_000,
        b'{"a":' * 100_000,
        b'{"a":' + b"1" * 5000 + b"}",
        b"\x00",
        b"nope",
    ],
    ids=["empty", "cut", "not utf-8", "utf-16", "deep list", "deep object", "long number", "nul", "word"],
)
async def test_a_body_that_is_not_json_is_400(client: httpx.AsyncClient, body: bytes) -> None:
    answer = await client.post("/webhook", content=body, headers=b.headers("push", body))
    assert answer.status_code == 400
    assert set(answer.json()) == {"error"}


@pytest.mark.parametrize("payload", [[], "x", 3, None, True, [b.push()]])
async def test_a_payload_that_is_not_an_object_is_400(client: httpx.AsyncClient, payload: object) -> None:
    assert (await deliver(client, "push", payload)).status_code == 400


async def test_a_payload_without_what_is_needed_is_400_and_says_what(client: httpx.AsyncClient) -> None:
    answer = await deliver(client, "push", b.push(after="HEAD"))
    assert (answer.status_code, answer.json()["error"]) == (
        400,
        "payload not understood: push.after must be a full object id and is a str",
    )


async def test_other_methods_are_405(client: httpx.AsyncClient) -> None:
    assert (await client.get("/webhook")).status_code == 405
    assert (await client.get("/elsewhere")).status_code == 404


# --- size and time ------------------------------------------------------------------------------------------------------


async def post_asgi(app: Starlette, headers: dict[str, str], receive: Callable[[], Awaitable[Any]]) -> int:
    """The status; without httpx, which reads a body whole before it calls an ASGI application."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/webhook",
        "headers": raw,
        "query_string": b"",
        "http_version": "1.1",
    }
    await app(scope, receive, send)
    return int(sent[0]["status"])


MOST_PARTS = 40


class Parts:
    """A body of MOST_PARTS parts, which counts how often it was read from."""

    def __init__(self, part: bytes) -> None:
        self.part = part
        self.taken = 0

    async def __call__(self) -> dict[str, Any]:
        self.taken += 1
        return {"type": "http.request", "body": self.part, "more_body": self.taken < MOST_PARTS}


async def test_a_body_that_says_it_is_too_large_is_refused_unread(queue: Queue) -> None:
    parts = Parts(b"{}")
    headers = b.headers("push", b"{}") | {"content-length": str(LARGEST_BODY + 1)}
    assert await post_asgi(create_app(SETTINGS, queue, b.IDENTITY), headers, parts) == 413
    assert parts.taken == 0


async def test_a_body_that_grows_too_large_is_not_read_on(queue: Queue) -> None:
    parts = Parts(b" " * (1024 * 1024))
    assert await post_asgi(create_app(SETTINGS, queue, b.IDENTITY), b.headers("push", b"{}"), parts) == 413
    assert parts.taken == 26


async def test_an_unsigned_body_is_refused_unread(queue: Queue) -> None:
    parts = Parts(b"{}")
    headers = b.headers("push", b"{}", x_hub_signature_256="")
    assert await post_asgi(create_app(SETTINGS, queue, b.IDENTITY), headers, parts) == 401
    assert parts.taken == 0


async def test_a_body_of_the_largest_size_is_taken(client: httpx.AsyncClient) -> None:
    body = b.encode(b.push())
    body += b" " * (LARGEST_BODY - len(body))
    answer = await client.post("/webhook", content=body, headers=b.headers("push", body))
    assert answer.status_code == 202


async def test_a_sender_that_dawdles_is_given_up(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhook_module, "BODY_SECONDS", 0.02)

    async def dawdle() -> None:
        await asyncio.sleep(60)

    assert await post_asgi(create_app(SETTINGS, queue, b.IDENTITY), b.headers("push", b"{}"), dawdle) == 408


async def test_a_sender_that_goes_away_is_no_error_of_ours(queue: Queue) -> None:
    async def leave() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    assert await post_asgi(create_app(SETTINGS, queue, b.IDENTITY), b.headers("push", b"{}"), leave) == 400


# --- everything at once -------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not examples(), reason=ABSENT)
async def test_every_published_example_gets_2xx_and_a_job_or_a_reason(client: httpx.AsyncClient) -> None:
    for name, event, payload in examples():
        for sent in (payload, {"installation": {"id": 1}} | payload):
            answer = await deliver(client, event, sent)
            assert answer.status_code == 202, (name, answer.text)
            assert answer.json()["queued"] or answer.json()["ignored"], name


@given(body=st.binary(max_size=200), event=st.sampled_from(["push", "issue_comment", "installation", "ping", "x"]))
@settings(deadline=None)
def test_no_signed_body_is_answered_with_500(body: bytes, event: str) -> None:
    async def answer() -> int:
        queue = connect(private=True)
        async with open_client(create_app(SETTINGS, queue, b.IDENTITY)) as client:
            found = await client.post("/webhook", content=body, headers=b.headers(event, body))
        await queue.close()
        return found.status_code

    assert asyncio.run(answer()) in (202, 400)
