"""Reading questions: what is named, what is wanted, and that no text can break or narrow the search."""

from __future__ import annotations

import base64
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.query import HEAD_CHARACTERS, MOST_TOKENS, TAIL_CHARACTERS, read_question
from app.core.traces import Frame

KINDS = [
    ("where is `parseURL` defined?", "definition", "parseURL", False),
    ("Where is Flask.make_response defined", "definition", "Flask.make_response", False),
    ("parseURL", "definition", "parseURL", False),
    ("parse_url()", "definition", "parse_url", False),
    ("class Session", "definition", "Session", False),
    ("what does the function frobnicate do?", "definition", "frobnicate", False),
    ("authentication", "definition", "authentication", True),
    ("where is authentication implemented?", "definition", "authentication", True),
    ("who calls A.save?", "callers", "A.save", False),
    ("who calls save", "callers", "save", False),
    ("what uses the cache", "callers", "cache", True),
    ("where is `Store::open` used?", "callers", "Store.open", False),
    ("list usages of retry_after", "callers", "retry_after", False),
    ("which tests cover retry_after?", "tests", "", False),
    ("where is the retry policy documented?", "docs", "", False),
    ("how is the session cookie signed?", "related", "", False),
    ("The test suite fails when the cookie is signed twice", "related", "", False),
    ("where is the request timeout configured?", "settings", "", False),
    ("which option switches the cache off?", "settings", "", False),
    ("what is in this repository?", "overview", "", False),
    ("What does this project do?", "overview", "", False),
    ("How is the codebase organised?", "overview", "", False),
    ("what's in `app/core`?", "overview", "", False),
    ("what is in src/?", "overview", "", False),
    ("what's inside parsers?", "overview", "", True),
    ("what does packages/zod do?", "overview", "", True),
    ("src/flask/", "overview", "", True),
    ("functions that take a DataFrame and return a dict", "signature", "", False),
    ("tests for the parser", "tests", "", False),
    ("get", "definition", "get", True),
]
STORIES = [
    "I tested this with 1.2 and with 1.3 and the cookie was signed twice, although it is documented that it must not be.",
    "The definition of leaf is not the one that I know from graphs, so the walk stops too early for nested expressions.",
    "Fix the parser so that it skips comments that stand between decorators.\n\nAlso update the changelog and add tests for it.",
    "This happens in functions that take a long time. We see it since the upgrade, in the whole of this repository and in others.",
]
SIGNATURES = [
    ("functions that take a DataFrame and return a dict", ("DataFrame",), ("dict",)),
    ("which functions take a Path and a str and return bytes?", ("Path", "str"), ("bytes",)),
    ("find methods returning Iterator[str]", (), ("Iterator[str]",)),
    ("function accepting *http.Request", ("http.Request",), ()),
    ("(Vec<u8>, usize) -> String", ("Vec", "u8", "usize"), ("String",)),
]


@pytest.mark.parametrize("text", STORIES)
def test_a_story_asks_for_no_kind_of_file(text: str) -> None:
    question = read_question(text, "Cookies are signed twice")
    assert (question.kind, question.asked, question.wants) == ("related", "", ())


@pytest.mark.parametrize(("text", "takes", "returns"), SIGNATURES)
def test_a_signature_is_read_as_types(text: str, takes: tuple[str, ...], returns: tuple[str, ...]) -> None:
    asking = read_question(text).asking
    assert (asking.kind, asking.takes, asking.returns) == ("signature", takes, returns)


@pytest.mark.parametrize(("text", "folder"), [("what's in app/core?", "app/core"), ("What is in this repo?", "")])
def test_an_overview_is_of_a_folder_or_of_everything(text: str, folder: str) -> None:
    asking = read_question(text).asking
    assert (asking.kind, asking.name) == ("overview", folder)


@given(st.text(max_size=300))
@settings(max_examples=200, deadline=None)
def test_any_text_asks_for_some_kind(text: str) -> None:
    assert read_question(text).kind in {
        "callers", "definition", "tests", "docs", "settings", "signature", "overview", "snippet",
            "related",
    }  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "asked", "soft"), KINDS, ids=[row[0] for row in KINDS])
