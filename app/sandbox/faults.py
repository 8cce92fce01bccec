"""Faults by script: what goes wrong with the next requests that match. Owns the script; the server carries it out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass
class Fault:
    """One scripted fault. `times` counts down to 0; None never ends.

    `status` answers with that status instead, before or (`after_effect`) after the request did its work. `drop` closes the
    connection without an answer. `reset_after` cuts a git answer off after so many bytes. `delay` is in seconds.
    """

    method: str
    pattern: re.Pattern[str]
    status: int | None = None
    times: int | None = 1
    after_effect: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)
    message: str = ""
    delay: float = 0.0
    drop: bool = False
    reset_after: int | None = None
    git_command: str | None = None
    hits: int = 0

    def matches(self, method: str, path: str, git_command: str | None) -> bool:
        return (
            self.times != 0
            and self.method in ("*", method)
            and self.pattern.search(path) is not None
            and self.git_command in (None, git_command)
        )


class Faults:
    """The script: each request takes the first fault that matches it."""

    def __init__(self) -> None:
        self.script: list[Fault] = []

    def take(self, method: str, path: str, git_command: str | None = None) -> Fault | None:
        """The fault this request meets, counted; None for a healthy one."""
        for fault in self.script:
            if fault.matches(method, path, git_command):
                fault.hits += 1
                if fault.times is not None:
                    fault.times -= 1
                return fault
        return None


_MESSAGES = {
    401: "Bad credentials",
    403: "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
    429: "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
    404: "Not Found",
}


def fault_body(fault: Fault) -> dict[str, object]:
    """The JSON of a scripted answer; GitHub's 5xx carry a plain message too."""
    message = fault.message or _MESSAGES.get(fault.status or 0, "Server Error")
    return {"message": message, "documentation_url": "https://docs.github.com/rest", "status": str(fault.status)}
