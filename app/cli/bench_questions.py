"""Measures question to ranked, verified evidence over 100,000 chunks, in a process of its own: `python -m app.cli.bench_questions`."""

from __future__ import annotations

import ast
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from app.cli.bench_corpus import commit, percentile, python_sources
from app.clients.embed import embedder
from app.clients.git import local_mirror
from app.clients.index.open import open_index
from app.core.query import read_question
from app.core.types import BRANCH
from app.steps.ingest import index_workers
from app.steps.reindex import reindex
from app.steps.retrieve import retrieve, view_of

COPIES = 4
"""Folders that hold the corpus: four times 28,000 chunks. Equal files share their vectors, so copies index fast."""
QUESTIONS = 200
WARM_UP = 5
"""Questions asked before the clock runs: they open files and fill the operating system's cache, as a running bot has."""


def questions(files: Mapping[str, bytes]) -> Iterator[str]:
    """Names, sentences of docstrings, tracebacks and issue-like texts out of the corpus, in a fixed order."""
    for path, data in files.items():
        try:
            tree = ast.parse(data)
        except (SyntaxError, ValueError):
            continue
        for node in tree.body:
            said = ast.get_docstring(node) if isinstance(node, ast.FunctionDef) else None
            if not isinstance(node, ast.FunctionDef) or not said:
                continue
            first = said.split("\n")[0]
            yield f"where is `{node.name}` defined?"
            yield first
            yield f'Traceback (most recent call last):\n  File "{path}", line {node.lineno}, in {node.name}\nValueError: {first}'
            yield f"{first}\n\nI call {node.name}() from my own code and it does not do what it says.\n\n{said}\n\nWhat goes wrong there?"


async def measure(root: Path, lines: int) -> dict[str, object]:
    """Index copies of the corpus below `root`, ask, and return milliseconds: p50 and p99 of one question at a time."""
    files = python_sources(lines)
    for copy in range(COPIES):
        commit(root / "corpus.git", {f"copy{copy}/{path}": data for path, data in files.items()})
    mirror, vectors, workers = local_mirror(root / "corpus.git"), embedder(), index_workers()
    index = open_index(root / "data", "", "", vectors)
    try:
        ledger = await reindex(index, mirror, workers, vectors, repo=1, scope=BRANCH, head=await mirror.resolve("HEAD"))
        view = await view_of(index, 1)
        every = list(questions(files))
        asked = list(islice(every[:: max(1, len(every) // QUESTIONS)], QUESTIONS))
        spent: list[float] = []
        for text in [*asked[:WARM_UP], *asked]:
            began = time.perf_counter()
            await retrieve(index, vectors, mirror, view, read_question(text))
            spent.append(1000 * (time.perf_counter() - began))
        spent = spent[WARM_UP:]
        return {
            "chunks": sum(ledger.chunks.values()),
            "questions": len(spent),
            "p50_ms": round(percentile(spent, 50), 1),
            "p99_ms": round(percentile(spent, 99), 1),
        }
    finally:
        await workers.close()
        await index.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="coderag-bench-") as folder:
        print(json.dumps(asyncio.run(measure(Path(folder), int(sys.argv[1])))))
