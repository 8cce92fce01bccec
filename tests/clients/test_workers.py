"""Holds the pool of children: results, every way a child can end, and that it leaves nothing behind."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from app.clients.workers import MEMORY_BYTES, Failure, Workers

T = TypeVar("T")
HERE = "tests.clients.worker_functions"


async def feed(items: Iterable[T]) -> AsyncIterator[T]:
    for item in items:
        yield item


async def results(workers: Workers, items: Iterable[Any]) -> dict[Any, Any]:
    return {item: result async for item, result in workers.run(feed(items))}


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


async def test_every_item_gets_its_result() -> None:
    workers = Workers(f"{HERE}:double", 2)
    try:
        assert await results(workers, range(300)) == {number: 2 * number for number in range(300)}
    finally:
        await workers.close()


@pytest.mark.parametrize(
    ("item", "reason"),
    [("hang", "timeout"), ("die", "parser died"), ("abort", "parser died"), ("greedy", "memory")],
)
async def test_an_item_that_ends_its_child_fails_alone(item: str, reason: str) -> None:
    workers = Workers(f"{HERE}:behave", 2, memory_bytes=2 << 30, seconds=0.5)
    try:
        found = await results(workers, ["a", item, *"bcdefgh"])
    finally:
        await workers.close()
    failure = found.pop(item)
    assert isinstance(failure, Failure)
    assert failure.reason == reason
    assert found == {name: name for name in "abcdefgh"}


async def test_a_child_sees_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GITHUB_PRIVATE_KEY", "GITHUB_WEBHOOK_SECRET", "ANTHROPIC_API_KEY", "QDRANT_API_KEY", "REDIS_URL"):
        monkeypatch.setenv(name, "a secret")
    workers = Workers(f"{HERE}:behave", 1)
    try:
        environment = (await results(workers, ["environment"]))["environment"]
    finally:
        await workers.close()
    assert "a secret" not in environment.values()


async def test_what_a_function_prints_does_not_reach_the_pipe() -> None:
    workers = Workers(f"{HERE}:behave", 1)
    try:
        assert await results(workers, ["print", "after"]) == {"print": "print", "after": "after"}
    finally:
        await workers.close()


async def test_close_leaves_no_child() -> None:
    workers = Workers(f"{HERE}:behave", 2)
    process = (await results(workers, ["process"]))["process"]
    assert alive(process)
    await workers.close()
    assert not alive(process)


def test_children_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    """The pipe is their life line: nobody is left to kill them."""
    script = (
        "import asyncio\nfrom app.clients.workers import Workers\n"
        "async def feed():\n    yield 'process'\n"
        "async def main():\n"
        f"    workers = Workers('{HERE}:behave', 1)\n"
        "    async for _, result in workers.run(feed()):\n        print(result, flush=True)\n"
        "    await asyncio.sleep(60)\n"
        "asyncio.run(main())\n"
    )
    root = Path(__file__).parents[2]
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=root)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    for _ in range(200):
        if not alive(child) or (
            Path(f"/proc/{child}/stat").exists() and " Z " in Path(f"/proc/{child}/stat").read_text()
        ):
            return
        time.sleep(0.05)
    pytest.fail("the child lives on")


async def test_bombs_are_survived_with_a_note_or_a_failure() -> None:
    workers = Workers(f"{HERE}:chunk_bytes", 2, seconds=4.0)
    items = [
        ("bomb.cpp", b"x<" * 200_000),
        ("nest.py", b"(" * 100_000 + b")" * 100_000),
        ("ok.py", b"def a():\n    return 1\n"),
    ]
    try:
        found = {item[0]: result async for item, result in workers.run(feed(items))}
    finally:
        await workers.close()
    assert found["ok.py"].definitions[0].name == "a"
    assert set(found) == {"bomb.cpp", "nest.py", "ok.py"}


async def test_an_iteration_that_is_left_early_does_not_hang() -> None:
    workers = Workers(f"{HERE}:double", 2)
    run = workers.run(feed(range(1000)))
    async for _ in run:
        break
    await run.aclose()
    async with asyncio.timeout(10):
        await workers.close()


async def test_an_exception_is_the_items_own_and_the_child_lives_on() -> None:
    workers = Workers(f"{HERE}:behave", 1)
    try:
        found = await results(workers, ["process", "raise", "lambda", "a"])
        again = await results(workers, ["process"])
    finally:
        await workers.close()
    assert found["raise"] == Failure("error", "ValueError: no such thing")
    assert found["a"] == "a"
    assert found["lambda"].reason == "parser died", "a function is not taken from a child"
    assert again["process"] != found["process"], "a child that answers so is not asked again"


async def test_each_child_is_initialised_once() -> None:
    workers = Workers(f"{HERE}:greeted", 2, initializer=f"{HERE}:greet", arguments=("hello",))
    try:
        assert set((await results(workers, range(20))).values()) == {("hello", number) for number in range(20)}
    finally:
        await workers.close()


async def test_children_that_cannot_start_are_an_error_and_no_endless_loop() -> None:
    workers = Workers("no.such.module:function", 2)
    try:
        with pytest.raises(RuntimeError, match=r"do not start.*no\.such|No module"):
            await results(workers, [1, 2, 3])
    finally:
        await workers.close()


async def test_a_busy_parent_takes_no_child_for_late() -> None:
    """Answers wait in the pipe while the parent is busy; that is not the children's time."""
    workers = Workers(f"{HERE}:double", 2, seconds=0.2)
    found = {}
    try:
        async for item, result in workers.run(feed(range(40)), ahead=40):
            if item == 0:
                time.sleep(2.0)  # noqa: ASYNC251 - the point of the test
            found[item] = result
    finally:
        await workers.close()
    assert found == {number: 2 * number for number in range(40)}


