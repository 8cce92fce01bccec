"""What a folder or file says it is for: which lines say it, and their words without marks. Reads nothing itself, pure."""

from __future__ import annotations

import re

PURPOSE_LINES = 60
"""Lines of a file in which its purpose must be said."""
MOST_PURPOSE_LINES = 6
"""Lines of a purpose that are cited."""
FEWEST_WORDS = 3
"""Words of a paragraph, links left out, that may say a purpose."""
SHORTEST_SENTENCE = 20
"""Characters before the first full stop that ends a purpose: `e.g.` and version numbers end nothing."""

MANIFESTS = ("package.json", "pyproject.toml", "cargo.toml", "composer.json", "setup.cfg")
"""Files whose description is one sentence that somebody wrote for strangers."""

_PROSE_FILE = (".md", ".rst", ".txt", ".markdown", ".adoc")
_DESCRIPTION = re.compile(
    r"^\s*\"?description\"?\s*[:=]\s*[\"']?(?P<said>[^\s\"'][^\"]*?)[\"']?\s*,?\s*$", re.IGNORECASE
)
_NO_PROSE = re.compile(
    r"^\s*(?:#|!\[|\[!\[|\[[^\]]*\]:|[-=*_~^#]{3,}\s*$|:[\w-]+:(?!`)|\||[-*+]\s|\d+\.\s|>\s*\[!|---)"
)
_BLOCK = re.compile(r"^\s{0,3}(?:<(?!https?:)[a-z!/]|\.\. )", re.IGNORECASE)
"""Starts of what ends only at a blank line: HTML, a directive of reStructuredText."""
_NOTICE = re.compile(
    r"announc|excited|⚠|\b(?:note|notice|warning|deprecated|important|sponsor\w*|looking for)\b", re.IGNORECASE
)
_LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])?")
_NO_PURPOSE = re.compile(
    r"copyright|licen[cs]ed?\b|spdx|all rights reserved|-\*- |eslint|prettier|@ts-|@flow|tslint|istanbul|pylint|mypy|noqa|flake8|"
    r"<reference|use strict|generated|^\s*//(?:go:|\s*\+build)|^\W*(?:todo|fixme)\b|vim:",
    re.IGNORECASE,
)
_LINE_COMMENT = re.compile(r"^\s*(?://|#(?!!|include|define|if|\[))")


def purpose_lines(path: str, text: str) -> tuple[int, int]:
    """First and last line (from 1) of what a file says it is for: a manifest's description, a docstring, a leading comment,
    a README's first prose. (0, 0) for none."""
    lines = text.split("\n")[:PURPOSE_LINES]
    name = path.lower().rpartition("/")[2]
    if name in MANIFESTS:
        return _description(lines)
    if name.endswith(_PROSE_FILE) or "." not in name:
        return _first_prose(lines)
    first, last, end = _leading_comment(lines)
    if name.endswith(".go") and not _heads_package(lines[end:]):
        return 0, 0
    return first, last


def purpose_text(text: str) -> str:
    """The words of cited purpose lines in one line, without the marks of comments, Markdown and reStructuredText."""
    if "\n" not in text and (said := _DESCRIPTION.match(text)):
        return said["said"]
    bare = " ".join(
        re.sub(r'^\s*(?:[rRuU]?"{3}|\'{3}|/\*+!?|\*+/?(?!\*)|//+!?|#+!?|--|>)?\s?|\s*(?:"{3}|\'{3}|\*/)\s*$', "", line)
        for line in text.split("\n")
    )
    bare = re.sub(r"<!--.*?-->|</?[a-zA-Z][^<>]*>", "", bare)
    bare = re.sub(r"`([^`<]*?)\s*<[^`>]*>`__?", r"\1", re.sub(r":[\w:-]+:(?=`)", "", bare))
    bare = re.sub(r"\*\*|__(?=\w)|(?<=\w)__|`|\{@\w+ ([^}]*)\}", lambda found: found[1] or "", _LINK.sub(r"\1", bare))
    return " ".join(bare.split())


