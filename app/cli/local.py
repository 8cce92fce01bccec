"""Commands that work on a repository of this machine: index, search, ask, pull, callers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from app.cli.terminal import FOUND, NOTHING, AsJson, err, out, print_json, progress, run, settings
from app.cli.workspace import PLACEHOLDER_URL, Workspace, open_workspace
from app.core.comment import answer_comment, pull_comment
from app.core.errors import UserError
from app.core.findings import findings_of
from app.core.graph import CallerReport
from app.core.pull_context import PullContext
from app.core.query import read_question
from app.core.types import Answer, Ledger
from app.steps.graph import find_callers, find_definitions
from app.steps.pull_context import pull_context
from app.steps.retrieve import retrieve

PATHS_SHOWN = 5
"""Skipped files named under each reason; `--json` has them all."""

Repository = Annotated[Path, typer.Argument(help="A git repository on this machine.")]
Revision = Annotated[str, typer.Option("--rev", help="Branch, tag or commit to read.")]
Limit = Annotated[int, typer.Option(min=1, max=50, help="How many results at the most.")]


def index(
    path: Repository,
    rev: Revision = "HEAD",
    full: Annotated[bool, typer.Option("--full", help="Compare every file, not only what git says changed.")] = False,
    as_json: AsJson = False,
) -> None:
    """Bring the index of a repository to a commit, and print what was done and what was left out."""

    async def work() -> Ledger:
        async with open_workspace(path, settings()) as place:
            return await place.held(await _indexed(place, rev, quiet=as_json, full=full))

    ledger = run(work())
    if as_json:
        print_json(ledger)
    else:
        _print_ledger(ledger)


def search(
    path: Repository,
    query: Annotated[str, typer.Argument(help="Words, a name, a path, an error message.")],
    rev: Revision = "HEAD",
    limit: Limit = 10,
    as_json: AsJson = False,
) -> None:
    """List the places that fit best; each was read back from its commit."""
    answer, _ = run(_answered(path, query, rev, limit, quiet=as_json))
    if as_json:
        print_json(answer)
    else:
        _print_hits(answer)
    raise typer.Exit(FOUND if answer.evidence else NOTHING)


def ask(
    path: Repository,
    question: Annotated[str, typer.Argument(help="What a colleague would ask on an issue.")],
    rev: Revision = "HEAD",
    limit: Limit = 8,
    as_json: AsJson = False,
) -> None:
    """Print the answer that the bot would post, in Markdown."""
    answer, html_url = run(_answered(path, question, rev, limit, quiet=as_json))
    body = answer_comment(answer, html_url, {})
    if as_json:
        print_json({"body": body, "answer": answer})
    else:
        _print_comment(body, html_url)
    raise typer.Exit(FOUND if answer.evidence else NOTHING)


def pull(
    path: Repository,
    commits: Annotated[str, typer.Argument(metavar="BASE..HEAD", help="Two revisions, as a pull request would have.")],
    as_json: AsJson = False,
) -> None:
    """Print the comment that a pull request from HEAD into BASE would get, in Markdown."""
    base, separator, head = commits.partition("..")
    if not separator or not base or not head.lstrip("."):
        raise UserError(f"{commits!r} is not BASE..HEAD, for example main..my-branch or HEAD~3..HEAD")

    async def work() -> tuple[PullContext, str]:
        async with open_workspace(path, settings()) as place:
            await _indexed(place, head.lstrip("."), quiet=as_json)
            old, new = await place.mirror.resolve(base), await place.mirror.resolve(head.lstrip("."))
            context = await pull_context(
                place.index, place.embedder, place.mirror, await place.view(), base=old, head=new
            )
            return context, place.html_url

    context, html_url = run(work())
    body = pull_comment(context, html_url, {})
    if as_json:
        print_json({"base": context.base, "head": context.head, "findings": findings_of(context), "body": body})
    elif body is None:
        out.print("Nothing to say that the diff does not say itself: there would be no comment.")
    else:
        _print_comment(body, html_url)
    raise typer.Exit(FOUND if body else NOTHING)


def callers(
    path: Repository,
    symbol: Annotated[str, typer.Argument(help="A name: save, Store.save, or app/store.py:Store.save")],
    rev: Revision = "HEAD",
    as_json: AsJson = False,
) -> None:
    """List who calls a function, method or class: proved callers, possible ones, and how many calls stay unresolved.

    With --json, standard output is one array of {path, line, symbol, confidence, target, target_path, target_line}, and the
    last line of standard error is `unresolved: N`.
    """

    async def work() -> list[CallerReport]:
        async with open_workspace(path, settings()) as place:
            await _indexed(place, rev, quiet=as_json)
            view = await place.view()
            return [
                await find_callers(place.index, view, each)
                for each in await find_definitions(place.index, view, symbol)
            ]

    reports = run(work())
    if as_json:
        print_json([row for each in reports for row in _caller_rows(each)])
        _print_unresolved(symbol, reports)
    else:
        _print_callers(symbol, reports)
    raise typer.Exit(FOUND if any(each.exact or each.possible for each in reports) else NOTHING)


async def _indexed(place: Workspace, revision: str, *, quiet: bool, full: bool = False) -> Ledger:
    with progress(f"indexing {place.path.name}", quiet=quiet) as step:
        return await place.bring_to(revision, full=full, progress=step)


async def _answered(path: Path, text: str, revision: str, limit: int, *, quiet: bool) -> tuple[Answer, str]:
    async with open_workspace(path, settings()) as place:
        await _indexed(place, revision, quiet=quiet)
        answer = await retrieve(
            place.index, place.embedder, place.mirror, await place.view(), read_question(text), limit
        )
        return answer, place.html_url


# --- printing -------------------------------------------------------------------------------------------------------


def _print_ledger(ledger: Ledger) -> None:
    skipped = sum(map(len, ledger.skipped.values()))
    out.print(
        f"[bold]{ledger.head[:7]}[/]  {ledger.listed:,} files listed: {ledger.added:,} added, {ledger.changed:,} changed, "
        f"{ledger.unchanged:,} unchanged, {ledger.removed:,} removed, {skipped:,} skipped"
    )
    if ledger.chunks:
        told = ", ".join(f"{language or 'text'} {count:,}" for language, count in sorted(ledger.chunks.items()))
        out.print(f"chunks: {escape(told)}")
    out.print(
        f"vectors: {ledger.vectors_computed:,} computed, {ledger.vectors_reused:,} reused, in {ledger.seconds:.1f} s"
    )
    for title, reasons in (("skipped", ledger.skipped), ("noted", ledger.notes)):
        for reason, paths in sorted(reasons.items()):
            more = f", and {len(paths) - PATHS_SHOWN:,} more" if len(paths) > PATHS_SHOWN else ""
            named = ", ".join(printable(path) for path in paths[:PATHS_SHOWN])
            out.print(f"{title}, {escape(reason)}: {len(paths):,} ({escape(named)}{more})")


def _print_hits(answer: Answer) -> None:
    table = Table(box=None, show_header=False, pad_edge=False)
    for evidence in answer.evidence:
        at = evidence.citation
        place = f"{printable(at.path)}:{at.first}-{at.last}"
        table.add_row(f"[bold]{escape(place)}[/]", escape(printable(evidence.symbol)), evidence.role)
    out.print(table)
    if answer.thin or not answer.evidence:
        near = ", ".join(printable(each.symbol or each.citation.path) for each in answer.near)
        out.print(escape(f"{answer.reason} {f'Closest: {near}.' if near else ''}".strip()))


def _print_comment(body: str, html_url: str) -> None:
    # Exactly the bytes that would be posted, so that they can be piped into a file or a renderer.
    sys.stdout.write(body.rstrip("\n") + "\n")
    if html_url.startswith(PLACEHOLDER_URL):
        err.print(f"This repository has no `origin` on a web host, so links start with {PLACEHOLDER_URL}")


def _caller_rows(report: CallerReport) -> list[dict[str, object]]:
    """The callers of one definition, proved ones first; `target…` tells apart what several definitions of one name have."""
    target = report.target
    return [
        {
            "path": each.path,
            "line": each.line,
            "symbol": each.symbol,
            "confidence": each.confidence,
            "target": target.definition.qualified,
            "target_path": target.path,
            "target_line": target.definition.first,
        }
        for each in (*report.exact, *report.possible)
    ]


def _print_unresolved(symbol: str, reports: list[CallerReport]) -> None:
    """What an array has no room for, on standard error: why it is empty, and how many calls of the name nothing resolves."""
    if not reports:
        err.print(f"Nothing here is called {printable(symbol)}.", markup=False)
    for reason in dict.fromkeys(each.reason for each in reports if each.reason):
        err.print(reason, markup=False)
    # Definitions of one name share such calls: their sum would count each several times.
    err.print(f"unresolved: {max((each.unresolved for each in reports), default=0)}", markup=False)


def _print_callers(symbol: str, reports: list[CallerReport]) -> None:
    if not reports:
        out.print(f"Nothing here is called {printable(symbol)}.", markup=False)
    for report in reports:
        target = report.target
        name, path = escape(printable(target.definition.qualified)), escape(printable(target.path))
        out.print(f"[bold]{name}[/]  {path}:{target.definition.first}")
        for each in (*report.exact, *report.possible):
            at = f"{printable(each.path)}:{each.line}  {printable(each.symbol)}"
            out.print(f"  {each.confidence:<9}{at}", markup=False)
        told = [f"{report.unresolved:,} calls of that name on receivers of unknown type"] if report.unresolved else []
        told += [report.reason] if report.reason else []
        for line in told:
            out.print(f"  {line}", markup=False)


def printable(text: str) -> str:
    """A name from a repository, with control characters (which a terminal would obey) and lone surrogates made visible."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape", "replace").decode() for char in text)
