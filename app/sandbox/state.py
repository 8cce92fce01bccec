"""What the stand-in GitHub knows: users, repositories, threads, comments. Owns identity and lookup; sends and serves nothing."""

from __future__ import annotations

import base64
import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

ZERO_SHA = "0" * 40

# Ids start where GitHub's are today: comment ids no longer fit in 31 bits, and no two kinds share a number, so that a mix-up shows.
FIRST_IDS: Mapping[str, int] = {
    "user": 210_000_001,
    "repository": 1_090_000_001,
    "installation": 91_000_001,
    "thread": 3_480_000_001,
    "comment": 3_590_000_001,
    "review": 3_300_000_001,
    "reaction": 390_000_001,
    "check": 54_000_000_001,
    "delivery": 187_000_000_001,
}

DEFAULT_PERMISSIONS: Mapping[str, str] = {
    "metadata": "read",
    "contents": "read",
    "issues": "write",
    "pull_requests": "write",
    "checks": "write",
}

DEFAULT_EVENTS: tuple[str, ...] = (
    "issue_comment",
    "issues",
    "pull_request",
    "pull_request_review",
    "pull_request_review_comment",
    "push",
    "repository",
)


def iso(seconds: float) -> str:
    """The form of every time in GitHub's JSON: UTC, whole seconds."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def node_id(kind: str, number: int) -> str:
    """An opaque global id, as GitHub gives beside each numeric one."""
    return f"{kind}_" + base64.urlsafe_b64encode(f"{kind}:{number}".encode()).decode().rstrip("=")


@dataclass
class User:
    """An account. `deleted` shows as `user: null` in everything it wrote."""

    id: int
    login: str
    type: str = "User"
    deleted: bool = False


@dataclass
class Reaction:
    id: int
    user: User
    content: str
    created: float


@dataclass
class Comment:
    """One comment. `kind` is issue or review; the fields from `path` on are used by review comments only.

    `line` and `side` are those of the diff it was written on; `commit` is the pull request's head at that time.
    """

    id: int
    kind: str
    repository: Repository
    thread: Thread
    author: User
    body: str | None
    created: float
    updated: float
    by_app: bool = False
    reactions: list[Reaction] = field(default_factory=list)
    review: Review | None = None
    in_reply_to: int | None = None
    path: str = ""
    line: int | None = None
    side: str = "RIGHT"
    start_line: int | None = None
    start_side: str | None = None
    commit: str = ""
    diff_hunk: str = ""
    position: int | None = None


@dataclass
class Review:
    id: int
    thread: Thread
    author: User
    body: str | None
    state: str
    commit: str
    submitted: float
    by_app: bool = False


@dataclass
class Pull:
    """The pull-request half of a thread. `head_repository` is None once the fork is deleted; counts are git's, at the head."""

    base_ref: str
    base_sha: str
    head_ref: str
    head_sha: str
    head_owner: User
    head_repository: Repository | None
    draft: bool = False
    merged_at: float | None = None
    merged_by: User | None = None
    merge_commit: str | None = None
    commits: int = 0
    additions: int = 0
    deletions: int = 0
    changed_files: int = 0
    reviews: list[Review] = field(default_factory=list)


@dataclass
class Thread:
    """An issue, or a pull request where `pull` is set; they share one number line."""

    id: int
    number: int
    repository: Repository
    title: str
    body: str | None
    author: User
    created: float
    updated: float
    state: str = "open"
    state_reason: str | None = None
    closed_at: float | None = None
    locked: bool = False
    labels: list[str] = field(default_factory=list)
    by_app: bool = False
    reactions: list[Reaction] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    pull: Pull | None = None

    def of_kind(self, kind: str) -> list[Comment]:
        """Its comments of one kind, oldest first."""
        return [comment for comment in self.comments if comment.kind == kind]


@dataclass
class CheckRun:
    id: int
    repository: Repository
    head_sha: str
    name: str
    status: str
    conclusion: str | None
    started: float | None
    completed: float | None
    details_url: str | None
    external_id: str
    output: dict[str, object]
    annotations: list[dict[str, object]] = field(default_factory=list)


