"""The map of a repository: its folders and main files, how much they hold, and what they define. Reads nothing itself.

What they are for, in their own words, is read by `core.purpose`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.core.enough import closest
from app.core.languages import language_of, row_of
from app.core.purpose import MANIFESTS
from app.core.roles import Role, is_gathering, role_of
from app.core.types import Definition

MOST_FOLDERS = 14
"""Rows of a map: it must be taken in at a glance."""
FEW = 4
"""Folders below which the map goes one level deeper, so that a lone `src` does not hide everything."""
MOST = 0.5
"""Share of the code from which a folder is opened: it is where everything is."""
MOST_TELLING = 6
"""Files of a folder that may say what it is for and are looked into."""
NAMES_TOLD = 5
"""Definitions named of a folder that does not say what it is for."""
_TELLING = re.compile(
    r"^(?:readme(?:\.\w+)?|__init__\.pyi?|mod\.rs|lib\.rs|main\.rs|doc\.go|package-info\.java|index\.[cm]?[jt]sx?)$",
    re.IGNORECASE,
)
_ORDER = (*MANIFESTS, "doc.go", "readme", "package-info", "__init__", "lib.rs", "mod.rs", "main.rs", "index")
_TYPES = frozenset({"class", "interface", "type", "enum", "struct", "trait"})
_CODE_KINDS = _TYPES | {"function"}
_NAMES = {
    "javascript": "JavaScript", "typescript": "TypeScript", "tsx": "TSX", "cpp": "C++", "csharp": "C#", "php": "PHP", "html": "HTML",
    "css": "CSS", "scss": "SCSS", "json": "JSON", "yaml": "YAML", "toml": "TOML", "xml": "XML", "ini": "INI", "sql": "SQL", "hcl": "HCL",
    "restructuredtext": "reStructuredText", "objective-c": "Objective-C", "ocaml": "OCaml", "fsharp": "F#", "graphql": "GraphQL",
    "cmake": "CMake", "powershell": "PowerShell", "tex": "TeX", "vhdl": "VHDL", "make": "Make",
}  # fmt: skip
_PLAIN = {"text", "ini", "properties", ""}


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder ("" is the top), the number of its files at any depth, and those that may say what it is for, likeliest first.

    `languages` are the (name, files) of its commonest languages.
    """

    path: str
    files: int
    telling: tuple[str, ...]
    languages: tuple[tuple[str, int], ...] = ()


def folders_of(paths: Iterable[str], below: str = "") -> list[Folder]:
    """The folders directly below `below`, code before tests and docs and the larger first, with `below` itself in front.

    A folder that holds nothing but one other is shown as that one; those on the way to the `heart` are followed by their own.
    """
    inside = _inside(sorted(paths), below)
    if not inside:
        return []
    names = _opened(inside, below)
    return [_folder(inside, below), *(_folder(_inside(inside, name), name) for name in names)]


def heart(paths: Iterable[str], below: str = "") -> str:
    """The folder where most of the code is: `below`, or the one further down that still holds more than MOST of its files."""
    code = [path for path in _inside(sorted(paths), below) if is_code(path) and role_of(path) is Role.SOURCE]
    held: Sequence[str] = code
    while children := _children(held, below):
        name, count = max(children.items(), key=lambda item: (item[1], item[0]))
        if count <= MOST * len(code):
            break
        below, held = name, _inside(held, name)
    return below


def main_files(paths: Iterable[str], folder: str) -> list[str]:
    """The files of code directly in `folder`, by path; tests only in a folder of tests, and files that only gather others only
    where there is nothing else."""
    role = role_of(f"{folder}/x.py" if folder else "x.py")
    own = sorted(
        path for path in paths if path.rpartition("/")[0] == folder and role_of(path) is role and is_code(path)
    )
    return [path for path in own if not is_gathering(path)] or own


def is_code(path: str) -> bool:
    """Whether a file is in a language with definitions, by its name."""
    row = row_of(language_of(path))
    return row is not None and bool(row.grammar) and not row.data


def _only_child(ordered: Sequence[str], folder: str) -> str:
    """The folder that `folder` comes down to: itself, or the one it leads to where each holds nothing but the next."""
    inside = _inside(ordered, folder)
    while True:
        children = _children(inside, folder)
        if len(children) != 1 or sum(children.values()) != len(inside):
            return folder
        folder = next(iter(children))


def main_definitions(definitions: Iterable[Definition]) -> list[Definition]:
    """What a folder or file mainly defines: public types, then public functions, the longest first, with a capital (which in Go
    says public) before without; at most NAMES_TOLD."""
    top = {
        each.name: each
        for each in sorted(definitions, key=lambda each: each.last - each.first)
        if each.kind in _CODE_KINDS
        and "." not in each.qualified
        and not each.name.startswith("_")
        and each.name != "main"
    }
    ordered = sorted(
        top.values(),
        key=lambda each: (each.kind not in _TYPES, each.name[0].islower(), each.first - each.last, each.name),
    )
    return ordered[:NAMES_TOLD]


