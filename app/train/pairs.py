"""Decides what of a repository is worth learning from: commit messages, changed chunks, docstrings. Pure: reads no repository."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.core.changes import Change
from app.core.chunk import chunk_file
from app.core.diff import Edit, line_edits
from app.core.languages import language_of
from app.core.records import dense_text, says_nothing
from app.core.roles import Role, role_of
from app.core.tokens import count_tokens
from app.core.types import Chunk

SHORTEST_MESSAGE = 20
"""Characters. Shorter messages ("fix typo", "wip") say nothing about the code."""
LONGEST_MESSAGE = 1_500
"""Characters kept of a message: what follows is logs, lists of other commits, sign-offs."""
MOST_FILES = 4
"""Code files of a commit that is read; larger ones are sweeps whose message fits no single function."""
MOST_CHUNKS = 6
"""Changed chunks of a commit; with more, the message fits none of them well."""
SHORTEST_DOCSTRING = 20
"""Characters. `See above.` and `{@inheritDoc}` name nothing."""
FEWEST_WORDS = 3
"""Different tokens that either side of a pair must have."""
MOST_TOKENS = 128
"""Different tokens kept of one text, in order of appearance: twice an average chunk; bounds the time of a training step."""

_DATA = frozenset(
    "markdown restructuredtext text json yaml toml ini xml html css make cmake dockerfile batch powershell sql".split()
)
"""Languages of files that no function stands in."""
_NOISE = re.compile(
    r"^(?:merge\b|revert\b|release\b|bump\b|version\b|v?\d+\.\d+|prepare (?:for )?(?:the )?(?:next )?(?:release|version)"
    r"|(?:re)?format\b|run (?:black|prettier|rustfmt|gofmt|clang-format)|lint\b|fix lint|style[:(]|chore\(deps|build\(deps"
    r"|update (?:dependenc|changelog|copyright|version)|(?:apply|fix) (?:black|isort|prettier|rubocop|styleci|typos?))",
    re.IGNORECASE,
)
_TRAILER = re.compile(
    r"^[ \t]*(?:[\w-]+-by|change-id|git-svn-id|cc|bug|fixes|closes|refs?|reviewed[- ]?\w*|pr-url|see also|issue|part-of"
    r"|pull request resolved)"
    r"[ \t]*[:#].*$",
    re.IGNORECASE | re.MULTILINE,
)
_LINK = re.compile(r"https?://\S+|\b[0-9a-f]{7,64}\b|#\d+|\S+@\S+\.\w+")
_EDGE = re.compile(r"^[\s/*#!;\-]*(?:[rRuUbB]{0,2}(?:\"\"\"|'''|\"|'))?\s*|\s*(?:\*/|\"\"\"|'''|\"|')?\s*$")


@dataclass(frozen=True, slots=True)
class Pair:
    """What a person wrote and the code that answers it, as token counts. Pairs of one `group` do not contradict each other."""

    group: str
    query: Mapping[str, int]
    code: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Edited:
    """One file that a commit changed: its text at the parent and after."""

    path: str
    old: str
    new: str


def is_code(path: str) -> bool:
    """Whether functions of a file are learnt from: source, no test, and in a programming language."""
    language = language_of(path)
    return bool(language) and language not in _DATA and role_of(path) is Role.SOURCE


def telling_message(message: str) -> str:
    """A commit message without trailers, links and ids; empty where it says nothing about code."""
    text = _LINK.sub(" ", _TRAILER.sub("", message)).strip()
    if len(text) < SHORTEST_MESSAGE or _NOISE.match(text):
        return ""
    return text[:LONGEST_MESSAGE]


def readable_changes(changes: Sequence[Change]) -> tuple[Change, ...]:
    """The code files that a commit modified; none where they are too many."""
    code = tuple(each for each in changes if is_code(each.path))
    if not 1 <= len(code) <= MOST_FILES:
        return ()
    return tuple(each for each in code if each.status == "M")


def commit_pairs(group: str, message: str, files: Sequence[Edited]) -> list[Pair]:
    """The message with each chunk of the parent that the commit changed; none where those are too many."""
    found = [chunk for file in files for chunk in changed_chunks(file)]
    if len(found) > MOST_CHUNKS:
        return []
    query = _counted(message)
    return [pair for chunk in found if (pair := _pair(group, query, _counted(dense_text(chunk)))) is not None]


def changed_chunks(file: Edited) -> list[Chunk]:
    """The chunks of the old text that an edit touches. Loose top-level code (imports, constants) is left out."""
    edits = line_edits(file.old, file.new)
    return [
        chunk
        for chunk in chunk_file(file.path, file.old).chunks
        if chunk.kind not in ("module", "section") and not says_nothing(chunk) and any(_meets(chunk, edit) for edit in edits)
    ]  # fmt: skip


def docstring_pairs(path: str, text: str) -> Iterator[Pair]:
    """First paragraph of a docstring → the definition without it."""
    for chunk in chunk_file(path, text).chunks:
        if chunk.part <= 1 and len(chunk.docstring) >= SHORTEST_DOCSTRING and chunk.kind != "module":
            # The same words in two files ("Close the connection.") are one group: neither is a wrong answer to the other.
            pair = _pair(chunk.docstring, _counted(chunk.docstring), _counted(_without_docstring(chunk)))
            if pair is not None:
                yield pair


def _meets(chunk: Chunk, edit: Edit) -> bool:
    if edit.old_last < edit.old_first:  # an insertion before old_first
        return chunk.first < edit.old_first <= chunk.last
    return edit.old_first <= chunk.last and chunk.first <= edit.old_last


def _pair(group: str, query: Mapping[str, int], code: Mapping[str, int]) -> Pair | None:
    return Pair(group, query, code) if min(len(query), len(code)) >= FEWEST_WORDS else None


def _counted(text: str) -> dict[str, int]:
    counts = count_tokens(text)
    return dict(list(counts.items())[:MOST_TOKENS])


def _without_docstring(chunk: Chunk) -> str:
    """The dense text of a chunk without the lines that its docstring's first paragraph was read from."""
    left = chunk.docstring
    kept: list[str] = []
    for line in chunk.text.split("\n"):
        said = " ".join(_EDGE.sub("", line).split())
        if said and left and (left.startswith(said) or said.startswith(left)):
            left = left[len(said) :].lstrip()
        else:
            kept.append(line)
    return f"{chunk.qualified}\n" + "\n".join(kept)
