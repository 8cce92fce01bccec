"""What else a change must touch: co-change, alike names, fusion."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.impact import MOST_FILES, MOST_TWINS, active, alike, around, fused, stem_of, together, twins


def test_files_that_changed_together_before_are_near_and_large_commits_say_nothing() -> None:
    sweep = ["a.py", "far.py", *(f"{number}.py" for number in range(MOST_FILES))]
    scores = together(
        {"a.py"}, [["a.py", "b.py"], ["a.py", "b.py"], ["a.py", "b.py", "c.py"], sweep, ["far.py", "z.py"]]
    )
    assert scores["b.py"] > scores["c.py"] > 0
    assert scores.keys() == {"b.py", "c.py"}


def test_what_changes_with_everything_says_less() -> None:
    commits = [["a.py", "b.py"], ["a.py", "log.py"], *([f"x{number}.py", "log.py"] for number in range(20))]
    scores = together({"a.py"}, commits)
    assert scores["b.py"] > scores["log.py"]


def test_newer_history_counts_more() -> None:
    old = [["x.py"]] * 2000
    scores = together({"a.py"}, [["a.py", "new.py"], *old, ["a.py", "old.py"]])
    assert scores["new.py"] > 10 * scores["old.py"]


def test_a_file_without_history_is_known_by_its_folder_s() -> None:
    commits = [["lib/b.py", "tests/all.py"], ["lib/c.py", "tests/all.py"], ["other/d.py", "tests/other.py"]]
    assert together({"lib/new.py"}, commits) == {}
    assert around({"lib/new.py"}, commits).keys() == {"tests/all.py"}


def test_what_changes_often_is_active_unless_it_is_shown_or_swept() -> None:
    sweep = [f"{number}.py" for number in range(MOST_FILES + 1)]
    scores = active({"a.py"}, [["a.py"], ["b.py"], ["c.py"], ["b.py"], sweep])
    assert sorted(scores, key=lambda path: -scores[path]) == ["b.py", "c.py"]


def test_code_in_a_settings_file_is_not_held_back() -> None:
    ranked = fused({"together": {"README.md": 3.0, "setup.py": 2.0, "vendor/x.py": 1.0}}, set())
    assert [each.path for each in ranked] == ["setup.py", "README.md", "vendor/x.py"]


@pytest.mark.parametrize(
    ("path", "stem"),
    [
        ("tests/test_form_data.py", "formdata"),
        ("src/FormData.java", "formdata"),
        ("src/FormDataTest.java", "formdata"),
        ("form_data_test.go", "formdata"),
        ("lib/form-data.spec.ts", "formdata"),
        ("include/fmt/format.h", "format"),
        ("test/format-test.cc", "format"),
        ("spec/form_data_spec.rb", "formdata"),
        ("tests/test.py", "test"),
        ("latest.py", "latest"),
    ],
)
def test_a_test_and_its_source_share_a_stem(path: str, stem: str) -> None:
    assert stem_of(path) == stem


def test_alike_names_put_the_test_of_the_changed_file_first() -> None:
    paths = {"app/cart.py", "app/cart_items.py", "tests/test_cart.py", "tests/test_mail.py", "docs/other/page.rst"}
    scores = alike(["app/cart.py"], paths)
    order = sorted(paths - {"app/cart.py"}, key=lambda path: -scores.get(path, 0.0))
    assert order[:2] == ["tests/test_cart.py", "app/cart_items.py"]
    assert "docs/other/page.rst" not in scores


def test_the_only_other_file_of_a_stem_is_a_twin_and_one_of_many_is_none() -> None:
    paths = {"app/cart.py", "tests/test_cart.py", "app/mail.py", "app/__init__.py", "tests/__init__.py"}
    assert twins(["app/cart.py", "app/__init__.py"], paths) == {"tests/test_cart.py": 1.0}
    two = twins(["src/util.c"], {"src/util.c", "src/util.h", "test/util_test.c"})
    assert two == {"src/util.h": 0.5, "test/util_test.c": 0.5}
    many = {f"{place}/views.py" for place in range(MOST_TWINS + 2)}
    assert twins(["0/views.py"], many) == {}


def test_fusion_leaves_out_what_the_change_shows_and_names_its_reasons() -> None:
    ranked = fused(
        {"together": {"b.py": 0.9, "a.py": 1.0, "CHANGES.md": 0.8}, "names": {"b.py": 3.0, "c.py": 1.0}}, {"a.py"}
    )
    assert [each.path for each in ranked] == ["b.py", "c.py", "CHANGES.md"]
    assert ranked[0].reasons == ("together", "names")


PATHS = st.sampled_from(["a.py", "b.py", "t/test_a.py", "c/d.go", "README.md", "x"])


@given(st.sets(PATHS, min_size=1), st.lists(st.lists(PATHS, unique=True), max_size=6))
def test_any_history_gives_finite_positive_scores_of_other_files(changed: set[str], commits: list[list[str]]) -> None:
    scores = together(changed, commits)
    assert all(0 < score < 100 for score in scores.values())
    assert not changed & scores.keys()
    ranked = fused(
        {"together": scores, "names": alike(changed, {path for paths in commits for path in paths})}, changed
    )
    assert not changed & {each.path for each in ranked}
    assert [each.score for each in ranked] == sorted((each.score for each in ranked), reverse=True)