async def test_the_wait_behind_slow_items_is_not_counted() -> None:
    workers = Workers(f"{HERE}:behave", 1, seconds=0.3)
    try:
        found = [result async for _, result in workers.run(feed(["slow"] * 7))]
    finally:
        await workers.close()
    assert found == ["slow"] * 7


async def test_no_more_items_are_taken_than_allowed_ahead() -> None:
    taken = yielded = most = 0

    async def source() -> AsyncIterator[int]:
        nonlocal taken
        for number in range(60):
            taken += 1
            yield number

    workers = Workers(f"{HERE}:double", 2)
    try:
        async for _ in workers.run(source(), ahead=5):
            yielded += 1
            await asyncio.sleep(0.002)
            most = max(most, taken - yielded)
    finally:
        await workers.close()
    assert yielded == 60
    assert most <= 6


async def test_an_error_of_the_source_comes_after_the_results_before_it() -> None:
    async def source() -> AsyncIterator[int]:
        yield 1
        yield 2
        raise LookupError("no more")

    workers = Workers(f"{HERE}:double", 1)
    found = []

    async def read() -> None:
        async for _, result in workers.run(source()):
            found.append(result)

    try:
        with pytest.raises(LookupError, match="no more"):
            await read()
    finally:
        await workers.close()
    assert found == [2, 4]


async def test_two_runs_share_the_children() -> None:
    workers = Workers(f"{HERE}:double", 2)
    try:
        one, other = await asyncio.gather(results(workers, range(50)), results(workers, range(100, 150)))
    finally:
        await workers.close()
    assert one == {number: 2 * number for number in range(50)}
    assert other == {number: 2 * number for number in range(100, 150)}


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells the address space")
async def test_parsing_needs_a_small_part_of_the_memory_allowed() -> None:
    workers = Workers(f"{HERE}:loaded_memory", 1)
    try:
        needed = (await results(workers, [100]))[100]
    finally:
        await workers.close()
    assert needed < MEMORY_BYTES / 3
