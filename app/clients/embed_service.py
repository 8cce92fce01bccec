"""One call to an OpenAI-compatible `/embeddings`: the request, what its refusals mean, patience, and the form of its answer.

Nothing that is raised or logged here holds a text, a key or what the service wrote about a request: services repeat both.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx
import numpy as np
from numpy.typing import NDArray

from app.core.errors import ConfigError, NoVectors

TIMEOUT = httpx.Timeout(60.0, connect=5.0)
"""Seconds; a service on CPU takes 20 for a batch, and one that loads its model on the first call some 30."""
TRIES = 4
"""Attempts of one call in all."""
BACK_OFF = 0.5
"""Seconds before the second attempt; three times as long before each further one."""
PATIENCE = 20.0
"""Seconds after the first attempt in which a further one may begin; what needs longer gives the job back (NoVectors)."""
REST = 10.0
"""Seconds in which nobody asks again a service that was given up, so that questions need not wait for it each anew."""
LONGEST_REST = 300.0
"""Seconds of a Retry-After that are believed."""
PASSING = frozenset({408, 409, 423, 424, 425, 429, 529})
"""Statuses besides 5xx that pass by themselves; 424 is how text-embeddings-inference says that its backend failed."""
TOO_MUCH = frozenset({400, 413, 422})
"""Statuses that services use for too many inputs, too many tokens and too long a text alike."""
_TOO_LONG = re.compile(r"too (?:large|long|many)|context length|maximum", re.IGNORECASE)
"""Ollama and llama.cpp say so with 500."""
_CLOSED = "the embeddings client is closed"
_CODE = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,59}")
"""The form of an error code; anything else may be a text or a key that is repeated."""
MOST_DIMENSIONS = 65_535
"""Qdrant's limit."""
CONNECTIONS = httpx.Limits(max_connections=None, max_keepalive_connections=8, keepalive_expiry=4.0)
"""Idle connections are dropped before servers drop them (uvicorn after 5 s)."""


class TooMuch(Exception):
    """The service refused the content of one request: fewer or shorter texts may pass. The message is a status and a code."""


