"""Index runs over real repositories: after each, the index holds what a fresh one would, and little was computed."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from app.clients.index.edge import EdgeIndex
from app.clients.workers import Workers
from app.core.errors import Gone
from app.core.records import SCOPE, ChunkRecord, ScopeRecord, point_id, read_chunk, read_file, read_scope, scope_payload
from app.core.rules import Rules
from app.core.types import BRANCH, Point, Where, pull_scope
from app.core.wanted import NAMELESS
from app.steps.ingest import Blob, Built, build_file, index_workers
from app.steps.reindex import forget_scope
from app.steps.stored import read_scope_record
from tests.indexing import EMBEDDER, REPO, CountingEmbedder, Held, World, differences, module, paths, world
from tests.repositories import EXECUTABLE, LINK, SUBMODULE, Content, File

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def workers() -> AsyncIterator[Workers]:
    pool = index_workers(1)
    yield pool
    await pool.close()


@pytest_asyncio.fixture(loop_scope="module")
async def here(tmp_path: Path, workers: Workers) -> AsyncIterator[World]:
    async with world(tmp_path, workers) as made:
        yield made


FIVE = module("one", "two", "three", "four", "five")


# --- the cases seen in the field --------------------------------------------------------------------------------------


async def test_h8_a_file_that_shrinks_and_a_file_that_goes_leave_nothing(here: World) -> None:
    here.origin.commit({"shrinks.py": FIVE, "goes.py": module("gone"), "stays.py": module("stay")})
    await here.reindex()
    here.origin.commit({"shrinks.py": module("one", "two"), "goes.py": None})
    first = await here.reindex()
    held = await here.held()
    await here.assert_fresh()
    assert (first.changed, first.removed, first.unchanged) == (1, 1, 1)
    assert paths(held) == {"shrinks.py", "stays.py"}
    assert await here.index.read(REPO, Where({"names": ("gone", "five")})) == []
    await here.reindex()
    await here.reindex(full=True)
    assert await here.held() == held


@pytest.mark.parametrize(
    ("case", "before", "after"),
    [
        ("a file", {"a.py": FIVE}, {"b.py": FIVE}),
        ("a folder", {"old/a.py": FIVE, "old/b.py": module("six")}, {"new/a.py": FIVE, "new/b.py": module("six")}),
        ("case only", {"README.md": "# Title\n\nSome text.\n"}, {"Readme.md": "# Title\n\nSome text.\n"}),
        ("into a folder of the same name", {"a.py": FIVE}, {"a.py/a.py": FIVE}),
    ],
)
async def test_h9_a_rename_costs_no_embedding(
    here: World, case: str, before: dict[str, Content], after: dict[str, Content]
) -> None:
    here.origin.tree(before)
    await here.reindex()
    here.origin.tree(after)
    ledger = await here.reindex()
    await here.assert_fresh()
    assert paths(await here.held()) == set(after)
    assert ledger.moved == len(before)
    assert ledger.vectors_computed == 0
    assert ledger.vectors_reused > 0


async def test_h9_a_rename_with_change_embeds_only_the_change(here: World) -> None:
    here.origin.tree({"old.py": FIVE})
    await here.reindex()
    here.origin.tree({"deep/new.py": FIVE + "\n\n" + module("six")})
    ledger = await here.reindex()
    await here.assert_fresh()
    assert ledger.vectors_computed == 1
    assert ledger.vectors_reused == 5


@pytest.mark.parametrize("count", [300, 301, 3100])
async def test_h10_every_file_of_a_large_push_is_seen(here: World, count: int) -> None:
    here.origin.commit({"seed.py": module("seed")})
    await here.reindex()
    here.origin.commit({f"d{number % 7}/f{number}.py": f"VALUE_{number} = {number}\n" for number in range(count)})
    ledger = await here.reindex()
    assert (ledger.added, ledger.listed) == (count, count + 1)
    assert len(paths(await here.held())) == count + 1
    found = await here.index.read(REPO, Where({"names": (f"VALUE_{count - 1}",)}))
    assert [point.payload["path"] for point in found] == [f"d{(count - 1) % 7}/f{count - 1}.py"]


async def test_h17_an_odd_path_is_kept_as_it_is(here: World) -> None:
    odd = "src/app/(main)/[id]/a b#c%20.tsx"
    here.origin.commit({odd: "export function Page() { return null }\n", "日本/é.py": module("unicode")})
    await here.reindex()
    assert paths(await here.held()) == {odd, "日本/é.py"}
    await here.assert_fresh()


# --- what is left out -----------------------------------------------------------------------------------------------


async def test_each_file_that_is_left_out_is_named_with_its_reason(here: World) -> None:
    here.rules = Rules(("!vendor/**",))
    files: dict[str, Content] = {
        "a.py": module("a"),
        "vendor/b.py": module("b"),
        "nul.txt": b"a\0b\n" * 10,
        "empty.py": b"",
        "large.txt": "word\n" * 300_000,
        "link.py": File(b"a.py", LINK),
        "made.py": module("made"),
        ".gitattributes": "made.py linguist-generated\n",
        "asset.dat": File(
            b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 9\n", "100644"
        ),
        "logo.png": b"\x89PNG",
        "min.js": "a=b+c;" * 5000,
        os.fsdecode(b"caf\xe9.py"): module("cafe"),
    }
    first = here.origin.commit(files)
    here.origin.commit({"sub": File(first.encode(), SUBMODULE)})
    ledger = await here.reindex()
    assert paths(await here.held()) == {"a.py", ".gitattributes"}
    named = {path: reason for reason, skipped in ledger.skipped.items() for path in skipped}
    assert named == {
        "vendor/b.py": "path filter", "nul.txt": "NUL byte", "empty.py": "empty", "large.txt": "over 1 MB", "link.py": "symlink",
        "made.py": "generated", "asset.dat": "LFS pointer", "min.js": "minified", "caf\\xe9.py": NAMELESS, "sub": "submodule", "logo.png": "binary",
    }  # fmt: skip
    again = await here.reindex(full=True)
    assert {reason: sorted(skipped) for reason, skipped in again.skipped.items()} == {
        reason: sorted(skipped) for reason, skipped in ledger.skipped.items()
    }
    assert (again.changed, again.added, again.vectors_computed) == (0, 0, 0)


@pytest.mark.parametrize(
    ("case", "change"),
    [
        ("too large", {"a.py": FIVE + "# more\n" * 200_000}),
        ("binary", {"a.py": b"\0\1\2" * 50}),
        ("a symlink", {"a.py": File(b"b.py", LINK)}),
        ("a symlink with the old bytes", {"a.py": File(FIVE.encode(), LINK)}),
        ("a submodule", {"a.py": File(b"1" * 40, SUBMODULE)}),
        ("empty", {"a.py": b""}),
        ("generated", {".gitattributes": "a.py linguist-generated=true\n"}),
        ("a folder", {"a.py": None, "a.py/c.py": module("inner")}),
    ],
)
async def test_a_file_that_becomes_something_else_loses_its_points(
    here: World, case: str, change: dict[str, Content | None]
) -> None:
    here.origin.commit({"a.py": FIVE, "b.py": module("b")})
    await here.reindex()
    here.origin.commit(change)
    await here.reindex()
    assert "a.py" not in paths(await here.held())
    await here.assert_fresh()
    here.origin.commit({**dict.fromkeys(change), "a.py": FIVE})
    ledger = await here.reindex()
    await here.assert_fresh()
    assert "a.py" in paths(await here.held())
    assert ledger.listed == 2


async def test_newly_ignored_and_newly_wanted_paths(here: World) -> None:
    here.origin.commit({"src/a.py": module("a"), "docs/b.md": "# Title\n\nText.\n"})
    await here.reindex()
    here.rules = Rules(("!docs/**",))
    ledger = await here.reindex()
    assert (ledger.changed, ledger.unchanged) == (1, 1)
    assert paths(await here.held()) == {"src/a.py"}
    await here.assert_fresh()
    here.rules = Rules()
    await here.reindex()
    assert paths(await here.held()) == {"src/a.py", "docs/b.md"}
    await here.assert_fresh()


async def test_a_mode_change_alone_writes_no_chunk(here: World) -> None:
    here.origin.commit({"a.py": FIVE})
    await here.reindex()
    here.origin.commit({"a.py": File(FIVE.encode(), EXECUTABLE)})
    ledger = await here.reindex()
    assert (ledger.changed, ledger.unchanged, ledger.chunks) == (0, 1, {})
    await here.assert_fresh()


# --- what is computed and what is reused ------------------------------------------------------------------------------


async def test_unchanged_chunks_keep_their_vectors_and_get_their_new_lines(here: World) -> None:
    here.origin.commit({"a.py": FIVE})
    await here.reindex()
    here.origin.commit({"a.py": module("zero") + "\n\n" + FIVE.replace("Function three", "Another three")})
    ledger = await here.reindex()
    assert (ledger.vectors_computed, ledger.vectors_reused) == (2, 4)
    await here.assert_fresh()


async def test_only_new_texts_reach_the_embedder(here: World) -> None:
    embedder = CountingEmbedder()
    here.origin.commit({"a.py": FIVE})
    ledger = await here.reindex(embedder=embedder)
    assert ledger.vectors_computed == len(embedder.texts) == 5
    embedder.texts.clear()
    here.origin.commit({"a.py": None, "b.py": FIVE.replace("Function two", "Another two")})
    await here.reindex(embedder=embedder)
    assert [text.partition("\n")[0] for text in embedder.texts] == ["two"]


async def test_equal_files_are_embedded_once(here: World) -> None:
    here.origin.commit({f"copy{number}.py": FIVE for number in range(4)})
    ledger = await here.reindex()
    assert (ledger.vectors_computed, ledger.vectors_reused) == (5, 15)
    await here.assert_fresh()


async def test_a_run_at_the_same_head_looks_at_nothing(here: World) -> None:
    here.origin.commit({"a.py": FIVE, "b.bin": b"\0"})
    await here.reindex()
    log = Logged(here.index)
    ledger = await here.reindex(index=log)
    assert (ledger.listed, ledger.unchanged, ledger.vectors_computed) == (2, 2, 0)
    assert log.writes == []


async def test_the_mirror_may_lose_the_old_head(here: World) -> None:
    here.origin.commit({"a.py": FIVE, "b.py": module("b")})
    await here.reindex()
    record = await read_scope_record(here.index, REPO, BRANCH)
    assert record is not None
    lost = replace(record, head="f" * 40)
    await here.index.upsert(REPO, [Point(point_id(REPO, BRANCH, SCOPE, "", 0), scope_payload(REPO, lost))])
    here.origin.commit({"a.py": module("one"), "b.py": None, "c.py": module("c")})
    ledger = await here.reindex()
    assert (ledger.added, ledger.changed, ledger.removed) == (1, 1, 1)
    await here.assert_fresh()


async def test_a_force_push_to_unrelated_history_equals_a_fresh_index(here: World) -> None:
    here.origin.commit({"a.py": FIVE, "b.py": module("b")})
    await here.reindex()
    here.origin.commit({"z.py": FIVE}, "refs/heads/other")
    other = here.origin.commit({"b.py": module("b", "b2")}, "refs/heads/other")
    ledger = await here.reindex(other)
    assert (ledger.added, ledger.changed, ledger.removed) == (1, 1, 1)
    await here.assert_fresh()


async def test_an_older_version_of_the_records_is_written_anew(here: World) -> None:
    here.origin.commit({"a.py": FIVE, "b.py": module("b")})
    await here.reindex()
    record = await read_scope_record(here.index, REPO, BRANCH)
    assert record is not None
    older = replace(record, rules="0." + record.rules.partition(".")[2])
    await here.index.upsert(REPO, [Point(point_id(REPO, BRANCH, SCOPE, "", 0), scope_payload(REPO, older))])
    ledger = await here.reindex()
    assert (ledger.changed, ledger.vectors_computed, ledger.vectors_reused) == (2, 0, 6)
    await here.assert_fresh()


async def test_a_head_that_is_not_in_the_mirror_is_gone_and_changes_nothing(here: World) -> None:
    here.origin.commit({"a.py": FIVE})
    await here.reindex()
    before = await here.held()
    with pytest.raises(Gone):
        await here.reindex("e" * 40)
    assert await here.held() == before


# --- pull requests ----------------------------------------------------------------------------------------------------


async def test_an_overlay_holds_only_what_differs_and_reuses_the_branch(here: World) -> None:
    base = here.origin.commit({"a.py": FIVE, "b.py": module("b"), "c.py": module("c")})
    await here.reindex()
    change = {"a.py": FIVE.replace("Function one", "Another one"), "b.py": None, "new.py": module("c")}
    head = here.origin.commit(change, "refs/pull/4/head", parent=base)
    ledger = await here.reindex(head, pull_scope(4), base)
    await here.assert_fresh(pull_scope(4))
    await here.assert_fresh()
    files = await here.index.read(REPO, Where({"type": ("file",), "scope": (pull_scope(4),)}))
    assert {record.path: record.skip for record in map(read_file, (point.payload for point in files))} == {
        "a.py": "", "b.py": "deleted", "new.py": "",
    }  # fmt: skip
    assert (ledger.vectors_computed, ledger.vectors_reused) == (1, 5)


async def test_an_overlay_follows_new_commits_a_new_base_and_is_forgotten_alone(here: World) -> None:
    base = here.origin.commit({"a.py": FIVE, "b.py": module("b")})
    await here.reindex()
    branch = await here.held()
    head = here.origin.commit({"a.py": module("one"), "x.py": module("x")}, "refs/pull/4/head", parent=base)
    await here.reindex(head, pull_scope(4), base)
    second = here.origin.commit({"x.py": None, "y.py": module("y")}, "refs/pull/4/head")
    await here.reindex(second, pull_scope(4), base)
    await here.assert_fresh(pull_scope(4))
    moved = here.origin.commit({"a.py": module("one")})
    await here.reindex(second, pull_scope(4), moved)
    await here.assert_fresh(pull_scope(4))
    assert {path for payload, _ in (await here.held()).values() for path in scope_paths(payload, pull_scope(4))} == {
        "y.py"
    }
    await forget_scope(here.index, REPO, pull_scope(4))
    await forget_scope(here.index, REPO, pull_scope(4))
    assert differences(await here.held(), branch) == []


def scope_paths(payload: object, scope: str) -> list[str]:
    assert isinstance(payload, dict)
    return [payload["path"]] if payload["scope"] == scope and payload["type"] == "file" else []


# --- failures ---------------------------------------------------------------------------------------------------------


def fragile_build(blob: Blob) -> Built:
    """Dies as a parser might, unless told not to parse; and has a bug of its own."""
    if "dies" in blob.path and not blob.failed:
        os._exit(11)
    if "always" in blob.path:
        os._exit(11)
    return build_file(blob)


async def test_a_file_that_kills_its_child_is_cut_by_lines_and_the_run_goes_on(tmp_path: Path) -> None:
    pool = Workers("tests.test_reindex:fragile_build", 1, 2 << 30, 20.0)
    try:
        async with world(tmp_path, pool) as here:
            here.origin.commit({"a.py": FIVE, "dies.py": FIVE, "always.py": module("never"), "z.py": module("z")})
            ledger = await here.reindex()
            held = await here.held()
    finally:
        await pool.close()
    assert paths(held) == {"a.py", "dies.py", "z.py"}
    assert sorted(path for noted in ledger.notes.values() for path in noted) == ["always.py", "dies.py"]
    assert {record.kind for record in chunk_records(held) if record.path == "dies.py"} == {"window"}


def chunk_records(held: Held) -> list[ChunkRecord]:
    payloads = [payload for payload, _ in held.values() if isinstance(payload, dict)]
    return [read_chunk(payload) for payload in payloads if payload["type"] == "chunk"]


class Stopped(Exception):
    """Where a process could have been killed."""


class Logged(EdgeIndex):
    """The world's index, whose writes are noted, and which stops for good at one of them."""

    def __init__(self, index: EdgeIndex, stop_at: int = 10**9) -> None:
        self.__dict__ = dict(vars(index))
        self.stop_at = stop_at
        self.writes: list[tuple[str, int]] = []
        self.scopes: list[ScopeRecord] = []

    def _note(self, name: str, count: int) -> None:
        if len(self.writes) >= self.stop_at:
            raise Stopped
        self.writes.append((name, count))

    async def upsert(self, repo: int, points: Sequence[Point]) -> None:
        self._note("upsert", len(points))
        self.scopes += [read_scope(point.payload) for point in points if point.payload["type"] == SCOPE]
        await super().upsert(repo, points)

    async def delete(self, repo: int, where: Where) -> None:
        self._note("delete", 0)
        await super().delete(repo, where)

    async def delete_ids(self, repo: int, ids: Sequence[str]) -> None:
        self._note("delete_ids", len(ids))
        await super().delete_ids(repo, ids)

    async def flush(self, repo: int) -> None:
        self._note("flush", 0)
        await super().flush(repo)


