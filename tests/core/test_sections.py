"""Holds how files of data and markup are divided at their named parts, and code inside of other files by its own language."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.chunk import chunk_file
from app.core.languages import language_called
from app.core.lines import BUDGET_TOKENS, BYTES_PER_TOKEN
from app.core.modules import follow
from app.core.paths import PathTable
from app.core.types import Chunk
from tests.core.test_chunk import assert_promises, is_definition, parses_alone

WORDS = "some words that fill the value of this key so that it is long enough to stand alone as one chunk " * 3


def values(count: int, form: str) -> str:
    return "".join(form.format(n=n, words=WORDS) for n in range(count))


SECTIONS = [
    ("package.json", '{\n  "name": "x",\n  "scripts": {\n' + values(2, '    "run{n}": "{words}",\n') + '    "z": 1\n  },\n  "files": [\n    "' + WORDS + '"\n  ]\n}\n', {"scripts", "files"}),
    ("ci.yml", "name: x\non:\n  push: {}\njobs:\n" + values(4, "  job{n}:\n    runs-on: here\n    steps:\n      - run: {words}\n      - uses: {words}\n"), {"jobs.job0", "jobs.job3"}),
    ("pyproject.toml", "[project]\n" + values(1, 'a{n} = "{words}"\n') + "\n[tool.ruff.lint]\n" + values(1, 'b{n} = "{words}"\n') + '\n[[bin]]\nname = "' + WORDS + '"\n', {"project", "tool.ruff.lint", "bin"}),
    ("setup.cfg", "[metadata]\nname = " + WORDS + "\n\n[tool:pytest]\nx = " + WORDS + "\n", {"metadata", "tool:pytest"}),
    ("pom.xml", "<project>\n" + values(3, '  <plugin id="p{n}">\n    <a>{words}</a>\n    <b>{words}</b>\n  </plugin>\n') + "</project>\n", {"project.plugin#p0", "project.plugin#p2"}),
    ("page.html", "<html>\n<body>\n" + values(3, '  <main id="m{n}">\n    <p>{words}</p>\n    <p>{words}</p>\n  </main>\n') + "</body>\n</html>\n", {"html.body.main#m0", "html.body.main#m2"}),
    ("a.css", values(2, ".btn{n}, a:hover {{\n  content: '{words}';\n}}\n") + "@media (max-width: 3px) {\n" + values(5, "  .in{n} {{\n    content: '{words}';\n  }}\n") + "}\n", {".btn0, a:hover", "@media (max-width: 3px)", "@media (max-width: 3px)..in4"}),
    ("a.scss", values(2, ".btn{n} {{\n  .deep {{\n    content: '{words}';\n  }}\n}}\n") + "@mixin big($x) {\n  content: '" + WORDS + "';\n}\n", {".btn0", "big"}),
    ("Dockerfile", "ARG V=3\nFROM python:3 AS build\n" + values(1, "RUN echo {words}\n") + "\n# The last.\nFROM build\nRUN echo " + WORDS + "\n", {"build"}),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text", "expected"), SECTIONS, ids=[path for path, _, _ in SECTIONS])
def test_named_parts_of_data_are_chunks_by_name_and_no_symbols(path: str, text: str, expected: set[str]) -> None:
    source = chunk_file(path, text)
    assert source.parsed
    assert_promises(source, text)
    named = {chunk.qualified for chunk in source.chunks}
    assert expected <= named, named
    assert source.definitions == ()
    assert {name for chunk in source.chunks for name in chunk.defines} == set()
    for chunk in source.chunks:
        if chunk.name in expected and chunk.part <= 1:
            assert chunk.name.split("#")[0].split(",")[0] in chunk.text


def test_a_stage_holds_its_instructions_and_the_comment_above_the_next_is_the_nexts() -> None:
    text = SECTIONS[-1][1]
    build, last = [chunk for chunk in chunk_file("Dockerfile", text).chunks if chunk.kind == "section"]
    assert build.text.startswith("FROM python")
    assert "RUN echo" in build.text
    assert last.text.startswith("# The last.")


def test_messages_services_blocks_and_targets_are_symbols() -> None:
    proto = chunk_file(
        "a.proto",
        'syntax = "proto3";\nimport "x/y.proto";\n// An order.\nmessage Order {\n  string id = 1;\n  Item item = 2;\n'
        "  enum State { A = 0; }\n}\nservice Orders {\n  // Finds one.\n  rpc Get(Order) returns (Order);\n}\n",
    )
    by_name = {one.qualified: one for one in proto.definitions}
    assert {name: one.kind for name, one in by_name.items()} == {
        "Order": "class",
        "Order.State": "enum",
        "Orders": "interface",
        "Orders.Get": "method",
    }
    assert by_name["Order"].docstring == "An order."
    assert [one.module for one in proto.imports] == ["x/y.proto"]
    assert {(call.name, call.within) for chunk in proto.chunks for call in chunk.calls} == {
        ("Item", "Order"),
        ("Order", "Orders.Get"),
    }
    hcl = chunk_file(
        "main.tf",
        'resource "aws_s3_bucket" "logs" {\n  bucket = var.region\n}\nvariable "region" {}\nmodule "m" {\n  source = "./m"\n}\n',
    )
    assert {one.qualified for one in hcl.definitions} == {"aws_s3_bucket.logs", "var.region", "module.m"}
    assert {call.target for chunk in hcl.chunks for call in chunk.calls} == {"var.region"}
    make = chunk_file("Makefile", "include x.mk\n.PHONY: all\n# Builds all.\nall: build lib.o\n\techo\nbuild:\n\tgcc\n")
    assert [(one.name, one.docstring) for one in make.definitions] == [("all", "Builds all."), ("build", "")]
    assert [(call.name, call.target, call.within) for chunk in make.chunks for call in chunk.calls] == [
        ("build", "build", "all"),
        ("lib.o", "", "all"),
    ]
    assert [one.module for one in make.imports] == ["./x.mk"]


def test_large_data_without_structure_is_cut_at_the_budget() -> None:
    text = "[\n" + ",\n".join(f'  {{"id": {n}, "text": "{WORDS}"}}' for n in range(300)) + "\n]\n"
    source = chunk_file("rows.json", text)
    assert_promises(source, text)
    sizes = [len(chunk.text.encode()) // BYTES_PER_TOKEN for chunk in source.chunks]
    assert max(sizes) <= BUDGET_TOKENS
    assert len(sizes) < 300 // 4


# --- code inside of other files

VUE = """<template>
  <div @click="go">{{ x }}</div>
