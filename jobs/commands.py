"""Does what a whole-line command asks, and renders what to say about it; who may command was decided before."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from app.core.comment import (
    Status,
    help_comment,
    ignored_comment,
    no_summary_comment,
    paused_comment,
    reindex_comment,
    resumed_comment,
    status_comment,
)
from app.core.records import CHUNK, FILE
from app.core.routing import Job
from app.core.types import BRANCH, Comment, Where
from app.steps.reply import Place, unsay
from jobs.deps import Deps
from jobs.freshness import scope_records
from jobs.questions import about
from jobs.site import Site
from jobs.summarize_pull import is_summary, state_now, summarize
from jobs.thread_state import State, turn_for

ACKNOWLEDGEMENTS = {"pause": "paused", "resume": "resumed", "ignore": "ignored"}
"""Command → the kind of our acknowledgement, which is also where the state is kept."""


@dataclass(frozen=True, slots=True)
class Obeyed:
    """What to say about a command ("" where the result shows by itself), and the jobs to queue once it is said."""

    text: str
    then: tuple[Job, ...] = ()


async def obey(deps: Deps, site: Site, comment: Comment, command: str) -> Obeyed:
    """Carry out a command. Those about a pull request's context comment are answered with help elsewhere."""
    on = about(comment.kind, comment.id, comment.body)
    if command == "status":
        return Obeyed(status_comment(await _status(deps, site), site.repository.html_url, on))
    if command == "reindex":
        arguments = {"installation": site.installation, "repo": site.repo, "full": True}
        job = Job("index_repo", arguments, f"index_repo:{site.repo}:full")
        return Obeyed(reindex_comment(site.repository.default_branch, on), (job,))
    if site.pull is None or command == "help":
        return Obeyed(help_comment(deps.app.slug, on))
    if command == "summary":
        # Asked for by name, so it comes whatever the settings say of unasked ones.
        said = await summarize(deps, site)
        return Obeyed("" if said.shown else no_summary_comment(site.pull_head, on))
    return await _decide(deps, site, comment, command, on)


async def _decide(deps: Deps, site: Site, comment: Comment, command: str, on: dict[str, object]) -> Obeyed:
    """Pause, resume or ignore: the acknowledgement itself is the state."""
    assert site.pull is not None
    number = site.pull.number
    said = await deps.github.comments(site.installation, site.repo, number, is_pull=True)
    on = {**on, "turn": turn_for(said, deps.app, comment.kind, comment.id, ACKNOWLEDGEMENTS[command])}
    if command == "pause":
        return Obeyed(paused_comment(deps.app.slug, on))
    if command == "ignore":
        conversation = Place(site.installation, site.repo, number)
        await unsay(deps.github, deps.app, deps.queue.lock, conversation, is_summary)
        return Obeyed(ignored_comment(deps.app.slug, on))
    arguments = {"installation": site.installation, "repo": site.repo, "number": number}
    job = Job("summarize_pull", arguments, f"summarize_pull:{site.repo}:{number}:{site.pull_head}")
    return Obeyed(resumed_comment(on), (job,))


async def _status(deps: Deps, site: Site) -> Status:
    records = await scope_records(deps, site.repo)
    branch = records.get(BRANCH)
    files = await deps.index.read(site.repo, Where({"type": (FILE,), "scope": (BRANCH,)}), fields=("skip",))
    skipped = Counter(str(point.payload["skip"]) for point in files if point.payload.get("skip"))
    state = await state_now(deps, site) if site.pull else State.FOLLOWED
    return Status(
        branch=site.repository.default_branch,
        head=branch.head if branch else "",
        current=site.head,
        files=len(files) - sum(skipped.values()),
        chunks=await deps.index.count(site.repo, Where({"type": (CHUNK,), "scope": (BRANCH,)})),
        skipped=skipped,
        pulls=tuple(int(scope.rpartition("/")[2]) for scope in records if scope != BRANCH),
        indexing=branch is None or branch.dirty,
        paused=state is State.PAUSED,
        ignored=state is State.IGNORED,
        notes=(site.config_error,) if site.config_error else (),
    )
