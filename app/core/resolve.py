"""Owns what one file proves about its own call sites: scopes, imports, classes and local types. Reads no other file, guesses nothing.

A target has one of these forms (see `symbols.read_symbols`, which documents them for readers).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from app.core.declared import constructed, is_class_name, plain_type
from app.core.outline import CLASSES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from app.core.outline import Binding, Outline
    from app.core.types import Import

RECEIVER_CHARACTERS = 120
"""A longer receiver proves nothing that we can follow; its text is cut to its end."""

_PATH = re.compile(r"[A-Za-z_$\u0080-\U0010ffff][\w$]*(?:\.[A-Za-z_$\u0080-\U0010ffff][\w$]*)*")
_BUILTIN_CLASSES = frozenset("dict list set str int float bytes tuple frozenset bytearray object complex bool".split())
_CONSTRUCTORS = frozenset({"new", "default"})
"""Associated functions that by Rust's conventions return Self."""


class Bound(NamedTuple):
    """What a name means in a scope. `how`: module, named (out of a module), defined, declared, made, called, path, from, or unknown."""

    how: str
    value: str
    scope: int = -1


UNKNOWN = Bound("unknown", "")


def join(module: str, name: str) -> str:
    """`module.name`; a relative Python module that is only dots takes no further one."""
    return module + name if module.endswith(".") and not module.strip(".") else f"{module}.{name}"


