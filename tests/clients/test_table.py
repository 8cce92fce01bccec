"""The trained table: its file is checked to the last bit, its id names its content, unseen words still count."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from app.clients.embed import SHIPPED
from app.clients.index.points import collection_name
from app.clients.table import TableEmbedder, load_table
from app.core.errors import ConfigError
from app.core.table_file import arrays_of, quantised, table_of
from app.core.tokens import count_tokens
from app.core.vocabulary import HASHED, Vocabulary

WORDS = ("parse", "url", "socket", "return")
TEXTS = [
    "def parse_url(text): return urlsplit(text)",
    "open a socket",
    "配置文件 größe",
    "x y " * 5_000 + "parse " * 70_000,
]


def write_table(path: Path, name: str = "small", weight: float = 1.0) -> None:
    made = np.random.default_rng(7).standard_normal((len(WORDS) + HASHED, 16)).astype(np.float32)
    weights = np.ones(len(made), np.float32)
    weights[3] = weight
    with path.open("wb") as file:
        np.savez(file, **arrays_of(quantised(name, WORDS, made, weights), {}))  # type: ignore[arg-type]


@pytest.fixture
def small(tmp_path: Path) -> TableEmbedder:
    write_table(tmp_path / "small.npz")
    return load_table(tmp_path / "small.npz")


shipped = load_table(SHIPPED)


@given(st.lists(st.text(), max_size=4))
def test_rows_are_of_length_one_or_zero(texts: list[str]) -> None:
    vectors = shipped.embed(texts)
    assert vectors.shape == (len(texts), shipped.dimension)
    assert vectors.dtype == np.float32
    for text, row in zip(texts, vectors, strict=True):
        assert np.linalg.norm(row) == pytest.approx(1.0 if count_tokens(text) else 0.0, abs=1e-6)


def test_a_row_does_not_depend_on_its_neighbours() -> None:
    for text, row in zip(TEXTS, shipped.embed(TEXTS), strict=True):
        np.testing.assert_array_equal(shipped.embed([text])[0], row)


def test_vectors_are_the_same_in_every_process() -> None:
    code = (
        "import hashlib; from app.clients.table import load_table; from app.clients.embed import SHIPPED;"
        "from tests.clients.test_table import TEXTS;"
        "print(hashlib.sha256(load_table(SHIPPED).embed(TEXTS).astype('<f4').tobytes()).hexdigest())"
    )
    environment = os.environ | {"PYTHONHASHSEED": "3", "OPENBLAS_NUM_THREADS": "1", "OPENBLAS_CORETYPE": "Prescott"}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == hashlib.sha256(shipped.embed(TEXTS).astype("<f4").tobytes()).hexdigest()


def test_the_shipped_table_is_small_enough_and_has_learnt_what_words_mean() -> None:
    assert SHIPPED.stat().st_size <= 20_000_000
    for one, other, far in (("folder", "directory", "parse"), ("socket", "connection", "matrix")):
        first, second, third = shipped.embed([one, other, far])
        assert first @ second > first @ third + 0.1


def test_words_without_a_row_still_count(small: TableEmbedder) -> None:
    one, same, stem, other = small.embed(["frobnicate", "frobnicate", "frobnication", "zyxwvut"])
    np.testing.assert_array_equal(one, same)
    assert one @ stem > 0.3
    assert abs(one @ other) < 0.9
    assert np.linalg.norm(other) == pytest.approx(1)


@given(st.text(min_size=1))
def test_every_token_has_rows_inside_the_table(token: str) -> None:
    vocabulary = Vocabulary(WORDS)
    rows = vocabulary.rows_of(token)
    assert 1 <= len(rows) <= 2
    assert all(0 <= row < vocabulary.rows for row in rows)


def test_the_id_names_the_content_and_becomes_the_collection(tmp_path: Path) -> None:
    ids = []
    for name, weight in (("small", 1.0), ("small", 2.0), ("other", 1.0)):
        write_table(tmp_path / "table.npz", name, weight)
        ids.append(load_table(tmp_path / "table.npz").id)
    assert len(set(ids)) == 3
    assert len({each.split("-")[2] for each in ids}) == 2
    assert collection_name(ids[0]) == f"coderag-1-{ids[0]}"


def test_eight_bits_keep_the_directions() -> None:
    generator = np.random.default_rng(3)
    table = generator.standard_normal((len(WORDS) + HASHED, 64)).astype(np.float32)
    weights = generator.uniform(0.05, 5, len(table)).astype(np.float32)
    made = quantised("small", WORDS, table, weights)
    back = made.codes * made.scales[:, None].astype(np.float64)
    cosines = (back * table).sum(axis=1) / np.linalg.norm(back, axis=1) / np.linalg.norm(table, axis=1)
    assert cosines.min() > 0.999
    heavy = np.linalg.norm(back, axis=1) / (np.linalg.norm(table, axis=1) * weights)
    assert heavy.std() / heavy.mean() < 0.02


@pytest.mark.parametrize("damage", ["empty", "text", "cut", "bit", "zip"])
def test_a_damaged_file_is_one_plain_error(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "table.npz"
    write_table(path)
    data = path.read_bytes()
    flipped = bytearray(data)
    flipped[len(data) // 2] ^= 4
    path.write_bytes(
        {"empty": b"", "text": b"hello there\n" * 99, "cut": data[: len(data) // 2], "bit": bytes(flipped), "zip": b"PK\x03\x04" + data[9:]}[damage]
    )  # fmt: skip
    with pytest.raises(ConfigError, match=r"table\.npz"):
        load_table(path)


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("codes", np.zeros((3, 16), np.int8), "rows"),
        ("codes", np.zeros((len(WORDS) + HASHED, 16), np.float32), "int8"),
        ("scales", np.zeros(len(WORDS) + HASHED, np.uint16), "digest"),
        ("about", np.frombuffer(b"[]", np.uint8), "description"),
        ("about", np.frombuffer(b'{"name": "a b", "form": 1, "digest": ""}', np.uint8), "name"),
        ("about", np.frombuffer(b'{"name": "a", "form": 2, "digest": ""}', np.uint8), "form 2"),
        ("words", np.frombuffer(b"\xff", np.uint8), "description"),
    ],
)
def test_what_does_not_fit_is_named(tmp_path: Path, key: str, value: NDArray[np.generic], said: str) -> None:
    write_table(tmp_path / "table.npz")
    with np.load(tmp_path / "table.npz") as arrays:
        held = {name: arrays[name] for name in arrays.files}
    with pytest.raises(ConfigError, match=said):
        table_of(held | {key: value})
