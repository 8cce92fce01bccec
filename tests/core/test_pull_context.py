"""Given both versions of some files, which definitions changed and how, and which of them a reviewer must see first."""

from __future__ import annotations

import inspect
import json
import random
import textwrap
from dataclasses import asdict

import pytest

from app.core import chunk, diff, sanitize
from app.core.changed_symbols import Change, ChangedSymbol, FileChange, FileSides, Place, compare, settle
from app.core.chunk import chunk_file
from app.core.pull_context import Impact, PullContext, Use, first_to_look_up, is_named_test, ordered, shared_words
from app.core.pull_context import test_name as name_of_test
from app.core.types import Citation

BEFORE = '''\
import os


def load(path):
    """Read a file."""
    with open(path) as file:
        return file.read()


def save(path, text):
    def write(file):
        file.write(text)

    with open(path, "w") as file:
        write(file)


class Store:
    """Keeps files."""

    limit = 10

    def get(self, name):
        return load(name)

    def put(self, name, text):
        save(name, text)


LIMIT = 3
'''


def sides(path: str, old: str | None, new: str | None, old_path: str = "") -> FileSides:
    return FileSides(
        None if old is None else chunk_file(old_path or path, old),
        None if new is None else chunk_file(path, new),
        old or "",
        new or "",
    )


def changes(*files: FileSides) -> list[tuple[str, str]]:
    return [(symbol.change.value, symbol.place.qualified) for symbol in settle(compare(file) for file in files)]


@pytest.mark.parametrize(
    ("name", "old", "new", "expected"),
    [
        ("nothing", "", "", []),
        ("a body", "return file.read()", "return file.read().strip()", [("changed", "load")]),
        ("a docstring", "Read a file.", "Read a text.", [("changed", "load")]),
        ("a signature", "def load(path)", "def load(path, mode)", [("signature changed", "load")]),
        ("a signature over more lines only", "def load(path)", "def load(\n    path\n)", [("changed", "load")]),
        ("a nested function is part of the outer one", "file.write(text)", "file.write(text + '')", [("changed", "save")]),
        ("a method is not its class", "return load(name)", "return load(name) or None", [("changed", "Store.get")]),
        ("a field is the class", "limit = 10", "limit = 11", [("changed", "Store")]),
        ("a method's signature", "def put(self, name, text)", "def put(self, text)", [("signature changed", "Store.put")]),
        ("a constant", "LIMIT = 3", "LIMIT = 4", [("signature changed", "LIMIT")]),
        ("a removed method", "    def get(self, name):\n        return load(name)\n\n", "", [("removed", "Store.get")]),
        ("a new method", "LIMIT = 3", "    def drop(self):\n        pass\n\n\nLIMIT = 3", [("added", "Store.drop")]),
        ("an import is no definition", "import os", "import sys", []),
        ("blank lines move, nothing changes", "import os\n", "import os\n\n\n\n", []),
        ("a comment above is not inside", "def load(path):", "# Reads.\ndef load(path):", []),
        ("a new name", "def load(path):", "def read(path):", [("renamed", "read")]),
    ],
)  # fmt: skip
def test_what_happened_to_a_python_file(name: str, old: str, new: str, expected: list[tuple[str, str]]) -> None:
    assert changes(sides("a.py", BEFORE, BEFORE.replace(old, new, 1))) == expected


def test_a_whole_class_that_comes_or_goes_is_one_change() -> None:
    without = BEFORE[: BEFORE.index("class Store")]
    assert changes(sides("a.py", BEFORE, without)) == [("removed", "Store"), ("removed", "LIMIT")]
    assert changes(sides("a.py", without, BEFORE)) == [("added", "Store"), ("added", "LIMIT")]


def test_a_new_and_a_deleted_file() -> None:
    assert ("added", "load") in changes(sides("a.py", None, BEFORE))
    assert ("removed", "load") in changes(sides("a.py", BEFORE, None))


def test_line_ends_and_trailing_blanks_change_no_symbol() -> None:
    assert changes(sides("a.py", BEFORE, BEFORE.replace("\n", "\r\n"))) == []
    assert changes(sides("a.py", BEFORE, BEFORE.replace("\n", "  \n").replace('"""  ', '"""'))) == []
    assert changes(sides("a.py", BEFORE, BEFORE.rstrip("\n"))) == []


def test_one_function_of_a_crlf_file() -> None:
    crlf = BEFORE.replace("\n", "\r\n")
    (symbol,) = settle([compare(sides("a.py", crlf, crlf.replace("file.read()", "file.read(1)")))])
    assert symbol.new is not None
    assert (symbol.new.first, symbol.new.last, symbol.size) == (4, 7, 2)


