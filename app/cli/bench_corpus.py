"""The repository that the bench measures: installed Python sources, committed in a fixed order. Measures nothing."""

from __future__ import annotations

import subprocess
import sysconfig
from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from pathlib import Path

BRANCH_REF = "refs/heads/main"


def python_sources(lines: int) -> dict[str, bytes]:
    """Path -> bytes of the standard library, then of installed packages, in order of path, until `lines` lines are reached."""
    found: dict[str, bytes] = {}
    for kind in ("stdlib", "purelib"):
        root = Path(sysconfig.get_path(kind))
        for file in sorted(root.rglob("*.py")):
            path = file.relative_to(root)
            if "__pycache__" in path.parts or (kind == "stdlib" and "site-packages" in path.parts):
                continue
            if lines <= 0:
                return found
            found[f"{kind}/{path.as_posix()}"] = data = file.read_bytes()
            lines -= data.count(b"\n")
    return found


def commit(repository: Path, files: Mapping[str, bytes]) -> None:
    """Commit `files` on top of the branch of a bare repository, which is made where it is missing."""
    parent = (repository / "HEAD").exists()
    if not parent:
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(repository)], check=True)
    command = ["git", "-C", str(repository), "fast-import", "--quiet"]
    subprocess.run(command, input=b"".join(_stream(files, parent=parent)), check=True)


def edited(data: bytes, number: int) -> bytes:
    """The source with a new function in the middle, before a line that starts at the margin. Another `number` gives another text,
    so that no two edits share a vector."""
    lines = data.splitlines(keepends=True)
    middle = len(lines) // 2
    at = next((n for n in range(middle, len(lines)) if lines[n].startswith((b"def ", b"class "))), len(lines))
    return b"".join(
        (*lines[:at], b"\ndef added_by_the_bench(value):\n    return value + %d\n\n\n" % number, *lines[at:])
    )


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that so many per cent of the values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, ceil(len(ordered) * percent / 100) - 1)]


def _stream(files: Mapping[str, bytes], *, parent: bool) -> Iterable[bytes]:
    yield f"commit {BRANCH_REF}\ncommitter Bench <bench@example.com> 1700000000 +0000\ndata 5\nbench\n".encode()
    if parent:
        yield f"from {BRANCH_REF}^0\n".encode()
    for path, data in files.items():
        yield f"M 100644 inline {path}\ndata {len(data)}\n".encode() + data + b"\n"
