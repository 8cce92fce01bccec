"""Finds the functions that take and return what a question asks for, among the definitions of the files that hold the words."""

from __future__ import annotations

from app.clients.index import Index
from app.core.query import Question
from app.core.roles import is_test
from app.core.signals import Candidates
from app.core.signature import fits
from app.core.types import View
from app.steps.evidence import Place, around, chunks_of, shown_as
from app.steps.graph import read_files

MOST_FILES = 40
"""Files whose definitions are compared, those with most of the types' words first; 10 to 30 kB of definitions each."""


async def by_signature(index: Index, view: View, question: Question, found: Candidates, limit: int) -> list[Place]:
    """Places of at most `limit` definitions with the signature asked for: the best files first, tests last, then by line."""
    asking = question.asking
    paths = list(dict.fromkeys(str(hit.payload["path"]) for hit in found.words))
    paths = sorted(paths[: 2 * MOST_FILES], key=is_test)[:MOST_FILES]
    files = await read_files(index, view, set(paths))
    fitting = [
        (path, each)
        for path in paths
        if path in files
        for each in sorted(files[path].definitions, key=lambda each: each.first)
        if each.signature and fits(each.signature, each.name, each.docstring, asking.takes, asking.returns)
    ]
    fitting = fitting[:limit]
    chunks = await chunks_of(index, view, {path for path, _ in fitting})
    places = []
    for path, definition in fitting:
        record = around(chunks.get(path, []), definition.first)
        if record is not None:
            places.append(shown_as(record, definition, 1.0, "signature"))
    return places