@pytest.mark.parametrize(
    ("path", "above"), [("a.py", '# 漢字 🎉 é\nLABEL = "🎉"\n'), ("a.ts", '// 漢字 🎉 é\nexport const LABEL = "🎉"\n')]
)
def test_wide_characters_above_shift_no_line(path: str, above: str) -> None:
    body = "def f(a):\n    return 1\n" if path.endswith(".py") else "function f(a) {\n    return 1\n}\n"
    (symbol,) = settle([compare(sides(path, above + body, above + body.replace("return 1", "return 2")))])
    assert symbol.place.qualified == "f"
    assert (symbol.place.first, symbol.place.last) == (3, 4 if path.endswith(".py") else 5)


def test_a_move_to_another_file_is_no_loss() -> None:
    function = "def load(path):\n    with open(path) as file:\n        return file.read()\n"
    files = [
        sides("old.py", function + "\n\ndef stay():\n    pass\n", "def stay():\n    pass\n"),
        sides("new.py", None, function),
    ]
    (symbol,) = settle(map(compare, files))
    assert symbol.change is Change.MOVED
    assert symbol.old is not None
    assert symbol.new is not None
    assert (symbol.old.path, symbol.new.path, symbol.size) == ("old.py", "new.py", 0)


def test_a_renamed_file_with_one_change_is_moves_and_the_change_counts() -> None:
    found = settle(
        [
            compare(sides("a.py", BEFORE, None)),
            compare(sides("b.py", None, BEFORE.replace("file.read()", "file.read(1)"))),
        ]
    )
    assert {(symbol.change, symbol.place.qualified, symbol.size > 0) for symbol in found} == {
        (Change.MOVED, "load", True), (Change.MOVED, "save", False), (Change.MOVED, "Store", False), (Change.MOVED, "LIMIT", False),
    }  # fmt: skip


def test_two_candidates_prove_no_move() -> None:
    function = "def load(path):\n    with open(path) as file:\n        return file.read()\n"
    found = changes(sides("a.py", function, None), sides("b.py", None, function), sides("c.py", None, function))
    assert found == [("removed", "load"), ("added", "load"), ("added", "load")]


def test_small_functions_that_are_alike_are_not_taken_for_renamed() -> None:
    assert changes(sides("a.py", "def a():\n    pass\n", "def b():\n    pass\n")) == [("removed", "a"), ("added", "b")]


def test_an_overload_less_is_a_change_of_those_that_stay() -> None:
    old = "function f(a: string): void\nfunction f(a: number): void\nfunction f(a: any) {\n  g(a)\n}\n"
    new = "function f(a: string): void\nfunction f(a: any) {\n  g(a)\n}\n"
    assert "removed" not in dict(changes(sides("a.ts", old, new)))


@pytest.mark.parametrize("module", [textwrap, sanitize, diff, chunk])
def test_every_change_of_one_line_in_real_code_is_told_for_the_definition_around_it(module: object) -> None:
    text = inspect.getsource(module)  # type: ignore[arg-type]
    lines = text.split("\n")
    source = chunk_file("m.py", text)
    dice = random.Random(5)
    bodies = [
        one
        for one in source.definitions
        if one.kind in {"function", "method"} and one.last - one.first > 4 and one.qualified.count(".") < 2
    ]
    for definition in dice.sample(bodies, min(5, len(bodies))):
        at = definition.last - 1
        indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
        changed = "\n".join([*lines[:at], f"{indent}pass", *lines[at:]])
        found = settle([compare(sides("m.py", text, changed))])
        assert [(symbol.change, symbol.size) for symbol in found] == [(Change.BODY, 1)], definition
        place = found[0].place
        assert place.first <= definition.first <= definition.last <= place.last


# --- what matters most --------------------------------------------------------------------------------------------


def symbol(change: Change, name: str, size: int = 5, path: str = "") -> ChangedSymbol:
    place = Place(path or f"{name}.py", name, f"def {name}()", 1, 9)
    old, new = (None if change is Change.ADDED else place), (None if change is Change.REMOVED else place)
    return ChangedSymbol(change, name, "function", "python", old, new, size)


def use(name: str, certain: bool = True) -> Use:
    return Use(Citation(f"{name}.py", 1, 1, "a" * 40, "b" * 40, f"{name}()"), name, certain)


