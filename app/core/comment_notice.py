"""The short texts: help, status, acknowledgements, refusals and errors. Each says what holds now and the next step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.core.comment_frame import compose, count, folded, marker
from app.core.sanitize import code_span, html_text, inline, link

CONFIG_PATH = ".github/coderag.yml"

REASONS_SHOWN = 20
"""Reasons for skipping that the status names; there are fewer in practice."""

COMMANDS = (
    ("help", "this text"),
    ("status", "what is indexed, at which commit, and what was skipped"),
    ("summary", "write this pull request's context comment again"),
    ("pause", "leave this pull request's context comment as it is"),
    ("resume", "keep it up to date again"),
    ("ignore", "take it away, and write none for this pull request"),
    ("reindex", "read the whole repository again"),
)
"""Whole-line commands and what each does, in the order that help lists them."""


@dataclass(frozen=True, slots=True)
class Status:
    """What is known about a repository's index. Counts are of the indexed branch.

    `head` is the indexed commit (empty: none yet), `current` the branch's head now (empty: no commits). `skipped` maps a reason to
    a number of files; `pulls` are the numbers of the pull requests that are indexed; `notes` are plain sentences of ours.
    """

    branch: str
    head: str = ""
    current: str = ""
    files: int = 0
    chunks: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)
    pulls: tuple[int, ...] = ()
    indexing: bool = False
    paused: bool = False
    ignored: bool = False
    notes: tuple[str, ...] = ()


def help_comment(handle: str, about: Mapping[str, object]) -> str:
    """What can be asked and commanded. `handle` is the App's name without `@`, which is never written here as a mention."""
    name = f"@{handle}"
    lines = [
        f"Ask in plain words: {_command(f'{name} where is the retry limit set?')}. The answer links to lines at a commit."
    ]
    lines.append("Commands, alone on a line:")
    lines.append("\n".join(f"- {_command(f'{name} {command}')}: {meaning}" for command, meaning in COMMANDS))
    lines.append(f"Settings are read from {code_span(CONFIG_PATH)} on the base branch.")
    return compose(marker("help", about), "\n\n".join(lines), ())


def status_comment(status: Status, html_url: str, about: Mapping[str, object]) -> str:
    """What is indexed, what was skipped and why, what is switched off."""
    return compose(marker("status", about), "\n\n".join(_status_blocks(status, html_url)), ())


def reindex_comment(branch: str, about: Mapping[str, object]) -> str:
    """Said when a full reindex was asked for and has been queued."""
    return compose(
        marker("reindex", about),
        f"Reading {code_span(branch)} again from the first file. Questions keep working meanwhile.",
        (),
    )


def not_indexed_comment(about: Mapping[str, object]) -> str:
    """Said when a question arrives before the first index is complete; the answer replaces it."""
    return compose(
        marker("answer", about), "This repository is being read for the first time. The answer will appear here.", ()
    )


def refusal_comment(about: Mapping[str, object], least: str = "write", command: str = "") -> str:
    """One polite line to somebody who may not have this: a question, for which `least` is the role it takes here, or a
    `command`, which takes write access whatever the settings say of questions."""
    where = f"`who_may_ask` in {code_span(CONFIG_PATH)}"
    text = f"Questions here are open to people with {least} access; a maintainer can widen that with {where}."
    if command:
        text = f"{code_span(command)} is for people with write access: it changes what others see."
    return compose(marker("refusal", about), text, ())


def config_error_comment(error: str, about: Mapping[str, object]) -> str:
    """What is wrong in the settings file and where. `error` is the message of the ConfigError, which may quote the file."""
    text = f"{code_span(CONFIG_PATH)} cannot be used: {inline(error, 500)}\n\nThe defaults apply until it is corrected on the base branch."
    return compose(marker("config", about), text, ())


def failure_comment(what: str, reference: str, about: Mapping[str, object]) -> str:
    """Said once, when a job has failed and will not be tried again by itself.

    `what` names what is missing ("The answer", "The context of this pull request", "The index"); `reference` is what the
    operator finds in the log. Causes are not told here: the log has them, and they may hold what the thread may not see.
    """
    next_step = f"Mention me again to start over; the log has it under {code_span(reference)}."
    text = f"{inline(what)} could not be made, also not on retry. {next_step}"
    return compose(marker("failure", about), text, ())


def paused_comment(handle: str, about: Mapping[str, object]) -> str:
    """Said when a pull request's context comment stops following its head."""
    back = f"{_command(f'@{handle} resume')} brings it up to date."
    text = f"Paused: the context comment stays as it is. {back} Questions are still answered."
    return compose(marker("paused", about), text, ())


def resumed_comment(about: Mapping[str, object]) -> str:
    """Said when a pull request's context comment follows its head again."""
    return compose(marker("resumed", about), "Resumed: the context comment follows this pull request's head again.", ())


def ignored_comment(handle: str, about: Mapping[str, object]) -> str:
    """Said when a pull request gets no context comment from now on."""
    back = f"{_command(f'@{handle} resume')} brings it back."
    text = f"Ignored: no context comment for this pull request. {back} Questions are still answered."
    return compose(marker("ignored", about), text, ())


def no_summary_comment(head: str, about: Mapping[str, object]) -> str:
    """Said only when somebody asked for a summary by command and there is nothing to tell."""
    text = (
        f"Nothing to add at {code_span(head[:7])}: no code outside this pull request is known to use what it changes."
    )
    return compose(marker("nothing", about), text, ())


def _command(text: str) -> str:
    return code_span(text, 120)


def _status_blocks(status: Status, html_url: str) -> list[str]:
    blocks = [_indexed(status, html_url)]
    if status.paused:
        blocks.append("This pull request's context comment is paused.")
    if status.ignored:
        blocks.append("This pull request gets no context comment.")
    if status.pulls:
        numbers = sorted(status.pulls)
        shown = ", ".join(str(number) for number in numbers[:10])
        more = f" and {len(numbers) - 10:,} more" if len(numbers) > 10 else ""
        blocks.append(
            f"{count(len(numbers), 'open pull request', 'open pull requests')} indexed beside it: {shown}{more}."
        )
    blocks += [inline(note, 500) for note in status.notes]
    if status.skipped:
        reasons = sorted(status.skipped.items(), key=lambda row: (-row[1], row[0]))
        lines = [f"- {inline(reason)}: {number:,}" for reason, number in reasons[:REASONS_SHOWN]]
        total = count(sum(status.skipped.values()), "file", "files")
        blocks.append(folded(html_text(f"{total} without chunks, by reason"), ["\n".join(lines)]))
    return blocks


def _indexed(status: Status, html_url: str) -> str:
    branch = code_span(status.branch)
    if not status.head and not status.current:
        return f"{branch} has no commits yet."
    if not status.head:
        return f"{branch} is being read for the first time." if status.indexing else f"{branch} is not indexed yet."
    numbers = f"{count(status.files, 'file', 'files')}, {count(status.chunks, 'chunk', 'chunks')}"
    text = f"{branch} is indexed at {_commit(status.head, html_url)}: {numbers}."
    if status.current and status.current != status.head:
        text += f" Its head {_commit(status.current, html_url)} {'is being read' if status.indexing else 'is next'}."
    return text


def _commit(sha: str, html_url: str) -> str:
    return link(code_span(sha[:7]), f"{html_url.rstrip('/')}/tree/{sha}")
