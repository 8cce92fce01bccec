"""Tells whether a text is pasted code whose like is wanted, and by which words such code is searched for. Pure.

Only a text that is code and little else, or a short sentence that points at its code ("is there something like this?"), is
read so: the code in a bug report stands beside the story, and the story says what is wanted.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from app.core.tokens import tokens

LONGEST_ASKING = 200
"""Characters of prose beside the code up to which a text asks about the code itself."""
CODE_SHARE = 0.7
"""Share of a text's lines that must look like code where nothing fences it."""
SHORTEST_LINE = 24
"""Characters of a single unfenced line that may be code rather than a name or a call somebody asks about."""
FEWEST_WORDS = 3
"""Distinct words that unfenced code must have to be read as code."""
KEYWORD_WEIGHT = 0.2
"""Weight of a language's own words, which say in which language a snippet is and not what it does."""

KEYWORDS = frozenset(
    "abstract and as assert async await bool boolean break byte case catch chan char class const continue crate def default defer del "
    "delete do done double elif else elsif end ensure enum esac except export extends extern false fallthrough fi final finally float "
    "fn for foreach from fun func function global go goto guard if impl implements import in include inline instanceof int interface "
    "internal is lambda let local long loop map match mod module mut namespace new nil none not null object of operator or override "
    "package pass private protected protocol pub public raise range readonly ref require rescue return select self short static "
    "str string struct super switch template then this throw throws trait true try type typedef typeof undefined union unless unsafe "
    "unsigned until use using val var virtual void when where while with yield".split()
)  # fmt: skip

_POINTS = re.compile(
    r"\b(?:th(?:is|ese|at|ose)|following|below|snippet|code|such|it)\b.*"
    r"\b(?:exists?|already|somewhere|anywhere|from|similar|like|implemented|defined|here)\b"
    r"|\b(?:like|similar|same|resembl\w+|equivalent|duplicat\w+|cop(?:y|ies)|already|where|find|search|look\w*|what|which|close\w*)\b.*"
    r"\b(?:th(?:is|ese|at|ose)|following|below|snippet|code|such|it)\b",
    re.IGNORECASE | re.DOTALL,
)
_SENTENCE = re.compile(r"[^.?!:\n]+(?:[.?!:](?!\s)[^.?!:\n]*)*[.?!:]?")
_ASKS = re.compile(
    r"^\W*(?:(?:please|can|could|you|me|hey|hi|hello|so|and|ok)\W+)*"
    r"(?:find|search|show|locate|look\w*|list|give|tell|where|what|which|who|is|are|do|does|did|have|has|any\w*|some\w*|similar|same|"
    r"like|close\w*|duplicat\w*|cop(?:y|ies))\b",
    re.IGNORECASE,
)
_COMPLAINS = re.compile(
    r"\b(?:wrong\w*|fail\w*|errors?|bugs?|exceptions?|incorrect\w*|unexpected\w*|should\w*|expect\w*|\w+n't|broken?|breaks?|crash\w*|"
    r"raises?|throws?|results?|outputs?|produces?|get|gets|got|run|running|ran|version)\b",
    re.IGNORECASE,
)
"""Words of somebody who reports what code did; who looks for its like says none of it."""
_CODE = re.compile(
    r"\w\s*\(.*\)?|\s[-+*/|&%:]?=\s|[{};]\s*$|^\s*[\])}]|->|=>|::|:=|^\s*@\w|^\s*\"[^\"]*\"\s*:|^\s*<[/\w]"
    r"|^\s*(?:return|import|from|else|try|end|break|continue|pass|case|default|package|class|finally)\b"
)
_PROSE = re.compile(r"(?:\b[A-Za-z']+,? ){5,}|[a-z]{2,}[.?!]\s*$")
_COMMENT = re.compile(r"^\s*(?://|#|/?\*|--|\"\"\"|''')")
_LOG = re.compile(
    r"^\W*\d{2,4}[-/:.]\d\d[-/:.]\d\d|^\s*(?:at\s+\S+\(|File \")|\b(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE)\b"
)


def pasted(prose: str, code: str, titled: bool = False) -> str:
    """The code that is asked about, or "": `code` is what stands in fences, `prose` the rest. `titled`: the text belongs to an
    issue whose title asks as well, so that code alone is no question about the code."""
    prose = prose.strip()
    if code.strip():
        if not prose:
            return "" if titled or _is_log(code) else code
        return code if len(prose) <= LONGEST_ASKING and _points(prose) and not _is_log(code) else ""
    return "" if titled or len(set(tokens(prose))) < FEWEST_WORDS or not is_code(prose) else prose


def _points(prose: str) -> bool:
    """Whether a sentence asks, and points at the code beside it."""
    asking = [each for each in _SENTENCE.findall(prose) if each.rstrip().endswith("?") or _ASKS.match(each)]
    return any(map(_POINTS.search, asking)) and not _COMPLAINS.search(prose)


def is_code(text: str) -> bool:
    """Whether an unfenced text is code: several lines of which most look like it, or one long statement."""
    lines = [line for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if not _COMMENT.match(line)]
    if not telling or (len(lines) == 1 and (len(lines[0]) < SHORTEST_LINE or not re.search(r"[;{}=]", lines[0]))):
        return False
    if _is_log(text):
        return False
    found = sum(bool(_CODE.search(line)) and not _PROSE.search(_outside_strings(line)) for line in telling)
    return found >= CODE_SHARE * len(telling)


def code_weights(code: str, most: int) -> dict[str, float]:
    """Token → 1 + ln(count), a language's own words at KEYWORD_WEIGHT of that; at most `most`, heaviest first."""
    counts: dict[str, int] = {}
    for token in tokens(code):
        counts[token] = counts.get(token, 0) + 1
    weights = {
        token: (1 + math.log(count)) * (KEYWORD_WEIGHT if token in KEYWORDS else 1.0) for token, count in counts.items()
    }
    return dict(sorted(weights.items(), key=lambda item: -item[1])[:most])


def own_words(weights: Mapping[str, float]) -> frozenset[str]:
    """The tokens that are not a language's own words; all where there are no others."""
    return frozenset(weights.keys() - KEYWORDS) or frozenset(weights)


def _is_log(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    return sum(bool(_LOG.search(line)) for line in lines) > 0.3 * len(lines)


def _outside_strings(line: str) -> str:
    """A line without what stands in its quotes and comments: the messages of code are prose."""
    return re.sub(r"(?://|#).*$", "", re.sub(r"\"[^\"]*\"|'[^']*'|`[^`]*`", '""', line))


_TEST_CODE = re.compile(
    r"^\s*(?:async\s+)?(?:def|fn|func|function)\s+(?:test_|Test[A-Z_])|^\s*@Test\b|#\[(?:\w+::)?test\]|^\s*(?:it|test|describe)\(\s*[\"'`]"
    r"|\bTEST(?:_F|_P)?\(",
    re.MULTILINE,
)


def is_test_code(code: str) -> bool:
    """Whether code is a test by its form, in the common frameworks."""
    return _TEST_CODE.search(code) is not None
