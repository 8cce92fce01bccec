"""Whether a pull request is followed, paused or ignored, read out of what we ourselves acknowledged in it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.core.comment import ignored_comment, paused_comment, resumed_comment
from app.core.types import App, Comment
from jobs.questions import about
from jobs.thread_state import State, state_of, turn_for

APP = App(7, "coderag")
KINDS = {"pause": "paused", "resume": "resumed", "ignore": "ignored"}
STATES = {"pause": State.PAUSED, "resume": State.FOLLOWED, "ignore": State.IGNORED}


def acknowledge(said: dict[int, Comment], comment: int, command: str) -> None:
    """What the App does on a command in comment number `comment`: one acknowledgement for it, edited in place."""
    turn = turn_for(said.values(), APP, "issue", comment, KINDS[command])
    on = {**about("issue", comment, f"@coderag {command}"), "turn": turn}
    if command == "pause":
        body = paused_comment("coderag", on)
    else:
        body = ignored_comment("coderag", on) if command == "ignore" else resumed_comment(on)
    said[comment] = Comment(1000 + comment, "issue", "coderag[bot]", "Bot", body, "", 7)


@given(st.lists(st.tuples(st.integers(1, 4), st.sampled_from(sorted(KINDS))), max_size=12))
def test_the_last_command_holds_wherever_it_was_written_or_edited_in(commands: list[tuple[int, str]]) -> None:
    said: dict[int, Comment] = {}
    for comment, command in commands:
        acknowledge(said, comment, command)
    assert state_of(said.values(), APP) is (STATES[commands[-1][1]] if commands else State.FOLLOWED)


@given(st.lists(st.tuples(st.integers(1, 4), st.sampled_from(sorted(KINDS))), min_size=1, max_size=8))
def test_a_command_that_is_carried_out_twice_says_the_same(commands: list[tuple[int, str]]) -> None:
    said: dict[int, Comment] = {}
    for comment, command in commands:
        acknowledge(said, comment, command)
    before = dict(said)
    acknowledge(said, *commands[-1])
    assert said == before


def test_what_others_write_decides_nothing() -> None:
    body = paused_comment("coderag", {**about("issue", 1, "@coderag pause"), "turn": 1})
    strangers = [
        Comment(1, "issue", "stranger", "User", body, ""),
        Comment(2, "issue", "helper[bot]", "Bot", body, "", 8),
        Comment(3, "issue", "coderag[bot]", "Bot", f"> {body}", "", 7),
    ]
    assert state_of(strangers, APP) is State.FOLLOWED
