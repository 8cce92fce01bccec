"""Measures mention delivered to comment posted, with the whole bot on the sandbox: `python -m app.cli.bench_mentions`."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import tempfile
import time
from pathlib import Path

from app.cli.bench_corpus import commit, percentile, python_sources
from app.cli.demo import running_bot
from app.core.types import BRANCH
from app.sandbox import Sandbox
from app.steps.stored import read_scope_record

LINES = 50_000
"""Of the repository asked about."""
NAMES = (
    "dedent",
    "namedtuple",
    "wraps",
    "copytree",
    "urlparse",
    "getLogger",
    "literal_eval",
    "insort",
    "heappush",
    "shuffle",
)
LOOK_SECONDS = 0.002
PATIENCE_SECONDS = 120.0


async def measure(root: Path, mentions: int, lines: int = LINES) -> dict[str, object]:
    """Ask `mentions` questions one after the other; milliseconds from the comment to the answer."""
    commit(root / "corpus.git", python_sources(lines))
    async with Sandbox(root / "github") as github, running_bot(github, root / "data") as bot:
        github.add_user("grace")
        repository = await github.add_repository("octo/bench", root / "corpus.git")
        github.set_permission("octo/bench", "grace", "write")
        await github.add_installation("octo")
        async with asyncio.timeout(PATIENCE_SECONDS):
            while (record := await read_scope_record(bot.deps.index, repository.id, BRANCH)) is None or record.dirty:
                await asyncio.sleep(0.1)
        spent: list[float] = []
        for number in range(mentions + 1):
            issue = await github.open_issue(
                "octo/bench", "grace", f"Question {number}"
            )  # a thread's fill is 20 an hour
            began = time.perf_counter()
            text = f"@coderag where is `{NAMES[number % len(NAMES)]}` defined? ({number})"
            await github.comment("octo/bench", issue.number, "grace", text)
            async with asyncio.timeout(PATIENCE_SECONDS):
                while not any(each.by_app for each in issue.of_kind("issue")):
                    await asyncio.sleep(LOOK_SECONDS)
            spent.append(1000 * (time.perf_counter() - began))
        spent = spent[1:]  # the first one opens connections
        return {
            "mentions": len(spent),
            "p50_ms": round(percentile(spent, 50), 1),
            "worst_ms": round(max(spent), 1),
        }


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory(prefix="coderag-bench-") as folder:
        print(json.dumps(asyncio.run(measure(Path(folder), int(sys.argv[1])))))
