"""Finds the functions that take and return what a question asks for, among the definitions of the repository."""

from __future__ import annotations

from app.clients.index import Index
from app.core.folders import is_code
from app.core.query import Question
from app.core.records import FileRecord
from app.core.roles import Role, role_of
from app.core.signals import Candidates
from app.core.signature import fit
from app.core.types import Definition, View
from app.steps.evidence import Place, around, chunks_of, shown_as
from app.steps.graph import read_files
from app.steps.view import paths_of

MOST_FILES = 2000
"""Files whose definitions are compared, those with most of the types' words first: 0.4 ms each."""
FILES_A_READ = 250
"""Files read at once, up to 30 kB of definitions each."""
TESTS = 2
"""Where tests stand: behind all other code, however well they fit."""
CALLABLE = frozenset({"function", "method"})


async def by_signature(
    index: Index, view: View, question: Question, found: Candidates, limit: int
) -> tuple[list[Place], str]:
    """Places of at most `limit` definitions with the signature asked for, the best met first, tests last; and a sentence on what
    was compared where nothing fits, or not all is shown or was compared."""
    asking = question.asking
    worded = dict.fromkeys(str(hit.payload["path"]) for hit in found.words)
    others = (path for path in (await paths_of(index, view)).paths if path not in worded)
    paths = [path for path in (*worded, *sorted(others, key=lambda path: (_standing(path), path))) if is_code(path)]
    fitting: list[tuple[tuple[bool, float, int, int, int], str, Definition]] = []
    compared = 0
    for start in range(0, len(paths[:MOST_FILES]), FILES_A_READ):
        some = paths[start : min(start + FILES_A_READ, MOST_FILES)]
        files = await read_files(index, view, some)
        for place, path in enumerate(some, start):
            for each in _callables(files.get(path)):
                compared += 1
                met = fit(each.signature, each.name, each.docstring, asking.takes, asking.returns, files[path].language)
                if met:
                    standing = _standing(path)
                    fitting.append(((standing == TESTS, -met, standing, place, each.first), path, each))
    fitting.sort(key=lambda each: each[0])
    left = f" Only {MOST_FILES:,} of {len(paths):,} files were compared." if len(paths) > MOST_FILES else ""
    if not fitting:
        return [], f"No function here has that signature; {compared:,} were compared.{left}"
    chunks = await chunks_of(index, view, {path for _, path, _ in fitting[:limit]})
    places = []
    for _, path, definition in fitting[:limit]:
        record = around(chunks.get(path, []), definition.first)
        if record is not None:
            places.append(shown_as(record, definition, 1.0, "signature"))
    more = len(fitting) - len(places)
    return places, f"{f'{more:,} more fit less well or stand in tests.' if more else ''}{left}".strip()


def _callables(record: FileRecord | None) -> list[Definition]:
    """The functions and methods of a file, by line, each once."""
    if record is None:
        return []
    found = {(each.first, each.name): each for each in record.definitions if each.kind in CALLABLE and each.signature}
    return sorted(found.values(), key=lambda each: each.first)


def _standing(path: str) -> int:
    """Code before examples and the like, tests last."""
    role = role_of(path)
    return 0 if role is Role.SOURCE else TESTS if role is Role.TEST else 1
