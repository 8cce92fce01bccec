"""Repositories over REST: files, trees, comparisons, permissions, redirects after a rename, conditional requests, limits."""

from __future__ import annotations

import base64
from pathlib import Path
from urllib.parse import quote

import pytest

from app.sandbox import Sandbox
from app.sandbox.repository_git import File
from tests.sandbox.conftest import README, World

REPO = "/repos/octo/hello"


async def test_a_repository_by_name_and_by_id_in_any_case(world: World) -> None:
    by_name = (await world.get("/repos/OCTO/Hello")).json()
    assert by_name == (await world.get(f"/repositories/{world.repository.id}")).json()
    assert by_name["clone_url"] == f"{world.github.html_url}/octo/hello.git"
    assert (by_name["default_branch"], by_name["private"], by_name["archived"]) == ("main", False, False)
    assert (await world.get(f"/repositories/{world.repository.id}/issues/1")).json()["number"] == 1
    listed = (await world.get("/installation/repositories")).json()
    assert (listed["total_count"], listed["repositories"][0]["full_name"]) == (1, "octo/hello")


async def test_a_renamed_repository_redirects_by_id(world: World) -> None:
    comment = await world.github.comment("octo/hello", 1, "bob", "hi")
    await world.github.rename_repository("octo/hello", "bye")
    moved = await world.get(f"{REPO}/issues?state=all")
    assert moved.status_code == 301
    assert moved.headers["location"] == f"{world.github.api_url}/repositories/{world.repository.id}/issues?state=all"
    assert (await world.call("PATCH", f"{REPO}/issues/comments/{comment.id}", body={"body": "x"})).status_code == 307
    world.client.follow_redirects = True
    assert (await world.get(REPO)).json()["full_name"] == "octo/bye"
    edited = await world.call("PATCH", f"{REPO}/issues/comments/{comment.id}", body={"body": "x"})
    assert edited.json()["body"] == "x"
    assert (await world.get("/repos/octo/bye")).json()["id"] == world.repository.id


async def test_a_name_taken_again_no_longer_redirects(world: World) -> None:
    await world.github.rename_repository("octo/hello", "bye")
    fresh = await world.github.add_repository("octo/hello", files={"a": "b"})
    assert (await world.get(REPO)).json()["id"] == fresh.id


async def test_a_transferred_repository_leaves_the_installation(world: World) -> None:
    await world.github.transfer_repository("octo/hello", "rival")
    assert (await world.get(f"/repositories/{world.repository.id}")).status_code == 404
    assert (await world.get("/installation/repositories")).json()["total_count"] == 0


async def test_chosen_repositories_only(world: World) -> None:
    await world.github.add_repository("octo/other", files={"a": "b"})
    await world.github.select_repositories(world.installation, removed=["octo/hello"])
    assert (await world.get(REPO)).status_code == 404
    assert (await world.get("/repos/octo/other")).status_code == 200
    await world.github.select_repositories(world.installation, added=["octo/hello"])
    assert (await world.get(REPO)).status_code == 200
    await world.github.delete_repository("octo/hello")
    assert (await world.get(f"/repositories/{world.repository.id}")).status_code == 404


@pytest.mark.parametrize(
    ("role", "coarse"),
    [
        ("admin", "admin"),
        ("maintain", "write"),
        ("write", "write"),
        ("triage", "read"),
        ("read", "read"),
        ("none", "none"),
    ],
)
async def test_roles_are_told_coarsely_too(world: World, role: str, coarse: str) -> None:
    world.github.set_permission("octo/hello", "bob", role)
    answer = (await world.get(f"{REPO}/collaborators/BOB/permission")).json()
    assert (answer["permission"], answer["role_name"], answer["user"]["login"]) == (coarse, role, "bob")


