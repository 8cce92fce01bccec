"""Owns what a parsed file defines, imports and calls. Decides nothing about chunks, and reads no other file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.core import headers
from app.core.imports import read_imports
from app.core.places import CLASSES, Outline
from app.core.resolve import RECEIVER_CHARACTERS, Names
from app.core.scopes import join
from app.core.types import Call, Definition

if TYPE_CHECKING:
    from app.core.places import Place
    from app.core.types import Import

_TYPE_ARGUMENTS = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")
_NOT_OWNERS = frozenset({"prototype", "exports", "module", "this", "window", "globalThis", "self"})
"""Parts of `Foo.prototype.bar = function` and `exports.bar = function` that name no class."""

_ARROWS = frozenset({"rust", "c", "cpp"})
"""Languages in which `::` or `->` stands between a receiver and a name, as `.` does everywhere."""


@dataclass(frozen=True, slots=True)
class Symbols:
    """What a file says about names, in the order of its lines. `definitions[i]` belongs to `outline.places[i]`."""

    outline: Outline
    definitions: tuple[Definition, ...]
    imports: tuple[Import, ...]
    calls: tuple[Call, ...]


def read_symbols(outline: Outline) -> Symbols:
    """Definitions, imports and resolved calls of one outline.

    `Call.target` has one of these forms; a reader tries them in this order:
    1. empty: the file proves nothing (an untyped receiver, a parameter, a builtin function, an inherited bare name).
    2. the qualified name of a definition of this file: `save`, `A`, `A.save` (`A.save` may be inherited: look `save` up
       in A, then in its bases; `self.save()` in A, `A().save()` and `a.save()` after `a = A()` all give it).
       Its longest prefix that this file defines is a definition here.
    3. `<Import.module>.<name>[.<member>…]` for an import of this file: `m.save`, `.store.A.save`, `./store.save`,
       `net/http.Get`, `java.util.List.of`, `crate::store.save` (further path parts of Rust stand before the last dot, joined by
       `::`). `from . import a` gives `.a`. `<Import.module>.default` is JavaScript's default export. A module called as a function
       is its default too. For Python's `import a.b` the target is `a.b.name`.
    4. `<Type>[.<member>]` where the file declares or constructs the type but neither imports nor defines it: a type of the same
       package or of an included header (Go, Java, Rust, C, C++), else a builtin (`str.strip`, `Map.get`).

    5. `<one of the above>().<member>`: a member of what a function returns, whose declared type only a reader of its file knows.

    Calls of a constructor are calls of the class. `Call.name` undoes import aliases; a default import keeps its local name.
    """
    _qualify(outline)
    imports = read_imports(outline)
    bases = _bases(outline)
    definitions = tuple(_definition(outline, index, bases.get(index, ())) for index in range(len(outline.places)))
    names = Names(outline, imports, bases)
    return Symbols(outline, definitions, tuple(imports), tuple(_calls(outline, names)))


# --- definitions


def _qualify(outline: Outline) -> None:
    """Give each place its qualified name, its kind (functions of a class are methods) and its owner."""
    nested = outline.language.nested
    for place in outline.places:
        parent = outline.places[place.parent] if place.parent >= 0 else None
        prefix = parent.qualified if parent is not None and nested else ""
        path, simple = _name_path(outline.language.name, place)
        if place.owner:  # Go: the receiver's type
            path = [_bare_type(place.owner)]
            prefix = ""
        if path:
            place.owner = ".".join([prefix, *path] if prefix else path)
            if place.kind == "function":
                place.kind = "method"
        elif (
            parent is not None
            and (parent.kind in CLASSES or parent.kind == "constant")
            and place.kind in {"function", "method"}
        ):
            place.kind, place.owner = "method", parent.qualified
        place.name = simple
        place.qualified = ".".join(part for part in (prefix, *path, simple) if part)


def _name_path(language: str, place: Place) -> tuple[list[str], str]:
    """(names of the owners written in front, the simple name) of a definition's name as it stands in the source."""
    name = place.name.strip()
    if language == "cpp" or (language == "rust" and place.kind == "impl"):
        at = name.find("operator")
        head, tail = (name[:at], name[at:]) if at >= 0 else (name, "")
        while (shorter := _TYPE_ARGUMENTS.sub("", head)) != head:
            head = shorter
        parts = [part for part in re.split(r"::", head.lstrip("&*").replace("mut ", "")) if part.strip()]
        parts = [part.strip().split()[-1] for part in parts] + ([re.sub(r"\s+", " ", tail)] if tail else [])
        if place.kind == "impl":
            return [], parts[-1] if parts else name
        if place.kind == "module":
            return [], ".".join(parts)
        return parts[:-1], parts[-1] if parts else name
    if language in {"javascript", "typescript", "tsx"}:
        name = name.strip("\"'`")
        if place.kind == "module" or "." not in name or " " in name:
            return [], name
        parts = [part for part in name.split(".") if part and part not in _NOT_OWNERS]
        return (parts[:-1], parts[-1]) if parts else ([], "default")
    if language == "python" and "[" in name:
        return [], name.partition("[")[0]
    return [], name


