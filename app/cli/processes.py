"""Commands that run the bot's processes, and `replay`, which shows what a delivery would lead to."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.terminal import FOUND, NOTHING, AsJson, out, print_json, run, settings
from app.core.errors import BadPayload, UserError

Host = Annotated[str, typer.Option(help="Address to listen on.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")]


def _jobs(name: str) -> Any:
    # The web side must run without the worker's code, so jobs are reached by name, as they are through the queue.
    return importlib.import_module(f"jobs.{name}")


def serve(host: Host = "127.0.0.1", port: Port = 8000) -> None:
    """Run everything in one process: web and worker, with Redis and Qdrant only where their URLs are set."""
    run(_jobs("serve").serve(settings().require_app(), host, port))


def web(host: Host = "127.0.0.1", port: Port = 8000) -> None:
    """Run the web process alone: receives deliveries and queues jobs in Redis."""
    run(_jobs("serve").serve_web(settings().require_app().require_redis(), host, port))


def worker() -> None:
    """Run a worker alone: takes jobs from Redis. Start as many as you like where QDRANT_URL is set."""
    run(_jobs("serve").serve_worker(settings().require_app().require_redis()))


def replay(
    event: Annotated[str, typer.Argument(help="The event's name, as in the header X-GitHub-Event.")],
    payload: Annotated[Path, typer.Argument(help="A file with the payload (JSON).", exists=True, dir_okay=False)],
    as_json: AsJson = False,
) -> None:
    """Dry run: show which jobs a delivery would queue, and why it would queue none. Sends nothing."""
    from app.core.events import Ignored, read_event
    from app.core.routing import AppIdentity, route

    try:
        body = json.loads(payload.read_bytes())
    except (ValueError, RecursionError) as problem:
        raise UserError(f"{payload} is not JSON: {problem}") from None
    if not isinstance(body, dict):
        raise UserError(f"{payload} would be refused: the payload is not an object")
    found = settings()
    identity = AppIdentity(app_id=found.app_id, slug="coderag", handles=tuple(filter(None, ("coderag", found.handle))))
    try:
        read = read_event(event, body)
    except BadPayload as problem:
        raise UserError(f"{payload} would be refused: {problem}") from None
    jobs = [] if isinstance(read, Ignored) else list(route(read, identity))
    if as_json:
        print_json({"event": type(read).__name__, "reason": getattr(read, "reason", None), "jobs": jobs})
    elif isinstance(read, Ignored):
        out.print(f"ignored: {read.reason}", markup=False)
    else:
        for job in jobs:
            out.print(f"{job.name} {json.dumps(job.arguments)}  key={job.key} defer={job.defer:g}s", markup=False)
        if not jobs:
            out.print(f"{type(read).__name__}: no job", markup=False)
    raise typer.Exit(FOUND if jobs else NOTHING)
