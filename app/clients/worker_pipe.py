"""Owns what goes between the pool and its children: frames, the environment they see, and what may come out of them."""

from __future__ import annotations

import contextlib
import importlib
import io
import pickle
from typing import TYPE_CHECKING, Any

from app.clients.worker_child import HEADER

if TYPE_CHECKING:
    import asyncio

PIPE_BYTES = 1024 * 1024
"""Linux pipes hold 64 KiB, two or three files; this holds what is in flight."""

_KEPT_ENVIRONMENT = (
    "PATH",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "TMPDIR",
    "SYSTEMROOT",
    "PYTHONHASHSEED",
    "CODERAG_TABLE",
)
"""All that a child inherits: a list of what is let through, so that no key or token ever is."""

_NUMPY = frozenset({"_reconstruct", "_frombuffer", "scalar", "ndarray", "dtype"})
_OURS = frozenset({"app"})


def clean_environment(environment: dict[str, str]) -> dict[str, str]:
    """What a child may see of an environment. One thread for numerical libraries: each one reserves address space."""
    kept = {name: environment[name] for name in _KEPT_ENVIRONMENT if name in environment}
    return {**kept, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def frame(value: object) -> bytes:
    """A value as it goes through a pipe: see `worker_child`."""
    body = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    return HEADER.pack(len(body)) + body


class _Answers(pickle.Unpickler):
    """Reads what a child wrote. A child has parsed hostile files: only plain classes of ours and arrays may come out of it."""

    def find_class(self, module: str, name: str) -> Any:
        if module.startswith("numpy") and name in _NUMPY:
            return super().find_class(module, name)
        if module.partition(".")[0] in _OURS and "." not in name:
            found = getattr(importlib.import_module(module), name)
            if isinstance(found, type) and found.__module__ == module:
                return found
        raise pickle.UnpicklingError(f"{module}.{name} may not come from a worker")


def answer_of(data: bytes) -> tuple[str, object]:
    """What a child wrote: a word and its value. Raises whatever a broken or forbidden pickle raises."""
    word, value = _Answers(io.BytesIO(data)).load()
    return str(word), value


def widen_pipes(process: asyncio.subprocess.Process) -> None:
    """Larger pipes where the system has them (Linux); everywhere else the pool is only a little slower."""
    import fcntl

    widen = getattr(fcntl, "F_SETPIPE_SZ", None)
    transport = process._transport  # type: ignore[attr-defined]
    if widen is None or transport is None:
        return
    for number in (0, 1):
        pipe = transport.get_pipe_transport(number)
        if pipe is not None:
            with contextlib.suppress(OSError, AttributeError):
                fcntl.fcntl(pipe.get_extra_info("pipe").fileno(), widen, PIPE_BYTES)
