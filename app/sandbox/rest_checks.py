"""REST: check runs, which only the App that made them may change."""

from __future__ import annotations

from datetime import datetime

from app.sandbox import repository_git, thread_payloads
from app.sandbox.call import Answer, Call
from app.sandbox.payloads import Json
from app.sandbox.refusal import Refusal, invalid, not_found, wrong_type
from app.sandbox.rest_commits import resolve_ref
from app.sandbox.router import route
from app.sandbox.state import CheckRun

ANNOTATIONS = 50
"""Annotations a request; more are appended by PATCH."""
TEXT_CHARACTERS = 65_535
"""The longest summary and text."""
MESSAGE_BYTES = 64 * 1024
TITLE_CHARACTERS = 255
STATUSES = ("queued", "in_progress", "completed", "waiting", "requested", "pending")
CONCLUSIONS = ("action_required", "cancelled", "failure", "neutral", "success", "skipped", "timed_out")
LEVELS = ("notice", "warning", "failure")


@route("POST", "/repo/check-runs", "checks:write")
async def create_check_run(call: Call) -> Answer:
    name, head = call.text("name"), call.text("head_sha")
    sha = await repository_git.resolve(call.repo.path, head) if len(head) == 40 else None
    if sha is None:
        raise Refusal(422, f"No commit found for SHA: {head}")
    state = call.host.state
    run = CheckRun(state.new_id("check"), call.repo, sha, name, "queued", None, state.clock(), None, None, "", {})
    _change(call, run)
    call.repo.checks.append(run)
    _send(call, "created", run)
    return Answer(201, thread_payloads.check_run(state, run))


@route("PATCH", "/repo/check-runs/{id}", "checks:write")
async def update_check_run(call: Call) -> Answer:
    run = _run(call)
    _change(call, run)
    if run.status == "completed":
        _send(call, "completed", run)
    return Answer(200, thread_payloads.check_run(call.host.state, run))


@route("GET", "/repo/check-runs/{id}", "checks:read")
async def get_check_run(call: Call) -> Answer:
    return Answer(200, thread_payloads.check_run(call.host.state, _run(call)))


@route("GET", "/repo/check-runs/{id}/annotations", "checks:read")
async def list_annotations(call: Call) -> Answer:
    return call.listing(list(_run(call).annotations))


def _run(call: Call) -> CheckRun:
    for run in call.repo.checks:
        if run.id == call.number("id"):
            return run
    raise not_found()


@route("GET", "/repo/commits/{ref}/check-runs", "checks:read")
async def list_check_runs(call: Call) -> Answer:
    """The check runs of a commit: the latest of each name unless `filter=all`."""
    sha = await resolve_ref(call.repo, call.params["ref"])
    found = [run for run in call.repo.checks if run.head_sha == sha]
    if call.query.get("filter", "latest") == "latest":
        found = list({run.name: run for run in found}.values())
    for name, attribute in (("check_name", "name"), ("status", "status")):
        if (wanted := call.query.get(name)) is not None:
            found = [run for run in found if getattr(run, attribute) == wanted]
    if (app := call.query.get("app_id")) is not None and app != str(call.host.state.app_id):
        found = []
    items: list[object] = [thread_payloads.check_run(call.host.state, run) for run in reversed(found)]
    return call.listing(items, lambda part: {"total_count": len(items), "check_runs": part})


def _change(call: Call, run: CheckRun) -> None:
    """Apply a request's properties after all of them were found valid."""
    body = call.json()
    status, conclusion = body.get("status", run.status), body.get("conclusion", run.conclusion)
    if status not in STATUSES:
        raise wrong_type("status", status, "a status of a check run")
    if conclusion is not None and conclusion not in CONCLUSIONS:
        raise wrong_type("conclusion", conclusion, "a conclusion of a check run")
    if conclusion is not None:
        status = "completed"
    if status == "completed" and conclusion is None:
        raise Refusal(422, 'Invalid request.\n\n"conclusion" wasn\'t supplied.')
    output = body.get("output")
    if output is not None:
        _change_output(run, output)
    run.status, run.conclusion = str(status), None if conclusion is None else str(conclusion)
    run.name = str(body.get("name", run.name))
    run.external_id = str(body.get("external_id", run.external_id))
    url = body.get("details_url", run.details_url)
    run.details_url = None if url is None else str(url)
    run.started = _time(body.get("started_at"), run.started)
    run.completed = _time(body.get("completed_at"), run.completed)
    if run.status == "completed" and run.completed is None:
        run.completed = call.host.state.clock()


def _time(value: object, default: float | None) -> float | None:
    if value is None:
        return default
    try:
        return datetime.fromisoformat(str(value)).timestamp()
    except ValueError:
        raise wrong_type("completed_at", value, "a time") from None


def _change_output(run: CheckRun, output: object) -> None:
    if not isinstance(output, dict):
        raise wrong_type("output", output, "an object")
    annotations = output.get("annotations") or []
    if "summary" not in output and "summary" not in run.output:
        raise Refusal(422, 'Invalid request.\n\n"summary" wasn\'t supplied.')
    for name in ("title", "summary", "text"):
        value = output.get(name)
        if value is not None and not isinstance(value, str):
            raise wrong_type(f"output/{name}", value, "a string")
        if value is not None and len(value) > TEXT_CHARACTERS:
            raise invalid("CheckRun", name, f"{name} exceeds a maximum length of {TEXT_CHARACTERS}")
    if not isinstance(annotations, list) or len(annotations) > ANNOTATIONS:
        raise Refusal(
            422, f"Invalid request.\n\nNo more than {ANNOTATIONS} items are allowed; {len(annotations)} were supplied."
        )
    for annotation in annotations:
        _check_annotation(annotation)
    run.output = run.output | {name: output[name] for name in ("title", "summary", "text") if name in output}
    run.annotations.extend(_annotation(one) for one in annotations)


def _check_annotation(one: object) -> None:
    if not isinstance(one, dict):
        raise wrong_type("annotations", one, "an object")
    for name, kind in (
        ("path", str),
        ("start_line", int),
        ("end_line", int),
        ("annotation_level", str),
        ("message", str),
    ):
        if not isinstance(one.get(name), kind):
            raise wrong_type(f"annotations/{name}", one.get(name), f"a {kind.__name__}")
    if one["annotation_level"] not in LEVELS:
        raise wrong_type("annotations/annotation_level", one["annotation_level"], f"one of {LEVELS}")
    if one["start_line"] > one["end_line"]:
        raise invalid("CheckRun", "annotations", "end_line must not precede start_line")
    if len(one["message"].encode()) > MESSAGE_BYTES or len(str(one.get("title") or "")) > TITLE_CHARACTERS:
        raise invalid("CheckRun", "annotations", "an annotation's message or title is too long")


def _annotation(one: Json) -> Json:
    names = (
        "path",
        "start_line",
        "end_line",
        "start_column",
        "end_column",
        "annotation_level",
        "title",
        "message",
        "raw_details",
    )
    return {name: one.get(name) for name in names} | {"blob_href": ""}


def _send(call: Call, action: str, run: CheckRun) -> None:
    fields: Json = {"action": action, "check_run": thread_payloads.check_run(call.host.state, run)}
    call.host.webhooks.repository_event("check_run", call.sender, call.repo, fields)
