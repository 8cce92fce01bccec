"""Callers of every definition in the marked repositories: nothing said to be exact is wrong, and next to nothing is missed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench.callers_figures import FOLDER, marks, measure


@pytest.mark.parametrize("root", sorted(FOLDER.iterdir()), ids=lambda root: root.name)
async def test_exact_callers_are_right_and_few_are_missed(root: Path, tmp_path: Path) -> None:
    figures = await measure(root, tmp_path)
    assert len(marks(root)[0]) >= 13
    assert figures.precision == 100, figures.wrong
    assert figures.recall >= 92, figures.wrong
    assert figures.recall_with_possible >= 97, figures.wrong
