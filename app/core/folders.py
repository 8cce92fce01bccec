"""The map of a repository: its folders, how much they hold, and the lines that say what each is for. Reads nothing itself."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from app.core.roles import Role, role_of

MOST_FOLDERS = 12
"""Folders of a map: it must be taken in at a glance."""
FEW = 4
"""Folders below which the map goes one level deeper, so that a lone `src` does not hide everything."""
PURPOSE_LINES = 40
"""Lines of a file in which its purpose must be said."""
MOST_PURPOSE_LINES = 6
"""Lines of a purpose that are cited."""
_TELLING = re.compile(
    r"^(?:readme(?:\.\w+)?|__init__\.pyi?|mod\.rs|lib\.rs|doc\.go|package-info\.java|index\.[cm]?[jt]sx?)$",
    re.IGNORECASE,
)
_ORDER = ("readme", "doc.go", "package-info", "__init__", "lib.rs", "mod.rs", "index")
_BADGE = re.compile(r"^\s*(?:\[?!\[|<|\[[^\]]*\]:|[-=*_~^#]{3,}\s*$|\.\. |:\w+:|\||```)")


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder ("" is the top), the number of its files at any depth, and those that may say what it is for, likeliest first."""

    path: str
    files: int
    telling: tuple[str, ...]


def folders_of(paths: Iterable[str], below: str = "") -> list[Folder]:
    """The folders directly below `below`, code before tests and docs and the larger first, with `below` itself in front."""
    inside = sorted(path for path in paths if not below or path.startswith(below + "/"))
    if not inside:
        return []
    found = _children(inside, below)
    for name in sorted(found, key=lambda name: -found[name]) if len(found) < FEW else ():
        found |= _children([path for path in inside if path.startswith(name + "/")], name)
    ordered = sorted(found, key=lambda name: (role_of(f"{name}/x.py") is not Role.SOURCE, -found[name], name))
    kept = [name for name in ordered if not name.rpartition("/")[2].startswith(".")][:MOST_FOLDERS]
    counts = {below: len(inside)} | {name: found[name] for name in kept}
    return [Folder(name, files, _telling(inside, name)) for name, files in counts.items()]


def purpose_lines(path: str, text: str) -> tuple[int, int]:
    """First and last line (from 1) of what a file says it is for: a docstring, a leading comment, a README's
    first prose. (0, 0) for none."""
    lines = text.split("\n")[:PURPOSE_LINES]
    prose = path.lower().endswith((".md", ".rst", ".txt", ".markdown", ".adoc")) or "." not in path.rpartition("/")[2]
    return _first_prose(lines) if prose else _leading_comment(lines)


def purpose_text(text: str) -> str:
    """The words of cited purpose lines in one line, without comment marks."""
    bare = (
        re.sub(r'^\s*(?:"{3}|\'{3}|/\*+!?|\*+/?|//+!?|#+!?|--)?\s?|\s*(?:"{3}|\'{3}|\*/)\s*$', "", line)
        for line in text.split("\n")
    )
    return " ".join(" ".join(bare).split())


def _children(paths: Iterable[str], below: str) -> Counter[str]:
    start = len(below) + 1 if below else 0
    counts: Counter[str] = Counter()
    for path in paths:
        name, slash, _ = path[start:].partition("/")
        if slash:
            counts[f"{below}/{name}" if below else name] += 1
    return counts


def _telling(paths: Iterable[str], folder: str) -> tuple[str, ...]:
    found = []
    for path in paths:
        parent, _, name = path.rpartition("/")
        if parent == folder and (_TELLING.match(name) or name == f"{folder.rpartition('/')[2]}.go"):
            found.append(path)
    place = {
        path: next((at for at, stem in enumerate(_ORDER) if stem in path.rpartition("/")[2].lower()), len(_ORDER))
        for path in found
    }
    return tuple(sorted(found, key=lambda path: (place[path], path)))[:3]


def _first_prose(lines: list[str]) -> tuple[int, int]:
    first = 0
    for number, line in enumerate(lines, 1):
        speaks = bool(line.strip()) and not line.startswith("#") and not _BADGE.match(line)
        underlined = number < len(lines) and re.match(r"^[=\-~^]{3,}\s*$", lines[number])
        if speaks and not underlined and len(line.split()) > 2:
            first = first or number
        elif first and (not line.strip() or _BADGE.match(line)):
            return first, min(number - 1, first + MOST_PURPOSE_LINES - 1)
    return (first, min(len(lines), first + MOST_PURPOSE_LINES - 1)) if first else (0, 0)


def _leading_comment(lines: list[str]) -> tuple[int, int]:
    """The first comment or docstring before any code that is not a licence."""
    first, inside = 0, ""
    for number, line in enumerate(lines, 1):
        bare = line.strip()
        if inside:
            if inside in bare:
                return first, min(number, first + MOST_PURPOSE_LINES - 1)
        elif opening := re.match(r'[rRuU]?("""|\'\'\'|/\*)', bare):
            first, inside = number, {"/*": "*/"}.get(opening[1], opening[1])
            if inside in bare[opening.end() :]:
                return first, number
        elif re.match(r"//|#(?!!|include|define|if)", bare):
            first = first or number
        elif first:
            if not _LICENCE.search("\n".join(lines[first - 1 : number])):
                return first, min(number - 1, first + MOST_PURPOSE_LINES - 1)
            first = 0
        elif bare and not bare.startswith("#!"):
            return 0, 0
    return 0, 0


_LICENCE = re.compile(r"copyright|licen[cs]ed?\b|spdx|all rights reserved|-\*- coding", re.IGNORECASE)
