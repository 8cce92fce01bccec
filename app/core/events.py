"""Reads a webhook delivery into one small frozen event; must not decide what is done about it.

Only the fields that are used are read. Unknown fields, actions and events are no error: GitHub adds them without notice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.core.fields import Fields

GHOST = "ghost"
"""Who GitHub shows as the author once an account is deleted (`user` is null)."""

ZERO = "0" * 40
"""What `before` or `after` of a push holds where a branch did not exist."""

BRANCHES = "refs/heads/"


@dataclass(frozen=True, slots=True)
class Ignored:
    """A delivery that asks nothing of us, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Ping:
    """GitHub tells that the webhook was set up."""

    hook: int


@dataclass(frozen=True, slots=True)
class Push:
    """A ref moved from `before` to `after` (40 or 64 hex digits; zeros where it was created or deleted)."""

    installation: int
    repo: int
    ref: str
    before: str
    after: str
    default_branch: str
    forced: bool = False

    @property
    def deleted(self) -> bool:
        """Whether the ref is gone."""
        return not self.after.strip("0")

    @property
    def branch(self) -> str:
        """The branch's name; empty for a tag and any other ref."""
        return self.ref.removeprefix(BRANCHES) if self.ref.startswith(BRANCHES) else ""


@dataclass(frozen=True, slots=True)
class CommentWritten:
    """A person or bot wrote, changed or removed text that may mention us.

    `action` is created, edited or deleted. `kind` is issue (a comment on an issue or in a pull request's conversation),
    review_comment, review or body (the text of the issue or pull request itself; `comment` is then 0). `before` is the
    text before an edit, None where it did not change. `app_id` is the App through which it was written.
    `sender` did this; on an edit that need not be the author.
    """

    installation: int
    repo: int
    number: int
    kind: str
    comment: int
    action: str
    body: str
    author: str
    author_type: str
    sender: str
    sender_type: str
    is_pull: bool
    app_id: int | None = None
    before: str | None = None


@dataclass(frozen=True, slots=True)
class PullRequestChanged:
    """A pull request's state changed. `rebased` and `retitled` tell what an edit changed; `written` is its body, if that is new.

    `head_repo` is None once the fork is deleted.
    """

    installation: int
    repo: int
    number: int
    action: str
    head: str
    head_repo: int | None
    base_ref: str
    title: str
    draft: bool
    author: str
    author_type: str
    rebased: bool = False
    retitled: bool = False
    written: CommentWritten | None = None


@dataclass(frozen=True, slots=True)
class InstallationChanged:
    """The App was installed, removed, suspended, unsuspended, or given other permissions (`action`)."""

    installation: int
    action: str


@dataclass(frozen=True, slots=True)
class RepositoriesChanged:
    """An installation gained and lost these repositories (ids)."""

    installation: int
    added: tuple[int, ...]
    removed: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RepositoryChanged:
    """A repository itself changed. `default_branch_changed` tells whether an edit named another default branch."""

    installation: int
    repo: int
    action: str
    default_branch_changed: bool = False


@dataclass(frozen=True, slots=True)
class TargetRenamed:
    """The account that holds an installation has another name."""

    installation: int
    login: str


Event = (
    Ignored
    | Ping
    | Push
    | PullRequestChanged
    | CommentWritten
    | InstallationChanged
    | RepositoriesChanged
    | RepositoryChanged
    | TargetRenamed
)

COMMENT_ACTIONS = frozenset({"created", "edited", "deleted"})
INSTALLATION_ACTIONS = frozenset({"created", "deleted", "suspend", "unsuspend", "new_permissions_accepted"})
REPOSITORY_ACTIONS = frozenset(
    {"created", "deleted", "renamed", "transferred", "privatized", "publicized", "archived", "unarchived", "edited"}
)
PULL_ACTIONS = frozenset(
    {"opened", "reopened", "synchronize", "ready_for_review", "converted_to_draft", "edited", "closed"}
)


def read_event(name: str, payload: Mapping[str, object]) -> Event:
    """The event of a delivery with this `X-GitHub-Event` name, or Ignored with the reason.

    Raises BadPayload where a field that is needed is absent or of the wrong type. Field meanings: GitHub's
    "Webhook events and payloads".
    """
    reader = _READERS.get(name)
    if reader is None:
        return Ignored(f"event {name} is not used")
    fields = Fields(payload, name)
    if name == "ping":
        return _ping(fields, 0)
    if not fields.has("installation"):
        # Repository and organisation webhooks have none, and without it there is no token to act with.
        return Ignored("not sent to an App: the payload names no installation")
    return reader(fields, fields.inner("installation").number("id"))


def _ping(fields: Fields, _installation: int) -> Event:
    return Ping(fields.number("hook_id", default=0))


def _push(fields: Fields, installation: int) -> Event:
    repository = fields.inner("repository")
    return Push(
        installation=installation,
        repo=repository.number("id"),
        ref=fields.text("ref"),
        before=fields.sha("before"),
        after=fields.sha("after"),
        default_branch=repository.text("default_branch"),
        forced=fields.flag("forced"),
    )


