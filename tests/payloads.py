"""Where GitHub's published example payloads are found: npm `@octokit/webhooks-examples`, which `.ci/run` fetches."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

PACKAGE = "@octokit/webhooks-examples"
ROOT = Path(__file__).parent.parent
ABSENT = f"{PACKAGE} is not installed: set CODERAG_WEBHOOK_EXAMPLES or `npm install --no-save {PACKAGE}@7.6.1`"


def folder() -> Path | None:
    """The package's folder: CODERAG_WEBHOOK_EXAMPLES, else node_modules; None where it is absent."""
    named = os.environ.get("CODERAG_WEBHOOK_EXAMPLES")
    place = Path(named) if named else ROOT / "node_modules" / PACKAGE
    if named and not list(place.glob("*/index.json")):
        raise FileNotFoundError(f"CODERAG_WEBHOOK_EXAMPLES={named} holds no */index.json")
    return place if place.is_dir() else None


@cache
def examples() -> list[tuple[str, str, dict[str, Any]]]:
    """(name of the example, event, payload) of github.com and every Enterprise Server version; empty where absent."""
    place = folder()
    return list(_read(place)) if place else []


def _read(place: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for index in sorted(place.glob("*/index.json")):
        for entry in json.loads(index.read_text("utf-8")):
            for number, payload in enumerate(entry["examples"]):
                yield f"{index.parent.name}/{entry['name']}/{number}", entry["name"], payload
