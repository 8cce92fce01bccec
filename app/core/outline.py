"""Owns how a parsed file is read in one query pass: definitions with their places, and raw imports, calls and bindings. Resolves nothing.

Captures of the .scm files:
  @function @method @class @interface @type @enum @impl @constant @module   the node of a definition, with
      @name (its name node), @body (where its header ends), @owner (Go: the receiver's type)
  @wrap       a node around a definition that belongs to it (decorators, `export`, `template <…>`)
  @above      a node on the lines above that belongs to it (attributes, method decorators)
  @comment    a comment, which belongs to the definition right below it
  @import     a statement for app/core/imports.py
  @call       the callee (`a.b` of `a.b()`), or its last name with @object apart; @component a JSX element's name
  @bind       a name given a value here, with @declared (its type), @made (the class constructed), @called (what was
              called, perhaps a class), @path (Rust: the associated function called), @from (another name);
  @field      a name bound in the enclosing class
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import QueryCursor

from app.core.languages import Language, query_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

DEFINITIONS = frozenset({"function", "method", "class", "interface", "type", "enum", "impl", "constant", "module"})
CLASSES = frozenset({"class", "interface", "enum", "impl"})
"""Kinds whose members are methods and fields."""

MAX_DEPTH = 256
"""Levels of the tree in which a pattern may start: 100,000 nested parentheses cost 16 s without it, nothing with it."""

MATCH_LIMIT = 1024
"""Matches in progress. Real files need fewer than 64; the library's own limit of 65,536 makes hostile ones slow."""

BOUND_BYTES = 200
"""A longer name or type is not followed; its start is kept."""


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


def read_outline(
    root: Node, source: bytes, language: Language, starts: list[int], late: Callable[[], bool] | None = None
) -> Outline | None:
    """Run the language's query over a tree; None when `late` says that time is up. `starts`: see `line_starts`."""
    cursor = QueryCursor(query_of(language.name))
    cursor.match_limit = MATCH_LIMIT
    cursor.set_max_start_depth(MAX_DEPTH)
    # No progress callback: tree-sitter 0.26.1 crashes on any. The depth and match limits bound this call instead, and the
    # parent kills a child that is stuck in it.
    matches = cursor.matches(root)
    if late is not None and late():
        return None
    outline = Outline(source, language, starts)
    raw: list[Place] = []
    wraps: list[tuple[int, int]] = []
    above: dict[int, tuple[int, int, int, bool]] = {}
    roles: dict[int, str] = {}
    for pattern, captures in matches:
        role = roles.get(pattern)
        if role is None:
            role = roles[pattern] = _role(captures)
        if role == "call":
            _add_call(outline, captures)
        elif role == "bind":
            _add_binding(outline, captures)
        elif role in DEFINITIONS:
            raw.append(_place(outline, role, captures))
        elif role == "import":
            outline.imports.append(captures["import"][0])
        elif role == "wrap":
            wraps.append((captures["wrap"][0].start_byte, captures["wrap"][0].end_byte))
        elif role in {"comment", "above"}:
            _add_above(outline, above, captures[role][0], role == "comment")
        elif role == "component":
            node = captures["component"][0]
            if (
                source[node.start_byte : node.start_byte + 1].isupper()
                or b"." in source[node.start_byte : node.end_byte]
            ):
                outline.calls.append((node.end_byte - 1, source[node.start_byte : node.end_byte], None))
    outline.places = _distinct(raw)
    _wrap(outline, sorted(wraps))
    _nest(outline)
    _attach(outline, above)
    return outline


def _role(captures: dict[str, list[Node]]) -> str:
    """What a pattern is for: its main capture."""
    for name in captures:
        if name in DEFINITIONS:
            return name
    for name in ("import", "call", "wrap", "comment", "above", "component"):
        if name in captures:
            return name
    return "bind"


def _add_call(outline: Outline, captures: dict[str, list[Node]]) -> None:
    node = captures["call"][0]
    end = node.end_byte
    if "object" in captures:
        receiver = captures["object"][0]
        outline.calls.append(
            (end - 1, outline.source[node.start_byte : end], outline.source[receiver.start_byte : receiver.end_byte])
        )
    else:
        outline.calls.append((end - 1, outline.source[node.start_byte : end], None))


def _add_binding(outline: Outline, captures: dict[str, list[Node]]) -> None:
    source = outline.source
    if "new" in captures and source[captures["new"][0].start_byte : captures["new"][0].end_byte] != b"new":
        return
    how = value = ""
    for word in ("made", "declared", "called", "path", "from"):
        if word in captures:
            node = captures[word][0]
            how, value = (
                word,
                source[node.start_byte : min(node.end_byte, node.start_byte + BOUND_BYTES)].decode("utf-8", "replace"),
            )
            if value in {"auto", "var"}:
                how = value = ""
            break
    in_class = "field" in captures
    for node in captures["field" if in_class else "bind"]:
        at, end = node.start_byte, node.end_byte
        name = source[at : min(end, at + BOUND_BYTES)].decode("utf-8", "replace")
        outline.bindings.append(Binding(at, end, name, how, value, in_class))