</template>

<script setup lang="ts">
import { ref } from "./store"

// Runs it.
export function go(x: Order): void {
  x.run()
  ref(1)
}
</script>

<style scoped>
.a { color: red }
</style>
"""
MARKDOWN = """# Guide

How to greet.

```python
import os

def hello(name):
    \"\"\"Says hello.\"\"\"
    return os.getcwd() + name
```

1. In a list:

   ```{.ts title="x"}
   export function go(x: Order): void { x.run() }
   ```

```text
def no_code(): pass
```

````md
```python
def quoted(): pass
```
````

```python
def half(:
```
"""


def chunk_of(chunks: tuple[Chunk, ...], name: str) -> Chunk:
    return next(chunk for chunk in chunks if name in chunk.defines)


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_code_in_markdown_is_chunked_in_its_own_language(ending: str) -> None:
    text = MARKDOWN.replace("\n", ending)
    source = chunk_file("docs/guide.md", text)
    assert_promises(source, text)
    assert source.language == "markdown"
    assert [(one.qualified, one.first, one.last) for one in source.definitions] == [("hello", 8, 10), ("go", 16, 16)]
    hello, go = chunk_of(source.chunks, "hello"), chunk_of(source.chunks, "go")
    assert (hello.language, hello.first, hello.docstring) == ("python", 8, "Says hello.")
    assert (go.language, go.first) == ("typescript", 16)
    calls = {call.name: call for chunk in source.chunks for call in chunk.calls}
    assert (calls["getcwd"].target, calls["getcwd"].line, calls["getcwd"].within) == ("os.getcwd", 10, "hello")
    assert (calls["run"].target, calls["run"].line) == ("Order.run", 16)
    assert [(one.module, one.line) for one in source.imports] == [("os", 6)]
    assert {chunk.name for chunk in source.chunks if chunk.kind == "section"} == {"Guide"}


@pytest.mark.parametrize("path", ["a.vue", "a.svelte", "a.html"])
def test_scripts_and_styles_are_chunked_in_their_own_language(path: str) -> None:
    source = chunk_file(path, VUE)
    assert_promises(source, VUE)
    assert source.language == path.rpartition(".")[2]
    assert [(one.name, one.first, one.last, one.docstring) for one in source.definitions] == [("go", 9, 12, "Runs it.")]
    assert chunk_of(source.chunks, "go").language == "typescript"
    calls = {call.name: (call.target, call.line) for chunk in source.chunks for call in chunk.calls}
    assert calls == {"run": ("Order.run", 10), "ref": ("./store.ref", 11)}
    assert [(one.module, one.name, one.line) for one in source.imports] == [("./store", "ref", 6)]


def test_a_script_on_one_line_or_of_another_type_stays_with_the_markup() -> None:
    text = '<p>\n<script>go()</script>\n<script type="text/template">\n<b>function no() {}</b>\n</script>\n<script>\n</p>\n'
    source = chunk_file("a.html", text)
    assert_promises(source, text)
    assert {chunk.language for chunk in source.chunks} == {"html"}


@pytest.mark.parametrize(
    ("word", "language"),
    [("py", "python"), ("Python3", "python"), ("C++", "cpp"), ("c#", "csharp"), ("tsx", "tsx"), ("bash", "shell"), ("nope", ""), ("console", "")],
)  # fmt: skip
def test_a_word_behind_a_fence_names_its_language(word: str, language: str) -> None:
    assert language_called(word) == language


# --- whatever the input is

PATHS = [path for path, _, _ in SECTIONS] + ["a.proto", "main.tf", "Makefile", "a.vue", "a.svelte", "guide.md"]
ALL = "".join(text for _, text, _ in SECTIONS) + VUE + MARKDOWN
LINES = sorted(
    set(ALL.split("\n"))
    | {"```", "~~~", "````py", "<script>", "</script>", "<style>", "---", "\t", "- a:", "{", "]", "'", '"'}
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(LINES), max_size=30).map("\n".join), st.sampled_from(PATHS))
def test_any_mixture_keeps_the_promises(text: str, path: str) -> None:
    source = chunk_file(path, text)
    if source.skip is None:
        assert_promises(source, text)
    for chunk in filter(is_definition, source.chunks if source.parsed else ()):
        assert parses_alone(chunk), chunk
    lines = [call.line for chunk in source.chunks for call in chunk.calls]
    assert all(1 <= line <= text.count("\n") + 1 for line in lines)
    assert all(one.last < other.first for one, other in pairwise(source.chunks))


HOSTILE = {
    "brackets": "[" * 20_000,
    "braces": "{" * 2_000,
    "elements": "<a>" * 3_000,
    "fences": "```py\n" * 2_000,
    "blocks": "```py\ndef a(): pass\n```\n" * 2_000,
    "scripts": "<script>\na()\n</script>\n" * 2_000,
    "keys": "".join(f"key{n}: {n}\n" for n in range(3_000)),
    "steps": "".join(" " * n + "a:\n" for n in range(600)),
    "openings": "<script " * 500,
}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_data_ends_as_chunks(path: str, text: str) -> None:
    assert_promises(chunk_file(path, text), text)


def test_time_that_is_up_leaves_embedded_code_where_it_is() -> None:
    source = chunk_file("guide.md", MARKDOWN, lambda: True)
    assert {chunk.language for chunk in source.chunks} == {"markdown"}
    assert_promises(source, MARKDOWN)


@pytest.mark.parametrize(
    ("module", "name", "importer", "language", "expected"),
    [
        ("./store/base", "", "lib/shop/store.rb", "ruby", ("lib/shop/store/base.rb",)),
        ("./lib.sh", "", "bin/run.sh", "shell", ("bin/lib.sh",)),
        ("../out/lib.sh", "", "bin/run.sh", "shell", ()),
        ("App.Models", "Order", "src/Store.php", "php", ("src/Models/Order.php",)),
        ("App.Models", "Missing", "src/Store.php", "php", ()),
        ("shop.models", "Order", "src/main/kotlin/shop/Store.kt", "kotlin", ("src/main/kotlin/shop/models/Order.kt",)),
    ],
)
def test_imports_of_more_languages_lead_to_files(
    module: str, name: str, importer: str, language: str, expected: tuple[str, ...]
) -> None:
    table = PathTable(
        ["lib/shop/store/base.rb", "bin/lib.sh", "src/Models/Order.php", "src/main/kotlin/shop/models/Order.kt"]
    )
    assert follow(module, name, importer, language, table).paths == expected
