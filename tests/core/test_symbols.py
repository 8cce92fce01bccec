"""Holds what one file proves about names: definitions, imports, and which call means what, language by language."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.headers import returned
from app.core.languages import row_of
from app.core.outline import read_outline
from app.core.parse import parse
from app.core.places import line_starts
from app.core.symbols import Symbols, read_symbols
from app.core.types import Call, Definition, Import


def symbols(language: str, text: str) -> Symbols:
    source = text.encode()
    tree, row = parse(language, source), row_of(language)
    assert tree is not None
    assert row is not None
    outline = read_outline(tree.root_node, source, row, line_starts(source))
    assert outline is not None
    return read_symbols(outline)


def targets(language: str, text: str) -> dict[str, str]:
    """`receiver.name` of each call with its target; of equal ones the last."""
    found = symbols(language, text).calls
    return {f"{call.receiver}.{call.name}" if call.receiver else call.name: call.target for call in found}


PYTHON = '''
import json, a.b
import numpy as np
from .m import save as store, Thing
from . import util

class A(B):
    """Doc of A.

    More."""
    store: Store = make()

    def __init__(self, db: "Db"):
        self.db = db
        self.thing = Thing()

    def f(self, x: X | None, loose, *rest):
        self.save(); self.db.go(); self.thing.run(); self.store.put(); super().save()
        store(); util.k(); np.zeros(); a.b.c(); json.dumps(1); x.on(); loose.any(); helper()
        one = A(); one.save(); A().quick(); self.inner.save()
        two = A()
        two = other()
        two.save()
        with Thing() as three: three.save()
        for json_ in rest: json_.dumps()
        names = dict(); names.update()

    def shadow(self, json): json.loads()

def helper(v): return JSON.stringify(v)
'''


@pytest.mark.parametrize(
    ("call", "target"),
    [
        ("self.save", "A.save"),
        ("self.db.go", "Db.go"),  # the attribute's type is that of the parameter
        ("self.thing.run", ".m.Thing.run"),
        ("self.store.put", "Store.put"),
        ("super().save", "B.save"),
        ("save", ".m.save"),  # called as `store`
        ("util.k", ".util.k"),
        ("np.zeros", "numpy.zeros"),
        ("a.b.c", "a.b.c"),
        ("json.dumps", "json.dumps"),
        ("x.on", "X.on"),
        ("loose.any", ""),
        ("helper", "helper"),
        ("one.save", "A.save"),
        ("A().quick", "A.quick"),
        ("self.inner.save", ""),  # delegation is no recursion
        ("two.save", ""),  # bound twice, to different things
        ("three.save", ".m.Thing.save"),
        ("json_.dumps", ""),
        ("json.loads", ""),  # a parameter hides the import
        ("names.update", "dict.update"),
        ("JSON.stringify", ""),  # not the function around it
        ("A", "A"),
        ("Thing", ".m.Thing"),
    ],
)
def test_python_calls(call: str, target: str) -> None:
    assert targets("python", PYTHON)[call] == target


TYPESCRIPT = """
import X, { a as b, type C } from './m';
import * as ns from "n";
import eq = require("z");
const { c: d } = require('m');
const whole = require('w');
export class A extends Base {
  x: Store = make();
  made = new Thing();
  constructor(private db: Db) { super(db); }
  run(p: C, q: string[]) {
    this.db.save(); this.x.put(); this.made.go(); b(); X(); ns.k(); d(); eq(); eq.foo(); whole.w(); this.go(); A.make();
    super.run(); p.c(); q.push(); const m = new Map(); m.get(1); new A(db).run2(); x?.y!.z(); ns.deep.er();
  }
  arrow = () => { this.go(); };
}
const api = { get() { return this.post(); }, post: () => {} };
api.get();
export const View = () => <Panel.Item><Box/><div/></Panel.Item>;
function stringify(v) { return JSON.stringify(v); }
Foo.prototype.bar = function () { this.baz(); };
"""


@pytest.mark.parametrize(
    ("call", "target"),
    [
        ("Base", "Base"),
        ("this.db.save", "Db.save"),
        ("this.x.put", "Store.put"),
        ("this.made.go", "Thing.go"),
        ("a", "./m.a"),  # called as `b`
        ("X", "./m.default"),
        ("ns.k", "n.k"),
        ("c", "m.c"),  # called as `d`
        ("eq", "z.default"),
        ("eq.foo", "z.foo"),
        ("whole.w", "w.w"),
        ("this.go", "A.go"),
        ("A.make", "A.make"),
        ("super.run", "Base.run"),
        ("p.c", "./m.C.c"),
        ("q.push", ""),  # an array of strings is no string
        ("m.get", "Map.get"),
        ("new A(db).run2", "A.run2"),
        ("x?.y.z", ""),
        ("ns.deep.er", "n.deep.er"),
        ("this.post", "api.post"),
        ("api.get", "api.get"),
        ("Panel.Item", ""),
        ("Box", ""),
        ("JSON.stringify", ""),
        ("this.baz", "Foo.baz"),
    ],
)
def test_typescript_calls(call: str, target: str) -> None:
    found = targets("tsx", TYPESCRIPT)
    assert found[call] == target
    assert "div" not in found


OTHERS = {
    "go": """package p
