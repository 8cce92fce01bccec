"""Finds stack frames and compiler positions of many languages in free text. Knows nothing of any repository."""

from __future__ import annotations

import re
from collections.abc import Callable
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


# Python's own, IPython's `File x.py:12, in f(a)` (older: `x.py in f(a)`, with the line at an arrow below), pytest's
# `x.py:12: in f`: all print the innermost frame last.
_PYTHON = re.compile(r'File "([^"\n]+)", line (\d+)(?:, in ([\w.<>]+))?')
_IPYTHON = re.compile(r"^File ((?:[A-Za-z]:)?[^:\n]{1,400}):(\d+),? in ([\w.<>]+)")
_IPYTHON_OLD = re.compile(r"^((?:[A-Za-z]:)?[^:\n(]{1,400}\.py) in ([\w.<>]+)\(")
_ARROW = re.compile(r"^-+> (\d+) ")
_PYTEST = re.compile(r"^((?:[A-Za-z]:)?[^\s:]+\.py):(\d+): in ([\w.<>]+)")

_JAVA = re.compile(r"\bat\s+(?:[\w.@-]*/)*([\w$.]+)\.([\w$<>]+)\((\w+\.(?:java|kt|scala|groovy)):(\d+)\)")
_URL = r"(?:(?:file|https?|webpack(?:-internal)?|app|capacitor):/{2,3})"
_JAVASCRIPT = re.compile(
    r"\bat\s+(?:async\s+)?(?:new\s+)?(?:([\w$.<>]+)\s+(?:\[as ([\w$]+)\]\s+)?)?"
    rf"(?:\(({_URL}?(?:[A-Za-z]:)?[^():]+|https?://[^()]+?)|({_URL}?(?:[A-Za-z]:)?[^\s():]+|https?://[^\s()]+?)):(\d+)(?::\d+)?(?:\)|\s*$|,)"
)
_EVALUATED = re.compile(r"\beval at ([\w$.<>]+) \(([^():]+):(\d+)(?::\d+)?\)")
_FIREFOX = re.compile(rf"^\s*(?:async\*|promise callback\*)?([^\s@]{{0,120}})@({_URL}\S{{1,400}}?):(\d+):(\d+)\s*$")
_CSHARP = re.compile(
    r"\b(?:at|bei|en|в)\s+([\w.`<>\[\],+]+)\.([\w<>`|]+)(?:\[[\w, ]{0,80}\])?\([^()]{0,300}\)"
    r"\s+(?:in|en|в)\s+(.{1,400}?):(?:line|Zeile|línea|строка)\s+(\d+)"
)
_RUBY = re.compile(
    r"^(?:\s*(?:from|#|\d+:)\s+(?:from\s+)?)?((?:[A-Za-z]:)?[^\s:]+\.(?:rb|erb|rake|ru)):(\d+):in [`']([^'\n]{1,120})'"
)
_PHP = re.compile(r"^\s*#\d+\s+([^\s(][^(\n]*\.(?:php|phtml|inc))\((\d+)\):\s*([\w\\]*(?:(?:->|::)?[\w\\{}:()]+)?)")
_PHP_CALLED = re.compile(r"^\s*#\d+\s+([\w\\]+(?:(?:->|::)\w+)?)\(.{0,300}\) called at \[([^\]\n]{1,400}):(\d+)\]")
_PHP_ERROR = re.compile(r"\bin\s+((?:[A-Za-z]:)?[^\s:'\"]+\.(?:php|phtml|inc))(?:\s+on\s+line\s+|:)(\d+)")
_GO = re.compile(r"^\s+((?:[A-Za-z]:)?\S+\.go):(\d+)(?:\s\+0x[0-9a-f]+)?\s*$")
_GO_FUNCTION = re.compile(
    r"^(?:created by )?(?:[\w.\-]+/)*[\w\-]+\.(\(\*?\w+(?:\[[.\w,]*\])?\)\.)?([\w.]+)(?:\[[.\w,]*\])?(?:-fm)?(?:\(.*\)| in goroutine \d+)?$"
)
_RUST_FUNCTION = re.compile(r"^\s*\d+:\s+(?:0x[0-9a-f]+ - )?([\w:<>{}, ]{1,300})$")
_ELIXIR = re.compile(
    r"^\s*(?:\([\w.\- ]{1,80}\)\s+)?([\w./\-]+\.exs?):(\d+):\s+(?:anonymous fn/\d+ in )?((?:[A-Z]\w*\.)+[a-z_]\w*[?!]?)/\d+"
)
_LUA = re.compile(r"^\s*([\w./\\\-]+\.lua):(\d+): in (?:function|method|upvalue|local|field|global)?\s*'([\w.:]+)'")
_NATIVE = re.compile(
    r"^\s*#\d+\s+(?:0x[0-9a-f]+\s+)?(?:in\s+)?([\w:~]+)\s*(?:\([^()]{0,300}\)\s+at\s+|\s)((?:[A-Za-z]:)?[\w./\\\-+]+\.\w{1,4}):(\d+)"
)
_POSITION = re.compile(
    r"(?:^|[\s(\[\"'`>])((?:[A-Za-z]:)?[\w.@~+\-/\\]+\.[A-Za-z][A-Za-z0-9+]{0,4})"
    r"(?::(\d+)(?::\d+)?(?=[\s:,)\]\"'`]|$)|\((\d+)(?:,\d+){1,3}\)(?=:))"
)


