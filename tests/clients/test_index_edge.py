"""The embedded store's own life: processes that are killed, folders that are broken, shards that come and go."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import textwrap
import uuid
from pathlib import Path

import numpy as np
import pytest
import qdrant_edge

from app.clients.embed import StaticEmbedder
from app.clients.index.edge import EdgeIndex, shards
from app.clients.index.open import open_index
from app.core.errors import ConfigError, Transient
from app.core.types import Point, Sparse, Where

HERE = 7
ALL = Where()


def point(key: int, repo: int = HERE) -> Point:
    vector = np.array([1.0, key, 0.0, 0.0], dtype=np.float32)
    payload = {"repo": repo, "type": "chunk", "scope": "branch", "path": f"{key}.py"}
    return Point(str(uuid.uuid5(uuid.NAMESPACE_URL, f"{repo}/{key}")), payload, vector, Sparse((key,), (1.0,)))


def opened(directory: Path, model: str = "test") -> EdgeIndex:
    return EdgeIndex(directory, model, 4)


def shard_of(directory: Path, repo: int = HERE) -> Path:
    return directory / "coderag-1-test" / str(repo)


async def test_an_index_closed_and_opened_again_holds_the_same(tmp_path: Path) -> None:
    index = opened(tmp_path)
    await index.upsert(HERE, [point(key) for key in range(300)])
    before = await index.read(HERE, ALL)
    await index.close()
    index = opened(tmp_path)
    assert await index.read(HERE, ALL) == before
    assert [hit.id for hit in (await index.nearest(HERE, ALL, None, Sparse((5,), (1.0,)), 3))[1]] == [point(5).id]
    await index.close()


async def test_models_do_not_share_a_folder(tmp_path: Path) -> None:
    one, other = opened(tmp_path, "model/1"), opened(tmp_path, "model/2")
    await one.upsert(HERE, [point(1)])
    assert one.name == "coderag-1-model_1"
    assert await other.repositories() == []
    assert await other.count(HERE, ALL) == 0
    await one.close()
    await other.close()


async def test_a_second_opener_is_told_what_to_do(tmp_path: Path) -> None:
    index = opened(tmp_path)
    await index.upsert(HERE, [point(1)])
    script = f"""
        import asyncio
        from pathlib import Path
        from app.clients.index.edge import EdgeIndex
        from app.core.types import Where
        index = EdgeIndex(Path({str(tmp_path)!r}), "test", 4)
        asyncio.run(index.count({HERE}, Where()))
    """
    run = await asyncio.to_thread(ran, script)
    assert run.returncode == 1
    assert "ConfigError" in run.stderr
    assert "QDRANT_URL" in run.stderr
    second = opened(tmp_path)
    with pytest.raises(ConfigError, match="in use by another process"):
        await second.forget(HERE)
    assert await index.count(HERE, ALL) == 1
    await index.close()
    assert await second.count(HERE, ALL) == 1
    await second.close()


def ran(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=False)


async def test_only_so_many_shards_stay_open_and_none_loses_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shards, "OPEN_SHARDS", 2)
    index = opened(tmp_path)

    async def fill(repo: int) -> None:
        for key in range(6):
            await index.upsert(repo, [point(key, repo)])
            assert await index.count(repo, ALL) == key + 1

    await asyncio.gather(*(fill(repo) for repo in range(1, 5)))
    assert len(index._shards._open) == 2
    assert [await index.count(repo, ALL) for repo in range(1, 5)] == [6, 6, 6, 6]
    await index.close()


BROKEN = [
    "segments/*/segment.json",
    "wal/open-1",
    "edge_config.json",
    "segments/*/payload_storage/tracker.dat",
    "segments/*/payload_index/*/is_null/status.dat",  # qdrant-edge panics on this one
]


@pytest.mark.parametrize("pattern", BROKEN)
async def test_a_broken_shard_is_noticed_and_built_again(tmp_path: Path, pattern: str) -> None:
    index = opened(tmp_path)
    await index.upsert(HERE, [point(1)])
    await index.upsert(8, [point(1, 8)])
    await index.close()
    broken = sorted(shard_of(tmp_path).glob(pattern))[0]
    broken.unlink() if "tracker" in pattern else os.truncate(broken, 0)
    index = opened(tmp_path)
    assert await index.read(HERE, ALL) == []
    assert await index.repositories() == [8]
    await index.upsert(HERE, [point(2)])
    assert [each.id for each in await index.read(HERE, ALL)] == [point(2).id]
    assert await index.count(8, ALL) == 1
    await index.close()


async def test_an_empty_folder_left_by_another_tool_is_no_obstacle(tmp_path: Path) -> None:
    shard_of(tmp_path).mkdir(parents=True)
    index = opened(tmp_path)
    assert await index.count(HERE, ALL) == 0
    await index.upsert(HERE, [point(1)])
    assert await index.count(HERE, ALL) == 1
    await index.close()


async def test_a_full_disk_is_no_reason_to_throw_an_index_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = opened(tmp_path)
    await index.upsert(HERE, [point(1)])
    await index.close()

    class Full:
        @staticmethod
        def load(path: str) -> None:
            raise Exception("Service runtime error: IO Error: No space left on device (os error 28)")

    with monkeypatch.context() as patch:
        patch.setattr(qdrant_edge, "EdgeShard", Full)
        with pytest.raises(Transient):
            await index.count(HERE, ALL)
    assert await index.count(HERE, ALL) == 1
    await index.close()


async def test_what_a_killed_process_left_aside_is_cleared_later(tmp_path: Path) -> None:
    index = opened(tmp_path)
    old, new = (shard_of(tmp_path).parent / f"{shards.ASIDE}{name}" for name in ("old", "new"))
    for leftover in (old, new):
        (leftover / "segments").mkdir(parents=True)
    os.utime(old, (0, 0))
    await index.upsert(HERE, [point(1)])
    assert not old.exists()
    assert new.exists()  # perhaps another process is at work there
    assert await index.repositories() == [HERE]
    await index.close()


WRITER = """
    import asyncio, sys
    from pathlib import Path
    from tests.clients.test_index_edge import HERE, opened, point

    async def main():
        index = opened(Path(sys.argv[1]))
        for key in range(0, 1_000_000, 20):
            await index.upsert(HERE, [point(each) for each in range(key, key + 20)])
            print(key + 20, flush=True)

    asyncio.run(main())
