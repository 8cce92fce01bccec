"""How commands meet the terminal: exit codes, errors as one plain line, JSON or text, progress bars."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from app import __version__
from app.config import Settings
from app.core.errors import CodeRagError, ConfigError, Transient, UserError

T = TypeVar("T")

FOUND = 0
NOTHING = 1
"""The command worked and there is nothing to show: no evidence, no caller, no finding."""
USAGE = 2
"""Something to mend in what was typed or set."""
PASSING = 3
"""A failure that may pass by itself: a network, a server."""
BUG = 70
"""EX_SOFTWARE of sysexits.h."""

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]

application = typer.Typer(
    name="coderag",
    help="Knows a whole repository and proves every line it says.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        out.print(f"coderag {__version__}")
        raise typer.Exit


@application.callback()
def _root(
    _version_wanted: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Knows a whole repository and proves every line it says."""


def main() -> None:
    """Run the command line. Errors made on purpose become one plain line and an exit code; a bug keeps its trace."""
    try:
        application()
    except (UserError, ConfigError) as problem:
        _complain(str(problem), USAGE)
    except Transient as problem:
        _complain(f"{problem} Try again in {problem.retry_after:.0f} s.", PASSING)
    except CodeRagError as problem:
        _complain(str(problem) or type(problem).__name__, USAGE)
    except BrokenPipeError:
        # The reader (`head`, a pager) has left; Python would complain once more while it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(FOUND)
    except KeyboardInterrupt:
        sys.exit(130)


def _complain(message: str, code: int) -> None:
    err.print(f"[bold red]error:[/] {escape(message)}")
    sys.exit(code)


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run one command's coroutine to its end."""
    return asyncio.run(work)


def settings() -> Settings:
    """The settings of this process's environment; ConfigError names each that cannot be used."""
    return Settings.from_environment(os.environ)


def print_json(value: object) -> None:
    """Print dataclasses, mappings and lists as JSON, one document, keys in the order of their fields."""
    sys.stdout.write(json.dumps(_plain(value), indent=2, ensure_ascii=False) + "\n")


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value))
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    return value if value is None or isinstance(value, bool | int | float) else str(value)


@contextmanager
def progress(title: str, *, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """A bar on standard error, told how many files of how many are done; nothing where the output is not a terminal."""
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=err,
        transient=True,
        disable=quiet or not err.is_terminal,
    ) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