async def test_a_scope_is_dirty_before_the_first_write_and_has_its_head_only_after_the_flush(here: World) -> None:
    old = here.origin.commit({"a.py": FIVE, "b.py": module("b")})
    await here.reindex()
    new = here.origin.commit({"a.py": module("one"), "b.py": None})
    log = Logged(here.index)
    await here.reindex(index=log)
    assert [name for name, _ in log.writes] == ["upsert", "flush", "upsert", "delete_ids", "delete", "flush", "upsert"]
    assert [(record.head, record.dirty) for record in log.scopes] == [(old, True), (new, False)]


@pytest.mark.parametrize("stop_at", range(8))
async def test_a_run_that_stops_at_any_write_is_mended_by_the_next(here: World, stop_at: int) -> None:
    here.origin.commit({"a.py": FIVE, "b.py": module("b"), "c.py": module("c")})
    await here.reindex()
    here.origin.commit({"a.py": module("one"), "b.py": None, "d.py": module("c"), "e.py": b"\0"})
    try:
        await here.reindex(index=Logged(here.index, stop_at))
    except Stopped:
        assert stop_at < 7
    else:
        assert stop_at == 7
    here.origin.commit({"d.py": None, "f.py": module("f")})
    await here.reindex()
    await here.assert_fresh()


async def test_half_of_a_file_is_found_by_a_full_run(here: World) -> None:
    here.origin.commit({"a.py": FIVE, "b.py": module("b")})
    await here.reindex()
    await here.index.delete_ids(REPO, [point_id(REPO, BRANCH, "chunk", "a.py", 2)])
    await here.index.delete_ids(REPO, [point_id(REPO, BRANCH, "file", "b.py", 0)])
    ledger = await here.reindex(full=True)
    assert (ledger.changed, ledger.unchanged) == (2, 0)
    await here.assert_fresh()


async def test_the_parent_and_the_child_give_the_same_vectors(here: World, tmp_path: Path) -> None:
    here.origin.commit({"a.py": FIVE, "b.md": "# Title\n\nfunction value text\n"})
    await here.reindex()
    vectors = {key: vector for key, (_, vector) in (await here.held()).items()}
    async with world(tmp_path / "other", here.workers) as other:
        other.origin.commit({"a.py": FIVE, "b.md": "# Title\n\nfunction value text\n"})
        await other.reindex(embedder=CountingEmbedder())
        assert {key: vector for key, (_, vector) in (await other.held()).items()} == vectors
    assert EMBEDDER.dimension == 256
