"""Vectors from a service: texts cut, put into batches of bounded size, asked for side by side, and brought to length 1."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from app.clients.embed_service import Service, TooMuch
from app.core.errors import ConfigError

BATCH_TEXTS = 32
"""Texts a request: what text-embeddings-inference takes as delivered; OpenAI takes 2,048, Voyage 1,000."""
BATCH_CHARACTERS = 60_000
"""Characters a request, some 20,000 tokens of code; Voyage's code model takes 120,000 tokens, OpenAI 300,000."""
LONGEST_TEXT = 8_000
"""Characters of a text that are sent: even at a token a character they fit OpenAI's 8,192."""
SHORTEST_TEXT = 500
"""Characters to which a refused text is cut before the refusal is believed; they fit a model of 512 tokens."""
CONCURRENCY = 4
"""Requests in flight for long lists; a question, one short text, never waits for those."""
PROBE = "def probe(): return 1"
"""What is embedded once at the start, to learn the dimension."""
NAME_LENGTH = 60
"""Characters of the model's name in the id; the digest behind it tells models apart."""


@dataclass(frozen=True, slots=True)
class Learned:
    """What one answer tells of a service: the model's name in its own words (may be empty), and the length of its vectors."""

    answers_as: str
    dimension: int


def learn(service: Service) -> Learned:
    """Ask the service for one vector. Blocks; raises ConfigError and Transient as `HttpEmbedder.embed` does."""
    try:
        table, answers_as = service.vectors([PROBE])
    except TooMuch as refusal:
        raise ConfigError(
            f"the embeddings service at {service.url} refuses one short text ({refusal}): check EMBEDDINGS_MODEL, "
            f"now {service.model!r}"
        ) from None
    return Learned(answers_as, table.shape[1])


class HttpEmbedder:
    """An embedder (see `Embedder`) whose vectors come from an OpenAI-compatible service.

    Every text has the same vector whatever it is sent with and whatever was sent before: no limit of the service's that
    changes a vector is learned.
    """

    def __init__(self, service: Service, learned: Learned) -> None:
        self._service = service
        self._batch = BATCH_TEXTS
        self._answers_as = learned.answers_as
        self.dimension = learned.dimension
        self.id = model_id(service.model, learned.answers_as, learned.dimension)
        self._pool = ThreadPoolExecutor(CONCURRENCY, "embeddings")

    def close(self) -> None:
        """Begin no further request. Those under way end with the service's own `close`."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Embedder`. Blocks. Raises Transient while the service does not answer, and ConfigError where a setting or the
        service must be mended: a refused key or model, another dimension or model than at the start, no finite vectors."""
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        # Services refuse an empty text; it has no direction.
        sent = [(place, sendable(text)) for place, text in enumerate(texts) if text.strip()]
        parts = list(batches(sent, self._batch))
        # A single batch is asked for from the caller's own thread: it does not queue behind an index run's.
        answers = map(self._rows, parts) if len(parts) < 2 else self._pool.map(self._rows, parts)
        for part, answer in zip(parts, answers, strict=True):
            vectors[[place for place, _ in part]] = answer
        return vectors

    def _rows(self, part: Sequence[tuple[int, str]]) -> NDArray[np.float32]:
        return self._ask([text for _, text in part])[0]

    def _ask(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], bool]:
        """The vectors of one batch, in smaller requests where the service refuses it, and whether it took it whole."""
        try:
            table, model = self._service.vectors(texts)
        except TooMuch as refusal:
            rows = self._in_halves(texts) if len(texts) > 1 else self._cut(texts[0], refusal)
            return rows, False
        if table.shape[1] != self.dimension or model != self._answers_as:
            raise ConfigError(
                f"the embeddings service at {self._service.url} answers with {table.shape[1]} dimensions of "
                f"{model[:NAME_LENGTH]!r}, at the start with {self.dimension} of {self._answers_as[:NAME_LENGTH]!r}: "
                "its model has changed. Start CodeRAG again to index with the new one"
            )
        return unit_rows(table), True

    def _in_halves(self, texts: Sequence[str]) -> NDArray[np.float32]:
        half = len(texts) // 2
        (first, took_first), (second, took_second) = self._ask(texts[:half]), self._ask(texts[half:])
        if took_first and took_second:  # there were too many; where one was too long, its half is refused as well
            self._batch = min(self._batch, len(texts) - half)
        return np.concatenate([first, second])

    def _cut(self, text: str, refusal: TooMuch) -> NDArray[np.float32]:
        if len(text) <= SHORTEST_TEXT:
            raise ConfigError(
                f"the embeddings service at {self._service.url} refuses a text of {len(text)} characters ({refusal})"
            )
        return self._ask([text[: max(SHORTEST_TEXT, len(text) // 2)]])[0]


def model_id(model: str, answers_as: str, dimension: int) -> str:
    """`http-voyage-code-3-1024-5f0c9a3e`: readable, and different for any two models, however alike their names."""
    digest = blake2b(f"{model}\0{answers_as}".encode(errors="replace"), digest_size=4).hexdigest()
    return f"http-{re.sub(r'[^A-Za-z0-9.-]+', '_', model)[:NAME_LENGTH]}-{dimension}-{digest}"


def sendable(text: str) -> str:
    """The part of a text that is sent, as valid Unicode."""
    return text[:LONGEST_TEXT].encode(errors="replace").decode()


def batches(texts: Sequence[tuple[int, str]], most: int) -> Iterator[list[tuple[int, str]]]:
    """Runs of at most `most` texts and BATCH_CHARACTERS characters, in order."""
    part: list[tuple[int, str]] = []
    characters = 0
    for place, text in texts:
        if part and (len(part) == most or characters + len(text) > BATCH_CHARACTERS):
            yield part
            part, characters = [], 0
        part.append((place, text))
        characters += len(text)
    if part:
        yield part


def unit_rows(table: NDArray[np.float64]) -> NDArray[np.float32]:
    """Rows of length 1; a row of nought stays. First by the largest number, whose square might not be finite."""
    largest = np.abs(table).max(axis=1, keepdims=True)
    scaled = np.divide(table, largest, out=np.zeros_like(table), where=largest > 0)
    lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
    unit: NDArray[np.float32] = np.divide(scaled, lengths, out=scaled, where=lengths > 0).astype(np.float32)
    return unit
