"""Issues, comments and reactions over REST: what is taken, what is refused, how lists are paged."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest

from app.sandbox import Sandbox
from tests.sandbox.conftest import World


def links(answer: httpx.Response) -> dict[str, str]:
    """The Link header as rel -> URL."""
    return {rel: url for url, rel in re.findall(r'<([^>]+)>; rel="(\w+)"', answer.headers.get("link", ""))}


async def test_a_comment_is_by_the_apps_bot(world: World) -> None:
    answer = await world.post("/repos/octo/hello/issues/1/comments", {"body": "Here."})
    assert answer.status_code == 201
    comment = answer.json()
    assert (comment["user"]["login"], comment["user"]["type"]) == ("coderag[bot]", "Bot")
    assert comment["performed_via_github_app"]["id"] == 4242
    assert comment["html_url"].endswith(f"/octo/hello/issues/1#issuecomment-{comment['id']}")
    assert (await world.get(f"/repos/octo/hello/issues/comments/{comment['id']}")).json() == comment


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"body": ""}, "Validation Failed"),
        ({"body": " \n"}, "Validation Failed"),
        ({"body": "x" * 65_537}, "Validation Failed"),
        ({"body": 3}, "is not a string"),
        ({}, "wasn't supplied"),
    ],
)
async def test_a_body_github_refuses(world: World, body: object, words: str) -> None:
    answer = await world.post("/repos/octo/hello/issues/1/comments", body)
    assert answer.status_code == 422
    assert words in answer.json()["message"]
    assert (await world.get("/repos/octo/hello/issues/1")).json()["comments"] == 0


async def test_the_longest_body_is_taken_and_a_longer_one_says_so(world: World) -> None:
    path = "/repos/octo/hello/issues/1/comments"
    assert (await world.post(path, {"body": "é" * 65_536})).status_code == 201
    errors = (await world.post(path, {"body": "x" * 65_537})).json()["errors"]
    assert errors[0]["message"] == "Body is too long (maximum is 65536 characters)"


async def test_a_body_that_is_no_json_is_a_bad_request(world: World) -> None:
    headers = {"Authorization": f"Bearer {world.github.token(world.installation)}"}
    answer = await world.client.post("/repos/octo/hello/issues/1/comments", content=b"{", headers=headers)
    assert (answer.status_code, answer.json()["message"]) == (400, "Problems parsing JSON")


async def test_a_comment_is_edited_and_deleted(world: World) -> None:
    comment = (await world.post("/repos/octo/hello/issues/1/comments", {"body": "one"})).json()
    path = f"/repos/octo/hello/issues/comments/{comment['id']}"
    assert (await world.call("PATCH", path, body={"body": "two"})).json()["body"] == "two"
    assert (await world.call("PATCH", path, body={"body": ""})).status_code == 422
    assert (await world.call("DELETE", path)).status_code == 204
    assert (await world.get(path)).status_code == 404
    assert (await world.call("PATCH", path, body={"body": "three"})).status_code == 404


async def test_a_locked_issue_and_an_archived_repository_take_no_comment(world: World) -> None:
    path = "/repos/octo/hello/issues/1/comments"
    await world.github.lock("octo/hello", 1)
    answer = await world.post(path, {"body": "x"})
    assert (answer.status_code, answer.json()["message"]) == (403, "Unable to create comment because issue is locked.")
    await world.github.archive_repository("octo/hello")
    answer = await world.post("/repos/octo/hello/issues/2/comments", {"body": "x"})
    assert (answer.status_code, answer.json()["message"]) == (403, "Repository was archived so is read-only.")
    assert (await world.get(path)).status_code == 200


async def test_pull_request_permission_covers_pull_conversations_only(world: World) -> None:
    token = world.github.token(world.installation, {"metadata": "read", "pull_requests": "write"})
    for number, status in ((1, 403), (2, 201)):
        path = f"/repos/octo/hello/issues/{number}/comments"
        assert (await world.call("POST", path, token=token, body={"body": "x"})).status_code == status


async def test_ghosts_and_empty_bodies(world: World) -> None:
    world.github.add_user("gone", deleted=True)
    await world.github.comment("octo/hello", 1, "gone", None)
    comments = (await world.get("/repos/octo/hello/issues/1/comments")).json()
    assert (comments[0]["user"], comments[0]["body"]) == (None, None)
    assert (await world.get("/repos/octo/hello/pulls/2")).json()["body"] is None


async def test_pages_are_linked_by_repository_id(world: World) -> None:
    for number in range(5):
        await world.github.comment("octo/hello", 1, "bob", f"comment {number}")
    first = await world.get("/repos/octo/hello/issues/1/comments?per_page=2")
    assert links(first).keys() == {"next", "last"}
    assert f"/api/v3/repositories/{world.repository.id}/issues/1/comments?per_page=2&page=2" in links(first)["next"]
    bodies, url = [one["body"] for one in first.json()], links(first)["next"]
    while url:
        page = await world.get(url)
        bodies += [one["body"] for one in page.json()]
        url = links(page).get("next", "")
    assert bodies == [f"comment {number}" for number in range(5)]
    assert links(page).keys() == {"prev", "first"}


async def test_a_page_holds_a_hundred_at_most(world: World) -> None:
    for number in range(101):
        await world.github.comment("octo/hello", 1, "bob", f"{number}")
    answer = await world.get("/repos/octo/hello/issues/1/comments?per_page=500")
    assert len(answer.json()) == 100
    assert len((await world.get("/repos/octo/hello/issues/1/comments")).json()) == 30
    assert len((await world.get(links(answer)["next"])).json()) == 1


async def test_lists_since_a_time(tmp_path: Path) -> None:
    now = [1_800_000_000.0]
    async with Sandbox(tmp_path / "github", clock=lambda: now[0]) as github:
        installation = await github.add_installation("octo")
        await github.add_repository("octo/hello", files={"a": "b"})
        await github.open_issue("octo/hello", "bob", "old", None)
        await github.comment("octo/hello", 1, "bob", "early")
        now[0] += 3600
        await github.open_issue("octo/hello", "bob", "new", None)
        late = await github.comment("octo/hello", 2, "bob", "late")
        headers = {"Authorization": f"Bearer {github.token(installation)}"}
        async with httpx.AsyncClient(base_url=github.api_url, headers=headers) as client:
            since = "2027-01-15T09:00:00Z"
            for path, field, expected in (
                ("issues", "title", ["new"]),
                ("issues/comments", "body", ["late"]),
                ("issues/1/comments", "body", []),
            ):
                answer = await client.get(f"/repos/octo/hello/{path}", params={"since": since, "state": "all"})
                assert [one[field] for one in answer.json()] == expected
            newest = await client.get("/repos/octo/hello/issues/comments?sort=updated")
            assert [one["body"] for one in newest.json()] == ["late", "early"]
            oldest = await client.get("/repos/octo/hello/issues/comments?sort=updated&direction=asc")
            assert [one["body"] for one in oldest.json()] == ["early", "late"]
            assert (await client.get("/repos/octo/hello/issues?since=yesterday")).status_code == 422
            await github.edit_comment(late, "later")
            assert (await client.get(f"/repos/octo/hello/issues/comments/{late.id}")).json()["body"] == "later"


async def test_the_issue_list_holds_pull_requests_and_filters_by_state(world: World) -> None:
    listed = (await world.get("/repos/octo/hello/issues")).json()
    assert [(one["number"], "pull_request" in one) for one in listed] == [(2, True), (1, False)]
    await world.github.close("octo/hello", 1)
    assert [one["number"] for one in (await world.get("/repos/octo/hello/issues")).json()] == [2]
    assert [one["number"] for one in (await world.get("/repos/octo/hello/issues?state=closed")).json()] == [1]
    assert len((await world.get("/repos/octo/hello/issues?state=all")).json()) == 2


async def test_a_repeated_reaction_is_200_and_can_be_taken_back(world: World) -> None:
    comment = await world.github.comment("octo/hello", 1, "bob", "hi")
    review = await world.github.review_comment("octo/hello", 2, "bob", "hm", "src/new.py", 1)
    for path in (f"issues/comments/{comment.id}", f"pulls/comments/{review.id}", "issues/1", "issues/2"):
        url = f"/repos/octo/hello/{path}/reactions"
        first, second = await world.post(url, {"content": "eyes"}), await world.post(url, {"content": "eyes"})
        assert (first.status_code, second.status_code) == (201, 200)
        assert first.json()["id"] == second.json()["id"]
        assert len((await world.get(url)).json()) == 1
        assert (await world.call("DELETE", f"{url}/{first.json()['id']}")).status_code == 204
        assert (await world.get(url)).json() == []
        assert (await world.post(url, {"content": "shrug"})).status_code == 422


async def test_reactions_need_the_issues_permission_and_leave_others_alone(world: World) -> None:
    comment = await world.github.comment("octo/hello", 2, "bob", "hi")
    await world.github.react(comment, "bob", "heart")
    url = f"/repos/octo/hello/issues/comments/{comment.id}/reactions"
    token = world.github.token(world.installation, {"metadata": "read", "pull_requests": "write"})
    assert (await world.call("POST", url, token=token, body={"content": "eyes"})).status_code == 403
    theirs = (await world.get(url)).json()[0]
    assert (await world.call("DELETE", f"{url}/{theirs['id']}")).status_code == 403


async def test_numbers_and_comments_that_do_not_exist(world: World) -> None:
    other = await world.github.add_repository("octo/other", files={"a": "b"})
    comment = await world.github.comment("octo/hello", 1, "bob", "hi")
    assert other.id != world.repository.id
    for path in ("octo/hello/issues/99", "octo/hello/pulls/1", f"octo/other/issues/comments/{comment.id}", "octo/none"):
        assert (await world.get(f"/repos/{path}")).status_code == 404
    world.github.check()


async def test_an_unknown_route_is_501_and_fails_the_check(world: World) -> None:
    assert (await world.get("/repos/octo/hello/actions/runs")).status_code == 501
    assert world.github.refused == ["GET /repos/octo/hello/actions/runs"]
    with pytest.raises(AssertionError, match="actions/runs"):
        world.github.check()
