"""Real sources for property tests: the standard library and installed packages, a fixed sample of each language."""

from __future__ import annotations

import sysconfig
from functools import cache
from pathlib import Path

from app.core.languages import language_of, row_of
from app.core.source import decode

FOLDERS = ("stdlib", "purelib")
SAMPLE = 60
"""Files of one language."""


@cache
def real_sources() -> tuple[tuple[str, str], ...]:
    """(path, text), at most SAMPLE a language, spread over all that is installed."""
    found: dict[str, list[Path]] = {}
    for folder in FOLDERS:
        root = Path(sysconfig.get_path(folder))
        for path in sorted(root.rglob("*")):
            row = row_of(language_of(path.name))
            if row is not None and (row.grammar or row.name == "markdown") and path.is_file():
                found.setdefault(row.name, []).append(path)
    return tuple(
        (path.name, text)
        for paths in found.values()
        for path in paths[:: max(1, len(paths) // SAMPLE)][:SAMPLE]
        if isinstance(text := decode(path.read_bytes()), str)
    )
