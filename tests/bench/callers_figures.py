"""Precision and recall of callers on the marked repositories in `callers/`: `python -m tests.bench.callers_figures`.

A line marked `-> path:Class.method` (path without its ending) calls that definition, provably; one marked `?>` may call it. A class
marked as called is also a call of its constructor. Lines without a mark call nothing of the repository, or only themselves.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from app.core.graph import CONSTRUCTORS
from app.steps.graph import find_callers, find_definitions
from app.steps.ingest import index_workers
from app.steps.retrieve import view_of
from tests.indexing import REPO, world

FOLDER = Path(__file__).parent / "callers"
MARK = re.compile(r"([-?])> (\S+?):(\S+)")

Pair = tuple[str, int, str]
"""Path and line of a call, and `path:qualified` of the definition it calls."""


@dataclass
class Figures:
    """Counts of one repository, and the pairs that were judged wrongly."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def share(self, part: str, whole: str) -> float:
        """Per cent."""
        return 100 * self.counts[part] / (self.counts[whole] or 1)

    @property
    def precision(self) -> float:
        """Of the calls said to be exact, how many are marked, in per cent."""
        return self.share("exact and proved", "said exact")

    @property
    def recall(self) -> float:
        """Of the calls marked as proved, how many are said to be exact, in per cent."""
        return self.share("exact and proved", "proved")

    @property
    def recall_with_possible(self) -> float:
        """Of all marked calls, how many are listed as exact or possible, in per cent."""
        return self.share("listed and marked", "marked")


def marks(root: Path) -> tuple[set[Pair], set[Pair]]:
    """The (proved, possible) calls that the files below `root` mark."""
    found: dict[str, set[Pair]] = {"-": set(), "?": set()}
    for file in sorted(root.rglob("*.*")):
        path = file.relative_to(root).as_posix()
        for number, line in enumerate(file.read_text().split("\n"), 1):
            for kind, module, qualified in MARK.findall(line):
                found[kind].add((path, number, f"{module}:{qualified}"))
    return found["-"], found["?"]


async def measure(root: Path, directory: Path) -> Figures:
    """Index the files below `root` and compare the callers of each of their definitions with the marks."""
    proved, maybe = marks(root)
    figures = Figures()
    workers = index_workers(1)
    files = {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}
    async with world(directory, workers) as here:
        here.origin.tree(files)
        await here.reindex()
        view = await view_of(here.index, REPO)
        seen: set[str] = set()
        for name in sorted({qualified for _, _, target in proved | maybe for qualified in [target.partition(":")[2]]}):
            for each in await find_definitions(here.index, view, name):
                key = f"{each.path.rpartition('.')[0]}:{each.definition.qualified}"
                if key in seen:
                    continue
                seen.add(key)
                report = await find_callers(here.index, view, each)
                exact = {(caller.path, caller.line, key) for caller in report.exact}
                possible = {(caller.path, caller.line, key) for caller in report.possible}
                _compare(figures, key, exact, possible, _of(key, proved), _of(key, maybe))
        figures.wrong += [f"no such definition: {key}" for key in sorted({key for *_, key in proved | maybe} - seen)]
    await workers.close()
    return figures


def _of(key: str, pairs: set[Pair]) -> set[Pair]:
    owner, _, name = key.rpartition(".")
    also = owner if name in CONSTRUCTORS else key
    return {(path, line, key) for path, line, target in pairs if target in {key, also}}


def _compare(
    figures: Figures, key: str, exact: set[Pair], possible: set[Pair], proved: set[Pair], maybe: set[Pair]
) -> None:
    figures.counts.update(
        {
            "said exact": len(exact),
            "exact and proved": len(exact & proved),
            "proved": len(proved),
            "marked": len(proved | maybe),
            "listed and marked": len((exact | possible) & (proved | maybe)),
            "said possible": len(possible),
        }
    )
    figures.wrong += [f"exact, and not marked: {path}:{line} {key}" for path, line, _ in sorted(exact - proved)]
    figures.wrong += [f"only possible: {path}:{line} {key}" for path, line, _ in sorted(proved & possible - exact)]
    figures.wrong += [f"missed: {path}:{line} {key}" for path, line, _ in sorted((proved | maybe) - exact - possible)]


async def _main() -> None:
    for root in sorted(FOLDER.iterdir()):
        with tempfile.TemporaryDirectory() as directory:
            figures = await measure(root, Path(directory))
        print(root.name, dict(figures.counts))
        print(
            f"  precision of exact {figures.precision:.1f}, recall of exact {figures.recall:.1f}, with possible {figures.recall_with_possible:.1f}"
        )
        print("".join(f"  {line}\n" for line in figures.wrong), end="")


if __name__ == "__main__":
    asyncio.run(_main())
