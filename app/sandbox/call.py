"""One REST call on its way to its handler, and its answer: parameters, body, pages. Knows no route."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote, urlencode

from app.sandbox.auth import AppCaller, Token
from app.sandbox.host import Host
from app.sandbox.payloads import Json
from app.sandbox.refusal import Refusal, not_found, unsupplied, wrong_type
from app.sandbox.state import Comment, Repository, Thread, User

PAGE = 30
"""Items a page where the caller does not say."""


PAGE_LIMIT = 100
"""Items a page at most."""


@dataclass
class Answer:
    """Status, JSON value (or bytes; None for no body) and extra headers."""

    status: int = 200
    body: object = None
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Call:
    """One REST call on its way to its handler. `path` is without /api/v3."""

    host: Host
    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    raw: bytes
    caller: AppCaller | Token | None
    params: dict[str, str] = field(default_factory=dict)
    found: Repository | None = None

    @property
    def repo(self) -> Repository:
        assert self.found is not None
        return self.found

    @property
    def token(self) -> Token:
        if not isinstance(self.caller, Token):
            raise Refusal(401, "Requires authentication")
        return self.caller

    @property
    def sender(self) -> User:
        """Whom the App acts as."""
        return self.host.state.bot

    def number(self, name: str) -> int:
        """A number of the path."""
        return int(self.params[name])

    def thread(self) -> Thread:
        """The issue or pull request that the path names."""
        thread = self.repo.threads.get(self.number("number"))
        if thread is None:
            raise not_found()
        return thread

    def pull(self) -> Thread:
        """The pull request that the path names; an issue's number is not found."""
        thread = self.thread()
        if thread.pull is None:
            raise not_found()
        return thread

    def comment(self, kind: str) -> Comment:
        """The comment of that kind that the path names, in this repository."""
        comment = self.host.state.comments.get(self.number("comment"))
        if comment is None or comment.kind != kind or comment.repository is not self.found:
            raise not_found()
        return comment

    def json(self) -> Json:
        """The body, a JSON object."""
        if not self.raw:
            return {}
        try:
            value = json.loads(self.raw)
        except ValueError:
            raise Refusal(400, "Problems parsing JSON") from None
        if not isinstance(value, dict):
            raise Refusal(400, "Body should be a JSON object")
        return value

    def text(self, name: str) -> str:
        """A required string of the body."""
        body = self.json()
        if name not in body:
            raise unsupplied(name)
        value = body[name]
        if not isinstance(value, str):
            raise wrong_type(name, value, "a string")
        return value

    def page(self) -> tuple[int, int]:
        """(page, items a page) that the caller asked for."""
        return max(1, _whole(self.query.get("page"), 1)), min(
            PAGE_LIMIT, max(1, _whole(self.query.get("per_page"), PAGE))
        )

    def listing(self, items: list[object], wrap: Callable[[list[object]], object] = lambda part: part) -> Answer:
        """One page of `items`, with Link headers to the others in the form `/repositories/{id}/…`."""
        page, size = self.page()
        last = max(1, -(-len(items) // size))
        links = []
        for name, number in (("prev", page - 1), ("next", page + 1), ("last", last), ("first", 1)):
            wanted = page < last if name in ("next", "last") else page > 1
            if wanted:
                links.append(f'<{self.link(page=str(min(number, last)))}>; rel="{name}"')
        headers = {"Link": ", ".join(links)} if links else {}
        return Answer(200, wrap(items[(page - 1) * size : page * size]), headers)

    def link(self, **changes: str) -> str:
        """The URL of this call with other query values, the repository named by its id."""
        path = quote(self.path, safe="/.:@!$&'()*+,;=~")
        if self.found is not None:
            rest = re.sub(r"^/(repos/[^/]+/[^/]+|repositories/\d+)", "", self.path)
            path = f"/repositories/{self.found.id}{quote(rest, safe='/.')}"
        return f"{self.host.state.api_url}{path}?{urlencode(dict(self.query) | changes)}"


def _whole(text: str | None, default: int) -> int:
    return int(text) if text is not None and text.isdecimal() else default
