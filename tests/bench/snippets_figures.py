"""How often a changed copy of a function leads to the function: `python -m tests.bench.snippets_figures REPOSITORY...`.

For each repository (a git folder on this machine) up to 100 functions are taken by a fixed seed, changed in three ways, and asked
for as a person would. Prints the share found first and among five, in per cent, and the middle and longest time of a question.
"""

from __future__ import annotations

import asyncio
import random
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

from app.cli.terminal import settings
from app.cli.workspace import Workspace, open_workspace
from app.core.query import read_question
from app.core.roles import is_test
from app.core.snippet import KEYWORDS
from app.core.source import line_range
from app.core.types import Answer, Definition
from app.steps.evidence import read_texts
from app.steps.graph import read_files
from app.steps.retrieve import retrieve
from app.steps.view import paths_of

FUNCTIONS = 100
SHORTEST, LONGEST = 6, 80
"""Lines of a function that is taken."""


def renamed(code: str, random: random.Random) -> str:
    """Half of the names that are neither called nor attributes under other names, comments and docstrings dropped, other indentation."""
    code = re.sub(r'"{3}.*?"{3}', "", code, flags=re.DOTALL)
    code = re.sub(r"(?m)^\s*(?://|#(?!\w|\[|!)).*\n|(?<=[\s;])//.*$", "", code)
    names = sorted(set(re.findall(r"(?<![\w.\"'@#$])[A-Za-z_]\w{2,}(?![\w(\"'!])", code)) - KEYWORDS)
    changed = {
        name: f"{random.choice(['my', 'other', 'some', 'the'])}_{index}"
        for index, name in enumerate(names)
        if random.random() < 0.5
    }
    code = re.sub(r"[A-Za-z_]\w*", lambda match: changed.get(match[0], match[0]), code)
    return re.sub(r"(?m)^[ \t]+", lambda match: match[0].expandtabs(4) + "  ", code)


def halved(code: str, random: random.Random) -> str:
    """Half of the lines, in their order, without the first, which has the name."""
    lines = code.split("\n")
    kept = sorted(random.sample(range(1, len(lines)), len(lines) // 2))
    return "\n".join(lines[at] for at in kept)


def both(code: str, random: random.Random) -> str:
    return halved(renamed(code, random), random)


CHANGES: dict[str, Callable[[str, random.Random], str]] = {"renamed": renamed, "half": halved, "both": both}


async def functions(place: Workspace) -> list[tuple[str, Definition, str]]:
    """(path, definition, code) of the functions that are asked for."""
    view = await place.view()
    paths = [path for path in (await paths_of(place.index, view)).paths if not is_test(path)]
    files = await read_files(place.index, view, paths)
    texts = await read_texts(place.mirror, [each.blob for each in files.values()])
    found = [
        (path, each, line_range(texts[record.blob], each.first, each.last))
        for path, record in sorted(files.items())
        for each in record.definitions
        if each.kind in {"function", "method"} and SHORTEST <= each.last - each.first + 1 <= LONGEST
    ]
    return random.Random(7).sample(found, min(FUNCTIONS, len(found)))


def place_of(answer: Answer, path: str, wanted: Definition) -> int:
    """The place from 1 of the answer's first evidence on the function, 0 for none."""
    for number, each in enumerate(answer.evidence, 1):
        at = each.citation
        if (
            at.path == path
            and at.first <= wanted.last
            and at.last >= wanted.first
            and each.symbol.endswith(wanted.name)
        ):
            return number
    return 0


async def measure(path: Path) -> None:
    async with open_workspace(path, settings()) as place:
        await place.bring_to("HEAD")
        wanted, view = await functions(place), await place.view()
        for name, change in CHANGES.items():
            ranks, seconds, chance = [], [], random.Random(11)
            for file, definition, code in wanted:
                question = read_question(f"is there something like this?\n```\n{change(code, chance)}\n```")
                began = time.perf_counter()
                answer = await retrieve(place.index, place.embedder, place.mirror, view, question)
                seconds.append(time.perf_counter() - began)
                ranks.append(place_of(answer, file, definition))
            share = [100 * sum(0 < rank <= most for rank in ranks) / len(ranks) for most in (1, 5)]
            seconds.sort()
            print(
                f"{path.name} {name}: {len(ranks)} functions, first {share[0]:.0f} %, among five {share[1]:.0f} %, "
                f"{1000 * seconds[len(seconds) // 2]:.0f} ms, at most {1000 * seconds[-1]:.0f} ms"
            )


async def _main() -> None:
    for path in map(Path, sys.argv[1:]):
        await measure(path)


if __name__ == "__main__":
    asyncio.run(_main())
