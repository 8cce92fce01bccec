"""Owns how a parsed file is read in one query pass: definitions with their places, and raw imports, calls and bindings. Resolves nothing.

Captures of the .scm files:
  @function @method @class @interface @type @enum @impl @constant @module @section   the node of a definition, with
      @name (its name node), @body (where its header ends), @owner (Go: the receiver's type), @opens (it goes on to the
      next node of its type: a stage of a Dockerfile)
  @wrap       a node around a definition that belongs to it (decorators, `export`, `template <…>`)
  @above      a node on the lines above that belongs to it (attributes, method decorators)
  @comment    a comment, which belongs to the definition right below it
  @import     a statement for app/core/imports.py
  @call       the callee (`a.b` of `a.b()`), or its last name with @object apart; @component a JSX element's name
  @mute       syntax in which no call is one: Elixir writes definitions and types as calls
  @bind       a name given a value here, with @declared (its type), @made (the class constructed), @called (what was
              called, perhaps a class), @path (Rust: the associated function called), @from (another name);
  @field      a name bound in the enclosing class
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import QueryCursor

from app.core.languages import Language, query_of
from app.core.nesting import Above, arrange
from app.core.places import DEFINITIONS, Binding, Outline, Place, spelled

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

MAX_DEPTH = 256
"""Levels of the tree in which a pattern may start: 100,000 nested parentheses cost 16 s without it, nothing with it."""

MATCH_LIMIT = 1024
"""Matches in progress. Real files need fewer than 64; the library's own limit of 65,536 makes hostile ones slow."""

BOUND_BYTES = 200
"""A longer name or type is not followed; its start is kept."""


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
    above: dict[int, Above] = {}
    mute: list[tuple[int, int]] = []
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
        elif role == "mute":
            mute.append((captures["mute"][0].start_byte, captures["mute"][0].end_byte))
        elif role in {"comment", "above"}:
            _add_above(outline, above, captures[role][0], role == "comment")
        elif role == "component":
            node = captures["component"][0]
            if (
                source[node.start_byte : node.start_byte + 1].isupper()
                or b"." in source[node.start_byte : node.end_byte]
            ):
                outline.calls.append((node.end_byte - 1, source[node.start_byte : node.end_byte], None))
    if mute:
        outline.calls = _heard(outline.calls, sorted(mute))
    arrange(outline, raw, wraps, above)
    return outline


def _heard(
    calls: list[tuple[int, bytes, bytes | None]], mute: list[tuple[int, int]]
) -> list[tuple[int, bytes, bytes | None]]:
    """The calls outside of all mute ranges, which are sorted."""
    heard: list[tuple[int, bytes, bytes | None]] = []
    position, silent_to = 0, -1
    for call in sorted(calls, key=lambda one: one[0]):
        while position < len(mute) and mute[position][0] <= call[0]:
            silent_to = max(silent_to, mute[position][1])
            position += 1
        if call[0] >= silent_to:
            heard.append(call)
    return heard


def _role(captures: dict[str, list[Node]]) -> str:
    """What a pattern is for: its main capture."""
    for name in captures:
        if name in DEFINITIONS:
            return name
    for name in ("import", "call", "wrap", "comment", "above", "component", "mute"):
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
        name = spelled(source[at : min(end, at + BOUND_BYTES)].decode("utf-8", "replace"))
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
    if "opens" in captures:
        end = _last_before_next(node)
    # Nodes of the C preprocessor and Rust's doc comments hold their line's end. A macro whose last line says that it goes on
    # needs the empty line after it.
    while end > start and source[end - 1] in b"\r\n" and not source.endswith(b"\\\n", start, end - 1):
        end -= 1
    first, last = outline.line(start), outline.line(max(start, end - 1))
    place = Place(kind, node, name, start, start, end, name_end, body, first, last, first)
    place.owner = owner.decode("utf-8", "replace") if owner else ""
    return place


def _last_before_next(node: Node) -> int:
    """Where the last sibling ends that stands before the next node of this type; the comments above that one are its own."""
    end, sibling = node.end_byte, node.next_named_sibling
    while sibling is not None and sibling.type != node.type:
        if not sibling.type.endswith("comment"):
            end = sibling.end_byte
        sibling = sibling.next_named_sibling
    return end


def _add_above(outline: Outline, above: dict[int, Above], node: Node, is_comment: bool) -> None:
    start, end = node.start_byte, node.end_byte
    first = outline.line(start)
    column = start - outline.starts[first - 1]
    if column and not outline.source[outline.starts[first - 1] : start].isspace():
        return  # code stands before it on its line
    while end > start and outline.source[end - 1] in b"\r\n":
        end -= 1
    if is_comment and (rest := outline.source.find(b"\n", end)) > end and not outline.source[end:rest].isspace():
        return  # or behind it
    above[outline.line(max(start, end - 1))] = Above(first, start, end, is_comment)
