"""Pull requests over REST: numbers and files from git, line comments only where the diff is, reviews all or nothing."""

from __future__ import annotations

import pytest

from app.sandbox import LineComment
from tests.sandbox.conftest import README, World

REPO = "/repos/octo/hello"


async def test_a_pull_request_shows_what_git_says(world: World) -> None:
    pull = (await world.get(f"{REPO}/pulls/2")).json()
    assert (pull["head"]["sha"], pull["head"]["ref"], pull["base"]["ref"]) == (world.head, "feature", "main")
    assert (pull["commits"], pull["changed_files"], pull["additions"], pull["deletions"]) == (1, 2, 2, 1)
    files = {one["filename"]: one for one in (await world.get(f"{REPO}/pulls/2/files")).json()}
    assert files["README.md"]["patch"] == "@@ -1,5 +1,5 @@\n # Hello\n \n first\n-second\n+2nd\n third"
    assert (files["src/new.py"]["status"], files["src/new.py"]["additions"]) == ("added", 1)
    commits = (await world.get(f"{REPO}/pulls/2/commits")).json()
    assert [one["sha"] for one in commits] == [world.head]
    assert commits[0]["author"]["login"] == "alice"


async def test_files_of_renames_binaries_and_deletions(world: World) -> None:
    github = world.github
    text = "".join(f"line {number}\n" for number in range(30))
    base = await github.push_files("octo/hello", "main", {"old.txt": text, "gone.txt": "x\n", "picture": b"\0\1"})
    changes = {"old.txt": None, "new name.txt": text + "more\n", "gone.txt": None, "picture": b"\0\2"}
    head = await github.commit("octo/hello", "main", changes, parents=[base])
    await github.push("octo/hello", "moves", head)
    await github.open_pull("octo/hello", "moves", "main", "Move", "", "alice")
    files = {one["filename"]: one for one in (await world.get(f"{REPO}/pulls/3/files")).json()}
    assert (files["new name.txt"]["status"], files["new name.txt"]["previous_filename"]) == ("renamed", "old.txt")
    assert files["gone.txt"]["status"] == "removed"
    assert "patch" not in files["picture"]
    assert files["new name.txt"]["blob_url"].endswith(f"/blob/{head}/new%20name.txt")


async def test_the_file_list_stops_without_a_word(world: World) -> None:
    world.github.limits.pull_files = 3
    files: dict[str, bytes | str | tuple[str, bytes] | None] = {f"many/{number}": "x" for number in range(5)}
    head = await world.github.commit("octo/hello", "main", files)
    await world.github.push("octo/hello", "many", head)
    await world.github.open_pull("octo/hello", "many", "main", "Many", "", "alice")
    assert (await world.get(f"{REPO}/pulls/3")).json()["changed_files"] == 5
    assert len((await world.get(f"{REPO}/pulls/3/files?per_page=100")).json()) == 3


async def test_a_comment_on_a_changed_or_a_context_line(world: World) -> None:
    for path, line, side in (
        ("README.md", 4, "RIGHT"),
        ("README.md", 4, "LEFT"),
        ("README.md", 1, "RIGHT"),
        ("src/new.py", 1, "RIGHT"),
    ):
        body = {"body": "see", "commit_id": world.head, "path": path, "line": line, "side": side}
        answer = await world.post(f"{REPO}/pulls/2/comments", body)
        assert answer.status_code == 201, (path, line, side)
        assert (answer.json()["line"], answer.json()["side"]) == (line, side)
    assert len((await world.get(f"{REPO}/pulls/2/reviews")).json()) == 4
    assert len((await world.get(f"{REPO}/pulls/comments")).json()) == 4


@pytest.mark.parametrize(
    ("path", "line", "side"),
    [("README.md", 6, "RIGHT"), ("README.md", 0, "RIGHT"), ("src/new.py", 1, "LEFT"), ("src/a b#c.py", 1, "RIGHT")],
    ids=["below the hunk", "line zero", "old side of a new file", "untouched file"],
)
async def test_a_line_outside_the_diff_is_refused(world: World, path: str, line: int, side: str) -> None:
    body = {"body": "see", "commit_id": world.head, "path": path, "line": line, "side": side}
    answer = await world.post(f"{REPO}/pulls/2/comments", body)
    assert (answer.status_code, answer.json()["message"]) == (422, "Validation Failed")
    assert (await world.get(f"{REPO}/pulls/2/comments")).json() == []


async def test_a_range_must_lie_in_one_hunk(world: World) -> None:
    lines = [f"line {number}" for number in range(100)]
    base = await world.github.push_files("octo/hello", "main", {"long": "\n".join(lines)})
    lines[10] = lines[80] = "changed"
    head = await world.github.commit("octo/hello", "main", {"long": "\n".join(lines)}, parents=[base])
    await world.github.push("octo/hello", "two", head)
    await world.github.open_pull("octo/hello", "two", "main", "Two hunks", "", "alice")
    for first, last, status in ((9, 12, 201), (11, 81, 422), (11, 11, 422)):
        body = {
            "body": "x",
            "commit_id": head,
            "path": "long",
            "start_line": first,
            "start_side": "RIGHT",
            "line": last,
        }
        assert (await world.post(f"{REPO}/pulls/3/comments", body)).status_code == status, (first, last)


