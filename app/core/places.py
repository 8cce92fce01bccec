"""Owns the values of a file being read: its definitions with their places, its raw calls and bindings, and which is inside which."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

    from app.core.languages import Language

SECTION = "section"
"""A named part of a file that defines no symbol: a key, a table, an element, a rule of style."""
DEFINITIONS = frozenset(
    {"function", "method", "class", "interface", "type", "enum", "impl", "constant", "module", SECTION}
)
CLASSES = frozenset({"class", "interface", "enum", "impl"})
"""Kinds whose members are methods and fields."""


@dataclass(slots=True)
class Place:
    """A definition while the file is read. Bytes are half-open, lines are git's with both ends included.

    `own` is where its node starts, `start` includes what wraps it; `top` is the first line with its comments and
    attributes, `first` without. `body` is -1 without one. `parent` is an index into the outline, -1 at top level.
    `owner` is the qualified name of the class that `self` means here, or empty.
    """

    kind: str
    node: Node
    name: str
    own: int
    start: int
    end: int
    name_end: int
    body: int
    first: int
    last: int
    top: int
    parent: int = -1
    qualified: str = ""
    owner: str = ""
    children: list[int] = field(default_factory=list)
    comments: list[tuple[int, int]] = field(default_factory=list)


class Binding(NamedTuple):
    """A name bound at bytes `at`..`end`. `how` is declared, made, called, path, from, or empty where the value is unknown."""

    at: int
    end: int
    name: str
    how: str
    value: str
    in_class: bool = False


@dataclass(slots=True)
class Outline:
    """One file as its query saw it. `starts` holds the byte offset of each line; `calls` are (name's byte, callee, object)."""

    source: bytes
    language: Language
    starts: list[int]
    places: list[Place] = field(default_factory=list)
    imports: list[Node] = field(default_factory=list)
    calls: list[tuple[int, bytes, bytes | None]] = field(default_factory=list)
    bindings: list[Binding] = field(default_factory=list)
    edges: list[int] = field(default_factory=list)
    inside: list[int] = field(default_factory=list)

    def line(self, at: int) -> int:
        """The line (from 1) that holds byte `at`."""
        return bisect_right(self.starts, at)

    def scope(self, at: int) -> int:
        """The innermost definition around byte `at`: an index into `places`, or -1."""
        found = bisect_right(self.edges, at) - 1
        return self.inside[found] if found >= 0 else -1


def line_starts(source: bytes) -> list[int]:
    """Byte offsets at which lines start. Lines are git's: only \\n ends one."""
    return [0, *(found.end() for found in re.finditer(b"\n", source))]


def spelled(name: str) -> str:
    """A bound name or a receiver with its members after dots: PHP's `$this->log`, and Ruby's `@log`, which is self's."""
    if name.startswith("@"):
        return "self." + name.lstrip("@")
    return name.replace("->", ".")
