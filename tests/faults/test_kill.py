"""kill -9 of a real indexing process at random moments: the next run gives what a fresh index holds, and nothing lives on."""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from app.clients.workers import Workers
from app.steps.ingest import index_workers
from tests.indexing import World, module, world
from tests.processes import running
from tests.repositories import Content

pytestmark = pytest.mark.asyncio(loop_scope="module")

ROUNDS = 4
LONGEST_PAUSE = 0.004
"""Seconds between a write that is heard of and the kill: some kills land between writes, some within one."""
WRITES = 90
"""About as many as a round makes."""


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def workers() -> AsyncIterator[Workers]:
    pool = index_workers(1)
    yield pool
    await pool.close()


def some_changes(chance: random.Random, present: dict[str, Content]) -> dict[str, Content | None]:
    """Edits, additions, deletions and renames of a few files."""
    changes: dict[str, Content | None] = {}
    for path in sorted(present):
        match chance.randrange(5):
            case 0:
                changes[path] = None
            case 1:
                changes[path] = module(
                    *(f"f{chance.randrange(50)}x{number}" for number in range(chance.randrange(1, 6)))
                )
            case 2:
                changes[path] = None
                changes[f"moved/{chance.randrange(1000)}.py"] = present[path]
    for _ in range(8):
        changes[f"new/{chance.randrange(1000)}.py"] = module(f"added{chance.randrange(1000)}", "second", "third")
    return changes


async def kill_at(here: World, head: str, chance: random.Random) -> bool:
    """Start indexing `head` in another process and kill it at some write. False where it was done before."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.faults.indexing_process", str(here.directory), head, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    for _ in range(chance.randrange(WRITES)):
        line = await process.stdout.readline()
        if not line or line == b"done\n":
            break
    await asyncio.sleep(chance.random() * LONGEST_PAUSE)
    children = running(lambda each: each.parent == process.pid)
    if process.returncode is None:
        process.kill()
    await process.communicate()
    await gone({child.pid for child in children})
    assert process.returncode in (0, -9)
    return process.returncode == -9


async def gone(pids: set[int]) -> None:
    """Wait until the children of a killed process have noticed: pytest's own limit is the only clock."""
    while running(lambda each: each.pid in pids):
        await asyncio.sleep(0.02)


@pytest.mark.parametrize("seed", range(3))
async def test_killed_at_random_moments_then_run_again_equals_fresh(
    tmp_path: Path, workers: Workers, seed: int
) -> None:
    chance = random.Random(seed)
    kills = 0
    present: dict[str, Content] = {
        f"p{number % 3}/m{number}.py": module(f"a{number}", f"b{number}") for number in range(12)
    }
    async with world(tmp_path, workers) as here:
        head = here.origin.tree(present)
        for _ in range(ROUNDS):
            for _ in range(chance.randrange(1, 3)):
                kills += await kill_at(here, head, chance)
            if chance.random() < 0.5:  # sometimes another push comes before the repair
                head, present = push(here, present, some_changes(chance, present))
            await here.reindex()
            await here.assert_fresh()
            await here.index.close()  # the next child opens it
            head, present = push(here, present, some_changes(chance, present))
    assert kills > 0


def push(
    here: World, present: dict[str, Content], changes: dict[str, Content | None]
) -> tuple[str, dict[str, Content]]:
    after = {path: content for path, content in {**present, **changes}.items() if content is not None}
    return here.origin.tree(after), after
