"""Which paths a repository wants indexed: its path filters and what it marks as generated. Matches names; reads no file."""

from __future__ import annotations

import fnmatch
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

from app.core.records import VERSION

ANY_DEPTH = "**"


@dataclass(frozen=True, slots=True)
class Rules:
    """`path_filters` are globs as in .gitignore; one that starts with `!` leaves paths out. `attributes` is the text of
    the repository's own .gitattributes at the indexed commit, which says what is generated.

    The last filter that matches decides. A path that none matches is kept, unless the first filter includes: then only
    what is named is kept (`["src/**"]`), as opposed to all but what is named (`["!dist/**"]`).
    """

    path_filters: tuple[str, ...] = ()
    attributes: str = ""

    def keeps(self, path: str) -> bool:
        """Whether the filters let a path in."""
        parts = path.split("/")
        for pattern in reversed(self.path_filters):
            if _matches(_compiled(pattern.removeprefix("!")), parts):
                return not pattern.startswith("!")
        return not self.path_filters or self.path_filters[0].startswith("!")

    @property
    def version(self) -> str:
        """Of the chunks and records: where it differs from the stored one, every file is written again."""
        return str(VERSION)

    @property
    def digest(self) -> str:
        """Names the rules in a scope's record: `version.hash`. Where it differs, all files of the commit are compared."""
        text = json.dumps([self.path_filters, self.attributes])
        return f"{self.version}.{blake2b(text.encode('utf-8', 'surrogatepass'), digest_size=8).hexdigest()}"


@dataclass(frozen=True, slots=True)
class _Glob:
    """One pattern, cut at its slashes; None stands for `**`. `inside` means: only what is below the folder it names."""

    parts: tuple[re.Pattern[str] | None, ...]
    inside: bool


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> _Glob:
    """As in .gitignore: without a slash inside it matches at any depth, and a folder's name stands for all below it."""
    names = [name for name in pattern.split("/") if name]
    anchored = "/" in pattern.strip("/") or pattern.startswith("/")
    inside = pattern.endswith("/") or (len(names) > 1 and names[-1] == ANY_DEPTH)
    while names and names[-1] == ANY_DEPTH and inside:
        names.pop()
    if not names and not pattern.strip("/"):
        return _Glob((re.compile(r"(?!)"),), inside)  # an empty pattern names nothing
    if not anchored:
        names.insert(0, ANY_DEPTH)
    parts = [None if name == ANY_DEPTH else re.compile(fnmatch.translate(name)) for name in names]
    return _Glob(tuple(parts), inside)


def _matches(glob: _Glob, path: Sequence[str]) -> bool:
    """Whether the pattern matches the path or a folder above it; steps at most (parts of pattern) times (parts of path)."""
    reached = {0}  # how many parts of the pattern the path so far may have used
    for depth, name in enumerate(path):
        reached = _after_open(glob, reached)
        following: set[int] = set()
        for at in reached:
            if at == len(glob.parts):
                continue
            part = glob.parts[at]
            if part is None:
                following.add(at)
            elif part.match(name):
                following.add(at + 1)
        reached = following
        if len(glob.parts) in _after_open(glob, reached) and (not glob.inside or depth + 1 < len(path)):
            return True
    return False


def _after_open(glob: _Glob, reached: set[int]) -> set[int]:
    """With every `**` that may stand for no folder at all passed over."""
    open_to = set(reached)
    for at in sorted(reached):
        position = at
        while position < len(glob.parts) and glob.parts[position] is None:
            position += 1
            open_to.add(position)
    return open_to
