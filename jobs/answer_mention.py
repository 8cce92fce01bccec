"""Answers a comment that speaks to us: a question with evidence, a command with what was done; in the thread it came from."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from app.clients.github import Permission
from app.core.comment import Marker, answer_comment, failure_comment, not_indexed_comment, read_marker, refusal_comment
from app.core.errors import Gone, NoVectors
from app.core.mention import Mention, find_mention
from app.core.query import Question, read_question
from app.core.types import BRANCH, Answer, App, Comment, Issue
from app.steps.reply import Place, Said, is_ours, post
from app.steps.retrieve import retrieve
from app.steps.view import view_of
from jobs.commands import obey
from jobs.deps import Deps
from jobs.freshness import bring_branch, bring_pull, scope_records
from jobs.questions import about, answers, question_hash
from jobs.site import Site, visit

log = logging.getLogger(__name__)

WRITERS_COMMANDS = frozenset({"reindex", "pause", "resume", "ignore", "summary"})
"""Commands that change what others see or cost much: for people with write access, whoever may ask questions."""

HOUR = timedelta(hours=1)


@dataclass(frozen=True)
class Asked:
    """A comment that speaks to us, as it stands now, and where it stands."""

    comment: Comment
    issue: Issue
    mention: Mention
    place: Place

    @property
    def about(self) -> dict[str, object]:
        """The marker fields of what we say to it."""
        return about(self.comment.kind, self.comment.id, self.comment.body)


async def answer_mention(deps: Deps, installation: int, repo: int, number: int, kind: str, comment: int) -> str:
    """Answer the comment as it stands now; leave quietly where it is gone, locked away, no longer ours to answer."""
    asked, repository = await asyncio.gather(
        _read(deps, installation, repo, number, kind, comment), deps.github.repository(installation, repo)
    )
    if isinstance(asked, str):
        return asked
    if repository.archived:
        return "the repository is archived"
    await deps.github.react(installation, repo, number, kind, comment, "eyes")
    # A closed pull request has lost its overlay, and perhaps its base branch: it is answered from the branch.
    is_open = asked.issue.is_pull and asked.issue.state == "open"
    pull = await deps.github.pull(installation, repo, number) if is_open else None
    site, said, permission = await asyncio.gather(
        visit(deps, installation, repo, pull, repository),
        deps.github.comments(installation, repo, number, is_pull=asked.issue.is_pull),
        deps.github.permission(installation, repo, asked.comment.author),
    )
    earlier, allowed = replies(said, deps.app, asked), may_ask(site, asked, permission)
    if is_loud(earlier, site.config.limits.questions_per_thread_per_hour) or (
        not allowed and was_refused(earlier, asked)
    ):
        await deps.github.react(installation, repo, number, kind, comment, "confused")
        return "enough was said in this thread"
    if not allowed:
        return f"refused ({await _say(deps, asked, _refusal(site, asked, permission))})"
    if asked.mention.question:
        return str(await _say(deps, asked, await _answer(deps, site, asked)))
    obeyed = await obey(deps, site, asked.comment, asked.mention.command or "help")
    outcome = await _say(deps, asked, obeyed.text) if obeyed.text else await _approve(deps, asked)
    for job in obeyed.then:
        await deps.queue.enqueue(job)
    return str(outcome)


async def is_wanted(deps: Deps, installation: int, repo: int, number: int, kind: str, comment: int) -> bool:
    """Whether the comment is still there and still ours to answer."""
    return not isinstance(await _read(deps, installation, repo, number, kind, comment), str)


async def give_up(
    deps: Deps, reference: str, installation: int, repo: int, number: int, kind: str, comment: int
) -> None:
    """One honest comment in place of the answer, and a reaction on the question."""
    asked = await _read(deps, installation, repo, number, kind, comment)
    if isinstance(asked, str):
        return
    await deps.github.react(installation, repo, number, kind, comment, "confused")
    await _say(deps, asked, failure_comment("The answer", reference, asked.about))


async def _read(deps: Deps, installation: int, repo: int, number: int, kind: str, comment: int) -> Asked | str:
    """What is asked now, or why nothing is."""
    issue = await deps.github.issue(installation, repo, number)
    if issue.locked:
        return "locked"
    if kind == "body":
        text = Comment(0, "body", issue.author, issue.author_type, issue.body, "")
    else:
        text = await deps.github.comment(installation, repo, number, kind, comment)
    if text.author_type == "Bot" or is_ours(text, deps.app):
        return "written by a bot"
    mention = find_mention(text.body, deps.handles)
    if mention is None:
        return "no longer a mention"
    thread = (text.in_reply_to or text.id) if kind == "review_comment" else None
    return Asked(text, issue, mention, Place(installation, repo, number, thread))


def may_ask(site: Site, asked: Asked, permission: Permission) -> bool:
    """Whether the person may have this: by the settings, and for what changes things by write access as well."""
    if _is_for_writers(asked, permission):
        return False
    private = site.repository.private
    return site.config.who_may_ask.allows(
        asked.comment.author, permission=permission.level, role=permission.role, private=private
    )


def _is_for_writers(asked: Asked, permission: Permission) -> bool:
    return asked.mention.command in WRITERS_COMMANDS and permission.level not in ("write", "admin")


def _refusal(site: Site, asked: Asked, permission: Permission) -> str:
    """The one polite line: it says what this person lacks, for what was asked."""
    command = asked.mention.command if _is_for_writers(asked, permission) else ""
    least = site.config.who_may_ask.least(private=site.repository.private)
    return refusal_comment({**asked.about, "to": asked.comment.author}, least, command)


def replies(said: Iterable[Comment], app: App, asked: Asked) -> list[tuple[Comment, Marker]]:
    """What we said in the thread to other comments than this one. What was said to this one is edited in place."""
    found = []
    for one in said:
        marker = read_marker(one.body)
        if marker is None or "text" not in marker.data or not is_ours(one, app):
            continue
        if not answers(asked.comment.kind, asked.comment.id)(marker):
            found.append((one, marker))
    return found


def is_loud(earlier: Iterable[tuple[Comment, Marker]], most: int) -> bool:
    """Whether the thread got its fill within the hour: the second line against two bots that answer each other."""
    recent = (datetime.now(UTC) - HOUR).strftime("%Y-%m-%dT%H:%M:%SZ")
    return sum(one.created_at >= recent for one, _ in earlier) >= most


def was_refused(earlier: Iterable[tuple[Comment, Marker]], asked: Asked) -> bool:
    """Whether this person has had the one polite line in this thread."""
    return any(marker.kind == "refusal" and marker.data.get("to") == asked.comment.author for _, marker in earlier)


async def _answer(deps: Deps, site: Site, asked: Asked) -> str:
    if not site.head:
        nothing = Answer("related", thin=True, reason="This repository has no commits yet.")
        return answer_comment(nothing, site.repository.html_url, asked.about)
    branch = (await scope_records(deps, site.repo)).get(BRANCH)
    if branch is None or not branch.head:
        await _say(deps, asked, not_indexed_comment({**asked.about, "waiting": True}))
    try:
        await (bring_branch(deps, site) if site.pull is None else bring_pull(deps, site))
    except NoVectors as error:
        if branch is None or not branch.head:
            raise
        # The asker gets what is indexed, at its own commit, now; the push is indexed once the service is back.
        log.warning("answered from an older index", extra={"error": str(error)})
    view = await view_of(deps.index, site.repo, site.pull.number if site.pull else None)
    answer = await retrieve(
        deps.index, deps.embedder, site.mirror, view, _question(asked), site.config.limits.citations
    )
    return answer_comment(answer, site.repository.html_url, asked.about)


def _question(asked: Asked) -> Question:
    """What to look for: the question; with the lines it was asked on, or the issue it was asked in, where it names nothing itself."""
    text, comment = asked.mention.question, asked.comment
    if comment.kind == "body":
        return read_question(text, asked.issue.title)
    question = read_question(text)
    if question.symbols or question.paths or question.frames or question.kind in {"overview", "signature", "snippet"}:
        return question
    if comment.path:
        return read_question(f"{text}\n\n{comment.path}:{comment.line or 1}\n{comment.diff_hunk}")
    if len(question.subject) <= 1:
        return read_question(f"{text}\n\n{asked.issue.body}", asked.issue.title)
    return question


async def _approve(deps: Deps, asked: Asked) -> str:
    """A thumb up where what was asked for shows elsewhere in the thread."""
    place, comment = asked.place, asked.comment
    await deps.github.react(place.installation, place.repo, place.number, comment.kind, comment.id, "+1")
    return "done"


async def _say(deps: Deps, asked: Asked, text: str) -> Said:
    """Post in place of what we said to this comment before, unless it was edited or deleted meanwhile."""
    place, comment = asked.place, asked.comment

    async def unchanged() -> bool:
        try:
            now = await deps.github.comment(place.installation, place.repo, place.number, comment.kind, comment.id)
        except Gone:
            return False
        return question_hash(now.body) == question_hash(comment.body)

    same = answers(comment.kind, comment.id)
    return await post(deps.github, deps.app, deps.queue.lock, place, text, same, unchanged)
