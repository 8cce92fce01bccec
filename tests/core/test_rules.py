"""Path filters: what a repository's globs keep and leave out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.rules import Rules


@pytest.mark.parametrize(
    ("filters", "kept", "left_out"),
    [
        ([], ["a.py", "d/e.py"], []),
        (["!dist/**"], ["a.py", "x/dist/b.js", "dist.py"], ["dist/a.js", "dist/b/c.js"]),
        (["!dist"], ["distant.py"], ["dist/a.js", "x/dist/b.js", "dist"]),
        (["!dist/"], ["dist", "x/dist"], ["dist/a.js", "x/dist/b.js"]),
        (["!/dist"], ["x/dist/b.js"], ["dist/a.js"]),
        (["!*.min.js"], ["a.js"], ["a.min.js", "d/e.min.js"]),
        (["!docs/*.md"], ["docs/a/b.md", "x/docs/a.md"], ["docs/a.md"]),
        (["!**/test/**"], ["a/tests/b.py", "test"], ["test/a.py", "a/test/b.py", "a/b/test/c/d.py"]),
        (["!a/**/b"], ["a/c", "b"], ["a/b", "a/x/b", "a/x/y/b", "a/x/b/c.py"]),
        (["src/**"], ["src/a.py", "src/b/c.py"], ["a.py", "lib/src/a.py"]),
        (["src/**", "!src/gen"], ["src/a.py"], ["src/gen/a.py", "b.py"]),
        (["!dist/**", "dist/keep.js"], ["a.py", "dist/keep.js"], ["dist/x.js"]),
        (["!f?o[12].py"], ["foo3.py", "f/o1.py"], ["foo1.py", "fao2.py"]),
        (["!"], ["a.py"], []),
        (["!src/app/(main)/[[]id]/*"], ["src/app/(main)/id/a"], ["src/app/(main)/[id]/a b.tsx"]),
        (["!**"], [], ["a", "b/c"]),
    ],
)
def test_path_filters(filters: list[str], kept: list[str], left_out: list[str]) -> None:
    rules = Rules(tuple(filters))
    assert [path for path in kept if not rules.keeps(path)] == []
    assert [path for path in left_out if rules.keeps(path)] == []


@given(
    st.lists(st.text("ab*?[]!/.\\", max_size=12), max_size=4),
    st.lists(st.text("ab.", min_size=1, max_size=3), min_size=1),
)
def test_any_text_is_a_filter_and_none_takes_long(filters: list[str], path: list[str]) -> None:
    Rules(tuple(filters)).keeps("/".join(path))


def test_a_pattern_made_to_be_slow_is_not() -> None:
    slow = "/".join(["**", "a*"] * 40)
    assert Rules((f"!{slow}/b",)).keeps("/".join(["aaaa"] * 400))


def test_digest_follows_filters_and_attributes() -> None:
    digests = {
        Rules().digest,
        Rules(("a",)).digest,
        Rules(("b",)).digest,
        Rules(("a", "b")).digest,
        Rules((), "x").digest,
    }
    assert len(digests) == 5
    assert Rules(("a",)).digest == Rules(("a",)).digest
    assert Rules().digest.startswith(f"{Rules().version}.")
