"""Whom a comment speaks to: our handle counts where its author says it, and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.hidden import BLANK, COVER, cover, hidden_spans
from app.core.mention import COMMANDS, Mention, find_mention

HANDLES = ("coderag", "acme-code")


def find(body: str) -> Mention | None:
    return find_mention(body, HANDLES)


@pytest.mark.parametrize(
    ("body", "question"),
    [
        ("Hey @CodeRag, where is `parseURL` defined?", "Hey where is `parseURL` defined?"),
        ("@coderag where is X?", "where is X?"),
        ("@coderag: where is X?", "where is X?"),
        ("where is X, @coderag?", "where is X, ?"),
        ("(@coderag) where is X?", "() where is X?"),
        ("**@coderag** where is X?", "where is X?"),
        ("@coderag[bot] where is X?", "where is X?"),
        ("@ACME-CODE where is X?", "where is X?"),
        ("请问@coderag这个函数在哪", "请问这个函数在哪"),
        ("@coderag where?\r\n\r\n```py\r\nX = 1\r\n```", "where?\n\n```py\nX = 1\n```"),
        ("@coderag and @coderag again", "and again"),
        ("- first\n- @coderag where?", "- first\n- where?"),
        ("- first\n\n  @coderag where?", "- first\n\n  where?"),
        ("text\n    @coderag goes on with its paragraph", "text\n    goes on with its paragraph"),
        ("text\n        ```\n@coderag deep backticks open nothing", "text\n        ```\ndeep backticks open nothing"),
        ("# open ` tick\n@coderag close ` tick", "# open ` tick\nclose ` tick"),
        ("- open ` tick\n- @coderag close ` tick", "- open ` tick\n- close ` tick"),
        ("> quoted\n\n@coderag where?", "> quoted\n\nwhere?"),
        ("> quoted\n@coderag where?", "> quoted\nwhere?"),
        ("<!-- template -->\n@coderag where?", "where?"),
        ("a <!-- hidden --> b @coderag c", "a  b c"),
        ("<details>\n\n@coderag where?\n\n</details>", "<details>\n\nwhere?\n\n</details>"),
        ("`<!--` @coderag where?", "`<!--` where?"),
        ("a `` b ` c @coderag d", "a `` b ` c d"),
        ("```\ncode\n```\n@coderag where?", "```\ncode\n```\nwhere?"),
        ("- ```\n  code\n@coderag the list has ended", "- ```\n  code\nthe list has ended"),
        ("@coderag", ""),
        ("@coderag.", ""),
        ("Hey, @coderag!", "Hey, !"),
        ("@coderag 这个函数在哪？", "这个函数在哪？"),
    ],
)
def test_a_question_keeps_everything_but_our_name(body: str, question: str) -> None:
    assert find(body) == Mention("", question)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "no name",
        "@coderag-bot hi",
        "@coderag-acme hi",
        "@coderagx hi",
        "@coderag_x hi",
        "@coderag/team hi",
        "@coderag.dev hi",
        "@my-coderag hi",
        "me@coderag.dev",
        "me+x@coderag",
        "first.last-@coderag",
        "https://example.com/@coderag",
        "https://example.com/?u=@coderag",
        "@@coderag",
        "@ coderag",
        "coderag help",
        "@\u200bcoderag help",
        "`@coderag help`",
        "``@coderag ` help``",
        "`a\n@coderag b`",
        "```\n@coderag help\n```",
        "```\n@coderag help",
        "~~~~\n```\n@coderag help\n~~~\n~~~~",
        "- item\n  ```\n  @coderag help\n  ```",
        "1. item\n   - inner\n     ```\n     @coderag help\n     ```",
        "text\n```\n@coderag help\n```",
        "text\n> @coderag help",
        "- text\n  > @coderag help",
        "text\n- ```\n  @coderag help",
        "text\n1. > @coderag help",
        "    @coderag help",
        "\t@coderag help",
        "- item\n\n      @coderag help",
        "> @coderag help",
        ">@coderag help",
        "> > @coderag help",
        "- > @coderag help",
        "   > @coderag help",
        "<!-- @coderag help -->",
        "<!-- @coderag help",
        "text <!-- more\n\n@coderag help",
        "<!--\n```\n@coderag help\n```\n-->",
        "<pre>\n\n@coderag help\n\n</pre>",
        "<code>@coderag help</code>",
        "<BLOCKQUOTE>@coderag help</BLOCKQUOTE>",
        "<pre>@coderag help",
    ],
)
def test_code_quotes_comments_addresses_and_other_names_are_no_mention(body: str) -> None:
    assert find(body) is None


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    "form", ["@coderag {}", "@CodeRag {}!", "  @coderag, {}.  ", "- @coderag {}", "Hello.\n@coderag: {}\nThanks."]
)
def test_a_line_of_nothing_but_name_and_command_is_that_command(command: str, form: str) -> None:
    assert find(form.format(command)) == Mention(command, "")
    assert find(form.format(command.upper())) == Mention(command, "")


@pytest.mark.parametrize(
    ("body", "question"),
    [
        ("@coderag help me find X", "help me find X"),
        ("Hey @coderag help", "Hey help"),
        ("@coderag helpful", "helpful"),
        ("@coderag help `x`", "help `x`"),
        ("@coderag\nhelp", "help"),
        ("help @coderag", "help"),
        ("@coderag what is X?\n@coderag help", "what is X?\nhelp"),
        ("@coderag @coderag help", "help"),
    ],
)
def test_a_command_with_company_is_a_question(body: str, question: str) -> None:
    assert find(body) == Mention("", question)


def test_a_comment_does_not_keep_a_command_from_being_one() -> None:
    assert find("@coderag status <!-- please -->") == Mention("status", "")


def test_without_a_name_nobody_is_spoken_to() -> None:
    assert find_mention("@ hello @coderag", ()) is None
    assert find_mention("@ hello", ("",)) is None


def test_only_ascii_letters_are_letters_of_a_name() -> None:
    """The Kelvin sign is a k to a case-insensitive match over all of Unicode."""
    assert find_mention("@\u212aey help", ("key",)) is None
    assert find_mention("@KEY help", ("key",)) == Mention("help", "")


# --- free-form input ----------------------------------------------------------------------------------------------------

PIECES = st.sampled_from(
    [
        *("@coderag", " help", "x", "[bot]", "*", "---", "# "),
        *("`", "``", "```", "~~~", "<!--", "-->", "<pre>", "</pre>", "<code>"),
        *("\n", "\n\n", "\r\n", "    ", "\t", "> ", "- ", "1. "),
    ]
)
MARKDOWN = st.lists(PIECES | st.text(max_size=3), max_size=40).map("".join)


@given(MARKDOWN)
def test_no_text_breaks_it_and_a_question_is_made_of_the_text(body: str) -> None:
    found = find(body)
    if found:
        assert found.command in ("", *COMMANDS)
        assert not (found.command and found.question)
        assert len(found.question) <= len(body)


@given(MARKDOWN)
def test_the_hidden_parts_are_in_order_and_cover_keeps_every_position(body: str) -> None:
    text = body.replace("\r\n", "\n").replace("\r", "\n")
    spans = hidden_spans(text)
    covered = cover(text, spans)
    assert len(covered) == len(text)
    assert [at for at, character in enumerate(text) if character == "\n"] == [
        at for at, c in enumerate(covered) if c == "\n"
    ]
    ends = [0, *(end for _, end, _ in spans)]
    assert all(before <= start <= end for before, (start, end, _) in zip(ends, spans, strict=False))
    for start, end, fill in spans:
        assert fill in (COVER, BLANK)
        assert set(covered[start:end]) <= {fill, "\n"}


@given(
    st.text(alphabet=st.characters(exclude_characters="`~\r"), max_size=60), st.integers(3, 6), st.sampled_from("`~")
)
def test_whatever_stands_in_a_closed_fence_is_never_a_mention(inside: str, length: int, mark: str) -> None:
    fence = mark * length
    assert find(f"text\n\n{fence}\n{inside} @coderag help\n{inside}\n{fence}\n\nmore") is None


@given(MARKDOWN)
def test_a_quote_of_any_text_is_never_a_mention(body: str) -> None:
    lines = body.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert find("\n".join(f"> {line}" for line in [*lines, "@coderag help"])) is None


@given(st.text(alphabet=st.characters(exclude_characters=">\r"), max_size=60))
def test_whatever_stands_in_a_comment_is_never_a_mention(inside: str) -> None:
    assert find(f"<!--{inside}@coderag help{inside}-->") is None
    assert find(f"<!--{inside}\n\n@coderag help") is None


@given(MARKDOWN)
def test_a_mention_after_any_text_that_hides_nothing_to_the_end_is_found(body: str) -> None:
    text = body.replace("\r\n", "\n").replace("\r", "\n") + "\n\n"
    spans = hidden_spans(text + "x")
    if not spans or spans[-1][1] <= len(text):
        assert find(text + "@coderag what now?") is not None


LONG = 200_000  # characters, three times what GitHub lets a comment have
HOSTILE = [
    *("`", "`` ` ", "` ", "\\`", "<!--", "<!-- -->", "<!-->", "<pre>", "<code>`</code>", "</code "),
    *("- ", "1. ", "> ", "- > ", "-", "- -", "*", "# ", "\t", " ", "\x00"),
    *("```\n", "- ```\n", "~~~\n\n", "- a\n", "a\n", "a\n    "),
    *("@coderag", "@coderag ", "@coderag\n", "@coderag-", "@coderag[", "@coderag<!-- -->"),
]


@pytest.mark.parametrize("piece", HOSTILE, ids=repr)
def test_very_much_of_anything_is_read_in_one_walk(piece: str) -> None:
    """No time is measured: a walk that is not linear does not come back from these within hours."""
    body = piece * (LONG // len(piece))
    find(f"{body}\n\n@coderag hello")
    find(f"@coderag{body}x")


def test_runs_of_every_length_are_read_in_one_walk() -> None:
    find("".join("`" * length + " " for length in range(1, 1400)) + "@coderag hello")
