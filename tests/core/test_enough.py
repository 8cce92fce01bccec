"""Thin evidence and near misses: what is not there is never answered with what happens to be nearest."""

from __future__ import annotations

import pytest

from app.core.enough import LONGEST_SLIP, closest, coverage, is_thin, likeness, mentions, missing_names, spellings
from app.core.query import read_question

NAMES = [
    "parse_url",
    "parseURI",
    "separability_matrix",
    "fetch_user_name",
    "get_user_name",
    "simplify",
    "Request",
    "run",
    "a",
]


@pytest.mark.parametrize(
    ("missing", "near"),
    [
        ("parseURL", ["parse_url", "parseURI"]),
        ("sepparability_matrix", ["separability_matrix"]),
        ("simplfy", ["simplify"]),
        ("Client.Reqest", ["Request"]),
        ("load_user_name", ["fetch_user_name", "get_user_name"]),
        ("frobnicate", []),
        ("x", []),
    ],
)
def test_near_misses_are_names_a_person_could_have_meant(missing: str, near: list[str]) -> None:
    assert closest(missing, NAMES)[: max(1, len(near))] == near


def test_likeness_is_symmetric_and_bounded() -> None:
    for one in NAMES:
        assert likeness(one, one) == 1.0
        for other in NAMES:
            assert 0.0 <= likeness(one, other) <= 1.0


def test_evidence_must_hold_the_subject() -> None:
    question = read_question("how does the flux capacitor regulate temporal displacement?")
    assert is_thin(question, ["def regulate(valve): ...", "class Valve: ..."])
    assert not is_thin(question, ["class FluxCapacitor:\n    def displacement(self): ..."])
    assert is_thin(question, [])
    assert coverage(question, ["flux capacitor regulate temporal displacement"]) == 1.0


def test_single_words_in_many_places_are_no_answer() -> None:
    question = read_question("GPU tensor memory pinning for CUDA streams")
    scattered = ["def tensor(): ...", "memory = 1", "class Stream: ...", "pinning"]
    assert coverage(question, scattered) > 0.5
    assert is_thin(question, scattered)
    assert not is_thin(question, ["def pin(tensor, memory): ...", "class Stream: ..."])


def test_number_and_joined_forms_do_not_decide() -> None:
    assert coverage(read_question("session cookies"), ["the cookie of a sessions"]) == 1.0
    assert coverage(read_question("parseURL"), ["parse the url"]) == 1.0
    assert coverage(read_question("signed cookies expiring"), ["sign(cookie, expire)"]) == 1.0
    assert coverage(read_question("sign"), ["signal"]) == 0.0


def test_only_plainly_named_names_are_missed() -> None:
    question = read_question("`parse_url` and `gone_for_good` break MyClass")
    assert missing_names(question, [{"path": "a.py", "names": ["parse_url"]}]) == ("gone_for_good",)


def test_the_name_asked_for_must_be_there_as_written() -> None:
    chunk = {"path": "shop/cart.py", "names": ["save", "Cart.save"]}
    for written in ("Cart.save", "cart.Cart.save", "shop.cart.Cart.save", "save"):
        assert missing_names(read_question(f"who calls {written}?"), [chunk]) == ()
    assert missing_names(read_question("who calls Basket.save?"), [chunk]) == ("Basket.save",)
    assert missing_names(read_question("`basket.save` is slow and late"), [chunk]) == ()


def test_a_mention_is_a_whole_word() -> None:
    assert mentions(["x = json.dumps(y)"], ["json.dumps"])
    assert mentions(["call(parse)"], ["nope", "parse"])
    assert not mentions(["call(parser)", "self.parse()"], ["parse"])
    assert not mentions(["anything"], [])


@pytest.mark.parametrize(
    ("slip", "name"),
    [
        ("simplfy", "simplify"),
        ("simplifyy", "simplify"),
        ("smiplify", "simplify"),
        ("simplyfy", "simplify"),
        ("parse_url", "parseURL"),
        ("ParseUrl", "parse_url"),
        ("MAX_ITEMS", "maxItems"),
        ("Client.fetch_pages", "fetch_page"),
        ("kδ", "δ"),
    ],
)
def test_a_slip_leads_to_the_name_that_was_meant(slip: str, name: str) -> None:
    assert name in spellings(slip)


def test_slips_are_bounded_and_never_the_name_itself() -> None:
    assert len(spellings("x" * LONGEST_SLIP)) < 70 * LONGEST_SLIP
    assert len(spellings("someVeryLongName" * 100)) < 10
    assert spellings("") == sorted(spellings(""))
    assert "parse" not in spellings("parse")
