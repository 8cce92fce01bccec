"""Owns which row of a trained table a token has: its own, or those its letters are hashed to. Knows no vectors."""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

HASHED = 1 << 14
"""Rows shared by all tokens that have none of their own. They are trained like the others: on average, a rare word."""
LAST_HASHED = HASHED - 1
STEM = 5
"""Letters. A longer token without a row of its own also counts as its first five: `reindexer` meets `reindexing`."""
STEM_SALT = 1
"""Start value of a stem's checksum, so that the stem `parse` is not the token `parse`."""


class Vocabulary:
    """Tokens with a row each, in the table's order, followed by `HASHED` shared rows."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self._own = {word: row for row, word in enumerate(self.words)}

    @property
    def rows(self) -> int:
        """Rows of a table of this vocabulary."""
        return len(self.words) + HASHED

    def rows_of(self, token: str) -> tuple[int, ...]:
        """The rows that a token adds: its own; else its hash's and, where it is long enough, its stem's."""
        own = self._own.get(token)
        if own is not None:
            return (own,)
        first = len(self.words)
        whole = first + (crc32(token.encode("utf-8", "surrogatepass")) & LAST_HASHED)
        if len(token) <= STEM:
            return (whole,)
        return whole, first + (crc32(token[:STEM].encode("utf-8", "surrogatepass"), STEM_SALT) & LAST_HASHED)
