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


def test_the_innermost_frame_of_a_ruby_trace_comes_first() -> None:
    text = "lib/a.rb:3:in `deep': gone (KeyError)\n\tfrom lib/b.rb:9:in `middle'\n\tfrom bin/run:1:in `<main>'\n"
    assert [frame.path for frame in find_frames(text)][:2] == ["lib/a.rb", "lib/b.rb"]


@given(st.text(alphabet=st.sampled_from(" #0123:()'`inat.rbphpcs\\/<>-\n\t"), max_size=400))
def test_any_text_has_few_frames(text: str) -> None:
    assert len(find_frames(text)) <= MOST_FRAMES


def test_a_long_log_is_read_in_bounded_time() -> None:
    began = time.perf_counter()
    for line in ("at a.b.c(" * 60, "#1 x.php(" * 60, "a.rb:1:in `" * 50, "in a:" * 100):
        find_frames((line + "\n") * 500)
    assert time.perf_counter() - began < 5