"""


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_a_killed_process_loses_nothing_it_was_told_was_written(tmp_path: Path, seed: int) -> None:
    acknowledged = await asyncio.to_thread(written_before_a_kill, tmp_path, random.Random(seed).randint(0, 30))
    index = opened(tmp_path)
    found = {each.id for each in await index.read(HERE, ALL)}
    assert found >= {point(key).id for key in range(acknowledged)}
    assert found <= {point(key).id for key in range(acknowledged + 10_000)}
    await index.close()


def written_before_a_kill(directory: Path, batches: int) -> int:
    """How many points the writer had been told were written when it was killed after that many batches."""
    command = [sys.executable, "-c", textwrap.dedent(WRITER), str(directory)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        lines = [writer.stdout.readline() for _ in range(batches)]
        writer.send_signal(signal.SIGKILL)
        lines += [line for line in writer.stdout if line.endswith("\n")]
    return int(lines[-1]) if lines else 0


async def test_mostly_deleted_shards_are_vacuumed_while_others_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shards, "DEAD_AT_LEAST", 200)
    index = opened(tmp_path)
    await index.upsert(HERE, [point(key) for key in range(1_000)])
    await index.upsert(8, [point(1, 8)])
    await index.delete_ids(HERE, [point(key).id for key in range(100)])
    await index.flush(HERE)
    assert shards.slots(shard_of(tmp_path)) == 1_000  # too few to be worth it
    await index.delete_ids(HERE, [point(key).id for key in range(100, 500)])
    kept = await index.read(HERE, ALL, vectors=True)
    await index.close()  # another process, later: what was deleted before still counts

    flushing = asyncio.create_task(index.flush(HERE))
    waiting = asyncio.create_task(index.read(HERE, ALL, vectors=True))
    await asyncio.sleep(0)
    assert await index.count(8, ALL) == 1
    assert not flushing.done()
    await flushing
    assert shards.slots(shard_of(tmp_path)) == 500
    for before, after in zip(kept, await waiting, strict=True):
        assert (before.id, before.payload) == (after.id, after.payload)
        np.testing.assert_array_equal(before.dense, after.dense)
    await index.upsert(HERE, [point(1)])
    assert await index.count(HERE, ALL) == 501
    await index.close()


async def test_a_vacuum_given_up_leaves_an_index_that_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "DEAD_AT_LEAST", 10)
    monkeypatch.setattr(shards, "VACUUM", "import time; time.sleep(60)")
    index = opened(tmp_path)
    await index.upsert(HERE, [point(key) for key in range(100)])
    await index.delete_ids(HERE, [point(key).id for key in range(60)])
    flushing = asyncio.create_task(index.flush(HERE))
    await asyncio.sleep(0.05)
    flushing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await flushing
    assert await index.count(HERE, ALL) == 40
    monkeypatch.setattr(shards, "VACUUM", "raise SystemExit(3)")
    await index.flush(HERE)
    assert await index.count(HERE, ALL) == 40
    await index.close()


async def test_without_a_server_the_index_is_below_the_data_directory(tmp_path: Path) -> None:
    index = open_index(tmp_path, None, None, StaticEmbedder())
    assert isinstance(index, EdgeIndex)
    assert list(tmp_path.iterdir()) == []
    payload = {"repo": HERE, "type": "scope"}
    await index.upsert(HERE, [Point(point(1).id, payload)])
    assert (tmp_path / "index" / "coderag-1-static-hash-1-256" / str(HERE)).is_dir()
    await index.close()
