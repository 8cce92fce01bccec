"""Measures one full index and pushes of 1 and 10 files, in a process of its own: `python -m app.cli.bench_index`."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path

from app.cli.bench_corpus import commit, edited, python_sources
from app.clients.embed import embedder
from app.clients.git import Mirror, local_mirror
from app.clients.index.open import open_index
from app.core.languages import language_of
from app.core.parse import parse
from app.core.types import BRANCH
from app.steps.ingest import index_workers
from app.steps.reindex import reindex

SAMPLE_SECONDS = 0.05
PUSHES = (1, 10)
"""Files changed by each push."""


class PeakMemory:
    """The largest sum of resident bytes of this process and its descendants that lasts for two samples: a child shows its
    parent's memory as its own between fork and exec. None where there is no /proc."""

    def __init__(self) -> None:
        self.peak: int | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> PeakMemory:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _sample(self) -> None:
        now = 0
        while Path("/proc/self/smaps_rollup").exists() and not self._stop.wait(SAMPLE_SECONDS):
            before, now = now, _resident(os.getpid())
            self.peak = max(self.peak or 0, min(before, now))


def _resident(pid: int) -> int:
    """Proportional: a page that a process shares with its children is counted once."""
    try:
        shares = re.search(r"^Pss: +(\d+) kB", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        children = [int(child) for task in tasks for child in (task / "children").read_text().split()]
    except OSError:  # it ended while it was looked at
        return 0
    return (int(shares[1]) * 1024 if shares else 0) + sum(_resident(child) for child in children)


def disk_bytes(folder: Path) -> int:
    """Allocated blocks of all files below `folder`, in bytes."""
    return sum(file.stat().st_blocks * 512 for file in folder.rglob("*") if file.is_file())


def parse_alone(files: Mapping[str, bytes]) -> float:
    """Seconds that tree-sitter takes to parse the same sources one after the other, in this process, and nothing else."""
    began = time.perf_counter()
    for path, data in files.items():
        parse(language_of(path), data)
    return time.perf_counter() - began


async def measure(root: Path, lines: int, given: Path | None = None) -> dict[str, object]:
    """Index `given`, else a corpus of `lines` lines, below `root`; then push edits of it (own corpus only)."""
    files = {} if given else python_sources(lines)
    bare = given or root / "corpus.git"
    if not given:
        commit(bare, files)
    mirror, vectors, workers = local_mirror(bare), embedder(), index_workers()
    index = open_index(root / "data", "", "", vectors)
    alone = parse_alone(files) if files else None

    async def run(mirror: Mirror) -> tuple[float, int, int]:
        began = time.perf_counter()
        head = await mirror.resolve("HEAD")
        ledger = await reindex(index, mirror, workers, vectors, repo=1, scope=BRANCH, head=head)
        return time.perf_counter() - began, sum(ledger.chunks.values()), ledger.vectors_computed

    try:
        with PeakMemory() as memory:
            seconds, chunks, _ = await run(mirror)
        source = sum(map(len, files.values()))
        on_disk = disk_bytes(root / "data")
        figures: dict[str, object] = {
            "files": len(files) or None,
            "lines": sum(data.count(b"\n") for data in files.values()) or None,
            "index_seconds": round(seconds, 2),
            "times_parsing_alone": round(seconds / alone, 1) if alone else None,
            "chunks": chunks,
            "peak_mb": memory.peak and round(memory.peak / 2**20),
            "index_mb": round(on_disk / 2**20, 1),
            "index_to_source": round(on_disk / source, 2) if source else None,
        }
        large = sorted(files, key=lambda path: (-len(files[path]), path))[len(files) // 4 :]
        for count in PUSHES if files else ():
            chosen, large = large[:count], large[count:]
            commit(bare, {path: edited(files[path], number) for number, path in enumerate(chosen, 100 * count)})
            seconds, _, computed = await run(mirror)
            figures[f"push_{count}_seconds"] = round(seconds, 3)
            figures[f"push_{count}_vectors"] = computed
        return figures
    finally:
        await workers.close()
        await index.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="coderag-bench-") as folder:
        given = Path(sys.argv[2]) if len(sys.argv) > 2 else None
        print(json.dumps(asyncio.run(measure(Path(folder), int(sys.argv[1]), given))))
