"""The stand-in GitHub as one object: where it is, what people do in it, what goes wrong on purpose, what it saw."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Self

import jwt

from app.sandbox import repository_git
from app.sandbox.auth import key_pair
from app.sandbox.faults import Fault
from app.sandbox.host import GitRequest, Limits, Request, make_host
from app.sandbox.people import People
from app.sandbox.places import Places
from app.sandbox.server import Server
from app.sandbox.state import CheckRun, Comment, Installation, Thread, iso
from app.sandbox.webhooks import HOOK_ID, Delivery

SECRET = "a secret that only the sandbox and its App share"  # noqa: S105 - never leaves this machine


class Sandbox(People, Places):
    """A GitHub on 127.0.0.1 that keeps its repositories below `directory`; use it as an async context manager.

    People's methods change its state as GitHub would and return when the webhooks they caused were answered. `clock` gives epoch
    seconds for all times it shows and checks (tokens and App JWTs too).
    """

    def __init__(
        self,
        directory: Path,
        *,
        app_id: int = 4242,
        slug: str = "coderag",
        webhook_secret: str = SECRET,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.directory = directory
        self.app_id = app_id
        self.slug = slug
        self.webhook_secret = webhook_secret
        self.private_key = key_pair()[0]
        self.host = make_host(directory, app_id, slug, webhook_secret, clock)
        self.server = Server(self.host)

    async def __aenter__(self) -> Self:
        repository_git.write_configuration(self.directory / "repositories")
        self.server.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.server.stop()

    # --- where it is ---

    @property
    def html_url(self) -> str:
        return self.host.state.html_url

    @property
    def api_url(self) -> str:
        return self.host.state.api_url

    @property
    def limits(self) -> Limits:
        """GitHub's limits, to be lowered by a test."""
        return self.host.limits

    @property
    def webhook_url(self) -> str | None:
        """Where deliveries go; None records them only."""
        return self.host.webhooks.url

    @webhook_url.setter
    def webhook_url(self, url: str | None) -> None:
        self.host.webhooks.url = url

    # --- credentials, for tests that call the API themselves ---

    def app_jwt(self, lifetime: int = 540) -> str:
        """A JWT of the App, as its client would sign it."""
        now = int(self.host.state.clock())
        return jwt.encode({"iat": now - 60, "exp": now + lifetime, "iss": str(self.app_id)}, self.private_key, "RS256")

    def token(self, installation: Installation, permissions: Mapping[str, str] | None = None) -> str:
        """An installation token, issued without asking the API."""
        granted = dict(installation.permissions if permissions is None else permissions)
        return self.server.call(lambda: self.host.tokens.issue(installation, granted, None, True).value)

    def expire_tokens(self) -> None:
        """End all installation tokens before their time: the next use of each gets 401."""
        self.server.call(self.host.tokens.expire_all)

    # --- deliveries ---

    @property
    def deliveries(self) -> list[Delivery]:
        """All attempts so far, oldest first, those under way included."""
        return list(self.host.webhooks.log)

    async def settled(self) -> None:
        """Wait until nothing is on its way to the webhook."""
        await self.act(lambda: None)

    def duplicate(self, copies: int = 2) -> None:
        """Deliver everything from now on so many times at the same moment, under one GUID."""
        self.host.webhooks.copies = copies

    def hold(self) -> None:
        """Hold deliveries back until `release`."""
        self.host.webhooks.holding = True

    @property
    def held(self) -> list[Delivery]:
        """What is held back, in the order it happened."""
        return list(self.host.webhooks.held)

    async def release(self, order: Sequence[int] | None = None) -> None:
        """Deliver what was held back: all as it happened, or the ones at these positions in this order (the others are lost)."""
        await self.act(lambda: self.host.webhooks.release(order))

    async def redeliver(self, guid: str) -> Delivery:
        """Deliver again what that GUID named, under the same GUID."""
        last = [one for one in self.deliveries if one.guid == guid][-1]
        return await self.act(lambda: self.host.webhooks.redeliver(last))

    async def ping(self) -> None:
        """The ping that GitHub sends when a webhook is set up."""
        state = self.host.state
        hook = {
            "type": "App",
            "id": HOOK_ID,
            "name": "web",
            "active": True,
            "events": state.events,
            "config": {
                "content_type": "json",
                "insecure_ssl": "0",
                "secret": "********",
                "url": self.webhook_url or "",
            },
            "created_at": iso(state.created),
            "updated_at": iso(state.created),
            "app_id": self.app_id,
            "deliveries_url": f"{self.api_url}/app/hook/deliveries",
        }
        payload: dict[str, object] = {"zen": "Keep it logically awesome.", "hook_id": HOOK_ID, "hook": hook}
        await self.act(lambda: self.host.webhooks.emit("ping", payload, None, None))

    # --- faults ---

    def fault(
        self,
        method: str,
        path: str,
        *,
        status: int | None = None,
        times: int | None = 1,
        after_effect: bool = False,
        headers: Mapping[str, str] | None = None,
        message: str = "",
        delay: float = 0.0,
        drop: bool = False,
        reset_after: int | None = None,
        git_command: str | None = None,
    ) -> Fault:
        """Script what goes wrong with the next `times` requests (None: all) whose path the expression is found in.

        `status` answers so without doing the work, or (`after_effect`) after it; `drop` closes the connection instead;
        `delay` is in seconds. For git: `git_command` is fetch or ls-refs, `reset_after` cuts a pack after so many bytes.
        A 403 without `message` is the secondary rate limit. `hits` of the result counts.
        """
        one = Fault(
            method.upper(), re.compile(path), status, times, after_effect, dict(headers or {}), message, delay, drop,
            reset_after, git_command,
        )  # fmt: skip
        self.host.faults.script.append(one)
        return one

    def clear_faults(self) -> None:
        self.host.faults.script.clear()

    # --- what it holds and saw ---

    def thread(self, repo: str, number: int) -> Thread:
        """An issue or pull request as it stands."""
        return self.host.state.thread(repo, number)

    def comments(self, repo: str, number: int, kind: str = "issue") -> list[Comment]:
        """The comments of a conversation (`issue`) or on lines (`review`), oldest first."""
        return self.thread(repo, number).of_kind(kind)

    def check_runs(self, repo: str) -> list[CheckRun]:
        """All check runs of a repository, oldest first."""
        return list(self.host.state.repository(repo).checks)

    @property
    def requests(self) -> list[Request]:
        """All REST and page requests, in the order they were answered."""
        return list(self.host.requests)

    @property
    def git_requests(self) -> list[GitRequest]:
        """All git requests, in the order they came."""
        return list(self.host.git_requests)

    @property
    def refused(self) -> list[str]:
        """Requests that no route knows."""
        return list(self.host.refused)

    def check(self) -> None:
        """AssertionError where something was asked for that the sandbox does not know: call it at teardown."""
        assert not self.host.refused, f"the sandbox answered 501 to: {', '.join(self.host.refused)}"
