"""What every store must do, told once and run on each: embedded, qdrant-client's local mode, and a server if there is one."""

from __future__ import annotations

import asyncio
import math
import os
import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from qdrant_client import AsyncQdrantClient

from app.clients.embed import StaticEmbedder
from app.clients.index import Index
from app.clients.index import points as rules
from app.clients.index.edge import EdgeIndex
from app.clients.index.server import ServerIndex, connect
from app.core.tokens import sparse_document, sparse_query
from app.core.types import BRANCH, Hit, Point, Sparse, Where

HERE, OTHER = 7, 8
DIMENSION = 8
ALL = Where()
CHUNKS = Where({"type": ("chunk",)})
SERVER = os.environ.get("QDRANT_URL")

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant")


@pytest.fixture(params=["edge", "local", "server"])
async def index(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Index]:
    store: Index
    if request.param == "edge":
        store = EdgeIndex(tmp_path, "test", DIMENSION)
    elif request.param == "local":
        store = ServerIndex(AsyncQdrantClient(":memory:"), "test", DIMENSION)
    else:
        if SERVER is None:
            pytest.skip("QDRANT_URL is not set")
        store = ServerIndex(connect(SERVER, os.environ.get("QDRANT_API_KEY")), f"test-{uuid.uuid4()}", DIMENSION)
    yield store
    for repo in await store.repositories():
        await store.forget(repo)
    await store.close()


def vector(*values: float) -> NDArray[np.float32]:
    return np.array([*values, *[0.0] * (DIMENSION - len(values))], dtype=np.float32)


def point(
    key: int,
    /,
    repo: int = HERE,
    dense: Sequence[float] | None = (1.0,),
    sparse: Sparse | None = None,
    **payload: object,
) -> Point:
    whole = {"repo": repo, "type": "chunk", "scope": BRANCH, "path": f"f{key}.py"} | payload
    identity = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{repo}/{key}"))
    return Point(identity, whole, None if dense is None else vector(*dense), sparse)


def numbers(found: Sequence[Point] | Sequence[Hit]) -> list[object]:
    return [each.payload.get("number") for each in found]


def plain(found: Sequence[Point]) -> list[tuple[str, Mapping[str, object]]]:
    return [(each.id, each.payload) for each in found]


# --- writing and reading --------------------------------------------------------------------------------------------


async def test_a_point_comes_back_as_it_was_written(index: Index) -> None:
    payload: dict[str, Any] = {
        "language": "", "kind": "function", "names": ["a", "A.a"], "call_names": [], "first": 3, "size": -1, "ratio": 0.5,
        "dirty": True, "nothing": None, "calls": [["b", "self", 4, "", "A.a"]], "docstring": "»ü« 日本 \n\t\"\\", "rest": {"x": [1]},
    }  # fmt: skip
    written = point(1, dense=(0.6, 0.8), sparse=Sparse((3, 9), (1.0, 2.0)), **payload)
    await index.upsert(HERE, [written])
    await index.flush(HERE)
    [read] = await index.read(HERE, ALL, vectors=True)
    assert (read.id, read.payload) == (written.id, dict(written.payload))
    assert read.dense is not None
    assert read.dense.dtype == np.float32
    np.testing.assert_allclose(read.dense, vector(0.6, 0.8), atol=1e-3)
    assert (await index.read(HERE, ALL))[0].dense is None


async def test_read_can_be_cut_to_fields(index: Index) -> None:
    await index.upsert(HERE, [point(1, first=3, language="", names=["a"])])
    assert (await index.read(HERE, ALL, fields=["path", "first", "language", "absent"]))[0].payload == {
        "path": "f1.py", "first": 3, "language": "",
    }  # fmt: skip
    assert (await index.read(HERE, ALL, fields=["path"]))[0].payload == {"path": "f1.py"}
    assert (await index.read(HERE, ALL, fields=[]))[0].payload == {}


async def test_many_points_are_read_in_order_of_id_and_up_to_a_limit(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "PAGE", 100)
    written = [point(number, dense=None) for number in range(350)]
    await index.upsert(HERE, written)
    ids = sorted(each.id for each in written)
    assert [each.id for each in await index.read(HERE, ALL)] == ids
    assert [each.id for each in await index.read(HERE, ALL, limit=120)] == ids[:120]
    assert await index.read(HERE, ALL, limit=0) == []
    assert await index.count(HERE, ALL) == 350
    asked = [*reversed(ids), ids[0], str(uuid.UUID(int=5))]
    assert [each.id for each in await index.get(HERE, asked)] == list(reversed(ids))


