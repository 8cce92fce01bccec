"""Vectors from a service: what is sent, what is made of its answers, and what its refusals and silences become."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import httpx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.clients import embed_service
from app.clients.embed import embedder as shipped
from app.clients.embed_http import (
    BATCH_CHARACTERS,
    BATCH_TEXTS,
    CONCURRENCY,
    LONGEST_TEXT,
    SHORTEST_TEXT,
    HttpEmbedder,
    batches,
    learn,
    model_id,
    sendable,
    unit_rows,
)
from app.clients.embed_open import MEMORY, open_embedder
from app.clients.embed_service import BadAnswer, Service, in_order, read_rows, retry_after
from app.clients.index.points import collection_name
from app.core.errors import ConfigError, Transient
from tests.embeddings import KEY, Embeddings, embeddings_service


@pytest.fixture
def service() -> Iterator[Embeddings]:
    with embeddings_service() as found:
        yield found


OPEN: list[Service] = []


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(embed_service, "BACK_OFF", 0.01)
    yield
    while OPEN:
        OPEN.pop().close()


def client(url: str, model: str = "code-embed", key: str = KEY) -> Service:
    OPEN.append(Service(url, model, key))
    return OPEN[-1]


def embedder(service: Embeddings, model: str = "code-embed", key: str = KEY) -> HttpEmbedder:
    return made_of(client(service.url, model, key))


def made_of(service: Service) -> HttpEmbedder:
    return HttpEmbedder(service, learn(service))


def cosine(one: str, other: str, made: HttpEmbedder) -> float:
    rows = made.embed([one, other])
    return float(rows[0] @ rows[1])


# --- what is sent and what comes back --------------------------------------------------------------------------------


def test_the_dimension_is_learned_once_and_rows_have_length_one(service: Embeddings) -> None:
    made = embedder(service)
    assert (made.dimension, service.calls) == (64, 1)
    rows = made.embed(["def parse_url(text)", "class Store"])
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 1])
    assert service.calls == 2
    assert cosine("parse the url", "def parse_url", made) > cosine("parse the url", "draw a circle", made)


def test_each_text_gets_its_own_vector_in_whatever_order_they_come(service: Embeddings) -> None:
    made, texts = embedder(service), [f"def function_{number}" for number in range(100)]
    alone = np.concatenate([made.embed([text]) for text in texts])
    service.backwards = True
    assert np.allclose(made.embed(texts), alone)


def test_texts_without_anything_are_not_sent_and_have_no_direction(service: Embeddings) -> None:
    made = embedder(service)
    rows = made.embed(["", "one", " \n\t"])
    assert rows.any(axis=1).tolist() == [False, True, False]
    assert service.texts[-1] == ["one"]
    calls = service.calls
    assert made.embed([]).shape == (0, 64)
    assert made.embed([""]).shape == (1, 64)
    assert service.calls == calls


def test_long_lists_go_in_bounded_batches_side_by_side(service: Embeddings) -> None:
    made = embedder(service)
    service.seconds = 0.05
    rows = made.embed([f"text {number}" for number in range(10 * BATCH_TEXTS)])
    assert rows.any(axis=1).all()
    assert max(map(len, service.texts)) == BATCH_TEXTS
    assert service.calls == 1 + 10
    assert service.most_open == CONCURRENCY


def test_several_runs_share_the_bound(service: Embeddings) -> None:
    made = embedder(service)
    service.seconds = 0.05
    texts = [f"text {number}" for number in range(4 * BATCH_TEXTS)]
    runs = [threading.Thread(target=made.embed, args=(texts,)) for _ in range(4)]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert service.calls == 1 + 16
    assert service.most_open == CONCURRENCY


def test_an_over_long_text_is_cut_before_it_is_sent(service: Embeddings) -> None:
    made = embedder(service)
    made.embed(["word " * 5000, "half a pair \ud800 here"])
    assert len(service.texts[-1][0]) == LONGEST_TEXT
    assert service.texts[-1][1] == "half a pair ? here"


@given(st.lists(st.text(max_size=400) | st.integers(0, LONGEST_TEXT).map("x".__mul__), max_size=90), st.integers(1, 40))
def test_batches_hold_each_text_once_and_stay_in_their_bounds(texts: list[str], most: int) -> None:
    sent = list(enumerate(map(sendable, texts)))
    parts = list(batches(sent, most))
    assert [each for part in parts for each in part] == sent
    for part in parts:
        assert 1 <= len(part) <= most
        assert len(part) == 1 or sum(len(text) for _, text in part) <= BATCH_CHARACTERS


@given(st.lists(st.lists(st.floats(-1.7e308, 1.7e308), min_size=3, max_size=3), min_size=1, max_size=5))
def test_any_finite_row_becomes_a_unit_row_or_stays_nought(rows: list[list[float]]) -> None:
    unit = unit_rows(np.array(rows))
    for row, made in zip(rows, unit, strict=True):
        assert np.linalg.norm(made) == pytest.approx(1.0 if any(row) else 0.0, abs=1e-5)


# --- the service's limits ----------------------------------------------------------------------------------------------


def test_a_smaller_limit_of_inputs_is_found_and_kept(service: Embeddings) -> None:
    service.most_inputs = 8
    made, texts = embedder(service), [f"def function_{number}" for number in range(64)]
    rows = made.embed(texts)
    service.calls = 0
    assert np.allclose(made.embed(texts), rows)
    assert service.calls == 64 // 8


def test_a_text_too_long_for_the_model_is_halved_alone_and_always_the_same(service: Embeddings) -> None:
    made = embedder(service)
    service.most_characters = 1_500
    texts = ["short one", "long " * 1000, "short two"]
    rows = made.embed(texts)
    assert rows.any(axis=1).all()
    assert [len(text) for text in service.seen if text.startswith("long")] == [1_250]
    assert np.allclose(made.embed(texts[1:2]), rows[1:2])
    before = service.calls
    made.embed([f"text {number}" for number in range(BATCH_TEXTS)])
    assert service.calls == before + 1  # one long text does not make the batches smaller


def test_a_service_that_takes_no_text_is_told(service: Embeddings) -> None:
    made = embedder(service)
    service.most_characters = SHORTEST_TEXT - 1
    with pytest.raises(ConfigError, match=f"refuses a text of {SHORTEST_TEXT} characters \\(400 invalid_request_error"):
        made.embed(["secret code " * 100])
    service.most_characters = 3
    with pytest.raises(ConfigError, match="refuses one short text"):
        embedder(service)


# --- failures that pass -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [408, 424, 429, 500, 502, 503, 504, 529])
def test_a_passing_failure_is_tried_again(service: Embeddings, status: int) -> None:
    made = embedder(service)
    service.fail = [(status, {}), (status, {})]
    assert made.embed(["text"]).any()
    assert service.calls == 1 + 3


def test_retry_after_is_honoured(service: Embeddings) -> None:
    made = embedder(service)
    service.fail = [(429, {"Retry-After": "0.4"})]
    began = time.monotonic()
    made.embed(["text"])
    assert time.monotonic() - began >= 0.4


def test_a_long_retry_after_gives_the_job_back_and_nobody_asks_until_then(service: Embeddings) -> None:
    made = embedder(service)
    service.fail = [(429, {"Retry-After": "90"})]
    with pytest.raises(Transient) as told:
        made.embed(["text"])
    assert told.value.retry_after == 90
    with pytest.raises(Transient) as again:
        made.embed(["text"])
    assert 80 < again.value.retry_after <= 90
    assert service.calls == 2


def test_a_service_that_stays_down_is_given_up_and_asked_again_after_its_rest(
    service: Embeddings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embed_service, "REST", 0.2)
    made = embedder(service)
    service.fail = [(503, {})] * embed_service.TRIES
    with pytest.raises(Transient, match="does not answer \\(503 scripted\\)"):
        made.embed([f"text {number}" for number in range(1)])
    time.sleep(0.25)
    assert made.embed(["text"]).any()


def test_a_service_that_is_gone_or_silent_is_transient(monkeypatch: pytest.MonkeyPatch) -> None:
    with embeddings_service() as service:
        made = embedder(service)
        monkeypatch.setattr(made._service._client, "timeout", httpx.Timeout(0.05))
        service.seconds = 0.5
        with pytest.raises(Transient, match="ReadTimeout"):
            made.embed(["text"])
    with pytest.raises(Transient, match="ConnectError"):
        embedder(service)


def test_closing_ends_a_wait(service: Embeddings) -> None:
    made = embedder(service)
    service.fail = [(503, {"Retry-After": "15"})] * 9
    timer = threading.Timer(0.2, made._service.close)
    timer.start()
    began = time.monotonic()
    with pytest.raises(Transient, match="closed"):
        made.embed(["text"])
    assert time.monotonic() - began < 5
    timer.join()


@pytest.mark.parametrize(
    ("raw", "seconds"), [("3", 3), ("0.5", 0.5), ("", 0), ("-4", 0), ("soon", 0), ("1e9", 0), ("nan", 0)]
)
def test_retry_after_in_seconds(raw: str, seconds: float) -> None:
    assert retry_after(httpx.Headers({"Retry-After": raw})) == seconds


def test_retry_after_as_a_date() -> None:
    soon = datetime.now(UTC) + timedelta(seconds=30)
    assert retry_after(httpx.Headers({"Retry-After": format_datetime(soon, usegmt=True)})) == pytest.approx(30, abs=2)
    assert retry_after(httpx.Headers({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"})) == 0


@given(st.text(st.characters(max_codepoint=255), max_size=40))
def test_any_retry_after_is_a_number_of_seconds(raw: str) -> None:
    assert retry_after(httpx.Headers([(b"retry-after", raw.encode("latin-1"))])) >= 0


# --- what a setting must mend -----------------------------------------------------------------------------------------------


def test_a_wrong_key_is_told_by_its_setting_and_never_shown(service: Embeddings) -> None:
    with pytest.raises(ConfigError, match="refuses EMBEDDINGS_API_KEY \\(401 invalid_api_key\\)") as told:
        embedder(service, key="sk-wrong-7777")
    assert "7777" not in str(told.value)
    assert service.calls == 1


def test_an_unknown_model_and_a_wrong_address_are_told_by_their_settings(service: Embeddings) -> None:
    with pytest.raises(ConfigError, match=r"'other'.*404 model_not_found.*EMBEDDINGS_MODEL.*EMBEDDINGS_URL"):
        embedder(service, "other")
    with pytest.raises(ConfigError, match="EMBEDDINGS_URL"):
        made_of(client(service.url.removesuffix("/v1")))
    assert made_of(client(service.url + "/embeddings")).dimension == 64


def test_a_redirect_is_not_followed_with_the_key(service: Embeddings) -> None:
    service.fail = [(308, {"Location": "http://127.0.0.1:9/v1/embeddings"})]
    with pytest.raises(ConfigError, match="redirects"):
        embedder(service)


def test_a_service_that_changes_its_model_while_it_is_used_is_refused(service: Embeddings) -> None:
    made = embedder(service)
    service.models["code-embed"] = 32
    with pytest.raises(ConfigError, match="32 dimensions of 'code-embed', at the start with 64"):
        made.embed(["text"])
    service.models["code-embed"], service.reported = 64, "code-embed-v2"
    with pytest.raises(ConfigError, match="code-embed-v2"):
        made.embed(["text"])


def row(*numbers: object, index: object = None) -> dict[str, object]:
    return {"embedding": list(numbers)} | ({} if index is None else {"index": index})


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (None, "no list `data`"),
        ({}, "no list `data`"),
        ([[1.0], [2.0]], "no list `data` of objects"),
        ([row(1.0)], "1 vectors for 2 texts"),
        ([row(1.0), row(2.0), row(3.0)], "3 vectors for 2 texts"),
        ([row(1.0, index=0), row(2.0, index=0)], "`index`"),
        ([row(1.0, index=1), row(2.0, index=2)], "`index`"),
        ([row(1.0, index=0), row(2.0)], "`index`"),
        ([row(1.0, index=False), row(2.0, index=True)], "`index`"),
        ([row(1.0), row(1.0, 2.0)], "lengths 1, 2"),
        ([row(), row()], "lengths 0"),
        ([row(1.0), row("2.0")], "no list of numbers"),
        ([row(1.0), row(None)], "no list of numbers"),
        ([row(1.0), {"embedding": "AACAPw=="}], "no list of numbers"),
        ([row(1.0), {}], "no list of numbers"),
        ([row(1.0), row(float("nan"))], "not finite"),
        ([row(1.0), row(float("inf"))], "not finite"),
        ([row(1.0), row(10**400)], "not finite"),
    ],
)
def test_answers_that_cannot_be_used_are_told(data: object, told: str) -> None:
    with pytest.raises(BadAnswer, match=told):
        read_rows(in_order(data, 2))


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["index", "embedding", "x"]), inner)))  # fmt: skip
def test_any_answer_is_read_or_refused(data: object) -> None:
    try:
        table = read_rows(in_order(data, 1))
    except BadAnswer:
        return
    assert np.isfinite(table).all()


@pytest.mark.parametrize("content", [b"", b"<html>", b"[]", b"{}", b"null", b'{"data": [' + b"[" * 100_000])
def test_a_page_that_is_no_answer_is_told_with_its_address(service: Embeddings, content: bytes) -> None:
    made = client(service.url)
    made._client.close()
    made._client = httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(200, content=content)))
    with pytest.raises(ConfigError, match="/v1/embeddings"):
        made.vectors(["text"])


def test_ollamas_way_to_refuse_a_long_text_is_understood(service: Embeddings) -> None:
    made = embedder(service)
    body = json.dumps({"error": {"message": "the input length exceeds the context length", "type": "api_error"}})

    def answer(request: httpx.Request) -> httpx.Response:
        if len(json.loads(request.content)["input"][0]) > 2_000:
            return httpx.Response(500, text=body)
        return httpx.Response(200, json={"model": "code-embed", "data": [{"index": 0, "embedding": [1.0] * 64}]})

    made._service._client.close()
    made._service._client = httpx.Client(transport=httpx.MockTransport(answer))
    assert made.embed(["long " * 1000]).any()


def test_no_failure_repeats_a_text_or_the_key(service: Embeddings, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    made = embedder(service)
    service.most_characters = 10
    failures: list[str] = []
    spoils: tuple[dict[str, object], ...] = ({"most_characters": 10}, {"key": "another"}, {"models": {}})
    for spoil in spoils:
        vars(service).update(spoil)
        with pytest.raises(ConfigError) as told:
            made.embed(["def launch_codes(): return 12345678"])
        failures.append(str(told.value))
    shown = "\n".join(failures) + caplog.text
    assert "launch_codes" not in shown
    assert KEY not in shown


# --- identity ------------------------------------------------------------------------------------------------------------------


def test_two_models_never_share_a_collection(service: Embeddings) -> None:
    service.models = dict.fromkeys(("org/model", "org_model", "org:model", "Org/model", "org/model" + "l" * 80), 64)
    names = [collection_name(embedder(service, model).id) for model in service.models]
    service.reported = "org/model at another revision"
    names.append(collection_name(embedder(service, "org/model").id))
    service.models["org/model"] = 96
    names.append(collection_name(embedder(service, "org/model").id))
    assert len({name.lower() for name in names}) == len(names)
    assert all(len(name) < 100 for name in names)
    assert model_id("voyage-code-3", "voyage-code-3", 1024).startswith("http-voyage-code-3-1024-")


async def test_the_embedder_is_chosen_by_the_settings(service: Embeddings, tmp_path: Path) -> None:
    async with open_embedder(tmp_path) as built_in:
        assert built_in.id == shipped().id
    async with open_embedder(tmp_path / "new", service.url, "code-embed", KEY) as found:
        assert found.dimension == 64
    with pytest.raises(Transient, match="closed"):
        found.embed(["closed"])
    with pytest.raises(ConfigError, match="EMBEDDINGS_API_KEY"):
        async with open_embedder(tmp_path, service.url, "code-embed"):
            pass


async def test_a_start_while_the_service_is_away_uses_what_it_said_last(tmp_path: Path) -> None:
    with embeddings_service() as service:
        async with open_embedder(tmp_path, service.url, "code-embed", KEY) as found:
            before = (found.id, found.dimension)
    assert KEY not in (tmp_path / MEMORY).read_text()
    async with open_embedder(tmp_path, service.url, "code-embed", KEY) as found:
        assert (found.id, found.dimension) == before
        with pytest.raises(Transient):
            found.embed(["text"])
    with pytest.raises(Transient):  # of another model nothing is known
        async with open_embedder(tmp_path, service.url, "code-embed-large", KEY):
            pass
    for spoiled in ("", "[]", "{}", '{"url": 1}', "\0"):
        (tmp_path / MEMORY).write_text(spoiled)
        with pytest.raises(Transient):
            async with open_embedder(tmp_path, service.url, "code-embed", KEY):
                pass


async def test_a_local_model_without_its_extra_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fastembed", None)
    with pytest.raises(ConfigError, match=r"pip install 'coderag\[onnx\]'"):
        async with open_embedder(tmp_path, model="onnx:BAAI/bge-small-en-v1.5"):
            pass
