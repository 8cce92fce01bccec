"""Which definitions a pull request adds, changes, removes, moves and renames: pure decisions over parsed files and their texts.

`compare` looks at one changed file, `settle` joins all of them. Nothing here knows of callers, git or the index.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from app.core.diff import line_edits, touched
from app.core.source import split_lines
from app.core.types import Definition, SourceFile

SMALLEST_RENAME = 3
"""Lines a definition needs to be recognised under another name; two one-line getters are alike by chance."""

_HOLDERS = frozenset({"class", "interface", "impl", "type", "enum", "struct", "trait", "module", "namespace"})
_NOT_SYMBOLS = frozenset({"section", "window", "module"})


class Change(StrEnum):
    """What happened to a definition."""

    REMOVED = "removed"
    SIGNATURE = "signature changed"
    RENAMED = "renamed"
    MOVED = "moved"
    BODY = "changed"
    ADDED = "added"


BREAKING = frozenset({Change.REMOVED, Change.SIGNATURE, Change.RENAMED, Change.MOVED})
"""Changes after which a caller that stays as it is may no longer work."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a definition stands on one side of the change."""

    path: str
    qualified: str
    signature: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class ChangedSymbol:
    """One changed definition. `old` is None for an added one, `new` for a removed one; `size` counts changed lines.

    `digest` stands for the text of one that came or went, its own name left out, so that a move or a new name can be told.
    `still_bound`: a removed name that its file goes on to bind in another way (`old = new`, an attribute), so that calls go on.
    """

    change: Change
    name: str
    kind: str
    language: str
    old: Place | None
    new: Place | None
    size: int
    digest: str = ""
    still_bound: bool = False

    @property
    def place(self) -> Place:
        """Where it stands now, or where it stood."""
        place = self.new or self.old
        assert place is not None
        return place


@dataclass(frozen=True, slots=True)
class FileSides:
    """A changed file as it was and as it is; a side that does not exist is None with an empty text."""

    old: SourceFile | None
    new: SourceFile | None
    old_text: str = ""
    new_text: str = ""


@dataclass(frozen=True, slots=True)
class FileChange:
    """What `compare` found in one file. `lines` are the changed lines of the new text as (first, last) ranges."""

    path: str
    symbols: tuple[ChangedSymbol, ...]
    lines: tuple[tuple[int, int], ...]


# --- one file -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Unit:
    """A definition that counts as one: nested functions belong to the one around them, methods not to their class."""

    definition: Definition
    holder: str
    own: str
    text: str


def compare(sides: FileSides) -> FileChange:
    """The definitions of one file that differ between its two sides. Trailing blanks and line ends do not count as change."""
    source = sides.new or sides.old
    assert source is not None
    edits = line_edits(sides.old_text, sides.new_text)
    before, after = _units(sides.old, sides.old_text), _units(sides.new, sides.new_text)
    symbols: list[ChangedSymbol] = []
    for key in dict.fromkeys([*before, *after]):
        old, new = before.get(key), after.get(key)
        if (key[0], 0) in before and (key[0], 0) in after and not (old and new):
            continue  # one overload more or less: the definitions of that name that are left tell it
        change = _change(old, new)
        if change is None:
            continue
        size = touched(edits, new.definition.first, new.definition.last) if new else 0
        size += touched(edits, old.definition.first, old.definition.last, new=False) if old else 0
        symbols.append(_symbol(change, source.language, (sides.old, old), (sides.new, new), size))
    symbols = [_bound(symbol, sides.new_text) for symbol in symbols]
    lines = tuple((edit.new_first, edit.new_last) for edit in edits if edit.new_last >= edit.new_first)
    whole = _without_parts(symbols, {key[0]: unit.holder for key, unit in [*before.items(), *after.items()]})
    return FileChange(source.path, tuple(whole), lines)


def _units(source: SourceFile | None, text: str) -> dict[tuple[str, int], _Unit]:
    """Definitions by (qualified name, how many of that name came before); those inside a function are left to it."""
    if source is None:
        return {}
    units: dict[tuple[str, int], _Unit] = {}
    seen: Counter[str] = Counter()
    around: list[Definition] = []
    definitions = sorted(source.definitions, key=lambda one: (one.first, -one.last, len(one.qualified)))
    children, lines = _children(definitions), split_lines(text)
    for definition in definitions:
        while around and around[-1].last < definition.first:
            around.pop()
        holder = next((one for one in reversed(around) if definition.qualified.startswith(f"{one.qualified}.")), None)
        if definition.kind in _NOT_SYMBOLS or (holder is not None and holder.kind not in _HOLDERS):
            continue
        around.append(definition)
        own = _own_text(lines, definition, children[definition.qualified])
        whole = _plain(lines[definition.first - 1 : definition.last])
        units[definition.qualified, seen[definition.qualified]] = _Unit(
            definition, holder.qualified if holder else "", own, whole
        )
        seen[definition.qualified] += 1
    return units


def _children(definitions: Sequence[Definition]) -> dict[str, list[Definition]]:
    children: dict[str, list[Definition]] = defaultdict(list)
    for definition in definitions:
        parts = definition.qualified.split(".")
        for length in range(1, len(parts)):
            children[".".join(parts[:length])].append(definition)
    return children


