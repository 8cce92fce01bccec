"""Rows of known answers: what is read, and what is said of a bad line."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import UserError
from app.core.rows import ImpactRow, Part, Row, read_impact_rows, read_rows

ROW: dict[str, object] = {
    "id": "o__r-1", "repo": "o/r", "commit": "a" * 40, "query": "It breaks\nbadly",
    "gold": [{"path": "a.py", "lines": [[1, 2], [7, 7]]}, {"path": "b.py"}],
}  # fmt: skip
IMPACT: dict[str, object] = {
    "id": "x", "repo": "o/r", "commit": "HEAD", "changed": [{"path": "a.py", "lines": []}], "hidden": "b.py",
}  # fmt: skip


def test_rows_are_read_and_empty_lines_passed_over() -> None:
    text = f"{json.dumps(ROW)}\n\n{json.dumps({**ROW, 'more': 1})}\r\n"
    row = Row("o__r-1", "o/r", "a" * 40, "It breaks\nbadly", (Part("a.py", ((1, 2), (7, 7))), Part("b.py")))
    assert read_rows(text) == [row, row]
    assert read_impact_rows(json.dumps(IMPACT)) == [ImpactRow("x", "o/r", "HEAD", (Part("a.py"),), "b.py")]


def test_a_query_may_hold_any_character_that_json_allows() -> None:
    line = json.dumps({**ROW, "query": "one\u2028two\x85three"}, ensure_ascii=False)
    assert [row.query for row in read_rows(line)] == ["one\u2028two\x85three"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{not json", r"line 2 is no JSON"),
        ("[" * 100_000, r"line 2 is no JSON"),
        ("[1]", r"line 2 must be a JSON object, not \[1\]"),
        (json.dumps({key: value for key, value in ROW.items() if key != "gold"}), "line 2 lacks `gold`"),
        (json.dumps({**ROW, "commit": None}), "line 2: `commit` must be a text that is not empty, not null"),
        (json.dumps({**ROW, "query": "  "}), "line 2: `query` must be a text"),
        (json.dumps({**ROW, "gold": []}), r"line 2: `gold` must be a list that is not empty, not \[\]"),
        (json.dumps({**ROW, "gold": ["a.py"]}), "line 2: `gold` must hold objects"),
        (json.dumps({**ROW, "gold": [{"path": "a", "lines": [[1]]}]}), "line 2: `gold` has lines that are no"),
        (json.dumps({**ROW, "gold": [{"path": "a", "lines": [[1, True]]}]}), "line 2: `gold` has lines that are no"),
        (json.dumps({**ROW, "repo": "../../etc"}), "line 2: `repo` must be owner/name"),
        (json.dumps({**ROW, "repo": "../x"}), "line 2: `repo` must be owner/name"),
    ],
)
def test_a_bad_line_is_named_with_what_it_lacks(line: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        read_rows(f"{json.dumps(ROW)}\n{line}")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["path", "lines"]), inner, max_size=2),
    max_leaves=6,
)


def refusal(text: str) -> str:
    """What is said of rows that are refused; empty where they are read."""
    try:
        read_rows(text)
    except UserError as refused:
        return str(refused)
    return ""


@given(st.sampled_from(sorted(ROW)), VALUES)
def test_any_value_is_read_or_refused_with_its_line(field: str, value: object) -> None:
    said = refusal(json.dumps({**ROW, field: value}))
    assert not said or said.startswith("line 1")


@given(st.text(max_size=60))
def test_any_text_is_refused_unless_it_is_empty(text: str) -> None:
    assert refusal(text).startswith("line ") == bool(text.strip())
