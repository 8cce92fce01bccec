"""Owns the form of a trained table's file: which arrays, what they mean, and the digest that names it. Opens no file.

A row is eight-bit numbers times a whole-number scale. All rows share one unit, which the normalising of a text takes out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from app.core.errors import ConfigError
from app.core.vocabulary import HASHED

FORM = 1
"""Version of this form, of the tokenizer it was trained with and of the arithmetic that reads it: a part of the table's id."""
LARGEST_CODE = 127
LARGEST_SCALE = 4095
"""Of the heaviest row. A row that weighs a hundredth of it still has its scale to about one per cent."""
NAME = re.compile(r"[a-z0-9][a-z0-9.-]{0,39}\Z")
"""Becomes part of a collection's and a folder's name."""
_ARRAYS = {"words": np.uint8, "codes": np.int8, "scales": np.uint16, "about": np.uint8}


@dataclass(frozen=True, slots=True)
class Table:
    """A trained table as it is shipped. `codes` is (len(words) + HASHED, dimension); `scales` one a row."""

    name: str
    words: tuple[str, ...]
    codes: NDArray[np.int8]
    scales: NDArray[np.uint16]

    @property
    def id(self) -> str:
        """`code-1-3f9a0c11-256`: name, form, eight digits of the content's digest, dimension."""
        return f"{self.name}-{FORM}-{self.digest[:8]}-{self.codes.shape[1]}"

    @property
    def digest(self) -> str:
        """32 hex digits of all that a vector depends on."""
        content = blake2b(digest_size=16)
        for part in ("\n".join(self.words).encode(), self.codes.tobytes(), self.scales.astype("<u2").tobytes()):
            content.update(len(part).to_bytes(8, "little"))
            content.update(part)
        return content.hexdigest()


def quantised(name: str, words: tuple[str, ...], table: NDArray[np.float32], weights: NDArray[np.float32]) -> Table:
    """Fold each row's weight into it and keep eight bits of it."""
    folded = table * weights[:, None]
    largest = np.abs(folded).max(axis=1)
    unit = np.float32(largest.max() / (LARGEST_CODE * LARGEST_SCALE)) or np.float32(1)
    scales = np.clip(np.ceil(largest / (unit * LARGEST_CODE)), 1, LARGEST_SCALE).astype(np.uint16)
    codes = np.clip(np.rint(folded / (unit * scales.astype(np.float32)[:, None])), -LARGEST_CODE, LARGEST_CODE)
    return Table(name, words, codes.astype(np.int8), scales)


def arrays_of(table: Table, about: Mapping[str, object]) -> dict[str, NDArray[np.generic]]:
    """What is written. `about` says how it was trained, for people."""
    facts = {**about, "name": table.name, "form": FORM, "digest": table.digest}
    return {
        "words": np.frombuffer("\n".join(table.words).encode(), np.uint8),
        "codes": table.codes,
        "scales": table.scales,
        "about": np.frombuffer(json.dumps(facts, sort_keys=True).encode(), np.uint8),
    }


def table_of(arrays: Mapping[str, NDArray[np.generic]]) -> Table:
    """What was read. ConfigError says what does not fit; the digest shows that no bit was changed."""
    for key, kind in _ARRAYS.items():
        if key not in arrays or arrays[key].dtype != kind:
            raise ConfigError(f"it has no array {key!r} of {np.dtype(kind).name}")
    try:
        about = json.loads(arrays["about"].tobytes())
        words = tuple(arrays["words"].tobytes().decode().split("\n")) if arrays["words"].size else ()
        name, form, digest = str(about["name"]), about["form"], about["digest"]
    except (ValueError, KeyError, TypeError, UnicodeDecodeError) as error:
        raise ConfigError("its description cannot be read") from error
    if form != FORM:
        raise ConfigError(f"it is of form {form}; this version reads form {FORM}")
    if not NAME.match(name):
        raise ConfigError(f"its name {name!r} is not made of small letters, digits, dots and dashes")
    codes, scales = arrays["codes"], arrays["scales"]
    rows = len(words) + HASHED
    if codes.ndim != 2 or codes.shape[0] != rows or not codes.shape[1] or scales.shape != (rows,):
        raise ConfigError(
            f"it has {len(words)} words and should have {rows} rows, not {codes.shape} and {scales.shape}"
        )
    table = Table(name, words, codes.astype(np.int8, copy=False), scales.astype(np.uint16, copy=False))
    if table.digest != digest:
        raise ConfigError("its content is not what was written: the digest differs")
    return table