def spoken(languages: Sequence[tuple[str, int]]) -> str:
    """ "83 Python, 12 HTML" """
    return ", ".join(f"{count:,} {_NAMES.get(name, name.capitalize())}" for name, count in languages)


def language_name(folder: Folder) -> str:
    """The language that most of a folder's files are in; "" where there is no such one."""
    name, count = folder.languages[0] if folder.languages else ("", 0)
    return _NAMES.get(name, name.capitalize()) if 2 * count > folder.files > 1 else ""


def folder_meant(paths: Iterable[str], written: str) -> str:
    """The folder that a person means: the one of this path, else the largest whose path ends so; "" for none."""
    wanted = written.strip("/").removeprefix("./")
    if not wanted:
        return ""
    folders = Counter(path[:at] for path in paths for at, letter in enumerate(path) if letter == "/")
    ending = [each for each in folders if each == wanted or each.endswith("/" + wanted)]
    return min(ending, key=lambda each: (each != wanted, -folders[each], each), default="")


def folders_like(paths: Iterable[str], written: str) -> list[str]:
    """Folders with a name like the last one written, the likest first, nearest to the top first among those of one name."""
    folders = {path[:at] for path in paths for at, letter in enumerate(path) if letter == "/"}
    by_name: dict[str, str] = {}
    for each in sorted(folders, key=lambda each: (each.count("/"), each)):
        by_name.setdefault(each.rpartition("/")[2], each)
    return [by_name[name] for name in closest(written.strip("/").rpartition("/")[2], by_name)]


def _folder(inside: Sequence[str], path: str) -> Folder:
    spread = Counter(language_of(each) for each in inside)
    languages = [(name, count) for name, count in spread.most_common() if name not in _PLAIN]
    return Folder(path, len(inside), _telling(inside, path), tuple(languages[:3]))


def _opened(inside: Sequence[str], below: str) -> list[str]:
    """The folders of the map in its order: each that leads to the heart, or all where there are few, followed by its own."""
    middle = heart(inside, below) + "/"
    ordered = _told(inside, _only_child(inside, below))
    few = len(ordered) < FEW
    names: list[str] = []
    pending = list(reversed(ordered))
    while pending:
        name = pending.pop()
        names.append(name)
        if middle.startswith(name + "/") or (few and name in ordered and _is_source(name)):
            pending += reversed(_told(inside, name))
    if len(names) <= MOST_FOLDERS:
        return names
    kept = sorted(names, key=lambda name: (-len(_inside(inside, name)), name))[:MOST_FOLDERS]
    return [name for name in names if name in kept]


def _told(inside: Sequence[str], folder: str) -> list[str]:
    """The folders directly in one, without hidden ones, code before tests and docs and the larger first."""
    own = _inside(inside, folder)
    counts = {
        name: count for name, count in _children(own, folder).items() if not name.rpartition("/")[2].startswith(".")
    }
    ordered = sorted(counts, key=lambda name: (not _is_source(name), -counts[name], name))
    return list(dict.fromkeys(_only_child(own, name) for name in ordered))


def _inside(ordered: Sequence[str], folder: str) -> Sequence[str]:
    """The paths below a folder, of paths in order: they stand together."""
    if not folder:
        return ordered
    return ordered[bisect_left(ordered, folder + "/") : bisect_left(ordered, folder + chr(ord("/") + 1))]


def _is_source(folder: str) -> bool:
    return role_of(f"{folder}/x.py") is Role.SOURCE


def _children(paths: Iterable[str], below: str) -> Counter[str]:
    start = len(below) + 1 if below else 0
    counts: Counter[str] = Counter()
    for path in paths:
        name, slash, _ = path[start:].partition("/")
        if slash and name:
            counts[f"{below}/{name}" if below else name] += 1
    return counts


def _telling(paths: Iterable[str], folder: str) -> tuple[str, ...]:
    last = folder.rpartition("/")[2].lower()
    own = [path for path in paths if path.rpartition("/")[0] == folder]
    places = {path: _telling_place(path.rpartition("/")[2].lower(), last) for path in own}
    return tuple(sorted((path for path in own if places[path] < _NEVER), key=lambda path: (places[path], path)))[
        :MOST_TELLING
    ]


_NEVER = 100


def _telling_place(name: str, folder: str) -> int:
    """How early a file is asked what its folder is for."""
    if name in MANIFESTS or _TELLING.match(name):
        return next((at for at, stem in enumerate(_ORDER) if name.startswith(stem)), len(_ORDER))
    if folder and name.partition(".")[0] == folder and language_of(name):
        return len(_ORDER)
    return len(_ORDER) + 1 if name.endswith(".go") and not name.endswith("_test.go") else _NEVER
