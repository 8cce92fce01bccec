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

from app.clients.workers import Failure, Workers

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
