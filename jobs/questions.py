"""Names what a comment of ours answers: the marker's fields, and how they are found again; reads no comment by itself."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from app.core.comment import Marker


def question_hash(body: str) -> str:
    """16 hex digits that name a text, whatever line ends GitHub gave it: an edit gives another."""
    return hashlib.sha256(body.replace("\r\n", "\n").encode("utf-8", "replace")).hexdigest()[:16]


def about(kind: str, comment: int, body: str) -> dict[str, object]:
    """The marker fields of what we say to a comment (`comment` 0: to the body of the issue or pull request)."""
    return {"on": kind, "comment": comment, "text": question_hash(body)}


def answers(kind: str, comment: int) -> Callable[[Marker], bool]:
    """Tells the marker of what we said to this comment, whatever its text was then and whatever we said."""
    return lambda marker: marker.data.get("on") == kind and marker.data.get("comment") == comment