def find_frames(text: str) -> tuple[Frame, ...]:
    """Frames of all traces in `text`, each trace innermost first (Python prints that one last, the others first)."""
    found: list[Frame] = []
    python: list[Frame] = []
    before, pointed_at = "", ("", "")
    for line in text.splitlines():
        line = line[:LONGEST_LINE]
        if (frame := _of_python(line)) is not None:
            python.append(frame)
        elif match := _IPYTHON_OLD.match(line):
            pointed_at = (match[1], match[2])
        elif pointed_at[0] and (match := _ARROW.match(line)):
            python.append(_frame(pointed_at[0], match[1], _named(pointed_at[1])))
            pointed_at = ("", "")
        elif ":" in line or " on line " in line:
            if python and line[:1] not in {" ", "\t"}:
                found += reversed(python)  # the exception's own line ends a trace
                python = []
            frame = _other(line, before)
            if frame is not None:
                found.append(frame)
        before = line
    found += reversed(python)
    return tuple(dict.fromkeys(found))[:MOST_FRAMES]


def _of_python(line: str) -> Frame | None:
    """A frame of one of the printers that show the innermost frame last."""
    if '", line ' in line and (match := _PYTHON.search(line)):
        return _frame(match[1], match[2], _named(match[3]))
    if match := _IPYTHON.match(line) or _PYTEST.match(line):
        return _frame(match[1], match[2], _named(match[3]))
    return None


def _other(line: str, before: str) -> Frame | None:
    """A frame of any language but Python. `before` is the line above: Go and Rust name the function there."""
    for read in _READERS:
        frame = read(line, before)
        if frame is not None:
            return frame
    return None


def _java(line: str, _before: str) -> Frame | None:
    match = _JAVA.search(line)
    if match is None:
        return None
    *folders, owner = match[1].split(".")
    return _frame("/".join([*folders, match[3]]), match[4], _jvm(owner, match[2]))


def _jvm(owner: str, method: str) -> str:
    """`Cart$Inner.run` as Cart.Inner.run; what compilers make of lambdas, companions, coroutines and files as what they are in."""
    parts = [part for part in re.split(r"[.$]", f"{owner}.{method}") if part and not part.isdigit() and part[0] != "<"]
    made = {"lambda", "anonfun", "Companion", "invokeSuspend"} | ({"apply"} if "anonfun" in parts else set())
    kept = [part for part in parts if part not in made] or parts
    return ".".join(kept[1:] if len(kept) > 1 and kept[0].endswith("Kt") else kept)


def _csharp(line: str, _before: str) -> Frame | None:
    match = _CSHARP.search(line)
    if match is None:
        return None
    owners = re.sub(r"`\d+|\[[^\]]*\]", "", match[1])
    method = match[2]
    if method == "MoveNext" and (machine := re.search(r"\.(<\w+>)d__\d+$", owners)):
        method = machine[1]  # of an async method or an iterator
    owner = next((part for part in reversed(re.split(r"[.+]", owners)) if part and "<" not in part), "")
    return _frame(match[3], match[4], ".".join(part for part in (owner, _plain(method)) if part))


def _ruby(line: str, _before: str) -> Frame | None:
    match = _RUBY.match(line)
    return _frame(match[1], match[2], _ruby_label(match[3])) if match else None


def _php(line: str, _before: str) -> Frame | None:
    if match := _PHP.match(line):
        return _frame(match[1], match[2], _php_name(match[3]))
    if match := _PHP_CALLED.match(line):
        return _frame(match[2], match[3], _php_name(match[1]))
    if match := _PHP_ERROR.search(line):
        return _frame(match[1], match[2], "")
    return None


def _php_name(written: str) -> str:
    """`Shop\\Cart->save` with dots; PHP 8.4 says in which method a closure stands, older ones do not."""
    closure = re.search(r"\{closure(?::([\w\\]+(?:::\w+)?))?", written)
    name = (closure[1] or "") if closure else written.split("(")[0]
    return ".".join(part for part in re.split(r"->|::|\\+", name) if part)


