"""Answers what is in a repository or folder: a map of its folders and main files, each with the cited lines that say what it
is for, or with what it mainly defines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from posixpath import dirname, normpath

from app.clients.git import Mirror
from app.clients.index import Index
from app.core.asking import Asking
from app.core.folders import (
    MOST_FOLDERS,
    Folder,
    folder_meant,
    folders_like,
    folders_of,
    heart,
    is_code,
    language_name,
    main_definitions,
    main_files,
    spoken,
)
from app.core.purpose import purpose_lines
from app.core.records import FileRecord
from app.core.roles import Role, role_of
from app.core.types import Answer, Definition, Skip, View
from app.steps.evidence import Place, around, chunks_of, read_texts, verified
from app.steps.graph import read_files
from app.steps.view import paths_of

TOP = "."
"""How the repository's top folder is shown."""
NAMED_FOLDERS = 8
"""Folders that are only named."""
MOST_SAMPLED = 25
"""Files of a silent folder, those nearest to its top, whose definitions are compared for its main ones."""
MOST_DIRECT = 60
"""Files directly in a folder of which the main ones are looked for."""


async def overview(index: Index, mirror: Mirror, view: View, asking: Asking) -> Answer | None:
    """The map of the folder that is asked for ("" for all); None where what was written is no folder but may be something else."""
    table = await paths_of(index, view)
    paths, head = table.paths, view.heads[view.scopes[-1]]
    folder = folder_meant(paths, asking.name)
    if not paths:
        return Answer("overview", thin=True, head=head, reason="No file of this repository is indexed.")
    if asking.name and not folder:
        if asking.soft or table.ending(asking.name):
            return None
        like = ", ".join(f"{each}/" for each in folders_like(paths, asking.name))
        reason = f"There is no folder {asking.name} here{f'; the closest by name: {like}' if like else ''}."
        return Answer("overview", thin=True, head=head, reason=reason)
    folders = folders_of(paths, folder)
    direct = main_files(paths, heart(paths, folder))[:MOST_DIRECT]
    told = [path for each in folders for path in each.telling]
    files = dict(await read_files(index, view, {*told, *direct}))
    texts = await read_texts(mirror, [record.blob for record in files.values()])
    await _follow_links(index, mirror, view, files, texts)
    found = [_purpose(each, files, texts) for each in folders]
    opened = {each.path for each in folders if any(one.path.startswith(each.path + "/") for one in folders)}
    silent = [
        each for each, place in zip(folders[1:], found[1:], strict=True) if place is None and each.path not in opened
    ]
    samples = {each.path: _sample(paths, each.path) for each in silent}
    files |= await read_files(index, view, {path for some in samples.values() for path in some})
    rows = list[tuple[str, str, tuple[str, ...], str, tuple[int, int]]]()
    for each, purpose in zip(folders, found, strict=True):
        much = _count(each)
        if purpose is not None:
            rows.append((f"{each.path or TOP}/", much, (), *purpose))
        elif main := _main(files, samples.get(each.path, ())):
            rows.append((f"{each.path}/", much, tuple(one.name for _, one in main), main[0][0], _lines(main[0][1])))
    rows += _direct(direct, files, texts, MOST_FOLDERS - len(folders))
    chunks = await chunks_of(index, view, {path for *_, path, _ in rows})
    places = []
    for symbol, much, names, path, (first, last) in rows:
        record = around(chunks.get(path, []), first)
        if record is not None:
            places.append(Place(record, "folder", 0.0, (much, *names), symbol, (first, min(last, record.last))))
    stand = await verified(mirror, view, places, {})
    shown = tuple(each for each in stand if each is not None)
    if not places and not folders[0].languages:
        reason = f"{folder or 'This repository'} has {_files(folders[0].files)}, and no code or text to read in it."
        return Answer("overview", thin=True, head=head, reason=reason)
    untold = [each for each in silent if f"{each.path}/" not in {place.symbol for place in places}]
    return Answer(
        "overview", shown, cited=len(stand), verified=len(shown), head=head, reason=_summary(folders[0], folder, untold)
    )


async def _follow_links(
    index: Index, mirror: Mirror, view: View, files: dict[str, FileRecord], texts: dict[str, str]
) -> None:
    """Puts the record of the file that it leads to in the place of each symbolic link: a README is often one."""
    links = {
        path: normpath(f"{dirname(path)}/{texts.get(record.blob, '')}").lstrip("/")
        for path, record in files.items()
        if record.skip == Skip.SYMLINK
    }
    found = await read_files(index, view, set(links.values()))
    texts |= await read_texts(mirror, [record.blob for record in found.values()])
    files |= {path: found[target] for path, target in links.items() if target in found}


def _purpose(
    folder: Folder, files: Mapping[str, FileRecord], texts: Mapping[str, str]
) -> tuple[str, tuple[int, int]] | None:
    """The file and lines that say what a folder is for."""
    for path in folder.telling:
        if path in files:
            lines = purpose_lines(files[path].path, texts.get(files[path].blob, ""))
            if lines[0]:
                return files[path].path, lines
    return None


def _direct(
    paths: Sequence[str], files: Mapping[str, FileRecord], texts: Mapping[str, str], most: int
) -> list[tuple[str, str, tuple[str, ...], str, tuple[int, int]]]:
    """Rows of the largest files, with what they say they are for or what they define."""
    rows: list[tuple[str, str, tuple[str, ...], str, tuple[int, int]]] = []
    for path in sorted((path for path in paths if path in files), key=lambda path: (-files[path].size, path)):
        if len(rows) >= most:
            break
        lines = purpose_lines(path, texts.get(files[path].blob, ""))
        if lines[0]:
            rows.append((path, "", (), path, lines))
        elif main := main_definitions(files[path].definitions):
            rows.append((path, "", tuple(each.name for each in main), path, _lines(main[0])))
    return rows


def _sample(paths: Iterable[str], folder: str) -> list[str]:
    inside = (
        path for path in paths if path.startswith(folder + "/") and role_of(path) is Role.SOURCE and is_code(path)
    )
    return sorted(inside, key=lambda path: (path.count("/"), path))[:MOST_SAMPLED]


def _main(files: Mapping[str, FileRecord], paths: Iterable[str]) -> list[tuple[str, Definition]]:
    held = [(path, each) for path in paths if path in files for each in files[path].definitions]
    main = main_definitions(each for _, each in held)
    return [next((path, each) for path, each in held if each is one) for one in main]


def _lines(definition: Definition) -> tuple[int, int]:
    return definition.first, definition.last


def _summary(top: Folder, folder: str, untold: Sequence[Folder]) -> str:
    """How much there is, and the folders of which there is no more to say."""
    where = f"{folder}/" if folder else "This repository"
    languages = f": {spoken(top.languages)}" if top.languages else ""
    more = ", ".join(f"{each.path} ({_files(each.files)})" for each in untold[:NAMED_FOLDERS])
    first = f"{where} has {_files(top.files)}{languages}."
    return f"{first} Also: {more}." if more else first


def _count(folder: Folder) -> str:
    language = language_name(folder)
    return f"{_files(folder.files)}{f', mostly {language}' if language and folder.path else ''}"


def _files(count: int) -> str:
    return f"{count:,} file{'' if count == 1 else 's'}"
