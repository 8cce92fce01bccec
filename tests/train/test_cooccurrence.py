"""Words start near those that they stand with, whether or not they are common."""

from __future__ import annotations

import numpy as np
import pytest

from app.core import cooccurrence
from app.core.cooccurrence import cooccurrence_rows, joined
from app.core.static_model import Floats, Rows, Texts

TOPICS = 6
WORDS = 8
COMMON = TOPICS * WORDS
UNSEEN = COMMON + 1


def texts_of(rows: list[list[int]]) -> Texts:
    offsets = np.concatenate([[0], np.cumsum([len(each) for each in rows])]).astype(np.int64)
    flat: Rows = np.array([row for each in rows for row in each], np.int32)
    return Texts(offsets, flat, np.ones(len(flat), np.float32))


@pytest.fixture
def topics() -> Texts:
    """Each text has three words of one topic and the one word that all texts have."""
    generator = np.random.default_rng(1)
    return texts_of([[COMMON, *(at % TOPICS * WORDS + generator.permutation(WORDS)[:3]).tolist()] for at in range(600)])


def rows_of(texts: Texts) -> Floats:
    return cooccurrence_rows(texts, UNSEEN + 1, TOPICS - 1, seed=1)


def test_words_of_one_topic_are_alike_and_others_are_not(topics: Texts) -> None:
    rows = rows_of(topics)
    cosines = rows[:COMMON] @ rows[:COMMON].T
    same = np.arange(COMMON)[:, None] // WORDS == np.arange(COMMON) // WORDS
    assert cosines[same].min() > 0.8
    assert cosines[~same].max() < 0.3


def test_rows_have_length_one_and_an_unseen_word_has_none(topics: Texts) -> None:
    rows = rows_of(topics)
    np.testing.assert_allclose(np.linalg.norm(rows[:COMMON], axis=1), 1, rtol=1e-4)
    assert not rows[UNSEEN].any()


def test_the_rows_are_the_same_each_time_and_for_any_size_of_block(
    topics: Texts, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = rows_of(topics)
    np.testing.assert_array_equal(rows, rows_of(topics))
    monkeypatch.setattr(cooccurrence, "BLOCK", 7)
    np.testing.assert_allclose(
        rows[:COMMON] @ rows[:COMMON].T, (again := rows_of(topics))[:COMMON] @ again[:COMMON].T, atol=1e-3
    )


def test_fewer_words_than_columns_give_as_many_columns_as_there_are() -> None:
    rows = cooccurrence_rows(texts_of([[0, 1], [1, 2], [2, 0]]), 3, 8, seed=1)
    assert rows.shape[0] == 3
    assert rows.shape[1] < 8
    assert np.isfinite(rows).all()


def test_joining_puts_the_words_of_a_question_with_those_of_its_code() -> None:
    both = joined(texts_of([[1, 2], [], [3]]), texts_of([[4], [5], [3, 6]]))
    assert [sorted(both.rows[a:b].tolist()) for a, b in zip(both.offsets, both.offsets[1:], strict=False)] == [
        [1, 2, 4], [5], [3, 3, 6],
    ]  # fmt: skip
