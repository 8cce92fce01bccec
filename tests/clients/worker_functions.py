"""Functions that worker processes call in tests: well-behaved, slow, stuck, greedy, dying."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

from app.clients.workers import deadline_in
from app.core.chunk import chunk_file
from app.core.source import decode
from app.core.types import Skip, SourceFile

GREETING: list[str] = []


def chunk_bytes(item: tuple[str, bytes]) -> SourceFile:
    path, data = item
    text = decode(data)
    if isinstance(text, Skip):
        return SourceFile(path, "", skip=text)
    return chunk_file(path, text, deadline_in(2.0))


def double(item: int) -> int:
    return 2 * item


def greet(word: str) -> None:
    GREETING.append(word)


def greeted(item: int) -> tuple[str, int]:
    return " ".join(GREETING), item


def behave(item: str) -> object:
    """What the item says: hang, die, abort, greedy, raise, print, or echo."""
    if item == "hang":
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        while True:
            time.sleep(60)
    if item == "die":
        os._exit(3)
    if item == "abort":
        os.abort()
    if item == "greedy":
        return len(bytearray(8 * 1024**3))
    if item == "raise":
        raise ValueError("no such thing")
    if item == "print":
        print("to standard output")
        sys.stdout.flush()
    if item == "environment":
        return dict(os.environ)
    if item == "process":
        return os.getpid()
    if item == "lambda":
        return behave
    if item == "slow":
        time.sleep(0.3)
    return item


def loaded_memory(item: int) -> int:
    """Peak address space of this process in bytes, with all that parsing imports."""
    chunk_file("a.py", "def a(): pass\n" * item)
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return 1024 * int(status.partition("VmPeak:")[2].split()[0])
