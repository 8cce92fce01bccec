"""Finds definitions by name and their callers in the index. Decides nothing: `core.graph` judges every call site."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

from app.clients.index import Index
from app.core.graph import CONSTRUCTORS, CallerReport, FileFacts, Found, Resolver, Site, report
from app.core.named import unmarked
from app.core.paths import PathTable, dotted_parts
from app.core.records import (
    CALL_FIELDS,
    FILE,
    FILE_WHOLE,
    FileRecord,
    default_key,
    hands_on_renamed,
    read_calls,
    read_file,
    renamed_key,
)
from app.core.scopes import REQUIRING
from app.core.types import Point, View
from app.steps.view import paths_of, seen

MOST_DEFINERS = 2000
"""Chunks read that define one name. `__init__` and `run` have more; the rest of them would tell nothing."""
MOST_CALLING_CHUNKS = 5000
"""Chunks read that call one name, about 1 kB each."""
ROUNDS = 8
"""Times that the resolver may ask for further files: re-exports and base classes lead on from file to file."""
MOST_RENAMING_FILES = 500
"""Files read that import one name under another; a name that more do is no name of one thing."""
RENAMES = 3
"""Times that a name may change on its way through packages."""


async def find_definitions(index: Index, view: View, name: str) -> list[Found]:
    """Definitions that `name` may mean, in order of path and line: simple (`save`), dotted as far as written (`A.save`, `A::save`),
    with its module in front (`store.save`), or with its file (`app/store.py:A.save`). A simple name finds every definition of it."""
    path, dotted = _split(name)
    if not dotted:
        return []
    simple = dotted.rpartition(".")[2]
    definers = await index.read(view.repo, seen(view, names=(simple,)), fields=("path",), limit=MOST_DEFINERS)
    files = await read_files(index, view, {str(point.payload["path"]) for point in definers})
    found = [
        Found(record.path, definition, record.language, record.scope, record.blob)
        for record in files.values()
        for definition in record.definitions
        if simple in {definition.name, unmarked(definition.name), definition.qualified.rpartition(".")[2]}
    ]
    found = [each for each in found if each.definition.name == simple] or found  # `save` before `save!`
    if path:
        found = [each for each in found if each.path == path or each.path.endswith("/" + path)]
    found = _narrowed(found, dotted)
    return sorted(found, key=lambda each: (each.path, each.definition.first, each.definition.qualified))


async def find_callers(index: Index, view: View, target: Found) -> CallerReport:
    """Who calls `target`, by the call sites of every chunk that calls something of its name (or of its class, for a constructor).

    A definition that the view no longer has is judged as if it still stood there: those are the calls its removal leaves behind.
    """
    table = await paths_of(index, view)
    if target.path not in table:
        table = _with_path(table, target.path)
    names = _called_as(target)
    names += await _renamed(index, view, target, names)
    chunks = await index.read(
        view.repo,
        seen(view, call_names=tuple(dict.fromkeys(names))),
        fields=CALL_FIELDS,
        limit=MOST_CALLING_CHUNKS,
    )
    sites = [site for point in chunks for site in _sites(point, set(names))]
    homonyms = await find_definitions(index, view, target.definition.name)
    facts = await read_files(index, view, {target.path, *(site.path for site in sites)})
    if not _stands(target, facts):
        sites = [_as_before(site, target) for site in sites]
    for _ in range(ROUNDS):
        resolver = Resolver(target, homonyms, _standing(target, facts), table)
        result = report(target, sites, resolver)
        missing = resolver.wanted - facts.keys()
        more = await read_files(index, view, missing) if missing else {}
        if not more:
            break
        facts = {**facts, **more}
    return result


def _split(name: str) -> tuple[str, str]:
    """(path, dotted name) of what a person wrote."""
    name = name.strip().strip("`").removesuffix("()").strip()
    path = ""
    if match := re.match(r"^([^\s:#]*[/.][A-Za-z0-9]+)[:#](?!:)(.+)$", name):
        path, name = match[1], match[2]
    return path, re.sub(r"::|#|->", ".", name).strip(".")


def _narrowed(found: list[Found], dotted: str) -> list[Found]:
    """Those whose qualified name ends with what was written; else those whose file or folder is the part before the name."""
    if "." not in dotted:
        return found
    exact = [
        each
        for each in found
        if f".{each.definition.qualified}".endswith("." + dotted)
        or f".{unmarked(each.definition.qualified)}".endswith("." + dotted)
    ]
    if exact:
        return exact
    wanted = dotted.split(".")
    return [each for each in found if dotted_parts(each.path, each.definition.qualified)[-len(wanted) :] == wanted]


def _called_as(target: Found) -> list[str]:
    """The names by which calls of the target go: its own, and its class's where it constructs one."""
    definition = target.definition
    owner = definition.qualified.rpartition(".")[0].rpartition(".")[2]
    constructs = definition.name in CONSTRUCTORS or (owner and definition.name == owner)
    return [definition.name, owner] if constructs and owner else [definition.name]


