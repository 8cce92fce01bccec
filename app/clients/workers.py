"""Owns the pool of killable worker processes in which untrusted files are parsed. Knows nothing of what they compute."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from app.clients.worker_child import HEADER
from app.clients.worker_pipe import PIPE_BYTES, answer_of, clean_environment, frame, widen_pipes

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterable, Callable, Sequence

T = TypeVar("T")

MEMORY_BYTES = 2 * 1024**3
"""Address space of a child. Grammars and numpy take about 0.4 GB of it; the worst file of 1 MB that was found takes 1.3 GB."""

SECONDS = 2.0
"""What one item may take, in the child, while nothing else runs there."""

SLACK_SECONDS = 1.0
"""On top for pickling, pipes and a busy machine: the work itself is expected to stop by its own deadline first."""

START_SECONDS = 60.0
"""For a child to start and import; a loaded machine takes several of them."""

IN_FLIGHT = 8
"""Items handed to one child at a time: it works on while this process is busy elsewhere for some tens of milliseconds."""

_BOOT = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from app.clients.worker_child import serve; serve()"


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an item has no result: "timeout", "parser died", "memory", or "error" with the exception in `detail`."""

    reason: str
    detail: str = ""


@dataclass(slots=True, eq=False)
class _Task(Generic[T]):
    item: T
    done: Callable[[_Task[Any], object], None]
    frame: bytes | None = None
    abandoned: bool = False


@dataclass(slots=True, eq=False)
class _Child:
    process: asyncio.subprocess.Process
    running: deque[_Task[Any]] = field(default_factory=deque)
    since: float = 0.0
    ready: bool = False
    killed_for: str = ""
    reader: asyncio.Task[None] | None = None