def _go(line: str, before: str) -> Frame | None:
    match = _GO.match(line)
    if match is None:
        return None
    owner = _GO_FUNCTION.match(before.strip())
    name = ""
    if owner:
        receiver = re.sub(r"\[.*\]|[(*).]", "", owner[1] or "")
        method = next((part for part in owner[2].split(".") if not re.fullmatch(r"func\d+|\d+", part)), "")
        name = f"{receiver}.{method}" if receiver else method
    return _frame(match[1], match[2], name)


def _javascript(line: str, before: str) -> Frame | None:
    if match := _EVALUATED.search(line):
        return _frame(match[2], match[3], _named(match[1]))
    if match := _FIREFOX.match(line):
        return _frame(match[2], match[3], _named(re.split(r"[/<]", match[1])[0]))
    match = _JAVASCRIPT.search(line)
    if match is None or not re.search(r"[./]", path := match[3] or match[4]) or path.startswith("node:"):
        return None
    function = "" if match[1] == "eval" else _named(match[1])
    if match[2] and "<" in (match[1] or ""):
        function = f"{function}.{match[2]}" if function else match[2]
    return _frame(path, match[5], function or _rust_name(before))


def _rust_name(before: str) -> str:
    """The function that Rust names on the line above: `<shop::Cart as Store>::save::{{closure}}` is shop.Cart.save."""
    owner = _RUST_FUNCTION.match(before)
    if owner is None:
        return ""
    name = re.sub(r"<([\w:]+)(?:<[^<>]*>)? as [^<>]*(?:<[^<>]*>)?>", r"\1", owner[1])
    name = re.sub(r"::\{\{?[\w#]+\}?\}|::h[0-9a-f]{16}$|(?:::)?<[^<>]*>", "", name)
    return ".".join(part for part in name.split("::") if part) if " " not in name else ""


def _elixir(line: str, _before: str) -> Frame | None:
    match = _ELIXIR.match(line)
    return _frame(match[1], match[2], match[3]) if match else None


def _lua(line: str, _before: str) -> Frame | None:
    match = _LUA.match(line)
    return _frame(match[1], match[2], match[3].replace(":", ".")) if match else None


def _native(line: str, _before: str) -> Frame | None:
    match = _NATIVE.match(line)
    return _frame(match[2], match[3], match[1].replace("::", ".")) if match else None


def _position(line: str, _before: str) -> Frame | None:
    match = _POSITION.search(line)
    return _frame(match[1], match[2] or match[3], "") if match else None


_READERS: tuple[Callable[[str, str], Frame | None], ...] = (
    _java, _csharp, _ruby, _php, _go, _elixir, _lua, _native, _javascript, _position,
)  # fmt: skip
"""In this order: the later ones also fit what the earlier ones read better."""


def _frame(path: str, line: str, function: str) -> Frame:
    return Frame(_posix(path), int(line[:9]), function)


def _ruby_label(label: str) -> str:
    """`block in Cart#save` and `<class:Cart>` by what encloses them: `Cart.save`, nothing."""
    label = re.sub(r"^(?:(?:rescue|ensure|block(?: \(\d+ levels\))?) in )+", "", label)
    return "" if label.startswith("<") else re.sub(r"::|#", ".", label)


def _plain(method: str) -> str:
    """The method a compiler made another of: `<Save>b__0` and `<Load>d__3` come from Save and Load, `g__Inner|0` is Inner."""
    if method in {"ctor", "cctor"}:
        return ""
    inner = re.match(r"<(\w+)>(?:g__(\w+))?", method)
    return (inner[2] or inner[1]) if inner else method.split("`")[0]


def _posix(path: str) -> str:
    """Separators to `/`, without scheme, host, query, drive and `./`."""
    path = re.sub(r"^https?://[^/]*|^(?:webpack|app|capacitor)://[^/]*(?=/)|^(?:webpack-internal|file)://", "", path)
    path = re.sub(r"[\\/]+", "/", re.split(r"[?#]", path)[0])
    path = re.sub(r"^/?[A-Za-z]:(?=/)", "", path)
    return re.sub(r"^/?\./", "", path)


def _named(function: str | None) -> str:
    """A function's name as code has it: without `Object.`, `<anonymous>`, `<module>` and inner-class marks."""
    if not function or function in {"<module>", "<anonymous>", "<lambda>", "<listcomp>", "<genexpr>"}:
        return ""
    parts = [part for part in re.split(r"[.$]", function) if part and part[0] != "<" and part != "Object"]
    return ".".join(parts)
