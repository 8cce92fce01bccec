"""Stack frames of every language that prints them, innermost first."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.traces import MOST_FRAMES, Frame, find_frames

TRACES = [
    ("csharp", "   at Shop.Cart.Save(String owner, Int32 count) in C:\\src\\Shop\\Cart.cs:line 42", Frame("/src/Shop/Cart.cs", 42, "Cart.Save")),
    ("csharp lambda", "   at Shop.Cart.<>c.<Save>b__0(Item i) in /src/Cart.cs:line 7", Frame("/src/Cart.cs", 7, "Save")),
    ("ruby", "app/models/cart.rb:12:in `save': no owner (RuntimeError)", Frame("app/models/cart.rb", 12, "save")),
    ("ruby from", "\tfrom lib/shop/cart.rb:30:in `block in add_item'", Frame("lib/shop/cart.rb", 30, "add_item")),
    ("ruby 3.4", "lib/shop/cart.rb:30:in 'Shop::Cart#save'", Frame("lib/shop/cart.rb", 30, "Shop.Cart.save")),
    ("php", "#0 /var/www/src/Cart.php(42): Shop\\Cart->save(Object(Shop\\Owner))", Frame("/var/www/src/Cart.php", 42, "Shop.Cart.save")),
    ("php static", "#3 src/Cart.php(7): Shop\\Cart::open()", Frame("src/Cart.php", 7, "Shop.Cart.open")),
    ("php error", "PHP Warning:  foreach() argument must be of type array in /var/www/src/Cart.php on line 9", Frame("/var/www/src/Cart.php", 9, "")),
    ("go", "main.save(0x1)\n\t/src/cart/save.go:12 +0x1d", Frame("/src/cart/save.go", 12, "save")),
    ("rust", "   1: shop::cart::save\n             at ./src/cart.rs:8:5", Frame("src/cart.rs", 8, "shop.cart.save")),
    ("java", "\tat com.shop.Cart.save(Cart.java:42)", Frame("com/shop/Cart.java", 42, "Cart.save")),
    ("javascript", "    at Cart.save (/app/src/cart.js:10:15)", Frame("/app/src/cart.js", 10, "Cart.save")),
    ("python", 'Traceback (most recent call last):\n  File "shop/cart.py", line 3, in save', Frame("shop/cart.py", 3, "save")),
]  # fmt: skip


@pytest.mark.parametrize(("text", "frame"), [row[1:] for row in TRACES], ids=[row[0] for row in TRACES])
def test_a_frame_is_read(text: str, frame: Frame) -> None:
    found = find_frames(text)
    assert found
    assert (found[0].path, found[0].line) == (frame.path, frame.line)
    assert found[0].function.endswith(frame.function.rpartition(".")[2])
    assert found[0].function == frame.function or "lambda" in text or "<>c" in text


REAL = {
    "python chained": (
        'Traceback (most recent call last):\n  File "/app/a.py", line 1, in f\n    x()\n  File "/app/c.py", line 5, in x\nValueError: b\n\n'
        "During handling of the above exception, another exception occurred:\n\n"
        'Traceback (most recent call last):\n  File "C:\\proj\\b.py", line 2, in B.g\n    y()\nRuntimeError: c\n',
        [("/app/c.py", 5, "x"), ("/app/a.py", 1, "f"), ("/proj/b.py", 2, "B.g")],
    ),
    "python exception group": (
        '  + Exception Group Traceback (most recent call last):\n  |   File "/app/run.py", line 8, in main\n  |     async with group():\n'
        '  +-+---------------- 1 ----------------\n    | Traceback (most recent call last):\n    |   File "/app/task.py", line 12, in work\n',
        [("/app/task.py", 12, "work"), ("/app/run.py", 8, "main")],
    ),
    "ipython": (
        "File ~/env/lib/python3.10/site-packages/pandas/core/generic.py:5902, in NDFrame.__getattr__(self, name)\n   5895 if (\n"
        "File /opt/lib/shop/cart.py:12, in save(x)\n",
        [("/opt/lib/shop/cart.py", 12, "save"), ("~/env/lib/python3.10/site-packages/pandas/core/generic.py", 5902, "NDFrame.__getattr__")],
    ),
    "older ipython": (
        "~/env/pandas/core/frame.py in __getitem__(self, key)\n   2925             if self.columns.nlevels > 1:\n-> 2927             x\n",
        [("~/env/pandas/core/frame.py", 2927, "__getitem__")],
    ),
    "pytest short": (
        "tests/test_cart.py:12: in test_save\n    cart.save()\nshop/cart.py:33: in save\n    raise KeyError(owner)\nE   KeyError: 'x'\n",
        [("shop/cart.py", 33, "save"), ("tests/test_cart.py", 12, "test_save")],
    ),
    "pytest long": (">       raise KeyError\nE       KeyError\n\nsrc/shop/cart.py:33: KeyError\n", [("src/shop/cart.py", 33, "")]),
    "node": (
        "    at async Promise.all (index 0)\n    at async Object.<anonymous> (/app/node_modules/jest/x.js:3:4)\n"
        "    at new Foo (file:///C:/proj/src/foo.mjs:7:9)\n    at C:\\proj\\src\\bar.js:5:3\n"
        "    at Module._compile (node:internal/modules/cjs/loader:1105:14)\n    at Array.map (<anonymous>)\n"
        "    at Object.get [as value] (/app/src/my folder/has space.ts:4:2)\n    at Cart.<computed> [as save] (/app/src/c.ts:1:1)\n"
        "    at Object.eval [as f] (eval at compile (/app/src/tmpl.js:9:1), <anonymous>:1:1)\n",
        [
            ("/app/node_modules/jest/x.js", 3, ""), ("/proj/src/foo.mjs", 7, "Foo"), ("/proj/src/bar.js", 5, ""),
            ("/app/src/my folder/has space.ts", 4, "get"), ("/app/src/c.ts", 1, "Cart.save"), ("/app/src/tmpl.js", 9, "compile"),
        ],
    ),
    "chrome": (
        "    at save (http://localhost:3000/src/cart.ts?t=1699999:10:15)\n    at onClick (webpack://my-app/./src/App.tsx:33:7)\n"
        "    at eval (webpack-internal:///./src/components/App.vue:12:5)\n    at https://example.com/assets/index-abc123.js:2:30455\n",
        [("/src/cart.ts", 10, "save"), ("src/App.tsx", 33, "onClick"), ("src/components/App.vue", 12, ""), ("/assets/index-abc123.js", 2, "")],
    ),
    "firefox": (
        "save@http://localhost:3000/static/js/cart.js:10:15\nonClick@webpack:///./src/components/App.tsx?:33:7\nasync*load@webpack://my-app/src/load.ts:9:1\n",
        [("/static/js/cart.js", 10, "save"), ("src/components/App.tsx", 33, "onClick"), ("/src/load.ts", 9, "load")],
    ),
    "compilers": (
        "src/cart.ts(10,5): error TS2322: Type\nCart.cs(42,13): error CS0103: The name\n./cart.go:12:5: undefined: x\n --> src/cart.rs:12:9\n",
        [("src/cart.ts", 10, ""), ("Cart.cs", 42, ""), ("cart.go", 12, ""), ("src/cart.rs", 12, "")],
    ),
    "java": (
        "\tat com.shop.Cart$Inner.run(Cart.java:50)\n\tat com.shop.Cart.lambda$save$0(Cart.java:44) ~[shop-1.0.jar:na]\n"
        "\tat java.base@17/java.util.ArrayList.forEach(ArrayList.java:1541)\n\tat app//com.shop.Main.main(Main.java:7)\n"
        "\tat com.shop.CartKt.save(Cart.kt:9)\n\tat com.shop.Cart.<init>(Cart.java:5)\n"
        "\tat com.shop.Api$Companion$load$1.invokeSuspend(Api.kt:30)\n\tat com.shop.Store$.open(Store.scala:12)\n"
        "\tat com.shop.Cart$$Lambda$14/0x0.run(Unknown Source)\n\tat sun.reflect.Impl.invoke0(Native Method)\n",
        [
            ("com/shop/Cart.java", 50, "Cart.Inner.run"), ("com/shop/Cart.java", 44, "Cart.save"), ("java/util/ArrayList.java", 1541, "ArrayList.forEach"),
            ("com/shop/Main.java", 7, "Main.main"), ("com/shop/Cart.kt", 9, "save"), ("com/shop/Cart.java", 5, "Cart"),
            ("com/shop/Api.kt", 30, "Api.load"), ("com/shop/Store.scala", 12, "Store.open"),
        ],
    ),
    "go": (
        "goroutine 1 [running]:\ngithub.com/acme/shop/cart.(*Cart).Save(0xc000010, {0x1, 0x2})\n\t/home/u/src/github.com/acme/shop/cart/cart.go:42 +0x1d\n"
        "github.com/acme/shop/cart.Load[...](0x1)\n\t/go/pkg/mod/github.com/acme/shop@v1.2.3/cart/load.go:9\n"
        "main.main.func1()\n\tC:/proj/main.go:12 +0x2a\ncreated by main.serve in goroutine 1\n\t/app/main.go:10 +0x3b\n",
        [
            ("/home/u/src/github.com/acme/shop/cart/cart.go", 42, "Cart.Save"), ("/go/pkg/mod/github.com/acme/shop@v1.2.3/cart/load.go", 9, "Load"),
            ("/proj/main.go", 12, "main"), ("/app/main.go", 10, "serve"),
        ],
    ),
    "rust": (
        "thread 'main' panicked at src/cart.rs:8:5:\nstack backtrace:\n   3: <shop::cart::Cart as shop::Store>::load\n             at C:\\proj\\src\\cart.rs:19:9\n"
        "   4: shop::run::{{closure}}\n             at /home/u/shop/src/main.rs:3:14\n"
        "   5:     0x55d - shop::x::y::h0123456789abcdef\n                               at /home/u/shop/src/x.rs:2\n",
        [("src/cart.rs", 8, ""), ("/proj/src/cart.rs", 19, "shop.cart.Cart.load"), ("/home/u/shop/src/main.rs", 3, "shop.run"), ("/home/u/shop/src/x.rs", 2, "shop.x.y")],
    ),
    "csharp": (
        "   at Shop.Cart.<Load>d__3.MoveNext() in /src/Shop/Cart.cs:line 50\n   at Shop.Cart`1..ctor(T x) in D:\\a\\1\\s\\Shop\\Cart.cs:line 12\n"
        "   at Shop.Api.<>c__DisplayClass4_0.<Get>b__1() in /_/src/Api.cs:line 9\n   at System.Threading.Tasks.Task.Execute()\n"
        "--- End of stack trace from previous location ---\n   at Shop.Cart.Find[T](Func`2 f) in /src/Find.cs:line 3\n   bei Shop.Cart.Save() in C:\\src\\Old.cs:Zeile 42.\n",
        [
            ("/src/Shop/Cart.cs", 50, "Cart.Load"), ("/a/1/s/Shop/Cart.cs", 12, "Cart"), ("/_/src/Api.cs", 9, "Api.Get"),
            ("/src/Find.cs", 3, "Cart.Find"), ("/src/Old.cs", 42, "Cart.Save"),
        ],
    ),
    "ruby": (
        "/app/models/cart.rb:30:in `block (2 levels) in add_item'\n\tfrom lib/shop/cart.rb:3:in `<class:Cart>'\n"
        "     # ./lib/cart.rb:3:in 'Cart#save'\nC:/proj/lib/cart.rb:7:in `save'\n",
        [("/app/models/cart.rb", 30, "add_item"), ("lib/shop/cart.rb", 3, ""), ("lib/cart.rb", 3, "Cart.save"), ("/proj/lib/cart.rb", 7, "save")],
    ),
    "php": (
        "#1 C:\\www\\src\\Shop.php(7): Shop\\open('a')\n#2 [internal function]: Shop\\Cart->Shop\\{closure}(1)\n#3 /var/www/src/Run.php(9): Shop\\{closure}()\n"
        "#4 /var/www/src/New.php(3): Shop\\{closure:Shop\\Cart::save():12}()\n#5 {main}\n#0 Shop\\Cart->save() called at [/var/www/src/Old.php:12]\n",
        [("/www/src/Shop.php", 7, "Shop.open"), ("/var/www/src/Run.php", 9, ""), ("/var/www/src/New.php", 3, "Shop.Cart.save"), ("/var/www/src/Old.php", 12, "Shop.Cart.save")],
    ),
    "elixir": (
        "    (shop 0.1.0) lib/shop/cart.ex:42: Shop.Cart.save/2\n    lib/shop/load.ex:9: anonymous fn/1 in Shop.Load.run/1\n    test/cart_test.exs:12: (test)\n",
        [("lib/shop/cart.ex", 42, "Shop.Cart.save"), ("lib/shop/load.ex", 9, "Shop.Load.run"), ("test/cart_test.exs", 12, "")],
    ),
    "lua and native": (
        "\tsrc/cart.lua:12: in function 'Cart.save'\n\t[C]: in ?\n    #0 0x55 in save_cart /src/cart.c:42:7\n#2  0x0000 in load_cart (c=0x0) at ../src/load.c:17\n",
        [("src/cart.lua", 12, "Cart.save"), ("/src/cart.c", 42, "save_cart"), ("../src/load.c", 17, "load_cart")],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "frames"), REAL.values(), ids=REAL)
def test_all_frames_of_a_real_trace_are_read_with_their_functions(
    text: str, frames: list[tuple[str, int, str]]
) -> None:
    assert [(each.path, each.line, each.function) for each in find_frames(text)] == frames


def test_the_innermost_frame_of_a_ruby_trace_comes_first() -> None:
    text = "lib/a.rb:3:in `deep': gone (KeyError)\n\tfrom lib/b.rb:9:in `middle'\n\tfrom bin/run:1:in `<main>'\n"
    assert [frame.path for frame in find_frames(text)][:2] == ["lib/a.rb", "lib/b.rb"]


@given(st.text(alphabet=st.sampled_from(" #0123:()'`inat.rbphpcs\\/<>-\n\t"), max_size=400))
def test_any_text_has_few_frames(text: str) -> None:
    assert len(find_frames(text)) <= MOST_FRAMES


def test_a_long_log_is_read_in_bounded_time() -> None:
    began = time.perf_counter()
    for line in (
        "at a.b.c(" * 60, "#1 x.php(" * 60, "a.rb:1:in `" * 50, "in a:" * 100, "at (http://a:1" * 50, "a@http://:1:" * 50, "#1 in a (" * 60,
        "at eval at a (" * 40, " 0: <a as <b::" * 40, "bei a.b[a](" * 50, "a.b[..](" * 60, "(a 1) a.ex:1: A." * 30, "File a:1, in " * 40,
    ):  # fmt: skip
        find_frames((line + "\n") * 500)
    assert time.perf_counter() - began < 5
