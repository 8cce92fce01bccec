"""The paths of one repository, to be looked up by how people and programs write them. Reads nothing; never guesses a file."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping

from app.core.tokens import tokens

MOST_MATCHES = 8
"""Files that one written path may stand for; more means that it says nothing (`index.ts`, `__init__.py`)."""
PACKAGE_FILES = (
    "__init__.py",
    "__init__.pyi",
    "index.ts",
    "index.tsx",
    "index.js",
    "index.mjs",
    "mod.rs",
    "lib.rs",
    "main.rs",
)
"""Files that stand for their folder when code imports it."""


def dotted_parts(path: str, qualified: str) -> list[str]:
    """The folders, file stem and qualified name of a definition, as one dotted name would list them."""
    folders = path.split("/")
    stem = folders.pop().split(".", 1)[0]
    return [*folders, *([] if stem in {"__init__", "index", "mod", "lib"} else [stem]), *qualified.split(".")]


class PathTable:
    """All paths of a view. Built once a head; lookups cost what they find, not the number of files."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.paths = frozenset(paths)
        self._by_name: dict[str, list[str]] = {}
        self._by_stem: dict[str, list[str]] = {}
        self._by_package: dict[str, list[str]] = {}
        self._by_folder: dict[str, list[str]] = {}
        self._spread: Counter[str] | None = None
        self._words: dict[str, dict[str, float]] = {}
        for path in sorted(self.paths):
            name = path.rsplit("/", 1)[-1]
            self._by_name.setdefault(name.lower(), []).append(path)
            self._by_stem.setdefault(name.split(".", 1)[0].lower(), []).append(path)
            self._by_folder.setdefault(path.rpartition("/")[0], []).append(path)
            if name in PACKAGE_FILES and (folders := _folders(path)):
                self._by_package.setdefault(folders[-1], []).append(path)

    def __contains__(self, path: object) -> bool:
        return path in self.paths

    def __len__(self) -> int:
        return len(self.paths)

    def ending(self, written: str) -> list[str]:
        """Files that `written` may mean: those that share the most trailing folders with it, in order of path.

        An absolute path of another machine finds its file; a shared name alone counts only where `written` is just a name,
        or where the folders that the repository has above it are missing (`foo.py` at its top).
        """
        parts = [part for part in written.lower().split("/") if part not in {"", ".", ".."}]
        if not parts:
            return []
        return _longest(parts, self._by_name.get(parts[-1], ()), len(parts))

    def has_folder(self, written: str) -> bool:
        """Whether `written` is a folder or the end of its path."""
        wanted = f"/{written.lower().strip('/')}/"
        return any(wanted in f"/{folder.lower()}/" for folder in self._by_folder)

    def module(self, written: str) -> list[str]:
        """Files that a `/`-separated module path means, in order of path: `a/b/c` is a/b/c.py or a/b/c/__init__.py below any root.

        Where there is no such file, c is taken for a name inside a/b.
        """
        parts = [part for part in written.lower().split("/") if part]
        while len(parts) > 1 and parts[0] in {"crate", "super", "self", "std"}:
            parts.pop(0)
        for wanted in (parts, parts[:-1]):
            if not wanted:
                break
            files = [
                path for path in self._by_stem.get(wanted[-1], ()) if _shared(wanted, _stem_parts(path)) == len(wanted)
            ]
            packages = [
                path for path in self._by_package.get(wanted[-1], ()) if _shared(wanted, _folders(path)) == len(wanted)
            ]
            if files or packages:
                found = sorted({*files, *packages})
                return found if len(found) <= MOST_MATCHES else []
        return []

    def called(self, name: str) -> list[str]:
        """Files of this very name, any folder, in order of path. Upper and lower case count."""
        return [path for path in self._by_name.get(name.lower(), ()) if path.rsplit("/", 1)[-1] == name]

    def packages(self, folder: str) -> list[str]:
        """Files that stand for a folder of this name (`folder/__init__.py`), in order of path."""
        return [path for path in self._by_package.get(folder.lower(), ()) if path.split("/")[-2] == folder]

    def in_folder(self, folder: str, extension: str) -> tuple[str, ...]:
        """Files directly in `folder` ("" is the top) with this extension, in order of path."""
        return tuple(path for path in self._by_folder.get(folder, ()) if path.endswith(extension))

    def below(self, name: str) -> list[str]:
        """Package files (`index.ts` …) below a folder of this name, at most MOST_MATCHES, in order of path."""
        found = [path for paths in self._by_package.values() for path in paths if name in path.split("/")[:-1]]
        return sorted(found)[:MOST_MATCHES]

    def word_score(self, path: str, weights: Mapping[str, float]) -> float:
        """How much of the query the path's own words hold: weight × rarity among all paths, halved for its folders."""
        if self._spread is None:
            self._spread = Counter(word for each in self.paths for word in set(tokens(each)))
        if path not in self._words:
            name = path.rsplit("/", 1)[-1]
            own, all_words = set(tokens(name.split(".", 1)[0])), set(tokens(path))
            rarity = {word: math.log(1 + len(self.paths) / (1 + self._spread[word])) for word in all_words}
            self._words[path] = {word: rarity[word] * (1.0 if word in own else 0.5) for word in sorted(all_words)}
        return sum(weights[word] * worth for word, worth in self._words[path].items() if word in weights)


def _longest(parts: list[str], candidates: Iterable[str], written: int) -> list[str]:
    scored = [(_shared(parts, path.lower().split("/")), path) for path in candidates]
    best = max((shared for shared, _ in scored), default=0)
    found = [path for shared, path in scored if shared == best]
    whole = best == written or any(path.count("/") + 1 == best for path in found)
    if best == 0 or (best == 1 and not whole) or len(found) > MOST_MATCHES:
        return []
    return found


def _shared(first: list[str], second: list[str]) -> int:
    """How many trailing parts two paths share."""
    count = 0
    for one, other in zip(reversed(first), reversed(second), strict=False):
        if one != other:
            break
        count += 1
    return count


def _stem_parts(path: str) -> list[str]:
    parts = path.lower().split("/")
    parts[-1] = parts[-1].split(".", 1)[0]
    return parts


def _folders(path: str) -> list[str]:
    return path.lower().split("/")[:-1]
