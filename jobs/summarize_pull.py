"""Keeps a pull request's one context comment: made, edited in place, taken away when there is nothing to say; newest head wins."""

from __future__ import annotations

from dataclasses import dataclass

from app.clients.github import Check
from app.core.comment import Marker, config_error_comment, pull_comment
from app.core.errors import Gone
from app.core.types import PullRequest
from app.steps.pull_context import pull_context
from app.steps.reply import Place, Said, post, unsay
from app.steps.view import view_of
from jobs.deps import Deps
from jobs.freshness import bring_pull
from jobs.site import Site, visit
from jobs.thread_state import State, state_of

NOTHING = "No code outside this pull request is known to use what it changes."


async def summarize_pull(deps: Deps, installation: int, repo: int, number: int) -> str:
    """Write the context comment for the head as it is now, unless the settings, a command or the pull request's state say no."""
    pull = await deps.github.pull(installation, repo, number)
    if pull.state != "open":
        return "closed"
    site = await visit(deps, installation, repo, pull)
    if site.repository.archived:
        return "the repository is archived"
    declined = site.config.auto_review.declines(title=pull.title, draft=pull.draft, base_ref=pull.base_ref)
    if declined:
        return declined
    state = await state_now(deps, site)
    if state is not State.FOLLOWED:
        return state.value
    return str((await summarize(deps, site)).said)


@dataclass(frozen=True, slots=True)
class Summarized:
    """What became of the context comment; `shown` tells whether the thread now holds one."""

    said: Said
    shown: bool


async def summarize(deps: Deps, site: Site) -> Summarized:
    """Bring the overlay up to date, then the comment and the check run. Posts nothing where the head moved meanwhile."""
    assert site.pull is not None
    await bring_pull(deps, site)
    await _tell_config_error(deps, site)
    body = await render(deps, site)
    place = Place(site.installation, site.repo, site.pull.number)
    ways = (deps.github, deps.app, deps.queue.lock, place)

    async def newest() -> bool:
        return await is_newest(deps, site)

    if body is None:
        said = await unsay(*ways, is_summary, newest)
        if await newest():
            await conclude(deps, site, "neutral", "Nothing to add", NOTHING)
        return Summarized(said, shown=False)
    said = await post(*ways, body, is_summary, newest)
    if said is not Said.UNWANTED:
        await conclude(deps, site, "success", "Context added", "The context comment names what uses the changed code.")
    return Summarized(said, shown=True)


async def _tell_config_error(deps: Deps, site: Site) -> None:
    """One clear comment while the base branch's settings cannot be used; it goes when they can."""
    assert site.pull is not None
    ways = (deps.github, deps.app, deps.queue.lock, Place(site.installation, site.repo, site.pull.number))
    if site.config_error:
        await post(*ways, config_error_comment(site.config_error, {"on": "pull"}), _is_config_error)
    else:
        await unsay(*ways, _is_config_error)


async def state_now(deps: Deps, site: Site) -> State:
    """Whether people paused or ignored this pull request, wherever in it they said so."""
    assert site.pull is not None
    said = await deps.github.comments(site.installation, site.repo, site.pull.number, is_pull=True)
    return state_of(said, deps.app)


async def render(deps: Deps, site: Site) -> str | None:
    """The comment for the fetched head; None where there is nothing to say. The same head and branch give the same bytes."""
    assert site.pull is not None
    view = await view_of(deps.index, site.repo, site.pull.number)
    base = await site.mirror.resolve(f"refs/heads/{site.pull.base_ref}")
    context = await pull_context(
        deps.index, deps.embedder, site.mirror, view, base=base, head=site.pull_head, workers=deps.workers
    )
    return pull_comment(context, site.repository.html_url, {"head": site.pull_head})


async def is_newest(deps: Deps, site: Site) -> bool:
    """Whether the pull request still has the head that was read. The loser of two runs posts nothing."""
    assert site.pull is not None
    try:
        now: PullRequest = await deps.github.pull(site.installation, site.repo, site.pull.number)
    except Gone:
        return False
    return now.head_sha == site.pull_head and now.state == "open"


async def conclude(deps: Deps, site: Site, conclusion: str, title: str, summary: str) -> None:
    """Set the check run on the head that was read; an App without the permission leaves it out."""
    check = Check(deps.app.id, conclusion, title, summary)
    await deps.github.check_run(site.installation, site.repo, site.pull_head, check)


async def is_wanted(deps: Deps, installation: int, repo: int, number: int) -> bool:
    """Whether the pull request is still open."""
    return (await deps.github.pull(installation, repo, number)).state == "open"


async def give_up(deps: Deps, reference: str, installation: int, repo: int, number: int) -> None:
    """A failed check on the head: the visible end of a summary that could not be made. Without that permission, a reaction."""
    pull = await deps.github.pull(installation, repo, number)
    summary = f"It was tried several times. The log has it under `{reference}`; the next push starts over."
    check = Check(deps.app.id, "failure", "The context could not be made", summary)
    if not await deps.github.check_run(installation, repo, pull.head_sha, check):
        await deps.github.react(installation, repo, number, "body", 0, "confused")


def is_summary(marker: Marker) -> bool:
    """Whether a marker is that of the context comment."""
    return marker.kind == "summary"


def _is_config_error(marker: Marker) -> bool:
    return marker.kind == "config" and marker.data.get("on") == "pull"