async def test_everyone_reads_a_public_repository_and_nobody_a_private_one(world: World) -> None:
    world.github.add_user("passer-by")
    assert (await world.get(f"{REPO}/collaborators/passer-by/permission")).json()["permission"] == "read"
    await world.github.set_private("octo/hello", True)
    assert (await world.get(f"{REPO}/collaborators/passer-by/permission")).json()["permission"] == "none"
    assert (await world.get(f"{REPO}/collaborators/octo/permission")).json()["permission"] == "admin"
    assert (await world.get(f"{REPO}/collaborators/no-such-user/permission")).status_code == 404


async def test_contents_of_files_folders_and_awkward_paths(world: World) -> None:
    readme = (await world.get(f"{REPO}/contents/README.md?ref=feature")).json()
    assert base64.b64decode(readme["content"]).decode() == README.replace("second", "2nd")
    awkward = (await world.get(f"{REPO}/contents/{quote('src/a b#c.py')}")).json()
    assert (awkward["path"], awkward["encoding"]) == ("src/a b#c.py", "base64")
    assert awkward["html_url"].endswith("/blob/main/src/a%20b%23c.py")
    folder = (await world.get(f"{REPO}/contents/")).json()
    assert [(one["name"], one["type"]) for one in folder] == [("README.md", "file"), ("src", "dir")]
    assert (await world.get(f"{REPO}/contents/none.py")).status_code == 404
    missing = await world.get(f"{REPO}/contents/README.md?ref=none")
    assert (missing.status_code, missing.json()["message"]) == (404, "No commit found for the ref none")


async def test_a_file_over_a_megabyte_comes_raw_only(world: World) -> None:
    big = b"x" * (1_048_576 + 1)
    await world.github.push_files("octo/hello", "main", {"big": big, "edge": big[:-1]})
    shape = (await world.get(f"{REPO}/contents/big")).json()
    assert (shape["encoding"], shape["content"], shape["size"]) == ("none", "", len(big))
    assert (await world.get(f"{REPO}/contents/edge")).json()["encoding"] == "base64"
    raw = await world.call("GET", f"{REPO}/contents/big", headers={"Accept": "application/vnd.github.raw+json"})
    assert raw.content == big
    assert base64.b64decode((await world.get(f"{REPO}/git/blobs/{shape['sha']}")).json()["content"]) == big


async def test_links_and_submodules_as_the_contents_api_shows_them(world: World) -> None:
    files: dict[str, File] = {
        "link": ("120000", b"README.md"),
        "dangling": ("120000", b"../../etc/passwd"),
        "module": ("160000", b"1" * 40),
        ".gitmodules": '[submodule "m"]\n\tpath = module\n\turl = https://example.com/m.git\n',
    }
    await world.github.push_files("octo/hello", "main", files)
    assert base64.b64decode((await world.get(f"{REPO}/contents/link")).json()["content"]).decode() == README
    dangling = (await world.get(f"{REPO}/contents/dangling")).json()
    assert (dangling["type"], dangling["target"]) == ("symlink", "../../etc/passwd")
    module = (await world.get(f"{REPO}/contents/module")).json()
    assert (module["type"], module["submodule_git_url"]) == ("submodule", "https://example.com/m.git")
    listed = {one["name"]: one["type"] for one in (await world.get(f"{REPO}/contents")).json()}
    assert (listed["link"], listed["module"]) == ("symlink", "file")


async def test_trees_are_cut_at_the_limit(world: World) -> None:
    tree = (await world.get(f"{REPO}/git/trees/main?recursive=1")).json()
    assert [one["path"] for one in tree["tree"]] == ["README.md", "src", "src/a b#c.py"]
    assert tree["truncated"] is False
    world.github.limits.tree_entries = 2
    assert (await world.get(f"{REPO}/git/trees/main?recursive=1")).json()["truncated"] is True
    assert (await world.get(f"{REPO}/git/trees/none")).status_code == 404


async def test_a_comparison_lists_three_hundred_files_on_its_first_page(world: World) -> None:
    for count in (300, 301):
        files: dict[str, File] = {f"many/{number:04}": "x" for number in range(count)}
        head = await world.github.commit("octo/hello", "main", files)
        await world.github.push("octo/hello", "many", head)
        compared = (await world.get(f"{REPO}/compare/main...many")).json()
        assert (len(compared["files"]), compared["ahead_by"], compared["status"]) == (300, 1, "ahead")
    assert (await world.get(f"{REPO}/compare/main...many?page=2")).json()["files"] == []


