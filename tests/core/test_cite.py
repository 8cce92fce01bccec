"""Citations: links that open the right file at the right line, and proof that survives moved text only."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import unquote, urlsplit

from hypothesis import assume, given
from hypothesis import strategies as st

from app.core.cite import FARTHEST_SHIFT, FOCUS_LINES, focus, link_to, permalink, quote_path, verify
from app.core.source import line_range
from app.core.types import Citation

SHA = "0123456789abcdef0123456789abcdef01234567"
REPOSITORY = "https://github.example/o/r"
FILE = "".join(f"line {number}\n" for number in range(1, 41))


def cited(text: str, first: int, last: int, path: str = "a/b.py") -> Citation:
    return Citation(path, first, last, SHA, "b" * 40, line_range(text, first, last))


def test_a_link_names_commit_path_and_lines() -> None:
    assert permalink(REPOSITORY, cited(FILE, 10, 20)) == f"{REPOSITORY}/blob/{SHA}/a/b.py#L10-L20"
    assert permalink(REPOSITORY + "/", cited(FILE, 10, 10)) == f"{REPOSITORY}/blob/{SHA}/a/b.py#L10"
    assert link_to(REPOSITORY, SHA, "a/b.py") == f"{REPOSITORY}/blob/{SHA}/a/b.py"


def test_markdown_is_linked_as_source_because_lines_of_a_rendered_page_do_not_exist() -> None:
    assert (
        permalink(REPOSITORY, cited(FILE, 3, 4, "docs/README.MD"))
        == f"{REPOSITORY}/blob/{SHA}/docs/README.MD?plain=1#L3-L4"
    )
    assert permalink(REPOSITORY, cited(FILE, 3, 4, "docs/md.py")).endswith("/docs/md.py#L3-L4")


def test_a_path_of_brackets_blanks_and_marks_opens_its_file() -> None:
    path = "src/app/(main)/[id]/a b#c%20.tsx"
    assert quote_path(path) == "src/app/%28main%29/%5Bid%5D/a%20b%23c%2520.tsx"
    link = urlsplit(permalink(REPOSITORY, cited(FILE, 1, 2, path)))
    assert unquote(link.path) == f"/o/r/blob/{SHA}/{path}"
    assert (link.query, link.fragment) == ("", "L1-L2")


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=60))
def test_every_path_survives_its_link(path: str) -> None:
    assume(not path.startswith("/"))
    link = urlsplit(link_to(REPOSITORY, SHA, path, 1, 2))
    assert unquote(link.path) == f"/o/r/blob/{SHA}/{path}"
    assert link.fragment == "L1-L2"
    assert set(quote_path(path)) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~%/")


def test_a_citation_stands_where_its_lines_hold_its_text() -> None:
    assert verify(cited(FILE, 5, 9), FILE) == cited(FILE, 5, 9)


def test_moved_text_is_followed_to_the_nearest_place() -> None:
    citation = cited(FILE, 5, 6)
    assert verify(citation, "new\n" * 3 + FILE) == replace(citation, first=8, last=9)
    assert verify(citation, FILE.split("line 3\n")[1]) == replace(citation, first=2, last=3)
    twice = "line 5\nline 6\n" + "x\n" * 5 + "line 5\nline 6\n"
    assert verify(replace(citation, first=7, last=8), twice) == replace(citation, first=8, last=9)


def test_changed_cut_or_absent_text_does_not_stand() -> None:
    citation = cited(FILE, 5, 6)
    assert verify(citation, FILE.replace("line 6", "line six")) is None
    assert verify(citation, "line 5") is None
    assert verify(citation, "") is None
    assert verify(replace(citation, text=""), FILE) is None
    assert verify(replace(citation, text="\n"), "\n\n\n\n\n\n\n") is None
    assert verify(replace(citation, first=0, last=1), FILE) is None
    assert verify(replace(citation, last=4), FILE) is None


def test_text_that_moved_too_far_is_not_searched_for_ever() -> None:
    assert verify(cited(FILE, 5, 6), "x\n" * (FARTHEST_SHIFT * 3) + FILE) is None


def test_carriage_returns_belong_to_the_line() -> None:
    windows = FILE.replace("\n", "\r\n")
    assert verify(cited(windows, 5, 9), windows) == cited(windows, 5, 9)
    assert verify(cited(windows, 5, 9), FILE) is None


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=8), min_size=1, max_size=30
    ),
    st.data(),
)
def test_what_verifies_holds_the_cited_text_at_the_cited_lines(rows: list[str], data: st.DataObject) -> None:
    text = "".join(f"{row}\n" for row in rows)  # every row is a line, an empty last one too
    first = data.draw(st.integers(1, len(rows)))
    last = data.draw(st.integers(first, len(rows)))
    shift = data.draw(st.integers(-3, 3))
    citation = Citation("a", first + shift, last + shift, SHA, "", "\n".join(rows[first - 1 : last]))
    found = verify(citation, text)
    if found is None:
        assert not citation.text.strip() or first + shift < 1
    else:
        assert line_range(text, found.first, found.last) == citation.text


BODY = """def send(request):
    first = 1
    second = 2

    third = 3
    if request.cookie_expired():
        refresh_session(request)
    fourth = 4
    fifth = 5
    sixth = 6
    return first + second + third"""


def test_the_lines_shown_hold_most_of_the_question() -> None:
    assert focus(BODY, 100, {"cookie": 1.0, "expired": 1.0, "session": 1.0}, most=3) == (105, 107)
    assert focus(BODY, 100, {"nothing": 1.0}, most=3) == (100, 102)
    assert focus(BODY, 100, {"sixth": 2.0}, at=100, most=3) == (100, 102)
    assert focus(BODY, 100, {}, at=108, most=3) == (108, 110)
    assert focus(BODY, 100, {}, most=4) == (100, 102)
    assert focus("", 7, {"a": 1.0}) == (7, 7)


@given(st.text(alphabet="ab \n", max_size=200), st.integers(1, 50), st.integers(0, 80))
def test_the_lines_shown_are_lines_of_the_text(text: str, first: int, at: int) -> None:
    start, stop = focus(text, first, {"ab": 1.0, "ba": 2.0}, at=at)
    assert first <= start <= stop <= first + text.count("\n")
    assert stop - start < FOCUS_LINES
