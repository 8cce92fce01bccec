"""How the server store speaks HTTP: what it asks of a server, and what it makes of the answers."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from qdrant_client import AsyncQdrantClient
from qdrant_client.http.exceptions import UnexpectedResponse

from app.clients.embed import StaticEmbedder
from app.clients.index import points as rules
from app.clients.index.open import open_index
from app.clients.index.server import ServerIndex, connect
from app.core.errors import ConfigError, Transient
from app.core.types import Point, Sparse, Where

HERE = 7
ONE = Point("00000000-0000-0000-0000-000000000001", {"repo": HERE, "type": "chunk"}, np.ones(4, dtype=np.float32))
NAME = "coderag-1-test"


class Server:
    """Answers like a Qdrant server as far as these tests go, remembers what was asked, and refuses all else."""

    def __init__(self) -> None:
        self.version = "1.19.0"
        self.exists = False
        self.indexes: dict[str, Any] = {}
        self.asked: list[tuple[str, str, Any]] = []
        self.failure: httpx.Response | Exception | None = None

    async def __call__(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        body = json.loads(request.content) if request.content else None
        self.asked.append((request.method, path, body))
        if isinstance(self.failure, Exception):
            raise self.failure
        if self.failure is not None:
            return self.failure
        return self._answer(request.method, path, body)

    def _answer(self, method: str, path: str, body: Any) -> httpx.Response:
        if (method, path) == ("GET", "/"):
            return httpx.Response(200, json={"title": "qdrant", "version": self.version})
        if (method, path) == ("GET", f"/collections/{NAME}/exists"):
            return result({"exists": self.exists})
        if (method, path) == ("PUT", f"/collections/{NAME}"):
            self.exists = True
            return result(True)
        if (method, path) == ("GET", f"/collections/{NAME}"):
            return result(collection(self.indexes))
        if (method, path) == ("PUT", f"/collections/{NAME}/index"):
            self.indexes[body["field_name"]] = body["field_schema"]
            return result({"operation_id": 1, "status": "completed"})
        if (method, path) in {("PUT", f"/collections/{NAME}/points"), ("POST", f"/collections/{NAME}/points/delete")}:
            return result({"operation_id": 2, "status": "completed"})
        if (method, path) == ("POST", f"/collections/{NAME}/points/query/batch"):
            return result([{"points": []} for _ in body["searches"]])
        if (method, path) == ("POST", f"/collections/{NAME}/points/count"):
            return result({"count": 0})
        return httpx.Response(501, text=f"{method} {path}")

    def bodies(self, ending: str) -> list[Any]:
        return [body for _, path, body in self.asked if path.endswith(ending)]


def result(value: object) -> httpx.Response:
    return httpx.Response(200, json={"result": value, "status": "ok", "time": 0.0})


def collection(indexes: dict[str, Any]) -> dict[str, Any]:
    return {
        "status": "green",
        "optimizer_status": "ok",
        "segments_count": 1,
        "config": {
            "params": {},
            "hnsw_config": {"m": 0, "ef_construct": 100, "full_scan_threshold": 10_000},
            "optimizer_config": {
                "deleted_threshold": 0.2,
                "vacuum_min_vector_number": 1_000,
                "default_segment_number": 0,
                "flush_interval_sec": 5,
            },
        },
        "payload_schema": {name: {"data_type": "keyword", "points": 0} for name in indexes},
    }


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
async def index(server: Server) -> AsyncIterator[ServerIndex]:
    client = AsyncQdrantClient(
        url="http://qdrant.test:6333", check_compatibility=False, transport=httpx.MockTransport(server)
    )
    store = ServerIndex(client, "test", 4)
    yield store
    await store.close()


async def test_the_first_call_makes_the_collection_and_every_payload_index(index: ServerIndex, server: Server) -> None:
    await index.upsert(HERE, [ONE])
    [made] = [body for method, path, body in server.asked if (method, path) == ("PUT", f"/collections/{NAME}")]
    assert made["vectors"]["dense"] == {"size": 4, "distance": "Cosine", "datatype": "float16", "on_disk": True}
    assert made["sparse_vectors"]["sparse"]["modifier"] == "idf"
    assert made["hnsw_config"] == {"m": 0, "payload_m": 16}
    assert server.indexes.pop("tenant") == {"type": "keyword", "is_tenant": True}
    assert server.indexes == {field: {"type": "keyword"} for field in rules.KEYWORD_FIELDS}
    server.asked.clear()
    await index.upsert(HERE, [ONE])
    assert [path for _, path, _ in server.asked] == [f"/collections/{NAME}/points"]


async def test_indexes_that_a_killed_process_left_out_are_added(index: ServerIndex, server: Server) -> None:
    server.exists = True
    server.indexes = {"tenant": {}, "type": {}}
    await index.count(HERE, Where())
    assert server.indexes.keys() == {"tenant", *rules.KEYWORD_FIELDS}
    assert {body["field_name"] for body in server.bodies("/index")} == set(rules.KEYWORD_FIELDS) - {"type"}


async def test_a_server_without_idf_by_filter_is_refused(index: ServerIndex, server: Server) -> None:
    for server.version in ("1.18.9", "1.9.0", "0.11.0", ""):
        with pytest.raises(ConfigError, match=r"needs 1\.19"):
            await index.upsert(HERE, [ONE])
    assert {path for _, path, _ in server.asked} == {"/"}
    for server.version in ("1.19.0-dev", "1.20.1", "2.0.0"):
        await index.count(HERE, Where())


async def test_every_request_names_the_tenant_and_waits(index: ServerIndex, server: Server) -> None:
    where = Where({"path": ("a", "b")}, hidden=("c",))
    await index.nearest(HERE, where, np.ones(4, dtype=np.float32), Sparse((1,), (1.0,)), 5)
    await index.delete(HERE, where)
    await index.delete_ids(HERE, [ONE.id])
    await index.forget(HERE)
    tenant = {"key": "tenant", "match": {"any": [str(HERE)]}}
    [batch] = server.bodies("/query/batch")
    dense, sparse = batch["searches"]
    assert dense["filter"]["must"][0] == sparse["filter"]["must"][0] == tenant
    assert sparse["params"]["idf"]["corpus"]["must"] == [tenant, {"key": "type", "match": {"any": ["chunk"]}}]
    assert "params" not in dense
    removed = server.bodies("/points/delete")
    assert len(removed) == 3
    for body in removed:
        assert body["filter"]["must"][0] == tenant
    assert removed[1]["filter"]["must"][1] == {"has_id": [ONE.id]}


PASSING = [
    httpx.ConnectError("refused"),
    httpx.ReadTimeout("slow"),
    httpx.Response(500, text="x"),
    httpx.Response(503, text="<html>"),
    httpx.Response(429, json={"status": {"error": "slow down"}}, headers={"retry-after": "17"}),
    httpx.Response(408, text=""),
]


@pytest.mark.parametrize("failure", PASSING, ids=repr)
async def test_what_passes_by_itself_is_transient(
    index: ServerIndex, server: Server, failure: httpx.Response | Exception
) -> None:
    server.failure = failure
    with pytest.raises(Transient) as caught:
        await index.upsert(HERE, [ONE])
    if isinstance(failure, httpx.Response) and failure.status_code == 429:
        assert caught.value.retry_after == 17
    server.failure = None
    await index.upsert(HERE, [ONE])


async def test_a_refused_key_and_a_bug_are_told_apart(index: ServerIndex, server: Server) -> None:
    for status in (401, 403):
        server.failure = httpx.Response(status, text="")
        with pytest.raises(ConfigError, match="QDRANT_API_KEY"):
            await index.count(HERE, Where())
    server.failure = httpx.Response(400, json={"status": {"error": "Index required but not found"}})
    with pytest.raises(UnexpectedResponse):
        await index.count(HERE, Where())


async def test_an_unreachable_server_is_transient() -> None:
    store = ServerIndex(connect("http://127.0.0.1:1", None), "test", 4)
    with pytest.raises(Transient):
        await store.count(HERE, Where())
    await store.close()


@pytest.mark.parametrize("url", ["ftp://qdrant:6333", "http://qdrant:99999", "http://a b", "http://[::1"])
def test_an_unusable_url_is_a_setting_to_mend(url: str) -> None:
    with pytest.raises(ConfigError, match="QDRANT_URL"):
        connect(url, None)


async def test_a_server_is_chosen_where_one_is_set(tmp_path: Path) -> None:
    index = open_index(tmp_path, "http://127.0.0.1:6333", None, StaticEmbedder())
    assert isinstance(index, ServerIndex)
    assert index.name == "coderag-1-static-hash-1-256"
    assert list(tmp_path.iterdir()) == []
    await index.close()
