"""Runs git on the stand-in's bare repositories: history is made and read by git, never typed in."""

from __future__ import annotations

import asyncio
import os
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

File = bytes | str | tuple[str, bytes] | None
"""A file of a commit: its content, (mode, content or object id of a submodule), or None to delete it."""

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

CONFIGURATION = """[safe]
\tdirectory = *
[init]
\tdefaultBranch = main
[uploadpack]
\tallowFilter = true
\tallowAnySHA1InWant = true
\tallowReachableSHA1InWant = true
[http]
\treceivepack = false
\tgetanyfile = false
[gc]
\tauto = 0
[core]
\tquotePath = false
[protocol "file"]
\tallow = always
"""


class GitError(Exception):
    """git refused; the message is what it said."""


@dataclass(frozen=True)
class Commit:
    """One commit as `git log` tells it; `names` and `emails` are author then committer, dates in ISO 8601."""

    sha: str
    tree: str
    parents: tuple[str, ...]
    author: tuple[str, str, str]
    committer: tuple[str, str, str]
    message: str


def environment(path: Path) -> dict[str, str]:
    """A clean environment for git in a repository or in the folder of all: the machine's own settings must not count."""
    directory = path if (path / "gitconfig").exists() else path.parent
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(directory),
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": str(directory / "gitconfig"),
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
    }


def write_configuration(directory: Path) -> None:
    """The settings all git commands of one sandbox run under, upload-pack included; `directory` holds the repositories."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "gitconfig").write_text(CONFIGURATION, encoding="utf-8")


async def run(
    path: Path, *arguments: str, stdin: bytes = b"", extra: Mapping[str, str] | None = None, check: bool = True
) -> bytes:
    """What `git` printed. GitError with its complaint where it failed and `check` is set, else empty."""
    process = await asyncio.create_subprocess_exec(
        "git",
        *arguments,
        cwd=path,
        env=environment(path) | dict(extra or {}),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output, complaint = await process.communicate(stdin)
    if process.returncode == 0:
        return output
    if check:
        raise GitError(f"git {arguments[0]}: {complaint.decode(errors='replace').strip()}")
    return b""


async def line(path: Path, *arguments: str, check: bool = True) -> str:
    """The one line `git` printed."""
    return (await run(path, *arguments, check=check)).decode(errors="replace").strip()


async def copy(source: Path, target: Path, branch: str | None) -> str:
    """Make `target` a bare copy of a repository's branches and tags; returns its default branch.

    A source on a detached HEAD (a CI checkout) gets the branch `main` there, unless it has one.
    """
    await run(target.parent, "clone", "--quiet", "--bare", "--template=", _absolute(source), str(target))
    head = await line(target, "symbolic-ref", "--quiet", "--short", "HEAD", check=False)
    if branch is None and not head:
        detached = await line(target, "rev-parse", "--verify", "--quiet", "HEAD", check=False)
        branch = "main"
        if detached and not await resolve(target, "refs/heads/main"):
            await run(target, "update-ref", "refs/heads/main", detached)
    chosen = branch or head
    await run(target, "symbolic-ref", "HEAD", f"refs/heads/{chosen}")
    return chosen


def _absolute(path: Path) -> str:
    """git runs in a folder of its own, so a path relative to the caller's would mislead it."""
    return str(path.absolute())


async def create(target: Path, branch: str) -> None:
    """An empty bare repository."""
    await run(target.parent, "init", "--quiet", "--bare", "--template=", str(target))
    await run(target, "symbolic-ref", "HEAD", f"refs/heads/{branch}")


async def resolve(path: Path, name: str) -> str | None:
    """The commit a ref, tag or (abbreviated) SHA names, or None."""
    if name.startswith("-"):
        return None
    return await line(path, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}", check=False) or None


async def contains(path: Path, ancestor: str, descendant: str) -> bool:
    """Whether `ancestor` is in the history of `descendant`."""
    return await line(path, "merge-base", ancestor, descendant, check=False) == ancestor


