"""Owns the division of prose at its headings: Markdown (fences, front matter) and reStructuredText. Knows no chunk."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.core.lines import Lines

TITLE_CHARACTERS = 120
"""A longer heading is a paragraph by mistake; its start is enough to name the section."""

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)$")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_NO_TITLE = re.compile(r"\s*$| {0,3}(?:[-*+>|#]|\d+[.)]\s)| {4}|\t")
_ADORNMENT = re.compile(r"([=\-`:'\"~^_*+#<>.!$%&,/;?@\\|(){}\[\]])\1{2,}[ \t]*$")
_MARKUP = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|<[^>]+>|[*`]")


@dataclass(frozen=True, slots=True)
class Section:
    """Lines first..last under one heading, to the next heading of any level. `trail` holds the titles from the top to this one."""

    first: int
    last: int
    level: int
    title: str
    trail: tuple[str, ...]


def markdown_sections(lines: Lines) -> list[Section]:
    """Sections in order; what stands before the first heading (front matter too) is a section without a title."""
    heads: list[tuple[int, int, str]] = []
    fence, previous = "", ""
    start = _front_matter(lines)
    for number in range(start + 1, lines.count + 1):
        line = _line(lines, number)
        opened = _FENCE.match(line)
        if fence:
            if opened and opened.group(1).startswith(fence) and not opened.group(2).strip():
                fence = ""
            previous = ""
            continue
        if opened and not (opened.group(1)[0] == "`" and "`" in opened.group(2)):
            fence, previous = opened.group(1), ""
            continue
        if found := _ATX.match(line):
            heads.append((number, len(found.group(1)), found.group(2) or ""))
            line = ""
        elif (found := _SETEXT.match(line)) and previous and not _NO_TITLE.match(previous):
            heads.append((number - 1, 1 if found.group(1)[0] == "=" else 2, previous))
            line = ""
        previous = line
    return _sections(lines, heads)


_WORD_BEHIND = re.compile(r"\s*\{?\.?\s*([\w#+-]+)")
"""The language behind a fence: `python`, `{.python}`, `ts title="x"`."""


def fenced_blocks(lines: Lines) -> Iterator[tuple[int, int, str]]:
    """(first line, last line, the language's word) of each closed fenced block, without its fences."""
    fence, word, first = "", "", 0
    for number in range(_front_matter(lines) + 1, lines.count + 1):
        line = _line(lines, number).lstrip()  # a block in a list is indented
        opened = _FENCE.match(line)
        if opened is None:
            continue
        if fence:
            if opened.group(1).startswith(fence) and not opened.group(2).strip():
                if word and first < number:
                    yield first, number - 1, word
                fence = ""
        elif not (opened.group(1)[0] == "`" and "`" in opened.group(2)):
            named = _WORD_BEHIND.match(opened.group(2))
            fence, word, first = opened.group(1), named.group(1) if named else "", number + 1


def rst_sections(lines: Lines) -> list[Section]:
    """Sections of reStructuredText: a title is a line with an adornment of at least its length below it (and perhaps above)."""
    heads: list[tuple[int, int, str]] = []
    levels: dict[str, int] = {}
    for number in range(2, lines.count + 1):
        line, title = _line(lines, number), _line(lines, number - 1).rstrip()
        found = _ADORNMENT.match(line)
        if (
            found is None
            or not title
            or title[0].isspace()
            or _ADORNMENT.match(title)
            or len(line.rstrip()) < len(title)
        ):
            continue
        above = _line(lines, number - 2).rstrip() if number > 2 else ""
        overlined = bool(above) and above == line.rstrip()
        if above and not overlined:
            continue  # the last line of a paragraph or a table
        level = levels.setdefault(found.group(1) + ("=" if overlined else ""), len(levels) + 1)
        heads.append((number - (2 if overlined else 1), level, title))
    return _sections(lines, heads)


def _line(lines: Lines, number: int) -> str:
    return lines.raw(number, number)[:2_000].decode("utf-8", "replace").rstrip("\r")


def _front_matter(lines: Lines) -> int:
    """The line that closes YAML or TOML front matter, or 0."""
    mark = _line(lines, 1).rstrip()
    if mark in {"---", "+++"}:
        for number in range(2, min(lines.count, 200) + 1):
            if _line(lines, number).rstrip() in {mark, "..." if mark == "---" else mark}:
                return number
    return 0


def _sections(lines: Lines, heads: list[tuple[int, int, str]]) -> list[Section]:
    found: list[Section] = []
    if not heads or heads[0][0] > 1:
        kept = lines.trim(1, heads[0][0] - 1 if heads else lines.count)
        if kept is not None:
            found.append(Section(kept[0], kept[1], 0, "", ()))
    trail: list[tuple[int, str]] = []
    for position, (number, level, raw) in enumerate(heads):
        title = _MARKUP.sub(lambda one: one.group(1) or "", raw).strip()[:TITLE_CHARACTERS]
        while trail and trail[-1][0] >= level:
            trail.pop()
        trail.append((level, title))
        kept = lines.trim(number, heads[position + 1][0] - 1 if position + 1 < len(heads) else lines.count)
        if kept is not None:
            found.append(Section(kept[0], kept[1], level, title, tuple(one for _, one in trail)))
    return found
