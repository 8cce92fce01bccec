"""The frame of every comment: hidden marker, opening, sections of whole items, footer, size cap. Knows no particular text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

LIMIT = 60_000
"""UTF-8 bytes of a comment. GitHub refuses more than 65,536 without saying whether it counts characters or bytes; bytes
are never fewer than characters, and the rest is room for what GitHub may add."""

MARKER_LIMIT = 2_000
"""Characters of a marker that is written or read; ours hold a few numbers and a hash."""

_MARKER = re.compile(r"\A<!-- coderag:([a-z_]+) (\{[^\r\n<>]*\}) -->")
_SECTION_ROOM = 400  # bytes kept for a section's title, its <details> lines and its "+N more"


@dataclass(frozen=True, slots=True)
class Marker:
    """What the first line of one of our comments says about it: its kind, and what it answers."""

    kind: str
    data: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Section:
    """Whole Markdown blocks under a title, most important first: `shown` of them open, the rest folded.

    `more` counts items that exist but were not rendered; `one` and `many` name an item ("place", "places").
    """

    title: str
    items: Sequence[str]
    shown: int
    one: str
    many: str
    more: int = 0


def marker(kind: str, data: Mapping[str, object]) -> str:
    """The hidden first line of a comment. Same data, same bytes; nothing in it can end the HTML comment or ping anyone."""
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    for character in "<>&@":
        text = text.replace(character, f"\\u{ord(character):04x}")
    line = f"<!-- coderag:{kind} {text} -->"
    if len(line) > MARKER_LIMIT or not _MARKER.match(line):
        raise ValueError("a marker is a word and a small flat object")
    return line


def read_marker(body: str) -> Marker | None:
    """The marker of a comment, or None. Only the very start of the body counts: quoted text can hold anything else.

    Anyone can paste a marker, so it means something only on a comment that our own App wrote.
    """
    found = _MARKER.match(body[:MARKER_LIMIT])
    if found is None:
        return None
    try:
        data = json.loads(found[2])
    except (ValueError, RecursionError):
        return None
    return Marker(found[1], data)


def compose(first_line: str, opening: str, sections: Sequence[Section], footer: str = "", limit: int = LIMIT) -> str:
    """The comment: marker, opening, sections, footer; blocks apart by blank lines. At most `limit` bytes of UTF-8.

    Room goes to sections and items in order. What does not fit is left out as whole items and counted as "+N more".
    """
    sections = [section for section in sections if section.items or section.more]
    room = limit - _size(first_line) - _size(opening) - _size(footer) - 8 - _SECTION_ROOM * len(sections)
    parts = [f"{first_line}\n{opening}"]
    for section in sections:
        kept: list[str] = []
        for item in section.items:
            room -= _size(item) + 2
            if room < 0:
                break
            kept.append(item)
        parts += _section(section, kept)
        room = max(room, 0)
    return "\n\n".join([*parts, footer] if footer else parts) + "\n"


def count(number: int, one: str, many: str) -> str:
    """ "1 place", "2,345 places"."""
    return f"{number:,} {one if number == 1 else many}"


def folded(summary: str, blocks: Sequence[str]) -> str:
    """Blocks behind a line to click on. `summary` is HTML: our own words, or `html_text`."""
    return "\n\n".join([f"<details>\n<summary>{summary}</summary>", *blocks, "</details>"])


def _section(section: Section, kept: Sequence[str]) -> list[str]:
    parts = [section.title] if section.title else []
    parts += kept[: section.shown]
    rest = list(kept[section.shown :])
    missing = section.more + len(section.items) - len(kept)
    more = f"+{missing:,} more {section.one if missing == 1 else section.many}, not listed here" if missing else ""
    if rest:
        summary = f"{len(rest):,} more {section.one if len(rest) == 1 else section.many}"
        parts.append(folded(summary, [*rest, *([more] if more else [])]))
    elif more:
        parts.append(more)
    return parts


def _size(text: str) -> int:
    return len(text.encode())
