"""The map of a repository: which folders are told, and which lines say what a folder is for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.folders import MOST_FOLDERS, folders_of, purpose_lines, purpose_text

PURPOSES = [
    ("README.md", "# Shop\n\n[![ci](x)](y)\n\nSells things to people\nwho want them.\n\nMore.\n", "Sells things to people who want them."),
    ("docs/README.rst", "Shop\n====\n\nSells things to people.\n", "Sells things to people."),
    ("shop/__init__.py", '"""What the shop sells."""\n\nimport x\n', "What the shop sells."),
    ("shop/__init__.py", "from .cart import Cart\n", ""),
    ("shop/doc.go", "// Copyright 2020 Somebody.\n\n// Package shop sells things.\npackage shop\n", "Package shop sells things."),
    ("src/lib.rs", "//! Sells things,\n//! and gives some away.\nmod cart;\n", "Sells things, and gives some away."),
    ("src/index.ts", "/** The front of the shop. */\nexport * from './cart'\n", "The front of the shop."),
    ("a/package-info.java", "/**\n * Adapters of the shop.\n */\npackage a;\n", "Adapters of the shop."),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text", "said"), PURPOSES)
def test_a_folder_says_what_it_is_for(path: str, text: str, said: str) -> None:
    first, last = purpose_lines(path, text)
    assert purpose_text("\n".join(text.split("\n")[max(0, first - 1) : last])) == said


def test_code_comes_first_and_a_lone_folder_is_opened() -> None:
    paths = ["src/cart/a.py", "src/cart/b.py", "src/pay/c.py", "tests/test_a.py", "README.md"]
    assert [(each.path, each.files) for each in folders_of(paths)] == [
        ("", 5), ("src", 3), ("src/cart", 2), ("src/pay", 1), ("tests", 1),
    ]  # fmt: skip
    assert [each.path for each in folders_of(paths, "src")] == ["src", "src/cart", "src/pay"]
    assert folders_of(paths, "nowhere") == []


@given(st.lists(st.text("ab/._", min_size=1, max_size=12), max_size=60), st.sampled_from(["", "a", "a/b"]))
def test_any_tree_has_a_small_map(paths: list[str], below: str) -> None:
    assert len(folders_of(paths, below)) <= MOST_FOLDERS + 1


@given(st.text("# /*\"'ab\n!.", max_size=200), st.sampled_from(["README.md", "a.py", "doc.go"]))
def test_purpose_lines_are_lines_of_the_text(text: str, path: str) -> None:
    first, last = purpose_lines(path, text)
    assert (first, last) == (0, 0) or 1 <= first <= last <= text.count("\n") + 1
