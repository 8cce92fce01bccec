"""Deliveries: signed, in GitHub's shape, recorded, redelivered under their GUID, doubled and reordered when told to."""

from __future__ import annotations

import hashlib
import hmac
import json

import pytest

from app.sandbox import LineComment, Sandbox
from app.sandbox.state import ZERO_SHA
from tests.sandbox.conftest import Receiver, World


def events(github: Sandbox, start: int = 0) -> list[tuple[str, str | None]]:
    """(event, action) of the deliveries from `start` on."""
    return [(one.event, one.action) for one in github.deliveries[start:]]


async def test_a_delivery_is_signed_over_the_bytes_that_arrive(world: World, receiver: Receiver) -> None:
    world.github.webhook_url = receiver.url
    comment = await world.github.comment("octo/hello", 1, "bob", "héllo @coderag")
    headers, body = receiver.got[-1]
    expected = hmac.new(world.github.webhook_secret.encode(), body, hashlib.sha256).hexdigest()
    assert headers["x-hub-signature-256"] == f"sha256={expected}"
    assert "x-hub-signature" not in headers
    assert (headers["x-github-event"], headers["content-type"]) == ("issue_comment", "application/json")
    assert headers["x-github-hook-installation-target-id"] == "4242"
    assert headers["user-agent"].startswith("GitHub-Hookshot/")
    payload = json.loads(body)
    assert (payload["action"], payload["comment"]["id"]) == ("created", comment.id)
    assert payload["comment"]["body"] == "héllo @coderag"
    assert payload["installation"]["id"] == world.installation.id
    assert (payload["repository"]["id"], payload["sender"]["login"]) == (world.repository.id, "bob")
    last = world.github.deliveries[-1]
    assert (last.status, last.status_code, last.guid) == ("OK", 202, headers["x-github-delivery"])


async def test_the_apps_own_comment_echoes_as_a_bots(world: World, receiver: Receiver) -> None:
    world.github.webhook_url = receiver.url
    await world.post("/repos/octo/hello/issues/2/comments", {"body": "from the App"})
    await world.github.settled()
    payload = json.loads(receiver.got[-1][1])
    assert (payload["sender"]["login"], payload["sender"]["type"]) == ("coderag[bot]", "Bot")
    assert payload["comment"]["performed_via_github_app"]["id"] == 4242
    assert payload["issue"]["pull_request"]["html_url"].endswith("/octo/hello/pull/2")


async def test_a_review_with_one_comment_fires_two_events(world: World) -> None:
    start = len(world.github.deliveries)
    await world.github.review("octo/hello", 2, "bob", "@coderag see", [LineComment("README.md", 4, "here")])
    await world.github.review_comment("octo/hello", 2, "bob", "and here", "README.md", 1)
    submitted, created = ("pull_request_review", "submitted"), ("pull_request_review_comment", "created")
    assert events(world.github, start) == [submitted, created, submitted, created]
    bodies = [one.payload["review"]["body"] for one in world.github.deliveries[start:] if one.event == submitted[0]]  # type: ignore[index]
    assert bodies == ["@coderag see", None]


async def test_edits_tell_what_stood_there_before(world: World) -> None:
    comment = await world.github.comment("octo/hello", 1, "bob", "one")
    await world.github.edit_comment(comment, "two", by="alice")
    edited = world.github.deliveries[-1].payload
    assert (edited["action"], edited["changes"]) == ("edited", {"body": {"from": "one"}})
    await world.github.edit_thread("octo/hello", 2, title="Better")
    assert world.github.deliveries[-1].payload["changes"] == {"title": {"from": "Number the lines"}}
    review = await world.github.review("octo/hello", 2, "bob", "old")
    await world.github.edit_review(review, "new")
    assert world.github.deliveries[-1].payload["changes"] == {"body": {"from": "old"}}
    await world.github.delete_comment(comment.id)
    assert events(world.github)[-1] == ("issue_comment", "deleted")


async def test_a_push_tells_before_after_and_files(world: World) -> None:
    github = world.github
    before = await github.sha("octo/hello", "main")
    after = await github.push_files("octo/hello", "main", {"README.md": None, "new": "x", "src/a b#c.py": "pass\n"})
    push = github.deliveries[-1].payload
    assert (push["ref"], push["before"], push["after"]) == ("refs/heads/main", before, after)
    assert (push["created"], push["deleted"], push["forced"]) == (False, False, False)
    commit = push["commits"][0]  # type: ignore[index]
    assert (commit["added"], commit["removed"], commit["modified"]) == (["new"], ["README.md"], ["src/a b#c.py"])
    assert push["head_commit"]["id"] == after  # type: ignore[index]
    assert isinstance(push["repository"]["created_at"], int)  # type: ignore[index]


