"""What history says about files: what changed of late, and what changed together."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.core.past import NO_PAST, SWEEPING_COMMIT, Past

PATHS = st.sampled_from(["a.py", "b.py", "c.py", "d/e.py", "tests/test_a.py"])


def test_a_late_change_counts_more_than_an_early_one() -> None:
    past = Past((("new.py",), *((f"x{place}.py",) for place in range(200)), ("old.py",)))
    assert past.recent["new.py"] > past.recent["x100.py"] > past.recent["old.py"] > 0


def test_a_sweeping_commit_says_nothing() -> None:
    assert Past((tuple(f"{place}.py" for place in range(SWEEPING_COMMIT + 1)),)).recent == {}


def test_companions_of_the_best_file_come_first_and_tests_are_none() -> None:
    past = Past((("best.py", "often.py"), ("best.py", "often.py", "tests/test_best.py"), ("second.py", "once.py")))
    found = past.together(["best.py", "second.py"], {"often.py", "once.py", "tests/test_best.py", "best.py"})
    assert sorted(found, key=lambda path: -found[path]) == ["often.py", "once.py"]


def test_only_files_that_are_candidates_are_companions() -> None:
    assert Past((("best.py", "gone.py"),)).together(["best.py"], {"best.py"}) == {}
    assert NO_PAST.together(["best.py"], {"best.py"}) == {}


@given(st.lists(st.lists(PATHS, max_size=5).map(tuple), max_size=8).map(tuple))
def test_no_file_is_its_own_companion(commits: tuple[tuple[str, ...], ...]) -> None:
    found = Past(commits).together(["a.py"], {"a.py", "b.py", "c.py"})
    assert "a.py" not in found
    assert all(score > 0 for score in found.values())
