"""Which files a change leaves out, signal by signal, on a small real repository with a history."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from app.core.impact import WEIGHTS
from app.core.rows import Part
from app.core.types import View
from app.steps.impact import impact, signals_of
from app.steps.view import view_of
from tests.indexing import EMBEDDER, REPO, World, module, world

pytestmark = pytest.mark.asyncio(loop_scope="module")

MONEY = '''"""Amounts."""

from shop.rounding import round_half_even


def total_of(items):
    """The sum of all prices, rounded once at the end."""
    return round_half_even(sum(item.price for item in items))
'''
ROUNDING = '''"""Rounding of amounts."""


def round_half_even(amount):
    """Bankers' rounding: a half goes to the even neighbour."""
    whole = int(amount)
    return whole + (amount - whole > 0.5 or (amount - whole == 0.5 and whole % 2))
'''
INVOICE = '''"""What is sent to the customer."""

from shop.money import total_of


def print_invoice(order):
    """Lines of the order, then what is due."""
    return [line.text for line in order.lines] + [str(total_of(order.lines))]
'''
RECEIPT = '''"""What is kept in the till."""


def till_sum(items):
    """The sum of all prices, rounded once at the end."""
    return sum(item.price for item in items)
'''
FILES = {
    "shop/money.py": MONEY, "shop/rounding.py": ROUNDING, "shop/invoice.py": INVOICE, "till/receipt.py": RECEIPT,
    "tests/test_money.py": module("test_amounts"), "shop/weather.py": module("forecast"), "CHANGES.md": "# Changes\n\nNone.\n",
}  # fmt: skip


@dataclass(frozen=True)
class Shop:
    world: World
    view: View

    async def signals(self) -> dict[str, dict[str, float]]:
        at = self.world
        return await signals_of(at.index, EMBEDDER, at.mirror, self.view, [Part("shop/money.py", ((6, 8),))])


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def shop(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Shop]:
    async with world(Path(tmp_path_factory.mktemp("impact"))) as made:
        made.origin.commit(FILES)
        for number in range(3):
            made.origin.commit({"shop/money.py": f"{MONEY}\n# {number}\n", "CHANGES.md": f"# {number}\n"})
            made.origin.commit(
                {"shop/weather.py": module("forecast", body=f"return {number}"), "CHANGES.md": "# Sun\n"}
            )
        made.origin.commit({"shop/money.py": MONEY, "shop/gone.py": module("gone")})
        made.origin.commit({"shop/gone.py": None})
        await made.reindex()
        yield Shop(made, await view_of(made.index, REPO))


@pytest.mark.parametrize(
    ("signal", "path"),
    [
        ("together", "CHANGES.md"),
        ("around", "shop/rounding.py"),
        ("active", "CHANGES.md"),
        ("names", "tests/test_money.py"),
        ("twins", "tests/test_money.py"),
        ("callers", "shop/invoice.py"),
        ("callees", "shop/rounding.py"),
        ("imports", "shop/invoice.py"),
        ("imports", "shop/rounding.py"),
        ("words", "till/receipt.py"),
        ("meaning", "till/receipt.py"),
    ],
)
async def test_each_signal_finds_what_it_is_for(shop: Shop, signal: str, path: str) -> None:
    scores = (await shop.signals())[signal]
    assert path in scores
    assert scores[path] >= scores.get("shop/weather.py", 0.0)


async def test_the_signals_are_those_that_have_weights_and_know_only_files_that_stand(shop: Shop) -> None:
    signals = await shop.signals()
    assert signals.keys() == set(WEIGHTS.__dataclass_fields__)
    known = {path for scores in signals.values() for path in scores}
    assert known <= FILES.keys() - {"shop/money.py"}


async def test_code_comes_before_what_changes_with_everything(shop: Shop) -> None:
    at = shop.world
    found = await impact(at.index, EMBEDDER, at.mirror, shop.view, [Part("shop/money.py", ((6, 8),))])
    order = [each.path for each in found]
    assert set(order[:3]) == {"tests/test_money.py", "shop/invoice.py", "shop/rounding.py"}
    assert order.index("shop/weather.py") > order.index("till/receipt.py")
    assert "shop/money.py" not in order


async def test_a_changed_file_that_is_not_there_any_more_gives_what_its_name_and_history_say(shop: Shop) -> None:
    at = shop.world
    found = await impact(at.index, EMBEDDER, at.mirror, shop.view, [Part("shop/gone.py", ((1, 2),))])
    assert found[0].path == "shop/money.py"
    assert "together" in found[0].reasons
