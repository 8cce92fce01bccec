"""The bench on a tiny corpus: it measures what it says, and a push computes vectors only for what changed."""

from pathlib import Path

from app.cli.bench_corpus import edited
from app.cli.bench_index import measure


async def test_bench_measures_an_index_and_pushes(tmp_path: Path) -> None:
    figures = await measure(tmp_path, 6000)
    chunks, one, ten = figures["chunks"], figures["push_1_vectors"], figures["push_10_vectors"]
    assert isinstance(chunks, int)
    assert isinstance(one, int)
    assert isinstance(ten, int)
    assert chunks > 50
    assert 0 < one < chunks // 4
    assert 10 <= ten < chunks
    assert figures["index_mb"]
    assert figures["index_to_source"]


def test_an_edit_lands_before_a_definition_in_the_middle() -> None:
    source = b"import os\n\n\ndef one():\n    pass\n\n\ndef two():\n    pass\n"
    changed = edited(source, 7)
    assert changed.index(b"added_by_the_bench") > changed.index(b"def one")
    assert changed.index(b"added_by_the_bench") < changed.index(b"def two")
