"""Quotations: which are found in a text, and which code is said to hold them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.phrases import MOST_PHRASES, MOST_WORDS, Phrase, find_phrases, phrase_scores

ERRORS = [
    ("python", "ValueError: the cookie must be signed", "the cookie must be signed"),
    ("pytest", "E   shop.errors.CartError: cart is not open any more", "cart is not open any more"),
    ("javascript", "Uncaught TypeError: cannot read the cookie of null", "cannot read the cookie of null"),
    ("java", 'Exception in thread "main" java.lang.IllegalStateException: adapter was not registered', "adapter was not registered"),
    ("java cause", "Caused by: com.shop.CartException: cart was closed twice", "cart was closed twice"),
    ("go", "panic: the worker pool is closed", "the worker pool is closed"),
    ("rust", "thread 'main' panicked at 'the glob has no end', src/glob.rs:10:5", "the glob has no end"),
    ("csharp", "System.InvalidOperationException: Sequence contains no elements", "sequence contains no elements"),
    ("ruby", "app/cart.rb:12:in `save': the cart has no owner (RuntimeError)", "the cart has no owner"),
    ("php", "PHP Fatal error:  Uncaught RuntimeException: lock file is out of date", "lock file is out of date"),
    ("quoted", 'It then prints "nothing left to do" and hangs.', "nothing left to do"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said"), [row[1:] for row in ERRORS], ids=[row[0] for row in ERRORS])
def test_what_a_program_said_is_found(text: str, said: str) -> None:
    assert said in [" ".join(phrase.words) for phrase in find_phrases(f"It fails:\n{text}\nWhy?")]


def test_a_message_that_is_put_together_is_found_by_its_longest_part() -> None:
    phrases = find_phrases("ValueError: cannot read the cookie of user 42 because it is not signed")
    found = phrase_scores(
        phrases,
        {
            "cookie.py": 'raise ValueError(f"cannot read the cookie of user {user} because it is not signed")',
            "other.py": 'raise ValueError("cannot read the file")',
            "third.py": "nothing of it",
        },
    )
    assert list(found) == ["cookie.py"]


def test_a_phrase_of_the_house_says_nothing() -> None:
    phrases = (Phrase(("all", "rights", "reserved", "by")),)
    assert phrase_scores(phrases, {f"{place}.py": "# All rights reserved by us" for place in range(50)}) == {}


def test_an_error_message_counts_more_than_a_quotation() -> None:
    text = 'It says "the basket is quite empty" first.\nKeyError: the basket is really gone'
    found = phrase_scores(
        find_phrases(text), {"a.py": "the basket is quite empty", "b.py": "the basket is really gone"}
    )
    assert found["b.py"] > found["a.py"] > 0


@given(st.text(max_size=500))
def test_any_text_has_few_and_short_quotations(text: str) -> None:
    phrases = find_phrases(text)
    assert len(phrases) <= MOST_PHRASES
    assert all(3 <= len(phrase.words) <= MOST_WORDS for phrase in phrases)


def test_a_long_log_is_read_fast() -> None:
    began = time.perf_counter()
    for line in ("Error: " * 9000, "\"'`" * 20_000, "a.b:" * 16_000, "x:1:in `" * 8000):
        find_phrases(line * 2)
    assert time.perf_counter() - began < 2