async def test_one_bad_line_refuses_the_whole_review(world: World) -> None:
    good = {"path": "README.md", "line": 4, "body": "good"}
    for bad, words in (({"line": 40}, "Line could not be resolved"), ({"path": "none"}, "Path could not be resolved")):
        answer = await world.post(
            f"{REPO}/pulls/2/reviews", {"event": "COMMENT", "body": "b", "comments": [good, good | bad]}
        )
        assert (answer.status_code, answer.json()["errors"]) == (422, [words])
    assert (await world.get(f"{REPO}/pulls/2/comments")).json() == []
    answer = await world.post(f"{REPO}/pulls/2/reviews", {"event": "COMMENT", "body": "b", "comments": [good]})
    assert (answer.status_code, answer.json()["state"]) == (200, "COMMENTED")
    review = answer.json()["id"]
    listed = (await world.get(f"{REPO}/pulls/2/reviews/{review}/comments")).json()
    assert [one["body"] for one in listed] == ["good"]
    assert (await world.get(f"{REPO}/pulls/2/reviews/{review}")).json()["body"] == "b"


async def test_a_review_without_words_or_with_an_unknown_event_is_refused(world: World) -> None:
    for body in (
        {"event": "COMMENT"},
        {"event": "PRAISE", "body": "b"},
        {"body": "b"},
        {"event": "COMMENT", "body": "x" * 65_537},
    ):
        assert (await world.post(f"{REPO}/pulls/2/reviews", body)).status_code == 422


async def test_replies_go_to_the_top_of_a_thread_only(world: World) -> None:
    top = await world.github.review_comment("octo/hello", 2, "bob", "why?", "README.md", 4)
    answer = await world.post(f"{REPO}/pulls/2/comments/{top.id}/replies", {"body": "because"})
    assert (answer.status_code, answer.json()["in_reply_to_id"], answer.json()["path"]) == (201, top.id, "README.md")
    refused = await world.post(f"{REPO}/pulls/2/comments/{answer.json()['id']}/replies", {"body": "and?"})
    assert refused.status_code == 422
    theirs = await world.github.reply("octo/hello", 2, answer.json()["id"], "bob", "ah")
    assert theirs.in_reply_to == top.id
    by_field = await world.post(f"{REPO}/pulls/2/comments", {"body": "also", "in_reply_to": top.id})
    assert by_field.json()["in_reply_to_id"] == top.id
    assert (await world.post(f"{REPO}/pulls/2/comments/1/replies", {"body": "x"})).status_code == 404


async def test_a_comment_becomes_outdated_when_the_head_moves(world: World) -> None:
    top = await world.github.review_comment("octo/hello", 2, "bob", "why?", "README.md", 4)
    await world.github.push_files("octo/hello", "feature", {"src/new.py": "x = 2\n"}, by="alice")
    comment = (await world.get(f"{REPO}/pulls/comments/{top.id}")).json()
    assert (comment["line"], comment["original_line"]) == (None, 4)
    assert comment["original_commit_id"] == world.head


async def test_a_fork_is_read_through_the_base_and_may_be_deleted(world: World) -> None:
    github = world.github
    await github.fork("octo/hello", "carol")
    head = await github.push_files("carol/hello", "fix", {"fix.py": "y = 1\n"}, by="carol")
    await github.open_pull("octo/hello", ("carol/hello", "fix"), "main", "Fix", None, "carol")
    pull = (await world.get(f"{REPO}/pulls/3")).json()
    assert (pull["head"]["label"], pull["head"]["repo"]["full_name"]) == ("carol:fix", "carol/hello")
    assert (await world.get(f"{REPO}/git/ref/pull/3/head")).json()["object"]["sha"] == head
    assert (await world.get("/repos/carol/hello")).status_code == 404
    await github.delete_fork("carol/hello")
    pull = (await world.get(f"{REPO}/pulls/3")).json()
    assert (pull["head"]["repo"], pull["head"]["sha"]) == (None, head)
    assert len((await world.get(f"{REPO}/pulls/3/files")).json()) == 1


async def test_a_merge_moves_the_base_and_closes(world: World) -> None:
    merged = await world.github.merge("octo/hello", 2, by="octo")
    pull = (await world.get(f"{REPO}/pulls/2")).json()
    assert (pull["state"], pull["merged"], pull["merge_commit_sha"]) == ("closed", True, merged)
    assert (await world.get(f"{REPO}/branches/main")).json()["commit"]["sha"] == merged
    assert (
        "2nd"
        in (
            await world.call("GET", f"{REPO}/contents/README.md", headers={"Accept": "application/vnd.github.raw"})
        ).text
    )


