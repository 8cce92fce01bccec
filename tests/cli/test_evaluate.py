"""`coderag eval` as a person runs it: real rows over a small real repository and its history."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from app.cli import application
from app.core import impact as core_impact
from app.core import rank as core_rank
from app.core.errors import UserError
from tests.indexing import module
from tests.repositories import GitRepository

RUN = CliRunner()


@pytest.fixture
def shop(tmp_path: Path) -> tuple[GitRepository, list[str]]:
    """owner/shop in the layout `{owner}+{name}/repo`, with its commits, oldest first."""
    origin = GitRepository.create(tmp_path / "repos" / "owner+shop" / "repo")
    commits = [
        origin.commit({
            "shop/cart.py": module("add_item", "remove_item", "empty_basket"),
            "shop/mail.py": module("send_receipt", "format_address"),
            "tests/test_cart.py": module("test_add_item"),
        }, message="Start the shop with a cart and mail"),
        origin.commit({
            "shop/cart.py": module("add_item", "remove_item", "empty_basket", body="return 2"),
            "tests/test_cart.py": module("test_add_item", body="return 2"),
        }, message="Let empty_basket return how many items it threw away"),
        origin.commit({"shop/mail.py": module("send_receipt", "format_address", body="return 3")},
                      message="Make format_address keep the name of the country"),
        origin.commit({"shop/cart.py": module("add_item", body="return 4"), "tests/test_cart.py": module("test_x")},
                      message="Release 1.0 of the whole shop"),
    ]  # fmt: skip
    return origin, commits


def evaluated(tmp_path: Path, *arguments: object) -> tuple[Result, dict[str, object]]:
    file = tmp_path / "figures.json"
    done = RUN.invoke(application, ["eval", *map(str, arguments), "--json", str(file)], catch_exceptions=False)
    return done, json.loads(file.read_text())


def row(commit: str, query: str, path: str, line: int = 1, **more: object) -> dict[str, object]:
    gold = [{"path": path, "lines": [[line, line + 1]]}]
    return {"id": query.split()[0], "repo": "owner/shop", "commit": commit, "query": query, "gold": gold, **more}


def written(tmp_path: Path, *rows: dict[str, object]) -> Path:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in rows))
    return path


def test_rows_are_ranked_at_their_commits_and_missing_ones_counted(
    tmp_path: Path, shop: tuple[GitRepository, list[str]]
) -> None:
    _, commits = shop
    rows = written(
        tmp_path,
        row(commits[2], "format_address loses the country\nIt should keep it.", "shop/mail.py", 22),
        row(commits[1], "add_item forgets the quantity", "shop/cart.py"),
        row("f" * 40, "nowhere", "shop/cart.py"),
        row(commits[0], "elsewhere", "a.py", repo="owner/other"),
    )
    done, figures = evaluated(tmp_path, rows, "--repos", tmp_path / "repos" / "{owner}+{name}" / "repo")
    assert done.exit_code == 0
    assert figures["acc"] == {"1": 100.0, "3": 100.0, "5": 100.0, "10": 100.0}
    assert figures["mrr"] == 1.0
    assert figures["functions"] == {"5": 100.0, "10": 100.0}
    assert figures["skipped"] == {"missing commit": 1, "missing repository": 1}
    found = figures["rows"]
    assert isinstance(found, list)
    assert [(each["id"], each["ranks"]) for each in found] == [("format_address", [1]), ("add_item", [1])]
    assert all("tests/test_cart.py" not in each["top"] for each in found)
    # Six functions at the older commit, then only the two of the file that the newer one changed.
    assert figures["chunks_indexed"] == 8
    assert figures["vectors"] == {"computed": 8, "reused": 0}
    assert "missing repository: 1" in done.stdout


def test_tests_are_ranked_when_asked_for(tmp_path: Path, shop: tuple[GitRepository, list[str]]) -> None:
    rows = written(tmp_path, row(shop[1][0], "test_add_item fails", "tests/test_cart.py"))
    pattern = tmp_path / "repos" / "{owner}+{name}" / "repo"
    _, without = evaluated(tmp_path, rows, "--repos", pattern)
    assert without["acc"] == {"1": 0.0, "3": 0.0, "5": 0.0, "10": 0.0}
    _, figures = evaluated(tmp_path, rows, "--repos", pattern, "--with-tests")
    # Below the code that it tests, as in any answer.
    assert figures["acc"] == {"1": 0.0, "3": 100.0, "5": 100.0, "10": 100.0}


def test_an_ablation_says_what_is_found_without_each_signal(
    tmp_path: Path, shop: tuple[GitRepository, list[str]]
) -> None:
    _, commits = shop
    repos = tmp_path / "repos" / "{owner}+{name}" / "repo"
    rows = written(tmp_path, row(commits[2], "where does format_address keep its country", "shop/mail.py"))
    done, figures = evaluated(tmp_path, rows, "--repos", repos, "--ablation")
    without = figures["without"]
    assert isinstance(without, dict)
    assert without.keys() == set(core_rank.Weights.__dataclass_fields__)
    assert without["quoting"]["acc"] == figures["acc"]
    assert "without" in done.stdout
    change = {"id": "x", "repo": "owner/shop", "commit": commits[2], "hidden": "tests/test_cart.py"}
    hidden = written(tmp_path, change | {"changed": [{"path": "shop/cart.py", "lines": [[1, 3]]}]})
    _, figures = evaluated(tmp_path, hidden, "--repos", repos, "--impact", "--ablation")
    without = figures["without"]
    assert isinstance(without, dict)
    assert without.keys() == set(core_impact.Weights.__dataclass_fields__)
    assert without["twins"].keys() == {"recall"}


def test_the_hidden_file_of_a_change_is_found(tmp_path: Path, shop: tuple[GitRepository, list[str]]) -> None:
    _, commits = shop
    changed = [{"path": "shop/cart.py", "lines": [[1, 3]]}]
    rows = written(
        tmp_path,
        {"id": "1", "repo": "owner/shop", "commit": commits[2], "changed": changed, "hidden": "tests/test_cart.py"},
    )
    done, figures = evaluated(tmp_path, rows, "--impact", "--repos", tmp_path / "repos" / "{owner}+{name}" / "repo")
    assert done.exit_code == 0
    assert figures["recall"] == {"5": 100.0, "10": 100.0}
    found = figures["rows"]
    assert isinstance(found, list)
    assert found[0]["ranks"] == [1]
    assert "shop/cart.py" not in found[0]["top"]


def test_a_history_asks_with_its_own_messages(tmp_path: Path, shop: tuple[GitRepository, list[str]]) -> None:
    origin, commits = shop
    done, figures = evaluated(tmp_path, "--from-history", origin.path)
    assert done.exit_code == 0
    found = figures["rows"]
    assert isinstance(found, list)
    # Newest first; neither the release nor the first commit, which has no parent.
    assert [each["id"] for each in found] == [commits[2], commits[1]]
    assert figures["acc"] == {"1": 100.0, "3": 100.0, "5": 100.0, "10": 100.0}
    assert done.stdout.count("2 of 2, 100 %") == 6
    assert "Make format_address keep the name of the country" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "one of the two"),
        (["rows.jsonl", "--from-history", "."], "one of the two"),
        (["--from-history", ".", "--impact"], "leave --repos and --impact out"),
        (["--from-history", "no/such/folder"], "does not exist"),
        (["no-such.jsonl"], "--repos"),
        (["no-such.jsonl", "--repos", "x"], "cannot be read"),
    ],
)
def test_what_was_typed_wrong_is_said(arguments: list[str], said: str) -> None:
    with pytest.raises(UserError, match=said):
        RUN.invoke(application, ["eval", *arguments], catch_exceptions=False)


def test_a_bad_row_is_named_by_its_line(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text("\n{}\n")
    with pytest.raises(UserError, match="line 2 lacks `id`"):
        RUN.invoke(application, ["eval", str(rows), "--repos", "x"], catch_exceptions=False)


def test_a_history_without_questions_is_said_in_a_sentence(tmp_path: Path) -> None:
    origin = GitRepository.create(tmp_path / "empty.git")
    origin.commit({"README.md": "Hello"})
    with pytest.raises(UserError, match="no commit to ask with"):
        RUN.invoke(application, ["eval", "--from-history", str(origin.path)], catch_exceptions=False)


def test_nothing_evaluated_exits_one(tmp_path: Path) -> None:
    rows = written(tmp_path, row("HEAD", "anything at all", "a.py"))
    done, figures = evaluated(tmp_path, rows, "--repos", tmp_path / "nothing" / "{owner}+{name}")
    assert done.exit_code == 1
    assert figures["count"] == 0
