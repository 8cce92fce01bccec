"""Holds the table of languages: each row's grammar loads, each query compiles, each path finds its language."""

from __future__ import annotations

import pytest

from app.core.languages import LANGUAGES, Language, language_for, language_of, parser_of, query_of

PARSED = [row for row in LANGUAGES if row.grammar]


@pytest.mark.parametrize("row", PARSED, ids=lambda row: row.name)
def test_every_query_compiles_against_its_grammar(row: Language) -> None:
    assert row.query
    assert query_of(row.name).pattern_count >= 2
    assert parser_of(row.name).parse(b"\n").root_node.child_count >= 0


def test_the_promised_languages_are_parsed() -> None:
    assert {row.name for row in PARSED} >= {
        "python",
        "javascript",
        "typescript",
        "tsx",
        "go",
        "rust",
        "java",
        "c",
        "cpp",
        *("csharp", "ruby", "php", "kotlin", "swift", "scala", "elixir", "lua", "shell", "sql"),
        *("html", "css", "scss", "json", "yaml", "toml", "xml", "ini", "protobuf", "hcl", "dockerfile", "make"),
        *("vue", "svelte"),
    }


def test_no_extension_belongs_to_two_languages() -> None:
    extensions = [extension for row in LANGUAGES for extension in row.extensions]
    assert sorted(extensions) == sorted(set(extensions))


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a/b.PY", "python"),
        ("x.jsx", "javascript"),
        ("x.mts", "typescript"),
        ("Makefile", "make"),
        ("sql/pgtap.sql.in", "sql"),
        ("Makefile.in", "make"),
        ("requirements.in", ""),
        ("a.h", "c"),
        ("a.H", "cpp"),
        ("nothing", ""),
    ],
)
def test_a_path_tells_its_language(path: str, language: str) -> None:
    assert language_of(path) == language


def test_a_header_with_classes_is_cpp_and_a_script_is_known_by_its_first_line() -> None:
    assert language_for("a.h", "class A {\n public:\n};\n") == "cpp"
    assert language_for("a.h", "int f(void);\n") == "c"
    assert language_for("run", "#!/usr/bin/env python3\nprint(1)\n") == "python"
