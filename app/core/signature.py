"""Tells whether a signature takes and returns the types a person asks for, in any language. Pure.

Types are compared as words and without regard to spelling: `dict` is met by `Dict[str, int]`, `Mapping` and `HashMap<K, V>`.
An untyped parameter is met by its name.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.core.declared import closing
from app.core.tokens import tokens

_KINDS = (
    "dict dictionary mapping mutablemapping map hashmap btreemap record object hash ordereddict",
    "list sequence vec vector array slice arraylist collection",
    "str string strings text",
    "int integer number i32 i64 u32 u64 usize int32 int64 uint long",
    "float double f32 f64 float64",
    "bool boolean",
    "bytes bytearray byte buffer",
    "callable callback function func fn",
    "iterator iterable generator iter stream",
    "none void unit nil null nothing",
    "set hashset frozenset btreeset",
    "promise future task awaitable coroutine",
    "error exception throwable err",
    "path pathbuf filepath",
)
KIN_WEIGHT = 0.3
"""Weight of `HashMap` in the search for a dict."""
_KIND_OF = {word: kind for kind, words in enumerate(_KINDS) for word in words.split()}


def fits(signature: str, name: str, docstring: str, takes: Sequence[str], returns: Sequence[str]) -> bool:
    """Whether every type of `takes` is among the parameters and every one of `returns` in the result.

    Where the language or the author writes no result type, the docstring must name it.
    """
    parameters, result = parts(signature, name)
    if not _holds(parameters, takes):
        return False
    return _holds(result, returns) if result.strip() else _holds(docstring, returns)


def searched(types: Sequence[str]) -> dict[str, float]:
    """Token → weight by which code with these types is searched: the types' own words, and less the other words of their kind."""
    weights: dict[str, float] = {}
    for word in tokens(" ".join(types)):
        kind = _KIND_OF.get(word, _KIND_OF.get(word.removesuffix("s"), -1))
        for other in _KINDS[kind].split() if kind >= 0 else ():
            weights.setdefault(other, KIN_WEIGHT)
        weights[word] = 1.0
    return weights


def parts(signature: str, name: str) -> tuple[str, str]:
    """(parameters, result type) of `def f(a: A) -> R`, `func (s *S) F(a A) R`, `R f(A a)`, `fn f<T>(a: A) -> R`."""
    at = signature.find(name) if name else 0
    opening = signature.find("(", max(at, 0) + len(name))
    if opening < 0:
        return "", ""
    closed = closing(signature, opening)
    end = closed if closed >= 0 else len(signature)
    before = signature[: max(at, 0)]
    if before.rstrip().endswith(")"):
        before = ""  # a Go receiver
    after = signature[end + 1 :].split("{", 1)[0].strip().lstrip("->:= ").rstrip(":;= ")
    kept = " ".join(word for word in before.split() if word.lower() not in _KEYWORDS and not word.startswith("@"))
    return signature[opening + 1 : end], after or kept


_KEYWORDS = frozenset(
    "def async fn func function fun sub proc pub public private protected internal static final abstract virtual override "
    "const inline export default extern unsafe synchronized sealed open suspend lateinit readonly get set new let var".split()
)


def _holds(text: str, wanted: Sequence[str]) -> bool:
    found = set(tokens(text))
    kinds = {_KIND_OF[word] for word in found if word in _KIND_OF}
    return all(_held(each, found, kinds) for each in wanted)


def _held(wanted: str, found: set[str], kinds: set[int]) -> bool:
    """By its last part: `http.Request` is written `Request` where it is imported, `list of strings` is asked in the plural."""
    simple = wanted.split("[", 1)[0].rpartition(".")[2].lower().replace("_", "")
    forms = {simple, simple.removesuffix("s")}
    return not forms.isdisjoint(found) or any(_KIND_OF.get(form, -1) in kinds for form in forms)
