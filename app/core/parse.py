"""Owns the call into tree-sitter: a tree, or none when time is up. Knows nothing of what the tree means."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from app.core.languages import parser_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tree_sitter import Node, Tree

READ_BYTES = 65_536
"""tree-sitter asks for the source in pieces; it heeds its progress callback only when it reads through a callable."""


def _never_closes(source: bytes) -> bool:
    return source.count(b"<!--", source.rfind(b"-->") + 1) > 200


_ANGLES = rb"(?<![<\s\w.])[\s\w.]*+(?:<[\s\w.]*+){2000}"
_ARROWS = rb"(?<![\w=>\s])\s*+(?:\w++\s*+=>\s*+){500}"

_STUCK: Mapping[str, Callable[[bytes], object]] = {
    "yaml": re.compile(rb"^(?: |[-?] ){200}", re.MULTILINE).search,  # 300 levels end the process
    "kotlin": re.compile(rb"(?:\"\$\{[^}\"]{0,200}){200}").search,  # so do 1,000 nested string templates
    "csharp": re.compile(_ANGLES).search,  # 16,000 open `<`: 4 s in one step
    "java": re.compile(_ANGLES + b"|" + _ARROWS).search,  # likewise; and 4,000 `a=>`: 8 s and 3 GB
    "c": re.compile(_ARROWS).search,
    "scala": re.compile(rb"`{2000}").search,  # 60,000 of them: 10 s in one step
    "vue": _never_closes,  # 15,000 comments that do not end: more than 40 s in one step
}
"""What a grammar's scanner crashes on, or takes time squared for within one step, where no clock is looked at. Each test is
linear; no source that means something comes near."""


def parse(language: str, source: bytes, late: Callable[[], bool] | None = None) -> Tree | None:
    """The tree of a source, or None once `late` answers true, or where the grammar's scanner would crash or be stuck.

    Without `late` it runs to its end.
    """
    if language in _STUCK and _STUCK[language](source):
        return None
    parser = parser_of(language)
    if late is None:
        return parser.parse(source)
    try:
        return parser.parse(
            lambda offset, _point: source[offset : offset + READ_BYTES],
            progress_callback=lambda _offset, _has_error: late(),
        )
    except ValueError:
        parser.reset()  # else the next parse goes on with this file's tree
        return None


WIDEST_ERROR = 10_000
"""Children of one ERROR node. A query looks through all later ones at each: 60,000 unclosed brackets take it 4 s."""


def is_hopeless(root: Node) -> bool:
    """Whether a tree is so broken that it is not worth a query: its errors hold a great many loose tokens."""
    if not root.has_error:
        return False
    if root.child_count > WIDEST_ERROR:
        return True
    return any(child.is_error and child.child_count > WIDEST_ERROR for child in root.children)
