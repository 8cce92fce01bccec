"""Builds real git repositories for tests: a commit is a mapping of path to content. Needs only git."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "A U Thor",
    "GIT_AUTHOR_EMAIL": "author@example.com",
    "GIT_AUTHOR_DATE": "2026-01-02T03:04:05+0000",
    "GIT_COMMITTER_NAME": "A U Thor",
    "GIT_COMMITTER_EMAIL": "author@example.com",
    "GIT_COMMITTER_DATE": "2026-01-02T03:04:05+0000",
}

EXECUTABLE = "100755"
LINK = "120000"
SUBMODULE = "160000"


@dataclass(frozen=True)
class File:
    """Content with a mode other than that of a plain file; of a submodule, the commit id."""

    content: bytes
    mode: str


Content = str | bytes | File


def git(directory: Path, *arguments: str, stdin: bytes = b"") -> str:
    done = subprocess.run(["git", "-C", str(directory), *arguments], input=stdin, capture_output=True, env=ENVIRONMENT)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode("utf-8", "surrogateescape").strip()


@dataclass(frozen=True)
class GitRepository:
    """A bare repository that serves blobless fetches; commits are written through fast-import, so any path can be made."""

    path: Path

    @classmethod
    def create(cls, path: Path) -> GitRepository:
        path.mkdir(parents=True)
        git(path, "init", "--quiet", "--bare", "--initial-branch=main")
        git(path, "config", "uploadpack.allowFilter", "true")
        git(path, "config", "uploadpack.allowAnySHA1InWant", "true")
        return cls(path)

    @property
    def url(self) -> str:
        return f"file://{self.path}"

    def commit(
        self,
        files: Mapping[str, Content | None],
        ref: str = "refs/heads/main",
        parent: str = "",
        message: str = "change",
    ) -> str:
        """Write, replace (or with None delete) files on top of `parent`, by default the ref's commit; returns the id."""
        parent = parent or git(self.path, "for-each-ref", "--format=%(objectname)", ref)
        lines = [f"reset {ref}", *([f"from {parent}"] if parent else []), f"commit {ref}", "mark :1"]
        stream = "\n".join(
            [*lines, "committer A U Thor <author@example.com> 1767323045 +0000", _data(message)]
        ).encode()
        stream += f"from {parent}\n".encode() if parent else b""
        for path, content in files.items():
            stream += _file(path, content)
        git(self.path, "fast-import", "--quiet", "--force", "--date-format=raw", stdin=stream + b"\ndone\n")
        return git(self.path, "rev-parse", ref)

    def tree(self, files: Mapping[str, Content], ref: str = "refs/heads/main") -> str:
        """A commit that holds exactly `files`, on top of the ref's."""
        old = git(self.path, "ls-tree", "-r", "-z", "--name-only", ref).split("\0") if self.exists(ref) else []
        return self.commit({**{path: None for path in old if path and path not in files}, **files}, ref)

    def exists(self, ref: str) -> bool:
        return bool(git(self.path, "for-each-ref", ref))


def _data(text: str) -> str:
    return f"data {len(text.encode())}\n{text}"


def _file(path: str, content: Content | None) -> bytes:
    name = os.fsencode(path)
    quoted = (
        b'"' + b"".join(b"\\%03o" % byte if byte in b'"\\\n' or byte < 32 else bytes([byte]) for byte in name) + b'"'
    )
    if content is None:
        return b"D " + quoted + b"\n"
    if isinstance(content, File):
        mode, data = content.mode, content.content
    else:
        mode, data = "100644", content.encode() if isinstance(content, str) else content
    if mode == SUBMODULE:
        return b"M 160000 " + data + b" " + quoted + b"\n"
    return b"M " + mode.encode() + b" inline " + quoted + b"\n" + b"data %d\n" % len(data) + data + b"\n"