def _bare_type(text: str) -> str:
    """`*T[K]` names T."""
    return _TYPE_ARGUMENTS.sub("", text).strip(" *&()")


def _bases(outline: Outline) -> dict[int, tuple[str, ...]]:
    language, source = outline.language.name, outline.source
    found: dict[int, tuple[str, ...]] = {}
    for index, place in enumerate(outline.places):
        if place.kind in CLASSES and place.body >= 0:
            start = place.own if place.kind == "impl" else place.name_end
            header = source[start : min(place.body, start + 2_000)].decode("utf-8", "replace")
            body = (
                source[place.body : min(place.end, place.body + 20_000)].decode("utf-8", "replace")
                if language == "go"
                else ""
            )
            if listed := headers.bases(language, place.kind, header, body):
                found[index] = listed
    return found


def _definition(outline: Outline, index: int, bases: tuple[str, ...]) -> Definition:
    place = outline.places[index]
    source = outline.source
    docstring = ""
    if outline.language.name == "python" and place.body >= 0:
        docstring = headers.python_docstring(source, place.body)
    if not docstring and place.comments:
        docstring = headers.comment_docstring(source, place.comments)
    return Definition(
        place.name,
        place.qualified,
        place.kind,
        place.first,
        place.last,
        headers.signature(source, place.start, place.own, place.end, place.body),
        docstring,
        bases,
    )


# --- calls


def _calls(outline: Outline, names: Names) -> list[Call]:
    """All call sites, ascending by place. What depends on (scope, callee) alone is worked out once for each pair."""
    known: dict[tuple[int, bytes, bytes | None], tuple[str, str, str]] = {}
    places = outline.places
    within = {index: place.qualified for index, place in enumerate(places)}
    within[-1] = ""
    line, scope_of = outline.line, outline.scope
    found: list[Call] = []
    for at, callee, receiver in sorted(outline.calls, key=_position):
        scope = scope_of(at)
        key = (scope, callee, receiver)
        site = known.get(key)
        if site is None:
            site = known[key] = _site(names, scope, callee, receiver)
        if site[0]:
            found.append(Call(site[0], site[1], line(at), site[2], within[scope]))
    return found


def _position(call: tuple[int, bytes, bytes | None]) -> int:
    return call[0]


def _site(names: Names, scope: int, callee: bytes, receiver: bytes | None) -> tuple[str, str, str]:
    """(name, receiver, target) of a callee; an empty name where it is no name (`f()()`, `a[0]()`)."""
    if receiver is None:
        cut = callee.rfind(b".")
        if names.row.name in _ARROWS:
            cut = max(cut, callee.rfind(b":"), callee.rfind(b">"))
        if cut >= 0:
            receiver, callee = callee[:cut].rstrip(b".:-?! \t\r\n"), callee[cut + 1 :].strip()
            if not receiver and names.row.name != "cpp":
                return "", "", ""
    if not callee or callee[-1:] in b">)]}" or b"\n" in callee:
        return "", "", ""
    name = callee.decode("utf-8", "replace")
    if not receiver:
        name, target = names.bare(scope, name)
        return name, "", target
    text = receiver[-4 * RECEIVER_CHARACTERS :].decode("utf-8", "replace").strip()
    if len(text) > RECEIVER_CHARACTERS or "\n" in text:
        return name, "…" + headers.squeeze(text, 10 * RECEIVER_CHARACTERS)[-RECEIVER_CHARACTERS:], ""
    known = names.receiver(scope, text)
    return name, text, join(known, name) if known else ""
