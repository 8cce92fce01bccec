"""Given a repository whose vectors come from a service: what is sent, when it is away, and when the model is another one."""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import os
import shlex
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.clients import embed_service
from app.clients.embed import Embedder
from app.clients.embed_open import open_embedder
from app.clients.index.edge import EdgeIndex
from app.clients.index.open import open_index
from app.core.comment import answer_comment
from app.core.errors import Transient
from app.core.query import read_question
from app.core.types import Answer, Where, pull_scope
from app.sandbox.sample import make_sample
from app.steps import vectors
from app.steps.pull_context import pull_context
from app.steps.retrieve import retrieve
from app.steps.view import view_of
from tests.embeddings import KEY, Embeddings, embeddings_service
from tests.indexing import REPO, World, module, world

FILES = {f"pkg/part{number}.py": module(*(f"name_{number}_{each}" for each in range(8))) for number in range(50)}
SPECIAL = (
    'def parse_url(address):\n    """Split an address into scheme, host and path."""\n    return address.split("/")\n'
)
CHUNKS = Where({"type": ("chunk",)})


@pytest.fixture
def service() -> Iterator[Embeddings]:
    with embeddings_service() as found:
        yield found


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embed_service, "BACK_OFF", 0.01)
    monkeypatch.setattr(embed_service, "REST", 0.0)


@asynccontextmanager
async def served(here: World, service: Embeddings, model: str = "code-embed") -> AsyncIterator[tuple[World, Embedder]]:
    """The same repository with an index for this model of the service."""
    async with open_embedder(here.directory, service.url, model, KEY) as embedder:
        index = open_index(here.directory / "served", None, None, embedder)
        assert isinstance(index, EdgeIndex)
        try:
            yield replace(here, index=index), embedder
        finally:
            await index.close()


async def ask(here: World, embedder: Embedder, text: str) -> Answer:
    return await retrieve(here.index, embedder, here.mirror, await view_of(here.index, REPO), read_question(text))


async def dense_rows(here: World) -> dict[str, bytes | None]:
    return {
        point.id: None if point.dense is None else np.round(point.dense, 3).tobytes()
        for point in await here.index.read(REPO, CHUNKS, vectors=True)
    }


async def test_a_full_index_a_push_a_pull_request_and_a_question(tmp_path: Path, service: Embeddings) -> None:
    async with world(tmp_path) as here, served(here, service) as (shop, embedder):
        shop.origin.commit({**FILES, "url.py": SPECIAL, "braces.js": "}\n" * 9})
        service.seconds = 0.02
        ledger = await shop.reindex(embedder=embedder)
        service.seconds = 0
        assert ledger.vectors_computed >= 401
        assert len(set(service.seen)) == len(service.seen)  # no text twice
        assert 1 < service.most_open <= 4
        assert max(map(len, service.texts)) == 32
        rows = [point.dense for point in await shop.index.read(REPO, CHUNKS, vectors=True)]
        assert sum(row is not None and row.shape == (64,) for row in rows) == len(service.seen) - 1  # all but the probe

        service.texts.clear()
        base = shop.origin.commit(
            {"pkg/part3.py": None, "moved.py": FILES["pkg/part3.py"].replace("Function name_3_2.", "Another name_3_2.")}
        )
        await shop.reindex(embedder=embedder)
        assert [text.partition("\n")[0] for text in service.seen] == ["name_3_2"]

        service.texts.clear()
        head = shop.origin.commit({"url.py": SPECIAL + "\n\n" + module("brand_new")}, "refs/pull/7/head", base)
        await shop.mirror.fetch(["refs/pull/7/head"])
        await shop.reindex(head, pull_scope(7), base, embedder=embedder)
        assert 1 <= len(service.seen) <= 2

        service.texts.clear()
        answer = await ask(shop, embedder, "where do we split an address into its scheme and host?")
        assert answer.evidence[0].citation.path == "url.py"
        assert not answer.words_only
        assert "meaning" in answer.evidence[0].reasons
        assert len(service.seen) == 1


async def test_a_service_that_fails_half_way_leaves_an_index_that_the_next_run_completes(
    tmp_path: Path, service: Embeddings
) -> None:
    async with world(tmp_path) as here, served(here, service) as (shop, embedder):
        shop.origin.commit(FILES)
        service.fail_after(10, 503)  # eight requests are the vectors of the first write
        with pytest.raises(Transient, match="does not answer"):
            await shop.reindex(embedder=embedder)
        written = await shop.index.count(REPO, CHUNKS)
        assert written >= 200
        service.mend()
        service.texts.clear()
        await shop.reindex(embedder=embedder)
        # What was written is not asked for again, but for the rest of one half-written file. A request of the first run
        # may still have been on its way, so texts are counted once.
        assert len(set(service.seen)) <= await shop.index.count(REPO, CHUNKS) - written + 8
        resumed = await dense_rows(shop)
        async with served(replace(here, directory=tmp_path / "fresh"), service) as (fresh, again):
            await fresh.reindex(embedder=again)
            assert await dense_rows(fresh) == resumed