class Workers:
    """`count` processes that call `function` ("module:name", one argument) on items; each can be killed, and is replaced.

    `initializer` ("module:name") is called once in each child with `arguments`. `seconds` bounds one item's work, the wait in
    the queue not counted. Children start with the first item. Not for two event loops.
    """

    def __init__(
        self,
        function: str,
        count: int = 2,
        memory_bytes: int = MEMORY_BYTES,
        seconds: float = SECONDS,
        *,
        initializer: str = "",
        arguments: Sequence[object] = (),
    ) -> None:
        self.function = function
        self.count = max(1, count)
        self.seconds = seconds
        self._settings = {
            "function": function,
            "initializer": initializer,
            "arguments": tuple(arguments),
            "memory_bytes": memory_bytes,
            "seconds": seconds + SLACK_SECONDS,
        }
        self._children: list[_Child] = []
        self._starting = 0
        self._start_failures = 0
        self._waiting: deque[_Task[Any]] = deque()
        self._watch: asyncio.Task[None] | None = None
        self._background: set[asyncio.Task[None]] = set()
        self._closed = False

    async def run(self, items: AsyncIterable[T], ahead: int = 64) -> AsyncGenerator[tuple[T, Any], None]:
        """Yield (item, result or Failure) for every item, in the order of completion.

        At most `ahead` items are taken from `items` beyond those yielded. Closing the generator drops what is left. An error of
        `items` is raised once the results before it are out. Raises RuntimeError when children cannot start.
        """
        if self._closed:
            raise RuntimeError("the pool is closed")
        results: asyncio.Queue[tuple[_Task[Any], object] | BaseException | None] = asyncio.Queue()
        slots = asyncio.Semaphore(max(1, ahead))
        open_tasks: set[_Task[Any]] = set()

        def done(task: _Task[Any], result: object) -> None:
            open_tasks.discard(task)
            results.put_nowait((task, result))

        async def feed() -> None:
            try:
                await slots.acquire()
                async for item in items:
                    task = _Task(item, done)
                    open_tasks.add(task)
                    self._waiting.append(task)
                    self._dispatch()
                    await slots.acquire()
                results.put_nowait(None)
            except Exception as error:
                results.put_nowait(error)

        feeder = asyncio.create_task(feed())
        ending: BaseException | None = None
        ended = False
        try:
            while not ended or open_tasks or not results.empty():
                got = await results.get()
                if got is None or isinstance(got, BaseException):
                    ended, ending = True, got
                    continue
                finished, result = got
                if isinstance(result, BaseException):
                    raise result
                slots.release()
                yield finished.item, result
            if ending is not None:
                raise ending
        finally:
            feeder.cancel()
            await asyncio.gather(feeder, return_exceptions=True)
            for task in open_tasks:
                task.abandoned = True

    async def close(self) -> None:
        """End the children that this pool started. Items that are not done yet fail with "parser died"."""
        self._closed = True
        if self._watch is not None:
            self._watch.cancel()
        for work in list(self._background):
            work.cancel()
        for child in self._children:
            _kill(child)
        readers = [child.reader for child in self._children if child.reader is not None]
        await asyncio.gather(
            *readers, *self._background, *([self._watch] if self._watch else []), return_exceptions=True
        )
        while self._waiting:
            task = self._waiting.popleft()
            task.done(task, Failure("parser died", "the pool was closed"))

    # --- handing out

    def _dispatch(self) -> None:
        """Give waiting items to the children that hold the fewest, and start children while there are too few."""
        while self._waiting and self._waiting[0].abandoned:
            self._waiting.popleft()
        if not self._waiting or self._closed:
            return
        if self._watch is None:
            self._watch = asyncio.create_task(self._watch_deadlines())
        while len(self._children) + self._starting < min(self.count, len(self._waiting) + self._busy()):
            self._starting += 1
            self._spawn(self._start())
        open_children = [child for child in self._children if child.ready and not child.killed_for]
        while self._waiting and open_children:
            child = min(open_children, key=lambda one: len(one.running))
            if len(child.running) >= IN_FLIGHT:
                return
            task = self._waiting.popleft()
            if not task.abandoned:
                self._send(child, task)

    def _busy(self) -> int:
        return sum(1 for child in self._children if child.running)

    def _send(self, child: _Child, task: _Task[Any]) -> None:
        if task.frame is None:
            task.frame = frame(task.item)
        if not child.running:
            child.since = time.monotonic()
        child.running.append(task)
        assert child.process.stdin is not None
        child.process.stdin.write(task.frame)

    def _spawn(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    # --- a child's life

    async def _start(self) -> None:
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-I",
                "-c",
                _BOOT,
                json.dumps([entry or os.getcwd() for entry in sys.path]),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                env=clean_environment(dict(os.environ)),
                limit=PIPE_BYTES,
            )
        finally:
            self._starting -= 1
        child = _Child(process, since=time.monotonic())
        self._children.append(child)
        if self._closed:
            _kill(child)
        widen_pipes(process)
        assert process.stdin is not None
        process.stdin.write(frame(self._settings))
        child.reader = asyncio.create_task(self._read(child))

    async def _read(self, child: _Child) -> None:
        """Take answers in until the pipe ends, then bury the child and give back what it had not begun."""
        problem = ""
        stream = child.process.stdout
        assert stream is not None
        try:
            while True:
                (length,) = HEADER.unpack(await stream.readexactly(HEADER.size))
                word, value = answer_of(await stream.readexactly(length))
                problem = self._answered(child, word, value)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        except Exception as error:  # an answer that cannot be read: the child is no longer trusted
            problem = f"{type(error).__name__}: {error}"
        finally:
            _kill(child)
            assert child.process.stdin is not None
            child.process.stdin.close()
            code = await child.process.wait()
            self._bury(child, problem or f"exit status {code}")

    def _answered(self, child: _Child, word: str, value: object) -> str:
        if not child.ready:
            if word != "ready":
                return str(value)
            child.ready = True
            self._start_failures = 0
        elif child.running:
            task = child.running.popleft()
            child.since = time.monotonic()
            if not task.abandoned:
                task.frame = None
                task.done(task, value if word == "result" else Failure(word, str(value or "")))
        self._dispatch()
        return ""

    def _bury(self, child: _Child, problem: str) -> None:
        if child in self._children:
            self._children.remove(child)
        running = child.running
        if not child.ready and not self._closed:
            self._start_failures += 1
            if self._start_failures > self.count:
                self._give_up(f"worker processes do not start: {problem}")
                return
        if running and child.ready:
            task = running.popleft()
            if not task.abandoned:
                task.done(task, Failure(child.killed_for or "parser died", problem))
        self._waiting.extendleft(reversed([task for task in running if not task.abandoned]))
        self._dispatch()

    def _give_up(self, message: str) -> None:
        while self._waiting:
            task = self._waiting.popleft()
            task.done(task, RuntimeError(message))
        self._start_failures = 0

    # --- deadlines

    async def _watch_deadlines(self) -> None:
        """Kill a child whose first item is over its time.

        This process may itself have been held up (a store that keeps the interpreter busy): answers may then wait unread. So
        a child is killed only if it is still over its time after this loop has run freely for a moment.
        """
        step = min(0.1, self.seconds / 4)
        suspects: dict[_Child, _Task[Any] | None] = {}
        while True:
            before = time.monotonic()
            await asyncio.sleep(step)
            now = time.monotonic()
            free = now - before < 2 * step + 0.05
            late = {child: _first(child) for child in self._children if self._is_late(child, now)}
            if free:
                for child, task in late.items():
                    if child in suspects and suspects[child] is task:
                        child.killed_for = "timeout"
                        _kill(child)
            suspects = late if free else {}

    def _is_late(self, child: _Child, now: float) -> bool:
        if child.killed_for:
            return False
        if not child.ready:
            return now - child.since > START_SECONDS
        return bool(child.running) and now - child.since > self.seconds + SLACK_SECONDS


def _first(child: _Child) -> _Task[Any] | None:
    return child.running[0] if child.running else None


def _kill(child: _Child) -> None:
    if child.process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            # Not Process.kill(): it polls first, and a child reaped there is unknown to asyncio's own watcher.
            os.kill(child.process.pid, signal.SIGKILL)


def deadline_in(seconds: float) -> Callable[[], bool]:
    """A clock for pure code: answers true once so many seconds have passed."""
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end
