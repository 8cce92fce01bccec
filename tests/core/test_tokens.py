"""Words out of code, and the weights they are found by."""

from __future__ import annotations

import ast
import math
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.tokens import (
    AVERAGE_TOKENS,
    BM25_K1,
    LONGEST_WORD,
    count_tokens,
    document_counts,
    sparse_document,
    sparse_of_counts,
    sparse_query,
    token_id,
    tokens,
)
from app.core.types import Sparse

WORDS = [
    ("HTTPServer2Factory", ["httpserver2factory", "http", "server", "factory"]),
    ("getUserById", ["getuserbyid", "get", "user", "id"]),
    ("get_user_by_id", ["getuserbyid", "get", "user", "id"]),
    ("GET_USER_BY_ID", ["getuserbyid", "get", "user", "id"]),
    ("filename", ["filename"]),
    ("file_name", ["filename", "file", "name"]),
    ("__init__", ["init"]),
    ("_private", ["private"]),
    ("XMLHttpRequest", ["xmlhttprequest", "xml", "http", "request"]),
    ("parseJSON", ["parsejson", "parse", "json"]),
    ("sha256", ["sha256", "sha", "256"]),
    ("utf_8", ["utf8", "utf"]),
    ("x", []),
    ("_", []),
    ("a_b", ["ab"]),
    ("is_a", ["isa"]),
    ("this is not what it should be", []),
    ("don't", []),
    ("before after all", ["before", "after", "all"]),
    ("404 0x1F 1e5 3", []),
    ("a.b.parse_url(self, x)", ["parseurl", "parse", "url", "self"]),
    ("src/app/user-service.ts", ["src", "app", "user", "service", "ts"]),
    ("naïveÜberParser", ["naïveüberparser", "naïve", "über", "parser"]),
    ("Größe_max", ["größemax", "größe", "max"]),
    ("ПриветМир", ["приветмир", "привет", "мир"]),
    ("配置文件", ["配置", "置文", "文件"]),
    ("中", ["中"]),
    ("get配置", ["get", "配置"]),
    ("日本語の関数parseを", ["日本", "本語", "語の", "の関", "関数", "parse", "を"]),
    ("사용자", ["사용", "용자"]),
    ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
    ("ภาษาไทย", ["ภา", "าษ", "ษา", "าไ", "ไท", "ทย"]),
    ("ＡＢＣ", ["abc"]),
    ("cafe\u0301", ["caf\u00e9"]),
    ("e" * (LONGEST_WORD + 1), []),
    ("", []),
    ("\ud800 ok\udfff", ["ok"]),
]


@pytest.mark.parametrize(("text", "expected"), WORDS)
def test_words_are_cut_where_people_cut_them(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


@given(st.text())
def test_any_text_gives_tokens_that_can_be_stored(text: str) -> None:
    found = tokens(text)
    for token in found:
        assert token
        assert token == token.lower()
        assert 0 <= token_id(token) < 1 << 32
    assert count_tokens(text) == {token: found.count(token) for token in found}


@given(st.text(st.characters(codec="ascii")))
def test_plain_text_is_cut_the_same_beside_text_of_another_script(text: str) -> None:
    """The fast road for ASCII and the general one agree."""
    assert tokens(text) == [token for token in tokens(f"{text} \u4e2d") if token != "\u4e2d"]


@given(st.from_regex(r"[a-z]{2,8}(_[a-z]{2,8}){1,3}", fullmatch=True))
def test_the_two_ways_to_write_a_name_meet(snake: str) -> None:
    first, *others = snake.split("_")
    camel = first + "".join(other.capitalize() for other in others)
    assert tokens(snake) == tokens(camel)


def test_every_name_of_real_code_is_found_by_itself() -> None:
    """Whoever types a function's name finds it: its tokens are among those of its source."""
    source = Path(subprocess.__file__).read_text(encoding="utf-8")
    counts = count_tokens(source)
    names = [node.name for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    assert len(names) > 40
    for name in names:
        assert set(tokens(name)) <= counts.keys()


def test_ids_are_the_same_in_every_process() -> None:
    assert token_id("parse") == 0xD2D58468  # CRC-32, as any other tool computes it
    code = "from app.core.tokens import token_id; print(token_id('größe'), token_id('parse'))"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert outputs == {f"{token_id('größe')} {token_id('parse')}\n"}


def test_path_and_name_count_twice_and_parents_once() -> None:
    counts = document_counts(count_tokens("save"), "store/user.py", "save", "Archive.save")
    assert counts == {"store": 2, "user": 2, "py": 2, "save": 3, "archive": 1}


def test_weights_are_bm25_without_idf() -> None:
    counts = {"a1": 1, "b2": 3, "filler": AVERAGE_TOKENS - 4}
    weights = dict(zip(*_columns(sparse_of_counts(counts)), strict=True))
    assert weights[token_id("a1")] == pytest.approx(
        (BM25_K1 + 1) / (1 + BM25_K1)
    )  # at average length, one mention is 1
    assert weights[token_id("b2")] == pytest.approx(3 * (BM25_K1 + 1) / (3 + BM25_K1))
    longer = sparse_of_counts(counts | {"more": 500})
    assert dict(zip(*_columns(longer), strict=True))[token_id("a1")] < weights[token_id("a1")]


@given(st.dictionaries(st.text(min_size=1).filter(lambda t: t.isprintable()), st.integers(1, 10_000), max_size=50))
def test_sparse_vectors_are_what_the_stores_demand(counts: dict[str, int]) -> None:
    vector = sparse_of_counts(counts)
    assert list(vector.indices) == sorted(set(vector.indices))
    assert {token_id(token) for token in counts} == set(vector.indices)
    assert all(0 < value <= (BM25_K1 + 1) * len(counts) for value in vector.values)


def test_tokens_that_share_an_id_are_summed() -> None:
    assert token_id("plumless") == token_id("buckeroo")  # a known collision of CRC-32
    assert sparse_query({"plumless": 1.0, "buckeroo": 2.5}) == Sparse((token_id("plumless"),), (3.5,))


def test_a_query_refuses_what_is_no_weight_and_drops_what_says_nothing() -> None:
    assert sparse_query({"gone": 0.0, "also": -1.0}) == Sparse((), ())
    for bad in (math.nan, math.inf):
        with pytest.raises(ValueError, match="finite"):
            sparse_query({"word": bad})


def test_a_chunk_without_words_has_an_empty_vector() -> None:
    assert sparse_document("", "", "", "{ } ; 42 \n") == Sparse((), ())
    assert sparse_document("a/b.py", "", "", "{}").indices == (token_id("py"),)


def _columns(vector: Sparse) -> tuple[tuple[int, ...], tuple[float, ...]]:
    return vector.indices, vector.values
