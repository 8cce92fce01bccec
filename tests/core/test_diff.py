"""Given two versions of a file, the changed line ranges are git's on both sides, and applying them gives the new file."""

from __future__ import annotations

import difflib
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core import diff
from app.core.diff import Edit, line_edits, touched

few_lines = st.lists(
    st.sampled_from(
        ["a", "b", "c", "", "}", "\r", "@@ -5 +5 @@", "--- a/x", "+++ b/x", "\\ No newline at end of file"]
    ),
    max_size=30,
)
texts = st.one_of(
    few_lines.map("\n".join), few_lines.map(lambda lines: "".join(f"{line}\n" for line in lines)), st.text(max_size=40)
)


def lines_of(text: str) -> list[str]:
    return [line for line in text.replace("\n", "\n\0").split("\0") if line]


def apply(edits: tuple[Edit, ...], old: str, new: str) -> str:
    """The old text with every edit's old lines replaced by its new ones, checked to be in order and apart."""
    before, after, out, at = lines_of(old), lines_of(new), list[str](), 0
    for edit in edits:
        assert edit.old_first - 1 >= at
        assert edit.old_last >= edit.old_first or edit.new_last >= edit.new_first
        out += before[at : edit.old_first - 1] + after[edit.new_first - 1 : edit.new_last]
        at = edit.old_last
    return "".join(out + before[at:])


@given(texts, texts)
def test_applying_the_edits_gives_the_new_text(old: str, new: str) -> None:
    if "\0" in old + new:
        return
    edits = line_edits(old, new)
    assert apply(edits, old, new) == new
    assert bool(edits) == (old != new)
    assert line_edits(old, old) == ()


@given(texts, texts, st.integers(0, 6), st.integers(0, 40))
def test_a_spent_budget_costs_detail_never_truth(old: str, new: str, most_edits: int, most_steps: int) -> None:
    if "\0" in old + new:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(diff, "MOST_EDITS", most_edits)
        patch.setattr(diff, "MOST_STEPS", most_steps)
        patch.setattr(diff, "DEEPEST_SPLIT", most_edits % 3)
        assert apply(line_edits(old, new), old, new) == new


@given(few_lines, few_lines)
def test_no_more_lines_are_touched_than_by_the_standard_library_twice_over(old: list[str], new: list[str]) -> None:
    ours = sum(
        e.old_last - e.old_first + e.new_last - e.new_first + 2
        for e in line_edits("\n".join([*old, ""]), "\n".join([*new, ""]))
    )
    blocks = difflib.SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    theirs = len(old) + len(new) - 2 * sum(block.size for block in blocks)
    # A line that occurs once on both sides is kept in place, whatever moves around it: `abbb` to `bbba` keeps the a.
    kept = any(old.count(line) == 1 == new.count(line) for line in old)
    assert ours <= (len(old) + len(new) if kept else 2 * theirs)


@pytest.mark.parametrize(
    ("name", "old", "new", "expected"),
    [
        ("one line", "a\nb\nc\n", "a\nB\nc\n", [Edit(2, 2, 2, 2)]),
        ("insertion", "a\nc\n", "a\nb\nc\n", [Edit(2, 1, 2, 2)]),
        ("deletion only", "a\nb\nc\n", "a\nc\n", [Edit(2, 2, 2, 1)]),
        ("new file", "", "a\nb\n", [Edit(1, 0, 1, 2)]),
        ("deleted file", "a\nb\n", "", [Edit(1, 2, 1, 0)]),
        ("both empty", "", "", []),
        ("the last line feed is gone", "a\nb\n", "a\nb", [Edit(2, 2, 2, 2)]),
        ("no line feed on either side", "a\nb", "a\nc", [Edit(2, 2, 2, 2)]),
        ("crlf to lf changes every line", "a\r\nb\r\n", "a\nb\n", [Edit(1, 2, 1, 2)]),
        ("one line of a crlf file", "a\r\nb\r\nc\r\n", "a\r\nB\r\nc\r\n", [Edit(2, 2, 2, 2)]),
        ("a lone carriage return is inside a line", "a\rb\nc\n", "a\rB\nc\n", [Edit(1, 1, 1, 1)]),
        ("form feed and U+2028 are inside a line", "a\x0cb\u2028c\nd\n", "a\x0cb\u2028c\nD\n", [Edit(2, 2, 2, 2)]),
        ("lines that look like a patch", "--- a/x\n+++ b/x\n@@ -5 +5 @@\n-x\n", "--- a/x\n+++ b/x\n@@ -5 +6 @@\n-x\n", [Edit(3, 3, 3, 3)]),
        ("two far apart", "a\nb\nc\nd\ne\n", "A\nb\nc\nd\nE\n", [Edit(1, 1, 1, 1), Edit(5, 5, 5, 5)]),
        ("a block moved", "a\nb\nc\nd\n", "c\nd\na\nb\n", [Edit(1, 0, 1, 2), Edit(3, 4, 5, 4)]),
    ],
)  # fmt: skip
def test_ranges(name: str, old: str, new: str, expected: list[Edit]) -> None:
    edits = line_edits(old, new)
    assert apply(edits, old, new) == new
    if name == "a block moved":  # either half may be the one that moved
        assert sum(edit.new_last - edit.new_first + 1 for edit in edits) == 2
    else:
        assert list(edits) == expected


def test_touched_counts_changed_lines_inside_a_range_of_either_side() -> None:
    edits = line_edits("a\nb\nc\nd\ne\n", "a\nB\nX\nc\ne\n")
    assert edits == (Edit(2, 2, 2, 3), Edit(4, 4, 5, 4))
    assert touched(edits, 1, 5) == 2
    assert touched(edits, 3, 5) == 1
    assert touched(edits, 1, 1) == 0
    assert touched(edits, 3, 5, new=False) == 1


def test_a_random_edit_of_a_real_source_is_found_where_it_was_made() -> None:
    source = Path(difflib.__file__).read_text()
    lines = source.splitlines(keepends=True)
    dice = random.Random(7)
    for _ in range(30):
        at, gone, added = dice.randrange(len(lines) - 5), dice.randrange(5), dice.randrange(5)
        new = "".join([*lines[:at], *(f"added {n}\n" for n in range(added)), *lines[at + gone :]])
        edits = line_edits(source, new)
        assert apply(edits, source, new) == new
        assert sum(edit.old_last - edit.old_first + 1 for edit in edits) == gone
        assert sum(edit.new_last - edit.new_first + 1 for edit in edits) == added


class CountedSearch(diff._Search):
    """The search, keeping what it spent at most."""

    def __init__(self, a: list[int], b: list[int]) -> None:
        super().__init__(a, b)
        spent.append(self)


spent: list[CountedSearch] = []


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("two alphabets that never meet", "ab\n" * 20_000, "cd\n" * 20_000),
        (
            "no line is unique",
            "".join(f"{n * n % 97}\n" for n in range(20_000)),
            "".join(f"{n * n % 89}\n" for n in range(20_000)),
        ),
        ("reversed", "".join(f"{n}\n" for n in range(20_000)), "".join(f"{n}\n" for n in range(20_000, 0, -1))),
        ("all alike, one more", "}\n" * 20_000, "}\n" * 20_001),
    ],
)
def test_large_and_unlike_texts_stay_within_the_budget(
    name: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    spent.clear()
    monkeypatch.setattr(diff, "_Search", CountedSearch)
    assert apply(line_edits(old, new), old, new) == new
    assert spent[0].steps > -2 * (20_001 + diff.MOST_EDITS)  # the round that overruns is the last
