"""How rankings are judged: tables of ranks and cuts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.metrics import (
    Rank,
    Span,
    accuracy,
    all_within,
    files_of,
    function_rank,
    mean_reciprocal_rank,
    ranks_of,
    recall,
    reciprocal_rank,
)
from app.core.rows import Part

SPANS = [Span("a.py", 1, 20), Span("b.py", 5, 9), Span("a.py", 30, 60), Span("c.py", 1, 3)]


@pytest.mark.parametrize(
    ("ranks", "cut", "within"),
    [
        pytest.param([1], 1, True, id="first"),
        pytest.param([2], 1, False, id="second is not first"),
        pytest.param([1, 5], 5, True, id="the last place counts"),
        pytest.param([1, 6], 5, False, id="strict: one file too late spoils the row"),
        pytest.param([1, None], 10, False, id="one file not found spoils the row"),
        pytest.param([], 10, False, id="nothing wanted is never right"),
    ],
)
def test_a_row_counts_only_when_all_its_files_are_among_the_first(ranks: list[Rank], cut: int, within: bool) -> None:
    assert all_within(ranks, cut) is within


def test_a_file_stands_where_its_best_chunk_stands() -> None:
    assert files_of(SPANS) == ["a.py", "b.py", "c.py"]
    assert ranks_of(["c.py", "a.py", "z.py"], files_of(SPANS)) == [3, 1, None]


@pytest.mark.parametrize(
    ("gold", "place"),
    [
        pytest.param([Part("a.py", ((1, 20),))], 1, id="the whole chunk"),
        pytest.param([Part("a.py", ((40, 41),))], 3, id="a later chunk of the same file"),
        pytest.param([Part("b.py", ((5, 10),))], None, id="a range that sticks out is not inside"),
        pytest.param([Part("b.py", ((1, 2), (6, 6)))], 2, id="one range of several is enough"),
        pytest.param([Part("d.py", ((1, 1),)), Part("c.py", ((2, 3),))], 4, id="one file of several is enough"),
        pytest.param([Part("a.py")], None, id="no lines are in no chunk"),
    ],
)
def test_a_function_is_found_where_a_chunk_holds_a_gold_range_whole(gold: list[Part], place: Rank) -> None:
    assert function_rank(gold, SPANS) == place


def test_figures_are_percentages_and_a_mean() -> None:
    rows: list[list[Rank]] = [[1], [2, 4], [None], [11]]
    assert accuracy(rows) == {"1": 25.0, "3": 25.0, "5": 50.0, "10": 50.0}
    assert recall([1, 6, None], (5, 10)) == {"5": 33.3, "10": 66.7}
    assert mean_reciprocal_rank(rows) == round((1 + 0.5 + 0 + 1 / 11) / 4, 4)


def test_no_rows_give_nought_and_no_error() -> None:
    assert accuracy([]) == {"1": 0.0, "3": 0.0, "5": 0.0, "10": 0.0}
    assert recall([], (5, 10)) == {"5": 0.0, "10": 0.0}
    assert mean_reciprocal_rank([]) == 0.0


@given(st.lists(st.lists(st.one_of(st.none(), st.integers(1, 30)), max_size=4), max_size=8))
def test_accuracy_never_falls_with_the_cut_and_stays_a_percentage(rows: list[list[Rank]]) -> None:
    values = list(accuracy(rows).values())
    assert values == sorted(values)
    assert all(0.0 <= value <= 100.0 for value in values)
    assert all(0.0 <= reciprocal_rank(ranks) <= 1.0 for ranks in rows)
