"""Everything one stand-in GitHub knows, with the lookups its parts share. Sends and serves nothing."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from app.sandbox.state import Comment, Installation, Repository, Thread, User

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
