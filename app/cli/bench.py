"""`coderag bench`: measures indexing, pushes, questions, webhooks and mentions, each in a process of its own; prints one table."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from app.cli.terminal import FOUND, AsJson, err, out, print_json
from app.core.errors import Transient, UserError

LINES = 500_000
PARTS = {
    "index": ("bench_index", str(LINES)),
    "small": ("bench_index", str(LINES // 10)),
    "questions": ("bench_questions", str(LINES)),
    "webhooks": ("bench_webhooks", "10"),
    "mentions": ("bench_mentions", "20"),
}
"""The module and argument of each part: lines of the corpus, seconds of load, mentions. `small` shows that a push costs what
changed, not what the repository holds."""


def bench(
    repo: Annotated[
        Path | None, typer.Option(help="A git repository to index at HEAD; else installed sources.")
    ] = None,
    part: Annotated[
        list[str] | None,
        typer.Option(help="index, small, questions, webhooks or mentions; may be repeated. Default: all."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure a full index, pushes of 1 and 10 files, questions at 100,000 chunks, webhooks and mentions on this machine."""
    chosen = part or (["index"] if repo else list(PARTS))
    if unknown := [name for name in chosen if name not in PARTS]:
        raise UserError(f"{unknown[0]!r} is no part of the bench; choose from {', '.join(PARTS)}")
    figures: dict[str, object] = {"machine": machine()}
    for name in chosen:
        err.print(f"measuring {name} …")
        module, argument = PARTS[name]
        given = [str(repo.resolve())] if repo and module == "bench_index" else []
        figures[name] = _measured(module, [argument, *given])
    if as_json:
        print_json(figures)
    else:
        for name, found in figures.items():
            out.print(f"[bold]{name}[/]")
            for key, value in found.items() if isinstance(found, dict) else ():
                out.print(f"  {key:<18} {escape(str(value))}")
    raise typer.Exit(FOUND)


def machine() -> dict[str, object]:
    """Processor, cores, memory in MB and Python version of this machine; None where the system does not tell."""
    cpu, memory = Path("/proc/cpuinfo"), Path("/proc/meminfo")
    models = [line for line in cpu.read_text().splitlines() if line.startswith("model name")] if cpu.exists() else []
    return {
        "cpu": models[0].partition(":")[2].strip() if models else platform.processor() or None,
        "cores": os.cpu_count(),
        "memory_mb": int(memory.read_text().split()[1]) // 1024 if memory.exists() else None,
        "python": platform.python_version(),
    }


def _measured(module: str, arguments: list[str]) -> dict[str, object]:
    # run() kills the child on Ctrl-C and waits for it.
    done = subprocess.run([sys.executable, "-m", f"app.cli.{module}", *arguments], stdout=subprocess.PIPE)
    if done.returncode:
        raise Transient("A part of the bench failed; its own message is above.")
    found: dict[str, object] = json.loads(done.stdout)
    return found
