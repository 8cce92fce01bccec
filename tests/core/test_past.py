"""What history says about files: what changed of late, and what changed together."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.core.messages import LONGEST_MESSAGE, Messages
from app.core.past import MOST_TOGETHER, NO_PAST, SWEEPING_COMMIT, Past

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


def past_of(*commits: tuple[str, tuple[str, ...]]) -> Past:
    return Past(tuple(paths for _, paths in commits), Messages([message for message, _ in commits]))


def test_a_message_that_speaks_of_the_same_names_the_files_of_its_commit() -> None:
    past = past_of(
        ("Add the Romanian locale", ("locales/ro.ts", "locales/index.ts")),
        ("Fix the parser", ("parse.ts",)),
        ("Add the Greek locale", ("locales/el.ts", "locales/index.ts", "tests/el.test.ts")),
    )
    files = {"locales/ro.ts", "locales/index.ts", "locales/el.ts", "parse.ts", "tests/el.test.ts"}
    told = past.told({"uzbek": 1.0, "locale": 1.0}, files)
    assert max(told, key=lambda path: told[path]) == "locales/index.ts"
    assert "parse.ts" not in told
    assert "locales/ro.ts" not in past.told({"locale": 1.0}, files - {"locales/ro.ts"})


def test_a_rarer_word_and_a_later_commit_say_more() -> None:
    commits = [("fix cookie", ("a.py",)), *(("fix things", (f"{place}.py",)) for place in range(20))]
    told = past_of(*commits).told({"fix": 1.0, "cookie": 1.0}, {"a.py", "1.py", "19.py"})
    assert told["a.py"] > told["1.py"]
    late = past_of(
        ("sign cookie", ("new.py",)), *((f"word{place}", ()) for place in range(900)), ("sign cookie", ("old.py",))
    )
    told = late.told({"cookie": 1.0}, {"new.py", "old.py"})
    assert told["new.py"] > told["old.py"] > 0


def test_a_large_commit_tells_nothing_of_its_files() -> None:
    many = tuple(f"{place}.py" for place in range(MOST_TOGETHER + 1))
    assert past_of(("sign the cookie", many)).told({"cookie": 1.0}, set(many)) == {}
    assert (
        past_of(("sign the cookie", many)).told({"cookie": 1.0}, {"1.py"}) != {}
    )  # the others are gone: one file was meant


def test_of_a_long_message_the_start_is_read() -> None:
    past = past_of((f"sign cookies {'x ' * LONGEST_MESSAGE} tail", ("a.py",)))
    assert past.told({"cookies": 1.0}, {"a.py"})
    assert past.told({"tail": 1.0}, {"a.py"}) == {}
    assert NO_PAST.told({"tail": 1.0}, {"a.py"}) == {}


@given(
    st.lists(st.tuples(st.text(max_size=40), st.lists(PATHS, max_size=4).map(tuple)), max_size=6), st.text(max_size=20)
)
def test_any_message_gives_finite_scores_of_known_files(commits: list[tuple[str, tuple[str, ...]]], word: str) -> None:
    told = past_of(*commits).told({word: 1.0, "fix": 2.0}, {"a.py", "d/e.py"})
    assert set(told) <= {"a.py", "d/e.py"}
    assert all(0 < score < float("inf") for score in told.values())
