"""Reads what kind of answer a sentence asks for: a name's callers or definition, tests, docs, settings, signatures, a map. Pure.

Only a sentence that asks is read so: an issue that says "I tested it" or "this is documented" tells a story and wants code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.core.named import SHORTEST_NAME, is_code_shaped
from app.core.tokens import FUNCTION_WORDS

SHORT_QUESTION = 400
"""Characters up to which a text is read as a question in a sentence, whose words say what kind of answer is wanted."""
BARE_QUESTION = 80
"""Characters up to which a text asks without any asking word ("tests for the parser")."""

MOST_TYPES = 3
"""Words of a parameter list or result up to which they are types."""


@dataclass(frozen=True, slots=True)
class Asking:
    """What one text asks for. `kind` is callers, definition, tests, docs, settings, signature, overview, snippet or related.

    `name` is the name asked about, or the folder of an overview ("" for the whole repository); `soft` is true where the
    name may be an ordinary word, or no folder. `takes` and `returns` are the types of a signature; `wants` the kinds of files that come
    first (tests, docs, settings).
    """

    kind: str = "related"
    name: str = ""
    soft: bool = False
    takes: tuple[str, ...] = ()
    returns: tuple[str, ...] = ()
    wants: tuple[str, ...] = ()


_SYMBOL = r"`{0,2}([A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*)*)(?:[?!](?=[\s`(]|$))?(?:\(\))?`{0,2}"
"""A name; the mark of Ruby's and Elixir's `valid?` and `save!` may follow and is no part of it."""
_NOUN = (
    r"(?:function|method|class|type|struct|trait|interface|enum|constant|macro|module|component|hook|variable|symbol)"
)
_THE = rf"(?:(?P<the>the|an?|our|this)\s+)?(?:{_NOUN}\s+)?"
_CALLERS = tuple(
    re.compile(pattern, re.IGNORECASE | re.ASCII)
    for pattern in (
        rf"\b(?:who|what|which\s+\w+)\s+(?:else\s+)?(?:calls?|uses?|invokes?|references?|instantiates?|consumes?)\s+{_THE}{_SYMBOL}",
        rf"\b(?:callers?|usages?|references?|call\s?sites?|users)\s+(?:of|to|for)\s+{_THE}{_SYMBOL}",
        rf"\bwhere\s+(?:is|are|does|do|else\s+is)\s+{_THE}{_SYMBOL}\s+(?:{_NOUN}\s+)?(?:get\s+|being\s+)?"
        r"(?:called|used|invoked|referenced|instantiated|consumed)\b",
        rf"\bwhere\s+do(?:es)?\s+\w+\s+(?:call|use|invoke|reference|instantiate)\s+{_THE}{_SYMBOL}",
        rf"\bis\s+{_THE}{_SYMBOL}\s+(?:still\s+)?(?:called|used|referenced)\s+(?:anywhere|somewhere|by\b)",
    )
)
_DEFINITION = tuple(
    re.compile(pattern, re.IGNORECASE | re.ASCII)
    for pattern in (
        rf"\bwhere\s+(?:is|are|was)\s+{_THE}{_SYMBOL}(?:\s+{_NOUN})?\s+(?P<sure>defined|declared)\b",
        rf"\bwhere\s+(?:is|are)\s+{_THE}{_SYMBOL}(?:\s+{_NOUN})?\s*(?:implemented|located|coming\s+from|created)?\s*\??\s*$",
        rf"\b(?P<sure>definition|declaration)\s+of\s+{_THE}{_SYMBOL}",
        rf"^\s*(?:find|show(?:\s+me)?|go\s*to|locate|open|explain)\s+{_THE}{_SYMBOL}\s*(?:{_NOUN})?\s*[?.!]?\s*$",
        rf"^\s*what\s+(?:is|does)\s+{_THE}{_SYMBOL}\s*(?:do|mean|return|for)?\s*\??\s*$",
        rf"^\s*(?:{_NOUN}|def|fn|func)\s+{_SYMBOL}\s*\??\s*$",
        rf"^\s*{_SYMBOL}\s*\??\s*$",
    )
)
_TESTS = re.compile(
    r"\b(?:which|what|where\s+are|are\s+there|any|show(?:\s+me)?|find|list)\s+(?:the\s+|an?\s+)?(?:unit\s+|integration\s+)?tests?\b"
    r"|\b(?:tests?|test\s+cases?|specs?)\s+(?:for|of|that|which|cover\w*)\b|\b(?:tested|test\s+coverage|covered\s+by\s+(?:a\s+)?tests?)\b",
    re.IGNORECASE,
)
_DOCS = re.compile(
    r"\b(?:docs?|documentation|readme|changelog|tutorial|guide)\s+(?:for|of|on|about|say|says|page)\b|\bdocumented\b"
    r"|\b(?:in|read|find|which|what|where\s+(?:is|are))\s+the\s+(?:docs?|documentation|readme|changelog)\b",
    re.IGNORECASE,
)
_SETTINGS = re.compile(
    r"\bwhere\b.*\b(?:configured|configurable|configuration\s+(?:of|for)|set\s+up|settings?\s+(?:of|for)|options?\s+(?:of|for)|env(?:ironment)?\s+variables?)\b"
    r"|\b(?:how|where)\b.*\b(?:configure|change\s+the\s+(?:default|setting)s?)\b"
    r"|\b(?:which|what)\s+(?:setting|option|config\w*|flag|env(?:ironment)?\s+variable)s?\b",
    re.IGNORECASE,
)
_REPOSITORY = r"(?:th(?:is|e)\s+)?(?:whole\s+)?(?:repo(?:sitory)?|project|code\s?base|source\s+tree)"
_FOLDER = r"`?(?P<folder>[\w.@-]+(?:/[\w.@-]+)*/?)`?"
_PATH = r"`?(?P<folder>[\w.@-]+/(?:[\w.@-]+/?)*)`?"
_OVERVIEW = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"^\s*what(?:'s|\s+is|\s+lives|\s+are)?\s+(?:there\s+)?(?:in|inside)(?:\s+of)?\s+{_REPOSITORY}\s*[?.!]*\s*$",
        rf"^\s*what\s+(?:does\s+{_REPOSITORY}\s+(?:do|contain|hold)|is\s+{_REPOSITORY}(?:\s+(?:about|for))?)\s*[?.!]*\s*$",
        rf"\bhow\s+is\s+{_REPOSITORY}\s+(?:organi[sz]ed|structured|laid\s+out|arranged)\b",
        rf"\b(?:overview|map|structure|layout|tour)\s+of\s+{_REPOSITORY}\b|^\s*(?:project|repo(?:sitory)?|directory|folder)\s+(?:structure|layout|overview|map)\s*[?.!]*\s*$",
        rf"^\s*what(?:'s|\s+is|\s+lives|\s+are)?\s+(?:there\s+)?(?:in|inside)\s+(?:the\s+)?(?:folder|directory|package)\s+{_FOLDER}\s*[?.!]*\s*$",
        rf"^\s*what(?:'s|\s+is|\s+lives|\s+are)?\s+(?:there\s+)?(?:in|inside)\s+(?:the\s+)?{_FOLDER}\s+(?:folder|directory|package)\s*[?.!]*\s*$",
        rf"^\s*what(?:'s|\s+is|\s+lives)?\s+(?:in|inside)\s+(?:the\s+)?{_PATH}\s*[?.!]*\s*$",
    )
)
_OVERVIEW_IF_THERE = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"^\s*what(?:'s|\s+is|\s+lives)?\s+(?:there\s+)?(?:in|inside)(?:\s+of)?\s+(?:the\s+)?{_FOLDER}\s*[?.!]*\s*$",
        rf"^\s*(?:what\s+(?:is|does)|explain|describe|show(?:\s+me)?|(?:map|overview|tour)\s+of)\s+(?:the\s+)?{_PATH}"
        r"(?:\s+(?:for|do|about|contain|hold))?\s*[?.!]*\s*$",
        r"^\s*`?(?P<folder>(?:\./)?(?:[\w.@-]+/)+)`?\s*\??\s*$",
    )
)
"""A folder's map where there is such a folder; what is written may as well be a file or a thing."""
_TYPES = r"(?:(?!\b(?:and|that|which|return\w*|giv\w*|yield\w*)\b)(?:[^.?!;\n]|\.(?=\w))){1,120}?"
_GIVES = r"(?:returns?|returning|giv(?:es?|ing)|yields?|yielding|produc(?:es?|ing))"
_FIND = r"^\W*(?:(?:please|which|what|find|show|list|search|are|is|there|any|all|me|us|the|an?|for|where)\s+)*"
_SIGNATURE = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_FIND}(?:functions?|methods?|callables?|constructors?)\s+(?:(?:that|which)\s+)?"
        rf"(?:takes?|taking|accepts?|accepting|receives?|receiving|expects?|with)\s+(?P<takes>{_TYPES}"
        rf"(?:\s+and\s+(?!{_GIVES}){_TYPES})*?)(?:(?:,|\s+and|\s+that|\s+which)*\s*{_GIVES}\s+(?P<returns>{_TYPES}))?\s*[?.!]*\s*$",
        rf"{_FIND}(?:functions?|methods?|callables?)\s+(?:(?:that|which)\s+)?{_GIVES}\s+(?P<returns>{_TYPES})"
        rf"(?:\s+(?:from|given|for|and\s+tak(?:es?|ing))\s+(?P<takes>{_TYPES}))?\s*[?.!]*\s*$",
        r"^\s*`?\((?P<takes>[^()]{0,120})\)\s*(?:->|=>|:)\s*(?P<returns>[^?`]{1,80})`?\s*\??\s*$",
    )
)
_TYPE_WORD = re.compile(r"[A-Za-z_][\w.]*(?:\[[\w., \[\]]*\])?")
_NO_TYPES = frozenset(
    "a an the any some one two three or and of as argument arguments parameter parameters input type types object objects "
    "only no".split()
)
_WANTED = {"tests": _TESTS, "docs": _DOCS, "settings": _SETTINGS}
_ASKS = re.compile(
    r"^\W*(?:(?:can|could|please|hey|hi|hello|so|and)\s+)*(?:you\s+|me\s+)?(?:who|what|which|where|when|why|how|is|are|do|does|has|have|any|show|find|list|tell|give|locate)\b",
    re.IGNORECASE,
)
ASKING_WORDS = frozenset(
    "where defined define definition declared implemented implement implementation located find show explain tell callers caller "
    "calls called call used uses use usage usages references referenced function method class code file please thanks hello hi help "
    "work works working handled handle happens happen look looking see want need like get know repo repository project does "
    "documented documentation docs tests test tested".split()
)  # fmt: skip
"""Words of the asking, not of the thing asked for."""
SETTING_WORDS = frozenset(
    "configure configured configuration configurable config set setting settings option options default defaults".split()
)
"""Words of asking where something is set, which stand in every repository."""


