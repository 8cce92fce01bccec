"""Owns what one file proves about its own receivers and calls. Reads no other file, guesses nothing.

The forms of a target are those that `symbols.read_symbols` lists for readers.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from app.core.declared import constructed, is_class_name, plain_type
from app.core.scopes import REQUIRING, Bound, Scopes, join

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from app.core.places import Outline
    from app.core.types import Import

RECEIVER_CHARACTERS = 120
"""A longer receiver proves nothing that we can follow; its text is cut to its end."""

_PATH = re.compile(r"[A-Za-z_$\u0080-\U0010ffff][\w$]*(?:\.[A-Za-z_$\u0080-\U0010ffff][\w$]*)*")
_BUILTIN_CLASSES = frozenset("dict list set str int float bytes tuple frozenset bytearray object complex bool".split())
_CONSTRUCTORS = frozenset({"new", "default"})
"""Associated functions that by Rust's conventions return Self."""


class Names(Scopes):
    """What the file proves about a type, a receiver, a bare call. `bases` maps indexes of classes to the bases they name."""

    def __init__(self, outline: Outline, imports: Iterable[Import], bases: Mapping[int, tuple[str, ...]]) -> None:
        super().__init__(outline, imports)
        self.bases = bases
        self._receivers: dict[tuple[int, str], str] = {}

    def type_named(self, scope: int, text: str, *, called: bool = False, depth: int = 0) -> str:
        """The target name of the class that a text names, or "". `called`: the text was called, and may name a function."""
        dotted = plain_type(text)
        if not dotted or depth > 4:
            return ""
        first, _, rest = dotted.partition(".")
        if first in self.row.selves and self.owner(scope):
            return self.owner(scope) + ("." + rest + "()" * called if rest else "")
        found = self.look_up(scope, first)
        if found is None:
            return dotted if not called or is_class_name(dotted) or dotted in _BUILTIN_CLASSES else ""
        if found.how == "defined":
            whole = f"{found.value}.{rest}" if rest else found.value
            if whole in self.classes or first in self.modules:
                return whole
            if called:
                return f"{whole}()"
            return whole if self._kind(found.scope) == "type" else ""
        if found.how in {"module", "named"} and (rest or found.how == "named"):
            whole = self._walk_path(found.value, rest)
            # In Go a capital only says that the name is exported.
            return f"{whole}()" if called and (self.row.name == "go" or not is_class_name(dotted)) else whole
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
        if name == "super" and self.row.name == "python":
            return name, ""  # `super()` alone constructs nothing
        if name == "super" or name in self.row.selves:
            # `super(…)` and `cls(…)` call a class: searched by its name
            called = self._super(scope) if name == "super" else self.owner(scope)
            return (_last_name(called), called) if called else (name, "")
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
            return name, join(found.value, "default") if self.row.name in REQUIRING else ""
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


def _last_name(dotted: str) -> str:
    return re.split(r"[./:]", dotted)[-1]


def _marks(text: str) -> bool:
    return ":" in text or ">" in text or "?" in text or "!" in text
