"""What the bot says, as a reader sees it: compared with kept renderings, and held to the rules that hold for every text.

Run with UPDATE_SNAPSHOTS=1 to write the renderings anew, then read the difference: each file is a comment as posted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core import comment
from app.core.changed_symbols import Change, ChangedSymbol, Place
from app.core.comment_frame import Section, compose
from app.core.comment_place import LINE_LENGTH, LINES_SHOWN, excerpt
from app.core.pull_context import Impact, PullContext, Use
from app.core.types import Answer, Citation, Evidence

SNAPSHOTS = Path(__file__).parent.parent / "snapshots"
URL = "https://github.com/octo/shop"
HEAD = "4f9c2d7e8a1b3c5d6e7f8091a2b3c4d5e6f70812"
BASE = "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567"
ABOUT = {"comment": 7, "kind": "issue", "hash": "9f2c"}

RETRY = '''\
class Client:
    """Talks to the payment provider."""

    retries = 3

    def send(self, request: Request, *, timeout: float = 10.0) -> Response:
        """Send a request, again on 502 and 503."""
        for attempt in range(self.retries):
            response = self._once(request, timeout)
            if response.status not in RETRIED:
                return response
            time.sleep(backoff(attempt))
        raise PaymentError(response)'''


def at(path: str, first: int, text: str, sha: str = HEAD) -> Citation:
    return Citation(path, first, first + text.count("\n"), sha, "b" * 40, text)


def found(
    role: str, path: str, first: int, text: str, symbol: str, focus: tuple[int, int] = (0, 0), language: str = "python"
) -> Evidence:
    return Evidence(at(path, first, text), symbol, role, language, 1.0, ("name",), focus)


SEND = found("definition", "shop/payment/client.py", 40, RETRY, "Client.send", (45, 52))
PAY = "def pay(order):\n    client = Client()\n    return client.send(order.request())"
CALLERS = [
    found("caller", "shop/checkout.py", 88, PAY, "pay", (90, 90)),
    found("caller", "shop/refund.py", 12, "response = client.send(refund)", ""),
]
CALLS = [
    replace(
        found("caller", "shop/checkout.py", 90, "    return client.send(order.request())", "pay"), reasons=("exact",)
    ),
    replace(
        found("test", "tests/test_client.py", 33, "    assert client.send(REQUEST).status == 200", "test_send"),
        reasons=("exact",),
    ),
    replace(found("caller", "shop/refund.py", 12, "response = client.send(refund)", "<module>"), reasons=("possible",)),
]
TEST = found(
    "test",
    "tests/test_client.py",
    31,
    "def test_send_tries_again_on_502():\n    client = Client(Stub([502, 200]))\n    assert client.send(REQUEST).status == 200",
    "test_send_tries_again_on_502",
)
DOC = found(
    "doc",
    "docs/payment.md",
    8,
    "## Retries\n\nFailed calls are sent again three times.",
    "Retries",
    language="markdown",
)


def answer(kind: str, *evidence: Evidence, **more: object) -> Answer:
    values: dict[str, object] = {"cited": len(evidence), "verified": len(evidence), "head": HEAD, **more}
    return Answer(kind, tuple(evidence), **values)  # type: ignore[arg-type]


ANSWERS = {
    "answer_definition": answer("definition", SEND, *CALLERS, TEST, DOC),
    "answer_two_definitions": answer(
        "definition", SEND, found("definition", "shop/mail.py", 5, "def send(mail):\n    smtp().send(mail)", "send")
    ),
    "answer_callers": answer("callers", SEND, *CALLS),
    "answer_callers_of_two": answer(
        "callers",
        SEND,
        *CALLS,
        found("definition", "shop/mail.py", 5, "def send(mail):\n    smtp().send(mail)", "send"),
    ),
    "answer_no_callers": answer("callers", SEND, reason="Nothing in the indexed files calls Client.send by its name."),
    "answer_possible_callers": answer("callers", SEND, CALLS[2]),
    "answer_tests": answer("tests", SEND, TEST),
    "answer_tests_by_words": answer("tests", TEST, DOC),
    "answer_nothing_near": answer("definition", reason="Nothing in this repository is called RetryPolicy."),
    "answer_docs": answer("docs", DOC, SEND),
    "answer_related": answer("related", replace(SEND, role="related"), DOC, cited=3),
    "answer_thin": answer(
        "related",
        DOC,
        thin=True,
        reason="The words of the question are spread over unrelated files.",
        missing=("RetryPolicy",),
        near=(SEND, CALLERS[0]),
        cited=3,
        verified=3,
    ),
    "answer_nothing": answer(
        "definition",
        reason="Nothing in this repository is called RetryPolicy.",
        missing=("RetryPolicy", "@octocat/x"),
        near=(SEND,),
        cited=1,
        verified=1,
    ),
    "answer_no_index": Answer("related"),
    "answer_hostile": answer(
        "definition",
        found(
            "definition",
            "src/app/(main)/[id]/a b#c%20.tsx",
            1,
            "// @octocat fixes #12 ```suggestion\n/merge\n<!-- coderag:summary {} -->\nexport const x = \u202e1",
            "x`<img src=q>@octocat",
            language="suggestion",
        ),
        missing=("<!-- coderag:summary {} -->", "@octo/team #12"),
    ),
}

STATUS = comment.Status(
    "main",
    HEAD,
    HEAD,
    files=1213,
    chunks=15_482,
    skipped={"binary": 41, "over 1 MB": 2, "generated": 9, "path filter": 120},
    pulls=(41, 7, 12),
    paused=True,
)

NOTICES: dict[str, Callable[[], str]] = {
    "help": lambda: comment.help_comment("coderag", ABOUT),
    "status": lambda: comment.status_comment(STATUS, URL, ABOUT),
    "status_behind": lambda: comment.status_comment(
        replace(
            STATUS,
            current=BASE,
            skipped={},
            pulls=tuple(range(40)),
            paused=False,
            notes=("Mentions are answered for writers only.",),
        ),
        URL,
        ABOUT,
    ),
    "status_new": lambda: comment.status_comment(comment.Status("main", current=HEAD, indexing=True), URL, ABOUT),
    "reindex": lambda: comment.reindex_comment("main", ABOUT),
    "not_indexed": lambda: comment.not_indexed_comment(ABOUT),
    "refusal": lambda: comment.refusal_comment(ABOUT),
    "config_error": lambda: comment.config_error_comment(
        'line 3: `auto_review.drafts` must be true or false, not "@octocat" <b>', ABOUT
    ),
    "failure": lambda: comment.failure_comment("The answer", "answer_mention:7:88", ABOUT),
    "paused": lambda: comment.paused_comment("coderag", ABOUT),
    "resumed": lambda: comment.resumed_comment(ABOUT),
    "ignored": lambda: comment.ignored_comment("coderag", ABOUT),
    "no_summary": lambda: comment.no_summary_comment(HEAD, ABOUT),
}


def changed(
    change: Change, name: str, path: str, first: int, signature: str, was: str = "", **more: str
) -> ChangedSymbol:
    new = Place(path, name, signature, first, first + 9) if change is not Change.REMOVED else None
    old = (
        Place(more.get("old_path", path), more.get("old_name", name), was or signature, first, first + 7)
        if change is not Change.ADDED
        else None
    )
    return ChangedSymbol(change, name.rsplit(".", 1)[-1], more.get("kind", "function"), "python", old, new, 6)


def use(path: str, line: int, text: str, symbol: str, certain: bool = True, through: str = "") -> Use:
    return Use(at(path, line, text), symbol, certain, through)


REMOVED = Impact(
    changed(Change.REMOVED, "load_legacy", "shop/config.py", 12, "def load_legacy(path: str) -> dict:"),
    at("shop/config.py", 12, "def load_legacy(path: str) -> dict:\n    ...", BASE),
    callers=(
        use("shop/cli.py", 77, "    settings = load_legacy(arguments.file)", "main"),
        use("tools/migrate.py", 9, "load_legacy(sys.argv[1])", ""),
    ),
)
SIGNATURE = Impact(
    changed(
        Change.SIGNATURE,
        "Client.send",
        "shop/payment/client.py",
        45,
        "def send(self, request: Request, *, timeout: float) -> Response:",
        "def send(self, request: Request) -> Response:",
        kind="method",
    ),
    at("shop/payment/client.py", 45, RETRY),
    callers=(
        use("shop/checkout.py", 90, "    return client.send(order.request())", "pay"),
        use("shop/refund.py", 12, "response = client.send(refund)", "", False),
    ),
    more_callers=11,
    inside=2,
    tests=(
        use(
            "tests/test_client.py", 33, "    assert client.send(REQUEST).status == 200", "test_send_tries_again_on_502"
        ),
        use("tests/test_checkout.py", 18, "    pay(order)", "test_pay", True, "pay"),
    ),
    more_tests=3,
)
BODY = Impact(
    changed(Change.BODY, "backoff", "shop/payment/wait.py", 3, "def backoff(attempt: int) -> float:"),
    at("shop/payment/wait.py", 3, "def backoff(attempt: int) -> float:\n    return 2.0**attempt"),
    tests=(use("tests/test_wait.py", 8, "    assert backoff(0) == 1", "test_backoff"),),
)
NEW = Impact(
    changed(Change.ADDED, "parse_amount", "shop/money.py", 30, "def parse_amount(text: str) -> Decimal:"),
    at("shop/money.py", 30, "def parse_amount(text: str) -> Decimal:\n    return Decimal(text)"),
    related=(
        found(
            "related",
            "shop/import/csv.py",
            54,
            "def read_amount(cell):\n    return Decimal(cell.strip())",
            "read_amount",
        ),
    ),
)
RENAMED = Impact(
    changed(
        Change.RENAMED,
        "open_cart",
        "shop/cart.py",
        10,
        "def open_cart():",
        old_name="new_cart",
        old_path="shop/carts.py",
    ),
    at("shop/cart.py", 10, "def open_cart():\n    ..."),
    callers=(use("shop/api.py", 5, "cart = new_cart()", "create"),),
)
MOVED = replace(
    RENAMED, symbol=changed(Change.MOVED, "new_cart", "shop/cart.py", 10, "def new_cart():", old_path="shop/carts.py")
)
SILENT = replace(BODY, tests=())


def pull(*impacts: Impact, **more: object) -> PullContext:
    values: dict[str, object] = {
        "left_out": (("generated", 2), ("binary", 1)),
        "changed": len(impacts),
        "cited": 14,
        "verified": 14,
        **more,
    }
    return PullContext(BASE, HEAD, 12, 9, impacts=impacts, findings=True, **values)  # type: ignore[arg-type]


PULLS = {
    "pull_removed": pull(REMOVED, SIGNATURE, BODY, NEW, SILENT),
    "pull_signature": pull(SIGNATURE, left_out=()),
    "pull_tests_only": pull(BODY, not_looked_up=340),
    "pull_new_only": pull(NEW, SILENT),
    "pull_renamed": pull(RENAMED, MOVED),
    "pull_folded": pull(
        SIGNATURE,
        *[replace(BODY, symbol=changed(Change.BODY, f"step_{n}", f"shop/{n}.py", 3, "def f():")) for n in range(8)],
    ),
}


def rendered() -> dict[str, str]:
    texts: dict[str, str | None] = {name: comment.answer_comment(value, URL, ABOUT) for name, value in ANSWERS.items()}
    texts |= {name: render() for name, render in NOTICES.items()}
    texts |= {name: comment.pull_comment(value, URL, {"head": HEAD, "pull": 7}) for name, value in PULLS.items()}
    return {name: text for name, text in texts.items() if text is not None}


TEXTS = rendered()


@pytest.mark.parametrize("name", [*ANSWERS, *NOTICES, *PULLS])
def test_rendering_is_as_kept(name: str) -> None:
    kept = SNAPSHOTS / f"{name}.md"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        kept.parent.mkdir(exist_ok=True)
        kept.write_bytes(TEXTS[name].encode())
    assert TEXTS[name].encode() == kept.read_bytes()


def test_no_rendering_is_kept_for_a_text_that_is_gone() -> None:
    assert {file.stem for file in SNAPSHOTS.glob("*.md")} == set(TEXTS)


def outside_code(body: str) -> str:
    """A comment without its fences, code spans and first line; an escaped mark is only its backslash, so that it still stands."""
    text = re.sub(r"(?ms)^(`{3,})[^\n]*\n.*?^\1$", "", body.split("\n", 1)[1])
    escaped = r"\\[!-/:-@\[-`{-~]|(`+)(?!`).*?(?<!`)\1(?!`)"
    return re.sub(escaped, lambda found: "" if found[1] else "\\", text)


def fences(body: str) -> list[tuple[str, str]]:
    """(info, code) of each fence; an unclosed one swallows the rest and is reported with the info "OPEN"."""
    result, lines = list[tuple[str, str]](), iter(body.split("\n"))
    for line in lines:
        opening = re.fullmatch("(`{3,})([^`]*)", line)
        if opening:
            code = list[str]()
            for inner in lines:
                if re.fullmatch(f"`{{{len(opening[1])},}}", inner):
                    result.append((opening[2], "\n".join(code)))
                    break
                code.append(inner)
            else:
                result.append(("OPEN", "\n".join(code)))
    return result


def assert_sound(body: str) -> None:
    """The rules that hold for every text we post."""
    assert len(body) <= len(body.encode()) <= comment.LIMIT
    assert comment.read_marker(body) is not None
    assert body.encode().decode() == body
    assert all(info not in {"OPEN", "suggestion"} for info, _ in fences(body))
    prose = outside_code(body)
    assert (
        prose.count("<details>") == prose.count("</details>") == prose.count("<summary>") == prose.count("</summary>")
    )
    assert not re.search(r"<(?!/?(?:details|summary|sub)>)", prose)
    assert not re.search(r"@(?=[0-9A-Za-z_])|#(?=\d)|!\[|<!--|^\s*/", prose, re.MULTILINE)
    assert all(
        re.match(rf"{URL}/(?:blob|tree)/(?:{HEAD}|{BASE})", target) for target in re.findall(r"\]\(([^)]*)\)", prose)
    )
    assert "sorry" not in prose.lower()


@pytest.mark.parametrize("name", [*ANSWERS, *NOTICES, *PULLS])
def test_every_text_is_safe_short_and_ours(name: str) -> None:
    assert_sound(TEXTS[name])
    assert rendered()[name] == TEXTS[name]


def test_nothing_outside_the_change_is_silence() -> None:
    assert comment.pull_comment(pull(SILENT, SILENT), URL, {}) is None
    assert comment.pull_comment(pull(), URL, {}) is None


def test_a_link_to_an_awkward_path_opens_the_file_and_its_text_is_plain() -> None:
    body = TEXTS["answer_hostile"]
    assert f"({URL}/blob/{HEAD}/src/app/%28main%29/%5Bid%5D/a%20b%23c%2520.tsx#L1-L4)" in body
    assert "[`src/app/(main)/[id]/a b#c%20.tsx:1-4`]" in body


def test_a_path_that_is_no_utf_8_is_linked_by_its_bytes() -> None:
    body = comment.answer_comment(answer("related", found("related", "caf\udce9.py", 1, "x = 1", "x")), URL, ABOUT)
    assert_sound(body)
    assert "/caf%E9.py#L1)" in body


# --- markers ------------------------------------------------------------------------------------------------------

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=5,
)


@given(st.dictionaries(st.text(max_size=10), json_values, max_size=5))
def test_a_marker_reads_back_and_cannot_be_ended_from_inside(data: dict[str, object]) -> None:
    line = comment.marker("answer", data)
    assert line.count("-->") == 1
    assert "@" not in line
    assert "\n" not in line
    assert comment.read_marker(f"{line}\nHello") == comment.Marker("answer", data)


def test_a_marker_is_the_same_bytes_for_the_same_data() -> None:
    assert comment.marker("a", {"x": 1, "y": 2}) == comment.marker("a", {"y": 2, "x": 1})


@pytest.mark.parametrize(
    "body",
    [
        "",
        "Hello",
        "> <!-- coderag:answer {} -->",
        " <!-- coderag:answer {} -->",
        "text\n<!-- coderag:answer {} -->",
        "<!-- coderag:answer -->",
        "<!-- coderag:answer {]} -->",
        "<!-- coderag:Answer {} -->",
        "<!-- other:answer {} -->",
        "<!-- coderag:answer " + '{"a":' * 300 + "{}" + "}" * 300 + " -->",
        '<!-- coderag:answer {"a":' + "9" * 5000 + "} -->",
    ],
)
def test_what_is_no_marker_of_ours_reads_as_none(body: str) -> None:
    marker = comment.read_marker(body)
    assert marker is None or body.count("{") > 300


def test_a_marker_survives_the_line_ends_that_github_stores() -> None:
    assert comment.read_marker(comment.marker("answer", {"n": 1}) + "\r\nHello\r\n") == comment.Marker(
        "answer", {"n": 1}
    )


@pytest.mark.parametrize(("kind", "data"), [("Bad Kind", {}), ("a", {"x": "y" * 3000})])
def test_a_marker_that_could_not_be_read_back_is_refused(kind: str, data: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="small flat object"):
        comment.marker(kind, data)


# --- size ---------------------------------------------------------------------------------------------------------


def test_400_changed_functions_with_50_callers_each_fit_and_say_how_many_are_missing() -> None:
    callers = tuple(
        use(f"src/{'é' * 40}/{n}.py", n, f"    result_{n} = function(🧨, '{'🧨' * 80}')", f"Class{n}.method")
        for n in range(1, 51)
    )
    impacts = [
        replace(
            SIGNATURE,
            symbol=changed(
                Change.SIGNATURE, f"Module.function_{n}", f"src/{'長' * 60}{n}.py", n, "def f(" + "🧨" * 300, "def g()"
            ),
            callers=callers,
            more_callers=0,
        )
        for n in range(1, 401)
    ]
    body = comment.pull_comment(pull(*impacts), URL, {})
    assert body is not None
    assert_sound(body)
    assert "+44 more callers" in body
    listed = body.count("has a new signature;") + len(re.findall(r"(?m)^\*\*`", body)) - 1
    missing = re.search(r"\+(\d+) more changed symbols, not listed here", body)
    assert missing is not None
    assert len(re.findall(r"(?m)^\*\*`Module\.function_\d+`\*\* ", body)) + int(missing[1]) == 400, listed


@given(
    st.lists(st.text(alphabet="a🧨é\n`", max_size=400), max_size=30),
    st.integers(0, 5),
    st.integers(1500, 6000),
    st.integers(0, 1000),
)
def test_a_cut_is_at_an_item_and_counted(texts: list[str], shown: int, limit: int, more: int) -> None:
    items = [f"item {n} {text!r} end" for n, text in enumerate(texts)]
    body = compose(
        comment.marker("a", {}),
        "Opening",
        [Section("Title", items, shown, "thing", "things", more)],
        "<sub>f</sub>",
        limit,
    )
    assert len(body.encode()) <= limit
    kept = [item for item in items if item in body]
    assert kept == items[: len(kept)]
    missing = len(items) - len(kept) + more
    assert (f"+{missing:,} more thing" in body) == bool(missing)
    assert body.count("item ") >= len(kept)
    assert body.endswith("<sub>f</sub>\n")


@pytest.mark.parametrize("evidence", [(), (DOC,)])
def test_an_answer_that_was_found_without_vectors_says_so_in_its_footer(evidence: tuple[Evidence, ...]) -> None:
    told = "by words and names only, the embeddings did not answer</sub>"
    without = answer("related", *evidence, words_only=True)
    assert comment.answer_comment(without, URL, {}).rstrip().endswith(told)
    assert told not in comment.answer_comment(replace(without, words_only=False), URL, {})


def test_a_section_that_is_too_large_leaves_room_for_the_footer_only() -> None:
    body = compose(
        comment.marker("a", {}), "Opening", [Section("", ["x" * 70_000, "y"], 3, "thing", "things")], "<sub>f</sub>"
    )
    assert "+2 more things, not listed here" in body


# --- excerpts -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "focus", "expected"),
    [
        ("all of a short one", "a\nb", (0, 0), ["a", "b"]),
        ("focus under the first line", "def f():\n  1\n  2\n  3", (12, 13), ["def f():", "  ⋮", "  2", "  3"]),
        ("focus next to the first line", "def f():\n  1\n  2\n  3", (11, 12), ["def f():", "  1", "  2", "  ⋮"]),
        (
            "focus below a decorator and a comment",
            "@a\n# b\ndef f():\n  1\n  2\n  3",
            (14, 14),
            ["def f():", "  ⋮", "  2", "  ⋮"],
        ),
        ("nothing but comments above", "# a\n# b\nx = 1", (12, 12), ["# a", "⋮", "x = 1"]),
        ("focus outside is passed over", "a\nb", (3, 4), ["a", "b"]),
        ("focus past the end is cut", "a\nb", (10, 400), ["a", "b"]),
        ("carriage returns are not shown", "a\r\nb\r", (0, 0), ["a", "b"]),
    ],
)
def test_the_few_lines_that_matter(name: str, text: str, focus: tuple[int, int], expected: list[str]) -> None:
    assert excerpt(found("definition", "a.py", 10, text, "f", focus)) == "\n".join(["```python", *expected, "```"])


def test_long_files_and_long_lines_are_shortened() -> None:
    shown = excerpt(found("definition", "a.py", 1, "\n".join(["x" * 5000] * 500), "f")).split("\n")
    assert len(shown) == LINES_SHOWN + 3
    assert max(map(len, shown)) == LINE_LENGTH


hostile = st.text(max_size=30) | st.sampled_from(
    ["@octocat", "<!-- coderag:a {} -->", "```", "![x](y)", "#12", "</details>", "/merge", "a]:b"]
)


@given(hostile, hostile, hostile, hostile, st.integers(1, 10**6), st.booleans())
def test_no_path_symbol_code_or_name_breaks_an_answer(
    path: str, symbol: str, code: str, name: str, line: int, thin: bool
) -> None:
    evidence = tuple(
        found(role, path, line, f"{code}\n{n}", symbol)
        for n, role in enumerate(["definition", "caller", "test", "doc", "odd"])
    )
    value = Answer("definition", evidence, evidence, thin, 5, 5, name, (name, symbol), HEAD, lost=(path,))
    assert_sound(comment.answer_comment(value, URL, {"x": name}))
    assert_sound(comment.answer_comment(replace(value, evidence=()), URL, {"x": name}))