_PRONOUNS = frozenset("it its this that these those they them he she we you i there what which who".split())
"""Words that are no name even where one is asked for: "where is it defined?"."""


def read_asking(prose: str) -> Asking:
    """What `prose` asks for; a text longer than SHORT_QUESTION is a story and asks for related code."""
    if len(prose) > SHORT_QUESTION:
        return Asking()
    for pattern in _OVERVIEW:
        if match := pattern.search(prose):
            return Asking("overview", (match.groupdict().get("folder") or "").strip("/"))
    for pattern in _OVERVIEW_IF_THERE:
        if match := pattern.search(prose):
            return Asking("overview", match["folder"].strip("/"), soft=True)
    for pattern in _SIGNATURE:
        if (match := pattern.search(prose)) and (asking := _signature(match)):
            return asking
    sentences = _asking_sentences(prose)
    wants = [kind for kind, wanted in _WANTED.items() if any(map(wanted.search, sentences))]
    for sentence in sentences:
        name, callers, soft = _named(sentence)
        if name:
            return Asking("callers" if callers else "definition", name, soft, wants=tuple(wants))
    return Asking(wants[0], wants=tuple(wants)) if wants else Asking()


def is_named(asking: Asking) -> bool:
    """Whether a signature asks for types by their names, and not for what a sentence about code happens to say ("functions
    that return early when the cache is stale")."""
    return max(len(asking.takes), len(asking.returns)) <= MOST_TYPES