class Service:
    """One model of one service. May be used by several threads at once."""

    def __init__(self, url: str, model: str, key: str = "") -> None:
        self.url = url.rstrip("/").removesuffix("/embeddings") + "/embeddings"
        self.model = model
        headers = {"User-Agent": "coderag", "Accept": "application/json"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        self._client = httpx.Client(timeout=TIMEOUT, limits=CONNECTIONS, headers=headers)
        self._closed = threading.Event()
        self._rest_until = 0.0
        self._rest_why = ""

    def close(self) -> None:
        """End the waits and close the connections; calls under way end as NoVectors."""
        self._closed.set()
        self._client.close()

    def vectors(self, texts: Sequence[str]) -> tuple[NDArray[np.float64], str]:
        """The vectors of some texts, (len(texts), dimension) and finite, and the model that the service says it used.

        Blocks. Raises TooMuch for what it refuses in this form, ConfigError for what a setting must mend, NoVectors where
        it goes on failing for PATIENCE, and at once for REST seconds after that.
        """
        if (rest := self._rest_until - time.monotonic()) > 0:
            raise NoVectors(self._rest_why, rest)
        body = json.dumps({"model": self.model, "input": list(texts)}).encode()
        began, why, asked = time.monotonic(), "", 0.0
        for attempt in range(TRIES):
            try:
                response = self._client.post(self.url, content=body, headers={"Content-Type": "application/json"})
            except httpx.RequestError as error:
                why, asked = f"{type(error).__name__}: {str(error)[:120]}", 0.0
            except RuntimeError:  # httpx: the client has been closed
                raise NoVectors(_CLOSED) from None
            else:
                if not self._is_passing(response):
                    return self._read(response, len(texts))
                why, asked = _reason(response), retry_after(response.headers)
            wait = max(asked, BACK_OFF * 3**attempt)
            if attempt + 1 == TRIES or time.monotonic() - began + wait > PATIENCE:
                break
            if self._closed.wait(wait):
                raise NoVectors(_CLOSED)
        raise self._given_up(why, min(max(asked, REST), LONGEST_REST))

    def _given_up(self, why: str, rest: float) -> NoVectors:
        self._rest_why = f"the embeddings service at {self.url} does not answer ({why})"
        self._rest_until = time.monotonic() + rest
        return NoVectors(self._rest_why, rest)

    def _is_passing(self, response: httpx.Response) -> bool:
        """Whether the same request may succeed later; raises for what a setting must mend or fewer texts would."""
        status, why = response.status_code, _reason(response)
        if response.is_success:
            return False
        if status in TOO_MUCH or (status == 500 and _TOO_LONG.search(response.text)):
            raise TooMuch(why)
        if status in PASSING or status >= 500:
            return True
        if status in (401, 403):
            raise ConfigError(f"the embeddings service at {self.url} refuses EMBEDDINGS_API_KEY ({why})")
        if status in (404, 405):
            raise ConfigError(
                f"{self.url} does not know the model {self.model!r}, or is no embeddings service ({why}): check "
                "EMBEDDINGS_MODEL, and that EMBEDDINGS_URL is the address before `/embeddings`"
            )
        if response.is_redirect:
            raise ConfigError(f"{self.url} redirects ({why}): set EMBEDDINGS_URL to where it leads")
        raise ConfigError(f"the embeddings service at {self.url} refuses its use ({why})")

    def _read(self, response: httpx.Response, count: int) -> tuple[NDArray[np.float64], str]:
        try:
            answer = json.loads(response.content)
            rows = in_order(answer["data"], count)
            table = read_rows(rows)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            problem = str(error) if isinstance(error, BadAnswer) else "it is not of the form of `/v1/embeddings`"
            raise ConfigError(
                f"the answer of {self.url} with the model {self.model!r} cannot be used: {problem}"
            ) from None
        model = answer.get("model")
        return table, model if isinstance(model, str) else ""


class BadAnswer(ValueError):
    """An answer that cannot be used, and why."""


def in_order(data: object, count: int) -> list[object]:
    """The vectors of an answer's `data` in the order of the texts: by `index` where it is given, else as they stand."""
    if not isinstance(data, list) or not all(isinstance(item, dict) for item in data):
        raise BadAnswer("it has no list `data` of objects")
    if len(data) != count:
        raise BadAnswer(f"it holds {len(data)} vectors for {count} texts")
    places = [item.get("index") for item in data]
    if all(place is None for place in places):
        return [item.get("embedding") for item in data]
    if any(type(place) is not int for place in places) or sorted(places) != list(range(count)):
        raise BadAnswer("its `index` numbers do not name each text once")
    return [item.get("embedding") for item in sorted(data, key=lambda item: int(item["index"]))]


def read_rows(rows: Sequence[object]) -> NDArray[np.float64]:
    """The vectors as one finite table; BadAnswer for a row that is none, is empty, or differs in length."""
    lengths: set[int] = set()
    for row in rows:
        if not isinstance(row, list) or not all(type(number) in (int, float) for number in row):
            raise BadAnswer("a vector is no list of numbers")
        lengths.add(len(row))
    if len(lengths) != 1 or not 0 < max(lengths) <= MOST_DIMENSIONS:
        raise BadAnswer(f"its vectors have the lengths {', '.join(map(str, sorted(lengths)[:5]))}")
    try:
        table = np.array(rows, dtype=np.float64)
    except OverflowError:
        raise BadAnswer("a vector is not finite") from None
    if not np.isfinite(table).all():
        raise BadAnswer("a vector is not finite")
    return table


def retry_after(headers: httpx.Headers) -> float:
    """Seconds that the headers ask to wait, 0 where they do not say: a number, or a date."""
    raw = headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]{1,9}(?:\.[0-9]{1,9})?", raw):
        return float(raw)
    try:
        date = parsedate_to_datetime(raw)
    except ValueError:
        return 0.0
    return max(0.0, (date.astimezone(UTC) - datetime.now(UTC)).total_seconds()) if date.tzinfo else 0.0


def _reason(response: httpx.Response) -> str:
    """The status with the service's error code, where it has the form of one."""
    try:
        error = json.loads(response.content)["error"]
        told = [error.get("code"), error.get("type")] if isinstance(error, dict) else [error]
    except (ValueError, KeyError, TypeError, RecursionError):
        told = []
    codes = [code for code in told if isinstance(code, str) and _CODE.fullmatch(code)]
    return " ".join([str(response.status_code), *codes[:1]])
