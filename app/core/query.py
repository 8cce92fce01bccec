"""Reads what a person asks: weighted words, named code and paths, trace frames, and the kind of answer wanted. Decides nothing else.

Any text is a question: nothing in it is an operator, so no quote or bracket can narrow the search to nothing. The work is
linear in the text, and the text is bounded first.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from app.core.asking import ASKING_WORDS, SETTING_WORDS, SHORT_QUESTION, Asking, read_asking
from app.core.named import (
    ASKED,
    PLAIN,
    NamedPath,
    NamedSymbol,
    find_paths,
    find_symbols,
    is_digest,
    without_hosts,
    without_urls,
)
from app.core.phrases import Phrase, find_phrases
from app.core.signature import searched
from app.core.snippet import code_weights, own_words, pasted
from app.core.tokens import tokens
from app.core.traces import Frame, find_frames

HEAD_CHARACTERS = 96_000
TAIL_CHARACTERS = 32_000
"""What is read of a longer text: its start says what is wrong, its end is where a log stops. GitHub's own limit is 65,536."""
MOST_TOKENS = 512
"""Distinct tokens searched for. A long issue has 300; each costs a walk through a posting list."""
TRACE_CHARACTERS = 8_000
"""What is read of a stack trace in the middle of a longer text."""
TITLE_BONUS = 3.0
"""Added to the weight of a title word (measured on 140 issues: 8 more in a hundred have the right file first)."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, read. `weights` maps token to weight, heaviest first; `subject` is the token set that an answer must cover.

    `prose` is what a person wrote besides code, the title first; `asking` the kind of answer that its sentence wants.
    """

    text: str
    title: str
    weights: Mapping[str, float]
    subject: frozenset[str]
    symbols: tuple[NamedSymbol, ...] = ()
    paths: tuple[NamedPath, ...] = ()
    frames: tuple[Frame, ...] = ()
    phrases: tuple[Phrase, ...] = ()
    asking: Asking = Asking()  # noqa: RUF009 (frozen)
    resolved: str = ""
    prose: str = ""

    @property
    def kind(self) -> str:
        """callers, definition, tests, docs, settings, signature, overview, snippet or related."""
        return self.asking.kind

    @property
    def asked(self) -> str:
        """The name the sentence asks about ("who calls X"), as the index has it where that is known, or empty."""
        return self.resolved or (self.asking.name if self.asks_callers or self.kind == "definition" else "")

    @property
    def soft(self) -> bool:
        """Whether the name asked about may be an ordinary word."""
        return self.asking.soft

    @property
    def asks_callers(self) -> bool:
        """Whether the callers of a name are wanted."""
        return self.kind == "callers"

    @property
    def wants(self) -> tuple[str, ...]:
        """The kinds of files that are asked for: tests, docs, settings."""
        return self.asking.wants


_TRACE = re.compile(
    r"Traceback \(most recent call last\)|Exception in thread|^panic: |^Caused by: |stack backtrace:", re.MULTILINE
)
_FENCE = re.compile(r"^[ \t]{0,3}(`{3,}|~{3,})")


def read_question(text: str, title: str = "") -> Question:
    """Read a question. `title` is the title of the issue or pull request it stands in, and counts more."""
    title = title[:1000]
    text = _bounded(_without_comments(text))
    prose, code = _split_code(text)
    whole = f"{title}\n{prose}"
    frames = find_frames(text)
    symbols = find_symbols(without_urls(whole), without_urls(code))
    asking = Asking() if frames else read_asking(prose)
    if not frames and (asking.kind == "related" or asking.soft) and (snippet := pasted(prose, code, bool(title))):
        return _snippet(snippet)
    asked = asking.name if asking.kind in {"callers", "definition"} else ""
    if asked:
        strength = PLAIN * 2 if asking.soft else ASKED
        symbols = (NamedSymbol(asked, strength), *(symbol for symbol in symbols if symbol.name != asked))
    weights = _weights(text, title, symbols, frames)
    if asking.kind == "signature":
        weights = searched((*asking.takes, *asking.returns))
    subject = frozenset(weights) - ASKING_WORDS or frozenset(weights)
    if len(text) + len(title) <= SHORT_QUESTION:
        weights = {token: weight for token, weight in weights.items() if token in subject}
    if "settings" in asking.wants:
        subject = subject - SETTING_WORDS or subject
    return Question(
        text=text,
        title=title,
        weights=weights,
        subject=subject,
        symbols=symbols,
        paths=find_paths(f"{title}\n{text}"),
        frames=frames,
        phrases=find_phrases(f"{title}\n{text}"),
        asking=asking,
        prose=whole.strip(),
    )


def _snippet(code: str) -> Question:
    """The question for code like `code`: its words alone, and no name in it is one that must exist here."""
    weights = code_weights(code, MOST_TOKENS)
    return Question(code, "", weights, own_words(weights), asking=Asking("snippet"))


def _bounded(text: str) -> str:
    """The start and the end of a long text, and the last trace that begins between them."""
    if len(text) <= HEAD_CHARACTERS + TAIL_CHARACTERS:
        return text
    starts = [match.start() for match in _TRACE.finditer(text, HEAD_CHARACTERS, len(text) - TAIL_CHARACTERS)]
    trace = text[starts[-1] : min(starts[-1] + TRACE_CHARACTERS, len(text) - TAIL_CHARACTERS)] if starts else ""
    return "\n".join(part for part in (text[:HEAD_CHARACTERS], trace, text[-TAIL_CHARACTERS:]) if part)


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