async def test_comparisons_that_cannot_be_made(world: World) -> None:
    orphan = await world.github.commit("octo/hello", "main", {"a": "b"}, parents=[])
    await world.github.push("octo/hello", "orphan", orphan)
    answer = await world.get(f"{REPO}/compare/main...orphan")
    assert (answer.status_code, "No common ancestor" in answer.json()["message"]) == (404, True)
    assert (await world.get(f"{REPO}/compare/{'0' * 40}...main")).status_code == 404
    assert (await world.get(f"{REPO}/compare/main...main")).json()["status"] == "identical"
    assert (await world.get(f"{REPO}/compare/feature...main")).json()["status"] == "behind"


async def test_commits_by_sha_branch_and_abbreviation(world: World) -> None:
    for name in (world.head, "feature", world.head[:10], "heads/feature"):
        commit = (await world.get(f"{REPO}/commits/{name}")).json()
        assert commit["sha"] == world.head
    assert {one["filename"] for one in commit["files"]} == {"README.md", "src/new.py"}
    assert (await world.get(f"{REPO}/commits/none")).status_code == 422
    assert (await world.get(f"{REPO}/branches/none")).status_code == 404
    assert (await world.get(f"{REPO}/git/ref/heads/mai")).status_code == 404


async def test_an_unchanged_answer_is_304_and_not_counted(world: World) -> None:
    first = await world.get(REPO)
    used = int(first.headers["x-ratelimit-used"])
    again = await world.call("GET", REPO, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert int(again.headers["x-ratelimit-used"]) == used
    await world.github.open_issue("octo/hello", "bob", "new", None)
    changed = await world.call("GET", REPO, headers={"If-None-Match": first.headers["etag"]})
    assert changed.status_code == 200


async def test_the_primary_limit(world: World) -> None:
    world.github.limits.rate = 3
    answers = [await world.get(REPO) for _ in range(4)]
    assert [one.status_code for one in answers] == [200, 200, 200, 403]
    assert answers[3].json()["message"].startswith("API rate limit exceeded")
    assert answers[3].headers["x-ratelimit-remaining"] == "0"
    assert (await world.get("/rate_limit")).json()["rate"]["remaining"] == 0


async def test_the_limit_on_content_creation(world: World) -> None:
    world.github.limits.contents_a_minute = 2
    path = f"{REPO}/issues/1/comments"
    answers = [await world.post(path, {"body": "x"}) for _ in range(3)]
    assert [one.status_code for one in answers] == [201, 201, 403]
    assert "secondary rate limit" in answers[2].json()["message"]
    assert "retry-after" not in answers[2].headers
    assert answers[2].headers["x-ratelimit-remaining"] != "0"


async def test_api_versions(world: World) -> None:
    for version, status in (("2022-11-28", 200), ("2026-03-10", 200), ("2021-01-01", 410), ("2030-01-01", 400)):
        assert (await world.call("GET", REPO, headers={"X-GitHub-Api-Version": version})).status_code == status
    assert (await world.client.get("/versions")).json() == ["2026-03-10", "2022-11-28"]
    assert "hooks" in (await world.client.get("/meta")).json()


async def test_two_sandboxes_live_side_by_side(world: World, tmp_path: Path) -> None:
    async with Sandbox(tmp_path / "second", app_id=7, slug="other") as second:
        installation = await second.add_installation("octo")
        await second.add_repository("octo/hello", files={"only": "here"})
        headers = {"Authorization": f"Bearer {second.token(installation)}"}
        theirs = await world.client.get(f"{second.api_url}{REPO}/contents", headers=headers)
        assert [one["name"] for one in theirs.json()] == ["only"]
        assert (await world.client.get(f"{world.github.api_url}{REPO}", headers=headers)).status_code == 401
    assert (await world.get(f"{REPO}/contents/README.md")).status_code == 200
