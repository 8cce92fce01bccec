"""The table of jobs: name, function, time limit, and what shows when it cannot be done; the one list the worker reads."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from jobs import answer_mention, summarize_pull
from jobs.forget import forget
from jobs.index_pull import index_pull
from jobs.index_push import index_push
from jobs.index_repo import index_repo
from jobs.reconcile import reconcile

INDEX_SECONDS = 3600.0
"""A first index fetches and parses a whole repository; the largest known take tens of minutes."""

PULL_SECONDS = 1800.0
"""A pull request may have to wait for the first index of its repository, which it then makes itself."""

FIRST_INDEXES = 2
"""Whole repositories read at once: an App that was installed on a hundred must still answer questions meanwhile."""

ANSWER_SECONDS = 1800.0
"""As for a pull request: the first question in a new repository makes its index."""

RECONCILE_SECONDS = 3600.0
"""A few calls a repository, for thousands of repositories."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A job by its name in the queue. `run` takes the clients and the job's arguments and says what it did, for the log;
    `give_up` takes the reference to name in addition, and shows people that the job failed for good. `wanted` tells whether
    anybody still waits for it, asked where something it needed was gone. `most` is how many may run at once in a process."""

    name: str
    run: Callable[..., Awaitable[str]]
    seconds: float
    give_up: Callable[..., Awaitable[None]] | None = None
    wanted: Callable[..., Awaitable[bool]] | None = None
    most: int = 10


KINDS = (
    Kind("index_repo", index_repo, INDEX_SECONDS, most=FIRST_INDEXES),
    Kind("index_push", index_push, INDEX_SECONDS),
    Kind("index_pull", index_pull, PULL_SECONDS, summarize_pull.give_up, summarize_pull.is_wanted),
    Kind(
        "summarize_pull", summarize_pull.summarize_pull, PULL_SECONDS, summarize_pull.give_up, summarize_pull.is_wanted
    ),
    Kind(
        "answer_mention",
        answer_mention.answer_mention,
        ANSWER_SECONDS,
        answer_mention.give_up,
        answer_mention.is_wanted,
    ),
    Kind("forget", forget, PULL_SECONDS),
    Kind("reconcile", reconcile, RECONCILE_SECONDS),
)
