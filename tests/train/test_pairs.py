"""Which messages, files, chunks and docstrings are learnt from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.changes import Change
from app.train.pairs import (
    LONGEST_MESSAGE,
    MOST_CHUNKS,
    MOST_FILES,
    Edited,
    changed_chunks,
    commit_pairs,
    docstring_pairs,
    is_code,
    readable_changes,
    telling_message,
)

BODY = "".join(f"    settings.option_{at} = settings.get('option_{at}', defaults['option_{at}'])\n" for at in range(20))
"""Long enough that neither function is put into a chunk with the other."""
OLD = f'''import os


def load(path):
    """Read the settings of a project from its file."""
{BODY}    with open(path) as file:
        return parse(file.read())


def save(path, settings):
{BODY}    with open(path, "w") as file:
        file.write(render(settings))
'''


@pytest.mark.parametrize(
    "message",
    ["fix typo", "Merge branch 'main' into topic", "Release 1.2.3 of the package", "v2.0.1 and some more words", "Bump urllib3 from 1 to 2",
     "style: run the formatter on everything", "Revert \"Handle empty settings files\"", "Update changelog for the next version", "", "x" * 19],
)  # fmt: skip
def test_messages_that_say_nothing_about_code_are_left_out(message: str) -> None:
    assert telling_message(message) == ""


def test_a_message_loses_its_trailers_links_and_ids() -> None:
    said = telling_message(
        "Handle an empty settings file (#123)\n\nSee https://example.com/x and 0123abcdef0.\n\nSigned-off-by: A <a@b.c>\nFixes: #9"
    )
    assert "Handle an empty settings file" in said
    assert not any(each in said for each in ("#123", "https", "0123abcdef0", "Signed", "a@b.c", "Fixes"))


@given(st.text())
def test_any_message_gives_a_bounded_text(message: str) -> None:
    assert len(telling_message(message)) <= LONGEST_MESSAGE


@pytest.mark.parametrize(
    ("path", "learnt"),
    [("app/load.py", True), ("src/Pool.cs", True), ("lib/a.rb", True), ("tests/test_load.py", False), ("README.md", False),
     ("a.json", False), ("vendor/x/y.go", False), ("docs/conf.py", False), ("picture.png", False)],
)  # fmt: skip
def test_source_alone_is_learnt_from(path: str, learnt: bool) -> None:
    assert is_code(path) is learnt


def change(path: str, status: str = "M") -> Change:
    return Change(path, "100644", "100644", "a" * 40, "b" * 40, status)


def test_only_modified_code_files_of_small_commits_are_read() -> None:
    assert readable_changes([change("a.py"), change("README.md"), change("new.py", "A")]) == (change("a.py"),)
    assert readable_changes([change(f"{at}.py") for at in range(MOST_FILES + 1)]) == ()
    assert readable_changes([change("README.md")]) == ()


def test_the_chunks_of_the_parent_that_an_edit_touches() -> None:
    edited = Edited("app/load.py", OLD, OLD.replace("render(settings)", "render(settings or {})"))
    assert [each.name for each in changed_chunks(edited)] == ["save"]
    inserted = Edited("app/load.py", OLD, OLD.replace("        return parse", "        # whole\n        return parse"))
    assert [each.name for each in changed_chunks(inserted)] == ["load"]
    between = Edited("app/load.py", OLD, OLD.replace("\n\ndef save", "\n\ndef extra():\n    pass\n\n\ndef save"))
    assert changed_chunks(between) == []


def test_a_commit_gives_its_message_with_every_changed_chunk_unless_they_are_many() -> None:
    edited = Edited("app/load.py", OLD, OLD.replace("open(path", "io.open(path"))
    pairs = commit_pairs("c1", "Open settings files through io", [edited])
    assert [pair.group for pair in pairs] == ["c1", "c1"]
    assert {"load", "settings"} <= pairs[0].code.keys()
    assert pairs[0].query["io"] == 1
    many = (
        "".join(f"def f{at}(first, second):\n    return first + second + {at}\n\n\n" for at in range(MOST_CHUNKS + 1))
        * 6
    )
    assert len(changed_chunks(Edited("a.py", many, many.replace("return", "yield")))) > MOST_CHUNKS
    assert commit_pairs("c2", "Yield the sums", [Edited("a.py", many, many.replace("return", "yield"))]) == []


def test_a_docstring_is_paired_with_the_function_without_it() -> None:
    (pair,) = docstring_pairs("app/load.py", OLD)
    assert {"read", "settings", "project"} <= pair.query.keys()
    assert "parse" in pair.code
    assert "project" not in pair.code


def test_a_comment_above_a_function_is_its_docstring_too() -> None:
    text = "package a\n\n// Close ends the connection\n// and frees its buffers.\nfunc Close(c Conn) error {\n\treturn c.shutdown(now)\n}\n"
    (pair,) = docstring_pairs("a.go", text)
    assert {"connection", "buffers"} <= pair.query.keys()
    assert not {"buffers", "frees"} & pair.code.keys()
    assert "shutdown" in pair.code
