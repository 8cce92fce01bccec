"""The map of a repository: which folders are told, and which lines say what a folder is for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.folders import (
    MOST_FOLDERS,
    folder_meant,
    folders_like,
    folders_of,
    heart,
    language_name,
    main_definitions,
    main_files,
    spoken,
)
from app.core.purpose import first_sentence, purpose_lines, purpose_text
from app.core.types import Definition

PURPOSES = [
    ("README.md", "# Shop\n\n[![ci](x)](y)\n\nSells things to people\nwho want them.\n\nMore.\n", "Sells things to people who want them."),
    ("docs/README.rst", "Shop\n====\n\nSells things to people.\n", "Sells things to people."),
    ("shop/__init__.py", '"""What the shop sells."""\n\nimport x\n', "What the shop sells."),
    ("shop/__init__.py", "from .cart import Cart\n", ""),
    ("shop/doc.go", "// Copyright 2020 Somebody.\n\n// Package shop sells things.\npackage shop\n", "Package shop sells things."),
    ("src/lib.rs", "//! Sells things,\n//! and gives some away.\nmod cart;\n", "Sells things, and gives some away."),
    ("src/index.ts", "/** The front of the shop. */\nexport * from './cart'\n", "The front of the shop."),
    ("go/x.go", "// Helper sells.\n\npackage shop\n", ""),
    ("go/x.go", "//go:build linux\n\npackage shop\n", ""),
    ("package.json", '{\n  "name": "shop",\n  "description": "Sells things.",\n}\n', "Sells things."),
    ("a/Cargo.toml", '[package]\ndescription = """\nSells things.\n"""\n', "Sells things."),
    ("pyproject.toml", '[project]\nname = "shop"\ndescription = ""\n', ""),
    ("README.md", "<p align=center>\n  Sells <b>much</b> for little\n</p>\n\n# Shop\n\nSells [things](x) to `people`.\n", "Sells things to people."),
    ("README.md", "We are excited to announce Shop 2 today!\n\nSells things to people.\n", "Sells things to people."),
    ("README.md", "[a](b) | [c](d) | [e](f)\n\n- one of these\n\n```sh\npip install the shop\n```\n\nSells things to people.\n", "Sells things to people."),
    ("README.rst", ".. image:: x.png\n   :alt: shop of the year\n\nSells :class:`~shop.Thing` to people.\n", "Sells ~shop.Thing to people."),
    ("shop/tag.py", '"""\nTags\n~~~~\n\nA thing with a tag.\n"""\n', "A thing with a tag."),
    ("shop/a.ts", "/* eslint-disable */\n// Sells many things.\nexport {}\n", "Sells many things."),
    ("shop/a.py", "import x\n# a comment of the import\n", ""),
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


def test_the_way_to_the_code_is_opened_and_a_folder_of_one_folder_is_shown_as_that_one() -> None:
    paths = [f"pkg/core/src/{name}.ts" for name in "abcdef"] + [
        "pkg/core/package.json",
        "pkg/docs/x.md",
        ".github/a.yml",
    ]
    assert heart(paths) == "pkg/core/src"
    assert [each.path for each in folders_of(paths)] == ["", "pkg", "pkg/core", "pkg/core/src", "pkg/docs"]
    assert heart(["a.go", "b.go", "in/c.go"]) == ""


def test_a_folder_is_meant_by_the_end_of_its_path_and_a_wrong_one_has_neighbours() -> None:
    paths = ["src/shop/json/a.py", "src/shop/json/b.py", "tests/json/c.py", "scripts/d.py"]
    assert folder_meant(paths, "shop/json") == folder_meant(paths, "./json/") == "src/shop/json"
    assert folder_meant(paths, "jso") == folder_meant(paths, "") == ""
    assert folders_like(paths, "scrips") == ["scripts"]


def test_languages_are_counted_and_the_main_one_named() -> None:
    top = folders_of(["a.py", "b.py", "c.cpp", "LICENSE"])[0]
    assert spoken(top.languages) == "2 Python, 1 C++"
    assert (language_name(top), language_name(folders_of(["a.py", "b.py", "c.cpp"])[0])) == ("", "Python")


def test_main_files_are_code_and_tests_only_among_tests() -> None:
    paths = ["a/x.py", "a/__init__.py", "a/x.json", "a/test_x.py", "a/b/y.py", "tests/test_z.py", "c/__init__.py"]
    assert main_files(paths, "a") == ["a/x.py"]
    assert main_files(paths, "tests") == ["tests/test_z.py"]
    assert main_files(paths, "c") == ["c/__init__.py"]


def test_public_types_are_named_before_functions_and_long_before_short() -> None:
    made = [
        Definition(name, qualified, kind, 1, last, "")
        for name, qualified, kind, last in [
            ("Small", "Small", "class", 5), ("Large", "Large", "class", 50), ("run", "run", "function", 90),
            ("go", "Large.go", "method", 99), ("_Hidden", "_Hidden", "class", 99), ("LIMIT", "LIMIT", "constant", 99),
            ("main", "main", "function", 99),
        ]
    ]  # fmt: skip
    assert [each.name for each in main_definitions(made)] == ["Large", "Small", "run"]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Sells things to people. And more.", "Sells things to people."),
        ("Sells things, e.g. Books to people. And more", "Sells things, e.g. Books to people."),
        ("Sells v1.2 things to people", "Sells v1.2 things to people"),
        ("Shop. Sells things to people. More.", "Shop. Sells things to people."),
    ],
)
def test_one_sentence_says_it(text: str, first: str) -> None:
    assert first_sentence(text) == first
