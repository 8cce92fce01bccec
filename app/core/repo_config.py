"""Owns `.github/coderag.yml`: its keys, their defaults, and what is said where it cannot be used; must not read the file.

The file is written by whoever may push to the base branch, so it is read as data only: no tags, no anchors, a size and depth limit.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

import yaml

from app.core.config_nodes import Reading, compose
from app.core.errors import ConfigError
from app.core.rules import Rules

LEVELS = ("read", "triage", "write", "maintain", "admin")
"""Repository roles in rising order, as GitHub names them."""

MOST_ITEMS = 200
"""Entries of one list: each path filter is tried on each file of the tree."""

MOST_PROBLEMS = 8
"""Problems told in one message; the rest are counted, for a comment must stay readable."""


@dataclass(frozen=True, slots=True)
class AutoReview:
    """Which pull requests get a summary unasked. No `base_branches` means all of them; they are globs, keywords are plain text."""

    enabled: bool = True
    drafts: bool = False
    base_branches: tuple[str, ...] = ()
    ignore_title_keywords: tuple[str, ...] = ()

    def declines(self, *, title: str, draft: bool, base_ref: str) -> str:
        """Why a pull request gets no summary unasked, or "" where it gets one."""
        if not self.enabled:
            return "auto_review is off"
        if draft and not self.drafts:
            return "a draft"
        if self.base_branches and not any(fnmatchcase(base_ref, glob) for glob in self.base_branches):
            return f"base branch {base_ref} is not in auto_review.base_branches"
        found = next((word for word in self.ignore_title_keywords if word.casefold() in title.casefold()), None)
        return f"the title holds {found!r}" if found else ""


@dataclass(frozen=True, slots=True)
class WhoMayAsk:
    """The least role that may ask, "" for the default: write on a public repository, where everyone has read, and read on a private one.

    `also` are logins that may ask whatever their role.
    """

    role: str = ""
    also: tuple[str, ...] = ()

    def least(self, *, private: bool) -> str:
        """The least role that may ask."""
        return self.role or ("read" if private else "write")

    def allows(self, login: str, *, permission: str, private: bool, role: str = "") -> bool:
        """Whether this account may ask. `permission` and `role` (`role_name`) are GitHub's answer about it; unknown ones may not.

        `permission` calls maintain "write" and triage "read"; `role` is exact, but may be a name the organisation made up.
        """
        if login.lower() in (other.lower() for other in self.also):
            return True
        has = role if role in LEVELS else permission
        return has in LEVELS and LEVELS.index(has) >= LEVELS.index(self.least(private=private))


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is done. `questions_per_thread_per_hour` counts answers on one issue or pull request; `citations` are per answer."""

    questions_per_thread_per_hour: int = 20
    citations: int = 8


@dataclass(frozen=True, slots=True)
class RepoConfig:
    """The settings of one repository. `path_filters` are read as `app.core.rules` says."""

    path_filters: tuple[str, ...] = ()
    auto_review: AutoReview = field(default=AutoReview())
    who_may_ask: WhoMayAsk = field(default=WhoMayAsk())
    limits: Limits = field(default=Limits())

    def keeps(self, path: str) -> bool:
        """Whether the path filters let a path in."""
        return Rules(self.path_filters).keeps(path)

    @property
    def digest(self) -> str:
        """Names these settings: equal for equal settings, whatever the file looks like."""
        return hashlib.sha256(repr(self).encode("utf-8", "replace")).hexdigest()[:16]


def parse(text: str) -> RepoConfig:
    """The settings that the file's text asks for; an empty file is the defaults.

    Raises ConfigError with every problem found, each with its line, the key, and what is allowed there.
    """
    root = compose(text)
    if root is None:
        return RepoConfig()
    reading = Reading()
    config = _root(reading, root)
    if reading.problems:
        raise ConfigError(_message(reading.problems))
    return config


def _message(problems: list[str]) -> str:
    more = len(problems) - MOST_PROBLEMS
    return "; ".join([*problems[:MOST_PROBLEMS], *([f"and {more} more"] if more > 0 else [])])


def _root(read: Reading, node: yaml.Node) -> RepoConfig:
    keys = read.keys(node, "", ("path_filters", "auto_review", "who_may_ask", "limits"))
    values: dict[str, Any] = {}
    if "path_filters" in keys:
        values["path_filters"] = read.texts(keys["path_filters"], "path_filters", MOST_ITEMS)
    if "auto_review" in keys:
        values["auto_review"] = _auto_review(read, keys["auto_review"])
    if "who_may_ask" in keys:
        values["who_may_ask"] = _who_may_ask(read, keys["who_may_ask"])
    if "limits" in keys:
        values["limits"] = _limits(read, keys["limits"])
    return RepoConfig(**values)


def _auto_review(read: Reading, node: yaml.Node) -> AutoReview:
    keys = read.keys(node, "auto_review", ("enabled", "drafts", "base_branches", "ignore_title_keywords"))
    values: dict[str, Any] = {}
    for name in ("enabled", "drafts"):
        if name in keys:
            values[name] = read.flag(keys[name], f"auto_review.{name}")
    for name in ("base_branches", "ignore_title_keywords"):
        if name in keys:
            values[name] = read.texts(keys[name], f"auto_review.{name}", MOST_ITEMS)
    return AutoReview(**values)


def _who_may_ask(read: Reading, node: yaml.Node) -> WhoMayAsk:
    if not isinstance(node, yaml.MappingNode):
        return WhoMayAsk(read.choice(node, "who_may_ask", LEVELS))
    keys = read.keys(node, "who_may_ask", ("role", "also"))
    role = read.choice(keys["role"], "who_may_ask.role", LEVELS) if "role" in keys else ""
    also = read.texts(keys["also"], "who_may_ask.also", MOST_ITEMS) if "also" in keys else ()
    return WhoMayAsk(role, tuple(login.removeprefix("@") for login in also))


def _limits(read: Reading, node: yaml.Node) -> Limits:
    keys = read.keys(node, "limits", ("questions_per_thread_per_hour", "citations"))
    values: dict[str, Any] = {}
    for name, least, most in (("questions_per_thread_per_hour", 0, 1000), ("citations", 1, 20)):
        if name in keys:
            values[name] = read.number(keys[name], f"limits.{name}", least, most)
    return Limits(**values)
