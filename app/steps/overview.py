"""Answers what is in a repository or folder: a map of its folders, each with the cited lines that say what it is for."""

from __future__ import annotations

from app.clients.git import Mirror
from app.clients.index import Index
from app.core.folders import Folder, folders_of, purpose_lines
from app.core.types import Answer, View
from app.steps.evidence import Place, around, chunks_of, read_texts, verified
from app.steps.view import paths_of

TOP = "."
"""How the repository's top folder is shown."""
NAMED_FOLDERS = 8
"""Folders without a stated purpose that are still named."""


async def overview(index: Index, mirror: Mirror, view: View, folder: str) -> Answer | None:
    """The map of `folder` ("" for all), or None where there is no such folder."""
    folders = folders_of((await paths_of(index, view)).paths, folder)
    head = view.heads[view.scopes[-1]]
    if not folders:
        return (
            None
            if folder
            else Answer("overview", thin=True, head=head, reason="No file of this repository is indexed.")
        )
    chunks = await chunks_of(index, view, {path for each in folders for path in each.telling})
    blobs = {path: records[0].blob for path, records in chunks.items() if records}
    texts = await read_texts(mirror, list(blobs.values()))
    places = []
    for each in folders:
        for path in each.telling:
            first, last = purpose_lines(path, texts.get(blobs.get(path, ""), ""))
            record = around(chunks.get(path, []), first) if first else None
            if record is not None:
                lines = (first, min(last, record.last))
                places.append(Place(record, "folder", 0.0, (_count(each),), f"{each.path or TOP}/", lines))
                break
    stand = await verified(mirror, view, places, {})
    shown = tuple(each for each in stand if each is not None)
    told = {each.symbol.removesuffix("/") for each in places}
    return Answer(
        "overview", shown, cited=len(stand), verified=len(shown), head=head, reason=_summary(folders, folder, told)
    )


def _summary(folders: list[Folder], folder: str, told: set[str]) -> str:
    """How much there is, and the folders that say nothing about themselves."""
    where = folder or "This repository"
    silent = [each for each in folders[1:] if each.path not in told]
    more = ", ".join(f"{each.path} ({_count(each)})" for each in silent[:NAMED_FOLDERS])
    first = f"{where} has {_count(folders[0])} indexed."
    return f"{first} Folders that do not say what they are for: {more}." if more else first


def _count(folder: Folder) -> str:
    return f"{folder.files:,} file{'' if folder.files == 1 else 's'}"