async def test_an_id_written_again_is_replaced_whole(index: Index) -> None:
    await index.upsert(HERE, [point(1, dense=(1.0,), sparse=Sparse((5,), (1.0,)), first=1, names=["old"])])
    await index.upsert(HERE, [point(1, dense=None, last=2)])
    [read] = await index.read(HERE, ALL, vectors=True)
    assert "first" not in read.payload
    assert "names" not in read.payload
    assert read.payload["last"] == 2
    assert read.dense is None
    assert await index.nearest(HERE, ALL, vector(1.0), Sparse((5,), (1.0,)), 5) == ([], [])
    assert await index.count(HERE, Where({"names": ("old",)})) == 0


async def test_a_vector_read_and_written_again_stays_the_same(index: Index) -> None:
    """A chunk that only moved keeps its vector through any number of pushes: it must not wear off."""
    noise = np.random.default_rng(1).normal(size=(20, DIMENSION)).astype(np.float32)
    await index.upsert(HERE, [point(number, dense=list(row)) for number, row in enumerate(noise)])
    first = await index.read(HERE, ALL, vectors=True)
    for _ in range(5):
        await index.upsert(HERE, await index.read(HERE, ALL, vectors=True))
    for before, after in zip(first, await index.read(HERE, ALL, vectors=True), strict=True):
        assert before.dense is not None
        assert after.dense is not None
        np.testing.assert_allclose(before.dense, after.dense, rtol=0, atol=1e-6)


# --- filters ----------------------------------------------------------------------------------------------------------


async def test_every_named_field_must_hold_one_of_its_values(index: Index) -> None:
    await index.upsert(
        HERE,
        [
            point(1, number=1, kind="python", names=["a", "b"]),
            point(2, number=2, kind="go", names=["b"]),
            point(3, number=3, kind="go", call_names=["b"]),
        ],
    )
    assert numbers(await index.read(HERE, Where({"names": ("b", "z")}))) in ([1, 2], [2, 1])
    assert numbers(await index.read(HERE, Where({"names": ("b",), "kind": ("go",)}))) == [2]
    assert numbers(await index.read(HERE, Where({"call_names": ("b",)}))) == [3]
    assert numbers(await index.read(HERE, Where({"path": ("f3.py",)}))) == [3]
    await index.upsert(HERE, [point(4, number=4, kind="", names=[])])
    assert numbers(await index.read(HERE, Where({"kind": ("",)}))) == [4]
    assert await index.count(HERE, Where({"names": ("",)})) == 0
    assert await index.count(HERE, Where({"path": ("F3.py",)})) == 0


async def test_a_field_that_may_hold_no_value_matches_nothing_not_everything(index: Index) -> None:
    nothing = Where({"path": ()})
    await index.upsert(HERE, [point(1)])
    await index.delete(HERE, nothing)
    assert await index.count(HERE, ALL) == 1
    assert await index.count(HERE, nothing) == 0
    assert await index.read(HERE, nothing) == []
    assert await index.nearest(HERE, nothing, vector(1.0), None, 5) == ([], [])


async def test_a_filter_on_a_field_without_an_index_is_refused(index: Index) -> None:
    """Case H23: a strict server would refuse it, an embedded store would scan or find nothing."""
    where = Where({"docstring": ("x",)})
    with pytest.raises(ValueError, match="docstring"):
        await index.read(HERE, where)
    with pytest.raises(ValueError, match="docstring"):
        await index.delete(HERE, where)
    with pytest.raises(ValueError, match="docstring"):
        await index.nearest(HERE, where, vector(1.0), None, 1)


async def test_hidden_paths_are_left_out_of_the_branch_only(index: Index) -> None:
    both = {"scope": (BRANCH, "pull/3")}
    await index.upsert(
        HERE,
        [
            point(1, number=1, path="a.py", sparse=Sparse((1,), (1.0,))),
            point(2, number=2, path="b.py", sparse=Sparse((1,), (1.0,))),
            point(3, number=3, path="a.py", scope="pull/3", sparse=Sparse((1,), (1.0,))),
        ],
    )
    view = Where(both, hidden=("a.py", "c.py"))
    assert sorted(map(str, numbers(await index.read(HERE, view)))) == ["2", "3"]
    for found in await index.nearest(HERE, view, vector(1.0), Sparse((1,), (1.0,)), 5):
        assert sorted(map(str, numbers(found))) == ["2", "3"]
    assert await index.count(HERE, view) == 2
    assert await index.count(HERE, Where(hidden=("a.py",))) == 2
    many = Where(both, hidden=(*(f"generated/{number}.py" for number in range(3_100)), "a.py"))
    assert sorted(map(str, numbers(await index.read(HERE, many)))) == ["2", "3"]
    assert len((await index.nearest(HERE, many, vector(1.0), None, 5))[0]) == 2


