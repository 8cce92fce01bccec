"""Mirrors against real repositories: what is fetched, what is read, what is refused, what a kill leaves."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from app.clients.git import GitError, Mirror, Mirrors, Remote, local_mirror, show_path
from app.clients.git import run as git_run
from app.clients.git.lock import exclusive
from app.clients.git.remote import meaning
from app.core.changes import Change
from app.core.errors import Gone, Transient, UserError
from app.core.types import TreeEntry
from tests.processes import running
from tests.repositories import ENVIRONMENT, EXECUTABLE, LINK, SUBMODULE, File, GitRepository, git

MAIN = "refs/heads/main"
ODD = "src/app/(main)/[id]/a b#c%20.tsx"
NOT_UTF8 = os.fsdecode(b"caf\xe9.py")


@pytest.fixture
def origin(tmp_path: Path) -> GitRepository:
    return GitRepository.create(tmp_path / "origin.git")


@pytest.fixture
def mirror(tmp_path: Path, origin: GitRepository) -> Mirror:
    return Mirrors(tmp_path / "mirrors").mirror(7, Remote(origin.url))


async def contents(mirror: Mirror, ids: list[str], limit: int = 1 << 20) -> dict[str, bytes | None]:
    async with contextlib.aclosing(mirror.blobs(ids, limit)) as blobs:
        return {blob: data async for blob, data in blobs}


def packs(mirror: Mirror) -> int:
    return len(list(mirror.path.glob("objects/pack/*.pack")))


async def test_a_fetch_brings_commits_and_trees_but_no_blob(origin: GitRepository, mirror: Mirror) -> None:
    sha = origin.commit({"a.py": "x = 1\n", "d/b.py": "y = 2\n"})
    await mirror.fetch([MAIN])
    assert await mirror.resolve(MAIN) == await mirror.resolve("main") == sha
    assert [(entry.path, entry.size) for entry in await mirror.tree(sha)] == [("a.py", -1), ("d/b.py", -1)]
    assert "remote" not in (mirror.path / "config").read_text()


async def test_missing_blobs_come_in_one_batch_and_are_read_in_order(origin: GitRepository, mirror: Mirror) -> None:
    sha = origin.commit({f"f{number:03}.py": f"value = {number}\n" for number in range(100)})
    await mirror.fetch([MAIN])
    ids = [entry.blob for entry in await mirror.tree(sha)]
    before = packs(mirror)
    read = await contents(mirror, [*ids, *ids])
    assert packs(mirror) == before + 1
    assert list(read.values()) == [f"value = {number}\n".encode() for number in range(100)]
    assert list((await mirror.sizes(ids)).values()) == [len(data or b"") for data in read.values()]
    assert packs(mirror) == before + 1


async def test_empty_binary_and_newline_contents_survive_the_stream(origin: GitRepository, mirror: Mirror) -> None:
    files = {"empty": b"", "nul": b"\0\n\0", "bare": b"no newline", "big": b"ab\n" * 300_000}
    sha = origin.commit(files)
    await mirror.fetch([MAIN])
    by_path = {entry.path: entry.blob for entry in await mirror.tree(sha)}
    read = await contents(mirror, list(by_path.values()))
    assert {path: read[blob] for path, blob in by_path.items()} == files


async def test_a_file_over_the_limit_gives_its_size_but_no_content(origin: GitRepository, mirror: Mirror) -> None:
    sha = origin.commit({"large.txt": "x" * 1001, "small.txt": "x" * 1000})
    await mirror.fetch([MAIN])
    large, small = [entry.blob for entry in await mirror.tree(sha)]
    assert await contents(mirror, [large, small], limit=1000) == {large: None, small: b"x" * 1000}
    assert (await mirror.sizes([large]))[large] == 1001


async def test_stopping_early_leaves_no_process(origin: GitRepository, mirror: Mirror) -> None:
    sha = origin.commit({f"f{number}": "line\n" * 50_000 + str(number) for number in range(20)})
    await mirror.fetch([MAIN])
    ids = [entry.blob for entry in await mirror.tree(sha)]
    async with contextlib.aclosing(mirror.blobs(ids)) as blobs:
        async for _ in blobs:
            break
    assert running(lambda process: process.parent == os.getpid()) == []


async def test_tree_and_diff_tell_modes_and_odd_paths(origin: GitRepository, mirror: Mirror) -> None:
    old = origin.commit(
        {"a.py": "1\n", "gone.py": "2\n", "type": "3\n", NOT_UTF8: "4\n", ODD: "5\n", 'q"\t\n.py': "6\n"}
    )
    new = origin.commit(
        {
            "a.py": File(b"1\n", EXECUTABLE),
            "gone.py": None,
            "type": File(b"a.py", LINK),
            "sub": File(old.encode(), SUBMODULE),
        }
    )
    await mirror.fetch([MAIN])
    entries = {entry.path: entry for entry in await mirror.tree(new)}
    assert entries.keys() == {"a.py", "type", "sub", NOT_UTF8, ODD, 'q"\t\n.py'}
    assert entries["sub"] == TreeEntry("sub", SUBMODULE, old)
    assert entries["type"].mode == LINK
    assert show_path(NOT_UTF8) == "caf\\xe9.py"
    changes = {change.path: change for change in await mirror.diff(old, new)}
    assert {path: change.status for path, change in changes.items()} == {
        "a.py": "M",
        "gone.py": "D",
        "type": "T",
        "sub": "A",
    }
    assert changes["a.py"].old_blob == changes["a.py"].new_blob
    gone = changes["gone.py"]
    assert gone == Change("gone.py", "100644", "", gone.old_blob, "", "D")


async def test_one_file_is_read_by_literal_path(origin: GitRepository, mirror: Mirror) -> None:
    sha = origin.commit({ODD: "odd\n", "*.py": "star\n", "a.py": "a\n", "link": File(b"a.py", LINK), NOT_UTF8: "e\n"})
    await mirror.fetch([MAIN])
    assert await mirror.read(sha, ODD) == b"odd\n"
    assert await mirror.read(sha, "*.py") == b"star\n"
    assert await mirror.read(sha, NOT_UTF8) == b"e\n"
    for path in ("link", "src", "src/", "nope", "", "-a.py", "a.py\0", "../a.py", ":(glob)*"):
        assert await mirror.read(sha, path) is None


async def test_merge_base_history_and_contains(origin: GitRepository, mirror: Mirror) -> None:
    base = origin.commit({"a.py": "1\n"}, message="first")
    main = origin.commit({"b.py": "2\n", NOT_UTF8: "x\n"}, message="second")
    pull = origin.commit({"c.py": "3\n"}, "refs/pull/4/head", parent=base)
    alone = origin.commit({"z.py": "9\n"}, "refs/heads/alone")
    await mirror.fetch([MAIN, "refs/pull/4/head", "refs/heads/alone"])
    assert await mirror.merge_base(main, pull) == base
    assert await mirror.merge_base(main, alone) is None
    assert await mirror.contains(pull)
    assert not await mirror.contains("0" * 39 + "1")
    log = await mirror.history(main, 10)
    assert [(revision.sha, revision.subject) for revision in log] == [(main, "second"), (base, "first")]
    assert set(log[0].paths) == {"b.py", NOT_UTF8}
    assert [revision.sha for revision in await mirror.history(main, 1)] == [main]
    assert log[0].parents == (base,)
    assert log[1].parents == ()
    assert log[0].author == "A U Thor <author@example.com>"
    assert set(await mirror.times([main, base, "0" * 39 + "1"])) == {main, base}
    assert (await mirror.times([main]))[main] == 1767323045
    assert await mirror.times([]) == {}


async def test_a_lenient_mirror_passes_over_a_blob_that_is_not_there(origin: GitRepository, mirror: Mirror) -> None:
    sha = origin.commit({"a.py": "1\n"})
    await mirror.fetch([MAIN])  # without blobs
    assert await Mirror(mirror.path, lenient=True).read(sha, "a.py") is None
    with pytest.raises(UserError, match="partial clone"):
        await Mirror(mirror.path).read(sha, "a.py")


async def test_a_message_of_any_form_stays_with_its_commit(origin: GitRepository, mirror: Mirror) -> None:
    odd = f"first line\n\n\x01 and {'a' * 40}\n\x01{'b' * 40}\n\na.py\n"
    one = origin.commit({"a.py": "1\n"}, message=odd)
    two = origin.commit({"b.py": "2\n"}, message="x")
    await mirror.fetch([MAIN])
    log = await mirror.history(two, 10)
    assert [(each.sha, each.message, each.paths) for each in log] == [
        (two, "x", ("b.py",)),
        (one, odd.strip(), ("a.py",)),
    ]
    assert log[1].subject == "first line"


async def test_commits_with_their_whole_messages_and_changes(origin: GitRepository, mirror: Mirror) -> None:
    base = origin.commit({"a.py": "1\n"}, message="first\n\nIts body, \x01 and all.")
    main = origin.commit({"a.py": "2\n", NOT_UTF8: "x\n"}, message="second")
    empty = origin.commit({}, message="nothing changed")
    await mirror.fetch([MAIN])
    newest, second, first = await mirror.changes(empty, 10)
    assert (newest.sha, newest.message.strip(), newest.changes) == (empty, "nothing changed", ())
    assert [(each.path, each.status) for each in second.changes] == [("a.py", "M"), (NOT_UTF8, "A")]
    assert (second.sha, first.sha) == (main, base)
    assert second.changes[0].old_blob == first.changes[0].new_blob
    assert first.message.startswith("first\n\nIts body,")
    assert [each.sha for each in await mirror.changes(empty, 1)] == [empty]


async def test_force_push_and_a_branch_that_became_a_folder(origin: GitRepository, mirror: Mirror) -> None:
    origin.commit({"a.py": "1\n"}, "refs/heads/topic")
    await mirror.fetch(["refs/heads/topic"])
    git(origin.path, "update-ref", "-d", "refs/heads/topic")
    below = origin.commit({"b.py": "2\n"}, "refs/heads/topic/two")
    await mirror.fetch(["refs/heads/topic/two"])
    assert await mirror.resolve("refs/heads/topic/two") == below
    git(origin.path, "update-ref", "-d", "refs/heads/topic/two")
    above = origin.commit({"c.py": "3\n"}, "refs/heads/topic")
    await mirror.fetch(["refs/heads/topic"])
    assert await mirror.resolve("refs/heads/topic") == above


async def test_a_commit_can_be_fetched_by_id(origin: GitRepository, mirror: Mirror) -> None:
    first = origin.commit({"a.py": "1\n"})
    origin.commit({"b.py": "1\n"})
    await mirror.fetch([first])
    assert await mirror.contains(first)


async def test_a_ref_or_repository_that_is_not_there_is_gone(
    tmp_path: Path, origin: GitRepository, mirror: Mirror
) -> None:
    origin.commit({"a.py": "1\n"})
    for ref in ("refs/heads/nope", "--upload-pack=touch /tmp/x", "main", "refs/heads/a..b", "refs/heads/*", "f" * 40):
        with pytest.raises(Gone):
            await mirror.fetch([ref])
    with pytest.raises(Gone):
        await Mirrors(tmp_path / "m").mirror(8, Remote(f"file://{tmp_path}/absent.git")).fetch([MAIN])
    for revision in ("--all", "", "nope", "a\nb", "HEAD^{tree"):
        with pytest.raises(Gone):
            await mirror.resolve(revision)
    for call in (mirror.tree, mirror.contains):
        with pytest.raises(Gone):
            await call("--help")
    with pytest.raises(Gone):
        await mirror.tree("e" * 40)


async def test_a_mirror_that_was_never_fetched_is_gone_and_not_a_crash(mirror: Mirror) -> None:
    with pytest.raises(Gone):
        await mirror.resolve("HEAD")


@pytest.mark.parametrize("url", ["ssh://git@host/a", "git://host/a", "ext::sh -c id", "/a/path", "-x", "host:a/b"])
def test_other_transports_are_refused(url: str) -> None:
    with pytest.raises(UserError):
        Remote(url)


async def test_leftovers_of_a_killed_fetch_do_not_block_the_next(origin: GitRepository, mirror: Mirror) -> None:
    origin.commit({"a.py": "1\n"})
    await mirror.fetch([MAIN])
    (mirror.path / "refs/heads/main.lock").touch()
    (mirror.path / "config.lock").touch()
    (mirror.path / "packed-refs.lock").touch()
    (mirror.path / "objects/pack/tmp_pack_ab").write_bytes(b"half")
    mirror.path.with_name("7.git.new").mkdir()
    sha = origin.commit({"a.py": "2\n"})
    await mirror.fetch([MAIN])
    assert await mirror.resolve(MAIN) == sha
    assert not list(mirror.path.glob("objects/pack/tmp_*"))


async def test_a_half_made_or_corrupt_mirror_is_made_again(origin: GitRepository, mirror: Mirror) -> None:
    sha = origin.commit({"a.py": "1\n"})
    (mirror.path / "objects").mkdir(parents=True)
    await mirror.fetch([MAIN])
    assert await mirror.contains(sha)
    for pack in mirror.path.glob("objects/pack/*"):
        pack.chmod(0o600)
        pack.write_bytes(b"\0" * 64)
    second = origin.commit({"a.py": "2\n"})
    await mirror.fetch([MAIN])
    assert await mirror.contains(second)
    assert await mirror.read(second, "a.py") == b"2\n"


async def test_many_packs_are_packed_and_all_stays_readable(origin: GitRepository, mirror: Mirror) -> None:
    shas = []
    for number in range(28):
        shas.append(origin.commit({"a.py": f"{number}\n"}))
        await mirror.fetch([MAIN])
        assert await mirror.read(shas[-1], "a.py") == f"{number}\n".encode()
    assert packs(mirror) < 28
    assert await mirror.read(shas[0], "a.py") == b"0\n"


async def test_two_writers_take_turns(tmp_path: Path, origin: GitRepository, mirror: Mirror) -> None:
    shas = [origin.commit({"a.py": f"{number}\n"}, f"refs/heads/b{number}") for number in range(8)]
    await asyncio.gather(*(mirror.fetch([f"refs/heads/b{number}"]) for number in range(8)))
    assert [await mirror.resolve(f"refs/heads/b{number}") for number in range(8)] == shas
    async with exclusive(tmp_path / "l"):
        with pytest.raises(Transient):
            async with exclusive(tmp_path / "l", seconds=0.05):
                pass
    async with exclusive(tmp_path / "l"):
        pass


async def test_an_orphaned_git_keeps_the_lock_until_it_ends(tmp_path: Path) -> None:
    async with exclusive(tmp_path / "l") as descriptor:
        orphan = await asyncio.create_subprocess_exec("sleep", "60", pass_fds=(descriptor,))
    try:
        with pytest.raises(Transient):
            async with exclusive(tmp_path / "l", seconds=0.05):
                pass
    finally:
        orphan.kill()
        await orphan.wait()
    async with exclusive(tmp_path / "l", seconds=0.5):
        pass


async def test_forget_removes_the_mirror_and_a_second_call_does_nothing(tmp_path: Path, origin: GitRepository) -> None:
    mirrors = Mirrors(tmp_path / "mirrors")
    await mirrors.forget(3)
    origin.commit({"a.py": "1\n"})
    for repo in (3, 12):
        await mirrors.mirror(repo, Remote(origin.url)).fetch([MAIN])
    assert mirrors.repositories() == [3, 12]
    await mirrors.forget(3)
    await mirrors.forget(3)
    assert mirrors.repositories() == [12]
    assert sorted(path.name for path in (tmp_path / "mirrors").iterdir()) == ["12.git", "12.git.lock"]


async def test_a_command_is_killed_on_cancel_and_on_timeout(tmp_path: Path) -> None:
    started = tmp_path / "started"
    slow = git_run.Command(["-c", f"alias.slow=!echo $$ > {started}; sleep 60", "slow"], seconds=0.3)
    with pytest.raises(Transient):
        await git_run.run(slow)
    await gone(int(started.read_text()))
    started.unlink()
    task = asyncio.create_task(git_run.run(replace(slow, seconds=60)))
    while not started.exists() or not started.read_text():
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await gone(int(started.read_text()))


async def gone(pid: int) -> None:
    """Wait until a killed process is no more: on a busy machine it takes a moment to die."""
    async with asyncio.timeout(20):
        while running(lambda process: process.pid == pid):
            await asyncio.sleep(0.01)


@pytest.mark.parametrize(
    "message", ["\x01" + "a" * 40, "fix\n\x01" + "b" * 40, "\x01" + "c" * 64 + "\n", ":100644 x", "", ">"]
)
async def test_no_message_can_pass_for_a_commit_of_the_log(origin: GitRepository, mirror: Mirror, message: str) -> None:
    first = origin.commit({"a.py": "1\n"}, message="first")
    second = origin.commit({"a.py": "2\n"}, message=message)
    await mirror.fetch(["refs/heads/main"])
    history = await mirror.history(second, 10)
    assert [(each.sha, each.paths, each.message) for each in history] == [
        (second, ("a.py",), message.strip()),
        (first, ("a.py",), "first"),
    ]
    changes = await mirror.changes(second, 10)
    assert [(each.sha, each.message.strip(), [change.path for change in each.changes]) for each in changes] == [
        (second, message.strip(), ["a.py"]),
        (first, "first", ["a.py"]),
    ]


# --- a user's repositories ------------------------------------------------------------------------------------------


def snapshot(directory: Path) -> dict[str, tuple[int, int]]:
    return {str(path): (path.stat().st_mtime_ns, path.stat().st_size) for path in directory.rglob("*")}


async def test_a_users_clone_worktree_submodule_and_bare_repository_are_read_and_never_written(
    tmp_path: Path, origin: GitRepository
) -> None:
    sha = origin.commit({"pkg/a.py": "1\n"})
    git(tmp_path, "clone", "--quiet", origin.url, "clone")
    git(tmp_path / "clone", "worktree", "add", "--quiet", "-b", "other", str(tmp_path / "linked"))
    git(tmp_path, "init", "--quiet", "--initial-branch=main", "outer")
    git(tmp_path / "outer", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", origin.url, "inner")
    before = snapshot(tmp_path)
    for path in ("clone", "clone/pkg", "clone/.git", "linked", "linked/pkg", "outer/inner", "origin.git"):
        mirror = local_mirror(tmp_path / path)
        assert await mirror.resolve("HEAD") == sha
        assert await mirror.read(sha, "pkg/a.py") == b"1\n"
        await mirror.fetch([MAIN])
        assert [entry.size for entry in await mirror.tree(sha)] == [2]
    assert snapshot(tmp_path) == before


async def test_a_users_partial_clone_says_what_to_do(tmp_path: Path, origin: GitRepository) -> None:
    sha = origin.commit({"a.py": "1\n"})
    git(tmp_path, "clone", "--quiet", "--no-checkout", "--filter=blob:none", origin.url, "partial")
    with pytest.raises(UserError, match="partial clone"):
        await local_mirror(tmp_path / "partial").read(sha, "a.py")


def test_a_folder_without_repository_is_a_user_error(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("not a pointer")
    with pytest.raises(UserError):
        local_mirror(tmp_path / "absent")


async def test_settings_of_a_users_repository_run_nothing(tmp_path: Path, origin: GitRepository) -> None:
    sha = origin.commit({"a.py": "1\n", ".gitattributes": "*.py diff=evil filter=evil\n"})
    new = origin.commit({"a.py": "2\n"})
    git(tmp_path, "clone", "--quiet", origin.url, "clone")
    for key in (
        "core.fsmonitor",
        "diff.evil.textconv",
        "diff.external",
        "filter.evil.smudge",
        "core.pager",
        "core.editor",
    ):
        git(tmp_path / "clone", "config", key, f"touch {tmp_path}/ran; cat")
    mirror = local_mirror(tmp_path / "clone")
    assert await mirror.diff(sha, new)
    assert await mirror.history(new, 5)
    assert await mirror.read(new, "a.py") == b"2\n"
    assert not (tmp_path / "ran").exists()


# --- over HTTP ------------------------------------------------------------------------------------------------------


class Gate(BaseHTTPRequestHandler):
    """`git http-backend` behind a status to answer with first; keeps the Authorization headers it saw."""

    root = Path()
    answer = 200
    location = ""
    seen: list[str]
    requests: list[str]

    def _serve(self) -> None:
        cls = type(self)
        cls.seen.append(self.headers.get("Authorization", ""))
        cls.requests.append(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if cls.answer != 200:
            self.send_response(cls.answer)
            if cls.location:
                self.send_header("Location", cls.location)
            self.end_headers()
            return
        path, _, query = self.path.partition("?")
        environment = ENVIRONMENT | {
            "GIT_PROJECT_ROOT": str(cls.root), "GIT_HTTP_EXPORT_ALL": "1", "PATH_INFO": path, "QUERY_STRING": query,
            "REQUEST_METHOD": self.command, "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""), "CONTENT_LENGTH": str(len(body)),
        }  # fmt: skip
        out = subprocess.run(["git", "http-backend"], input=body, capture_output=True, env=environment).stdout
        head, _, content = out.partition(b"\r\n\r\n")
        self.send_response(200)
        for line in head.decode().split("\r\n"):
            name, _, value = line.partition(": ")
            if name != "Status":
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = _serve  # noqa: N815

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[tuple[type[Gate], str]]:
    class Mine(Gate):
        root = tmp_path
        seen: list[str] = []  # noqa: RUF012
        requests: list[str] = []  # noqa: RUF012

    server = ThreadingHTTPServer(("127.0.0.1", 0), Mine)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield Mine, f"http://127.0.0.1:{server.server_address[1]}/origin.git"
    server.shutdown()
    thread.join()
    server.server_close()


async def secret() -> str:
    return "ghs_123_abc.def"


async def test_the_token_travels_in_a_header_and_rests_nowhere(
    tmp_path: Path, origin: GitRepository, gate: tuple[type[Gate], str]
) -> None:
    sha = origin.commit({f"f{number}.py": f"{number}\n" for number in range(300)})
    seen, url = gate
    mirror = Mirrors(tmp_path / "mirrors").mirror(7, Remote(url, secret))
    await mirror.fetch([MAIN])
    so_far = len(seen.requests)
    await mirror.sizes([entry.blob for entry in await mirror.tree(sha)])
    assert len([path for path in seen.requests[so_far:] if path.endswith("/git-upload-pack")]) <= 2
    expected = "Basic " + base64.b64encode(b"x-access-token:ghs_123_abc.def").decode()
    assert set(seen.seen) == {expected}
    for path in (tmp_path / "mirrors").rglob("*"):
        if path.is_file():
            assert b"ghs_123" not in path.read_bytes()
            assert expected.encode() not in path.read_bytes()


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, Transient),
        (403, Gone),
        (404, Gone),
        (410, Gone),
        (451, Gone),
        (429, Transient),
        (500, Transient),
        (503, Transient),
    ],
)
async def test_refusals_over_http(
    tmp_path: Path, origin: GitRepository, gate: tuple[type[Gate], str], status: int, kind: type[Exception]
) -> None:
    gate[0].answer = status
    with pytest.raises(kind) as raised:
        await Mirrors(tmp_path / "mirrors").mirror(7, Remote(gate[1], secret)).fetch([MAIN])
    assert "ghs_123" not in str(raised.value)


async def test_a_redirect_does_not_carry_the_token_away(
    tmp_path: Path, origin: GitRepository, gate: tuple[type[Gate], str]
) -> None:
    gate[0].answer = 301
    gate[0].location = gate[1].replace("127.0.0.1", "localhost") + "/info/refs?service=git-upload-pack"
    with pytest.raises(Transient):
        await Mirrors(tmp_path / "mirrors").mirror(7, Remote(gate[1], secret)).fetch([MAIN])
    assert len(gate[0].requests) == 1


async def test_no_connection_is_transient(tmp_path: Path) -> None:
    with pytest.raises(Transient):
        await Mirrors(tmp_path / "m").mirror(7, Remote("http://127.0.0.1:9/a.git")).fetch([MAIN])


async def test_credentials_in_a_url_do_not_reach_an_error(tmp_path: Path) -> None:
    with pytest.raises(Transient) as raised:
        await Mirrors(tmp_path / "m").mirror(7, Remote("http://user:hunter2@127.0.0.1:9/a.git")).fetch([MAIN])
    assert "hunter2" not in str(raised.value)


def test_what_is_not_understood_is_a_bug_and_says_so() -> None:
    assert isinstance(meaning("fatal: the moon is full"), GitError)
