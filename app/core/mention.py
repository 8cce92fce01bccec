"""Decides whether a text speaks to us, and what it asks: a command or a question; must not decide who may ask."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from app.core.hidden import BLANK, cover, hidden_spans

COMMANDS = ("help", "status", "reindex", "summary", "pause", "resume", "ignore")

# A name in GitHub's sense ends where no letter, digit, dash or underscore follows: `@coderag-bot` and `@coderag/team` are others,
# `me@coderag.dev` is an address. ASCII on purpose: a mention may stand between Chinese or Japanese characters without spaces.
_BEFORE = r"(?<![A-Za-z0-9_/@.+%&=~-])"
_AFTER = r"(?:\[bot\])?(?![A-Za-z0-9_/-]|\.[A-Za-z0-9_]|\[bot\])"


@dataclass(frozen=True, slots=True)
class Mention:
    """What a text asks of us. Either `command` is one of COMMANDS and `question` is empty, or `command` is empty.

    `question` is the text without our handle and without HTML comments, in its own letter case; it is empty when the
    text is nothing but the handle and punctuation.
    """

    command: str
    question: str


def find_mention(body: str, handles: Iterable[str]) -> Mention | None:
    """What `body` (Markdown) asks of the bot that answers to `handles` (names without `@`), or None where it does not speak to it.

    A handle in code, in a quote or in an HTML comment is no mention. The first mention decides: a line that holds nothing but
    it and a command is that command; anything else makes the whole text a question.
    """
    names = sorted({handle for handle in handles if handle}, key=lambda handle: (-len(handle), handle))
    if not names or "@" not in body:
        return None
    text = body.replace("\r\n", "\n").replace("\r", "\n")
    hidden = hidden_spans(text)
    seen = cover(text, hidden)
    pattern = re.compile(rf"{_BEFORE}@(?:{'|'.join(map(re.escape, names))}){_AFTER}", re.IGNORECASE | re.ASCII)
    found = [match.span() for match in pattern.finditer(seen)]
    if not found:
        return None
    command = _command(seen, *found[0])
    if command:
        return Mention(command, "")
    comments = [(start, end) for start, end, fill in hidden if fill == BLANK]
    return Mention("", _without(text, sorted([*comments, *(_with_marks(seen, *span) for span in found)])))


def _command(seen: str, start: int, end: int) -> str:
    """The command on the line of the mention start..end, or "" where the line holds anything else."""
    first, last = seen.rfind("\n", 0, start) + 1, seen.find("\n", end)
    rest = _COMMAND.fullmatch(seen, end, last if last >= 0 else len(seen))
    return rest[1].lower() if rest and _LINE_START.fullmatch(seen, first, start) else ""


# Possessive: a megabyte of blanks must not be tried at every split.
_LINE_START = re.compile(r"[ \t]*+(?:(?:[-+*]|[0-9]{1,9}[.)])[ \t]++)?")
_COMMAND = re.compile(rf"[ \t]*+[,:]?[ \t]*+({'|'.join(COMMANDS)})[ \t]*+[.!?]*+[ \t]*+", re.IGNORECASE | re.ASCII)


def _with_marks(seen: str, start: int, end: int) -> tuple[int, int]:
    """The mention with what belongs to it: asterisks around it, punctuation of address behind it, and one side's blanks."""
    while start and end < len(seen) and seen[start - 1] == seen[end] == "*":
        start, end = start - 1, end + 1
    while end < len(seen) and seen[end] in ",:;":
        end += 1
    # "Hey @coderag, where" becomes "Hey where": the blank before the handle stays, the ones behind it go.
    if start == 0 or seen[start - 1] in " \t\n":
        while end < len(seen) and seen[end] in " \t":
            end += 1
    return start, end


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    parts, at = [], 0
    for start, end in spans:
        parts.append(text[at:start])
        at = max(at, end)
    left = "".join([*parts, text[at:]]).strip()
    return left if any(character.isalnum() for character in left) else ""
