"""Owns who binds which name where in one file: definitions, imports, parameters, assignments, fields. Resolves no call."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from app.core.places import CLASSES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.core.places import Binding, Outline
    from app.core.types import Import

_HOW = ("declared", "made", "called", "path", "from", "")
"""Readings of one binding, the better first."""

REQUIRING = frozenset({"javascript", "typescript", "tsx"})
"""Languages in which a variable may be a module: `const x = require("x")`."""


class Bound(NamedTuple):
    """What a name means in a scope. `how`: module, named (out of a module), defined, declared, made, called, path, from, or unknown."""

    how: str
    value: str
    scope: int = -1


UNKNOWN = Bound("unknown", "")


def join(module: str, name: str) -> str:
    """`module.name`; a relative Python module that is only dots takes no further one."""
    return module + name if module.endswith(".") and not module.strip(".") else f"{module}.{name}"


class Scopes:
    """The names of one file: who binds them where, and which members its classes have. Built once, then only asked."""

    def __init__(self, outline: Outline, imports: Iterable[Import]) -> None:
        self.outline = outline
        self.row = outline.language
        self.scopes: dict[int, dict[str, Bound]] = {-1: {}}
        self.fields: dict[str, dict[str, Bound]] = {}
        self.members: dict[str, set[str]] = {}
        self.classes: dict[str, int] = {}
        self.modules: set[str] = set()
        self._bind_definitions()
        self._bind_imports(imports)
        self._bind_values(outline.bindings)

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
            elif (
                (not one.how or one.value == "require")
                and one.name in imported
                and self.row.name in REQUIRING
                and self._holder(scope) < 0
            ):
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
