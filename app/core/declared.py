"""Owns how the text of a declared type or a constructor becomes the dotted name of a class. Knows no file."""

from __future__ import annotations

import re
from functools import lru_cache

_DOTTED = re.compile(r"[A-Za-z_$\u0080-\U0010ffff][\w$]*(?:\.[A-Za-z_$\u0080-\U0010ffff][\w$]*)*")
_LEADING = re.compile(
    r"^(?:[:&*?\s]|'\w+\s|(?:const|mut|dyn|impl|struct|union|enum|class|typename|volatile|readonly|final|unsigned)\b(?!\.))+"
)
_TRAILING = re.compile(r"(?:[&*?!\s]|\bconst\b)+$")
_TRANSPARENT = frozenset(
    {
        "Optional",
        "Annotated",
        "ClassVar",
        "Final",
        "Required",
        "NotRequired",
        "Box",
        "Rc",
        "Arc",
        "unique_ptr",
        "shared_ptr",
        "Readonly",
    }
)
"""Wrappers whose methods are those of what they hold: `Arc<Store>` is called like a Store."""

_ANYTHING = frozenset({"any", "unknown", "object", "Any", "typing.Any", "t.Any", "never", "auto", "var"})
"""Types that say nothing of what a value can do."""


@lru_cache(maxsize=4096)
def plain_type(text: str) -> str:
    """The dotted class behind a type's text, or "" where a value of it is not simply an instance of one class.

    `Optional[m.Store]`, `*Store`, `&'a mut Store`, `std::shared_ptr<Store>`, `"Store | None"` all give the Store; `[]Store`,
    `Store | Other`, functions and tuples give nothing.
    """
    for _ in range(4):
        text = text.strip().strip("\"'").strip()
        text = _TRAILING.sub("", _LEADING.sub("", text)).replace("::", ".").replace("\\", ".").lstrip(".")
        if "|" in text and "<" not in text and "[" not in text:
            parts = [part.strip() for part in text.split("|")]
            parts = [part for part in parts if part not in {"None", "null", "undefined", ""}]
            if len(parts) != 1:
                return ""
            text = parts[0]
            continue
        if _DOTTED.fullmatch(text):
            return "" if text in _ANYTHING else text
        opened = min((at for at in (text.find("<"), text.find("[")) if at >= 0), default=-1)
        if opened <= 0 or text[-1] not in ">]" or text.endswith("[]"):
            return ""
        head = text[:opened].strip()
        if not _DOTTED.fullmatch(head):
            return ""
        if head.rpartition(".")[2] not in _TRANSPARENT:
            return head
        text = _first_argument(text[opened + 1 : -1])
    return ""


def _first_argument(text: str) -> str:
    depth = 0
    for at, letter in enumerate(text):
        if letter in "<[(":
            depth += 1
        elif letter in ">])":
            depth -= 1
        elif letter == "," and depth == 0:
            return text[:at]
    return text


def constructed(text: str) -> str:
    """The callee of an expression that is one call and nothing more: `m.A` of `m.A(1)`, `new A()`, `(new A())`; else ""."""
    text = text.strip()
    if text.startswith("(") and text.endswith(")") and closing(text, 0) == len(text) - 1:
        text = text[1:-1].strip()
    text = text.removeprefix("new ").strip()
    opened = text.find("(")
    if opened <= 0 or closing(text, opened) != len(text) - 1:
        return ""
    return text[:opened].strip()


def closing(text: str, opened: int) -> int:
    """Where the bracket at `opened` closes, or -1. Brackets in strings may fool it; then the answer is only less."""
    depth = 0
    for at in range(opened, len(text)):
        if text[at] == "(":
            depth += 1
        elif text[at] == ")":
            depth -= 1
            if depth == 0:
                return at
    return -1


def is_class_name(dotted: str) -> bool:
    """By the habit of most languages a class's last name starts with a capital letter."""
    last = dotted.rpartition(".")[2].lstrip("_$")
    return last[:1].isupper()
