"""Reads what a person asks: weighted words, named code and paths, trace frames, and the kind of answer wanted. Decides nothing else.

Any text is a question: nothing in it is an operator, so no quote or bracket can narrow the search to nothing. The work is
linear in the text, and the text is bounded first.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from app.core.named import (
    ASKED,
    PLAIN,
    SHORTEST_NAME,
    NamedPath,
    NamedSymbol,
    find_paths,
    find_symbols,
    is_code_shaped,
    is_digest,
    without_hosts,
    without_urls,
)
from app.core.tokens import FUNCTION_WORDS, tokens
from app.core.traces import Frame, find_frames

HEAD_CHARACTERS = 96_000
TAIL_CHARACTERS = 32_000
"""What is read of a longer text: its start says what is wrong, its end is where a log stops. GitHub's own limit is 65,536."""
MOST_TOKENS = 512
"""Distinct tokens searched for. A long issue has 300; each costs a walk through a posting list."""
TITLE_BONUS = 3.0
"""Added to the weight of a title word (measured on 140 issues: 8 more in a hundred have the right file first)."""
SHORT_QUESTION = 400
"""Characters up to which a text is read as a question in a sentence, whose words say what kind of answer is wanted."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, read. `weights` maps token to weight, heaviest first; `subject` is the token set that an answer must cover.

    `asked` is the name the sentence asks about ("who calls X"), or empty; `soft` is true when that name may be an ordinary word.
    """

    text: str
    title: str
    weights: Mapping[str, float]
    subject: frozenset[str]
    symbols: tuple[NamedSymbol, ...] = ()
    paths: tuple[NamedPath, ...] = ()
    frames: tuple[Frame, ...] = ()
    asked: str = ""
    soft: bool = False
    asks_callers: bool = False
    asks_definition: bool = False
    wants_tests: bool = False
    wants_docs: bool = False

    @property
    def kind(self) -> str:
        """callers, definition, tests, docs or related."""
        if self.asks_callers:
            return "callers"
        if self.asks_definition:
            return "definition"
        return "tests" if self.wants_tests else "docs" if self.wants_docs else "related"


_FENCE = re.compile(r"^[ \t]{0,3}(`{3,}|~{3,})")
_SYMBOL = r"`{0,2}([A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*)*)(?:\(\))?`{0,2}"
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
    r"\b(?:which|what|where\s+are|are\s+there|any|show(?:\s+me)?|find|list|add|write)\s+(?:the\s+|an?\s+)?(?:unit\s+|integration\s+)?tests?\b"
    r"|\b(?:tests?|test\s+cases?|specs?)\s+(?:for|of|that|which|cover\w*)\b|\b(?:tested|test\s+coverage|covered\s+by\s+(?:a\s+)?tests?)\b",
    re.IGNORECASE,
)
_DOCS = re.compile(
    r"\b(?:docs?|documentation|readme|changelog|tutorial|guide)\s+(?:for|of|on|about|say|says|page)\b|\bdocumented\b"
    r"|\b(?:in|update|read|find|which|what|where\s+(?:is|are))\s+the\s+(?:docs?|documentation|readme|changelog)\b",
    re.IGNORECASE,
)
_ASKING_WORDS = frozenset(
    "where defined define definition declared implemented implement implementation located find show explain tell callers caller "
    "calls called call used uses use usage usages references referenced function method class code file please thanks hello hi help "
    "work works working handled handle happens happen look looking see want need like get know repo repository project does "
    "documented documentation docs tests test tested".split()
)  # fmt: skip
"""Words of the asking, not of the thing asked for."""