def _own_text(lines: Sequence[str], definition: Definition, children: Sequence[Definition]) -> str:
    """What is left of a class when its methods are taken out; all of a function."""
    whole = lines[definition.first - 1 : definition.last]
    if definition.kind not in _HOLDERS or not children:
        return _plain(whole)
    inner = {line for child in children for line in range(child.first, child.last + 1)}
    return _plain(line for at, line in enumerate(whole, definition.first) if at not in inner and line.strip())


def _change(old: _Unit | None, new: _Unit | None) -> Change | None:
    if old is None:
        return Change.ADDED
    if new is None:
        return Change.REMOVED
    if _unspaced(old.definition.signature) != _unspaced(new.definition.signature):
        return Change.SIGNATURE
    return None if old.own == new.own else Change.BODY


def _unspaced(signature: str) -> str:
    """A signature as it would be on one line: a formatter that breaks it over several changes nothing for callers."""
    return _AROUND_SIGNS.sub(r"\1", " ".join(signature.split())).replace(",)", ")").replace(",]", "]")


_AROUND_SIGNS = re.compile(r" ?([^\w ]) ?")
_Side = tuple[SourceFile | None, _Unit | None]


def _symbol(change: Change, language: str, old: _Side, new: _Side, size: int) -> ChangedSymbol:
    unit = new[1] or old[1]
    assert unit is not None
    one = unit.definition
    digest = _digest(unit) if change in (Change.ADDED, Change.REMOVED) else ""
    return ChangedSymbol(change, one.name, one.kind, language, _place(*old), _place(*new), size, digest)


def _bound(symbol: ChangedSymbol, text: str) -> ChangedSymbol:
    if symbol.change is not Change.REMOVED or symbol.name not in text:
        return symbol
    binding = rf"(?m)^[ \t]*(?:[\w.]+[ \t]+){{0,3}}(?:self\.|this\.)?{re.escape(symbol.name)}[ \t]*(?::(?!:)|=(?!=))"
    return replace(symbol, still_bound=re.search(binding, text) is not None)


def _digest(unit: _Unit) -> str:
    name = re.escape(unit.definition.name)
    nameless = re.sub(rf"(?<![\w.]){name}\b", "\0", unit.text)  # `.read()` inside `read` is another one
    return hashlib.sha256(f"{unit.definition.kind}\0{nameless}".encode(errors="surrogatepass")).hexdigest()[:16]


def _place(source: SourceFile | None, unit: _Unit | None) -> Place | None:
    if source is None or unit is None:
        return None
    one = unit.definition
    return Place(source.path, one.qualified, one.signature, one.first, one.last)


def _without_parts(symbols: Sequence[ChangedSymbol], holders: dict[str, str]) -> list[ChangedSymbol]:
    """Leave out the members of a class that came or went whole: the class says it."""
    whole = {one.place.qualified for one in symbols if one.change in (Change.ADDED, Change.REMOVED)}
    return [
        one for one in symbols if not (one.place.qualified in whole and holders.get(one.place.qualified, "") in whole)
    ]


def _plain(lines: Iterable[str]) -> str:
    return "\n".join(line.rstrip() for line in lines)


# --- all files ----------------------------------------------------------------------------------------------------


def settle(changes: Iterable[FileChange]) -> list[ChangedSymbol]:
    """All changed symbols; a removed and an added one that are the same are joined to one that moved or got another name."""
    symbols = [symbol for change in changes for symbol in change.symbols]
    gone = {symbol: None for symbol in symbols if symbol.change is Change.REMOVED}
    came = {symbol: None for symbol in symbols if symbol.change is Change.ADDED}
    joined: dict[ChangedSymbol, ChangedSymbol] = {}
    for key in (_name_and_text, _name_and_signature, _text):
        for old, new in list(_pairs(gone, came, key)):
            change = Change.MOVED if old.name == new.name else Change.RENAMED
            joined[new] = replace(new, change=change, old=old.old, size=0 if old.digest == new.digest else new.size)
            del gone[old], came[new]
    settled = (joined.get(symbol, symbol) for symbol in symbols)
    return [one for one in settled if one.change is not Change.REMOVED or one in gone]


_Key = tuple[str, ...] | None


def _name_and_text(symbol: ChangedSymbol) -> _Key:
    return (symbol.place.qualified, symbol.kind, symbol.digest)


def _name_and_signature(symbol: ChangedSymbol) -> _Key:
    return (symbol.place.qualified, symbol.kind, _unspaced(symbol.place.signature))


def _text(symbol: ChangedSymbol) -> _Key:
    large = symbol.place.last - symbol.place.first + 1 >= SMALLEST_RENAME
    return (symbol.kind, symbol.digest) if large else None


def _pairs(
    gone: Iterable[ChangedSymbol], came: Iterable[ChangedSymbol], key: Callable[[ChangedSymbol], _Key]
) -> Iterator[tuple[ChangedSymbol, ChangedSymbol]]:
    """Pairs with the same key, where it is the only such symbol on either side: two candidates prove nothing."""
    olds, news = _by_key(gone, key), _by_key(came, key)
    for value, old in olds.items():
        new = news.get(value, [])
        if len(old) == len(new) == 1:
            yield old[0], new[0]


def _by_key(
    symbols: Iterable[ChangedSymbol], key: Callable[[ChangedSymbol], _Key]
) -> Mapping[_Key, list[ChangedSymbol]]:
    groups: dict[_Key, list[ChangedSymbol]] = defaultdict(list)
    for symbol in symbols:
        value = key(symbol)
        if value is not None:
            groups[value].append(symbol)
    return groups