def first_sentence(text: str) -> str:
    """The first sentence of one line of text, or all of it where none ends."""
    for end in re.finditer(r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\betc)[.!?](?=\s+\W?[A-Z]|\s*$)", text):
        if end.end() >= SHORTEST_SENTENCE:
            return text[: end.end()]
    return text


def _description(lines: list[str]) -> tuple[int, int]:
    """The description of a manifest, in its line or, for TOML's long strings, in the lines below."""
    for at, line in enumerate(lines, 1):
        if re.match(r"^\s*description\s*=\s*(?:\"{3}|'{3})\s*$", line):
            return at + 1, next(
                (end for end in range(at + 1, len(lines)) if re.search(r"\"{3}|'{3}", lines[end])), at + 1
            )
        if _DESCRIPTION.match(line):
            return at, at
    return 0, 0


def _heads_package(lines: list[str]) -> bool:
    """Whether Go's package clause comes next: only then the comment is about the package."""
    return bool(lines) and lines[0].startswith("package ")


def _first_prose(lines: list[str]) -> tuple[int, int]:
    """The first paragraph of a README that says something, one that is no announcement before one that is."""
    found = _paragraphs(lines)
    told = [
        (first, last)
        for first, last in found
        if len(_LINK.sub(" ", " ".join(lines[first - 1 : last])).split()) >= FEWEST_WORDS
    ]
    plain = [each for each in told if not _NOTICE.search(" ".join(lines[each[0] - 1 : each[1]]))]
    return next(iter(plain or told), (0, 0))


def _paragraphs(lines: list[str]) -> list[tuple[int, int]]:
    """(first, last) of the runs of prose lines: no headings, badges, tables, lists, quoted code, HTML or directives."""
    found: list[tuple[int, int]] = []
    fence = first = 0
    block = False
    for number, line in enumerate([*lines, ""], 1):
        block = bool(line.strip()) and (block or _BLOCK.match(line) is not None)
        fenced = re.match(r"^\s*(?:```|~~~)", line) is not None
        fence = fence ^ fenced
        underlined = number < len(lines) and re.match(r"^[=\-~^*#]{3,}\s*$", lines[number]) is not None
        indented = line.startswith(("   ", "\t"))
        speaks = bool(line.strip()) and not (block or fence or fenced or underlined or _NO_PROSE.match(line))
        if speaks and (first or not indented):
            first = first or number
        elif first:
            found.append((first, min(number - 1, first + MOST_PURPOSE_LINES - 1)))
            first = 0
    return found


def _leading_comment(lines: list[str]) -> tuple[int, int, int]:
    """The first paragraph of the first comment or docstring before any code that is neither a licence nor meant for a tool:
    its first and last line, and the last line of the whole comment; zeros for none."""
    at = 0
    while at < len(lines):
        bare = lines[at].strip()
        start = at
        if not bare or bare.startswith("#!"):
            at += 1
            continue
        if opening := re.match(r'[rRuU]?("""|\'\'\'|/\*)', bare):
            closing = {"/*": "*/"}.get(opening[1], opening[1])
            rest = bare[opening.end() :]
            while closing not in rest and at + 1 < len(lines):
                at += 1
                rest = lines[at]
        elif _LINE_COMMENT.match(lines[at]):
            while at + 1 < len(lines) and _LINE_COMMENT.match(lines[at + 1]):
                at += 1
        else:
            break
        at += 1
        first, last = _first_part(lines, start, at)
        said = "\n".join(lines[first:last])
        if not re.search(r"(?m)" + _NO_PURPOSE.pattern, said, re.IGNORECASE) and len(purpose_text(said).split()) > 1:
            return first + 1, min(last, first + MOST_PURPOSE_LINES), at
    return 0, 0, 0


def _first_part(lines: list[str], start: int, end: int) -> tuple[int, int]:
    """The comment's first paragraph: up to a line that holds only its marks, without such lines and headings in front."""
    while start < end - 1 and (not re.search(r"\w", lines[start]) or re.match(r"^\W*[~=^-]{3,}\s*$", lines[start + 1])):
        start += 1
    at = start + 1
    while at < end and re.search(r"\w", lines[at]):
        at += 1
    return start, at
