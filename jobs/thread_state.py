"""Reads whether people paused or ignored a pull request out of our own acknowledgements; keeps no state anywhere else.

Redis may be flushed and the index made anew: what people decided stays where they said it, in the thread.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from app.core.comment import read_marker
from app.core.types import App, Comment
from app.steps.reply import is_ours


class State(StrEnum):
    """What was last decided. The value is what the log says."""

    FOLLOWED = "followed"
    PAUSED = "paused"
    IGNORED = "ignored"


_STATES = {"paused": State.PAUSED, "resumed": State.FOLLOWED, "ignored": State.IGNORED}
"""The kinds of our acknowledgements that decide something."""


def state_of(said: Iterable[Comment], app: App) -> State:
    """The state of a thread: that of our acknowledgement with the highest turn."""
    return max(_turns(said, app), default=(0, State.FOLLOWED))[1]


def turn_for(said: Iterable[Comment], app: App, on: str, comment: int, kind: str) -> int:
    """The turn of an acknowledgement of `kind` for this comment: the one it has, or the next.

    Counted, not dated, because an edited command is acknowledged in place, in an older comment than the last word.
    """
    said = list(said)
    latest = max((turn for turn, _ in _turns(said, app)), default=0)
    for one in said:
        marker = read_marker(one.body)
        if marker is None or not is_ours(one, app) or marker.kind != kind:
            continue
        turn = marker.data.get("turn")
        if marker.data.get("on") == on and marker.data.get("comment") == comment and turn == latest:
            return latest
    return latest + 1


def _turns(said: Iterable[Comment], app: App) -> list[tuple[int, State]]:
    turns = []
    for one in said:
        marker = read_marker(one.body)
        if marker is None or marker.kind not in _STATES or not is_ours(one, app):
            continue
        turn = marker.data.get("turn")
        if isinstance(turn, int) and not isinstance(turn, bool):
            turns.append((turn, _STATES[marker.kind]))
    return turns