async def test_made_forced_and_deleted_branches(world: World) -> None:
    github = world.github
    unrelated = await github.commit("octo/hello", "main", {"other": "x"}, parents=[])
    await github.push("octo/hello", "fresh", world.head)
    made = github.deliveries[-1].payload
    assert (made["created"], made["before"], made["commits"][0]["id"]) == (True, ZERO_SHA, world.head)  # type: ignore[index]
    await github.push("octo/hello", "main", unrelated)
    forced = github.deliveries[-1].payload
    assert (forced["forced"], [one["id"] for one in forced["commits"]]) == (True, [unrelated])  # type: ignore[attr-defined]
    await github.delete_branch("octo/hello", "fresh")
    gone = github.deliveries[-1].payload
    assert (gone["deleted"], gone["after"], gone["head_commit"], gone["commits"]) == (True, ZERO_SHA, None, [])


async def test_a_push_to_the_head_synchronizes(world: World) -> None:
    start = len(world.github.deliveries)
    after = await world.github.push_files("octo/hello", "feature", {"src/new.py": "x = 2\n"}, by="alice")
    assert events(world.github, start) == [("push", None), ("pull_request", "synchronize")]
    payload = world.github.deliveries[-1].payload
    assert (payload["before"], payload["after"]) == (world.head, after)
    assert await world.github.sha("octo/hello", "refs/pull/2/head") == after


async def test_the_life_of_a_pull_request(world: World) -> None:
    github = world.github
    await github.push("octo/hello", "release", await github.sha("octo/hello", "main"))
    start = len(github.deliveries)
    await github.retarget("octo/hello", 2, "release")
    assert github.deliveries[-1].payload["changes"]["base"]["ref"] == {"from": "main"}  # type: ignore[index]
    await github.close_pull("octo/hello", 2)
    await github.push_files("octo/hello", "feature", {"z": "1"})
    await github.reopen("octo/hello", 2)
    await github.merge("octo/hello", 2)
    expected = [("pull_request", "edited"), ("pull_request", "closed"), ("push", None), ("pull_request", "reopened")]
    assert events(github, start) == [*expected, ("push", None), ("pull_request", "closed")]


async def test_the_life_of_a_repository(world: World) -> None:
    github = world.github
    start = len(github.deliveries)
    await github.rename_repository("octo/hello", "bye")
    assert github.deliveries[-1].payload["changes"] == {"repository": {"name": {"from": "hello"}}}
    await github.archive_repository("octo/bye")
    await github.set_private("octo/bye", True)
    await github.publicize_repository("octo/bye")
    await github.set_default_branch("octo/bye", "feature")
    await github.delete_repository("octo/bye")
    actions = ["renamed", "archived", "privatized", "publicized", "edited", "deleted"]
    assert events(github, start) == [("repository", action) for action in actions]


async def test_the_life_of_an_installation(world: World) -> None:
    github, one = world.github, world.installation
    await github.add_repository("octo/other", files={"a": "b"})
    start = len(github.deliveries)
    await github.select_repositories(one, removed=["octo/hello"])
    removed = github.deliveries[-1].payload
    assert [each["full_name"] for each in removed["repositories_removed"]] == ["octo/hello"]  # type: ignore[attr-defined]
    await github.select_repositories(one, added=["octo/hello"])
    await github.suspend(one)
    await github.comment("octo/hello", 1, "bob", "nobody hears this")
    await github.unsuspend(one)
    await github.accept_permissions(one, {"contents": "read"})
    await github.comment("octo/hello", 1, "bob", "no permission to hear this")
    await github.delete_installation(one)
    await github.push_files("octo/hello", "main", {"x": "y"})
    assert events(github, start) == [
        ("installation_repositories", "removed"),
        ("installation_repositories", "added"),
        ("installation", "suspend"),
        ("installation", "unsuspend"),
        ("installation", "new_permissions_accepted"),
        ("installation", "deleted"),
    ]


async def test_a_new_account_name_redirects_and_is_told_without_a_sender(world: World) -> None:
    await world.github.rename_account("octo", "octavia")
    payload = world.github.deliveries[-1].payload
    assert (payload["changes"], "sender" in payload) == ({"login": {"from": "octo"}}, False)
    assert (await world.get("/repos/octo/hello")).status_code == 301
    assert (await world.get("/repos/octavia/hello")).json()["id"] == world.repository.id


