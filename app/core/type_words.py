"""Reads the text of a type, in any language, as the words that people ask for it by: what it is, and what it holds. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

LONGEST_TYPE = 400
"""Characters of a type that are read."""
DEEPEST = 6
"""Levels of wrapping that are undone."""

_LEADING = re.compile(
    r"^(?:[\s*&?~.$]|'\w+\s|(?:<-\s*)?chan\b|(?:const|mut|dyn|impl|struct|union|enum|class|typename|volatile|readonly|final|unsigned|ref|out|in"
    r"|keyof|inout|borrowing|consuming)\s+)+"
)
_TRANSPARENT = frozenset(
    "optional option annotated final classvar box rc arc cow ref refcell unique_ptr shared_ptr readonly promise future awaitable "
    "coroutine asref into tryinto intoiterator nullable maybe lazy result required notrequired partial type union".split()
)
"""Wrappers of one thing, which is asked for by its own name; a `Result` is asked for by what it gives or by its error."""
_NOTHING = frozenset({"none", "null", "undefined", "nil"})
_SEQUENCES, _BYTE = frozenset({"list", "vec", "slice", "array"}), frozenset({"byte", "u8", "uint8"})
_OPEN, _CLOSE = "<[({", ">])}"


@dataclass(frozen=True, slots=True)
class TypeWords:
    """`heads` are the lower-case names of what a value is (`dict` of `dict[str, int] | None`), `inner` the names inside of it."""

    heads: frozenset[str] = frozenset()
    inner: frozenset[str] = frozenset()

    def __or__(self, other: TypeWords) -> TypeWords:
        return TypeWords(self.heads | other.heads, self.inner | other.inner)


@lru_cache(maxsize=1 << 14)
def words_of(text: str) -> TypeWords:
    """The words of one type."""
    return _read(text[:LONGEST_TYPE], DEEPEST)


def of_bounds(found: TypeWords, bounds: Mapping[str, str]) -> TypeWords:
    """The words with those of type parameters' bounds: `P` is what `P: AsRef<Path>` says."""
    for name in found.heads & bounds.keys():
        found |= words_of(bounds[name])
    return found


def split_outside(text: str, separators: str) -> list[str]:
    """`text` cut at each of the single characters `separators` that stands outside of all brackets; arrows are no brackets."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        if letter in _OPEN:
            depth += 1
        elif letter in _CLOSE and not (letter == ">" and text[at - 1 : at] in {"-", "="}):
            depth = max(0, depth - 1)
        elif depth == 0 and letter in separators:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]


def _read(text: str, depth: int) -> TypeWords:
    found = TypeWords()
    for part in split_outside(text, "|"):
        found |= _one(part.strip().strip("\"'` "), depth)
    return TypeWords(found.heads - _NOTHING or found.heads, found.inner)


def _one(text: str, depth: int) -> TypeWords:
    text = _LEADING.sub("", text).strip().rstrip("?!&* ")
    if not text or depth == 0:
        return TypeWords()
    if text.endswith("[]") or (array := re.match(r"\[(?:\d*|\.\.\.|\w+)\](?=.)", text)):
        return _holding({"list"}, text[:-2] if text.endswith("[]") else text[array.end() :] if array else "", depth)
    if text.startswith("[") and text.endswith("]"):  # a slice in Rust, an array in Swift, a tuple in TypeScript
        return _holding({"list"}, text[1:-1].split(";")[0], depth)
    if text.startswith("map["):
        return _holding({"map"}, text[4:].replace("]", ",", 1), depth)
    if text.startswith("("):
        return _holding({"func"} if re.search(r"[-=]>", text) else {"tuple"}, text, depth)
    if re.match(r"(?:func|fn|Fn|FnMut|FnOnce)\b", text):
        return _holding({"func"}, text, depth)
    match = re.match(r"[\w.$:\\]+", text)
    if match is None:
        return TypeWords()
    head = re.split(r"\.|::|\\", match[0].strip("."))[-1].strip("$:").lower()
    rest = text[match.end() :].strip()
    inner = rest[1:-1] if rest[:1] in {"<", "["} else ""
    if head in _TRANSPARENT and inner:
        unwrapped = TypeWords(frozenset({head}))
        for part in split_outside(inner, ","):
            unwrapped |= _read(part, depth - 1)
        return unwrapped
    return _holding({head}, inner, depth)


def _holding(heads: set[str], inner: str, depth: int) -> TypeWords:
    held = TypeWords()
    for part in split_outside(re.sub(r"^[\s\w]*\(|\)$", " ", inner), ",:"):
        held |= _read(part, depth - 1)
    if not heads.isdisjoint(_SEQUENCES) and not held.heads.isdisjoint(_BYTE):
        heads = {*heads, "bytes"}
    return TypeWords(frozenset(heads), held.heads | held.inner)
