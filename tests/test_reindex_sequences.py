"""Property: after any sequence of commits, filters and pull requests, the index equals one made from nothing."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.clients.workers import Workers
from app.core.rules import Rules
from app.core.types import pull_scope
from app.steps.ingest import index_workers
from tests.indexing import module, world
from tests.repositories import EXECUTABLE, LINK, Content, File

pytestmark = pytest.mark.asyncio(loop_scope="module")

FILES = ("a.py", "pkg/a.py", "pkg/b.py", "PKG/b.py", "notes.md", ".gitattributes")
CONTENTS: dict[str, Content] = {
    "one": module("one"),
    "three": module("one", "two", "three"),
    "edited": module("one", "two", "three", body="return 2"),
    "class": "class A:\n    def save(self):\n        return load(self)\n\n    def load(self):\n        return 1\n",
    "text": "# Title\n\nfunction value\n\n## Part\n\ntext\n",
    "broken": "def (:\n  class\n" * 5,
    "executable": File(module("one").encode(), EXECUTABLE),
    "link": File(b"a.py", LINK),
    "binary": b"\0\1\2\3",
    "empty": b"",
    "attributes": "pkg/* linguist-generated\n",
}
TREES = st.dictionaries(st.sampled_from(FILES), st.sampled_from(sorted(CONTENTS)), min_size=1)
FILTERS = st.sampled_from([(), ("!pkg/**",), ("*.py",)])


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def workers() -> AsyncIterator[Workers]:
    pool = index_workers(1)
    yield pool
    await pool.close()


@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(st.lists(st.tuples(TREES, FILTERS), min_size=2, max_size=4), TREES)
async def test_incremental_equals_fresh(
    workers: Workers, steps: list[tuple[dict[str, str], tuple[str, ...]]], pull: dict[str, str]
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        async with world(Path(directory), workers) as here:
            for number, (tree, filters) in enumerate(steps):
                base = here.origin.tree({path: CONTENTS[name] for path, name in tree.items()})
                here.rules = Rules(filters)
                await here.reindex()
                await here.assert_fresh()
                if number % 2 == 0:
                    head = here.origin.commit(
                        {path: CONTENTS[name] for path, name in pull.items()}, f"refs/pull/{number}/head", parent=base
                    )
                    await here.reindex(head, pull_scope(1), base)
                    await here.assert_fresh(pull_scope(1))
