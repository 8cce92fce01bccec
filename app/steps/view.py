"""What a reader of a repository sees: the indexed branch, or a pull request laid over it, and the paths in it. Writes nothing."""

from __future__ import annotations

from collections import OrderedDict
from weakref import WeakKeyDictionary

from app.clients.index import Index
from app.core.paths import PathTable
from app.core.records import CHUNK, FILE
from app.core.types import BRANCH, View, Where, pull_scope
from app.steps.stored import read_scope_record

MOST_TABLES = 16
"""Path tables kept in memory: a repository of 10,000 files takes about 5 MB."""

_Key = tuple[int, tuple[str, ...], tuple[str, ...], tuple[str, ...], int]
_tables: WeakKeyDictionary[Index, OrderedDict[_Key, PathTable]] = WeakKeyDictionary()
"""By commit, and so never stale; the count of files is in the key because path filters change it without a commit."""


async def view_of(index: Index, repo: int, pull: int | None = None) -> View:
    """The view of the branch, with pull request `pull` laid over it where that is indexed.

    A scope whose first index run has not finished is not in it; a repository that is not indexed gives a view without scopes.
    """
    scopes = (BRANCH,) if pull is None else (BRANCH, pull_scope(pull))
    records = [await read_scope_record(index, repo, scope) for scope in scopes]
    heads = {record.scope: record.head for record in records if record is not None and record.head}
    hidden: tuple[str, ...] = ()
    if pull is not None and pull_scope(pull) in heads:
        files = await index.read(repo, Where({"type": (FILE,), "scope": (pull_scope(pull),)}), fields=("path",))
        hidden = tuple(sorted(str(point.payload["path"]) for point in files))
    return View(repo, tuple(heads), heads, hidden)


def seen(view: View, kind: str = CHUNK, **match: tuple[str, ...]) -> Where:
    """The filter for records of one type that the view shows, narrowed by `match`."""
    return Where({"type": (kind,), "scope": view.scopes, **match}, hidden=view.hidden)


async def paths_of(index: Index, view: View) -> PathTable:
    """The paths of all indexed files of the view. Read from the index once a head, then kept."""
    where = seen(view, FILE)
    heads = tuple(view.heads[scope] for scope in view.scopes)
    key = (view.repo, view.scopes, heads, view.hidden, await index.count(view.repo, where))
    kept = _tables.setdefault(index, OrderedDict())
    if key not in kept:
        points = await index.read(view.repo, where, fields=("path",))
        kept[key] = PathTable(str(point.payload["path"]) for point in points)
        while len(kept) > MOST_TABLES:
            kept.popitem(last=False)
    kept.move_to_end(key)
    return kept[key]
