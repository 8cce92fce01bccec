"""Where a mirror fetches from: the settings of one fetch, and what its failures mean."""

from __future__ import annotations

import base64
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from app.clients.git.run import GitError
from app.core.errors import CodeRagError, Gone, Transient, UserError

SCHEMES = ("https", "http", "file")
"""ssh and git:// would need keys of the host or send code in clear; a fetch may use the URL's own scheme only."""
STALL_BYTES = 1000
STALL_SECONDS = 60
"""A transfer slower than STALL_BYTES a second for this long is given up, so that no orphan holds the lock for hours."""


async def no_token() -> str:
    """For remotes that ask for none."""
    return ""


def nothing_held() -> None:
    """For remotes whose token is made anew at each call."""


@dataclass(frozen=True)
class Remote:
    """A URL and where its token comes from. `token` is asked before each fetch; an empty one sends no header.

    `refused` is told when the server did not accept the token, so that the next one is new.
    """

    url: str
    token: Callable[[], Awaitable[str]] = no_token
    refused: Callable[[], None] = nothing_held

    def __post_init__(self) -> None:
        if urlsplit(self.url).scheme not in SCHEMES:
            raise UserError(f"the git URL must start with {', '.join(s + '://' for s in SCHEMES)}")

    async def config(self) -> dict[str, str]:
        """git settings for one fetch. Nothing of this is stored, so a renamed repository or a new token needs no change.

        The promisor settings are absent from every other command: there a missing blob is plainly "missing", and no
        command can go to the network by itself.
        """
        parts = urlsplit(self.url)
        settings = {
            "remote.origin.url": self.url,
            "remote.origin.promisor": "true",
            "remote.origin.partialclonefilter": "blob:none",
            f"protocol.{parts.scheme}.allow": "always",
            "http.followRedirects": "false",  # the token must not follow; a renamed repository's URL is asked anew
            "http.lowSpeedLimit": str(STALL_BYTES),
            "http.lowSpeedTime": str(STALL_SECONDS),
            "fetch.writeCommitGraph": "false",
        }
        token = await self.token()
        if token and parts.scheme != "file":
            pair = base64.b64encode(f"x-access-token:{token}".encode()).decode()
            settings[f"http.{parts.scheme}://{parts.netloc.rpartition('@')[2]}/.extraHeader"] = (
                f"Authorization: Basic {pair}"
            )
        return settings


# git's English, most telling first. 404 is also what GitHub says to a token that may not see the repository.
_MEANINGS: tuple[tuple[str, type[CodeRagError]], ...] = (
    (r"returned error: (404|403|410|451)|repository '[^']*' not found|does not appear to be a git repository", Gone),
    (r"couldn't find remote ref|not our ref|no such remote ref", Gone),
    (r"returned error: (401|408|429|30\d|5\d\d)|Authentication failed|could not read (Username|Password)", Transient),
    (r"Could not resolve|Failed to connect|Connection (refused|reset|timed out)|Couldn't connect", Transient),
    (r"Operation too slow|timed out|early EOF|hung up unexpectedly|RPC failed|unexpected disconnect", Transient),
    (
        r"SSL|TLS|gnutls|Empty reply|Recv failure|transfer closed|invalid index-pack output|Unable to create .*\.lock",
        Transient,
    ),
)


def is_refusal(text: str) -> bool:
    """Whether git's complaint says that the server did not accept the token."""
    return re.search(r"returned error: 401|Authentication failed|could not read (Username|Password)", text) is not None


def meaning(text: str) -> CodeRagError:
    """The error that git's complaint about a fetch amounts to: Gone, Transient, or GitError where we do not know it."""
    for pattern, kind in _MEANINGS:
        if re.search(pattern, text, re.IGNORECASE):
            return kind(f"git fetch: {text}")
    return GitError(f"git fetch: {text}")
