"""Owns how parts of data and markup are called: keys, elements with their id, rules of style, blocks of HCL. Divides nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from app.core.headers import squeeze

if TYPE_CHECKING:
    from app.core.places import Place

TITLE_CHARACTERS = 80
"""A longer key or selector is cut: it is shown as a name."""

HEADER_BYTES = 400
"""How much of a part is looked at for its name."""

_MARKUP = frozenset({"html", "xml", "vue", "svelte"})
_IDENTITY = re.compile(rb"\b(?:id|name)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_SIMPLE_BLOCKS = {"variable": "var", "module": "module", "output": "output", "provider": "provider"}
"""Blocks of HCL with one label, and the word that stands before it in a reference. A resource goes without any."""


def section_title(language: str, place: Place, source: bytes) -> str:
    """The name of a section: its key or tag, with the id an element has; a rule without a name goes by its first words."""
    start = source[place.own : min(place.end, place.own + HEADER_BYTES)]
    if place.name_end <= place.own:  # the query gave no name
        title = re.split(r"[{\n]", start.decode("utf-8", "replace").lstrip("{[- \t\r\n"), maxsplit=1)[0]
    else:
        title = place.name.strip().strip("\"'`")
        if language in _MARKUP:
            found = _IDENTITY.search(start.partition(b">")[0])
            identity = (found.group(1) or found.group(2) or b"").decode("utf-8", "replace") if found else ""
            title = f"{title}#{identity}" if identity else title
    return squeeze(title, TITLE_CHARACTERS)


def block_name(place: Place, source: bytes) -> tuple[list[str], str]:
    """(`aws_s3_bucket`, `logs`) of a resource's block, (`var`, `region`) of a variable's: the words of a reference to it."""
    header = source[place.own : min(place.name_end, place.own + HEADER_BYTES)].decode("utf-8", "replace")
    kind, *labels = re.findall(r"[\w.*/@:-]+", header) or [""]
    if not labels:
        return [], place.name.strip('"')
    owners = [] if kind == "resource" else [_SIMPLE_BLOCKS.get(kind, kind)]
    return [*owners, *labels[:-1]], labels[-1]