def _pull_request(fields: Fields, installation: int) -> Event:
    action = fields.text("action")
    if action not in PULL_ACTIONS:
        return _unused(fields)
    pull, repo, changes = fields.inner("pull_request"), fields.inner("repository").number("id"), fields.maybe("changes")
    head, author = pull.inner("head"), pull.maybe("user")
    number = pull.number("number")
    written = None
    if action in ("opened", "edited"):
        written = _written(fields, installation, pull, kind="body", number=number, is_pull=True)
    return PullRequestChanged(
        installation=installation,
        repo=repo,
        number=number,
        action=action,
        head=head.sha("sha"),
        head_repo=head.maybe("repo").number("id", default=0) or None,
        base_ref=pull.inner("base").text("ref"),
        title=pull.text("title"),
        draft=pull.flag("draft"),
        author=author.text("login", default=GHOST),
        author_type=author.text("type", default="User"),
        rebased=changes.has("base"),
        retitled=changes.has("title"),
        written=written,
    )


def _issues(fields: Fields, installation: int) -> Event:
    if fields.text("action") not in ("opened", "edited"):
        return _unused(fields)
    issue = fields.inner("issue")
    number, is_pull = issue.number("number"), issue.has("pull_request")
    return _written(fields, installation, issue, kind="body", number=number, is_pull=is_pull)


def _issue_comment(fields: Fields, installation: int) -> Event:
    if fields.text("action") not in COMMENT_ACTIONS:
        return _unused(fields)
    issue = fields.inner("issue")
    number, is_pull = issue.number("number"), issue.has("pull_request")
    return _written(fields, installation, fields.inner("comment"), kind="issue", number=number, is_pull=is_pull)


def _review_comment(fields: Fields, installation: int) -> Event:
    if fields.text("action") not in COMMENT_ACTIONS:
        return _unused(fields)
    number = fields.inner("pull_request").number("number")
    comment = fields.inner("comment")
    return _written(fields, installation, comment, kind="review_comment", number=number, is_pull=True)


def _review(fields: Fields, installation: int) -> Event:
    if fields.text("action") not in ("submitted", "edited"):
        return _unused(fields)
    number = fields.inner("pull_request").number("number")
    return _written(fields, installation, fields.inner("review"), kind="review", number=number, is_pull=True)


def _written(
    fields: Fields, installation: int, text: Fields, *, kind: str, number: int, is_pull: bool
) -> CommentWritten:
    """The text that `fields` is about: a comment, a review, or (kind body) an issue or pull request."""
    action = fields.text("action")
    author, sender, app = text.maybe("user"), fields.maybe("sender"), text.maybe("performed_via_github_app")
    changed = fields.maybe("changes").maybe("body")
    return CommentWritten(
        installation=installation,
        repo=fields.inner("repository").number("id"),
        number=number,
        kind=kind,
        comment=0 if kind == "body" else text.number("id"),
        action="created" if action in ("opened", "submitted") else action,
        body=text.text("body", default=""),
        author=author.text("login", default=GHOST),
        author_type=author.text("type", default="User"),
        sender=sender.text("login", default=GHOST),
        sender_type=sender.text("type", default="User"),
        is_pull=is_pull,
        app_id=app.number("id", default=0) or None,
        before=changed.text("from", default="") if changed.present else None,
    )


def _installation(fields: Fields, installation: int) -> Event:
    action = fields.text("action")
    return InstallationChanged(installation, action) if action in INSTALLATION_ACTIONS else _unused(fields)


def _repositories(fields: Fields, installation: int) -> Event:
    if fields.text("action") not in ("added", "removed"):
        return _unused(fields)
    return RepositoriesChanged(
        installation,
        added=tuple(repository.number("id") for repository in fields.items("repositories_added")),
        removed=tuple(repository.number("id") for repository in fields.items("repositories_removed")),
    )


def _repository(fields: Fields, installation: int) -> Event:
    action = fields.text("action")
    if action not in REPOSITORY_ACTIONS:
        return _unused(fields)
    return RepositoryChanged(
        installation,
        repo=fields.inner("repository").number("id"),
        action=action,
        default_branch_changed=fields.maybe("changes").has("default_branch"),
    )


def _target(fields: Fields, installation: int) -> Event:
    if fields.text("action") != "renamed":
        return _unused(fields)
    return TargetRenamed(installation, fields.maybe("account").text("login", default=""))


def _unused(fields: Fields) -> Ignored:
    return Ignored(f"{fields.where} action {fields.text('action')[:60]} is not used")


_READERS: dict[str, Callable[[Fields, int], Event]] = {
    "ping": _ping,
    "push": _push,
    "pull_request": _pull_request,
    "pull_request_review": _review,
    "pull_request_review_comment": _review_comment,
    "issues": _issues,
    "issue_comment": _issue_comment,
    "installation": _installation,
    "installation_repositories": _repositories,
    "installation_target": _target,
    "repository": _repository,
}

EVENTS = frozenset(_READERS)
"""Every event name that is read."""