def read_question(text: str, title: str = "") -> Question:
    """Read a question. `title` is the title of the issue or pull request it stands in, and counts more."""
    title = title[:1000]
    text = _bounded(_without_comments(text))
    prose, code = _split_code(text)
    whole = f"{title}\n{prose}"
    frames = find_frames(text)
    symbols = find_symbols(without_urls(whole), without_urls(code))
    short = len(prose) <= SHORT_QUESTION and not frames
    asked, callers, soft = _asked(prose) if short else ("", False, False)
    if asked:
        strength = PLAIN * 2 if soft else ASKED
        symbols = (NamedSymbol(asked, strength), *(symbol for symbol in symbols if symbol.name != asked))
    weights = _weights(text, title, symbols, frames)
    subject = frozenset(weights) - _ASKING_WORDS or frozenset(weights)
    if len(text) + len(title) <= SHORT_QUESTION:
        weights = {token: weight for token, weight in weights.items() if token in subject}
    return Question(
        text=text,
        title=title,
        weights=weights,
        subject=subject,
        symbols=symbols,
        paths=find_paths(f"{title}\n{text}"),
        frames=frames,
        asked=asked,
        soft=soft,
        asks_callers=callers,
        asks_definition=bool(asked) and not callers,
        wants_tests=short and _TESTS.search(prose) is not None,
        wants_docs=short and _DOCS.search(prose) is not None,
    )


def _bounded(text: str) -> str:
    if len(text) <= HEAD_CHARACTERS + TAIL_CHARACTERS:
        return text
    return text[:HEAD_CHARACTERS] + "\n" + text[-TAIL_CHARACTERS:]


def _without_comments(text: str) -> str:
    """Issue templates keep their instructions in HTML comments; they are nobody's words."""
    kept: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0:
        end = text.find("-->", start)
        kept.append(text[at:start])
        if end < 0:
            return "".join(kept) + text[start + 4 :]
        at = end + 3
    return "".join(kept) + text[at:]


def _split_code(text: str) -> tuple[str, str]:
    """(prose, code) of Markdown: fenced blocks, indented blocks after `>>>`, and the rest. Lines keep their order."""
    prose: list[str] = []
    code: list[str] = []
    fence = ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif fence and mark and mark[1].startswith(fence) and line.strip() == mark[1]:
            fence = ""
        elif fence or line.lstrip().startswith((">>>", "...")):
            code.append(line)
        else:
            prose.append(line)
    return "\n".join(prose), "\n".join(code)


def _asked(prose: str) -> tuple[str, bool, bool]:
    """(name, asks for callers, may be an ordinary word) of a sentence that asks about one name; ("", False, False) otherwise."""
    for patterns, callers in ((_CALLERS, True), (_DEFINITION, False)):
        for pattern in patterns:
            match = pattern.search(prose)
            if match is None:
                continue
            groups = match.groupdict()
            raw = next(group for group, name in zip(match.groups(), _group_names(pattern), strict=True) if name is None)
            name = re.sub(r"::|#|->", ".", raw)
            written = match[0][match[0].rfind(raw) - 1 : match[0].rfind(raw) + len(raw) + 2]
            if name.lower() in FUNCTION_WORDS or name.lower() in _ASKING_WORDS:
                continue
            if len(name) < SHORTEST_NAME and "`" not in written:  # `t` is a name where it is written as one
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


def _weights(text: str, title: str, symbols: tuple[NamedSymbol, ...], frames: tuple[Frame, ...]) -> dict[str, float]:
    """Token → 1 + ln(count), title words +3; at most MOST_TOKENS, heaviest first.

    Where tokens must go, the ones of named code and of frames stay first, then the heavier, and what looks like an
    address or a digest goes first. Length plays no part: the longest tokens of a log are its base64.
    """
    counts: dict[str, int] = {}
    for token in tokens(without_hosts(f"{title}\n{text}")):
        counts[token] = counts.get(token, 0) + 1
    titled = set(tokens(title))
    weights = {
        token: 1 + math.log(count) + (TITLE_BONUS if token in titled else 0.0) for token, count in counts.items()
    }
    if len(weights) > MOST_TOKENS:
        named = set(
            tokens(
                " ".join(
                    [*(symbol.name for symbol in symbols), *(f"{frame.path} {frame.function}" for frame in frames)]
                )
            )
        )
        order = sorted(weights, key=lambda token: (token not in named, is_digest(token), -weights[token]))
        weights = {token: weights[token] for token in order[:MOST_TOKENS]}
    return dict(sorted(weights.items(), key=lambda item: -item[1]))