async def test_repositories_without_the_app_are_silent(world: World) -> None:
    start = len(world.github.deliveries)
    await world.github.add_repository("stranger/thing", files={"a": "b"})
    await world.github.open_issue("stranger/thing", "bob", "hi", None)
    assert events(world.github, start) == []


async def test_organizations_are_named(github: Sandbox) -> None:
    await github.add_installation("acme", type="Organization")
    await github.add_repository("acme/tool", files={"a": "b"})
    await github.open_issue("acme/tool", "bob", "hi", None)
    assert github.deliveries[-1].payload["organization"]["login"] == "acme"  # type: ignore[index]


# --- failure, redelivery, disorder ---


async def test_a_failed_delivery_is_redelivered_under_the_same_guid(world: World, receiver: Receiver) -> None:
    world.github.webhook_url = receiver.url
    receiver.statuses = [500]
    await world.github.comment("octo/hello", 1, "bob", "hi")
    failed = world.github.deliveries[-1]
    assert (failed.status, failed.status_code) == ("Invalid HTTP Response: 500", 500)
    again = await world.github.redeliver(failed.guid)
    assert (again.guid, again.redelivery, again.status, again.id == failed.id) == (failed.guid, True, "OK", False)
    assert receiver.got[-1][1] == receiver.got[-2][1]
    assert receiver.got[-1][0]["x-github-delivery"] == receiver.got[-2][0]["x-github-delivery"]


async def test_the_app_lists_and_repeats_its_deliveries(world: World, receiver: Receiver) -> None:
    github = world.github
    github.webhook_url = receiver.url
    receiver.statuses = [503]
    await github.comment("octo/hello", 1, "bob", "hi")
    signed = github.app_jwt()
    failed = (await world.call("GET", "/app/hook/deliveries?status=failure", token=signed)).json()
    assert [(one["event"], one["status_code"]) for one in failed] == [("issue_comment", 503)]
    detail = (await world.call("GET", f"/app/hook/deliveries/{failed[0]['id']}", token=signed)).json()
    assert detail["request"]["headers"]["X-GitHub-Delivery"] == failed[0]["guid"]
    assert detail["request"]["payload"]["comment"]["body"] == "hi"
    repeated = await world.call("POST", f"/app/hook/deliveries/{failed[0]['id']}/attempts", token=signed)
    assert repeated.status_code == 202
    await github.settled()
    seen, url = [], "/app/hook/deliveries?per_page=2"
    while url:
        page = await world.call("GET", url, token=signed)
        seen += [one["id"] for one in page.json()]
        url = page.links["next"]["url"] if "next" in page.links else ""
    assert seen == [one.id for one in reversed(github.deliveries)]
    assert (await world.call("GET", "/app/hook/deliveries/1", token=signed)).status_code == 404


async def test_an_unreachable_webhook_has_no_status_code(world: World) -> None:
    world.github.webhook_url = "http://127.0.0.1:1/webhook"
    await world.github.comment("octo/hello", 1, "bob", "hi")
    last = world.github.deliveries[-1]
    assert (last.status, last.status_code) == ("failed to connect to host", 0)
    failures = await world.call("GET", "/app/hook/deliveries?status=failure", token=world.github.app_jwt())
    assert failures.json() == []


async def test_copies_come_under_one_guid(world: World, receiver: Receiver) -> None:
    world.github.webhook_url = receiver.url
    world.github.duplicate(3)
    await world.github.comment("octo/hello", 1, "bob", "hi")
    assert len(receiver.got) == 3
    assert len({headers["x-github-delivery"] for headers, _ in receiver.got}) == 1


@pytest.mark.parametrize(("order", "heard"), [(None, ["1", "2", "3"]), ([2, 0, 1], ["3", "1", "2"]), ([2], ["3"])])
async def test_held_deliveries_come_in_any_order(
    world: World, receiver: Receiver, order: list[int] | None, heard: list[str]
) -> None:
    world.github.webhook_url = receiver.url
    world.github.hold()
    for text in ("1", "2", "3"):
        await world.github.comment("octo/hello", 1, "bob", text)
    assert (receiver.got, len(world.github.held)) == ([], 3)
    await world.github.release(order)
    assert [json.loads(body)["comment"]["body"] for _, body in receiver.got] == heard


async def test_the_ping_names_the_hook(world: World, receiver: Receiver) -> None:
    world.github.webhook_url = receiver.url
    await world.github.ping()
    assert receiver.got[-1][0]["x-github-event"] == "ping"
    assert "hook_id" in json.loads(receiver.got[-1][1])
