"""Finds stack frames and compiler positions of many languages in free text. Knows nothing of any repository."""

from __future__ import annotations

import re
from dataclasses import dataclass

LONGEST_LINE = 600
"""Characters of a line that are looked at: frames are short, minified one-line dumps are not."""
MOST_FRAMES = 40
"""Frames kept. A recursion error prints a thousand of the same ones; the innermost come first and decide."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One position of a trace. `path` is as written, with `/` as separator; `function` is empty where none is given."""

    path: str
    line: int
    function: str


_PYTHON = re.compile(r'File "([^"\n]+)", line (\d+)(?:, in ([\w.<>]+))?')
_JAVA = re.compile(r"\bat\s+(?:[\w.-]+/)*([\w$.]+)\.([\w$<>]+)\((\w+\.(?:java|kt|scala|groovy)):(\d+)\)")
_JAVASCRIPT = re.compile(
    r"\bat\s+(?:async\s+)?(?:new\s+)?(?:([\w$.<>]+)\s+(?:\[as [\w$]+\]\s+)?)?\(?((?:file://|webpack:///)?[^\s():]*[^\s():/]):(\d+)(?::\d+)?\)?"
)
_CSHARP = re.compile(r"\bat\s+([\w.`<>\[\],]+)\.([\w<>`|]+)\([^()]{0,300}\)\s+in\s+(.{1,400}?):line\s+(\d+)")
_RUBY = re.compile(r"^(?:\s*(?:from|\d+:)\s+(?:from\s+)?)?([^\s:]+\.(?:rb|erb|rake|ru)):(\d+):in [`']([^'\n]{1,120})'")
_PHP = re.compile(r"^\s*#\d+\s+([^\s(][^(\n]*\.(?:php|phtml|inc))\((\d+)\):\s*([\w\\]*(?:(?:->|::)?[\w{}]+)?)")
_PHP_ERROR = re.compile(r"\bin\s+((?:[A-Za-z]:)?[^\s:'\"]+\.(?:php|phtml|inc))(?:\s+on\s+line\s+|:)(\d+)")
_GO = re.compile(r"^\s+(\S+\.go):(\d+)(?:\s\+0x[0-9a-f]+)?\s*$")
_GO_FUNCTION = re.compile(r"^([\w./\-]+(?:\.\(\*?\w+\))?\.[\w.]+)\(.*\)$")
_RUST_FUNCTION = re.compile(r"^\s*\d+:\s+(?:0x[0-9a-f]+ - )?([\w:<>]+)$")
_POSITION = re.compile(
    r"(?:^|[\s(\[\"'`>])((?:[A-Za-z]:)?[\w.@~+\-/\\]+\.[A-Za-z][A-Za-z0-9+]{0,4}):(\d+)(?::\d+)?(?=[\s:,)\]\"'`]|$)"
)


def find_frames(text: str) -> tuple[Frame, ...]:
    """Frames of all traces in `text`, each trace innermost first (Python prints that one last, the others first)."""
    found: list[Frame] = []
    python: list[Frame] = []
    before = ""
    for line in text.splitlines():
        line = line[:LONGEST_LINE]
        if ":" not in line and '", line ' not in line and " on line " not in line:
            before = line
            continue
        match = _PYTHON.search(line)
        if match:
            python.append(Frame(_posix(match[1]), int(match[2][:9]), _named(match[3])))
        elif python and line[:1] not in {" ", "\t"}:
            found += reversed(python)  # the exception's own line ends a trace
            python = []
        if not match:
            frame = _other(line, before)
            if frame is not None:
                found.append(frame)
        before = line
    found += reversed(python)
    return tuple(dict.fromkeys(found))[:MOST_FRAMES]


def _other(line: str, before: str) -> Frame | None:
    """A frame of any language but Python. `before` is the line above: Go names the function there."""
    if match := _JAVA.search(line):
        folder = "/".join(match[1].split(".")[:-1])
        name = match[1].rsplit(".", 1)[-1] + "." + match[2]
        return Frame(f"{folder}/{match[3]}" if folder else match[3], int(match[4][:9]), _named(name))
    if match := _CSHARP.search(line):
        owner_type = re.sub(r"`\d+|\[.*|<.*", "", match[1]).rsplit(".", 1)[-1]
        return Frame(_posix(match[3]), int(match[4][:9]), f"{owner_type}.{_plain(match[2])}")
    if match := _RUBY.match(line):
        return Frame(_posix(match[1]), int(match[2][:9]), _ruby(match[3]))
    if match := _PHP.match(line):
        return Frame(_posix(match[1]), int(match[2][:9]), _named(re.sub(r"->|::|\\+", ".", match[3]).rsplit("{", 1)[0]))
    if match := _PHP_ERROR.search(line):
        return Frame(_posix(match[1]), int(match[2][:9]), "")
    if match := _GO.match(line):
        owner = _GO_FUNCTION.match(before.strip())
        return Frame(
            _posix(match[1]), int(match[2][:9]), owner[1].rsplit("/", 1)[-1].rsplit(".", 1)[-1] if owner else ""
        )
    if (match := _JAVASCRIPT.search(line)) and re.search(r"[./]", match[2]):
        owner = _RUST_FUNCTION.match(before)
        return Frame(
            _posix(match[2]), int(match[3][:9]), _named(match[1] or (owner[1].replace("::", ".") if owner else ""))
        )
    if match := _POSITION.search(line):
        return Frame(_posix(match[1]), int(match[2][:9]), "")
    return None


def _ruby(label: str) -> str:
    """`block in Cart#save` and `<class:Cart>` by what encloses them: `Cart.save`, nothing."""
    label = re.sub(r"^(?:(?:rescue|ensure|block(?: \(\d+ levels\))?) in )+", "", label)
    return "" if label.startswith("<") else re.sub(r"::|#", ".", label)


def _plain(method: str) -> str:
    """The method a compiler made another of: `<Save>b__0` and `<Load>d__3` come from Save and Load, `.ctor` stays."""
    inner = re.match(r"<(\w+)>", method)
    return inner[1] if inner else method.split("`")[0]


def _posix(path: str) -> str:
    """Separators to `/`, without scheme, drive and `./`."""
    path = re.sub(r"[\\/]+", "/", path)
    path = re.sub(r"^(?:file:/|webpack:/|[A-Za-z]:(?=/))", "", path)
    return path.removeprefix("./")


def _named(function: str | None) -> str:
    """A function's name as code has it: without `Object.`, `<anonymous>`, `<module>` and inner-class marks."""
    if not function or function in {"<module>", "<anonymous>", "<lambda>", "<listcomp>", "<genexpr>"}:
        return ""
    parts = [part for part in re.split(r"[.$]", function) if part and part[0] != "<" and part != "Object"]
    return ".".join(parts)