def test_a_sentence_tells_what_kind_of_answer_it_wants(text: str, kind: str, asked: str, soft: bool) -> None:
    question = read_question(text)
    assert (question.kind, question.asked, question.soft) == (kind, asked, soft)


def test_names_are_found_in_prose_spans_code_and_calls() -> None:
    question = read_question(
        "`HTTPAdapter.send` fails in max_retries when I call flush() on a plain adapter.\n"
        "```python\nfrom pkg.session import Session\nmount_all(x)\n```\n"
    )
    strengths = {symbol.name: symbol.strength for symbol in question.symbols}
    assert {"HTTPAdapter.send", "max_retries", "flush", "Session", "mount_all"} <= strengths.keys()
    assert strengths["HTTPAdapter.send"] > strengths["max_retries"] > strengths["mount_all"]
    assert "adapter" not in strengths
    assert [symbol.strength for symbol in question.symbols] == sorted(strengths.values(), reverse=True)


PATHS = [
    ("see app/web/hook.ts#L10-L20", ("app/web/hook.ts", 10, 20)),
    ("in lib/a.js:10:5, it fails", ("lib/a.js", 10, 10)),
    (r"look at src\core\rank.py:12", ("src/core/rank.py", 12, 12)),
    (r"C:\work\proj\src\rank.py", ("work/proj/src/rank.py", 0, 0)),
    ("(webhook.py)", ("webhook.py", 0, 0)),
    ("src/app/(main)/[id]/page.tsx is slow", ("src/app/(main)/[id]/page.tsx", 0, 0)),
    ("`src/app/(main)/[id]/a b#c%20.tsx` is slow", ("src/app/(main)/[id]/a b#c%20.tsx", 0, 0)),
    ("https://github.com/o/r/blob/0a1b/src/a%20b.py?plain=1#L3-L9.", ("src/a b.py", 3, 9)),
    ("sympy.printing.latex drops it", ("sympy/printing/latex", 0, 0)),
]


@pytest.mark.parametrize(("text", "expected"), PATHS, ids=[row[0] for row in PATHS])
def test_paths_are_read_as_people_write_them(text: str, expected: tuple[str, int, int]) -> None:
    assert expected in [(path.path, path.first, path.last) for path in read_question(text).paths]


def test_a_pair_of_words_with_a_slash_is_no_sure_path() -> None:
    assert all(path.strength < 0.5 for path in read_question("the client/server and/or read/write split").paths)


TRACES = [
    (
        'Traceback (most recent call last):\n  File "/usr/lib/python3/flask/app.py", line 12, in wsgi_app\n    x\n'
        '  File "C:\\proj\\src\\b.py", line 3, in <module>\n    y\nValueError: no\n',
        [Frame("/proj/src/b.py", 3, ""), Frame("/usr/lib/python3/flask/app.py", 12, "wsgi_app")],
    ),
    (
        "TypeError: x\n    at Object.parse (/app/src/parse.js:10:5)\n    at new Foo (src/foo.ts:3:1)\n    at async src/main.mjs:1:2\n"
        "    at node:internal/main:1:2\n",
        [Frame("/app/src/parse.js", 10, "parse"), Frame("src/foo.ts", 3, "Foo"), Frame("src/main.mjs", 1, "")],
    ),
    (
        'Exception in thread "main" java.lang.NullPointerException\n\tat com.google.gson.Gson$Inner.fromJson(Gson.java:123)\n'
        "\tat java.base/java.util.List.of(List.java:3)\n",
        [Frame("com/google/gson/Gson.java", 123, "Gson.Inner.fromJson"), Frame("java/util/List.java", 3, "List.of")],
    ),
    (
        "goroutine 1 [running]:\ngithub.com/gin-gonic/gin.(*Engine).Run(0xc000)\n\t/home/u/gin/gin.go:377 +0x1d\n",
        [Frame("/home/u/gin/gin.go", 377, "Engine.Run")],
    ),
    (
        "thread 'main' panicked at src/main.rs:12:5:\n   4: ripgrep::search::run\n             at ./crates/core/search.rs:45:9\n",
        [Frame("src/main.rs", 12, ""), Frame("crates/core/search.rs", 45, "ripgrep.search.run")],
    ),
    ("src/lib/io.c:17:3: error: expected ';'\n", [Frame("src/lib/io.c", 17, "")]),
]


