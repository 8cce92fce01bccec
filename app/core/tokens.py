"""Turns code, paths and questions into the same words, and words into sparse vectors. Owns no index and no ranking.

The recipe is the one the retrieval measurements were made with: identifiers, each as a whole and as its parts, without
English function words. The store multiplies by IDF, so the weights here are BM25's term-frequency half only.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from zlib import crc32

from app.core.types import Sparse

BM25_K1 = 1.2
"""How fast repetition stops to count; the measured recipe's value."""
BM25_B = 0.75
"""How much a long chunk is held against its words; the measured recipe's value."""
AVERAGE_TOKENS = 110
"""Tokens of an average chunk, path and name counted twice (116 over 600 Python files). Fixed, because a true average would
change every stored vector of a repository on every push; it only shifts where repetition saturates."""
FIELD_REPEATS = 2
"""How often the path's words and the symbol's name are counted: what a chunk is called says more than what it holds."""
LONGEST_WORD = 128
"""Characters. Longer runs of letters are encoded data, not names; Java test names reach a hundred."""
CACHED_WORDS = 1 << 16
"""Identifiers whose parts are remembered, about 300 bytes each. A repository repeats its names, so most look-ups hit."""

_ENGLISH = (
    "a an the this that these those it its is are was were be been being am do does did doing done have has had having "
    "will would shall should can could may might must i you he she we they me him her us them my your his our their "
    "what which who whom whose where when why how and or but nor not no if then than so as at by for from in into of on "
    "onto to up with there here also just very too only some such both each because while about don doesn didn isn "
    "aren wasn won ll ve re"
)
FUNCTION_WORDS = frozenset(_ENGLISH.split())
"""English words that carry no subject. Words that name things in code (`before`, `after`, `all`, `any`, `between`) stay."""

_WORD = re.compile(r"\w+", re.ASCII)
_MARKS = "\u0300-\u036f\u0900-\u0963\u0966-\u0dff\u0e00-\u0eff"
"""Combining accents and the vowel signs of Indic, Thai and Lao script: inside a word for people, not for `\\w`."""
_WORD_UNICODE = re.compile(rf"[\w{_MARKS}]+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_RUN_TOGETHER = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+"
)
"""Scripts that write words without spaces between them (or, Korean, with endings glued on): cut into pairs of characters."""


def tokens(text: str) -> list[str]:
    """Every token of `text` in reading order, repeats included: `getUserById` gives getuserbyid, get, user, id."""
    return [token for word in _words(text) for token in _expand(word)]


def count_tokens(text: str) -> dict[str, int]:
    """Token → how often. Made once for a chunk and used for both its sparse and its dense vector."""
    counts: dict[str, int] = {}
    get = counts.get
    for word, times in Counter(_words(text)).items():
        for token in _expand(word):
            counts[token] = get(token, 0) + times
    return counts


def document_counts(body: Mapping[str, int], path: str, name: str, qualified: str) -> dict[str, int]:
    """The counts a chunk is found by: path words and symbol name twice, enclosing names once, then its text (`body`)."""
    counts = dict(body)
    parents = qualified.removesuffix(name) if name else qualified
    for field, repeats in ((path, FIELD_REPEATS), (name, FIELD_REPEATS), (parents, 1)):
        for token, times in count_tokens(field).items():
            counts[token] = counts.get(token, 0) + repeats * times
    return counts


def sparse_document(path: str, name: str, qualified: str, text: str) -> Sparse:
    """The sparse vector of one chunk; see `document_counts` for what counts how often."""
    return sparse_of_counts(document_counts(count_tokens(text), path, name, qualified))


def sparse_of_counts(counts: Mapping[str, int]) -> Sparse:
    """BM25 term weights, `tf·(k1+1) / (tf + k1·(1-b+b·length/average))`; IDF is left to the store."""
    saturation = BM25_K1 * (1 - BM25_B + BM25_B * sum(counts.values()) / AVERAGE_TOKENS)
    return _sparse(counts, [times * (BM25_K1 + 1) / (times + saturation) for times in counts.values()])


def sparse_query(weights: Mapping[str, float]) -> Sparse:
    """A query vector of token → weight. Weights must be finite (ValueError); those of zero and below say nothing and go."""
    for token, weight in weights.items():
        if not math.isfinite(weight):
            raise ValueError(f"the weight of {token!r} is not finite")
    said = {token: weight for token, weight in weights.items() if weight > 0}
    return _sparse(said, said.values())


def token_id(token: str) -> int:
    """A stable 32-bit number: CRC-32 of the UTF-8 bytes. (Python's own `hash` differs from process to process.)"""
    return crc32(token.encode())


def _sparse(tokens: Iterable[str], weights: Iterable[float]) -> Sparse:
    """Two tokens that share an id are summed: the stores want every id once."""
    values: dict[int, float] = {}
    for token, weight in zip(tokens, weights, strict=True):
        key = crc32(token.encode())
        values[key] = values[key] + weight if key in values else weight
    indices = sorted(values)
    return Sparse(tuple(indices), tuple([values[key] for key in indices]))


def _words(text: str) -> list[str]:
    if text.isascii():
        return _WORD.findall(text)
    # NFKC, as Python itself does to identifiers: composed and decomposed accents and full-width letters become one.
    return _WORD_UNICODE.findall(unicodedata.normalize("NFKC", text))


@lru_cache(maxsize=CACHED_WORDS)
def _expand(word: str) -> tuple[str, ...]:
    """The tokens of one word: the whole, where it has several parts, then each part that says something.

    The whole form has no underscores, so that `file_name`, `fileName` and the "filename" of an issue meet. Text without
    spaces has none: a run of it is half a sentence. Words that start with a digit are numbers and are left out.
    """
    if word[0].isdigit() or len(word) > LONGEST_WORD:
        return ()
    if word.isascii():
        parts = _PART.findall(word)
        whole = word.replace("_", "").lower()
    else:
        parts = _parts_unicode(word)
        whole = "" if _RUN_TOGETHER.search(word) else word.replace("_", "").lower()
    kept = [part for part in map(str.lower, parts) if _speaks(part)]
    return (whole, *kept) if len(parts) > 1 and len(whole) > 1 else tuple(kept)


def _speaks(part: str) -> bool:
    return part not in FUNCTION_WORDS and (len(part) > 1 or _RUN_TOGETHER.match(part) is not None)


def _parts_unicode(word: str) -> list[str]:
    """Parts of a word with letters beyond ASCII: same cuts by case and digit; pairs of characters in `_RUN_TOGETHER`."""
    parts: list[str] = []
    for piece in word.split("_"):
        end = 0
        for run in _RUN_TOGETHER.finditer(piece):
            parts += _cased_parts(piece[end : run.start()])
            characters = run.group()
            parts += [characters[at : at + 2] for at in range(max(1, len(characters) - 1))]
            end = run.end()
        parts += _cased_parts(piece[end:])
    return parts


def _cased_parts(piece: str) -> list[str]:
    """`_PART` for any script: a new part at lower→Upper, before the last capital of `ABCd`, and around digits."""
    parts: list[str] = []
    start = 0
    for at in range(1, len(piece)):
        before, here = piece[at - 1], piece[at]
        after = piece[at + 1] if at + 1 < len(piece) else ""
        digits = before.isdigit() != here.isdigit()
        if digits or (here.isupper() and (before.islower() or (before.isupper() and after.islower()))):
            parts.append(piece[start:at])
            start = at
    if piece:
        parts.append(piece[start:])
    return parts
