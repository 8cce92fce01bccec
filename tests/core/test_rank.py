"""Ranking: what each signal adds, what is demoted, and that the order never depends on chance."""

from __future__ import annotations

import random
from dataclasses import replace

from app.core.past import Past
from app.core.paths import PathTable
from app.core.query import Question, read_question
from app.core.rank import CHUNKS_A_FILE, Ranked, rank
from app.core.signals import MOST_DEFINING, Candidates, defines
from app.core.types import Hit


def hit(path: str, score: float = 1.0, first: int = 1, last: int = 9, names: tuple[str, ...] = ()) -> Hit:
    return Hit(f"{path}:{first}", {"path": path, "first": first, "last": last, "names": list(names)}, score)


def order(question: Question | str, found: Candidates, limit: int = 20) -> list[Ranked]:
    read = read_question(question) if isinstance(question, str) else question
    paths = {
        str(each.payload["path"])
        for hits in (found.words, found.meaning, found.named, found.placed, found.remembered)
        for each in hits
    }
    return rank(read, found, PathTable(paths), limit)


def paths(ranked: list[Ranked]) -> list[str]:
    return list(dict.fromkeys(each.path for each in ranked))


def test_several_good_chunks_in_one_file_beat_one_slightly_better() -> None:
    words = [hit("one.py", 10.0), hit("two.py", 9.5), hit("two.py", 9.0, 20, 30), hit("two.py", 8.5, 40, 50)]
    assert paths(order("broken thing", Candidates(words=words)))[0] == "two.py"


def test_a_file_takes_no_more_than_its_share() -> None:
    words = [hit("big.py", 10 - index / 10, index * 10 + 1, index * 10 + 9) for index in range(9)] + [
        hit("small.py", 1.0)
    ]
    ranked = order("broken thing", Candidates(words=words))
    assert [each.path for each in ranked].count("big.py") == CHUNKS_A_FILE
    assert paths(ranked) == ["big.py", "small.py"]


def test_overlapping_chunks_are_shown_once() -> None:
    words = [hit("a.py", 3.0, 1, 50), hit("a.py", 2.0, 10, 20), hit("a.py", 1.0, 60, 70)]
    assert [each.hit.payload["first"] for each in order("broken thing", Candidates(words=words))] == [1, 60]


def test_tests_docs_and_copies_stand_back_unless_asked_for() -> None:
    words = [
        hit("tests/test_cookie.py", 9.0),
        hit("docs/cookie.md", 8.0),
        hit("vendor/cookie.py", 7.5),
        hit("src/cookie.py", 7.0),
    ]
    assert paths(order("cookie is signed twice", Candidates(words=words)))[0] == "src/cookie.py"
    assert paths(order("which tests cover the cookie?", Candidates(words=words)))[0] == "tests/test_cookie.py"
    assert paths(order("where is the cookie documented?", Candidates(words=words)))[0] == "docs/cookie.md"


def test_the_definition_of_the_name_asked_for_comes_first() -> None:
    words = [hit(f"use{index}.py", 20.0 - index) for index in range(10)]
    named = [hit("deep/parse.py", 1.0, names=("parseURL",)), hit("tests/test_url.py", 1.0, names=("parseURL",))]
    ranked = order("where is `parseURL` defined?", Candidates(words=words, meaning=words, named=named))
    assert ranked[0].path == "deep/parse.py"
    assert "asked" in ranked[0].reasons


def test_a_method_asked_for_by_its_class_is_not_the_other_class() -> None:
    named = [hit("m.py", 1.0, 1, 5, ("save", "B.save")), hit("m.py", 1.0, 10, 15, ("save", "A.save"))]
    words = [hit("m.py", 9.0, 1, 5), hit("other.py", 12.0)]
    ranked = order("A.save", Candidates(words=words, named=named))
    assert ranked[0].path == "m.py"
    assert ranked[0].hit.payload["first"] == 10


def test_a_rare_name_says_more_than_a_common_one() -> None:
    common = [hit(f"c{index}.py", 1.0, names=("get_value",)) for index in range(30)]
    named = [*common, hit("rare.py", 1.0, names=("separability_matrix",))]
    assert paths(order("get_value of separability_matrix is wrong", Candidates(named=named)))[0] == "rare.py"


def test_a_named_file_comes_first_even_if_it_is_a_test() -> None:
    words = [hit("src/a.py", 9.0), hit("src/b.py", 8.0), hit("tests/test_a.py", 3.0)]
    assert paths(order("the order fails oddly", Candidates(words=words)))[0] == "src/a.py"
    ranked = order("tests/test_a.py:5 fails oddly", Candidates(words=words, placed=[hit("tests/test_a.py")]))
    assert ranked[0].path == "tests/test_a.py"


def test_words_of_the_path_break_near_ties() -> None:
    words = [hit("src/misc.py", 5.01), hit("src/printing/latex.py", 5.0)]
    assert paths(order("latex drops a brace", Candidates(words=words)))[0] == "src/printing/latex.py"


