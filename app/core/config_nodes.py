"""Reads a YAML text as nodes that know their lines, and single values out of them; must not know any setting.

Nodes are read instead of constructed values, so that a problem is told with its line and nothing in the file can build an object.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

import yaml

from app.core.errors import ConfigError

LARGEST = 64 * 1024
"""Characters; real files have less than a thousand."""

DEEPEST = 6
"""Nested lists and mappings; the settings have two levels."""

QUOTES = "put a glob that starts with ! or * in quotes"

LONGEST_SHOWN = 40
"""Characters of a wrong value that are repeated in the message."""

_TYPES = {"bool": "true or false", "int": "a whole number", "float": "a number", "null": "empty", "str": "text"}
_INTEGER = re.compile(r"[-+]?[0-9]{1,9}")


def compose(text: str) -> yaml.Node | None:
    """The root node, None for an empty text. Raises ConfigError for what is no plain YAML document."""
    if len(text) > LARGEST:
        raise ConfigError(f"the file has {len(text):,} characters; {LARGEST:,} are allowed")
    try:
        _refuse_tricks(text)
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        hint = f"; {QUOTES}" if "alias" in (error.context or "") or "tag" in (error.context or "") else ""
        raise ConfigError(f"{where}not valid YAML: {error.problem or error.context}{hint}") from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1 if isinstance(error.position, int) else 1
        raise ConfigError(
            f"line {line}: not valid YAML: the character U+{error.character:04X} is not allowed"
        ) from None
    return None if root is None or _is(root, "null") else root


def _refuse_tricks(text: str) -> None:
    """Before any node exists: anchors and aliases (a few lines can mean gigabytes), tags, nesting, a second document."""
    depth = documents = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        line = event.start_mark.line + 1 if event.start_mark else 1
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise ConfigError(f"line {line}: anchors and aliases (& and *) are not allowed; {QUOTES}")
        if getattr(event, "tag", None):
            raise ConfigError(f"line {line}: tags (!) are not allowed; {QUOTES}")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        documents += isinstance(event, yaml.DocumentStartEvent)
        if depth > DEEPEST:
            raise ConfigError(f"line {line}: nested more than {DEEPEST} levels deep")
        if documents > 1:
            raise ConfigError(f"line {line}: one document is allowed, and a second one starts here")


class Reading:
    """Collects the problems of one file while its values are read; a value that cannot be used reads as an empty one."""

    def __init__(self) -> None:
        self._problems: list[tuple[int, str]] = []

    @property
    def problems(self) -> list[str]:
        """What is wrong, each with its line, from the top of the file down."""
        return [f"line {line}: {problem}" for line, problem in sorted(self._problems, key=lambda found: found[0])]

    def keys(self, node: yaml.Node, field: str, allowed: Iterable[str]) -> dict[str, yaml.Node]:
        """The values of a mapping by key. Keys with an empty value are left out: they ask for the default."""
        names = tuple(allowed)
        if not isinstance(node, yaml.MappingNode):
            self.wrong(node, field, f"must hold {', '.join(names)}")
            return {}
        found: dict[str, yaml.Node] = {}
        seen: set[str] = set()
        for key, value in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else ""
            inner = f"{field}.{name}" if field else name
            if name not in names:
                close = difflib.get_close_matches(name.lower()[:LONGEST_SHOWN], names, 1)
                hint = f"; did you mean {close[0]}" if close else ""
                self._add(
                    key,
                    f"{_shown(key)} is no key{f' of {field}' if field else ''}{hint} (allowed: {', '.join(names)})",
                )
            elif name in seen:
                self._add(key, f"{inner} is there twice")
            elif not _is(value, "null"):
                found[name] = value
            seen.add(name)
        return found

    def flag(self, node: yaml.Node, field: str) -> bool:
        """True or false."""
        if _is(node, "bool"):
            return str(node.value).lower() in ("true", "yes", "on")
        self.wrong(node, field, "must be true or false")
        return False

    def number(self, node: yaml.Node, field: str, least: int, most: int) -> int:
        """A whole number from `least` to `most`."""
        if _is(node, "int") and _INTEGER.fullmatch(node.value) and least <= int(node.value) <= most:
            return int(node.value)
        self.wrong(node, field, f"must be a whole number from {least} to {most}")
        return least

    def choice(self, node: yaml.Node, field: str, allowed: tuple[str, ...]) -> str:
        """One of the allowed words."""
        if isinstance(node, yaml.ScalarNode) and node.value in allowed:
            return str(node.value)
        self.wrong(node, field, f"must be one of {', '.join(allowed)}")
        return ""

    def texts(self, node: yaml.Node, field: str, most: int) -> tuple[str, ...]:
        """A list of texts, at most `most`."""
        if not isinstance(node, yaml.SequenceNode):
            self.wrong(node, field, "must be a list of texts")
            return ()
        if len(node.value) > most:
            self._add(node, f"{field} has {len(node.value)} entries; {most} are allowed")
            return ()
        return tuple(self._text(item, f"{field}[{position}]") for position, item in enumerate(node.value))

    def _text(self, node: yaml.Node, field: str) -> str:
        # `- 1.0` is a branch's name written without quotes: the text is meant, whatever YAML takes it for.
        if isinstance(node, yaml.ScalarNode) and not _is(node, "null") and node.value.strip():
            return str(node.value)
        self.wrong(node, field, "must be a text")
        return ""

    def wrong(self, node: yaml.Node, field: str, wanted: str) -> None:
        """Note that a value is not what it must be."""
        self._add(node, f"{field or 'the file'} {wanted}, not {_shown(node)}")

    def _add(self, node: yaml.Node, problem: str) -> None:
        self._problems.append((node.start_mark.line + 1, problem))


def _is(node: yaml.Node, kind: str) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag == f"tag:yaml.org,2002:{kind}"


def _shown(node: yaml.Node) -> str:
    if isinstance(node, yaml.MappingNode):
        return "a mapping"
    if isinstance(node, yaml.SequenceNode):
        return "a list"
    if _is(node, "null"):
        return "empty"
    text = " ".join(str(node.value).split())
    return f'"{text}"' if len(text) <= LONGEST_SHOWN else f'"{text[:LONGEST_SHOWN]}…"'