async def test_a_question_is_answered_by_words_while_the_service_is_away(
    tmp_path: Path, service: Embeddings, caplog: pytest.LogCaptureFixture
) -> None:
    async with world(tmp_path) as here, served(here, service) as (shop, embedder):
        shop.origin.commit({**FILES, "url.py": SPECIAL})
        await shop.reindex(embedder=embedder)
        question = "where do we split an address into its scheme and host?"
        for failure in (503, 401):  # away, and a key that has been withdrawn
            service.fail_after(0, failure)
            caplog.clear()
            answer = await ask(shop, embedder, question)
            assert answer.evidence[0].citation.path == "url.py"
            assert answer.words_only
            comment = answer_comment(answer, "https://github.com/o/r", {})
            assert "by words and names only, the embeddings did not answer</sub>" in comment
            warnings = [record for record in caplog.records if record.levelno == logging.WARNING]
            assert [record.getMessage() for record in warnings] == ["no vectors for a search"]
            assert KEY not in caplog.text + str(warnings[0].__dict__)
            assert "address" not in str(warnings[0].__dict__)
            service.mend()
        assert not (await ask(shop, embedder, question)).words_only


async def test_a_question_does_not_wait_long_for_a_slow_service(
    tmp_path: Path, service: Embeddings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "NOW_SECONDS", 0.1)
    async with world(tmp_path) as here, served(here, service) as (shop, embedder):
        shop.origin.commit({"url.py": SPECIAL})
        await shop.reindex(embedder=embedder)
        service.seconds = 1.0
        answer = await ask(shop, embedder, "parse_url")
        assert answer.words_only
        assert answer.evidence


async def test_a_name_asked_while_the_service_is_away_is_still_found_and_a_missing_one_still_missed(
    tmp_path: Path, service: Embeddings
) -> None:
    async with world(tmp_path) as here, served(here, service) as (shop, embedder):
        shop.origin.commit({"url.py": SPECIAL})
        await shop.reindex(embedder=embedder)
        service.fail_after(0, 500)
        assert (await ask(shop, embedder, "where is `parse_url` defined?")).evidence[0].symbol == "parse_url"
        missed = await ask(shop, embedder, "where is `FrobnicateQuux` defined?")
        assert (missed.evidence, missed.missing) == ((), ("FrobnicateQuux",))


async def test_another_model_indexes_anew_and_the_first_one_stays_as_it_was(
    tmp_path: Path, service: Embeddings
) -> None:
    async with world(tmp_path) as here:
        here.origin.commit({"url.py": SPECIAL, **dict(list(FILES.items())[:3])})
        async with served(here, service) as (small, embedder):
            first = await small.reindex(embedder=embedder)
            held = await dense_rows(small)
        async with served(here, service, "code-embed-large") as (large, embedder):
            second = await large.reindex(embedder=embedder)
            assert second.vectors_computed == first.vectors_computed
            assert {len(row or b"") for row in (await dense_rows(large)).values()} == {96 * 4}
        async with served(here, service) as (small, embedder):
            service.texts.clear()
            assert (await small.reindex(embedder=embedder)).vectors_computed == 0
            assert service.seen == []
            assert await dense_rows(small) == held


async def test_a_pull_requests_new_functions_are_compared_unless_the_service_is_away(
    tmp_path: Path, service: Embeddings
) -> None:
    function = textwrap.dedent(inspect.getsource(shlex.split))
    async with world(tmp_path) as here, served(here, service) as (shop, embedder):
        base = shop.origin.commit({**dict(list(FILES.items())[:2]), "words.py": "import os\n\n\n" + function})
        await shop.reindex(embedder=embedder)
        renamed = "import os\n\n\n" + function.replace("def split", "def divide")
        head = shop.origin.commit({"more.py": renamed}, "refs/pull/1/head", base)
        await shop.mirror.fetch(["refs/pull/1/head"])
        await shop.reindex(head, pull_scope(1), base, embedder=embedder)
        view = await view_of(shop.index, REPO, 1)

        async def related() -> list[str]:
            context = await pull_context(
                shop.index, embedder, shop.mirror, view, base=base, head=head, workers=shop.workers
            )
            return [evidence.citation.path for impact in context.impacts for evidence in impact.related]

        assert await related() == ["words.py"]
        service.fail_after(0, 503)
        assert await related() == []


async def test_the_commands_use_the_service_and_go_on_without_it(tmp_path: Path, service: Embeddings) -> None:
    await make_sample(tmp_path / "library.git")
    environment = {
        "CODERAG_DATA_DIR": str(tmp_path / "data"), "EMBEDDINGS_URL": service.url, "EMBEDDINGS_MODEL": "code-embed",
        "EMBEDDINGS_API_KEY": KEY,
    }  # fmt: skip

    def coderag(*arguments: str, **other: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", "from app.cli import main; main()", *arguments]
        return subprocess.run(command, env={**os.environ, **environment, **other}, capture_output=True, text=True)

    library, question = str(tmp_path / "library.git"), "how long may a loan take?"
    first = json.loads((await asyncio.to_thread(coderag, "index", library, "--json")).stdout)
    assert first["vectors_computed"] == len(service.seen) - 1 > 10  # the probe
    asked = await asyncio.to_thread(coderag, "ask", library, question)
    assert "did not answer" not in asked.stdout
    wrong = await asyncio.to_thread(coderag, "ask", library, question, EMBEDDINGS_API_KEY="sk-wrong-key")
    assert (wrong.returncode, "EMBEDDINGS_API_KEY" in wrong.stderr, "sk-wrong" in wrong.stderr) == (2, True, False)
    service.fail_after(0, 503)
    away = await asyncio.to_thread(coderag, "ask", library, question)
    assert away.returncode == 0
    assert "by words and names only" in away.stdout
    shown = asked.stdout + asked.stderr + wrong.stdout + wrong.stderr + away.stdout + away.stderr
    assert KEY not in shown
