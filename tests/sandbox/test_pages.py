"""Pages for people: permalinks show their lines, threads show their comments, nothing shown can run."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.sandbox.markdown import render
from tests.sandbox.conftest import World


async def _page(world: World, path: str) -> str:
    answer = await world.client.get(world.github.html_url + path)
    assert answer.status_code == 200, path
    return answer.text


async def test_a_permalink_shows_numbered_lines(world: World) -> None:
    sha = await world.github.push_files("octo/hello", "main", {"src/app/(main)/[id]/a b#c%20.tsx": "<b>\r\nlet x\n"})
    page = await _page(world, f"/octo/hello/blob/{sha}/src/app/%28main%29/%5Bid%5D/a%20b%23c%2520.tsx")
    assert '<tr id="L1"><td class="number"><a href="#L1">1</a></td><td class="code">&lt;b&gt;' in page
    assert '<tr id="L2">' in page
    assert '<tr id="L3">' not in page
    assert "<b>\r" not in page


async def test_what_is_not_there_is_404(world: World) -> None:
    for path in (
        "/octo/hello/blob/main/none",
        "/octo/hello/blob/none/README.md",
        "/octo/hello/issues/99",
        "/octo/none",
        "/x",
    ):
        assert (await world.client.get(world.github.html_url + path)).status_code == 404


async def test_a_conversation_shows_comments_in_order_with_anchors(world: World) -> None:
    comment = await world.github.comment("octo/hello", 2, "bob", "a **bold** `claim`")
    review = await world.github.review_comment("octo/hello", 2, "bob", "on a line", "README.md", 4)
    page = await _page(world, "/octo/hello/pull/2")
    assert f'id="issuecomment-{comment.id}"' in page
    assert "<strong>bold</strong> <code>claim</code>" in page
    assert f'id="discussion_r{review.id}"' in page
    assert "README.md:4" in page
    assert page.index("bold") < page.index("on a line")
    assert "/octo/hello/pull/2" in await _page(world, "/octo/hello")
    assert "octo/hello" in await _page(world, "/")


async def test_titles_and_bodies_are_escaped(world: World) -> None:
    await world.github.open_issue("octo/hello", "mallory", "<script>alert(1)</script>", "<img src=x onerror=alert(1)>")
    page = await _page(world, "/octo/hello/issues/3")
    assert "<script>alert" not in page
    assert "<img" not in page


def test_plain_tags_stay_and_markers_vanish() -> None:
    shown = render(
        "<!-- coderag:answer {} -->\n<details open><summary>More</summary>\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\n</details>"
    )
    assert "<details open><summary>More</summary>" in shown
    assert "<table>" in shown
    assert "coderag:answer" not in shown


def test_links_that_run_code_are_no_links() -> None:
    assert "href" not in render("[x](javascript:alert(1))")
    assert "<details onclick" not in render("<details onclick=alert(1)>")
    assert "<details>" in render("```\ncode\n```\n\n<details>\n")
    assert "<details>" not in render("```\n<details>\n```")


@given(st.text(alphabet=st.sampled_from(list("<>&\"'!-/ =abdeilmnostu`*[]()\n")), max_size=80))
def test_no_input_makes_a_tag_that_is_not_plain(body: str) -> None:
    shown = render(body)
    allowed = {
        "p",
        "br",
        "br /",
        "em",
        "strong",
        "code",
        "pre",
        "ul",
        "ol",
        "li",
        "hr",
        "hr /",
        "blockquote",
        "h1",
        "h2",
        "s",
    }
    plain = {"details", "summary", "sub", "sup", "kbd", "b", "i", "details open"}
    for part in shown.split("<")[1:]:
        tag = part.partition(">")[0].lstrip("/").rstrip(" /")
        assert tag in allowed | plain or tag.startswith(
            ("a href=", "img src=", "ol start=", "code class=", "a", "img")
        ), shown