async def commit(
    path: Path, parents: Sequence[str], files: Mapping[str, File], message: str, author: tuple[str, str, float]
) -> str:
    """Write a commit on `parents` (none: a first commit) that changes `files` of the first parent; moves no ref."""
    name, email, when = author
    ref = f"refs/sandbox/{uuid.uuid4()}"
    signature = f"{name} <{email}> {int(when)} +0000"
    head = f"commit {ref}\nmark :1\nauthor {signature}\ncommitter {signature}\n".encode()
    above = "".join(f"{word} {sha}\n" for word, sha in zip(["from", *["merge"] * len(parents)], parents, strict=False))
    changes = b"".join(_change(file, content) for file, content in files.items())
    tail = f"\nget-mark :1\nreset {ref}\nfrom {'0' * 40}\n\ndone\n".encode()
    stream = head + _data(f"{message}\n".encode()) + above.encode() + changes + tail
    output = await run(path, "fast-import", "--quiet", "--done", "--date-format=raw", stdin=stream)
    return output.decode().strip()


def _data(content: bytes) -> bytes:
    return b"data %d\n" % len(content) + content + b"\n"


def _change(name: str, content: File) -> bytes:
    """One file of a commit, as fast-import reads it."""
    quoted = b'"' + os.fsencode(name).replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n") + b'"'
    if content is None:
        return b"D " + quoted + b"\n"
    mode, data = content if isinstance(content, tuple) else ("100644", content)
    if isinstance(data, str):
        data = data.encode()
    if mode == "160000":
        return b"M 160000 " + data + b" " + quoted + b"\n"
    return f"M {mode} inline ".encode() + quoted + b"\n" + _data(data)


async def merge(path: Path, ours: str, theirs: str, message: str, author: tuple[str, str, float]) -> str:
    """A merge commit of two commits; GitError where they conflict. Moves no ref."""
    tree = (await run(path, "merge-tree", "--write-tree", ours, theirs)).decode().split()[0]
    return await _commit_tree(path, tree, (ours, theirs), message, author)


async def _commit_tree(
    path: Path, tree: str, parents: Sequence[str], message: str, author: tuple[str, str, float]
) -> str:
    name, email, when = author
    identity = {
        f"GIT_{role}_{key}": value
        for role in ("AUTHOR", "COMMITTER")
        for key, value in (("NAME", name), ("EMAIL", email), ("DATE", f"{int(when)} +0000"))
    }
    flags = [flag for parent in parents for flag in ("-p", parent)]
    output = await run(path, "commit-tree", tree, *flags, "-F", "-", stdin=message.encode(), extra=identity)
    return output.decode().strip()


_FIELDS = "%H%x00%T%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cI%x00%B%x00%x00"


async def log(path: Path, *arguments: str) -> list[Commit]:
    """The commits `git log` gives for these arguments, in its order."""
    output = (await run(path, "log", f"--format=tformat:{_FIELDS}", *arguments)).decode(errors="replace")
    commits = []
    for record in output.split("\0\0\n"):
        if not record:
            continue
        sha, tree, parents, an, ae, ad, cn, ce, cd, message = record.split("\0", 9)
        commits.append(Commit(sha, tree, tuple(parents.split()), (an, ae, ad), (cn, ce, cd), message.rstrip("\n")))
    return commits


async def files_of(path: Path, commits: Sequence[Commit]) -> dict[str, list[tuple[str, str]]]:
    """(status letter, path) of the files each commit changed against its first parent; renames as deletion and addition."""
    firsts = {commit.sha: " ".join(commit.parents[:1]) for commit in commits}
    lines = "".join(f"{sha} {parent}".strip() + "\n" for sha, parent in firsts.items())
    arguments = ("diff-tree", "--stdin", "-r", "-z", "--root", "--no-renames", "--name-status")
    output = await run(path, *arguments, stdin=lines.encode())
    fields = iter(output.decode(errors="surrogateescape").split("\0"))
    found: dict[str, list[tuple[str, str]]] = {sha: [] for sha in firsts}
    sha = ""
    for field in fields:
        if len(field) == 40:
            sha = field
        elif field:
            found[sha].append((field[0], next(fields)))
    return found


async def stage(source: Path, target: Path, branch: str, sha: str) -> None:
    """A bare repository with one branch at `sha` that borrows all objects of `source`: later commits of it can be pushed at once."""
    await create(target, branch)
    objects = await line(source, "rev-parse", "--git-path", "objects")
    alternates = target / "objects" / "info" / "alternates"
    alternates.write_text(f"{(source / objects).resolve()}\n")
    await run(target, "update-ref", f"refs/heads/{branch}", sha)
