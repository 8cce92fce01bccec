"""Reads which files of the repository other files import. Ranks nothing."""

from __future__ import annotations

from collections.abc import Iterable

from app.clients.index import Index
from app.core.modules import follow
from app.core.paths import PathTable
from app.core.records import FILE, FILE_FACTS, FileRecord, read_file
from app.core.types import View
from app.steps.view import seen


def imported_by(record: FileRecord, table: PathTable) -> set[str]:
    """The files that a file imports, itself left out."""
    found = {
        path
        for each in record.imports
        for path in follow(each.module, each.name, record.path, record.language, table).paths
    }
    return found - {record.path}


async def imports_of(index: Index, view: View, table: PathTable, paths: Iterable[str]) -> dict[str, set[str]]:
    """Each of the files that is indexed, in the order given → the files that it imports."""
    order = tuple(dict.fromkeys(paths))
    if not order:
        return {}
    points = await index.read(view.repo, seen(view, FILE, path=order), fields=(*FILE_FACTS, "imports"))
    found = {record.path: imported_by(record, table) for record in (read_file(point.payload) for point in points)}
    return {path: found[path] for path in order if path in found}
