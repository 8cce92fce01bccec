"""The parts of one stand-in GitHub, together: state, tokens, webhooks, faults, limits and the record of requests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from app.sandbox.auth import Tokens
from app.sandbox.faults import Faults
from app.sandbox.webhooks import Webhooks
from app.sandbox.world import State


@dataclass
class Limits:
    """GitHub's limits, each settable so that a test can meet it with a small repository."""

    rate: int = 5_000
    """requests an hour for each installation"""
    contents_a_minute: int | None = None
    """POSTs and PATCHes a minute before the secondary limit (GitHub: about 80); None for no limit"""
    tree_entries: int = 100_000
    """a recursive tree is truncated past this"""
    compare_files: int = 300
    pull_files: int = 3_000
    pull_commits: int = 250
    contents_bytes: int = 1_048_576
    """the contents API gives no base64 above this"""


@dataclass(frozen=True)
class Request:
    """One REST or page request that was answered (status 0: its connection was cut). `path` is decoded, without /api/v3."""

    method: str
    path: str
    status: int
    query: str = ""


@dataclass
class GitRequest:
    """One git request; `command` is fetch or ls-refs of protocol 2, or the service of the advertisement."""

    method: str
    path: str
    command: str
    status: int = 0
    wants: int = 0
    sent: int = 0


@dataclass
class Usage:
    """The primary rate limit of one caller in the current hour."""

    used: int = 0
    reset: float = 0.0


@dataclass
class Host:
    """One GitHub."""

    state: State
    tokens: Tokens
    webhooks: Webhooks
    faults: Faults = field(default_factory=Faults)
    limits: Limits = field(default_factory=Limits)
    usage: dict[str, Usage] = field(default_factory=dict)
    writes: list[float] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    git_requests: list[GitRequest] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    """requests no route knows: answered 501"""


def make_host(directory: Path, app_id: int, slug: str, secret: str, clock: Callable[[], float]) -> Host:
    """A GitHub without users or repositories, keeping its repositories below `directory`."""
    state = State(directory, app_id, slug, clock)
    return Host(state, Tokens(state), Webhooks(state, secret))
