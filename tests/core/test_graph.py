"""Who calls whom: what proves a call, what makes it possible, and that two things of one name are never merged."""

from __future__ import annotations

import pytest

from app.core.graph import CallerReport, FileFacts, Found, Resolver, Site, report
from app.core.modules import follow
from app.core.paths import PathTable
from app.core.types import Definition, Import


class Repository:
    """Files with their facts, as the index would give them."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.files: dict[str, FileFacts] = {}
        self.sites: list[Site] = []

    def file(self, path: str, *definitions: str, imports: tuple[tuple[str, str, str], ...] = ()) -> Repository:
        """`definitions` are `kind qualified`, with bases after a colon: `class B: A`."""
        parsed = []
        for line, each in enumerate(definitions, 1):
            head, _, bases = each.partition(": ")
            kind, qualified = head.split(" ")
            name = qualified.rpartition(".")[2]
            parsed.append(
                Definition(name, qualified, kind, line, line, each, bases=tuple(bases.split(", ") if bases else ()))
            )
        rows = tuple(Import(module, name, alias, 1) for module, name, alias in imports)
        self.files[path] = FileFacts(path, self.language, rows, tuple(parsed))
        return self

    def call(
        self, path: str, line: int, name: str, receiver: str = "", target: str = "", within: str = ""
    ) -> Repository:
        self.sites.append(Site(path, line, name, receiver, target, within))
        return self

    def found(self, path: str, qualified: str) -> Found:
        facts = self.files[path]
        return Found(path, next(each for each in facts.definitions if each.qualified == qualified), facts.language)

    def callers(self, path: str, qualified: str) -> CallerReport:
        """The report as the step makes it: facts of files are given when they are asked for."""
        target = self.found(path, qualified)
        name = target.definition.name
        homonyms = [
            self.found(each.path, d.qualified)
            for each in self.files.values()
            for d in each.definitions
            if d.name == name
        ]
        names = {name, qualified.rpartition(".")[0]} if name == "__init__" else {name}
        sites = [site for site in self.sites if site.name in names]  # the index is asked for these names only
        known = {site.path for site in sites} | {path}
        while True:
            resolver = Resolver(
                target,
                homonyms,
                {each: self.files[each] for each in known if each in self.files},
                PathTable(self.files),
            )
            result = report(target, sites, resolver)
            if not resolver.wanted - known:
                return result
            known |= resolver.wanted


def lines(callers: CallerReport) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    return [(each.path, each.line) for each in callers.exact], [(each.path, each.line) for each in callers.possible]


def test_methods_of_one_name_in_two_classes_have_one_caller_each() -> None:
    repository = (
        Repository("python")
        .file("pkg/models.py", "class A", "method A.save", "class B", "method B.save")
        .file(
            "pkg/use.py",
            "function one",
            "function two",
            "function three",
            imports=(("pkg.models", "A", "A"), ("pkg.models", "B", "B")),
        )
        .call("pkg/use.py", 5, "save", "a", "pkg.models.A.save", "one")
        .call("pkg/use.py", 9, "save", "b", "pkg.models.B.save", "two")
        .call("pkg/use.py", 13, "save", "thing", "", "three")
    )
    first, second = repository.callers("pkg/models.py", "A.save"), repository.callers("pkg/models.py", "B.save")
    assert lines(first) == ([("pkg/use.py", 5)], [])
    assert lines(second) == ([("pkg/use.py", 9)], [])
    assert [first.unresolved, first.others] == [1, 1]
    assert first.exact[0].symbol == "one"


def test_a_class_name_defined_in_two_files_keeps_its_callers_apart() -> None:
    repository = (
        Repository("python")
        .file("shop/order.py", "class Order", "method Order.__init__")
        .file("bank/order.py", "class Order", "method Order.__init__")
        .file("shop/cart.py", "function pay", imports=((".order", "Order", "Order"),))
        .file("bank/desk.py", "function pay", imports=(("bank.order", "Order", "Order"),))
        .file("main.py", imports=(("order", "Order", "Order"),))
        .call("shop/cart.py", 3, "Order", "", ".order.Order", "pay")
        .call("bank/desk.py", 3, "Order", "", "bank.order.Order", "pay")
        .call("main.py", 3, "Order", "", "order.Order")
    )
    assert lines(repository.callers("shop/order.py", "Order"))[0] == [("shop/cart.py", 3)]
    assert lines(repository.callers("bank/order.py", "Order"))[0] == [("bank/desk.py", 3)]
    assert lines(repository.callers("bank/order.py", "Order.__init__"))[0] == [("bank/desk.py", 3)]
    # `import order` finds both folders as roots: no proof, and both are told.
    assert lines(repository.callers("shop/order.py", "Order"))[1] == [("main.py", 3)]
    assert lines(repository.callers("bank/order.py", "Order"))[1] == [("main.py", 3)]


def test_an_aliased_import_is_the_thing_imported() -> None:
    repository = (
        Repository("python")
        .file("pkg/a.py", "function save")
        .file("pkg/b.py", "function save")
        .file("pkg/use.py", "function run", imports=(("pkg.a", "save", "store"), ("pkg.b", "save", "save")))
        .call("pkg/use.py", 4, "save", "", "pkg.a.save", "run")
        .call("pkg/use.py", 5, "save", "", "pkg.b.save", "run")
    )
    assert lines(repository.callers("pkg/a.py", "save")) == ([("pkg/use.py", 4)], [])
    assert lines(repository.callers("pkg/b.py", "save")) == ([("pkg/use.py", 5)], [])


def test_a_package_hands_names_on() -> None:
    repository = (
        Repository("python")
        .file("src/pkg/__init__.py", imports=((".store", "save", "save"), (".deep", "*", "")))
        .file("src/pkg/store.py", "function save")
        .file("src/pkg/deep/__init__.py", imports=(("pkg.deep.inner", "load", "load"),))
        .file("src/pkg/deep/inner.py", "function load")
        .file("tests/test_it.py", imports=(("pkg", "save", "save"), ("pkg", "", "pkg")))
        .call("tests/test_it.py", 3, "save", "", "pkg.save", "test_save")
        .call("tests/test_it.py", 4, "load", "pkg", "pkg.load", "test_load")
        .call("tests/test_it.py", 5, "load", "pkg.deep.inner", "pkg.deep.inner.load", "test_load")
    )
    assert lines(repository.callers("src/pkg/store.py", "save")) == ([("tests/test_it.py", 3)], [])
    assert lines(repository.callers("src/pkg/deep/inner.py", "load")) == (
        [("tests/test_it.py", 4), ("tests/test_it.py", 5)],
        [],
    )


def test_a_method_is_found_through_base_classes() -> None:
    repository = (
        Repository("python")
        .file("base.py", "class Base", "method Base.save")
        .file(
            "child.py",
            "class Child: base.Base",
            "method Child.run",
            "class Other: Base",
            "method Other.save",
            imports=(("base", "", "base"),),
        )
        .call("child.py", 3, "save", "self", "Child.save", "Child.run")
        .call("child.py", 9, "save", "self", "Other.save", "Other.go")
    )
    assert lines(repository.callers("base.py", "Base.save")) == ([("child.py", 3)], [])
    assert lines(repository.callers("child.py", "Other.save")) == ([("child.py", 9)], [])


def test_a_call_on_the_base_may_reach_an_overriding_method() -> None:
    repository = (
        Repository("python")
        .file("m.py", "class A", "method A.run", "method A.save", "class B: A", "method B.save")
        .call("m.py", 2, "save", "self", "A.save", "A.run")
    )
    assert lines(repository.callers("m.py", "A.save")) == ([("m.py", 2)], [])
    assert lines(repository.callers("m.py", "B.save")) == ([], [("m.py", 2)])


def test_an_unknown_receiver_is_possible_only_for_a_name_of_its_own() -> None:
    repository = (
        Repository("python")
        .file("m.py", "class Client", "method Client.fetch_page", "method Client.get", "function flush")
        .file("test_m.py", "function test_it")
        .call("test_m.py", 2, "fetch_page", "client", "", "test_it")
        .call("test_m.py", 3, "get", "client", "", "test_it")
        .call("test_m.py", 4, "flush", "out", "", "test_it")
    )
    assert lines(repository.callers("m.py", "Client.fetch_page")) == ([], [("test_m.py", 2)])
    common = repository.callers("m.py", "Client.get")
    assert lines(common) == ([], [])
    assert common.unresolved == 1
    assert "receiver whose type is not known" in common.reason
    assert repository.callers("m.py", "flush").unresolved == 0


def test_a_function_that_only_calls_itself_has_no_caller() -> None:
    repository = Repository("python").file("m.py", "function walk").call("m.py", 3, "walk", "", "walk", "walk")
    result = repository.callers("m.py", "walk")
    assert (lines(result), result.recursive, result.reason) == (([], []), 1, "Only walk itself calls it.")


def test_module_level_calls_are_shown_as_such() -> None:
    repository = Repository("python").file("m.py", "function main").call("m.py", 9, "main", "", "main")
    assert [each.symbol for each in repository.callers("m.py", "main").exact] == ["<module>"]


def test_a_name_hidden_by_a_local_is_not_the_import() -> None:
    repository = (
        Repository("python")
        .file("a.py", "function save")
        .file("b.py", "function run", imports=(("a", "save", "save"),))
        .call("b.py", 3, "save", "", "", "run")
    )
    assert lines(repository.callers("a.py", "save")) == ([], [])


def test_typescript_imports_by_relative_path_index_and_default() -> None:
    repository = (
        Repository("typescript")
        .file("src/store.ts", "function save", "function load")
        .file("src/lib/index.ts", imports=(("./deep.js", "*", ""),))
        .file("src/lib/deep.ts", "function save")
        .file("src/widget.ts", "class Widget", "method Widget.draw")
        .file(
            "src/app.ts",
            "function main",
            imports=(
                ("./store", "save", "put"),
                ("./lib", "", "lib"),
                ("./widget", "default", "Widget"),
                ("lodash", "save", "other"),
            ),
        )
        .call("src/app.ts", 3, "save", "", "./store.save", "main")
        .call("src/app.ts", 4, "save", "lib", "./lib.save", "main")
        .call("src/app.ts", 5, "Widget", "", "./widget.default", "main")
        .call("src/app.ts", 6, "draw", "w", "./widget.default.draw", "main")
        .call("src/app.ts", 7, "save", "", "lodash.save", "main")
    )
    assert lines(repository.callers("src/store.ts", "save")) == ([("src/app.ts", 3)], [])
    assert lines(repository.callers("src/lib/deep.ts", "save")) == ([("src/app.ts", 4)], [])
    assert lines(repository.callers("src/widget.ts", "Widget")) == ([("src/app.ts", 5)], [])
    assert lines(repository.callers("src/widget.ts", "Widget.draw")) == ([("src/app.ts", 6)], [])


def test_go_sees_its_package_and_imported_folders() -> None:
    repository = (
        Repository("go")
        .file("internal/json/encode.go", "function Marshal", "class Encoder", "method Encoder.Run")
        .file("internal/json/api.go", "function Call")
        .file("render/json.go", "function Marshal")
        .file(
            "render/use.go",
            "function Use",
            imports=(("github.com/o/r/internal/json", "", "json"), ("encoding/json", "", "std")),
        )
        .call("internal/json/api.go", 4, "Marshal", "", "", "Call")
        .call("render/use.go", 5, "Marshal", "json", "github.com/o/r/internal/json.Marshal", "Use")
        .call("render/use.go", 6, "Marshal", "", "", "Use")
        .call("render/use.go", 7, "Marshal", "std", "encoding/json.Marshal", "Use")
        .call("render/use.go", 8, "Run", "e", "github.com/o/r/internal/json.Encoder.Run", "Use")
    )
    assert lines(repository.callers("internal/json/encode.go", "Marshal"))[0] == [
        ("internal/json/api.go", 4),
        ("render/use.go", 5),
    ]
    assert lines(repository.callers("render/json.go", "Marshal"))[0] == [("render/use.go", 6)]
    assert lines(repository.callers("internal/json/encode.go", "Encoder.Run")) == ([("render/use.go", 8)], [])
    assert ("render/use.go", 7) not in lines(repository.callers("render/json.go", "Marshal"))[0]


def test_rust_paths_lead_through_crates_and_modules() -> None:
    repository = (
        Repository("rust")
        .file("crates/core/src/lib.rs", imports=(("self::store", "", "store"), ("crate::store", "save", "save")))
        .file("crates/core/src/store.rs", "function save", "class Store", "method Store.open")
        .file(
            "crates/core/src/job/mod.rs",
            "function run",
            imports=(("crate::store", "Store", "Store"), ("super", "store", "store")),
        )
        .file(
            "crates/cli/src/main.rs",
            "function main",
            imports=(("app_core", "save", "save"), ("std::fs", "File", "File")),
        )
        .call("crates/core/src/job/mod.rs", 3, "open", "Store", "crate::store::Store.open", "run")
        .call("crates/core/src/job/mod.rs", 4, "save", "store", "super::store.save", "run")
        .call("crates/cli/src/main.rs", 3, "save", "", "app_core.save", "main")
        .call("crates/cli/src/main.rs", 4, "open", "File", "std::fs::File.open", "main")
    )
    assert lines(repository.callers("crates/core/src/store.rs", "Store.open")) == (
        [("crates/core/src/job/mod.rs", 3)],
        [],
    )
    assert lines(repository.callers("crates/core/src/store.rs", "save"))[0] == [
        ("crates/cli/src/main.rs", 3),
        ("crates/core/src/job/mod.rs", 4),
    ]


def test_java_packages_static_imports_and_inherited_calls() -> None:
    main, test = "src/main/java/com/shop", "src/test/java/com/shop"
    repository = (
        Repository("java")
        .file(f"{main}/Base.java", "class Base", "method Base.save")
        .file(f"{main}/Cart.java", "class Cart: Base", "method Cart.pay")
        .file(
            f"{test}/CartTest.java",
            "class CartTest",
            "method CartTest.pays",
            imports=(("com.shop.Util", "round", "round"),),
        )
        .file(f"{main}/Util.java", "class Util", "method Util.round")
        .call(f"{main}/Cart.java", 4, "save", "", "", "Cart.pay")
        .call(f"{test}/CartTest.java", 5, "save", "cart", "Cart.save", "CartTest.pays")
        .call(f"{test}/CartTest.java", 6, "round", "", "com.shop.Util.round", "CartTest.pays")
    )
    assert lines(repository.callers(f"{main}/Base.java", "Base.save"))[0] == [
        (f"{main}/Cart.java", 4),
        (f"{test}/CartTest.java", 5),
    ]
    assert lines(repository.callers(f"{main}/Util.java", "Util.round"))[0] == [(f"{test}/CartTest.java", 6)]


@pytest.mark.parametrize("language", ["csharp", "ruby", "kotlin", "swift", "scala"])
def test_a_bare_call_may_be_inherited_where_self_need_not_be_written(language: str) -> None:
    repository = (
        Repository(language)
        .file("shop.src", "class Base", "method Base.save", "class Cart: Base", "method Cart.pay", "class Other")
        .call("shop.src", 9, "save", "", "", "Cart.pay")
        .call("shop.src", 10, "save", "", "", "Other")
    )
    assert lines(repository.callers("shop.src", "Base.save")) == ([("shop.src", 9)], [])


def test_c_links_by_name_and_an_include_proves_it() -> None:
    repository = (
        Repository("c")
        .file("src/io.c", "function flush", imports=(("io.h", "", ""),))
        .file("src/io.h")
        .file("src/net.c", "function flush", "function send")
        .file("src/main.c", "function main", imports=(("io.h", "", ""),))
        .file("src/lost.c", "function lost")
        .call("src/main.c", 3, "flush", "", "", "main")
        .call("src/net.c", 4, "flush", "", "flush", "send")
        .call("src/lost.c", 2, "flush", "", "", "lost")
    )
    first = repository.callers("src/io.c", "flush")
    assert (lines(first), first.unresolved) == (([("src/main.c", 3)], []), 1)
    assert lines(repository.callers("src/net.c", "flush"))[0] == [("src/net.c", 4)]


def test_a_long_way_through_packages_and_bases_is_followed() -> None:
    repository = (
        Repository("python")
        .file("src/web/__init__.py", imports=((".app", "App", "App"),))
        .file("src/web/app.py", "class App: Middle", imports=((".middle", "Middle", "Middle"),))
        .file("src/web/middle/__init__.py", imports=((".deep", "Middle", "Middle"),))
        .file("src/web/middle/deep.py", "class Middle: Base", imports=(("web.base", "Base", "Base"),))
        .file("src/web/base.py", "class Base", "method Base.handle")
        .file("tests/test_app.py", "function test_it", imports=(("web", "", "web"),))
        .call("tests/test_app.py", 5, "handle", "app", "web.App.handle", "test_it")
    )
    assert lines(repository.callers("src/web/base.py", "Base.handle")) == ([("tests/test_app.py", 5)], [])


def test_many_star_imports_of_each_other_end_soon() -> None:
    repository = Repository("python")
    names = [f"m{number}" for number in range(30)]
    for name in names:
        repository.file(f"{name}.py", imports=tuple((other, "*", "") for other in names if other != name))
    repository.file("target.py", "function save").call("m0.py", 1, "save", "", "")
    assert lines(repository.callers("target.py", "save")) == ([], [])


def test_re_export_and_base_class_cycles_end() -> None:
    repository = (
        Repository("python")
        .file("a.py", "class A: b.B", imports=(("b", "B", "B"), ("b", "*", "")))
        .file("b.py", "class B: a.A", imports=(("a", "A", "A"), ("a", "*", "")))
        .file("c.py", "function save", "function run", imports=(("a", "*", ""),))
        .file("d.py", imports=(("a", "*", ""),))
        .call("d.py", 1, "save", "", "")
        .call("a.py", 2, "save", "self", "A.save", "A")
    )
    assert lines(repository.callers("c.py", "save")) == ([], [])


def test_imports_never_leave_the_repository() -> None:
    table = PathTable(["pkg/__init__.py", "pkg/a.py", "web/b.ts"])
    assert follow("....x", "y", "pkg/a.py", "python", table).paths == ()
    assert follow("../../../b", "c", "web/b.ts", "typescript", table).paths == ()
    assert follow("", "", "pkg/a.py", "python", table).paths == ()
    assert follow("os.path", "join", "pkg/a.py", "python", table).paths == ()
