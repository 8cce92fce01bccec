"""git over HTTP: real clones and fetches with a token, blobless and batched; what is refused; what breaks off on purpose."""

from __future__ import annotations

import base64
import os
import random
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.sandbox import Sandbox
from app.sandbox.repository_git import File
from tests.sandbox.conftest import World


def git(*arguments: str, token: str = "", cwd: Path | None = None, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """git with a clean environment and a token in a header; blocks, as an App's own git may."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": "/nonexistent",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
    }
    if token:
        secret = base64.b64encode(f"x-access-token:{token}".encode()).decode()
        environment |= {
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "http.extraHeader",
            "GIT_CONFIG_VALUE_0": f"Authorization: Basic {secret}",
        }
    return subprocess.run(["git", *arguments], cwd=cwd, env=environment, input=stdin, capture_output=True, text=True)


def clone(
    world: World, target: Path, *flags: str, repo: str = "octo/hello", token: str | None = None
) -> subprocess.CompletedProcess[str]:
    """A bare clone with the installation's token, or the one given ("" for none)."""
    token = world.github.token(world.installation) if token is None else token
    return git("clone", "--quiet", "--bare", *flags, f"{world.github.html_url}/{repo}.git", str(target), token=token)


async def test_a_blobless_clone_then_all_blobs_in_one_request(world: World, tmp_path: Path) -> None:
    files: dict[str, File] = {f"many/{number}": f"text {number}" for number in range(120)}
    await world.github.push_files("octo/hello", "main", files)
    mirror = tmp_path / "mirror"
    assert clone(world, mirror, "--filter=blob:none").returncode == 0
    listed = git("ls-tree", "-r", "main", cwd=mirror).stdout.splitlines()
    oids = [row.split()[2] for row in listed]
    missing = ("rev-list", "--objects", "--all", "--missing=print")
    absent = {row[1:] for row in git(*missing, cwd=mirror).stdout.splitlines() if row.startswith("?")}
    assert (len(oids), set(oids) <= absent) == (122, True)
    before = len(world.github.git_requests)
    flags = ("--no-tags", "--no-write-fetch-head", "--filter=blob:none", "--stdin")
    fetched = git(
        "fetch", *flags, "origin", token=world.github.token(world.installation), cwd=mirror, stdin="\n".join(oids)
    )
    assert fetched.returncode == 0, fetched.stderr
    commands = [(one.command, one.wants) for one in world.github.git_requests[before:] if one.command == "fetch"]
    assert commands == [("fetch", 122)]
    assert "missing" not in git("cat-file", "--batch-check", cwd=mirror, stdin="\n".join(oids)).stdout
    assert git("cat-file", "blob", oids[0], cwd=mirror).returncode == 0


async def test_the_head_of_a_fork_is_fetched_from_the_base(world: World, tmp_path: Path) -> None:
    await world.github.fork("octo/hello", "carol")
    head = await world.github.push_files("carol/hello", "fix", {"fix.py": "y = 1\n"}, by="carol")
    await world.github.open_pull("octo/hello", ("carol/hello", "fix"), "main", "Fix", None, "carol")
    await world.github.delete_fork("carol/hello")
    mirror = tmp_path / "mirror"
    clone(world, mirror)
    token = world.github.token(world.installation)
    fetched = git("fetch", "origin", "+refs/pull/3/head:refs/pull/3/head", token=token, cwd=mirror)
    assert fetched.returncode == 0, fetched.stderr
    assert git("rev-parse", "refs/pull/3/head", cwd=mirror).stdout.strip() == head


async def test_who_may_clone(world: World, tmp_path: Path) -> None:
    github = world.github
    await github.add_repository("octo/secret", private=True, files={"a": "b"})
    rival = await github.add_installation("rival")
    allowed = {
        "public, nobody": ("octo/hello", "", True),
        "private, its token": ("octo/secret", None, True),
        "private, nobody": ("octo/secret", "", False),
        "private, another's token": ("octo/secret", github.token(rival), False),
        "private, no contents permission": (
            "octo/secret",
            github.token(world.installation, {"metadata": "read"}),
            False,
        ),
        "public, made-up token": ("octo/hello", "ghs_made_up", False),
        "no such repository": ("octo/none", None, False),
    }
    for name, (repo, token, expected) in allowed.items():
        target = tmp_path / name.replace(" ", "-")
        assert (clone(world, target, repo=repo, token=token).returncode == 0) is expected, name


async def test_each_refusal_has_githubs_status(world: World) -> None:
    github = world.github
    await github.add_repository("octo/secret", private=True, files={"a": "b"})
    rival = await github.add_installation("rival")
    expired = github.token(world.installation)
    github.expire_tokens()
    good = github.token(world.installation)
    cases = [
        ("octo/secret", "git-upload-pack", "", 401),
        ("octo/none", "git-upload-pack", "", 401),
        ("octo/secret", "git-upload-pack", github.token(rival), 404),
        ("octo/secret", "git-upload-pack", expired, 401),
        ("octo/secret", "git-upload-pack", good, 200),
        ("octo/secret", "git-receive-pack", good, 403),
    ]
    for repo, service, token, status in cases:
        auth = ("x-access-token", token) if token else None
        answer = await world.client.get(f"{github.html_url}/{repo}.git/info/refs?service={service}", auth=auth)
        assert answer.status_code == status, (repo, service, token)
        assert ("www-authenticate" in answer.headers) is (status == 401)


async def test_pushes_are_refused(world: World, tmp_path: Path) -> None:
    mirror = tmp_path / "mirror"
    clone(world, mirror)
    token = world.github.token(world.installation)
    pushed = git("push", "origin", "feature:other", token=token, cwd=mirror)
    assert (pushed.returncode == 0, "403" in pushed.stderr) == (False, True)


async def test_a_former_name_redirects(world: World, tmp_path: Path) -> None:
    await world.github.rename_repository("octo/hello", "bye")
    assert clone(world, tmp_path / "mirror").returncode == 0
    assert world.github.git_requests[0].status == 301


async def test_a_suspended_installation_cannot_clone(world: World, tmp_path: Path) -> None:
    token = world.github.token(world.installation)
    await world.github.suspend(world.installation)
    assert clone(world, tmp_path / "mirror", token=token).returncode != 0
    assert world.github.git_requests[-1].status == 403


async def _add_noise(github: Sandbox) -> None:
    """A repository whose pack is megabytes and does not compress."""
    noise = random.Random(7)
    files: dict[str, File] = {f"noise/{number}": noise.randbytes(400_000) for number in range(10)}
    await github.push_files("octo/hello", "main", files)


async def test_a_big_pack_streams_whole(world: World, tmp_path: Path) -> None:
    await _add_noise(world.github)
    assert clone(world, tmp_path / "mirror").returncode == 0
    assert world.github.git_requests[-1].sent > 4_000_000
    assert git("fsck", "--full", cwd=tmp_path / "mirror").returncode == 0


async def test_a_pack_is_cut_off_in_the_middle_once(world: World, tmp_path: Path) -> None:
    await _add_noise(world.github)
    world.github.fault("POST", "git-upload-pack", git_command="fetch", reset_after=1_000_000)
    broken = clone(world, tmp_path / "first")
    assert (broken.returncode == 0, world.github.git_requests[-1].sent) == (False, 1_000_000)
    assert clone(world, tmp_path / "second").returncode == 0


@pytest.mark.parametrize("status", [401, 502])
async def test_a_scripted_status_of_git(world: World, tmp_path: Path, status: int) -> None:
    fault = world.github.fault("*", "/octo/hello.git/", status=status)
    assert clone(world, tmp_path / "mirror").returncode != 0
    assert fault.hits == 1


async def test_a_request_longer_than_one_piece(world: World, tmp_path: Path) -> None:
    """20,000 wants are more than a megabyte: git sends them chunked and compressed."""
    mirror = tmp_path / "mirror"
    clone(world, mirror, "--filter=blob:none")
    main = git("rev-parse", "main", cwd=mirror).stdout.strip()
    body = b"0011command=fetch0001" + b"0032want " + main.encode() + b"\n"
    body += (b"0032have " + b"1" * 40 + b"\n") * 60_000 + b"0009done\n0000"

    async def pieces() -> AsyncIterator[bytes]:
        for at in range(0, len(body), 500_000):
            yield body[at : at + 500_000]

    headers = {"Git-Protocol": "version=2", "Content-Type": "application/x-git-upload-pack-request"}
    url = f"{world.github.html_url}/octo/hello.git/git-upload-pack"
    answer = await world.client.post(url, content=pieces(), headers=headers)
    assert answer.status_code == 200
    assert b"packfile" in answer.content[:40]


async def test_the_rest_of_the_repository_is_not_served(world: World) -> None:
    for path in ("HEAD", "config", "objects/info/packs", "info/refs"):
        answer = await world.client.get(f"{world.github.html_url}/octo/hello.git/{path}")
        assert answer.status_code in (403, 404), path


async def test_a_source_repository_is_copied_with_its_refs(github: Sandbox, tmp_path: Path) -> None:
    source = tmp_path / "source"
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    git("init", "--quiet", "--initial-branch=trunk", str(source))
    (source / "file").write_text("x")
    git("add", ".", cwd=source)
    git(*identity, "commit", "--quiet", "-m", "one", cwd=source)
    git("tag", "v1", cwd=source)
    repository = await github.add_repository("octo/copy", source)
    assert repository.default_branch == "trunk"
    sha = git("rev-parse", "HEAD", cwd=source).stdout.strip()
    assert await github.sha("octo/copy", "trunk") == await github.sha("octo/copy", "refs/tags/v1") == sha
    git("checkout", "--quiet", "--detach", cwd=source)
    git("branch", "--quiet", "-D", "trunk", cwd=source)
    detached = await github.add_repository("octo/detached", source)
    assert (detached.default_branch, await github.sha("octo/detached", "main")) == ("main", sha)
