"""Opens every permalink of a comment in git itself and holds the lines shown against the lines there: the demo trusts nobody."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from app.clients.git import Mirror

_PERMALINK = re.compile(
    r"/blob/(?P<sha>[0-9a-f]{40})/(?P<path>[^?#\s)]+)(?:\?plain=1)?#L(?P<first>\d+)(?:-L(?P<last>\d+))?"
)
_FENCE = re.compile(r"^ *(?P<ticks>`{3,})(?P<language>\S*)")
_CUT = ("⋮", "…")
"""How an excerpt marks lines, or the end of a line, that it leaves out."""


@dataclass(frozen=True, slots=True)
class Link:
    """One permalink of a comment, and the code shown below it."""

    sha: str
    path: str
    first: int
    last: int
    shown: tuple[str, ...]


async def proof(mirror: Mirror, body: str) -> tuple[list[dict[str, object]], list[str]]:
    """(what stands at each permalink, what is wrong with any). Lines are git's: they end with `\\n` only."""
    proved: list[dict[str, object]] = []
    problems: list[str] = []
    for link in dict.fromkeys(links_of(body)):
        place = f"{link.path}:{link.first}-{link.last} @ {link.sha[:7]}"
        data = await mirror.read(link.sha, link.path)
        lines = [] if data is None else data.decode("utf-8", "replace").split("\n")
        there = lines[link.first - 1 : link.last]
        if len(there) != link.last - link.first + 1:
            problems.append(f"{place}: the file has no such lines")
            continue
        known = {_plain(line) for line in there}
        strange = [line for line in link.shown if _plain(line) not in known]
        if strange:
            problems.append(f"{place}: shows a line that is not there: {strange[0]}")
        else:
            proved.append({"place": place, "line": next((line.strip() for line in there if line.strip()), "")})
    return proved, problems


def links_of(body: str) -> Iterator[Link]:
    """Every permalink in order, with the fenced lines that follow it before the next one."""
    found: re.Match[str] | None = None
    shown: list[str] = []
    fence, is_code = "", True
    for line in body.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark["ticks"] == fence and line.strip() == fence:
                fence = ""
            elif is_code and line.strip() and not line.strip().startswith(_CUT) and not line.rstrip().endswith(_CUT):
                shown.append(line)
            continue
        if mark:
            # A diff shows a signature as it was and as it is, on one line each: no lines of the file.
            fence, is_code = mark["ticks"], mark["language"] != "diff"
            continue
        for match in _PERMALINK.finditer(line):
            if found is not None:
                yield _link(found, shown)
            found, shown = match, []
    if found is not None:
        yield _link(found, shown)


def _link(match: re.Match[str], shown: list[str]) -> Link:
    first = int(match["first"])
    return Link(match["sha"], unquote(match["path"]), first, int(match["last"] or first), tuple(shown))


def _plain(line: str) -> str:
    """Without what display changes: indentation, trailing blanks, and control characters made visible."""
    return "".join(char for char in line.strip() if char.isprintable() and char != "\N{REPLACEMENT CHARACTER}")
