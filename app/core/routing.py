"""Decides which jobs an event asks for, and why none where it asks for none; must not queue or fetch anything.

Jobs are hints: each re-reads the truth when it starts, so an event that comes late, twice or out of order costs a look and no more.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from app.core.events import (
    GHOST,
    CommentWritten,
    Event,
    Ignored,
    InstallationChanged,
    Ping,
    PullRequestChanged,
    Push,
    RepositoriesChanged,
    RepositoryChanged,
    TargetRenamed,
)
from app.core.mention import find_mention

# Beyond this many repositories in one event, one reconcile lists them instead: GitHub waits ten seconds for the answer.
MOST_REPOSITORIES = 50

_BOT_SUFFIX = "[bot]"


@dataclass(frozen=True, slots=True)
class AppIdentity:
    """Who we are: the App's id, its slug ("" until GitHub told it) and one more name we answer to."""

    app_id: int
    slug: str = ""
    handles: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Every name that wakes us, without `@`."""
        return tuple(name for name in dict.fromkeys([self.slug, *self.handles]) if name)

    @property
    def login(self) -> str:
        """The account our comments are written by, as GitHub shows it."""
        return f"{self.slug}{_BOT_SUFFIX}" if self.slug else ""


@dataclass(frozen=True, slots=True)
class Job:
    """A job by name, with JSON arguments. Two with one `key` are one while the first has not begun; `defer` is in seconds.

    `complete` says that the key holds all the job is asked (a commit, a text): the same key coming while the job runs adds
    nothing. Without it the job is run once more, because what it read at its start may be older than this hint.
    """

    name: str
    arguments: Mapping[str, object]
    key: str
    defer: float = 0
    complete: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """The jobs to queue; `reason` says why there are none, and is empty where there are some."""

    jobs: tuple[Job, ...] = field(default=())
    reason: str = ""


def route(event: Event, identity: AppIdentity) -> list[Job]:
    """The jobs that this event asks for."""
    return list(decide(event, identity).jobs)


def decide(event: Event, identity: AppIdentity) -> Decision:
    """The jobs that this event asks for, or the reason why it asks for none."""
    match event:
        case Ignored():
            return Decision(reason=event.reason)
        case Ping():
            return Decision(reason="ping: the webhook is set up")
        case Push():
            return _push(event)
        case PullRequestChanged():
            return _pull_request(event, identity)
        case CommentWritten():
            return _comment(event, identity)
        case InstallationChanged():
            return _installation(event)
        case RepositoriesChanged():
            return _repositories(event)
        case RepositoryChanged():
            return _repository(event)
        case TargetRenamed():
            return Decision((_reconcile(event.installation),))


def _push(event: Push) -> Decision:
    if not event.branch:
        return Decision(reason="not a branch")
    if event.branch != event.default_branch:
        return Decision(reason="not the default branch; an open pull request tells its own changes")
    if event.deleted:
        return Decision(reason="the branch was deleted")
    key = f"index_push:{event.repo}:{event.after}"
    return Decision((Job("index_push", {"installation": event.installation, "repo": event.repo}, key, complete=True),))


def _pull_request(event: PullRequestChanged, identity: AppIdentity) -> Decision:
    index = _pull_jobs(event)
    # Bots open and push to pull requests that people ask about, so only the text is a matter of who wrote it.
    written = _comment(event.written, identity) if event.written else Decision()
    jobs = (*index.jobs, *written.jobs)
    return Decision(jobs) if jobs else Decision(reason=index.reason or written.reason)


def _pull_jobs(event: PullRequestChanged) -> Decision:
    if event.action == "closed":
        return Decision(
            (_forget(event.installation, [event.repo], f"forget:{event.repo}:{event.number}", event.number),)
        )
    if event.action == "converted_to_draft":
        return Decision(reason="a draft keeps what it has")
    if event.action == "edited" and not (event.rebased or event.retitled):
        return Decision()
    arguments = {"installation": event.installation, "repo": event.repo, "number": event.number}
    return Decision((Job("index_pull", arguments, f"index_pull:{event.repo}:{event.number}:{event.head}"),))


def _comment(event: CommentWritten, identity: AppIdentity) -> Decision:
    refusal = _not_a_question(event, identity)
    if refusal:
        return Decision(reason=refusal)
    arguments = {
        "installation": event.installation,
        "repo": event.repo,
        "number": event.number,
        "kind": event.kind,
        "comment": event.comment,
    }
    place = f"{event.repo}:{event.number}:{event.kind}:{event.comment}"
    digest = hashlib.sha256(event.body.encode()).hexdigest()[:16]
    return Decision((Job("answer_mention", arguments, f"answer_mention:{place}:{digest}", complete=True),))


def _not_a_question(event: CommentWritten, identity: AppIdentity) -> str:
    """Why this text asks us nothing, or "". Who wrote it comes first: an answer of ours may well hold our own handle."""
    if event.app_id == identity.app_id or _is(event.author, identity.login) or _is(event.sender, identity.login):
        return "written by this App"
    if _bot(event.author, event.author_type) or _bot(event.sender, event.sender_type):
        return "written by a bot"
    if event.action == "deleted":
        return "the comment was deleted"
    if event.author == GHOST:
        return "the author's account was deleted, so nobody can be asked for permission"
    mention = find_mention(event.body, identity.names)
    if mention is None:
        return "no mention"
    if event.action == "edited":
        if event.before is None:
            return "the text did not change"
        if find_mention(event.before, identity.names) == mention:
            return "the edit asks the same as before"
    return ""


def _bot(login: str, kind: str) -> bool:
    return kind == "Bot" or login.endswith(_BOT_SUFFIX)


def _is(login: str, other: str) -> bool:
    return bool(other) and login.lower() == other.lower()


def _installation(event: InstallationChanged) -> Decision:
    if event.action == "suspend":
        return Decision(reason="suspended: left alone until it is unsuspended")
    if event.action == "deleted":
        return Decision((_forget(event.installation, None, f"forget:installation:{event.installation}"),))
    # The list of repositories in the payload is optional, so the job asks GitHub for it.
    return Decision((_reconcile(event.installation),))


def _repositories(event: RepositoriesChanged) -> Decision:
    if len(event.added) + len(event.removed) > MOST_REPOSITORIES:
        return Decision((_reconcile(event.installation),))
    jobs = [_index(event.installation, repo) for repo in event.added]
    jobs += [_forget(event.installation, [repo], f"forget:{repo}") for repo in event.removed]
    return Decision(tuple(jobs), "" if jobs else "no repository was added or removed")


def _repository(event: RepositoryChanged) -> Decision:
    if event.action == "deleted":
        return Decision((_forget(event.installation, [event.repo], f"forget:{event.repo}"),))
    if event.action == "archived":
        return Decision(reason="an archived repository is read-only; what is indexed stays right")
    if event.action in ("created", "unarchived") or event.default_branch_changed:
        return Decision((_index(event.installation, event.repo),))
    if event.action == "edited":
        return Decision(reason="the default branch did not change")
    # Renamed, transferred, privatized, publicized: its name, or who may see it, is another; GitHub tells which.
    return Decision((_reconcile(event.installation),))


def _index(installation: int, repo: int) -> Job:
    return Job("index_repo", {"installation": installation, "repo": repo}, f"index_repo:{repo}")


def _reconcile(installation: int) -> Job:
    return Job("reconcile", {"installation": installation}, f"reconcile:{installation}")


def _forget(installation: int, repos: list[int] | None, key: str, number: int | None = None) -> Job:
    return Job("forget", {"installation": installation, "repos": repos, "number": number}, key)
