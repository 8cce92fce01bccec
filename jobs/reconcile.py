"""Compares all we hold with GitHub, because deliveries get lost: queues what is missing, stale, unanswered or left over."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from app.core.comment import read_marker
from app.core.errors import Forbidden, Gone, Suspended
from app.core.events import CommentWritten
from app.core.records import ScopeRecord
from app.core.routing import AppIdentity, Job, decide
from app.core.types import BRANCH, Comment, PullRequest, Repository
from app.steps.reply import is_ours
from jobs.deps import Deps
from jobs.freshness import scope_records
from jobs.questions import question_hash

log = logging.getLogger(__name__)

UNANSWERED_SECONDS = 3 * 24 * 3600.0
"""How far back mentions are looked for: as long as GitHub itself can redeliver an event."""

Thread = tuple[int, Comment]
"""A comment with the number of the issue or pull request it is in."""


async def reconcile(deps: Deps, installation: int | None = None) -> str:
    """Look at one installation, or queue that for each and `forget` what none of them shows us any more."""
    if installation is None:
        return await _reconcile_all(deps)
    try:
        state = await deps.github.installation(installation)
    except Gone:
        return "not installed"
    if state.suspended:
        return "suspended"
    # Whatever brought us here may have changed what the installation grants.
    deps.github.forget_tokens(installation)
    repositories = await deps.github.installation_repositories(installation)
    queued = sum([await _reconcile_repository(deps, installation, repository) for repository in repositories])
    queued += await _forget_lost(deps, installation, {repository.id for repository in repositories})
    return f"{len(repositories)} repositories seen, {queued} jobs queued"


async def _reconcile_all(deps: Deps) -> str:
    """One job an installation, so that a rate limit of one does not hold up the others."""
    installations = await deps.github.installations()
    active = [one.id for one in installations if not one.suspended]
    for one in active:
        await deps.queue.enqueue(Job("reconcile", {"installation": one}, f"reconcile:{one}"))
    seen: set[int] = set()
    for one in active:
        try:
            seen |= {repository.id for repository in await deps.github.installation_repositories(one)}
        except Suspended:
            return "an installation was suspended meanwhile; leftovers wait"
        except Gone:
            continue  # uninstalled since it was listed, so its repositories are left over
    queued = await _forget_leftovers(deps, seen, {one.id for one in installations if one.suspended})
    return f"{len(active)} installations queued, {queued} repositories left over"


def _since() -> str:
    return datetime.fromtimestamp(time.time() - UNANSWERED_SECONDS, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


async def _reconcile_repository(deps: Deps, installation: int, repository: Repository) -> int:
    """The number of jobs queued. One repository that cannot be read does not keep the others from being looked at."""
    try:
        records = await scope_records(deps, repository.id)
        head = await deps.github.branch_head(installation, repository.id, repository.default_branch)
        pulls = await deps.github.pulls_open(installation, repository.id)
        jobs = stale(installation, repository.id, head, pulls, records, _since())
        if not repository.archived:
            jobs += await _unanswered(deps, installation, repository.id, pulls)
    except (Gone, Forbidden) as error:
        log.info("repository passed over", extra={"repository": repository.id, "reason": str(error)})
        return 0
    return await _enqueue(deps, jobs)


def stale(
    installation: int,
    repo: int,
    head: str,
    pulls: Iterable[PullRequest],
    records: Mapping[str, ScopeRecord],
    since: str,
) -> list[Job]:
    """Jobs for every scope that is missing, behind its head, unfinished, or of a pull request that is no longer open.

    A pull request that we know nothing of was lost on the way if it was opened after `since` and its branch was indexed;
    older ones were there before us, and nobody wants them all commented on at once.
    """
    jobs = []
    where = {"installation": installation, "repo": repo}
    branch = records.get(BRANCH)
    if head and (branch is None or branch.dirty or branch.head != head or branch.installation != installation):
        jobs.append(Job("index_repo", where, f"index_repo:{repo}"))
    open_scopes = set()
    for pull in pulls:
        name = f"pull/{pull.number}"
        open_scopes.add(name)
        held = records.get(name)
        lost = held is None and branch is not None and pull.created_at >= since
        if lost or (held is not None and (held.dirty or held.head != pull.head_sha)):
            key = f"index_pull:{repo}:{pull.number}:{pull.head_sha}"
            jobs.append(Job("index_pull", {**where, "number": pull.number}, key))
    for name in sorted(records.keys() - open_scopes - {BRANCH}):
        number = int(name.rpartition("/")[2])
        arguments = {"installation": installation, "repos": [repo], "number": number}
        jobs.append(Job("forget", arguments, f"forget:{repo}:{number}"))
    return jobs


async def _unanswered(deps: Deps, installation: int, repo: int, pulls: Iterable[PullRequest]) -> list[Job]:
    since = _since()
    said: list[Thread] = []
    for kind in ("issue", "review_comment"):
        said += await deps.github.comments_since(installation, repo, kind, since)
    for issue in await deps.github.issues_since(installation, repo, since):
        if issue.created_at >= since:  # older ones are listed too, when somebody says something in them
            said.append(
                (issue.number, Comment(0, "body", issue.author, issue.author_type, issue.body, issue.created_at))
            )
    for pull in pulls:
        reviews = await deps.github.reviews(installation, repo, pull.number)
        said += [(pull.number, review) for review in reviews if review.created_at >= since]
    identity = AppIdentity(deps.app.id, deps.app.slug, deps.handles)
    return unanswered(installation, repo, said, identity, _answered(deps, said))


def _answered(deps: Deps, said: Iterable[Thread]) -> set[tuple[object, ...]]:
    """What our own comments say they answer: thread, kind, comment and hash of the text."""
    found: set[tuple[object, ...]] = set()
    for number, comment in said:
        marker = read_marker(comment.body)
        # A comment that only says the answer will come is no answer.
        if marker is not None and not marker.data.get("waiting") and is_ours(comment, deps.app):
            found.add((number, marker.data.get("on"), marker.data.get("comment"), marker.data.get("text")))
    return found


def unanswered(
    installation: int, repo: int, said: Iterable[Thread], identity: AppIdentity, answered: set[tuple[object, ...]]
) -> list[Job]:
    """The answer jobs for texts that speak to us and that none of our comments names, as a delivery would have queued them."""
    jobs: list[Job] = []
    for number, comment in said:
        if (number, comment.kind, comment.id, question_hash(comment.body)) in answered:
            continue
        event = CommentWritten(
            installation=installation,
            repo=repo,
            number=number,
            kind=comment.kind,
            comment=comment.id,
            action="created",
            body=comment.body,
            author=comment.author,
            author_type=comment.author_type,
            sender=comment.author,
            sender_type=comment.author_type,
            is_pull=comment.kind in ("review", "review_comment"),
            app_id=comment.app_id,
        )
        jobs += decide(event, identity).jobs
    return jobs


async def _forget_leftovers(deps: Deps, seen: set[int], suspended: set[int]) -> int:
    """Queue `forget` for what no installation shows us any more; a suspended one may come back."""
    jobs = []
    for repo in sorted({*await deps.index.repositories(), *deps.mirrors.repositories()} - seen):
        holders = {record.installation for record in (await scope_records(deps, repo)).values()}
        if not holders & suspended:
            arguments = {"installation": max(holders, default=0), "repos": [repo], "number": None}
            jobs.append(Job("forget", arguments, f"forget:{repo}"))
    return await _enqueue(deps, jobs)


async def _forget_lost(deps: Deps, installation: int, seen: set[int]) -> int:
    """Queue `forget` for repositories that this installation gave us and no longer gives."""
    jobs = []
    for repo in sorted(set(await deps.index.repositories()) - seen):
        holders = {record.installation for record in (await scope_records(deps, repo)).values()}
        if installation in holders:
            arguments = {"installation": installation, "repos": [repo], "number": None}
            jobs.append(Job("forget", arguments, f"forget:{repo}"))
    return await _enqueue(deps, jobs)


async def _enqueue(deps: Deps, jobs: Iterable[Job]) -> int:
    return sum([await deps.queue.enqueue(job) for job in jobs])
