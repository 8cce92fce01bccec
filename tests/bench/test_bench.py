"""The bench on a tiny corpus: it measures what it says, and a push computes vectors only for what changed."""

from pathlib import Path

from app.cli import bench_mentions, bench_questions, bench_webhooks
from app.cli.bench_corpus import edited, percentile
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


async def test_bench_asks_questions_and_mentions(tmp_path: Path) -> None:
    asked = await bench_questions.measure(_made(tmp_path / "questions"), 3000)
    mentioned = await bench_mentions.measure(_made(tmp_path / "mentions"), 2, 3000)
    assert asked["questions"]
    assert asked["p50_ms"]
    assert mentioned["mentions"] == 2


def test_bench_sends_webhooks_that_are_all_accepted() -> None:
    found = bench_webhooks.measure(0.2)
    assert found["deliveries"] == 40
    assert found["not_202"] == 0


def test_a_percentile_is_a_value_that_was_measured() -> None:
    assert percentile([3.0, 1.0, 2.0], 50) == 2.0
    assert percentile([3.0, 1.0, 2.0], 99) == 3.0


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder
