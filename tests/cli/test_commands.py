"""Runs the commands as a person does, on a small real repository, and reads what they print and how they exit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from app.cli import application
from app.core.errors import UserError
from app.sandbox.sample import make_sample
from tests.builders import delivery, user

RUN = CliRunner()


@pytest.fixture
async def sample(tmp_path: Path) -> Path:
    await make_sample(tmp_path / "library.git")
    return tmp_path / "library.git"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"CODERAG_DATA_DIR": str(tmp_path / "data")}


def coderag(environment: dict[str, str], *arguments: object) -> Result:
    return RUN.invoke(application, [str(each) for each in arguments], env=environment, catch_exceptions=False)


def test_index_tells_what_it_did_and_does_it_once(sample: Path, environment: dict[str, str]) -> None:
    first = json.loads(coderag(environment, "index", sample, "--json").stdout)
    again = json.loads(coderag(environment, "index", sample, "--json").stdout)
    assert (first["added"], first["unchanged"]) == (9, 0)
    assert (again["added"], again["unchanged"], again["vectors_computed"]) == (0, 9, 0)
    # A second run still tells what is there and what was left out: the reader need not have seen the first.
    assert first["skipped"]
    assert [again[told] for told in ("skipped", "notes", "chunks")] == [
        first[told] for told in ("skipped", "notes", "chunks")
    ]
    assert "files listed" in coderag(environment, "index", sample, "--full").stdout


def test_search_and_ask_find_a_function_and_exit_zero(sample: Path, environment: dict[str, str]) -> None:
    found = coderag(environment, "search", sample, "due_date", "--json")
    assert found.exit_code == 0
    assert json.loads(found.stdout)["evidence"][0]["citation"]["path"] == "library/loans.py"
    asked = coderag(environment, "ask", sample, "where is due_date defined?")
    assert asked.exit_code == 0
    assert "library/loans.py" in asked.stdout
    assert "verified" in asked.stdout


def test_nothing_found_exits_one(sample: Path, environment: dict[str, str]) -> None:
    assert coderag(environment, "callers", sample, "no_such_function").exit_code == 1


def test_callers_are_one_array_and_a_line_that_counts_the_unresolved(sample: Path, environment: dict[str, str]) -> None:
    listed = coderag(environment, "callers", sample, "normalise_isbn", "--json")
    callers = json.loads(listed.stdout)
    assert {(each["path"], each["symbol"]) for each in callers} == {
        ("library/catalogue.py", "Catalogue.add"),
        ("library/catalogue.py", "Catalogue.find"),
    }
    assert all(isinstance(each["line"], int) for each in callers)
    assert {each["confidence"] for each in callers} == {"exact"}
    assert {(each["target"], each["target_path"]) for each in callers} == {("normalise_isbn", "library/catalogue.py")}
    assert listed.stderr.splitlines()[-1] == "unresolved: 0"
    assert listed.exit_code == 0


def test_callers_of_what_is_not_there_are_an_empty_array_and_a_word_of_why(
    sample: Path, environment: dict[str, str]
) -> None:
    listed = coderag(environment, "callers", sample, "no_such_function", "--json")
    assert json.loads(listed.stdout) == []
    assert listed.stderr.splitlines() == ["Nothing here is called no_such_function.", "unresolved: 0"]
    assert listed.exit_code == 1


def test_pull_prints_the_comment(sample: Path, environment: dict[str, str]) -> None:
    pulled = coderag(environment, "pull", sample, "main~1..main", "--json")
    assert pulled.exit_code == 0
    assert "library/desk.py" in json.loads(pulled.stdout)["body"]


def test_pull_refuses_what_is_no_range(sample: Path, environment: dict[str, str]) -> None:
    with pytest.raises(Exception, match=r"BASE\.\.HEAD"):
        coderag(environment, "pull", sample, "main")


def test_replay_shows_the_job_and_sends_nothing(tmp_path: Path, environment: dict[str, str]) -> None:
    comment = {"id": 7, "body": "@coderag where is it?", "user": user(), "created_at": "2026-01-01T00:00:00Z"}
    issue = {"number": 3, "title": "t", "body": "", "user": user(), "state": "open"}
    payload = tmp_path / "payload.json"
    payload.write_text(json.dumps(delivery(action="created", issue=issue, comment=comment)))
    shown = coderag(environment, "replay", "issue_comment", payload)
    assert shown.exit_code == 0
    assert "answer_mention" in shown.stdout
    assert coderag(environment, "replay", "watch", payload).exit_code == 1


@pytest.mark.parametrize("body", ["[1]", "null", "{", "[" * 100_000, '"push"'])
def test_replay_refuses_what_is_no_payload_as_the_door_does(
    tmp_path: Path, environment: dict[str, str], body: str
) -> None:
    payload = tmp_path / "payload.json"
    payload.write_text(body)
    refused = RUN.invoke(application, ["replay", "push", str(payload)], env=environment)
    assert isinstance(refused.exception, UserError)


def test_the_demo_tells_its_story_and_every_link_holds(sample: Path, environment: dict[str, str]) -> None:
    """Three commits of history: installed, pushed, asked, proposed."""
    told = coderag(environment, "demo", "--repo", sample, "--json")
    scenes = json.loads(told.stdout)
    assert told.exit_code == 0
    assert [problem for scene in scenes for problem in scene["problems"]] == []
    comments = [scene for scene in scenes if scene["comment"]]
    assert len(comments) >= 3
    assert all(scene["links"] for scene in comments)
    assert "due_date" in comments[-1]["comment"]
