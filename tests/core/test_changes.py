"""The plan: what a map of path → identity in the index and one of the commit amount to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.changes import identity, plan


@pytest.mark.parametrize(
    ("case", "indexed", "wanted", "added", "changed", "removed", "moved"),
    [
        ("nothing at all", {}, {}, [], [], [], {}),
        ("a first index", {}, {"b": "1", "a": "2"}, ["a", "b"], [], [], {}),
        ("a push without a file", {"a": "1"}, {"a": "1"}, [], [], [], {}),
        ("an edit", {"a": "1", "b": "1"}, {"a": "2", "b": "1"}, [], ["a"], [], {}),
        ("a deletion", {"a": "1", "b": "2"}, {"a": "1"}, [], [], ["b"], {}),
        ("a rename", {"a": "1"}, {"b": "1"}, ["b"], [], ["a"], {"b": "a"}),
        ("a rename of case only", {"A": "1"}, {"a": "1"}, ["a"], [], ["A"], {"a": "A"}),
        ("a rename with change", {"a": "1"}, {"b": "2"}, ["b"], [], ["a"], {}),
        ("a copy is no move", {"a": "1"}, {"a": "1", "b": "1"}, ["b"], [], [], {}),
        ("a swap of two contents", {"a": "1", "b": "2"}, {"a": "2", "b": "1"}, [], ["a", "b"], [], {}),
        (
            "a folder renamed, with twins: the same file name wins",
            {"old/x": "1", "old/y": "1"},
            {"new/y": "1", "new/x": "1"},
            ["new/x", "new/y"],
            [],
            ["old/x", "old/y"],
            {"new/x": "old/x", "new/y": "old/y"},
        ),
        ("two claim one: the first by path", {"a": "1"}, {"c": "1", "b": "1"}, ["b", "c"], [], ["a"], {"b": "a"}),
        ("newly ignored", {"a": "1"}, {"a": identity("1", "path filter")}, [], ["a"], [], {}),
        (
            "symlink with the bytes of the file it replaced",
            {"a": "1"},
            {"a": identity("1", "symlink")},
            [],
            ["a"],
            [],
            {},
        ),
    ],
)
def test_plan(
    case: str,
    indexed: dict[str, str],
    wanted: dict[str, str],
    added: list[str],
    changed: list[str],
    removed: list[str],
    moved: dict[str, str],
) -> None:
    decided = plan(indexed, wanted)
    assert list(decided.added) == added
    assert list(decided.changed) == changed
    assert list(decided.removed) == removed
    assert dict(decided.moved) == moved
    assert decided.unchanged == len(wanted) - len(added) - len(changed)
    assert list(decided.write) == sorted(added + changed)


maps = st.dictionaries(st.sampled_from(["a", "b", "c/a", "c/b", "d/a"]), st.sampled_from("123"))


@given(maps, maps)
def test_carrying_out_the_plan_turns_one_map_into_the_other(indexed: dict[str, str], wanted: dict[str, str]) -> None:
    decided = plan(indexed, wanted)
    after = {path: blob for path, blob in indexed.items() if path not in decided.removed}
    after |= {path: wanted[path] for path in decided.write}
    assert after == wanted
    assert len(set(decided.moved.values())) == len(decided.moved)
    for new, old in decided.moved.items():
        assert wanted[new] == indexed[old]
        assert new in decided.added
        assert old in decided.removed


@given(maps, maps)
def test_the_same_maps_in_another_order_give_the_same_plan(indexed: dict[str, str], wanted: dict[str, str]) -> None:
    assert plan(indexed, wanted) == plan(dict(reversed(indexed.items())), dict(reversed(wanted.items())))
