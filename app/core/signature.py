"""Tells how well a signature takes and returns the types a person asks for, in any language. Pure.

Types are compared by what they are and without regard to spelling: `dict` is met by `Dict[str, int]`, `Mapping | None` and
`&HashMap<K, V>`. A parameter is also met by its name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.core.tokens import tokens
from app.core.type_words import TypeWords, of_bounds, split_outside, words_of

_KINDS = (
    "dict dictionary mapping mutablemapping map hashmap btreemap record object hash ordereddict",
    "list sequence vec vector array slice arraylist collection",
    "str string strings text charsequence",
    "int integer number i8 i16 i32 i64 u8 u16 u32 u64 usize isize int8 int16 int32 int64 uint uint8 uint32 uint64 long short bigint",
    "float double f32 f64 float32 float64 decimal",
    "bool boolean",
    "bytes bytearray byte buffer",
    "callable callback function func fn handler",
    "iterator iterable generator iter stream",
    "none void unit nil null nothing",
    "set hashset frozenset btreeset",
    "promise future task awaitable coroutine",
    "error exception throwable err",
    "path pathbuf filepath",
)
KIN_WEIGHT = 0.3
"""Weight of `HashMap` in the search for a dict."""
AS_WRITTEN, BY_NAME, BY_KIND, BY_PART, INSIDE = 1.0, 0.9, 0.8, 0.6, 0.4
"""How well a type is met: by its own name, by the parameter's name, by another type of its kind, by a part of a longer name,
by what a container holds."""
_KIND_OF = {word: kind for kind, words in enumerate(_KINDS) for word in words.split()}
_VOID, _ERROR = _KIND_OF["void"], _KIND_OF["error"]
SHORTEST_PART = 4
"""Characters of a name that may be the end of a longer one: `HttpRequest` is a request, `ZodError` an error."""
_SAY_RESULTS = frozenset({"go", "rust", "java", "c", "cpp", "csharp", "kotlin", "swift", "scala"})
"""Languages in which a signature without a result type returns nothing, or the type written in front."""
_SELVES = frozenset({"self", "cls", "this"})


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: its name and the words of its type, both empty where they are not written."""

    name: str
    type: TypeWords


def fit(
    signature: str, name: str, docstring: str, takes: Sequence[str], returns: Sequence[str], language: str = ""
) -> float:
    """0 where a type of `takes` is not among the parameters or one of `returns` not in the result; else how well they are met, up
    to 1. Where the author writes no result type, the docstring must say that it returns it."""
    bounds, written, result = parts(signature, name)
    parameters = [Parameter(each.name, of_bounds(each.type, bounds)) for each in parameters_of(written, language)]
    met = [max((_met_by(each, one, alone=len(takes) == 1) for one in parameters), default=0.0) for each in takes]
    if result:
        given = of_bounds(_result_words(result), bounds)
        met += [_met(each, given, alone=len(returns) == 1) for each in returns]
    elif language in _SAY_RESULTS:
        met += [AS_WRITTEN if _kind(each) == _VOID else 0.0 for each in returns]
    else:
        said = {word for each in _SENTENCES.findall(docstring) for word in tokens(each)}
        met += [_among(each, said) for each in returns]
    if not met or not all(met):
        return 0.0
    spare = max(0, len(parameters) - len(takes)) if takes else 0
    return sum(met) / len(met) / (1 + 0.1 * min(spare, 5))


def searched(types: Sequence[str]) -> dict[str, float]:
    """Token → weight by which code with these types is searched: the types' own words, and less the other words of their kind."""
    weights: dict[str, float] = {}
    for word in tokens(" ".join(types)):
        kind = _kind(word)
        for other in _KINDS[kind].split() if kind >= 0 else ():
            weights.setdefault(other, KIN_WEIGHT)
        weights[word] = 1.0
    return weights


def parts(signature: str, name: str) -> tuple[Mapping[str, str], str, str]:
    """(bounds of type parameters, parameters, result type) of `def f(a: A) -> R`, `func (s *S) F(a A) R`, `R f(A a)`,
    `fn f<T: B>(a: T) -> R`, each as written."""
    signature = _DEFAULT_TEXT.sub("= 0", signature)
    at = max(signature.find(name), 0) if name else 0
    rest = signature[at + len(name) :]
    generic, rest = _bracketed(rest.lstrip(), "<[")
    opening = rest.find("(")
    if opening < 0:
        return {}, "", ""
    parameters, after = _bracketed(rest[opening:], "(")
    before = signature[:at]
    if before.rstrip().endswith(")"):
        before = ""  # a Go receiver
    after = re.split(r"\bwhere\b|\bthrows\b", after.split("{", 1)[0])[0].strip()
    after = re.sub(r"^(?:noexcept|const|async|throws?)\s*(?=->|:)", "", after)
    after = re.sub(r"^(?:->|:)\s*|\s*(?:=>|[:;=])\s*$", "", re.sub(r"\s*=>.*$", "", after, flags=re.DOTALL)).strip(
        " :;="
    )
    kept = " ".join(word for word in before.split() if word.lower() not in _KEYWORDS and not word.startswith("@"))
    before_result, kept = _bracketed(kept.rstrip("=: "), "<")
    return _bounds(generic or before_result), parameters, after or ("" if re.search(r"[=(]", kept) else kept.strip())


