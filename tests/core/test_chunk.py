"""Holds what every chunk promises, over real sources of this machine, written ones of each language, and hostile ones."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.chunk import chunk_file
from app.core.lines import BUDGET_TOKENS, BYTES_PER_TOKEN
from app.core.parse import parse
from app.core.source import line_range, split_lines
from app.core.types import Chunk, SourceFile
from tests.sources import real_sources

# What a member needs around it to stand in a file of its own. A definition that is none needs nothing.
AROUND = {
    "javascript": ("class X {\n%s\n}", "x = {\n%s\n}"),
    "typescript": ("class X {\n%s\n}", "interface X {\n%s\n}", "x = {\n%s\n}"),
    "tsx": ("class X {\n%s\n}", "interface X {\n%s\n}", "x = {\n%s\n}"),
    "java": ("class X {\n%s\n}", "interface X {\n%s\n}", "enum X {\nA;\n%s\n}", "@interface X {\n%s\n}"),
    "cpp": ("class X {\n%s\n};",),
    "rust": ("impl X {\n%s\n}", "trait X {\n%s\n}"),
    "csharp": ("class X {\n%s\n}", "interface X {\n%s\n}"),
    "php": ("class X {\n%s\n}", "interface X {\n%s\n}", "enum X {\n%s\n}"),
    "kotlin": ("class X {\n%s\n}", "interface X {\n%s\n}", "enum class X {\nA;\n%s\n}"),
    "swift": ("class X {\n%s\n}", "protocol X {\n%s\n}", "enum X {\n%s\n}"),
    "scala": ("class X {\n%s\n}", "enum X {\n%s\n}"),
    "lua": ("x = {\n%s\n}",),
    "protobuf": ("message X {\n%s\n}", "service X {\n%s\n}"),
    "go": ("type X interface {\n%s\n}", "const (\n%s\n)", "var (\n%s\n)", "type (\n%s\n)"),
}

BEFORE = {"go": "package x\n", "php": "<?php\n"}
"""What a file of the language has to start with."""

PYTHON = '''"""Módulo de prueba 漢字 🎉."""

import os
from store import save as keep

LIMIT = 3


# Above the class.
@decorate
class Store(Base):
    """Keeps things."""

    size: int = 0

    def save(self, item: str) -> None:
        """Save one."""
        self.check(item)
        keep(item)

        def inner() -> None:
            os.remove(item)

    def check(self, item: str) -> bool:
        return bool(item) and len(item) < LIMIT and item.isprintable() and item not in ("", "a", "b", "c", "d", "e")


async def main() -> None:
    Store().save("x")
'''


def parsed(path: str, text: str) -> SourceFile:
    source = chunk_file(path, text)
    assert chunk_file(path, text) == source, "the same input gives the same output"
    return source


def assert_promises(source: SourceFile, text: str) -> None:
    """Texts are the file's lines; every non-blank line is in exactly one chunk."""
    covered: Counter[int] = Counter()
    for chunk in source.chunks:
        assert chunk.text == line_range(text, chunk.first, chunk.last), chunk
        covered.update(range(chunk.first, chunk.last + 1))
    for number, line in enumerate(split_lines(text), 1):
        if line.strip():
            assert covered[number] == 1, (source.path, number, line)


def is_definition(chunk: Chunk) -> bool:
    return bool(chunk.qualified) and not chunk.part and chunk.kind not in ("module", "section", "window")


def parses_alone(chunk: Chunk) -> bool:
    lines = chunk.text.split("\n")
    indent = len(lines[0]) - len(lines[0].lstrip())
    text = "\n".join(line[indent:] if not line[:indent].strip() else line for line in lines)
    package = BEFORE.get(chunk.language, "")
    wrapped = [text, *(form.replace("%s", chunk.text) for form in AROUND.get(chunk.language, ()))]
    trees = [parse(chunk.language, f"{package}{each}\n".encode()) for each in wrapped]
    return any(tree is not None and not tree.root_node.has_error for tree in trees)


def test_real_sources_are_there() -> None:
    assert len(real_sources()) >= SAMPLE_AT_LEAST


SAMPLE_AT_LEAST = 60


def test_every_line_of_real_sources_is_in_exactly_one_chunk_as_git_counts_lines() -> None:
    for path, text in real_sources():
        source = chunk_file(path, text)
        if source.skip is None:
            assert_promises(source, text)


def test_every_definition_of_real_sources_parses_by_itself() -> None:
    definitions = 0
    for path, text in real_sources():
        source = chunk_file(path, text)
        for chunk in filter(is_definition, source.chunks if source.parsed else ()):
            definitions += 1
            assert parses_alone(chunk), (path, chunk.kind, chunk.qualified, chunk.first, chunk.last)
    assert definitions > 200


def test_no_part_is_over_the_budget_unless_it_is_one_line() -> None:
    for path, text in real_sources():
        for chunk in chunk_file(path, text).chunks:
            size = len(chunk.text.encode()) // BYTES_PER_TOKEN
            assert size <= BUDGET_TOKENS or chunk.first == chunk.last, (path, chunk.first, chunk.last, size)