async def test_hidden_paths_are_left_out_wherever_they_rank(index: Index) -> None:
    """Whether few of the best are hidden or all of them, and also where equals straddle the cut."""
    written = [point(n, dense=(1.0, n // 3), sparse=Sparse((1,), (60.0 - n // 3,)), number=n) for n in range(120)]
    await index.upsert(HERE, [*written, point(500, dense=(1.0, 0.5), sparse=Sparse((1,), (59.5,)), scope="pull/1")])
    for hidden in (range(3), range(0, 120, 2), range(40), range(100), range(120), range(119, 0, -1)):
        paths = (*(f"f{n}.py" for n in hidden), "f500.py")
        shown = [each for each in written if each.payload["path"] not in paths]
        shown.append(point(500, number=1.5))
        expected = sorted(shown, key=lambda each: (_third(each), each.id))
        for limit in (1, 7, 30):
            for hits in await index.nearest(
                HERE, Where({"type": ("chunk",)}, paths), vector(1.0), Sparse((1,), (1.0,)), limit
            ):
                assert [hit.id for hit in hits] == [each.id for each in expected[:limit]]


def _third(each: Point) -> float:
    number = each.payload["number"]
    assert isinstance(number, int | float)
    return number // 3 if isinstance(number, int) else 0.5


async def test_paths_in_any_script_are_found_and_half_a_surrogate_is_replaced(index: Index) -> None:
    names = ["\u00fc/日本語.py", "u\u0308/日本語.py", "a b\n\"'\\.py", "😀/x.py", "half\udce9.py", "*"]
    await index.upsert(HERE, [point(number, path=path, docstring=path) for number, path in enumerate(names)])
    for path in names:
        [found] = await index.read(HERE, Where({"path": (path,)}))
        assert found.payload["path"] == found.payload["docstring"] == path.replace("\udce9", "?")
    await index.delete(HERE, Where({"path": ("half\udce9.py",)}))
    assert await index.count(HERE, ALL) == len(names) - 1


# --- search -------------------------------------------------------------------------------------------------------------


async def test_nearest_is_by_cosine_best_first_and_by_id_where_equal(index: Index) -> None:
    written = [point(number, dense=(1.0, float(number // 4)), number=number) for number in range(40)]
    await index.upsert(HERE, [*written, point(99, dense=None, type="file")])
    expected = sorted(written, key=lambda each: (int(str(each.payload["number"])) // 4, each.id))
    hits, nothing = await index.nearest(HERE, ALL, vector(3.0), None, 10)
    assert [hit.id for hit in hits] == [each.id for each in expected[:10]]
    assert nothing == []
    assert hits[0].score == pytest.approx(1.0, abs=1e-3)
    assert hits[4].score == pytest.approx(math.sqrt(0.5), abs=1e-3)
    assert hits[0].payload == expected[0].payload
    assert len((await index.nearest(HERE, ALL, vector(3.0), None, 1_000))[0]) == 40
    assert await index.nearest(HERE, ALL, vector(3.0), None, 0) == ([], [])


async def test_the_cut_among_hundreds_of_equals_goes_by_id(index: Index) -> None:
    written = [point(number, sparse=Sparse((1,), (1.0,))) for number in range(300)]
    await index.upsert(HERE, written)
    ids = sorted(each.id for each in written)[:7]
    for hits in await index.nearest(HERE, ALL, vector(1.0), Sparse((1,), (1.0,)), 7):
        assert [hit.id for hit in hits] == ids


async def test_rarity_is_counted_over_the_chunks_of_the_repository_alone(index: Index) -> None:
    """Global counts would call a word rare that every chunk here holds, because other repositories lack it."""
    common, rare = 10, 20
    await index.upsert(HERE, [point(number, sparse=Sparse((common,), (1.0,))) for number in range(10)])
    await index.upsert(HERE, [point(10, sparse=Sparse((common, rare), (1.0, 1.0)), number=10, scope="pull/1")])
    await index.upsert(HERE, [point(11, dense=None, type="file")])
    await index.upsert(OTHER, [point(number, OTHER, sparse=Sparse((rare,), (1.0,))) for number in range(60)])

    def idf(holding: int, of: int = 11) -> float:
        return math.log((of - holding + 0.5) / (holding + 0.5) + 1)

    for where in (CHUNKS, Where({"scope": ("pull/1",)})):  # the corpus does not shrink with what is searched
        _, hits = await index.nearest(HERE, where, None, Sparse((common, rare), (1.0, 2.0)), 3)
        assert numbers(hits[:1]) == [10]
        assert hits[0].score == pytest.approx(idf(11) + 2 * idf(1), rel=1e-3)
    _, hits = await index.nearest(HERE, CHUNKS, None, Sparse((common,), (1.0,)), 3)
    assert hits[0].score == pytest.approx(idf(11), rel=1e-3)


async def test_a_query_without_words_or_direction_finds_nothing(index: Index) -> None:
    await index.upsert(HERE, [point(1, sparse=Sparse((1,), (1.0,))), point(2, dense=(0.0,), sparse=Sparse((), ()))])
    assert await index.nearest(HERE, ALL, None, None, 5) == ([], [])
    assert await index.nearest(HERE, ALL, vector(0.0), Sparse((), ()), 5) == ([], [])
    assert await index.nearest(HERE, ALL, None, Sparse((2,), (1.0,)), 5) == ([], [])
    hits, _ = await index.nearest(HERE, ALL, vector(1.0), None, 5)
    assert len(hits) == 1  # the point without direction is kept, and is no candidate
    assert (await index.get(HERE, [point(2).id], vectors=True))[0].dense is None


async def test_real_code_is_found_by_both_lists(tmp_path: Path) -> None:
    """The stores agree on real vectors: the embedded one against the exact reference."""
    embedder = StaticEmbedder()
    root = Path(asyncio.__file__).parent
    files = {path.name: path.read_text(encoding="utf-8") for path in sorted(root.glob("*.py"))}
    written = [
        Point(
            str(uuid.uuid5(uuid.NAMESPACE_URL, name)),
            {"repo": HERE, "type": "chunk", "path": name},
            dense,
            sparse_document(name, "", "", text),
        )
        for (name, text), dense in zip(files.items(), embedder.embed(list(files.values())), strict=True)
    ]
    question = "how are connections over ssl transports made and shut down"
    lists = []
    for store in (
        EdgeIndex(tmp_path, embedder.id, embedder.dimension),
        ServerIndex(AsyncQdrantClient(":memory:"), embedder.id, embedder.dimension),
    ):
        await store.upsert(HERE, written)
        [dense] = embedder.embed([question])
        sparse = sparse_query(dict.fromkeys(question.split(), 1.0))
        lists.append(await store.nearest(HERE, CHUNKS, dense, sparse, 8))
        await store.close()
    for embedded, exact in zip(*lists, strict=True):
        assert [hit.payload["path"] for hit in embedded] == [hit.payload["path"] for hit in exact]
        assert [hit.score for hit in embedded] == pytest.approx([hit.score for hit in exact], abs=2e-3)
        assert "sslproto.py" in [hit.payload["path"] for hit in embedded[:3]]


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "bad",
    [
        point(1, dense=(math.nan,)),
        point(1, dense=(math.inf, 1.0)),
        Point(point(1).id, point(1).payload, np.ones(DIMENSION + 1, dtype=np.float32)),
        point(1, sparse=Sparse((3, 3), (1.0, 1.0))),
        point(1, sparse=Sparse((4, 3), (1.0, 1.0))),
        point(1, sparse=Sparse((1 << 32,), (1.0,))),
        point(1, sparse=Sparse((-1,), (1.0,))),
        point(1, sparse=Sparse((1,), (math.nan,))),
        point(1, sparse=Sparse((1, 2), (1.0,))),
        point(1, type="file"),
        point(1, path=None),
        point(1, blob=b"x"),
        point(1, names="a"),
        point(1, names=["a", 1]),
        point(1, kind=["go"]),
        point(1, dense=None, sparse=Sparse((1,), (1.0,)), type="scope"),
        point(1, OTHER),
        point(1, ratio=math.nan),
        Point("1", point(1).payload),
        Point(point(1).id, {"type": "chunk"}),
    ],
)
async def test_a_bad_point_is_refused_and_nothing_of_its_batch_written(index: Index, bad: Point) -> None:
    with pytest.raises(ValueError):
        await index.upsert(HERE, [point(2), bad])
    assert await index.count(HERE, ALL) == 0


async def test_a_bad_query_is_refused(index: Index) -> None:
    await index.upsert(HERE, [point(1)])
    for dense, sparse in (
        (vector(math.nan), None),
        (np.ones(3, dtype=np.float32), None),
        (None, Sparse((2, 2), (1.0, 1.0))),
    ):
        with pytest.raises(ValueError):
            await index.nearest(HERE, ALL, dense, sparse, 3)


# --- removal and tenants ------------------------------------------------------------------------------------------------


async def test_points_are_deleted_by_id_and_by_filter(index: Index) -> None:
    await index.upsert(HERE, [point(number, number=number, path=f"{number % 3}.py") for number in range(9)])
    await index.delete_ids(HERE, [point(0).id, point(1).id, str(uuid.UUID(int=1))])
    assert await index.count(HERE, ALL) == 7
    await index.delete(HERE, Where({"path": ("2.py",)}))
    assert sorted(map(str, numbers(await index.read(HERE, ALL)))) == ["3", "4", "6", "7"]
    await index.delete(HERE, Where(hidden=("0.py",)))
    assert sorted(map(str, numbers(await index.read(HERE, ALL)))) == ["3", "6"]
    await index.delete_ids(HERE, [])
    assert await index.count(HERE, ALL) == 2


async def test_no_call_reaches_another_repository(index: Index) -> None:
    theirs = [point(number, OTHER, sparse=Sparse((1,), (1.0,))) for number in range(3)]
    await index.upsert(OTHER, theirs)
    await index.upsert(HERE, [point(1, sparse=Sparse((1,), (1.0,)))])
    before = plain(await index.read(OTHER, ALL))
    ids = [each.id for each in theirs]
    hostile = [
        ALL,
        Where({"type": ("chunk", f'chunk" OR repo = {OTHER}')}),
        Where({"path": tuple(str(each.payload["path"]) for each in theirs)}),
        Where(hidden=("nothing",)),
    ]
    for where in hostile:
        assert {each.payload["repo"] for each in await index.read(HERE, where)} <= {HERE}
        assert await index.count(HERE, where) <= 1
        for hits in await index.nearest(HERE, where, vector(1.0), Sparse((1,), (1.0,)), 50):
            assert {hit.payload["repo"] for hit in hits} <= {HERE}
    assert await index.get(HERE, ids) == []
    with pytest.raises(ValueError):
        await index.upsert(HERE, theirs)
    await index.delete_ids(HERE, ids)
    for where in hostile:
        await index.delete(HERE, where)
    await index.forget(HERE)
    assert plain(await index.read(OTHER, ALL)) == before
    assert await index.repositories() == [OTHER]


@pytest.mark.parametrize("repo", [-1, 1 << 63, True, "8", "../8", 8.0, None])
async def test_only_a_number_names_a_repository(index: Index, repo: object) -> None:
    for call in (
        lambda: index.upsert(repo, []),  # type: ignore[arg-type]
        lambda: index.read(repo, ALL),  # type: ignore[arg-type]
        lambda: index.get(repo, []),  # type: ignore[arg-type]
        lambda: index.count(repo, ALL),  # type: ignore[arg-type]
        lambda: index.nearest(repo, ALL, vector(1.0), None, 1),  # type: ignore[arg-type]
        lambda: index.delete(repo, ALL),  # type: ignore[arg-type]
        lambda: index.delete_ids(repo, []),  # type: ignore[arg-type]
        lambda: index.flush(repo),  # type: ignore[arg-type]
        lambda: index.forget(repo),  # type: ignore[arg-type]
    ):
        with pytest.raises(ValueError, match="no repository id"):
            await call()


async def test_repositories_are_those_that_have_points(index: Index) -> None:
    assert await index.repositories() == []
    for repo in (30, 4, 200):
        await index.upsert(repo, [point(1, repo)])
    assert await index.repositories() == [4, 30, 200]
    await index.forget(30)
    await index.delete(4, ALL)
    await index.delete_ids(200, [point(1, 200).id])
    assert await index.repositories() == []
    await index.upsert(4, [point(1, 4)])
    assert await index.repositories() == [4]


async def test_a_repository_never_indexed_is_simply_empty(index: Index) -> None:
    assert await index.read(5, ALL) == []
    assert await index.get(5, [point(1).id]) == []
    assert await index.count(5, ALL) == 0
    assert await index.nearest(5, ALL, vector(1.0), Sparse((1,), (1.0,)), 3) == ([], [])
    await index.delete(5, ALL)
    await index.delete_ids(5, [point(1).id])
    await index.flush(5)
    await index.forget(5)
    assert await index.repositories() == []
