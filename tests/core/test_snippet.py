"""Pasted code: what is read as code whose like is wanted, and how code is compared with code."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.query import read_question
from app.core.similar import Likeness, compare
from app.core.snippet import is_code, is_test_code, pasted

PYTHON = 'def total(items):\n    """Adds up."""\n    price = 0\n    for item in items:\n        price += item.price * item.count\n    return round(price, 2)'
GO = 'func join(a, b string) string {\n\tif b == "" {\n\t\treturn a\n\t}\n\treturn path.Join(a, b)\n}'
LOG = "2024-01-02 10:00:00 ERROR store.py: cannot open(file)\n2024-01-02 10:00:01 INFO store.py: retry()\n2024-01-02 10:00:02 ERROR gave up;"
SNIPPETS = [
    f"is there something like this?\n```python\n{PYTHON}\n```",
    f"Do we have this already?\n```\n{GO}\n```",
    f"where does this come from?\n~~~\n{GO}\n~~~",
    f"```go\n{GO}\n```",
    PYTHON,
    GO,
    re.sub("^", "    ", PYTHON, flags=re.MULTILINE),
    "for (let i = 0; i < items.length; i++) { total += items[i].price; }",
]
NO_SNIPPETS = [
    f"It crashes since the upgrade:\n```python\n{PYTHON}\n```",
    f"who calls `total`?\n```python\n{PYTHON}\n```",
    "parse_url(text)",
    "where is parse_url defined?",
    "(str, int) -> dict",
    "Fix the parser.\nIt skips comments (all of them).\nReturn nothing then; that is right.",
    LOG,
    f"```\n{LOG}\n```",
    "is this what we want?\n```\nTraceback (most recent call last):\n  File \"a.py\", line 3, in f\n    x()\nKeyError: 'x'\n```",
]  # fmt: skip


@pytest.mark.parametrize("text", SNIPPETS)
def test_code_with_nothing_or_a_pointing_sentence_beside_it_is_a_snippet(text: str) -> None:
    question = read_question(text)
    assert question.kind == "snippet"
    assert not {"something", "already", "come", "like"} & question.weights.keys()
    assert not question.symbols


@pytest.mark.parametrize("text", NO_SNIPPETS)
def test_code_beside_a_story_and_logs_and_names_are_no_snippets(text: str) -> None:
    assert read_question(text).kind != "snippet"


def test_under_an_issue_s_title_only_a_sentence_that_points_at_the_code_asks_for_its_like() -> None:
    assert read_question(f"```\n{GO}\n```", "Joining fails").kind != "snippet"
    assert read_question(f"is there something like this?\n```\n{GO}\n```", "Joining fails").kind == "snippet"


def test_a_language_s_own_words_count_little() -> None:
    weights = read_question(f"```\n{PYTHON}\n```").weights
    assert weights["return"] < weights["price"] / 3


@pytest.mark.parametrize(
    ("change", "likeness"),
    [
        (lambda code: code, Likeness.SAME),
        (lambda code: code.replace("    ", "\t").replace('"""Adds up."""', "# adds\n"), Likeness.SAME),
        (lambda code: re.sub(r"\bprice\b", "cost", code).replace("items", "things"), Likeness.FORM),
        (lambda code: "\n".join([*code.split("\n")[2:5], "log(price)"]), Likeness.CLOSE),
        (lambda code: "SELECT name FROM users WHERE age > 3 ORDER BY name", Likeness.FAR),
    ],
)
def test_layout_comments_and_names_do_not_hide_a_copy(change: object, likeness: Likeness) -> None:
    assert callable(change)
    best = compare(str(change(PYTHON)), [GO, f"class A:\n    x = 1\n{PYTHON}\n{GO}", PYTHON], [1.0, 1.0, 1.0])[0]
    assert best.likeness is likeness
    if likeness is not Likeness.FAR:
        assert best.place == 2, "the function, not the larger text around it"


def test_what_stands_back_is_behind_what_is_as_like() -> None:
    assert [each.place for each in compare(PYTHON, [PYTHON, PYTHON], [0.5, 1.0])] == [1, 0]


@pytest.mark.parametrize(
    ("code", "told"),
    [("def test_total():\n    assert total([]) == 0", True), ("func TestJoin(t *testing.T) {", True), (PYTHON, False)],
)
def test_a_test_is_known_by_its_form(code: str, told: bool) -> None:
    assert is_test_code(code) is told


@given(st.text(max_size=400), st.lists(st.text(max_size=400), max_size=5))
def test_any_two_texts_can_be_compared(snippet: str, texts: list[str]) -> None:
    found = compare(snippet, texts, [1.0] * len(texts))
    assert sorted(each.place for each in found) == list(range(len(texts)))
    assert all(0 <= each.score <= 1 and 0 <= each.held <= each.rare for each in found)


@given(st.text("ab(){};=.\n/*'\"`# ", max_size=2000))
def test_any_text_is_code_or_not(text: str) -> None:
    assert is_code(text) in {True, False}


def test_hostile_code_is_read_in_time_that_grows_with_its_length() -> None:
    hostile = "/*" * 20_000 + '"""' * 9_999 + "'\\" * 9_000
    assert compare(hostile, [hostile] * 3, [1.0] * 3)


@pytest.mark.parametrize(
    "prose",
    [
        "Example:",
        "Say I have code like this:",
        "If I run the code\nthe result is wrong. Is this a bug?",
        "Do you think this has to do with your matrix refactor?",
        "Given this code: the element that I get is not the first.",
        "This claims to be the latest version; what is it?",
    ],
)
def test_code_beside_a_report_is_no_snippet(prose: str) -> None:
    assert pasted(prose, "x = symbols('x')\nprint(simplify(x))\n", titled=True) == ""
