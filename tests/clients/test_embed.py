"""The static embedder: the same bits everywhere, unit rows, and nearer where words are shared."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.clients.embed import TABLE_VARIABLE, StaticEmbedder, embedder
from app.core.errors import ConfigError
from app.core.tokens import count_tokens
from tests.clients.test_table import write_table

TEXTS = [
    "def parse_url(text): return urlsplit(text)",
    "class ConnectionPool: retries, timeouts and keep-alive",
    "配置文件 größe Привет",
    "x " * 5_000 + "word " * 70_000,  # beyond what float32 can add exactly
]
DIGEST = "3a754150b7e16dbe7555c98b15aca8a11e11db91ea041792650f767b69c8ce18"
"""SHA-256 of the vectors of TEXTS as little-endian float32. If it changes, so must the embedder's id: old vectors are lost."""

static = StaticEmbedder()


def test_vectors_are_the_same_on_every_platform_and_in_every_process() -> None:
    digest = hashlib.sha256(static.embed(TEXTS).astype("<f4").tobytes()).hexdigest()
    assert digest == DIGEST
    code = (
        "import hashlib; from app.clients.embed import StaticEmbedder; from tests.clients.test_embed import TEXTS;"
        "print(hashlib.sha256(StaticEmbedder().embed(TEXTS).astype('<f4').tobytes()).hexdigest())"
    )
    environment = os.environ | {"PYTHONHASHSEED": "3", "OPENBLAS_NUM_THREADS": "1", "OPENBLAS_CORETYPE": "Prescott"}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == digest


@given(st.lists(st.text(), max_size=5))
def test_rows_are_of_length_one_or_zero(texts: list[str]) -> None:
    vectors = static.embed(texts)
    assert vectors.shape == (len(texts), static.dimension)
    assert vectors.dtype == np.float32
    for text, row in zip(texts, vectors, strict=True):
        assert np.linalg.norm(row) == pytest.approx(1.0 if count_tokens(text) else 0.0, abs=1e-6)


def test_a_row_does_not_depend_on_its_neighbours() -> None:
    together = static.embed(TEXTS)
    for text, row in zip(TEXTS, together, strict=True):
        np.testing.assert_array_equal(static.embed([text])[0], row)
        np.testing.assert_array_equal(static.embed_counts([count_tokens(text)])[0], row)


def test_stop_words_alone_have_no_direction() -> None:
    assert not static.embed(["what is this?", "", "{ } 42"]).any()


def test_shared_words_and_shared_stems_bring_texts_nearer() -> None:
    query, same, stem, far = static.embed(
        ["how urls are parsed", "def parse_urls(text)", "class UrlParser", "def open_socket(host, port)"]
    )
    assert query @ same > 0.4
    assert query @ stem > query @ far + 0.2
    assert abs(query @ far) < 0.2


def test_a_word_that_every_file_holds_weighs_less_than_one_that_names_something() -> None:
    query, common, telling = static.embed(["return checksum", "return", "checksum"])
    assert query @ telling > 2 * (query @ common)


def test_the_factory_gives_the_shipped_table_once_and_another_where_one_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(TABLE_VARIABLE, raising=False)
    shipped = embedder()
    assert shipped is embedder()
    assert re.fullmatch(r"code-1-[0-9a-f]{8}-256", shipped.id)
    assert shipped.dimension == 256
    write_table(tmp_path / "own.npz", "own")
    monkeypatch.setenv(TABLE_VARIABLE, str(tmp_path / "own.npz"))
    assert embedder().id.startswith("own-1-")
    monkeypatch.setenv(TABLE_VARIABLE, str(tmp_path / "none.npz"))
    with pytest.raises(ConfigError, match=r"no table of dense vectors at .*none\.npz"):
        embedder()