@dataclass
class Repository:
    """A repository. `path` is its bare git directory, which no rename moves."""

    id: int
    owner: User
    name: str
    path: Path
    private: bool
    default_branch: str
    created: float
    pushed: float
    archived: bool = False
    deleted: bool = False
    fork_of: Repository | None = None
    permissions: dict[str, str] = field(default_factory=dict)
    threads: dict[int, Thread] = field(default_factory=dict)
    checks: list[CheckRun] = field(default_factory=list)

    @property
    def full_name(self) -> str:
        return f"{self.owner.login}/{self.name}"

    @property
    def node_id(self) -> str:
        return node_id("R", self.id)


@dataclass
class Installation:
    """The App on one account. `selected` is None for all repositories of the account, else the chosen ids."""

    id: int
    account: User
    permissions: dict[str, str]
    created: float
    selected: set[int] | None = None
    suspended_at: float | None = None
    deleted: bool = False


class State:
    """Everything the stand-in knows, with the lookups its parts share. Times come from `clock` (epoch seconds)."""

    def __init__(self, directory: Path, app_id: int, slug: str, clock: Callable[[], float]) -> None:
        self.directory = directory
        self.app_id = app_id
        self.slug = slug
        self.clock = clock
        self.html_url = ""
        self.permissions = dict(DEFAULT_PERMISSIONS)
        self.events = list(DEFAULT_EVENTS)
        self.created = clock()
        self.users: dict[str, User] = {}
        self.repositories: dict[int, Repository] = {}
        self.former_names: dict[str, int] = {}
        self.installations: dict[int, Installation] = {}
        self.comments: dict[int, Comment] = {}
        self._ids: dict[str, Iterator[int]] = {kind: itertools.count(first) for kind, first in FIRST_IDS.items()}
        self.owner = self.user(f"{slug}-owner")
        self.bot = self.user(f"{slug}[bot]", "Bot")

    @property
    def api_url(self) -> str:
        return f"{self.html_url}/api/v3"

    def new_id(self, kind: str) -> int:
        return next(self._ids[kind])

    def user(self, login: str, kind: str = "User") -> User:
        """The account of that name (logins ignore case); made at the first mention."""
        found = self.users.get(login.lower())
        if found is None:
            found = self.users[login.lower()] = User(self.new_id("user"), login, kind)
        return found

    def find_repository(self, full_name: str) -> tuple[Repository | None, bool]:
        """The repository of that name now or once, and whether the name is one it no longer has."""
        wanted = full_name.lower()
        for repository in self.repositories.values():
            if not repository.deleted and repository.full_name.lower() == wanted:
                return repository, False
        former = self.repositories.get(self.former_names.get(wanted, 0))
        return (None, False) if former is None or former.deleted else (former, True)

    def repository(self, full_name: str) -> Repository:
        """The repository that has this name; KeyError says which one was asked for."""
        found, _ = self.find_repository(full_name)
        if found is None:
            raise KeyError(f"no repository {full_name} in the sandbox")
        return found

    def thread(self, full_name: str, number: int) -> Thread:
        return self.repository(full_name).threads[number]

    def repositories_of(self, installation: Installation) -> list[Repository]:
        """What the installation may see now: its account's own repositories, all or the selected ones."""
        return [
            repository
            for repository in self.repositories.values()
            if not repository.deleted
            and repository.owner is installation.account
            and (installation.selected is None or repository.id in installation.selected)
        ]

    def installation_of(self, repository: Repository) -> Installation | None:
        """The installation that covers a repository, suspended or not."""
        for installation in self.installations.values():
            if not installation.deleted and repository in self.repositories_of(installation):
                return installation
        return None

    def permission(self, repository: Repository, user: User) -> str:
        """What a person may do: admin, maintain, write, triage, read or none."""
        if user is repository.owner:
            return "admin"
        return repository.permissions.get(user.login.lower(), "none" if repository.private else "read")
