"""A log line: a constant message, data beside it, one line, and no secret in it whichever way it came."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from app.log import LONGEST_VALUE, ForPeople, bind, redact, setup

log = logging.getLogger("app.test")

JWT = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiI0MiIsImV4cCI6MTd9.c2ln-bmF0_dXJl"
TOKEN = f"ghs_4242_{JWT}{'a' * 400}"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\nabc\n-----END RSA PRIVATE KEY-----"


@pytest.fixture
def out() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    stream = io.StringIO()
    setup("info", stream)
    yield stream
    root.handlers[:] = handlers
    root.setLevel(level)


def lines(out: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_a_line_holds_message_data_and_what_was_bound(out: io.StringIO) -> None:
    with bind(delivery="72d3162e", repository="o/r"), bind(job="index_push"):
        log.info("comment posted", extra={"comment": 12})
    log.info("later")
    first, second = lines(out)
    assert {"level": "info", "logger": "app.test", "message": "comment posted"}.items() <= first.items()
    assert {"delivery": "72d3162e", "repository": "o/r", "job": "index_push", "comment": 12}.items() <= first.items()
    assert "delivery" not in second


async def test_tasks_that_run_at_once_keep_their_own_fields(out: io.StringIO) -> None:
    async def one(number: int) -> None:
        with bind(number=number):
            await asyncio.sleep(0)
            log.info("in task")

    await asyncio.gather(*(one(number) for number in range(5)))
    assert sorted(line["number"] for line in lines(out)) == [0, 1, 2, 3, 4]


def test_below_the_level_nothing_is_written(out: io.StringIO) -> None:
    log.debug("detail", extra={"code": "secret()"})
    assert out.getvalue() == ""


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        (f"token {TOKEN} used", TOKEN[10:]),
        ("ghp_16C7e42F292c6912E7710c838347Ae178B4a", "16C7e42F292c6912E7710c838347Ae178B4a"),
        ("github_pat_11ABCDEFG0_abcdefghijklmnop", "11ABCDEFG0"),
        (f"jwt={JWT}", "eyJpc3MiOiI0Mi"),
        (PEM, "MIIEowIBAAKCAQEA"),
        (PEM.replace("\n", "\\n"), "MIIEowIBAAKCAQEA"),
        (PEM.partition("-----END")[0], "MIIEowIBAAKCAQEA"),
        ("Authorization: Bearer abcdefghijkl", "abcdefghijkl"),
        ("{'authorization': 'token abcdefghijkl'}", "abcdefghijkl"),
        ('{"Authorization": "Basic eC1hY2Nlc3MtdG9rZW46YWJj"}', "eC1hY2Nlc3MtdG9rZW46YWJj"),
        ("http.extraHeader=AUTHORIZATION: basic eC1hY2Nlc3MtdG9rZW46YWJj", "eC1hY2Nlc3MtdG9rZW46YWJj"),
        ("api-key: qdrant-key-1", "qdrant-key-1"),
        ("redis://:pa55word@redis:6379/0", "pa55word"),
        ("https://x-access-token:abc@github.com/o/r.git", "abc@"),
        ("X-Hub-Signature-256: sha256=757107ea0eb2509fc211221cce984b8a", "757107ea"),
    ],
)
def test_secrets_are_taken_out(text: str, hidden: str) -> None:
    assert hidden not in redact(text)
    assert "***" in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "index_push:186853002:ec26c3e57ca3a959ca5aad62de7213c562f8c821",
        "https://github.com/o/r/blob/ec26c3e57ca3a959ca5aad62de7213c562f8c821/src/a.py#L1-L2",
        "weights_reused high_contrast lengths_of_things",
        "the token expired in the middle of a job",
        "basic settings, bearer of news",
        "me@example.com wrote to git@github.com",
    ],
)
def test_what_is_no_secret_stays_as_it_is(text: str) -> None:
    assert redact(text) == text


def test_a_secret_is_taken_out_of_data_messages_and_traces(out: io.StringIO) -> None:
    log.info("went to %s", f"https://x-access-token:{TOKEN}@github.com/o/r", extra={"nested": {"a": [TOKEN]}})
    try:
        raise ValueError(f"bad {TOKEN}")
    except ValueError:
        log.exception("failed")
    assert "eyJ" not in out.getvalue()
    assert "ValueError: bad ghs_***" in lines(out)[1]["trace"]


def test_a_long_value_is_cut_for_code_has_no_place_in_a_log(out: io.StringIO) -> None:
    log.info("read", extra={"text": "x" * 5000})
    assert lines(out)[0]["text"] == "x" * LONGEST_VALUE + "… (5000 characters)"


def test_what_strangers_write_cannot_forge_a_line_or_break_one(out: io.StringIO) -> None:
    log.info("comment", extra={"title": 'a\n{"level":"error"}\x1b[2J\ud800', "message_": object()})
    (line,) = lines(out)
    assert line["title"].startswith("a\n")
    record = logging.makeLogRecord({"msg": "comment", "title": "a\nERROR forged\x1b[2J"})
    shown = ForPeople().format(record)
    assert "\n" not in shown
    assert "\x1b" not in shown


def test_data_named_like_a_field_of_the_line_does_not_replace_it(out: io.StringIO) -> None:
    log.info("one", extra={"level": 3, "time": 4})
    assert {"level": "info", "level_": 3, "time_": 4}.items() <= lines(out)[0].items()


def test_a_person_at_a_terminal_gets_a_readable_line(monkeypatch: pytest.MonkeyPatch, out: io.StringIO) -> None:
    monkeypatch.setattr(out, "isatty", lambda: True, raising=False)
    setup("info", out)
    log.info("comment posted", extra={"comment": 12, "queued": ["a"]})
    assert out.getvalue().rstrip().endswith('info    comment posted  comment=12  queued=["a"]')


def test_by_default_lines_go_to_standard_error(out: io.StringIO) -> None:
    setup("info")
    (handler,) = logging.getLogger().handlers
    assert isinstance(handler, logging.StreamHandler)
    assert handler.stream is sys.stderr
