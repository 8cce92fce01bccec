"""`coderag train` on small real repositories: the same bytes each time, also after it was stopped, and better than nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from app.cli import application
from app.clients.table import load_table
from app.core.errors import UserError
from app.core.static_model import step
from app.core.vocabulary import Vocabulary
from app.train import fit as fitting
from app.train.corpus import build_corpus, build_vocabulary
from app.train.fit import Recipe, _order, fit
from app.train.harvest import FORM, Bounds, harvest, kept_harvest, read_pairs
from tests.repositories import GitRepository

THINGS = "invoice customer address payment refund voucher basket parcel courier warehouse supplier contract".split()
VERBS = "create remove validate archive".split()
RECIPE = Recipe(words=500, dimension=16, epochs=3, batch=8, seed=1)


def function(verb: str, thing: str, version: int) -> str:
    return f'def {verb}_{thing}(store, key):\n    """Ask the {thing} store to {verb} one of its records."""\n    return store.{verb}(key, {version})\n'


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    made = GitRepository.create(tmp_path / "shop.git")
    for version, changed in enumerate(["first", *THINGS]):
        files = {
            f"shop/{thing}/{verb}.py": function(verb, thing, int(at < version))
            for at, thing in enumerate(THINGS)
            for verb in VERBS
        }
        made.commit(files, message=f"Store the version of every {changed} record\n\nSigned-off-by: A <a@b.c>")
    return made.path


async def test_a_harvest_has_commits_and_docstrings_and_is_read_once(repository: Path, tmp_path: Path) -> None:
    found = await harvest(repository, tmp_path, Bounds())
    pairs = list(read_pairs(found.path))
    assert found.pairs == len(pairs) == len(THINGS) * len(VERBS) * 2
    assert (found.name, len(found.commit)) == ("shop.git", 40)
    invoice = [pair for pair in pairs if "version" in pair.query and "invoice" in pair.query]
    assert len(invoice) == len(VERBS)
    assert all({"invoice", "store"} <= pair.code.keys() for pair in invoice)
    assert not any("signed" in pair.query for pair in pairs)
    before = found.path.stat().st_mtime_ns
    assert await harvest(repository, tmp_path, Bounds()) == found
    assert found.path.stat().st_mtime_ns == before
    assert (await harvest(repository, tmp_path, Bounds(commits=2, files=1))).pairs == 2 * len(VERBS) + 1


async def test_a_harvest_that_was_kept_is_read_without_its_repository(repository: Path, tmp_path: Path) -> None:
    found = await harvest(repository, tmp_path, Bounds())
    again = kept_harvest(found.path)
    assert (again.name, again.pairs, again.path) == (found.name, found.pairs, found.path)
    assert found.commit.startswith(again.commit)
    assert len(again.commit) == 12


@pytest.mark.parametrize(
    "name", ["pairs.jsonl.gz", "shop-0123456789ab-1-1-999.jsonl.gz", "shop-0123456789ab-1-1-{form}.jsonl.gz"]
)
def test_another_file_given_as_a_harvest_is_a_plain_error(name: str, tmp_path: Path) -> None:
    path = tmp_path / name.format(form=FORM)
    path.write_bytes(b"not compressed")
    with pytest.raises(UserError, match=r"is not a harvest|cannot be read"):
        kept_harvest(path)


async def test_training_gives_the_same_bits_and_goes_on_where_it_was_stopped(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = await harvest(repository, tmp_path, Bounds())
    corpus = build_corpus([found], build_vocabulary([found], RECIPE.words))

    def told(stop_in: int) -> Callable[[int, int, int, float], None]:
        def tell(epoch: int, batch: int, batches: int, loss: float) -> None:
            assert np.isfinite(loss)
            if (epoch, batch) == (stop_in, 2):
                raise KeyboardInterrupt

        return tell

    folders = [tmp_path / name for name in ("one", "two", "three")]
    for folder in folders:
        folder.mkdir()
    whole, again = (fit(corpus, RECIPE, folder, told(-1)) for folder in folders[:2])
    np.testing.assert_array_equal(whole.table, again.table)
    with pytest.raises(KeyboardInterrupt):
        fit(corpus, RECIPE, folders[2], told(1))
    steps: list[float] = []

    def counted(*given: Any) -> float:
        steps.append(step(*given))
        return steps[-1]

    monkeypatch.setattr(fitting, "step", counted)
    resumed = fit(corpus, RECIPE, folders[2], told(-1))
    assert len(steps) == whole.steps * 2 // 3
    np.testing.assert_array_equal(whole.table, resumed.table)
    np.testing.assert_array_equal(whole.weights, resumed.weights)


async def test_words_of_many_repositories_come_first_and_rare_ones_get_no_row(repository: Path, tmp_path: Path) -> None:
    found = await harvest(repository, tmp_path, Bounds())
    words = build_vocabulary([found], 10_000).words
    assert len(set(words)) == len(words)
    assert {"invoice", "refund", "store"} <= set(words)
    assert build_vocabulary([found], 3).words == words[:3]
    assert isinstance(build_vocabulary([found], 3), Vocabulary)


def train(*arguments: object) -> Result:
    return CliRunner().invoke(application, ["train", *map(str, arguments)], catch_exceptions=False)


@pytest.mark.slow
def test_the_command_writes_a_table_that_loads_and_says_how_good_it_is(repository: Path, tmp_path: Path) -> None:
    small = ("--words", 500, "--dimension", 16, "--epochs", 4, "--batch", 16, "--jobs", 1)
    first = train(repository, "--out", tmp_path / "a.npz", "--hold-out", repository, "--name", "shop", *small)
    assert first.exit_code == 0
    figures = json.loads(first.stdout)
    assert figures["id"] == load_table(tmp_path / "a.npz").id
    assert figures["id"].startswith("shop-1-")
    assert figures["recall at 1"]["trained"] > 0.1  # by chance one in sixty
    second = train(repository, "--out", tmp_path / "b.npz", "--name", "shop", *small, "--hold-out", repository)
    assert second.exit_code == 0
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    (harvested,) = (tmp_path / "a.work").glob("*.jsonl.gz")
    assert train("--harvest", harvested, "--out", tmp_path / "c.npz", "--name", "shop", *small).exit_code == 0
    assert load_table(tmp_path / "c.npz").id == load_table(tmp_path / "a.npz").id


def test_a_repository_without_pairs_and_a_bad_name_are_plain_errors(tmp_path: Path) -> None:
    made = GitRepository.create(tmp_path / "empty.git")
    made.commit({"README.md": "nothing"}, message="A message of enough characters")
    for arguments, said in (((made.path,), "no pairs"), ((made.path, "--name", "Bad Name"), "small letters")):
        with pytest.raises(Exception, match=said):
            train(*arguments, "--out", tmp_path / "t.npz")


def test_a_run_of_pairs_is_of_one_repository_and_none_is_lost() -> None:
    repositories = np.array([0] * 10 + [1] * 3 + [2] * 7)
    order = _order(repositories, 4, np.random.default_rng(1))
    assert sorted(order.tolist()) == list(range(20))
    changes = int((np.diff(repositories[order]) != 0).sum())
    assert changes <= 5  # three runs, one and two
    assert (order != _order(repositories, 4, np.random.default_rng(2))).any()