class Names:
    """The names of one file: who binds them where, and which members its classes have. Built once, then only asked."""

    def __init__(self, outline: Outline, imports: Iterable[Import], bases: Mapping[int, tuple[str, ...]]) -> None:
        self.outline = outline
        self.row = outline.language
        self.bases = bases
        self.scopes: dict[int, dict[str, Bound]] = {-1: {}}
        self.fields: dict[str, dict[str, Bound]] = {}
        self.members: dict[str, set[str]] = {}
        self.classes: dict[str, int] = {}
        self.modules: set[str] = set()
        self._receivers: dict[tuple[int, str], str] = {}
        self._bind_definitions()
        self._bind_imports(imports)
        self._bind_values(outline.bindings)

    # --- building

    def _bind_definitions(self) -> None:
        for index, place in enumerate(self.outline.places):
            is_class = place.kind in CLASSES or (place.kind == "constant" and bool(place.children))
            if is_class:
                self.classes.setdefault(place.qualified, index)
            elif place.kind == "module":
                self.modules.add(place.qualified)
            elif place.kind == "constant":
                continue
            name = place.qualified.rpartition(".")[2]
            parent = place.parent
            if place.owner and place.kind in {"method", "function"}:
                self.members.setdefault(place.owner, set()).add(name)
            if not (place.kind == "method" and place.owner) and place.kind != "impl":
                self._bind(self._holder(parent), name, Bound("defined", place.qualified, index))

    def _holder(self, scope: int) -> int:
        """The scope in which names are looked up: functions, modules and the file, not class bodies."""
        places = self.outline.places
        while scope >= 0 and places[scope].kind == "constant":
            scope = places[scope].parent
        return scope

    def _bind(self, scope: int, name: str, bound: Bound) -> None:
        scope_names = self.scopes.setdefault(scope, {})
        known = scope_names.get(name)
        if known is None or (known.how, known.value) == (bound.how, bound.value):
            scope_names[name] = known or bound
        else:
            scope_names[name] = UNKNOWN

    def _bind_imports(self, imports: Iterable[Import]) -> None:
        for one in imports:
            at = self.outline.starts[one.line - 1]
            scope = self._holder(self.outline.scope(at))
            if not one.alias:
                continue
            if one.name:
                self._bind(scope, one.alias, Bound("named", join(one.module, one.name)))
            elif self.row.name == "python" and one.alias == one.module:
                top = one.module.partition(".")[0]
                self._bind(scope, top, Bound("module", top))
            else:
                self._bind(scope, one.alias, Bound("module", one.module))

    def _bind_values(self, bindings: list[Binding]) -> None:
        places = self.outline.places
        named = {place.name_end for place in places if place.kind != "constant" or place.children}
        imported = {one for one, bound in self.scopes[-1].items() if bound.how in {"module", "named"}}
        best: dict[int, str] = {}
        for one in bindings:
            known = best.get(one.at)
            best[one.at] = one.how if known is None else min(known, one.how, key=_HOW.index)
        for one in bindings:
            if one.how != best[one.at] or one.end in named:
                continue  # a typed reading of the same place is better; a definition is no second binding
            scope = self.outline.scope(one.at)
            bound = Bound(one.how, one.value, scope) if one.how else UNKNOWN
            in_class = one.in_class or (scope >= 0 and places[scope].kind in CLASSES)
            if "." in one.name:
                first, _, rest = one.name.partition(".")
                if first in self.row.selves and "." not in rest and (owner := self.owner(scope)):
                    self._bind_field(owner, rest, bound)
            elif in_class:
                self._bind_field(self.owner(scope) or self._qualified(scope), one.name, bound)
            elif not one.how and one.name in imported and self.row.name in _REQUIRES and self._holder(scope) < 0:
                continue  # `const x = require("x")` is the import itself
            else:
                self._bind(self._holder(scope), one.name, bound)

    def _bind_field(self, owner: str, name: str, bound: Bound) -> None:
        fields = self.fields.setdefault(owner, {})
        known = fields.get(name)
        if known is None or (known.how == "" or known.how == "unknown") or bound.how in {"declared", known.how}:
            fields[name] = bound if known is None or bound.how == "declared" or known == bound else UNKNOWN
        elif known.how != "declared" and bound != known:
            fields[name] = UNKNOWN

    def _qualified(self, scope: int) -> str:
        return self.outline.places[scope].qualified if scope >= 0 else ""

    # --- asking

    def owner(self, scope: int) -> str:
        """The qualified name of the class that `self` means in a scope, or ""."""
        places = self.outline.places
        while scope >= 0:
            place = places[scope]
            if place.kind in CLASSES or (place.kind == "constant" and place.children):
                return place.qualified
            if place.owner:
                return place.owner
            scope = place.parent
        return ""

    def look_up(self, scope: int, name: str) -> Bound | None:
        """What a name means, from the innermost function outwards; None when nothing in the file binds it."""
        places = self.outline.places
        while True:
            if scope < 0 or places[scope].kind not in CLASSES:
                found = self.scopes.get(scope, {}).get(name)
                if found is not None:
                    return found
            if scope < 0:
                return None
            scope = places[scope].parent

    def type_named(self, scope: int, text: str, *, called: bool = False, depth: int = 0) -> str:
        """The target name of the class that a text names, or "". `called`: the text was called, and may name a function."""
        dotted = plain_type(text)
        if not dotted or depth > 4:
            return ""
        first, _, rest = dotted.partition(".")
        if first in self.row.selves and self.owner(scope):
            return self.owner(scope) + ("." + rest if rest else "")
        found = self.look_up(scope, first)
        if found is None:
            return dotted if not called or is_class_name(dotted) or dotted in _BUILTIN_CLASSES else ""
        if found.how == "defined":
            whole = f"{found.value}.{rest}" if rest else found.value
            if whole in self.classes or first in self.modules:
                return whole
            return whole if not called and self._kind(found.scope) == "type" else ""
        if found.how in {"module", "named"} and (rest or found.how == "named"):
            if called and not is_class_name(dotted):
                return ""
            return self._walk_path(found.value, rest)
        return ""

    def _kind(self, index: int) -> str:
        return self.outline.places[index].kind if index >= 0 else ""

    def _walk_path(self, start: str, rest: str) -> str:
        return join(start, rest) if rest else start

    def type_of(self, bound: Bound, depth: int = 0) -> str:
        """The class of what a name is bound to, or ""."""
        if depth > 4:
            return ""
        if bound.how in {"declared", "made", "called"}:
            return self.type_named(bound.scope, bound.value, called=bound.how == "called", depth=depth)
        if bound.how == "path":
            head, _, function = bound.value.rpartition("::")
            return self.type_named(bound.scope, head) if function in _CONSTRUCTORS and head else ""
        if bound.how == "from":
            source = self.look_up(bound.scope, bound.value)
            return self.type_of(source, depth + 1) if source is not None and source is not bound else ""
        return ""

    def receiver(self, scope: int, text: str) -> str:
        """What a receiver is: the dotted name of a module or class, or "" where the file does not prove it. Remembered."""
        key = (scope, text)
        known = self._receivers.get(key)
        if known is None:
            known = self._receivers[key] = self._receiver(scope, text)
        return known

    def _receiver(self, scope: int, text: str) -> str:
        paths = "::" in text
        plain = (
            text.replace("->", ".").replace("::", ".").replace("?.", ".").replace("!.", ".").strip(" !?")
            if _marks(text)
            else text
        )
        if plain in {"super()", "super"} and self.row.name != "rust":
            return self._super(scope)
        if _PATH.fullmatch(plain):
            return self._path(scope, plain.split("."), paths)
        callee = constructed(text) if text.endswith(")") else ""
        if callee:
            return self._constructed(scope, callee, called="new " not in text)
        return self._path_after_generics(scope, text)

    def _path_after_generics(self, scope: int, text: str) -> str:
        """`Vec::<u8>` and `Box<T>` before `::new`: a type with arguments as the receiver of an associated function."""
        if self.row.name in {"rust", "cpp"} and text.endswith(">"):
            return self.type_named(scope, text.replace("::<", "<"))
        return ""

    def _super(self, scope: int) -> str:
        index = self.classes.get(self.owner(scope), -1)
        found = self.bases.get(index, ())
        return self.type_named(self.outline.places[index].parent, found[0]) if len(found) == 1 else ""

    def _constructed(self, scope: int, callee: str, *, called: bool) -> str:
        if self.row.name == "rust":
            head, _, function = callee.rpartition("::")
            return self.type_named(scope, head) if function in _CONSTRUCTORS and head else ""
        if self.row.name == "go":
            return ""
        return self.type_named(scope, callee, called=called)

    def _path(self, scope: int, parts: list[str], paths: bool) -> str:
        first = parts[0]
        if first in self.row.selves:
            here = self.owner(scope)
        elif first in {"crate", "self", "super"} and self.row.name == "rust":
            return "::".join(parts)
        else:
            here = self._first(scope, first, paths)
        for position, part in enumerate(parts[1:], 1):
            if not here:
                return ""
            if here in self.classes or here in self.fields:
                here = self._member(here, part)
            elif self._is_module_path(scope, first):
                here = here + ("::" if "::" in here or (paths and self.row.name == "rust" and position) else ".") + part
            else:
                return ""
        return here

    def _is_module_path(self, scope: int, first: str) -> bool:
        found = self.look_up(scope, first)
        return found is not None and found.how in {"module", "named", "defined"}

    def _first(self, scope: int, first: str, paths: bool) -> str:
        found = self.look_up(scope, first)
        if found is None:
            owner = self.owner(scope)
            if self.row.implicit_self and first in self.fields.get(owner, {}):
                return self.type_of(self.fields[owner][first])
            if self.row.open_types and (is_class_name(first) or (paths and self.row.name == "cpp")):
                return first
            return ""
        if found.how in {"module", "named"}:
            return found.value
        if found.how == "defined":
            return (
                found.value
                if found.value in self.classes or found.value in self.modules or self._kind(found.scope) == "type"
                else ""
            )
        return self.type_of(found)

    def _member(self, class_name: str, part: str) -> str:
        field = self.fields.get(class_name, {}).get(part)
        if field is not None:
            return self.type_of(field)
        inner = f"{class_name}.{part}"
        return inner if inner in self.classes else ""

    def bare(self, scope: int, name: str) -> tuple[str, str]:
        """A call without a receiver: (its name with aliases undone, its target or "")."""
        if name == "super":
            return name, "" if self.row.name == "python" else self._super(scope)
        if name in self.row.selves and self.owner(scope):
            return name, self.owner(scope)
        found = self.look_up(scope, name)
        if found is None:
            return name, self._implicit(scope, name)
        if found.how == "named":
            module, _, original = found.value.rpartition(
                "::" if "::" in found.value and "." not in found.value else "."
            )
            if original in {"default", ""} or not module:
                return name, found.value
            return original, found.value
        if found.how == "module":
            return name, join(found.value, "default") if self.row.name in _REQUIRES else ""
        if found.how == "defined":
            return name, found.value
        return name, ""

    def _implicit(self, scope: int, name: str) -> str:
        """Java and C++: an unqualified call may name a member of an enclosing class that this file holds."""
        if self.row.implicit_self:
            places = self.outline.places
            while scope >= 0:
                owner = self.owner(scope)
                if name in self.members.get(owner, ()):
                    return f"{owner}.{name}"
                scope = places[scope].parent
        if self.row.open_types and is_class_name(name) and self.row.name == "java":
            return name
        return ""


_HOW = ("declared", "made", "called", "path", "from", "")
"""Readings of one binding, the better first."""

_REQUIRES = frozenset({"javascript", "typescript", "tsx"})


def _marks(text: str) -> bool:
    return ":" in text or ">" in text or "?" in text or "!" in text