import ( "net/http"; y "gopkg.in/yaml.v3"; "github.com/go-chi/chi/v5" )
type S struct { store *Store; http.Handler }
func (s *S) Do(a Store, b, c *http.Request, list []Store) {
	v := &S{}; z := new(S); var q y.Node
	s.store.Get(); http.Get(); y.Unmarshal(); chi.New(); v.Do(); z.Do(); q.Decode(); c.Foo(); a.Do(); list.X(); helper(); away()
	w := &S{}; w = other(); w.Do()
}
func helper() { generic[int]() }
func generic[T any]() {}
""",
    "rust": """use std::fmt::{self, Display};
use crate::store::{Store, save as keep};
mod foo;
struct S<T> { a: Arc<Store>, b: T }
impl<T> Tr for S<T> {
    fn m(&self) { self.a.get(); self.m(); Self::new(); keep(); foo::x(); crate::a::b(); fmt::format(); helper::<u8>(); }
    fn new() -> Self { S { a: 1 } }
}
fn helper<T>() {}
fn t(x: &mut Store, y: impl Display, list: Vec<Store>) {
    let a = S::new(); let b: S = z(); let mut c = S { a: 1 };
    a.m(); b.m(); c.m2(); x.get(); y.fmt(); list.push(1); x.y().z();
}
""",
    "java": """package a.b;
import java.util.List; import static x.Y.z; import q.W;
class A extends Base {
  private final Store s = new Store();
  A(Store s) { super(s); z(); }
  int f(List<W> list, W w, Same same) {
    s.save(); f(); foo(); this.s.put(); a.b().c(); A.h(); new W().go(); w.x(); list.add(1); same.there(); Other.make();
    var d = new W(); d.k(); super.up(); Runnable r = () -> inside();
    return 1;
  }
  void inside() {}
}
""",
    "cpp": """#include "a/b.h"
using std::vector;
namespace n {
class A : public Base {
 public:
  int f(const Foo& p, std::unique_ptr<Bar> q) {
    this->g(); p.h(); q->k(); A::s(); glob(); t.tmpl<int>(); mk<int>(); auto v = new Foo(1); v->z(); field.y(); g(); ns::mk2<int>(1);
    return 1;
  }
  void g() {}
  Foo field;
};
}
int n::A::out(int x) { g(); return f(x); }
""",
    "c": """#include <stdio.h>