def _asking_sentences(prose: str) -> list[str]:
    """The sentences that ask; the whole text where it is too short to do anything else."""
    if len(prose.strip()) <= BARE_QUESTION:
        return [prose]
    sentences = re.findall(r"[^.?!\n]+(?:[.?!](?!\s)[^.?!\n]*)*[.?!]?", prose)
    return [each for each in sentences if each.rstrip().endswith("?") or _ASKS.match(each)]


def _signature(match: re.Match[str]) -> Asking | None:
    takes, returns = (_types(match.groupdict().get(part) or "") for part in ("takes", "returns"))
    return Asking("signature", takes=takes, returns=returns) if takes or returns else None


def _types(text: str) -> tuple[str, ...]:
    """The type names in "a DataFrame and a list of strings"."""
    found = [each.rstrip(".") for each in _TYPE_WORD.findall(text)]
    return tuple(dict.fromkeys(each for each in found if each.lower() not in _NO_TYPES))


def _named(prose: str) -> tuple[str, bool, bool]:
    """(name, asks for callers, may be an ordinary word) of a sentence that asks about one name; ("", False, False) otherwise."""
    for patterns, callers in ((_CALLERS, True), (_DEFINITION, False)):
        for pattern in patterns:
            match = pattern.search(prose)
            if match is None:
                continue
            groups = match.groupdict()
            raw = next(group for group, name in zip(match.groups(), _group_names(pattern), strict=True) if name is None)
            name = re.sub(r"::|#|->", ".", raw)
            meant = raw == prose.strip("?! \n") or (
                groups.get("sure") and not groups.get("the")
            )  # `each`, alone or "defined"
            ordinary = name.lower() in (_PRONOUNS if meant else FUNCTION_WORDS | ASKING_WORDS)
            written = match[0][match[0].rfind(raw) - 1 : match[0].rfind(raw) + len(raw) + 2]
            if ordinary or (
                len(name) < SHORTEST_NAME and "`" not in written
            ):  # `t` is a name where it is written as one
                continue
            code = "`" in written or "(" in written or "." in name or is_code_shaped(name)
            typed = re.search(rf"\b{_NOUN}\b", match[0], re.IGNORECASE) is not None
            sure = code or typed or (not groups.get("the") and (callers or bool(groups.get("sure"))))
            return name, callers, not sure
    return "", False, False


def _group_names(pattern: re.Pattern[str]) -> list[str | None]:
    names: list[str | None] = [None] * pattern.groups
    for name, index in pattern.groupindex.items():
        names[index - 1] = name
    return names
