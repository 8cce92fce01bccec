"""SQL of dialects that the grammar cannot read still gives its tables and functions, with their lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.chunk import chunk_file
from app.core.statements import created
from tests.core.test_chunk import assert_promises

PSQL = """\\i setup.sql
SET client_min_messages = warning;
BEGIN;
/* CREATE TABLE no (a int); */
CREATE TABLE IF NOT EXISTS shop."Orders" (
    id int, note text DEFAULT 'it''s; ok' -- ; no
);
-- Keeps one.
-- Twice.
CREATE OR REPLACE FUNCTION shop.save_order(a int)
RETURNS text AS $body$
BEGIN
    PERFORM 1; -- $$
    RETURN 'x';
END;
$body$ LANGUAGE plpgsql;
\\set QUIET 1
CREATE MATERIALIZED VIEW mv AS SELECT CASE WHEN true THEN 1 END;
CREATE TRIGGER touch BEFORE INSERT ON x FOR EACH ROW EXECUTE FUNCTION now_at();
SELECT ~~~ broken of nothing ((;
CREATE UNIQUE INDEX CONCURRENTLY by_a ON x (a)
CREATE TYPE state AS ENUM ('a', 'b');
COMMIT;
"""


def test_psql_gives_its_definitions_with_lines_comments_and_signatures() -> None:
    source = chunk_file("setup.sql.in", PSQL)
    assert (source.language, source.parsed) == ("sql", False)
    assert [(one.kind, one.name, one.first, one.last) for one in source.definitions] == [
        ("type", "Orders", 5, 7),
        ("function", "save_order", 10, 16),
        ("type", "mv", 18, 18),
        ("function", "touch", 19, 19),
        ("constant", "by_a", 21, 21),
        ("type", "state", 22, 22),
    ]
    saved = source.definitions[1]
    assert saved.docstring == "Keeps one. Twice."
    assert saved.signature == "CREATE OR REPLACE FUNCTION shop.save_order(a int) RETURNS text"
    assert_promises(source, PSQL)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DELIMITER //\nCREATE PROCEDURE p(IN a INT)\nBEGIN\n  IF a THEN SELECT 1; END IF;\nEND //\nDELIMITER ;\nCREATE VIEW v AS SELECT 1;\n", [("p", 2, 5), ("v", 7, 7)]),
        ("DELIMITER $$\nCREATE FUNCTION f() RETURNS INT\nBEGIN\n  RETURN 1;\nEND$$\nDELIMITER ;\n", [("f", 2, 5)]),
        ("CREATE PROCEDURE dbo.[Get It] AS\nBEGIN\n  SELECT 1;\nEND\nGO\nCREATE TABLE t (a int)\nGO\n", [("Get It", 1, 4), ("t", 6, 6)]),
        ("CREATE TRIGGER t AFTER INSERT ON x BEGIN\n  UPDATE a SET b = CASE WHEN 1 THEN 2 END;\n  DELETE FROM c;\nEND;\nCREATE TABLE u (a int);\n", [("t", 1, 4), ("u", 5, 5)]),
        ("CREATE FUNCTION open() AS $$ never closed\nSELECT 1;\n", [("open", 1, 2)]),
    ],
    ids=["mysql", "mysql dollars", "t-sql", "sqlite", "unclosed"],
)  # fmt: skip
def test_statements_end_where_their_dialect_ends_them(text: str, expected: list[tuple[str, int, int]]) -> None:
    source = text.encode()
    found = [
        (each.name, source.count(b"\n", 0, each.start) + 1, source.count(b"\n", 0, each.end) + 1)
        for each in created(source)
    ]
    assert found == expected


PIECES = st.sampled_from(
    [
        "CREATE TABLE a (",
        ")",
        ";",
        "$$",
        "$a$",
        "'",
        '"',
        "--",
        "/*",
        "*/",
        "\n",
        "BEGIN",
        "END",
        "CREATE FUNCTION f",
        "\nGO\n",
        "DELIMITER //\n",
        "//",
        "`",
    ]
)


@given(st.lists(PIECES, max_size=40).map(" ".join))
def test_any_sql_like_text_keeps_the_promises_of_chunks(text: str) -> None:
    source = chunk_file("a.sql", text)
    if source.skip is None:
        assert_promises(source, text)
    ends = [each.end for each in created(text.encode())]
    starts = [each.start for each in created(text.encode())]
    assert all(end <= start for end, start in zip(ends, starts[1:], strict=False))
