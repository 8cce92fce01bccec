"""The arithmetic of learning: gradients against finite differences, and a small problem that it must solve."""

from __future__ import annotations

import numpy as np
import pytest

from app.core.static_model import (
    Floats,
    State,
    Texts,
    _backward,
    _forward,
    _softmax,
    gathered,
    start_table,
    step,
    vectors,
    weighted_sums,
)
from app.core.vocabulary import HASHED, Vocabulary


def random_texts(generator: np.random.Generator, texts: int, rows: int) -> Texts:
    sizes = generator.integers(0, 6, texts)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    total = int(offsets[-1])
    return Texts(
        offsets,
        generator.integers(0, rows, total).astype(np.int32),
        generator.uniform(0.5, 2, total).astype(np.float32),
    )


def test_the_slope_of_every_row_is_the_difference_quotient() -> None:
    generator = np.random.default_rng(1)
    queries, codes = random_texts(generator, 5, 9), random_texts(generator, 5, 9)
    table = generator.standard_normal((9, 4)).astype(np.float32)
    groups = np.array([0, 1, 1, 2, 3])

    def loss_of(changed: Floats) -> float:
        return _softmax(_forward(queries, changed)[0] @ _forward(codes, changed)[0].T, groups)[0]

    one, one_length = _forward(queries, table)
    other, other_length = _forward(codes, table)
    _, slope = _softmax(one @ other.T, groups)
    found = _backward(queries, slope @ other, one, one_length, 9) + _backward(
        codes, slope.T @ one, other, other_length, 9
    )
    for row in range(9):
        for column in range(4):
            moved = [table.copy(), table.copy()]
            moved[0][row, column] -= 1e-2
            moved[1][row, column] += 1e-2
            quotient = (loss_of(moved[1]) - loss_of(moved[0])) / 2e-2
            assert float(found[row, column]) == pytest.approx(quotient, abs=0.03, rel=0.05)


def test_pairs_of_one_group_are_no_wrong_answers() -> None:
    cosines = np.full((2, 2), 0.5, np.float32)
    assert _softmax(cosines.copy(), np.array([0, 0]))[0] == pytest.approx(0)
    assert _softmax(cosines.copy(), np.array([0, 1]))[0] == pytest.approx(np.log(2))


def test_it_learns_which_words_go_together() -> None:
    words = 40
    queries = Texts(np.arange(words + 1), np.arange(words, dtype=np.int32), np.ones(words, np.float32))
    codes = Texts(np.arange(words + 1), np.arange(words, 2 * words, dtype=np.int32), np.ones(words, np.float32))
    state = State.start(
        start_table(Vocabulary([f"{at}" for at in range(2 * words)]), 32, seed=1),
        np.ones(2 * words + HASHED, np.float32),
    )
    untouched = state.table[-1].copy()  # of a hashed row that no text has
    losses = [step(state, queries, codes, np.arange(words), 0.01) for _ in range(60)]
    assert losses[-1] < losses[0] / 10
    cosines = vectors(state, queries) @ vectors(state, codes).T
    assert (cosines.argmax(axis=1) == np.arange(words)).all()
    np.testing.assert_array_equal(state.table[-1], untouched)


def test_taking_texts_keeps_their_rows_in_the_order_asked_for() -> None:
    texts = random_texts(np.random.default_rng(2), 8, 20)
    taken = texts.take(np.array([5, 0, 5]))
    for at, number in enumerate((5, 0, 5)):
        expected = texts.rows[texts.offsets[number] : texts.offsets[number + 1]]
        np.testing.assert_array_equal(taken.rows[taken.offsets[at] : taken.offsets[at + 1]], expected)
    assert len(texts.take(np.zeros(0, np.int64))) == 0


def test_words_that_start_alike_start_near_each_other() -> None:
    table = start_table(Vocabulary(["parser", "parsing", "socket"]), 256, seed=1)
    unit = table / np.linalg.norm(table, axis=1, keepdims=True)
    assert unit[0] @ unit[1] > 0.3
    assert abs(unit[0] @ unit[2]) < 0.25


def test_leaving_rows_out_keeps_the_texts_apart() -> None:
    texts = random_texts(np.random.default_rng(2), 200, 20)
    fewer = texts.without(0.5, np.random.default_rng(3))
    assert len(fewer) == len(texts)
    assert 0.4 < len(fewer.rows) / len(texts.rows) < 0.6
    for at in range(len(texts)):
        whole = texts.rows[texts.offsets[at] : texts.offsets[at + 1]].tolist()
        assert set(fewer.rows[fewer.offsets[at] : fewer.offsets[at + 1]].tolist()) <= set(whole)
    np.testing.assert_array_equal(texts.without(0, np.random.default_rng(3)).rows, texts.rows)


def test_a_weight_is_learnt_and_stays_above_nought() -> None:
    # Word 0 stands in every text and tells nothing; words 1 to 8 tell the pairs apart.
    texts = Texts(
        np.arange(0, 17, 2), np.array([[0, at] for at in range(1, 9)], np.int32).ravel(), np.ones(16, np.float32)
    )
    state = State.start(
        start_table(Vocabulary([f"{at}" for at in range(9)]), 16, seed=1), np.ones(9 + HASHED, np.float32)
    )
    for _ in range(40):
        step(state, texts, texts, np.arange(8), 0.01)
    assert 0 < state.weights[0] < 0.8 < state.weights[1:9].min()


def test_gathering_is_the_transpose_of_summing() -> None:
    generator = np.random.default_rng(5)
    texts = random_texts(generator, 12, 7)
    table, given = (generator.standard_normal((size, 3)).astype(np.float32) for size in (7, 12))
    assert np.vdot(weighted_sums(texts, table), given) == pytest.approx(
        np.vdot(table, gathered(texts, given, 7)), rel=1e-4
    )
