"""Records: what is stored of a chunk, a file and a scope, and that it comes back as it was."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.changes import identity
from app.core.errors import BadPayload
from app.core.records import (
    FILE_FACTS,
    LONGEST_SIGNATURE,
    FileRecord,
    ScopeRecord,
    breadcrumb,
    chunk_payload,
    dense_text,
    digest_of,
    file_payload,
    file_record,
    point_id,
    read_chunk,
    read_file,
    read_scope,
    says_nothing,
    scope_payload,
    signature_shown,
)
from app.core.tokens import count_tokens
from app.core.types import BRANCH, Call, Chunk, Definition, Import, Skip, SourceFile, pull_scope

BLOB = "a" * 40

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
numbers = st.integers(0, 10**6)
calls = st.builds(Call, name=texts, receiver=texts, line=numbers, target=texts, within=texts)
chunks = st.builds(
    Chunk,
    path=texts,
    language=texts,
    kind=texts,
    name=texts,
    qualified=texts,
    parent=texts,
    signature=texts,
    docstring=texts,
    first=numbers,
    last=numbers,
    text=texts,
    part=st.integers(0, 9),
    defines=st.lists(texts, max_size=3).map(tuple),
    calls=st.lists(calls, max_size=3).map(tuple),
)
imports = st.builds(Import, module=texts, name=texts, alias=texts, line=numbers)
definitions = st.builds(
    Definition,
    name=texts,
    qualified=texts,
    kind=texts,
    first=numbers,
    last=numbers,
    signature=texts,
    docstring=texts,
    bases=st.lists(texts, max_size=2).map(tuple),
)
files = st.builds(
    SourceFile,
    path=texts,
    language=texts,
    chunks=st.lists(chunks, max_size=2).map(tuple),
    definitions=st.lists(definitions, max_size=3).map(tuple),
    imports=st.lists(imports, max_size=3).map(tuple),
    parsed=st.booleans(),
    skip=st.none() | st.sampled_from(Skip),
    note=texts,
)


def stored(payload: dict[str, object]) -> dict[str, object]:
    """What a store gives back: JSON values only."""
    back: dict[str, object] = json.loads(json.dumps(payload))
    assert back == payload
    return back


@given(chunks, st.lists(imports, max_size=2), numbers)
def test_a_chunk_comes_back_as_it_was(chunk: Chunk, imported: list[Import], position: int) -> None:
    record = read_chunk(stored(chunk_payload(7, pull_scope(3), BLOB, position, chunk, imported)))
    for name in (
        "path",
        "language",
        "kind",
        "name",
        "qualified",
        "parent",
        "signature",
        "docstring",
        "first",
        "last",
        "part",
    ):
        assert getattr(record, name) == getattr(chunk, name)
    assert (record.scope, record.blob, record.position) == ("pull/3", BLOB, position)
    assert record.calls == chunk.calls
    assert record.digest == digest_of(dense_text(chunk))


@given(files, st.integers(-1, 10**7))
def test_a_file_comes_back_as_it_was(source: SourceFile, size: int) -> None:
    record = file_record(BRANCH, BLOB, size, source)
    assert read_file(stored(file_payload(7, record))) == record
    assert record.chunks == len(source.chunks)
    facts = {name: value for name, value in file_payload(7, record).items() if name in FILE_FACTS}
    assert read_file(facts) == replace(record, imports=(), definitions=())


@given(st.builds(ScopeRecord, scope=texts, head=texts, base=texts, dirty=st.booleans(), rules=texts, full_name=texts))
def test_a_scope_comes_back_as_it_was(record: ScopeRecord) -> None:
    assert read_scope(stored(scope_payload(7, record))) == record


CHUNK = Chunk("a/b.py", "python", "method", "m", "A.m", "A", "def m(self):", "", 3, 4, "def m(self):\n    store()")


def test_a_rename_keeps_the_digest_and_an_edit_does_not() -> None:
    assert digest_of(dense_text(replace(CHUNK, path="c.py", first=9, last=10))) == digest_of(dense_text(CHUNK))
    assert digest_of(dense_text(replace(CHUNK, text="def m(self):\n    pass"))) != digest_of(dense_text(CHUNK))
    assert digest_of(dense_text(replace(CHUNK, qualified="B.m"))) != digest_of(dense_text(CHUNK))


def test_parts_are_told_their_signature_as_far_as_the_index_keeps_it() -> None:
    assert signature_shown(CHUNK) == ""
    assert dense_text(replace(CHUNK, part=2)) == "A > m\ndef m(self):\ndef m(self):\n    store()"
    long = replace(CHUNK, part=1, signature="x" * 10_000)
    assert signature_shown(long) == "x" * LONGEST_SIGNATURE


@given(chunks)
def test_tokens_of_the_dense_text_are_those_of_its_pieces(chunk: Chunk) -> None:
    if says_nothing(chunk):
        assert dense_text(chunk) == ""
        return
    summed: dict[str, int] = {}
    for text in (breadcrumb(chunk), signature_shown(chunk), chunk.text):
        for token, times in count_tokens(text).items():
            summed[token] = summed.get(token, 0) + times
    assert summed == count_tokens(dense_text(chunk))


def test_a_chunk_is_found_by_simple_and_qualified_names_and_by_aliases_of_what_it_calls() -> None:
    chunk = replace(
        CHUNK,
        defines=("A", "A.m", "A.m"),
        calls=(Call("save", "", 4, "m.save", "A.m"), Call("save", "self", 5, "", "A.m"), Call("x", "", 6, "", "")),
    )
    imported = [Import("m", "save", "store", 1), Import("m", "other", "y", 2), Import("numpy", "", "x", 3)]
    payload = chunk_payload(7, BRANCH, BLOB, 0, chunk, imported)
    assert payload["names"] == ["A", "m", "A.m"]
    assert payload["call_names"] == ["save", "x", "store"]


def test_long_signatures_are_cut_for_the_index() -> None:
    payload = chunk_payload(7, BRANCH, BLOB, 0, replace(CHUNK, signature="x" * 10_000), [])
    assert len(str(payload["signature"])) == LONGEST_SIGNATURE


def test_ids_are_stable_and_differ_in_every_part() -> None:
    assert point_id(7, BRANCH, "chunk", "a.py", 0) == "d7e810e8-6bf9-556a-bba0-ff977a5badd7"
    ids = {
        point_id(7, BRANCH, "chunk", "a.py", 0),
        point_id(8, BRANCH, "chunk", "a.py", 0),
        point_id(7, pull_scope(1), "chunk", "a.py", 0),
        point_id(7, BRANCH, "file", "a.py", 0),
        point_id(7, BRANCH, "chunk", "b.py", 0),
        point_id(7, BRANCH, "chunk", "a.py", 1),
        point_id(7, BRANCH, "chunk", "a.p", 0),
    }
    assert len(ids) == 7


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (FileRecord(BRANCH, "a", BLOB), BLOB),
        (FileRecord(BRANCH, "a", BLOB, skip="minified"), BLOB),
        (FileRecord(BRANCH, "a", BLOB, skip="path filter", refused=True), identity(BLOB, "path filter")),
        (FileRecord(BRANCH, "a", BLOB, skip="blob missing"), ""),
    ],
)
def test_identity_names_reasons_that_do_not_follow_from_the_blob(record: FileRecord, expected: str) -> None:
    assert record.identity == expected


@pytest.mark.parametrize(
    "damage",
    [
        {"type": "chunk"}, {"path": 5}, {"chunks": "3"}, {"chunks": True}, {"parsed": "yes"}, {"imports": 3},
        {"imports": [["m", "n", "a"]]}, {"imports": [["m", "n", "a", "1"]]}, {"definitions": ["abc"]}, {"skip": None},
    ],
)  # fmt: skip
def test_a_damaged_record_is_a_bad_payload_and_no_crash(damage: dict[str, object]) -> None:
    with pytest.raises(BadPayload):
        read_file({**file_payload(7, FileRecord(BRANCH, "a", BLOB)), **damage})


def test_a_record_that_lacks_a_field_is_a_bad_payload() -> None:
    payload = chunk_payload(7, BRANCH, BLOB, 0, CHUNK, [])
    for name in payload.keys() - {"repo"}:
        with pytest.raises(BadPayload):
            read_chunk({key: value for key, value in payload.items() if key != name})
