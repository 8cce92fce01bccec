"""Chooses the commits of a history that make fair questions: a person's words, and the few files that answered them. Reads nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable

from app.core.diff import line_edits
from app.core.languages import language_of
from app.core.roles import Role, role_of
from app.core.rows import Lines

SHORTEST_MESSAGE = 20
"""Characters of a message that can describe a change; `fix typo` cannot."""
MOST_FILES = 4
"""Source files of a change that one message describes."""
MOST_TOUCHED = 12
"""Files of any kind, tests and documentation included: more is a sweep through the repository."""
_AUTOMATIC = re.compile(
    r"\[bot\]|\bbot@|-bot\b|\b(?:dependabot|renovate|greenkeeper|pre-commit-ci|weblate|github-actions)\b", re.I
)
_NO_QUESTION = re.compile(
    r"^(?:merge\b|revert\b|release\b|(?:bump|prepare|cut)\b.*\b(?:version|release)|bump\b|v?\d+\.\d+(?:\.\d+)*\S*\s*$|version\s+v?\d"
    r"|(?:chore|build|ci|style)(?:\([^)]*\))?!?:|update\s+(?:changelog|dependenc|lock)|fixup!|squash!)"
    r"|\b(?:reformat|re-format|run\s+(?:black|ruff|prettier|gofmt|rustfmt|isort)|whitespace|formatting|lint(?:er|ing)?\s+(?:fix|error))",
    re.I,
)
_TRAILER = re.compile(
    r"^(?:signed-off-by|co-authored-by|reviewed-by|change-id|acked-by|git-svn-id|cc|tested-by):.*$", re.I | re.M
)


def question_text(author: str, message: str) -> str:
    """The words of a commit message that ask for its change; empty where it makes no fair question: written by a program, a
    merge, a release, formatting, or too short to say anything."""
    text = _TRAILER.sub("", message).strip()
    if len(text) < SHORTEST_MESSAGE or _AUTOMATIC.search(author) or _NO_QUESTION.search(text.partition("\n")[0]):
        return ""
    return text


def wanted_paths(changed: Iterable[str], touched: int) -> tuple[str, ...]:
    """Of the files that a commit changed and that were there before: those that had to be found, source and no tests. Empty
    where it touched too many (`touched` counts all of its files), or none of that kind."""
    wanted = tuple(path for path in changed if _is_source(path))
    return wanted if 1 <= len(wanted) <= MOST_FILES and touched <= MOST_TOUCHED else ()


def old_ranges(old: str, new: str) -> tuple[Lines, ...]:
    """The lines of the old text that a change touched; an insertion touches the line above it."""
    ranges = []
    for edit in line_edits(old, new):
        first = edit.old_first if edit.old_last >= edit.old_first else max(1, edit.old_first - 1)
        ranges.append((first, max(first, edit.old_last)))
    return tuple(ranges)


def _is_source(path: str) -> bool:
    return role_of(path) is Role.SOURCE and language_of(path) not in ("", "markdown")
