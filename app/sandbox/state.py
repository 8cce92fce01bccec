"""The records of the stand-in GitHub: users, repositories, threads, comments, check runs, installations. Owns no behaviour."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

ZERO_SHA = "0" * 40


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