async def _renamed(index: Index, view: View, target: Found, names: list[str]) -> list[str]:
    """Other names that files import the target by, and may hand it on by (`from .store import save as store`)."""
    known = dict.fromkeys(names)
    fresh = [*names, *([default_key(target.path)] if target.language in REQUIRING else [])]
    for _ in range(RENAMES):
        where = seen(view, FILE, call_names=tuple(fresh))
        points = await index.read(view.repo, where, fields=FILE_WHOLE, limit=MOST_RENAMING_FILES)
        imports = [each for point in points for each in read_file(point.payload).imports if hands_on_renamed(each)]
        fresh = list(
            dict.fromkeys(each.alias for each in imports if renamed_key(each) in fresh and each.alias not in known)
        )
        known |= dict.fromkeys(fresh)
        if not fresh:
            break
    return [name for name in known if name not in names]


def _sites(point: Point, names: set[str]) -> list[Site]:
    payload = point.payload
    place = (str(payload["scope"]), str(payload["blob"]))
    return [
        Site(str(payload["path"]), call.line, call.name, call.receiver, call.target, call.within, *place)
        for call in read_calls(payload)
        if call.name in names or call.target.rpartition(".")[2] in names
    ]


async def read_files(index: Index, view: View, paths: Iterable[str]) -> Mapping[str, FileRecord]:
    """Records of files by path, with their imports and definitions."""
    wanted = tuple(sorted(paths))
    if not wanted:
        return {}
    points = await index.read(view.repo, seen(view, FILE, path=wanted), fields=FILE_WHOLE)
    records = [read_file(point.payload) for point in points]
    return {record.path: record for record in records}


def _standing(target: Found, records: Mapping[str, FileRecord]) -> dict[str, FileFacts]:
    """The facts of the files, with the target among its file's definitions whether or not it is still there."""
    facts = {path: _facts(record) for path, record in records.items()}
    if not _stands(target, records):
        own = facts.get(target.path, FileFacts(target.path, target.language, (), ()))
        facts[target.path] = replace(own, definitions=(*own.definitions, target.definition))
    return facts


@lru_cache(maxsize=4)
def _with_path(table: PathTable, path: str) -> PathTable:
    """The table with a path more. Kept for the next definition of the same deleted file: 100,000 paths take half a second."""
    return PathTable([*table.paths, path])


def _stands(target: Found, records: Mapping[str, FileRecord]) -> bool:
    """Whether the target's file still has it."""
    record = records.get(target.path)
    return record is not None and any(each.qualified == target.definition.qualified for each in record.definitions)


def _as_before(site: Site, target: Found) -> Site:
    """A bare call in the file of a definition that is gone meant it, as the file would have proved while it stood."""
    bare = site.path == target.path and not site.receiver and not site.target
    return (
        replace(site, target=target.definition.qualified) if bare and site.name == target.definition.qualified else site
    )


def _facts(record: FileRecord) -> FileFacts:
    return FileFacts(record.path, record.language, record.imports, record.definitions)
