"""The rows that `coderag eval` measures with, read from JSON lines. Owns their forms and what is said of a bad one; runs nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from app.core.errors import UserError

SHOWN_CHARACTERS = 60
"""Of a bad value, in an error message."""

Lines = tuple[int, int]
"""First and last line, from 1, both included."""
Parsed = TypeVar("Parsed")

_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Part:
    """Lines of one file: those that a change touched, at the commit before it."""

    path: str
    lines: tuple[Lines, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """A question with its answer: `query` is the text, its first line the title; `gold` what the change touched then.

    `repo` is `owner/name`, `commit` the revision whose tree is searched."""

    id: str
    repo: str
    commit: str
    query: str
    gold: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class ImpactRow:
    """A change with one of its files left out: `changed` is what it shows, `hidden` the path that must be found."""

    id: str
    repo: str
    commit: str
    changed: tuple[Part, ...]
    hidden: str


def read_rows(text: str) -> list[Row]:
    """Rows of a JSON-lines file; empty lines are passed over. UserError names the first bad line and what it lacks."""
    return _read(text, _row)


def read_impact_rows(text: str) -> list[ImpactRow]:
    """Impact rows of a JSON-lines file; see `read_rows`."""
    return _read(text, _impact_row)


def _read(text: str, parse: Callable[[_Fields], Parsed]) -> list[Parsed]:
    rows = []
    # Not splitlines: a query may hold separators that JSON allows unescaped (U+2028).
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            rows.append(parse(_Fields(_object(line, number), number)))
    return rows


def _object(line: str, number: int) -> Mapping[str, object]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UserError(f"line {number} is no JSON: {error}") from error
    if not isinstance(value, dict):
        raise UserError(f"line {number} must be a JSON object, not {_shown(value)}")
    return value


def _row(read: _Fields) -> Row:
    return Row(read.text("id"), read.repository(), read.text("commit"), read.text("query"), read.parts("gold"))


def _impact_row(read: _Fields) -> ImpactRow:
    return ImpactRow(
        read.text("id"), read.repository(), read.text("commit"), read.parts("changed"), read.text("hidden")
    )


@dataclass(frozen=True, slots=True)
class _Fields:
    """The fields of one line, each checked as it is read."""

    values: Mapping[str, object]
    number: int

    def text(self, name: str) -> str:
        value = self._there(name)
        if not isinstance(value, str) or not value.strip():
            raise self._bad(name, "must be a text that is not empty", value)
        return value

    def repository(self) -> str:
        """It becomes part of a path on disk, so nothing that climbs out of a folder may pass."""
        value = self.text("repo")
        if not _REPOSITORY.fullmatch(value) or not {".", ".."}.isdisjoint(value.split("/")):
            raise self._bad("repo", "must be owner/name", value)
        return value

    def parts(self, name: str) -> tuple[Part, ...]:
        value = self._there(name)
        if not isinstance(value, list) or not value:
            raise self._bad(name, "must be a list that is not empty", value)
        return tuple(self._part(name, each) for each in value)

    def _part(self, name: str, value: object) -> Part:
        path = value.get("path") if isinstance(value, dict) else None
        lines = value.get("lines", []) if isinstance(value, dict) else None
        if not isinstance(path, str) or not path or not isinstance(lines, list):
            raise self._bad(name, "must hold objects with `path` and `lines`", value)
        return Part(path, tuple(self._lines(name, each) for each in lines))

    def _lines(self, name: str, value: object) -> Lines:
        pair = value if isinstance(value, list) else []
        if len(pair) != 2 or not all(isinstance(each, int) and not isinstance(each, bool) for each in pair):
            raise self._bad(name, "has lines that are no [first, last]", value)
        return pair[0], pair[1]

    def _there(self, name: str) -> object:
        if name not in self.values:
            raise UserError(f"line {self.number} lacks `{name}`")
        return self.values[name]

    def _bad(self, name: str, rule: str, value: object) -> UserError:
        return UserError(f"line {self.number}: `{name}` {rule}, not {_shown(value)}")


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"