async def test_the_diff_as_text_and_its_limit(world: World) -> None:
    accept = {"Accept": "application/vnd.github.diff"}
    assert "+2nd" in (await world.call("GET", f"{REPO}/pulls/2", headers=accept)).text
    text = "".join(f"{number}\n" for number in range(20_001))
    head = await world.github.commit("octo/hello", "main", {"big": text})
    await world.github.push("octo/hello", "big", head)
    await world.github.open_pull("octo/hello", "big", "main", "Big", "", "alice")
    answer = await world.call("GET", f"{REPO}/pulls/3", headers=accept)
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (406, "too_large")


async def test_pulls_are_listed_by_state_base_and_head(world: World) -> None:
    for query, numbers in (
        ("", [2]),
        ("?state=closed", []),
        ("?base=main", [2]),
        ("?base=other", []),
        ("?head=octo:feature", [2]),
    ):
        listed = (await world.get(f"{REPO}/pulls{query}")).json()
        assert [one["number"] for one in listed] == numbers, query


async def test_people_cannot_comment_outside_the_diff_either(world: World) -> None:
    with pytest.raises(Exception, match="Unprocessable"):
        await world.github.review("octo/hello", 2, "bob", "x", [LineComment("README.md", 99, "x")])
    assert README.count("\n") == 5


# --- check runs ---


def _annotation(line: int) -> dict[str, object]:
    return {"path": "README.md", "start_line": line, "end_line": line, "annotation_level": "notice", "message": "m"}


async def test_check_runs_are_made_and_completed(world: World) -> None:
    body = {"name": "coderag", "head_sha": world.head, "status": "in_progress"}
    run = (await world.post(f"{REPO}/check-runs", body)).json()
    assert (run["status"], run["conclusion"]) == ("in_progress", None)
    done = await world.call(
        "PATCH",
        f"{REPO}/check-runs/{run['id']}",
        body={"conclusion": "neutral", "output": {"title": "t", "summary": "s"}},
    )
    assert (done.json()["status"], done.json()["conclusion"]) == ("completed", "neutral")
    listed = (await world.get(f"{REPO}/commits/{world.head}/check-runs")).json()
    assert (listed["total_count"], listed["check_runs"][0]["id"]) == (1, run["id"])
    again = (await world.post(f"{REPO}/check-runs", body)).json()
    listed = (await world.get(f"{REPO}/commits/feature/check-runs?check_name=coderag")).json()
    assert [one["id"] for one in listed["check_runs"]] == [again["id"]]
    assert (await world.get(f"{REPO}/commits/feature/check-runs?filter=all")).json()["total_count"] == 2


async def test_fifty_annotations_a_request_appended_by_patch(world: World) -> None:
    fifty = [_annotation(line) for line in range(1, 51)]
    body: dict[str, object] = {"name": "n", "head_sha": world.head, "conclusion": "neutral"}
    output = {"title": "t", "summary": "s", "annotations": fifty}
    run = (await world.post(f"{REPO}/check-runs", body | {"output": output})).json()
    for _ in range(2):
        run = (await world.call("PATCH", f"{REPO}/check-runs/{run['id']}", body={"output": output})).json()
    assert run["output"]["annotations_count"] == 150
    refused = await world.post(
        f"{REPO}/check-runs", body | {"output": output | {"annotations": [*fifty, _annotation(51)]}}
    )
    assert refused.status_code == 422


@pytest.mark.parametrize(
    "change",
    [
        {"head_sha": "0" * 40},
        {"head_sha": "feature"},
        {"conclusion": "fine"},
        {"status": "completed", "conclusion": None},
        {"output": {"title": "t", "summary": "x" * 65_536}},
        {"output": {"title": "t", "summary": "s", "text": "x" * 65_536}},
        {"output": {"title": "t"}},
        {"output": {"title": "t", "summary": "s", "annotations": [_annotation(1) | {"annotation_level": "fatal"}]}},
        {"output": {"title": "t", "summary": "s", "annotations": [_annotation(1) | {"message": "x" * 65_537}]}},
    ],
)
async def test_a_check_run_github_refuses(world: World, change: dict[str, object]) -> None:
    body = {"name": "n", "head_sha": world.head, "conclusion": "neutral"} | change
    assert (await world.post(f"{REPO}/check-runs", body)).status_code == 422
    assert (await world.get(f"{REPO}/commits/{world.head}/check-runs")).json()["total_count"] == 0


async def test_the_longest_summary_is_taken(world: World) -> None:
    body = {
        "name": "n",
        "head_sha": world.head,
        "conclusion": "neutral",
        "output": {"title": "t", "summary": "x" * 65_535},
    }
    assert (await world.post(f"{REPO}/check-runs", body)).status_code == 201