typedef struct s { struct q *b; } S;
static int f(struct s *a, S *b) { a->fn(1); b->x(); b->b->y(); f(1); printf("x"); return 0; }
""",
}  # fmt: skip


@pytest.mark.parametrize(
    ("language", "call", "target"),
    [
        ("go", "s.store.Get", "Store.Get"),
        ("go", "http.Get", "net/http.Get"),
        ("go", "y.Unmarshal", "gopkg.in/yaml.v3.Unmarshal"),
        ("go", "chi.New", "github.com/go-chi/chi/v5.New"),
        ("go", "v.Do", "S.Do"),
        ("go", "z.Do", "S.Do"),
        ("go", "q.Decode", "gopkg.in/yaml.v3.Node.Decode"),
        ("go", "c.Foo", "net/http.Request.Foo"),
        ("go", "a.Do", "Store.Do"),
        ("go", "list.X", ""),
        ("go", "helper", "helper"),
        ("go", "away", ""),
        ("go", "w.Do", ""),
        ("go", "generic", "generic"),
        ("rust", "self.a.get", "crate::store.Store.get"),
        ("rust", "self.m", "S.m"),
        ("rust", "Self.new", "S.new"),
        ("rust", "save", "crate::store.save"),
        ("rust", "foo.x", "self::foo.x"),
        ("rust", "crate::a.b", "crate::a.b"),
        ("rust", "fmt.format", "std.fmt.format"),
        ("rust", "helper", "helper"),
        ("rust", "a.m", "S.m"),
        ("rust", "b.m", "S.m"),
        ("rust", "c.m2", "S.m2"),
        ("rust", "x.get", "crate::store.Store.get"),
        ("rust", "y.fmt", "std::fmt.Display.fmt"),
        ("rust", "list.push", "Vec.push"),
        ("rust", "x.y().z", ""),
        ("java", "Base", "Base"),
        ("java", "z", "x.Y.z"),
        ("java", "s.save", "Store.save"),
        ("java", "f", "A.f"),
        ("java", "foo", ""),
        ("java", "this.s.put", "Store.put"),
        ("java", "a.b().c", ""),
        ("java", "A.h", "A.h"),
        ("java", "new W().go", "q.W.go"),
        ("java", "w.x", "q.W.x"),
        ("java", "list.add", "java.util.List.add"),
        ("java", "same.there", "Same.there"),
        ("java", "Other.make", "Other.make"),
        ("java", "d.k", "q.W.k"),
        ("java", "super.up", "Base.up"),
        ("java", "inside", "A.inside"),
        ("cpp", "this.g", "n.A.g"),
        ("cpp", "p.h", "Foo.h"),
        ("cpp", "q.k", "Bar.k"),
        ("cpp", "A.s", "n.A.s"),
        ("cpp", "glob", ""),
        ("cpp", "t.tmpl", ""),
        ("cpp", "mk", ""),
        ("cpp", "v.z", "Foo.z"),
        ("cpp", "field.y", "Foo.y"),
        ("cpp", "g", "n.A.g"),
        ("cpp", "f", "n.A.f"),
        ("c", "b.x", "S.x"),
        ("c", "b->b.y", "q.y"),
        ("c", "f", "f"),
        ("c", "printf", ""),
    ],
)
def test_calls_of_the_other_languages(language: str, call: str, target: str) -> None:
    assert targets(language, OTHERS[language])[call] == target


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("python", "import a.b", Import("a.b", "", "a.b", 1)),
        ("python", "import a.b as c", Import("a.b", "", "c", 1)),
        ("python", "from ..m import (a,  # why\n    b as c,\n)", Import("..m", "b", "c", 1)),
        ("python", "from m import *", Import("m", "*", "", 1)),
        ("javascript", "import './side';", Import("./side", "", "", 1)),
        ("javascript", "import d, { x as y } from './m';", Import("./m", "x", "y", 1)),
        ("javascript", "import d, { x as y } from './m';", Import("./m", "default", "d", 1)),
        ("javascript", "import d, * as n from './m';", Import("./m", "", "n", 1)),
        ("javascript", "export * from './m';", Import("./m", "*", "", 1)),
        ("javascript", "export { a as b } from './m';", Import("./m", "a", "b", 1)),
        ("javascript", "const { a, b: c } = require('m');", Import("m", "b", "c", 1)),
        ("javascript", "const a = require('m').part;", Import("m", "part", "a", 1)),
        ("typescript", "import type { T } from './t';", Import("./t", "T", "T", 1)),
        ("typescript", "import fs = require('fs');", Import("fs", "", "fs", 1)),
        ("go", 'package p\nimport "a/b/v2"', Import("a/b/v2", "", "b", 2)),
        ("go", 'package p\nimport _ "a/b"', Import("a/b", "", "", 2)),
        ("go", 'package p\nimport . "a/b"', Import("a/b", "*", "", 2)),
        ("rust", "pub use a::{b::{self, c as d}, e::*};", Import("a", "b", "b", 1)),
        ("rust", "pub use a::{b::{self, c as d}, e::*};", Import("a::b", "c", "d", 1)),
        ("rust", "pub use a::{b::{self, c as d}, e::*};", Import("a::e", "*", "", 1)),
        ("rust", "mod inner;", Import("self::inner", "", "inner", 1)),
        ("java", "import a.b.C;", Import("a.b", "C", "C", 1)),
        ("java", "import a.b.*;", Import("a.b", "*", "", 1)),
        ("java", "import static a.B.c;", Import("a.B", "c", "c", 1)),
        ("c", '#include "a/b.h"', Import("a/b.h", "", "", 1)),
        ("c", "#include <stdio.h>", Import("stdio.h", "", "", 1)),
        ("cpp", "using a::b::C;", Import("a::b", "C", "C", 1)),
    ],
)
def test_imports(language: str, text: str, expected: Import) -> None:
    assert expected in symbols(language, text + "\n").imports


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "python",
            "@d(1)\nclass A(B, m.C[int], metaclass=M):\n    '''Doc.'''\n",
            Definition("A", "A", "class", 1, 3, "class A(B, m.C[int], metaclass=M)", "Doc.", ("B", "m.C")),
        ),
        (
            "python",
            "# Above.\ndef f(\n    a,  # one\n    b=1,\n) -> int:  # two\n    return 1\n",
            Definition("f", "f", "function", 2, 6, "def f( a, b=1, ) -> int", "Above."),
        ),
        (
            "typescript",
            "/** Says.\n * @param a x */\nexport default class A<T> extends B<T> implements I, J {}\n",
            Definition("A", "A", "class", 3, 3, "export default class A<T> extends B<T> implements I, J", "Says.", ("B", "I", "J")),
        ),
        ("javascript", "exports.go = async function () {};\n", Definition("go", "go", "function", 1, 1, "exports.go = async function ()")),
        ("go", "package p\n\n// S is.\ntype S struct {\n\tBase\n\t*x.Y\n}\n", Definition("S", "S", "class", 4, 7, "type S struct", "S is.", ("Base", "x.Y"))),
        ("go", "package p\nfunc (s *S[T]) Do() {}\n", Definition("Do", "S.Do", "method", 2, 2, "func (s *S[T]) Do()")),
        ("rust", "/// Doc.\n#[derive(Debug)]\npub struct S;\n", Definition("S", "S", "class", 2, 3, "pub struct S;", "Doc.")),
        ("rust", "impl<T> a::Tr<T> for S<T> {}\n", Definition("S", "S", "impl", 1, 1, "impl<T> a::Tr<T> for S<T>", "", ("a.Tr",))),
        ("java", "@Ann(1)\npublic class A<T> extends B implements I<X>, J {}\n", Definition("A", "A", "class", 1, 2, "public class A<T> extends B implements I<X>, J", "", ("B", "I", "J"))),
        ("cpp", "template <class T>\nclass A : public B<T>, private n::C {};\n", Definition("A", "A", "class", 1, 2, "template <class T> class A : public B<T>, private n::C", "", ("B", "n.C"))),
        ("cpp", "int n::A::f(int x) { return x; }\n", Definition("f", "n.A.f", "method", 1, 1, "int n::A::f(int x)")),
        ("c", "typedef struct s { int a; } s;\n", Definition("s", "s", "class", 1, 1, "typedef struct s")),
        ("c", "static char **f(int a)\n{\n}\n", Definition("f", "f", "function", 1, 3, "static char **f(int a)")),
    ],
)  # fmt: skip
def test_definitions(language: str, text: str, expected: Definition) -> None:
    assert symbols(language, text).definitions == (expected,)


def test_calls_stand_on_the_line_of_their_name() -> None:
    found = symbols("javascript", "a\n  .b()\n  // 漢字 🎉\n  .c();\n").calls
    assert [(call.name, call.line) for call in found] == [("b", 2), ("c", 4)]


def test_a_nested_function_is_named_below_its_outer_one_and_holds_its_calls() -> None:
    found = symbols("python", "def outer():\n    def inner():\n        go()\n    inner()\n")
    assert [one.qualified for one in found.definitions] == ["outer", "outer.inner"]
    assert found.calls == (Call("go", "", 3, "", "outer.inner"), Call("inner", "", 4, "outer.inner", "outer"))


WORDS = [
    *"""import from use a.b A self this super () ( ) { } [ ] < > :: -> . , ; : = == => def class fn func impl for new
