"""What strangers wrote is shown as they wrote it, and nothing happens: no ping, no link, no image, no marker, no command."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core import sanitize
from app.core.sanitize import BREAK, UNSEEN, code_span, fence, html_text, inline, link, one_line, visible

HOSTILE = [
    "@octocat", "@org/team", "me@example.com", "#12", "GH-12", "gh-7", "o/r#12", "a94a8fe5", "a94a8fe5ccb19ba61c4c0873d391e987982fbbd3",
    "https://github.com/o/r/issues/12", "http://x.y", "www.example.com", "fixes #12", "Duplicate of #12", "/merge", "/close now",
    "![x](https://evil/?q=1)", "[x](javascript:alert(1))", "<img src=x>", "<picture>", "<!-- coderag:summary {} -->", "-->",
    "&#64;octocat", "&commat;octocat", "```suggestion", "# Heading", "## x", "| a | b |", "---", "===", "> quote", "- item", "1. item",
    "1) item", "* item", "+ x", "`code`", "``", "**bold**", "__x__", "~~x~~", "$x$", "[^1]", "[x]: http://a", "- [ ] task", ":+1:",
    "std::vector::at", "\\", "\\@a", "a\\", "line\nbreak", "a\r\nb", "\u202eevil", "zero\u200bwidth", "NUL\x00", "\x1b[31m",
    "tab\tb", "👩\u200d👩\u200d👧", "é", "中文", "\ud800", "\U000e0041",
]  # fmt: skip
text = st.one_of(
    st.text(alphabet=st.characters(), max_size=60),
    st.lists(st.sampled_from([*HOSTILE, " ", "x", "@", "`", "~"]), max_size=6).map("".join),
    st.text(alphabet="`~@#/<>![]()\\&;-+=.1aF \n\r\t|*_$:{}^\u200d\u202e", max_size=40),
)

ACTIVE = [
    r"<", r">", r"@[0-9A-Za-z_]", r"#\d", r"(?i)gh-\d", r"://", r"(?i)www\.", r"!\[", r"(?<!\\)(?:\\\\)*[`*_|~\[\]]", r"[\n\r\0]",
    r"(?<![0-9A-Za-z])[0-9A-Fa-f]{7,}(?![0-9A-Za-z])", r"^[/#+=-]", r"^\d+[.)]", r"\$", r":[0-9A-Za-z_+-]+:", r"&(?!amp;|lt;|gt;|dollar;)",
]  # fmt: skip


def shown(markdown: str) -> str:
    """What a reader sees of `inline`: backslashes and entities undone, the invisible breaks left out."""
    return html.unescape(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown)).replace(BREAK, "")


@given(text)
def test_inline_words_do_nothing(words: str) -> None:
    result = inline(words)
    for active in ACTIVE:
        assert not re.search(active, result), (active, result)


@given(text)
def test_inline_words_are_shown_as_they_were_written(words: str) -> None:
    assert shown(inline(words)) == one_line(words)


@given(text)
def test_html_text_is_inert_and_complete(words: str) -> None:
    result = html_text(words)
    assert not re.search(r"[<>$\n]|@[0-9A-Za-z_]|#\d|://", result)
    assert html.unescape(result).replace(BREAK, "") == one_line(words)


def read_span(markdown: str) -> str:
    """The content of a string that is exactly one code span, by the rules of CommonMark 6.1."""
    opening = re.match("`+", markdown)
    assert opening is not None
    runs = [found for found in re.finditer("`+", markdown) if len(found[0]) == len(opening[0])]
    assert len(runs) == 2
    assert runs[1].end() == len(markdown)
    content = markdown[opening.end() : runs[1].start()]
    return content[1:-1] if content[0] == content[-1] == " " and content.strip(" ") else content


@given(text)
def test_a_code_span_holds_exactly_the_words(words: str) -> None:
    result = code_span(words)
    assert "\n" not in result
    assert not re.search("@[0-9A-Za-z_]", result)
    assert read_span(result).replace(BREAK, "") == (one_line(words) or "(empty)")


def read_fence(markdown: str) -> tuple[str, str]:
    """(info string, content) of a text that is exactly one backtick fence, by the rules of CommonMark 4.5."""
    first, *lines = markdown.split("\n")
    opening = re.fullmatch("(```+)([^`]*)", first)
    assert opening is not None
    for number, line in enumerate(lines):
        closing = re.fullmatch(" {0,3}(`+)[ \t]*", line)
        if closing and len(closing[1]) >= len(opening[1]):
            assert number == len(lines) - 1
            return opening[2], "\n".join(lines[:number])
    raise AssertionError("never closed")


@given(
    text,
    st.one_of(
        st.sampled_from(
            ["python", "C++", "c#", "objective-c", "Suggestion", "suggestion:-0+1", "mermaid", "a b", "x`"]
        ),
        text,
    ),
)
def test_a_fence_parses_back_to_its_code(code: str, language: str) -> None:
    info, content = read_fence(fence(code, language))
    assert content == visible(code)
    assert re.fullmatch("[a-z0-9+#-]*", info)
    assert "suggestion" not in info
    assert info not in sanitize.RENDERED_LANGUAGES


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "S", "Zs"]), max_size=200))
def test_ordinary_code_is_kept_to_the_letter(code: str) -> None:
    ordinary = "".join(one for one in code if visible(one) == one)
    assert read_fence(fence(ordinary, "python")) == ("python", ordinary)


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("nul", ("a\x00b", "a␀b")),
        ("escape", ("\x1b[31m", "␛[31m")),
        ("lone carriage return cannot fake a line", ("ok\rmerge", "ok␍merge")),
        ("crlf is a line end", ("a\r\nb", "a\nb")),
        ("bidi override", ("a\u202eb", f"a{UNSEEN}b")),
        ("zero width", ("a\u200bb\u2060c", f"a{UNSEEN}b{UNSEEN}c")),
        ("tag characters", ("a\U000e0041", f"a{UNSEEN}")),
        ("lone surrogate", ("a\ud800", f"a{UNSEEN}")),
        ("emoji family stays whole", ("👩‍👩‍👧 ❤️‍🔥", "👩‍👩‍👧 ❤️‍🔥")),
        ("joiner between letters shows", ("a\u200db", f"a{UNSEEN}b")),
        ("byte-order mark of a file", ("\ufeffimport os", "import os")),
        ("tabs and cjk stay", ("\tif x: # 漢字", "\tif x: # 漢字")),
    ],
)
def test_what_hides_is_made_visible(name: str, seen: tuple[str, str]) -> None:
    assert visible(seen[0]) == seen[1]


def test_a_cut_says_so_and_leaves_no_half_emoji() -> None:
    assert inline("word " * 100, limit=10) == "word word…"
    assert one_line("ab👩‍👩‍👧", limit=5) == "ab👩…"
    one_line("x" * 9 + "👩‍👩‍👧", limit=12).encode()


def test_a_link_target_cannot_leave_its_brackets() -> None:
    assert (
        link("`a`", "https://h/o/r/blob/x/a(b) c<d>\n)[x](y")
        == "[`a`](https://h/o/r/blob/x/a%28b%29%20c%3Cd%3E%0A%29%5Bx%5D%28y)"
    )
    quoted = "https://h/o/r/blob/x/src/app/%28main%29/%5Bid%5D/a%20b%23c%2520.tsx#L1-L2"
    assert link("`a`", quoted) == f"[`a`]({quoted})"


def test_a_bracket_and_colon_in_a_linked_path_define_no_reference() -> None:
    assert link(code_span("a]:b"), "https://h/x") == f"[`a]{BREAK}:b`](https://h/x)"


def test_a_marker_or_command_of_a_quoted_text_is_dead() -> None:
    assert inline("<!-- coderag:summary {} -->") == r"&lt;\!-- coderag:summary \{\} --&gt;"
    assert inline("/merge") == r"\/merge"
    assert inline("Duplicate of #12") == f"Duplicate of #{BREAK}12"
