"""Tells which processes run, for tests that nothing is left behind."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Process:
    """A process that is not a zombie: dead ones that their parent has not reaped do not count."""

    pid: int
    parent: int


def running(which: Callable[[Process], bool]) -> list[Process]:
    """The processes that run now, by /proc where there is one (a slim image has no `ps`), else by `ps`."""
    listed = _of_proc() if Path("/proc/self/stat").exists() else _of_ps()
    return [process for process in listed if which(process)]


def _of_proc() -> Iterator[Process]:
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
            if state not in "ZX":
                yield Process(int(stat.parent.name), int(parent))


def _of_ps() -> Iterator[Process]:
    lines = subprocess.run(["ps", "-axo", "pid=,ppid=,stat="], capture_output=True, text=True).stdout.splitlines()
    for pid, parent, state in (line.split() for line in lines):
        if not state.startswith("Z"):
            yield Process(int(pid), int(parent))