@pytest.mark.parametrize(("text", "frames"), TRACES, ids=["python", "javascript", "java", "go", "rust", "compiler"])
def test_frames_come_innermost_first(text: str, frames: list[Frame]) -> None:
    assert list(read_question(text).frames) == frames


def test_a_time_of_day_is_no_frame() -> None:
    assert read_question("it happened at 10:30 and at noon: 12").frames == ()


def test_title_words_weigh_more_and_repetition_counts_by_its_logarithm() -> None:
    question = read_question("cache cache cache eviction", title="eviction order")
    weights = question.weights
    assert weights["cache"] == pytest.approx(1 + 1.0986, abs=1e-3)
    assert weights["eviction"] == pytest.approx(1 + 0.6931 + 3, abs=1e-3)
    assert list(weights.values()) == sorted(weights.values(), reverse=True)


def test_words_of_the_asking_are_not_searched_for_unless_there_is_nothing_else() -> None:
    assert set(read_question("where is the session cookie defined?").weights) == {"session", "cookie"}
    assert set(read_question("test class").weights) == {"test", "class"}


def test_one_letter_is_a_name_where_it_is_written_as_code_and_only_there() -> None:
    assert read_question("where is `t` defined?").asked == "t"
    assert "t" in [symbol.name for symbol in read_question("what does `t` translate?").symbols]
    assert read_question("where is t defined?").asked == ""


def test_quotes_and_operators_never_narrow_the_search() -> None:
    plain = read_question("unclosed session cookie").weights
    assert read_question('"unclosed session" AND +cookie').weights.keys() - {"and"} == plain.keys()
    assert read_question('unclosed "session cookie (').weights.keys() == plain.keys()


def test_template_comments_are_nobodys_words() -> None:
    question = read_question("<!-- Please describe the zebra -->crash in parser<!-- unclosed giraffe")
    assert "zebra" not in question.weights
    assert "giraffe" in question.weights


HOSTILE = {
    "empty": "",
    "blank": " \n\t\r\n" * 1000,
    "only stop words": "the of and is to in",
    "chinese": "请问会话缓存在哪里实现的？" * 50,
    "one word": "a" * 1_000_000,
    "dots": "a." * 500_000,
    "slashes": "a/" * 500_000,
    "backticks": "`" * 1_000_000,
    "brackets": "([" * 500_000,
    "comment starts": "<!--" * 250_000,
    "frames": ("at " + "a." * 290 + "\n") * 1_700,
    "file frames": ('File "' * 90 + "\n") * 1_800,
    "links": "http://" * 140_000,
    "questions": "where is " * 110_000,
    "lone surrogate": "where is \ud800 parse_url",
    "nul": "parse\x00url " * 1000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_any_text_is_a_question(text: str) -> None:
    question = read_question(text, title=text[:300])
    assert len(question.weights) <= MOST_TOKENS
    assert question.subject <= question.weights.keys()


def test_a_megabyte_of_log_keeps_its_start_its_end_and_what_names_code() -> None:
    random.seed(3)
    noise = "\n".join(base64.b64encode(random.randbytes(57)).decode() for _ in range(13_000))
    log = (
        "the KafkaRebalanceListener hangs\n"
        + noise
        + '\n  File "app/consumer.py", line 7, in poll_once\nTimeoutError\n'
    )
    question = read_question(log, title="consumer hangs")
    assert len(log) > 1_000_000
    assert len(question.text) <= HEAD_CHARACTERS + TAIL_CHARACTERS + 1
    assert {"kafkarebalancelistener", "rebalance", "consumer", "hangs", "pollonce"} <= question.weights.keys()
    assert question.frames == (Frame("app/consumer.py", 7, "poll_once"),)
    assert "KafkaRebalanceListener" in [symbol.name for symbol in question.symbols]


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=400), st.text(max_size=60))
def test_reading_is_a_function_of_the_text(text: str, title: str) -> None:
    one, other = read_question(text, title), read_question(text, title)
    assert one == other
    assert list(one.weights.items()) == list(other.weights.items())
    assert all(weight > 0 for weight in one.weights.values())
