"""Owns how a log line looks: a constant message, data beside it, secrets taken out; must not decide what is worth logging.

`log.info("comment posted", extra={"comment": 12})` inside `with bind(delivery=…, repository=…)` gives one line with all three.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TextIO

# Beyond this a value is not data about an event but text (code, a comment, a prompt), which has no place in a log.
LONGEST_VALUE = 300  # characters

# Installation tokens are about 520 characters with dots and dashes since 2026 (`ghs_<app>_<jwt>`): wider than GitHub's own pattern.
_SECRETS = re.compile(
    r"""
      (?P<token>(?<![A-Za-z0-9])(?:gh[a-z]_|github_pat_|sk-ant-)) [A-Za-z0-9_.\-=]{8,}
    | (?P<jwt>eyJ) [A-Za-z0-9_\-]{8,} (?:\.[A-Za-z0-9_\-]+){1,2}
    | (?P<pem>-----BEGIN[ ][A-Z ]*PRIVATE[ ]KEY-----) (?:(?!-----END).)* (?:-----END[ ][A-Z ]*-----)?
    | (?P<scheme>\b(?:bearer|basic|token)\s+) [A-Za-z0-9_.\-+/=]{16,}
    | (?P<header>(?:authorization|x-hub-signature(?:-256)?|(?:x-)?api-key)["']?\s*[:=]\s*["']?(?:\w+\s+)?) [^\s"',}]+
    | (?P<url>[a-z][a-z0-9+.\-]{1,20}://) [^\s/@"']{1,1000} @
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL | re.ASCII,
)

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "color_message"}
_NOTHING: Mapping[str, object] = MappingProxyType({})
_bound: ContextVar[Mapping[str, object]] = ContextVar("log_fields", default=_NOTHING)


def redact(text: str) -> str:
    """The text without tokens, keys, Authorization values and passwords in URLs; the kind of each stays readable."""
    return _SECRETS.sub(_mask, text)


def _mask(found: re.Match[str]) -> str:
    kept = found[found.lastgroup or 0]
    return f"{kept}***@" if found.lastgroup == "url" else f"{kept}***"


@contextmanager
def bind(**fields: object) -> Iterator[None]:
    """Put these fields on every line logged inside, in this task and the tasks it starts."""
    token = _bound.set({**_bound.get(), **fields})
    try:
        yield
    finally:
        _bound.reset(token)


def fields_of(record: logging.LogRecord) -> dict[str, object]:
    """What a record says beside its message: the bound fields, then its own `extra`, redacted, long values cut."""
    own = {name: value for name, value in vars(record).items() if name not in _STANDARD}
    return {name: _clean(value) for name, value in {**_bound.get(), **own}.items()}


def _clean(value: object) -> object:
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(name): _clean(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_clean(inner) for inner in value]
    text = redact(str(value))
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}… ({len(text)} characters)"


class JsonLines(logging.Formatter):
    """One JSON object a line: time (UTC), level, logger, message, the fields, and the trace where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as one line."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": redact(record.getMessage()),
        }
        line |= {(name if name not in line else f"{name}_"): value for name, value in fields_of(record).items()}
        if record.exc_info:
            line["trace"] = redact(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False, default=str).encode("utf-8", "replace").decode()


class ForPeople(logging.Formatter):
    """The same on a terminal: time, level, message, `name=value` pairs, the trace below."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as a readable line."""
        clock = datetime.fromtimestamp(record.created).astimezone().strftime("%H:%M:%S")
        pairs = "".join(f"  {name}={_one_line(value)}" for name, value in fields_of(record).items())
        line = f"{clock} {record.levelname.lower():<7} {_one_line(redact(record.getMessage()))}{pairs}"
        if record.exc_info:
            line += "\n" + redact(self.formatException(record.exc_info))
        return line.encode("utf-8", "replace").decode()


def _one_line(value: object) -> str:
    """A value that cannot forge a second line or move the cursor: what GitHub sends is written by strangers."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)


def setup(level: str = "info", stream: TextIO | None = None) -> None:
    """Log to `stream` (standard error) from here on: for people when it is a terminal, else as JSON lines."""
    out = stream or sys.stderr
    handler = logging.StreamHandler(out)
    handler.setFormatter(ForPeople() if out.isatty() else JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    # Both log each request with its URL at info, which is noise here; httpcore logs headers at debug.
    for name in ("httpx", "httpcore", "hpack"):
        logging.getLogger(name).setLevel(logging.WARNING)
    # uvicorn brings handlers of its own, which would print each line twice.
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logging.getLogger(name).handlers.clear()
        logging.getLogger(name).propagate = True