def test_ties_are_broken_by_path_and_line_not_by_arrival() -> None:
    hits = [hit(f"f{index}.py", 1.0, line, line + 3, ("get_value",)) for index in range(5) for line in (1, 10)]
    expected: list[tuple[str, object]] | None = None
    for seed in range(20):
        random.Random(seed).shuffle(hits)
        ranked = order("get_value is wrong", Candidates(named=[replace(each) for each in hits]))
        got = [(each.path, each.hit.payload["first"]) for each in ranked]
        expected = expected or got
        assert got == expected
    assert expected is not None
    assert [path for path, _ in expected][:2] == ["f0.py", "f1.py"]


def test_nothing_found_is_an_empty_list() -> None:
    assert order("anything", Candidates()) == []


def test_a_dotted_name_fits_class_member_or_module_member() -> None:
    assert defines({"path": "a.py", "names": ["save", "A.save"]}, "A.save")
    assert defines({"path": "a.py", "names": ["save", "Outer.A.save"]}, "A.save")
    assert not defines({"path": "a.py", "names": ["save", "B.save"]}, "A.save")
    assert defines({"path": "shop/cart.py", "names": ["save", "Cart.save"]}, "shop.cart.Cart.save")
    assert not defines({"path": "shop/cart.py", "names": ["save", "Cart.save"]}, "cart.save")
    assert defines({"path": "pkg/store.py", "names": ["save"]}, "store.save")
    assert defines({"path": "pkg/__init__.py", "names": ["save"]}, "pkg.save")
    assert not defines({"path": "pkg/other.py", "names": ["save"]}, "store.save")
    assert not defines({"path": "a.py", "names": None}, "save")


def test_a_definition_in_code_stands_before_one_of_its_name_in_tests() -> None:
    named = [hit("tests/test_a.py", names=("load",)), hit("src/a.py", names=("load",))]
    words = [hit("tests/test_a.py", 9.0, names=("load",)), hit("src/a.py", 1.0, names=("load",))]
    assert paths(order("where is `load` defined?", Candidates(words=words, named=named)))[0] == "src/a.py"


def test_a_definition_that_only_tests_have_still_comes_first() -> None:
    named = [hit("tests/test_a.py", names=("load",))]
    words = [hit("src/a.py", 9.0), hit("tests/test_a.py", 1.0, names=("load",))]
    assert paths(order("where is `load` defined?", Candidates(words=words, named=named)))[0] == "tests/test_a.py"


def test_what_the_best_files_import_and_call_is_lifted() -> None:
    words = [hit("src/a.py", 9.0), hit("src/b.py", 2.0), hit("src/c.py", 2.0, first=2)]
    level = Candidates(words=words)
    assert paths(order("broken thing", level)) == ["src/a.py", "src/b.py", "src/c.py"]
    imports = replace(level, imports={"src/a.py": {"src/c.py", "src/not_found.py"}})
    found = order("broken thing", imports)
    assert paths(found) == ["src/a.py", "src/c.py", "src/b.py"]
    assert "imported" in found[1].reasons
    caller = replace(words[0], payload={**words[0].payload, "call_names": ["close", "a"]})
    calling = replace(level, words=[caller, words[1], hit("src/c.py", 2.0, first=2, names=("close",))])
    found = order("broken thing", calling)
    assert paths(found) == ["src/a.py", "src/c.py", "src/b.py"]
    assert "called" in found[1].reasons


def test_a_name_that_many_files_define_leads_nowhere() -> None:
    caller = Hit("a", {"path": "src/a.py", "first": 1, "last": 2, "names": [], "call_names": ["close"]}, 9.0)
    many = [hit(f"src/{place}.py", 1.0, names=("close",)) for place in range(MOST_DEFINING + 1)]
    assert all("called" not in each.reasons for each in order("broken thing", Candidates(words=[caller, *many])))


def test_history_and_quotations_lift_what_words_leave_level() -> None:
    words = [hit("src/a.py", 2.0), hit("src/b.py", 2.0, first=2), hit("src/c.py", 1.9)]
    level = Candidates(words=words)
    assert paths(order("broken thing", level))[0] == "src/a.py"
    assert paths(order("broken thing", replace(level, quoting={"src/b.py": 4.0})))[0] == "src/b.py"
    late = replace(level, past=Past((("src/b.py",), ("src/b.py",), ("src/a.py",))))
    assert paths(order("broken thing", late))[0] == "src/b.py"
    assert paths(order("broken thing", replace(level, told={"src/b.py": 1.0})))[0] == "src/b.py"
    remembered = replace(level, remembered=[hit("src/d.py", 0.0)], told={"src/d.py": 1.0})
    assert "src/d.py" in paths(order("broken thing", remembered))
    together = replace(level, past=Past((("src/c.py", "src/a.py"),) * 3))
    found = order("broken thing", together)
    assert "together" in next(each for each in found if each.path == "src/c.py").reasons