def test_two_hundred_changed_files_are_searched_by_impact_and_not_by_alphabet() -> None:
    symbols = [symbol(Change.BODY, f"a{n:03}", size=500) for n in range(199)] + [
        symbol(Change.REMOVED, "zz_important", size=1)
    ]
    mentions = {f"a{n:03}": 1 for n in range(199)} | {"zz_important": 3}
    first = first_to_look_up(symbols, mentions)
    assert first[0].name == "zz_important"
    assert len(first) == 200
    by_callers = first_to_look_up(symbols[:199], {**mentions, "a150": 40})
    assert by_callers[0].name == "a150"


def test_what_breaks_callers_comes_first_then_the_most_called_then_the_largest() -> None:
    impacts = [
        Impact(symbol(Change.BODY, "a_large", 900), None),
        Impact(symbol(Change.BODY, "b_called", 1), None, callers=tuple(use(f"c{n}") for n in range(9))),
        Impact(symbol(Change.REMOVED, "c_unused", 50), None),
        Impact(symbol(Change.SIGNATURE, "d_signature", 1), None, callers=(use("x"),)),
        Impact(symbol(Change.REMOVED, "e_removed", 1), None, callers=(use("x"), use("y"))),
        Impact(symbol(Change.BODY, "f_tested", 1), None, tests=(use("t"),)),
    ]
    expected = ["e_removed", "d_signature", "b_called", "f_tested", "a_large", "c_unused"]
    assert [impact.symbol.name for impact in ordered(impacts)] == expected
    assert ordered(reversed(impacts)) == ordered(impacts)


def test_a_context_is_json() -> None:
    context = PullContext(
        "a" * 40,
        "b" * 40,
        1,
        1,
        impacts=(Impact(symbol(Change.REMOVED, "x"), None, callers=(use("y"),)),),
        findings=True,
    )
    data = json.loads(json.dumps(asdict(context)))
    assert data["impacts"][0]["symbol"]["change"] == "removed"
    assert data["impacts"][0]["callers"][0]["citation"]["path"] == "y.py"


def test_400_functions_are_compared_and_joined_quickly_enough_to_be_counted() -> None:
    old = "\n\n".join(f"def function_{n}(a):\n    x = a + {n}\n    return x\n" for n in range(400))
    new = old.replace("return x", "return x + 1")
    found: list[FileChange] = [compare(sides("a.py", old, new))]
    assert len(settle(found)) == 400
    gone = settle([compare(sides("a.py", old, None)), compare(sides("b.py", None, new))])
    assert {one.change for one in gone} == {Change.MOVED}
    assert len(gone) == 400


@pytest.mark.parametrize(
    ("one", "other", "least", "most"),
    [
        ("", "", 0, 0),
        ("a b", "", 0, 0),
        ("def f(a): return a", "def f(a): return a", 1, 1),
        ("a b c d", "d c b a", 1, 1),
        ("a b", "c d", 0, 0),
        ("a a a", "a", 0.5, 0.5),
    ],
)
def test_shared_words_count_each_word_as_often_as_both_have_it(one: str, other: str, least: float, most: float) -> None:
    assert least <= shared_words(one, other) == shared_words(other, one) <= most


@pytest.mark.parametrize(
    ("symbol", "name", "named"),
    [
        ("test_pay", "test_pay", True),
        ("TestCart.test_pay", "TestCart.test_pay", True),
        ("TestCart.test_pay.stub", "TestCart.test_pay", True),
        ("CartTest.testPay", "CartTest.testPay", True),
        ("TestCart.setUp", "TestCart", True),
        ("app", "app", False),
        ("testapp.run", "testapp.run", False),
        ("client.helper", "client.helper", False),
        ("", "", False),
    ],
)
def test_the_test_around_a_call_is_named(symbol: str, name: str, named: bool) -> None:
    assert (name_of_test(symbol), is_named_test(symbol)) == (name, named)


@pytest.mark.parametrize(
    ("rest", "bound"),
    [
        ("class A:\n    load = None\n", True),
        ("class A:\n    load: Loader = None\n", True),
        ("class A:\n    def __init__(self):\n        self.load = load_all\n", True),
        ("def f():\n    return load(1)\n", False),
        ("def f(a):\n    if load == a:\n        pass\n", False),
        ("x = load\n", False),
    ],
)
def test_a_removed_name_that_is_bound_in_another_way_goes_on_to_work(rest: str, bound: bool) -> None:
    (removed,) = [
        one
        for one in settle([compare(sides("a.py", "def load(path):\n    return 1\n", rest))])
        if one.change is Change.REMOVED
    ]
    assert removed.still_bound is bound