def parameters_of(text: str, language: str = "") -> list[Parameter]:
    """The parameters, without `self`, of what stands between the brackets."""
    found: list[Parameter] = []
    for part in split_outside(text, ","):
        part = split_outside(part.replace("=>", "->"), "=")[0].strip()
        plain = re.sub(r"^[&*.\s]+(?:mut\s+)?", "", part)
        if not part or plain in _SELVES or re.match(r"(?:'\w+\s+)?(?:mut\s+)?self\b", plain):
            continue
        found.append(_parameter(part, language))
    if language == "go":  # `a, b string`: the names in front have the type behind
        for at in range(len(found) - 2, -1, -1):
            if not found[at].type.heads:
                found[at] = Parameter(found[at].name, found[at + 1].type)
    return found


_KEYWORDS = frozenset(
    "def async await fn func function fun sub proc pub public private protected internal static final abstract virtual override "
    "const inline export default extern unsafe synchronized sealed open suspend lateinit readonly get set new let var".split()
)
_DEFAULT_TEXT = re.compile(r"""=\s*(?:"[^"\n]*"|'[^'\n]*'|`[^`\n]*`)""")
"""A default that is a text: what looks like brackets in it are none."""
_SENTENCES = re.compile(r"[^.\n]*\b(?:returns?|yields?|gives?|@return|:returns?:)\b[^.\n]*", re.IGNORECASE)


def _parameter(part: str, language: str) -> Parameter:
    part = re.sub(r"^(?:@\w+(?:\([^)]*\))?\s+|\.\.\.|\*{1,2}(?=\w+\s*(?::|$)))+", "", part)
    named = re.match(r"^(?:[\w$\s]*[\s&])?([\w$]+)\s*\??\s*:(?!:)\s*(.+)$", part, re.DOTALL)
    if named:
        return Parameter(named[1], words_of(named[2]))
    words = part.split(None, 1)
    if language == "go":
        return Parameter(words[0], words_of(words[1]) if len(words) > 1 else TypeWords())
    last = re.match(r"^(.*[\s&*>\]])([\w$]+)(?:\[\])?$", part, re.DOTALL)
    return Parameter(last[2], words_of(last[1])) if last else Parameter(part.strip("$&*?:. "), TypeWords())


def _result_words(text: str) -> TypeWords:
    """The words of a result; several in brackets (Go) are each what is returned."""
    if text.startswith("(") and text.endswith(")") and not re.search(r"[-=]>", text):
        found = TypeWords()
        for part in split_outside(text[1:-1], ","):
            found |= words_of(part.split(" ", 1)[-1] if re.match(r"^\s*\w+ \S", part) else part)
        return found
    return words_of(text)


def _bracketed(text: str, opening: str) -> tuple[str, str]:
    """(what stands in the bracket that `text` starts with, what follows); ("", text) where it starts with none of `opening`."""
    if not text or text[0] not in opening:
        return "", text
    depth = 0
    for at, letter in enumerate(text):
        if letter in "<[({":
            depth += 1
        elif letter in ">])}" and not (letter == ">" and text[at - 1] in "-="):
            depth -= 1
            if depth == 0:
                return text[1:at], text[at + 1 :]
    return text[1:], ""


def _bounds(generic: str) -> dict[str, str]:
    """Type parameter in lower case → its bound, of `P: AsRef<Path>, T extends Base, E any`."""
    found: dict[str, str] = {}
    for part in split_outside(generic, ","):
        if match := re.match(r"^\s*(?:const\s+)?(\w+)\s*(?::|\bextends\b|\s)\s*(\S.*)$", part, re.DOTALL):
            found[match[1].lower()] = match[2].replace("+", "|")
    return found


def _met_by(wanted: str, parameter: Parameter, alone: bool) -> float:
    by_type = _met(wanted, parameter.type, alone)
    forms = _forms(wanted)
    named = parameter.name.lower().replace("_", "")
    if named in forms:
        return max(by_type, BY_NAME)
    if not parameter.type.heads:
        return max(by_type, _among(wanted, set(tokens(parameter.name))))
    return by_type


def _met(wanted: str, given: TypeWords, alone: bool) -> float:
    """`alone`: nothing else is asked for on this side, so that what a container holds is no answer."""
    forms = _forms(wanted)
    heads = {head.replace("_", "") for head in given.heads}
    if not forms.isdisjoint(heads):
        return AS_WRITTEN
    kinds = {_kind(form) for form in forms} - {-1}
    if kinds and not kinds.isdisjoint({_kind(head) for head in heads}):
        return BY_KIND
    if kinds <= {_ERROR} and any(head.endswith(form) for head in heads for form in forms if len(form) >= SHORTEST_PART):
        return BY_PART
    if alone:
        return 0.0
    inner = {each.replace("_", "") for each in given.inner}
    return INSIDE if not forms.isdisjoint(inner) or not kinds.isdisjoint({_kind(each) for each in inner}) else 0.0


def _among(wanted: str, words: set[str]) -> float:
    """How well bare words, of a name or a docstring, meet a type."""
    forms = _forms(wanted)
    kinds = {_kind(form) for form in forms} - {-1}
    return BY_PART if not forms.isdisjoint(words) or not kinds.isdisjoint({_kind(word) for word in words}) else 0.0


def _forms(wanted: str) -> set[str]:
    """A type as asked for, by its last part: `http.Request` is written `Request` where it is imported; also in the singular."""
    simple = re.split(r"[\[<]", wanted, maxsplit=1)[0].rpartition(".")[2].lower().replace("_", "").strip("$")
    return {simple, simple.removesuffix("s")} - {""}


def _kind(word: str) -> int:
    return _KIND_OF.get(word, _KIND_OF.get(word.removesuffix("s"), -1))