' " /* */ // # é 🎉 {a A() x:A let""".split(),
    "\n",
    "    ",
]


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(["python", "tsx", "go", "rust", "java", "cpp"]),
    st.lists(
        st.sampled_from(WORDS),
        max_size=60,
    ).map(" ".join),
)  # fmt: skip
def test_no_text_breaks_the_reading_of_names(language: str, text: str) -> None:
    found = symbols(language, text)
    lines = text.count("\n") + 1
    assert all(1 <= call.line <= lines and call.name for call in found.calls)
    assert all(1 <= one.first <= one.last <= lines for one in found.definitions)


@pytest.mark.parametrize(
    ("language", "signature", "expected"),
    [
        ("python", "def f(a: int = (1, 2)) -> Store:", "Store"),
        ("python", "async def f() -> Store | None", "Store | None"),
        ("python", "def f()", ""),
        ("rust", "pub fn new(a: &str) -> store::Store {", "store::Store"),
        ("typescript", "export default function f(g: (n: number) => void): Store", "Store"),
        ("typescript", "f = (n: number): Store =>", "Store"),
        ("typescript", "function f(a: string)", ""),
        ("go", "func New(f func() int) *Store", "*Store"),
        ("go", "func (s *Store) Get(a int) (*Item, error)", "*Item"),
        ("go", "func Get() (item Item, err error)", "Item"),
        ("go", "func Put(a int)", ""),
        ("go", "func (", ""),
        ("java", "Store make()", ""),
    ],
)
def test_declared_return_types(language: str, signature: str, expected: str) -> None:
    assert returned(signature, language) == expected
