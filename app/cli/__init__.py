"""The `coderag` command. Owns what a person types and reads in a terminal; every decision and all work is done elsewhere."""

from __future__ import annotations

from app.cli.bench import bench
from app.cli.demo import demo
from app.cli.evaluate import evaluation
from app.cli.local import ask, callers, index, pull, search
from app.cli.processes import replay, serve, web, worker
from app.cli.terminal import application, main
from app.cli.train import train

for command in (demo, index, search, ask, pull, callers, serve, web, worker, replay, bench, train):
    application.command(command.__name__)(command)
application.command("eval")(evaluation)

__all__ = ["application", "main"]