def test_a_python_class_gives_its_header_and_its_methods() -> None:
    source = parsed("app/store.py", PYTHON)
    by_name = {definition.qualified: definition for definition in source.definitions}
    assert list(by_name) == ["LIMIT", "Store", "Store.save", "Store.save.inner", "Store.check", "main"]
    assert (by_name["Store"].first, by_name["Store"].bases) == (9, ("Base",)) or by_name["Store"].bases == ("Base",)
    assert by_name["Store.save"].docstring == "Save one."
    assert by_name["Store.save"].signature == "def save(self, item: str) -> None"
    header = next(chunk for chunk in source.chunks if "class Store" in chunk.text)
    assert "# Above the class." in header.text
    assert "@decorate" in header.text
    assert_promises(source, PYTHON)


def test_calls_know_their_enclosing_definition_and_what_imports_prove() -> None:
    source = parsed("app/store.py", PYTHON)
    calls = {(call.name, call.within): call for chunk in source.chunks for call in chunk.calls}
    assert calls["check", "Store.save"].target == "Store.check"
    assert calls["save", "Store.save"].target == "store.save"
    assert calls["remove", "Store.save.inner"].target == "os.remove"
    assert calls["save", "main"].target == "Store.save"


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.js", "export class A {\n  run() { go(); }\n}\nfunction go() {}\nconst N = 1;\n", {"A", "A.run", "go", "N"}),
        ("a.jsx", "function App() {\n  return <Item a={1}/>;\n}\n", {"App"}),
        ("a.ts", "interface I { a(): void }\ntype T = string;\nenum E { X }\nexport const f = () => 1;\n", {"I", "T", "E", "f"}),
        ("a.tsx", "export function App(p: P) {\n  return <b>{p.x}</b>;\n}\n", {"App"}),
        ("a.go", "package a\n\ntype S struct{}\n\nfunc (s *S) Run() {}\n\nfunc Go() {}\n\nconst N = 1\n", {"S", "S.Run", "Go", "N"}),
        ("a.rs", "struct S;\nimpl S {\n    fn run(&self) {}\n}\nenum E { A }\ntrait T { fn t(&self); }\nconst N: u8 = 1;\n", {"S", "S.run", "E", "T", "N"}),
        ("A.java", "class A {\n  int f;\n  void run() {}\n}\ninterface I { void i(); }\nenum E { X }\n", {"A", "A.run", "I", "E"}),
        ("a.c", "#define N 1\nstruct s { int a; };\nenum e { X };\nint run(void) { return 1; }\n", {"s", "e", "run"}),
        ("a.cpp", "namespace n {\nclass A {\n public:\n  void run() {}\n};\n}\nvoid n::A::go() {}\n", {"A", "run", "go"}),
    ],
)  # fmt: skip
def test_each_language_names_what_it_defines(path: str, text: str, expected: set[str]) -> None:
    source = parsed(path, text)
    assert source.parsed
    names = {definition.qualified for definition in source.definitions}
    simple = {name.rpartition(".")[2] for name in names}
    assert {name for name in expected if name not in names and name not in simple} == set(), names
    assert_promises(source, text)


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("path", "text", "name", "line"),
    [
        ("a.py", "# 漢字 🎉\n# é\n\n\ndef found():\n    return '🎉'\n", "found", 5),
        ("a.ts", "// 漢字 🎉\n/* é\n */\n\nexport function found(): string {\n  return '🎉';\n}\n", "found", 5),
    ],
)
def test_lines_are_gits_with_wide_characters_and_either_line_end(
    path: str, text: str, name: str, line: int, ending: str
) -> None:
    """[H16]"""
    source = parsed(path, text.replace("\n", ending))
    definition = next(one for one in source.definitions if one.name == name)
    shown = text.split("\n")[definition.first - 1 : definition.last]
    assert any("found" in each for each in shown)
    assert definition.first <= line <= definition.last
    assert_promises(source, text.replace("\n", ending))


def test_form_feeds_and_line_separators_end_no_line() -> None:
    text = "def a():\n    return 'x\u2028y'\n\x0c\ndef b():\n    return 1\n"
    assert_promises(parsed("a.py", text), text)


def test_a_long_function_is_split_at_its_statements_with_its_name_in_every_part() -> None:
    body = "".join(
        f"    value_{n} = compute_something({n}, 'a literal that takes some room', other={n})\n" for n in range(400)
    )
    source = parsed("long.py", f"def long_one():\n{body}    return value_1\n")
    parts = [chunk for chunk in source.chunks if chunk.qualified == "long_one"]
    assert len(parts) > 2
    assert [chunk.part for chunk in parts] == list(range(1, len(parts) + 1))
    assert {chunk.signature for chunk in parts} == {"def long_one()"}


def test_markdown_is_cut_at_headings_but_not_inside_fences() -> None:
    filler = "Some words that make this section long enough to stand alone. " * 6
    text = f"# One\n\n{filler}\n\n```sh\n# not a heading\n```\n\n## Two\n\n{filler}\n"
    source = parsed("README.md", text)
    assert [chunk.name for chunk in source.chunks] == ["One", "Two"]
    assert_promises(source, text)


