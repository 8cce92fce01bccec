"""Which commits make fair questions, and what in them had to be found."""

from __future__ import annotations

import pytest

from app.core.history_rows import old_ranges, question_text, wanted_paths

ANN = "Ann <ann@example.com>"


@pytest.mark.parametrize(
    ("author", "message"),
    [
        (ANN, "fix typo"),
        (ANN, "Merge branch 'main' into feature-of-mine"),
        (ANN, "Release 2.0 of the whole library"),
        (ANN, "Bump version to 3.1.4 for release"),
        (ANN, "Bump actions/checkout from 3 to 4"),
        (ANN, "v10.20.30-rc.1.with.a.long.suffix"),
        (ANN, 'Revert "Add the thing that broke it"'),
        (ANN, "style: reorder imports everywhere"),
        (ANN, "Reformat everything with the new settings"),
        (ANN, "Run black over the whole code base"),
        ("dependabot[bot] <support@github.com>", "Update the session cookie when it expires"),
        ("Weblate <noreply@weblate.org>", "Translate the messages into Esperanto"),
        (ANN, "short\n\nSigned-off-by: Ann Somebody <ann@example.com>"),
    ],
)
def test_what_is_no_question_is_left_out(author: str, message: str) -> None:
    assert question_text(author, message) == ""


@pytest.mark.parametrize(
    "message",
    [
        "Write the session cookie only when it changed",
        "Fix release of the lock after a timeout",
        "Let `merge` keep the order of its keys",
        "feat(router): match trailing slashes",
    ],
)
def test_a_person_s_words_are_kept_without_trailers(message: str) -> None:
    assert question_text(ANN, f"{message}\n\nSigned-off-by: Ann <ann@example.com>\n") == message


@pytest.mark.parametrize(
    ("paths", "touched", "wanted"),
    [
        pytest.param(["app/a.py", "tests/test_a.py", "README.md"], 3, ("app/a.py",), id="no tests, no prose"),
        pytest.param(["tests/test_a.py"], 1, (), id="only tests"),
        pytest.param(["lib/x.rb", "src/y.php"], 2, ("lib/x.rb", "src/y.php"), id="several languages"),
        pytest.param(["vendor/x/y.go", "package-lock.json", "setup.cfg"], 3, (), id="vendored, generated, settings"),
        pytest.param([f"a/{n}.py" for n in range(5)], 5, (), id="more than one message describes"),
        pytest.param(["app/a.py"], 40, (), id="a sweep"),
    ],
)
def test_wanted_are_few_source_files(paths: list[str], touched: int, wanted: tuple[str, ...]) -> None:
    assert wanted_paths(paths, touched) == wanted


@pytest.mark.parametrize(
    ("old", "new", "ranges"),
    [
        ("a\nb\nc\n", "a\nB\nc\n", ((2, 2),)),
        ("a\nb\nc\n", "a\nc\n", ((2, 2),)),
        ("a\nb\nc\n", "a\nb\nx\nc\n", ((2, 2),)),
        ("a\n", "x\na\n", ((1, 1),)),
        ("a\nb\n", "a\nb\n", ()),
        ("a\nb\n", "", ((1, 2),)),
    ],
)
def test_ranges_are_of_the_text_before(old: str, new: str, ranges: tuple[tuple[int, int], ...]) -> None:
    assert old_ranges(old, new) == ranges