def _place(outline: Outline, kind: str, captures: dict[str, list[Node]]) -> Place:
    node = captures[kind][0]
    start, end = node.start_byte, node.end_byte
    source = outline.source
    if "name" in captures:
        name_node = captures["name"][0]
        name, name_end = (
            source[name_node.start_byte : name_node.end_byte].decode("utf-8", "replace"),
            name_node.end_byte,
        )
    else:
        name, name_end = "default", start
    body = captures["body"][0].start_byte if "body" in captures else -1
    owner = captures["owner"][0].text if "owner" in captures else None
    while end > start and source[end - 1] in b"\r\n":
        end -= 1  # nodes of the C preprocessor and Rust's doc comments hold their line's end
    first, last = outline.line(start), outline.line(max(start, end - 1))
    place = Place(kind, node, name, start, start, end, name_end, body, first, last, first)
    place.owner = owner.decode("utf-8", "replace") if owner else ""
    return place


def _add_above(outline: Outline, above: dict[int, tuple[int, int, int, bool]], node: Node, is_comment: bool) -> None:
    start, end = node.start_byte, node.end_byte
    first = outline.line(start)
    column = start - outline.starts[first - 1]
    if column and not outline.source[outline.starts[first - 1] : start].isspace():
        return  # code stands before it on its line
    while end > start and outline.source[end - 1] in b"\r\n":
        end -= 1
    above[outline.line(max(start, end - 1))] = (first, start, end, is_comment)


def _distinct(raw: list[Place]) -> list[Place]:
    """In document order, parents first; of two readings of one place the one that is not a constant."""
    raw.sort(key=lambda place: (place.own, -place.end, place.kind == "constant"))
    kept: list[Place] = []
    seen: set[tuple[int, str]] = set()
    bodies: set[int] = set()
    for place in raw:
        if (place.name_end, place.name) in seen or (
            place.body >= 0 and place.body in bodies and place.kind != "constant"
        ):
            continue  # `typedef struct a {…} a;` is one definition
        seen.add((place.name_end, place.name))
        bodies.add(place.body)
        kept.append(place)
    return kept


_TAIL = re.compile(rb"[\s;,)\]}]*")
"""What may follow a definition to the end of the node around it."""


def _wrap(outline: Outline, wraps: list[tuple[int, int]]) -> None:
    """Extend definitions to the nodes around them: a wrap belongs to the first definition that starts inside it, if it is the
    last thing inside as well. `export default cond ? { a() {} } : {}` is more than `a`, and half of it would not parse."""
    position = 0
    places = outline.places
    for start, end in wraps:
        while position < len(places) and places[position].own < start:
            position += 1
        if position == len(places):
            return
        place = places[position]
        if not (place.own < end and place.end <= end and start < place.start):
            continue
        if _TAIL.fullmatch(outline.source, place.end, end):
            place.start = start
            place.first = place.top = outline.line(start)
            place.last = max(place.last, outline.line(max(start, end - 1)))


def _nest(outline: Outline) -> None:
    """Set parents, and the table that finds the innermost definition around a byte."""
    stack: list[int] = []
    edges, inside = outline.edges, outline.inside

    def mark(at: int, place: int) -> None:
        if edges and edges[-1] == at:
            inside[-1] = place
        else:
            edges.append(at)
            inside.append(place)

    places = outline.places
    for index, place in enumerate(places):
        while stack and (places[stack[-1]].end <= place.own or places[stack[-1]].end < place.end):
            ended = stack.pop()
            if places[ended].end <= place.own:
                mark(places[ended].end, stack[-1] if stack else -1)
        if stack and places[stack[-1]].own == place.own and places[stack[-1]].end == place.end:
            stack.pop()  # two names of one statement stand side by side
        if stack:
            place.parent = stack[-1]
            places[stack[-1]].children.append(index)
        stack.append(index)
        mark(place.own, index)
    while stack:
        ended = stack.pop()
        mark(places[ended].end, stack[-1] if stack else -1)


def _attach(outline: Outline, above: dict[int, tuple[int, int, int, bool]]) -> None:
    """Bind comments and attributes that end on the line above a definition, and stand no deeper than it, to it."""
    for place in outline.places:
        column = place.start - outline.starts[place.first - 1]
        while (found := above.get(place.top - 1)) is not None:
            first, start, end, is_comment = found
            if start - outline.starts[first - 1] > column:
                break
            place.top = first
            if is_comment:
                place.comments.insert(0, (start, end))
            else:
                place.first = first
