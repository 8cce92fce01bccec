"""The definition of a name comes first, in small sources that hold what once came before it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench.declared_names import declared
from tests.bench.definitions_figures import FORMS, measure, spread
from tests.repositories import GitRepository

FILLER = "".join(f"    // line {number} of a story that is long enough to stand alone\n" for number in range(20))
HASHED = FILLER.replace("//", "#")

SOURCES = {
    "what require gives is no definition": {
        "lib/app.js": "var View = require('./view');\nvar tag = require('./utils').tag;\n\nexports.render = function render(name) {\n"
        + FILLER
        + "  return new View(name, tag(View));\n};\n",
        "lib/view.js": "function View(name) {\n" + FILLER + "  this.name = name;\n}\n",
        "lib/utils.js": "exports.tag = function tag(view) {\n" + FILLER + "  return view;\n};\n",
    },
    "a function with two names": {
        "lib/response.js": "var res = {};\n\nres.contentType =\nres.type = function contentType(type) {\n" + FILLER + "  return this.set(type);\n};\n",
    },
    "an impl stands behind its struct": {
        "src/color.rs": "/// A color.\npub struct ColorError {\n    kind: String,\n}\n\nimpl std::error::Error for ColorError {}\n\nimpl ColorError {\n    pub fn color_error(&self) -> ColorError {\n"
        + FILLER
        + "        ColorError { kind: self.kind.clone() }\n    }\n}\n",
    },
    "a constructor stands behind its class": {
        "src/Adapter.java": "package a;\n\npublic final class Adapter {\n  private final int adapter = 1;\n"
        + FILLER
        + "  public Adapter(Adapter adapter) {\n"
        + FILLER
        + "  }\n\n  public int other() {\n"
        + FILLER
        + "    return 1;\n  }\n}\n",
    },
    "a class behind a macro, its constructor in another file": {
        "include/cache.h": "#pragma once\nnamespace db {\nclass EXPORT Cache {\n public:\n  Cache();\n" + FILLER + "  int size;\n};\n}  // namespace db\n",
        "src/cache.cc": '#include "cache.h"\nnamespace db {\nCache::Cache() {\n  // cache cache cache\n' + FILLER + "  cache(this);\n}\n}  // namespace db\n",
    },
    "what another module has is no definition": {
        "pl/data.lua": "local gsub = string.gsub\nlocal quote = require 'pl.stringx'\n\nlocal function read(s)\n" + FILLER.replace("//", "--") + "  return gsub(s)\nend\n",
        "pl/balanced.lua": "local M = {}\nfunction M.gsub(s)\n" + FILLER.replace("//", "--") + "  return s\nend\nreturn M\n",
    },
    "marks of Ruby": {
        "lib/store.rb": "class Store\n  def valid?\n" + HASHED + "    true\n  end\n\n  def save!\n" + HASHED + "    valid?\n  end\nend\n",
    },
    "a function at the end of a long one": {
        "bound.py": "def with_bound(names):\n"
        + "".join(f"    value_{n} = compute_something({n}, 'a literal that takes some room', other={n})\n" for n in range(200))
        + "\n    def visit_field(field):\n        return value_1 + field\n\n    return visit_field\n",
    },
    "ordinary words": {
        "ctx.go": "package a\n\ntype Context struct{}\n\nfunc (c *Context) Done() bool {\n" + FILLER + "\treturn true\n}\n\nfunc (c *Context) Get(key string) bool {\n" + FILLER + "\treturn c.Done()\n}\n",
    },
    "one-line bodies of Kotlin": {
        "src/Shapes.kt": "package a\n\nfun areaOf(side: Int) = side * side\n\nfun String.lastOf(): Char = this[length - 1]\n\nclass Shape(val side: Int) {\n    fun area() = areaOf(side)\n    operator fun plus(other: Shape) = Shape(side + other.side)\n}\n",
    },
}  # fmt: skip


@pytest.mark.parametrize("files", SOURCES.values(), ids=SOURCES)
async def test_the_definition_of_a_name_is_the_first_answer(files: dict[str, str], tmp_path: Path) -> None:
    origin = GitRepository.create(tmp_path / "origin.git")
    origin.commit(files)
    figures = await measure(origin.path, tmp_path / "data")
    assert figures.asked["bare"] >= 1
    assert figures.misses == []
    assert all(figures.share(form) in {0.0, 100.0} for form in FORMS)


def test_declarations_are_read_without_the_product() -> None:
    found = list(declared("python", "class A:\n    def b(self): ...\n"))
    assert found == [("A", 1, True), ("b", 2, True)]
    assert [
        row[0] for row in declared("csharp", "public class A {\n  public int B(int c) {\n    return D(c);\n  }\n}\n")
    ] == ["A", "B"]
    assert list(declared("cobol", "def a")) == []


def test_names_are_spread_evenly() -> None:
    assert spread(["a", "b", "c", "d"], 2) == ["a", "c"]