HOSTILE = [
    ("bomb.cpp", "x<" * 50_000),
    ("nest.py", "(" * 60_000 + ")" * 60_000),
    ("nest.js", "[" * 60_000),
    ("deep.yaml", "".join(" " * level + f"k{level}:\n" for level in range(1_000))),
    ("dashes.yaml", "- " * 20_000 + "x"),
    ("deep.kt", "val a = " + '"${' * 20_000),
    ("deeper.kt", "val a = " + '"${b' * 20_000 + '}"' * 20_000),
    ("less.cs", "x<" * 100_000),
    ("tags.cs", "<a " * 100_000),
    ("lines.cs", "x<\n" * 20_000),
    ("Less.java", "x<" * 100_000),
    ("Arrows.java", "a=>" * 20_000),
    ("arrows.c", "a => " * 20_000),
    ("ticks.scala", "`" * 200_000),
    ("open.vue", "<!--" * 100_000),
    ("closed.vue", "<template>\n" + "<!-- a -->\n" * 20_000 + "</template>\n"),
    ("half.py", "def a(:\n  '''\n" + "x = 1\n" * 500),
    ("half.go", "package a\nfunc (" * 1000),
]


@pytest.mark.parametrize(("path", "text"), HOSTILE, ids=[path for path, _ in HOSTILE])
def test_hostile_sources_end_as_chunks(path: str, text: str) -> None:
    assert_promises(chunk_file(path, text), text)


def test_what_only_looks_like_a_nest_is_parsed() -> None:
    for path, text in (
        ("a.cs", "class A { bool F(int a) => " + " || ".join(f"a < {n}" for n in range(3_000)) + "; }\n"),
        ("a.scala", "object A {\n" + "".join(f"  val `x {n}` = {n}\n" for n in range(3_000)) + "}\n"),
        ("a.kt", "".join(f'val s{n} = "${{a{n}}}"\n' for n in range(1_000))),
        ("a.yaml", "".join(f"k{n}:\n  - a\n" for n in range(1_000))),
        ("a.vue", "<template>\n" + "<!-- a -->\n" * 1_000 + "</template>\n"),
    ):
        assert chunk_file(path, text).parsed, path


def test_time_that_is_up_gives_line_windows_and_says_so() -> None:
    source = chunk_file("a.py", PYTHON, lambda: True)
    assert source.note == "timeout"
    assert {chunk.kind for chunk in source.chunks} == {"window"}
    assert_promises(source, PYTHON)


LINES = st.sampled_from(
    [
        "def f(a, b):",
        "    return a",
        "class A:",
        "    x = 1",
        "@d",
        "# c",
        "",
        "'''",
        "if x:",
        "\tg()",
        "}",
        "é漢🎉 = 1",
        "\x0c",
        "\r",
    ]
)
CURLY = st.sampled_from(
    [
        "function f(a) {",
        "  return a;",
        "}",
        "class A {",
        "  m() { g(); }",
        "// c",
        "",
        "/*",
        "*/",
        "};",
        "x = `",
        "export default {",
        "})",
    ]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(LINES, max_size=40).map("\n".join))
def test_any_python_like_text_keeps_the_promises(text: str) -> None:
    assert_promises(chunk_file("a.py", text), text)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(CURLY, max_size=40).map("\n".join),
    st.sampled_from(["a.js", "a.ts", "a.tsx", "A.java", "a.c", "a.cpp", "a.rs", "a.go"]),
)
def test_any_curly_text_keeps_the_promises(text: str, path: str) -> None:
    assert_promises(chunk_file(path, text), text)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300), st.sampled_from(["a.py", "a.md", "a.rst", "a.txt", "a.ts", "a.unknown"]))
def test_any_text_at_all_keeps_the_promises(text: str, path: str) -> None:
    source = chunk_file(path, text)
    if source.skip is None:
        assert_promises(source, text)


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("a.cc", "int one() { return 1; }\n\n#  ifdef _WIN32\n\n// About two.\n" + "int two() {\n" + "  work();\n" * 60 + "}\n#  endif\n", "two"),
        ("a.h", "#define ONE \\\n" + "  int member; \\\n" * 60 + "\nint other;\n", "ONE"),
        ("a.c", "int one = 0; /* The first of\n              * several lines. */\n\n/* About two. */\nstruct two {\n" + "  int field;\n" * 60 + "};\n", "two"),
        ("a.ts", "export const handlers: Handlers =\n  /*@__PURE__*/ extend({}, others, {\n    get(target: Target) {\n" + "      work(target)\n" * 60 + "    },\n    has() {\n" + "      work()\n" * 60 + "    },\n  })\n", "get"),
    ],
    ids=["directive behind blanks", "macro that goes on", "end of a comment", "comment before code"],
)  # fmt: skip
def test_what_stands_before_a_definition_leaves_it_whole(path: str, text: str, name: str) -> None:
    source = chunk_file(path, text)
    assert_promises(source, text)
    (chunk,) = [each for each in source.chunks if each.name == name]
    assert parses_alone(chunk), chunk.text[:200]
