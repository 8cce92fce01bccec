"""Owns the inside of a worker process: read an item, call the function, write its result. Trusts its parent, imports little.

Frames on both pipes are a length (4 bytes, big endian) and a pickle. The parent's end of the pipe is the child's life line.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import pickle
import resource
import signal
import struct
import sys
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

HEADER = struct.Struct(">I")

ORPHAN_FACTOR = 4
"""A child stuck in one item ends itself after so many deadlines: its parent, which should have killed it, is dead."""

RESERVE_BYTES = 1_000_000
"""Freed when memory runs out, so that there is some left to say so."""


def serve() -> None:
    """Run until the parent closes the pipe. Frames in: first the settings, then items; out: one answer for each frame in."""
    inward = os.fdopen(os.dup(0), "rb")
    outward = os.fdopen(os.dup(1), "wb")
    quiet = os.open(os.devnull, os.O_RDWR)
    os.dup2(quiet, 0)
    os.dup2(2, 1)  # what the function prints must not reach the pipe
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then closes the pipe
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(BrokenPipeError):
        settings = read(inward)
        if settings is None:
            return
        try:
            function = _prepare(settings)
        except Exception as error:
            write(outward, ("error", f"{type(error).__name__}: {error}"))
            return
        write(outward, ("ready", None))
        _answer(inward, outward, function, float(settings["seconds"]) * ORPHAN_FACTOR)


def _prepare(settings: dict[str, Any]) -> Callable[[Any], object]:
    """The limit stands before anything is imported; what imports need is measured in tests/clients/test_workers.py."""
    memory = int(settings["memory_bytes"])
    if memory:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    if settings["initializer"]:
        load(settings["initializer"])(*settings["arguments"])
    return load(settings["function"])


def _answer(inward: IO[bytes], outward: IO[bytes], function: Callable[[Any], object], orphan_after: float) -> None:
    reserve = bytearray(RESERVE_BYTES)
    while (frame := read(inward)) is not None:
        signal.setitimer(signal.ITIMER_REAL, orphan_after)
        try:
            write(outward, ("result", function(frame)))
        except MemoryError:
            del reserve
            write(outward, ("memory", None))
            reserve = bytearray(RESERVE_BYTES)
        except BrokenPipeError:
            raise
        except Exception as error:
            write(outward, ("error", f"{type(error).__name__}: {error}"))
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)


def load(name: str) -> Callable[..., object]:
    """The function that `module:name` means."""
    module, _, attribute = name.partition(":")
    found: Callable[..., object] = getattr(importlib.import_module(module), attribute)
    return found


def read(stream: IO[bytes]) -> Any:
    """The next frame, or None at the end of the pipe."""
    header = stream.read(HEADER.size)
    if len(header) < HEADER.size:
        return None
    (length,) = HEADER.unpack(header)
    body = stream.read(length)
    return pickle.loads(body) if len(body) == length else None  # noqa: S301 - our parent wrote it


def write(stream: IO[bytes], value: object) -> None:
    """One frame. Pickled as a whole first, so that a value that cannot be pickled leaves the pipe in order."""
    body = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(HEADER.pack(len(body)))
    stream.write(body)
    stream.flush()


if __name__ == "__main__":
    serve()
    sys.exit(0)
