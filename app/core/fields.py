"""Reads single fields of a webhook payload, tolerant of null and of what it does not know; must not know any event."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from app.core.errors import BadPayload

LARGEST_ID = 2**63 - 1
"""Ids are kept as signed 64-bit integers by the stores; GitHub's stay far below."""

_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


class Fields:
    """A view on one JSON object of a payload. `where` names it in errors; `present` is false for one that is null or absent."""

    def __init__(self, values: Mapping[str, object] | None, where: str) -> None:
        self.values: Mapping[str, object] = values or {}
        self.where = where
        self.present = values is not None

    def has(self, name: str) -> bool:
        """Whether the field is there and not null."""
        return self.values.get(name) is not None

    def inner(self, name: str) -> Fields:
        """The object of this name, which must be there."""
        found = self.maybe(name)
        if not found.present:
            raise self._bad(name, "an object")
        return found

    def maybe(self, name: str) -> Fields:
        """The object of this name; one without fields where it is null or absent (a deleted user, a deleted fork)."""
        value = self.values.get(name)
        if value is not None and not isinstance(value, dict):
            raise self._bad(name, "an object")
        return Fields(value, f"{self.where}.{name}")

    def items(self, name: str) -> Iterator[Fields]:
        """The objects of a list; none where it is null or absent."""
        value = self.values.get(name)
        if value is None:
            return
        if not isinstance(value, list):
            raise self._bad(name, "a list")
        for position, item in enumerate(value):
            if not isinstance(item, dict):
                raise self._bad(f"{name}[{position}]", "an object")
            yield Fields(item, f"{self.where}.{name}[{position}]")

    def text(self, name: str, default: str | None = None) -> str:
        """A string, always encodable: JSON may hold half a surrogate pair, which no store and no hash takes."""
        value = self.values.get(name)
        if value is None and default is not None:
            return default
        if not isinstance(value, str):
            raise self._bad(name, "a string")
        return value.encode("utf-8", "replace").decode()

    def number(self, name: str, default: int | None = None) -> int:
        """A whole number from 0 to LARGEST_ID (true and 1.0 are none)."""
        value = self.values.get(name)
        if value is None and default is not None:
            return default
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= LARGEST_ID:
            raise self._bad(name, "a whole number")
        return value

    def flag(self, name: str) -> bool:
        """True or false; false where it is null or absent."""
        value = self.values.get(name)
        if value is not None and not isinstance(value, bool):
            raise self._bad(name, "true or false")
        return bool(value)

    def sha(self, name: str) -> str:
        """An object id in full, 40 or 64 lower-case hex digits."""
        value = self.values.get(name)
        if not isinstance(value, str) or not _SHA.fullmatch(value):
            raise self._bad(name, "a full object id")
        return value

    def _bad(self, name: str, wanted: str) -> BadPayload:
        value = self.values.get(name)
        found = "absent" if name not in self.values else "null" if value is None else f"a {type(value).__name__}"
        return BadPayload(f"{self.where}.{name} must be {wanted} and is {found}")
