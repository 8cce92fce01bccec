"""From a question to verified evidence, over a real repository with a real index: what is found, and what is not claimed."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from dataclasses import replace
from urllib.parse import unquote, urlsplit

import pytest
import pytest_asyncio

from app.clients.git import Mirror
from app.core.cite import permalink
from app.core.query import read_question
from app.core.records import SCOPE, ScopeRecord, point_id, scope_payload
from app.core.types import BRANCH, Answer, Evidence, Point, View, pull_scope
from app.steps.graph import find_callers, find_definitions
from app.steps.retrieve import MOST_CALLERS, retrieve, view_of
from tests.indexing import EMBEDDER, REPO, World, world
from tests.repositories import git

pytestmark = pytest.mark.asyncio(loop_scope="module")

CART = '''"""Carts and baskets of the shop."""

import json


class Cart:
    """What a customer is about to buy, kept between visits."""

    def __init__(self, owner):
        self.owner = owner
        self.items = []

    def add_item(self, item, quantity=1):
        """Put an item into the cart; quantities of the same item add up."""
        for known in self.items:
            if known.code == item.code:
                known.quantity += quantity
                return known
        self.items.append(item)
        return item

    def save(self):
        """Write the cart to the session of its owner."""
        data = json.dumps([item.code for item in self.items])
        self.owner.session["cart"] = data
        return data


class Basket:
    """A wish list that is never paid."""

    def __init__(self, owner):
        self.owner = owner

    def save(self):
        """Write the basket to the disk of the shop."""
        with open(self.owner.path, "w") as file:
            file.write(json.dumps(self.owner.wishes))
'''
CHECKOUT = '''"""Paying."""

from shop.cart import Cart as Trolley


class PaymentRefused(Exception):
    """The card was declined by the bank."""


def pay(owner, card):
    """Charge the card for everything in the cart, then empty it."""
    cart = Trolley(owner)
    if not card.charge(cart):
        raise PaymentRefused(card)
    cart.save()


def unrelated(thing):
    """Saves something that nobody knows the type of."""
    thing.save()
'''
NIGHTLY = '''"""Jobs of the night."""

from shop import Basket


def clean_baskets(owners):
    """Write every basket again, so that old wishes go."""
    for owner in owners:
        basket = Basket(owner)
        basket.save()


clean_baskets([])
'''
ODD = "web/src/app/(main)/[id]/a b#c%20.tsx"
FILES = {
    "shop/__init__.py": '"""A shop."""\n\nfrom .cart import Basket, Cart\n\n__all__ = ["Basket", "Cart"]\n',
    "shop/cart.py": CART,
    "shop/checkout.py": CHECKOUT,
    "shop/nightly.py": NIGHTLY,
    "tests/test_cart.py": (
        '"""Tests of carts."""\n\nfrom shop.cart import Cart\n\n\ndef test_items_of_a_kind_add_up():\n'
        '    cart = Cart(None)\n    cart.add_item(Item("a"), quantity=2)\n    cart.add_item(Item("a"))\n'
        "    assert cart.items[0].quantity == 3\n"
    ),
    "docs/cart.md": "# Shop\n\nWelcome.\n\n## Saving a cart\n\nA cart is written to the session of its owner whenever it is saved.\n",
    "web/src/parseUrl.ts": (
        "/** Splits an address into its parts. */\nexport function parseUrl(text: string): string[] {\n"
        '  const [scheme, rest] = text.split("://");\n  if (!rest) {\n    throw new Error("no scheme");\n  }\n  return [scheme, rest];\n}\n'
    ),
    "web/src/router.ts": (
        'import { parseUrl as parse } from "./parseUrl";\n\n// 🚀 路由\nexport function route(address: string): string {\n'
        '  const [, rest] = parse(address);\n  return rest ?? "/";\n}\n'
    ),
    ODD: "// 🎉 页面\r\nexport function LandingPage() {\r\n  return <main>hello landing visitors</main>;\r\n}\r\n",
    "internal/retry/retry.go": (
        "package retry\n\nimport \"time\"\n\n"
        "// Backoff waits twice as long after each failed attempt.\nfunc Backoff(attempt int) time.Duration {\n"
        "\treturn time.Second << attempt\n}\n"
    ),
    "cmd/main.go": (
        'package main\n\nimport "example.com/o/shop/internal/retry"\n\nfunc main() {\n\tfor attempt := 0; attempt < 3; attempt++ {\n'
        "\t\tretry.Backoff(attempt)\n\t}\n}\n"
    ),
}  # fmt: skip


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def shop(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    """The branch, and pull request 7 laid over it: it changes the checkout, deletes the nightly job and adds a coupon."""
    async with world(tmp_path_factory.mktemp("shop")) as made:
        made.origin.commit(FILES)
        await made.reindex()
        base = await made.mirror.resolve("refs/heads/main")
        made.origin.commit(
            {
                "shop/checkout.py": CHECKOUT.replace("cart.save()", "cart.save()\n    notify_customer(owner)")
                + "\n\ndef notify_customer(owner):\n"
                + '    """Tell the customer by mail that the order is on its way."""\n    owner.mail("thanks")\n',
                "shop/nightly.py": None,
                "shop/coupon.py": 'def redeem_coupon(code):\n    """Take a coupon off the price."""\n    return code.strip().upper()\n',
            },
            ref="refs/pull/7/head",
            parent=base,
        )
        await made.mirror.fetch(["refs/pull/7/head"])
        await made.reindex(await made.mirror.resolve("refs/pull/7/head"), pull_scope(7), base)
        yield made


async def ask(shop: World, text: str, title: str = "", pull: int | None = None) -> Answer:
    view = await view_of(shop.index, REPO, pull)
    answer = await retrieve(shop.index, EMBEDDER, shop.mirror, view, read_question(text, title))
    await stands(shop.mirror, view, answer)
    return answer


async def stands(mirror: Mirror, view: View, answer: Answer) -> None:
    """Every citation says what git says, at the commit of its scope."""
    for each in (*answer.evidence, *answer.near):
        cited = each.citation
        assert cited.sha in view.heads.values()
        content = git(mirror.path, "cat-file", "blob", f"{cited.sha}:{cited.path}") if mirror.path else ""
        lines = content.split("\n")
        assert "\n".join(lines[cited.first - 1 : cited.last]).rstrip() == cited.text.rstrip()
        assert cited.first <= each.focus[0] <= each.focus[1] <= cited.last
        assert cited.text.strip()
    assert answer.verified <= answer.cited


def shown(answer: Answer) -> list[tuple[str, str, str]]:
    return [(each.citation.path, each.symbol, each.role) for each in answer.evidence]


def at_line(each: Evidence) -> str:
    return f"{each.citation.path}:{each.citation.first}"


async def test_a_question_in_words_finds_the_code_and_says_why(shop: World) -> None:
    answer = await ask(shop, "how are quantities of the same item added up in the cart?")
    assert answer.evidence[0].citation.path == "shop/cart.py"
    assert "words" in answer.evidence[0].reasons
    assert (answer.thin, answer.missing, answer.kind) == (False, (), "related")
    assert answer.cited >= answer.verified >= len(answer.evidence) > 1


@pytest.mark.parametrize(
    "text", ["parseUrl", "parseUrl()", "`parseUrl`", "where is parseUrl defined?", "Where is `parseUrl`?"]
)
async def test_a_bare_name_gives_its_definition_first(shop: World, text: str) -> None:
    answer = await ask(shop, text)
    assert shown(answer)[0] == ("web/src/parseUrl.ts", "parseUrl", "definition")
    assert not answer.thin


@pytest.mark.parametrize(
    "text", ["où est défini `parseUrl` dans ce dépôt ? 😀", "`parseUrl` 在哪里定义的？这个函数做什么"]
)
async def test_a_name_in_backticks_is_found_whatever_language_is_around_it(shop: World, text: str) -> None:
    answer = await ask(shop, text)
    assert ("web/src/parseUrl.ts", "parseUrl", "definition") in shown(answer)
    assert not answer.thin


async def test_a_method_named_by_its_class_is_the_one_of_that_class(shop: World) -> None:
    assert (await ask(shop, "Basket.save")).evidence[0].symbol == "Basket.save"
    assert (await ask(shop, "where is `Cart.save` defined")).evidence[0].symbol == "Cart.save"


async def test_a_path_in_the_question_leads_to_its_lines(shop: World) -> None:
    answer = await ask(shop, "what happens in internal/retry/retry.go:6?")
    assert shown(answer)[0][:2] == ("internal/retry/retry.go", "Backoff")
    assert "named_path" in answer.evidence[0].reasons


async def test_a_path_of_brackets_and_marks_is_found_cited_and_linked(shop: World) -> None:
    answer = await ask(shop, f"who wrote `{ODD}`?")
    first = answer.evidence[0]
    assert first.citation.path == ODD
    link = permalink("https://github.example/o/r", first.citation)
    assert unquote(urlsplit(link).path) == f"/o/r/blob/{first.citation.sha}/{ODD}"
    assert "landing visitors" in first.citation.text


async def test_a_trace_leads_to_its_innermost_frame_of_the_repository(shop: World) -> None:
    trace = (
        'Traceback (most recent call last):\n  File "/srv/app/site-packages/flask/app.py", line 5, in wsgi_app\n    x\n'
        '  File "/srv/app/shop/checkout.py", line 15, in pay\n    cart.save()\nValueError: circular reference\n'
    )
    answer = await ask(shop, f"It crashes at night.\n```\n{trace}```", title="crash")
    assert shown(answer)[0][:2] == ("shop/checkout.py", "pay")


async def test_tests_and_docs_come_first_only_when_asked_for(shop: World) -> None:
    assert (await ask(shop, "which tests cover add_item of the cart?")).evidence[0].role == "test"
    assert (await ask(shop, "where is saving a cart documented?")).evidence[0].role == "doc"
    assert (await ask(shop, "a cart is written to the session of its owner")).evidence[
        0
    ].citation.path == "shop/cart.py"


async def test_callers_of_two_methods_of_one_name_are_not_merged(shop: World) -> None:
    cart, basket = await ask(shop, "who calls Cart.save?"), await ask(shop, "who calls `Basket.save`?")
    line = CHECKOUT[: CHECKOUT.index("cart.save()")].count("\n") + 1
    assert [(at_line(each), each.symbol, each.role) for each in cart.evidence[1:]] == [
        (f"shop/checkout.py:{line}", "pay", "caller")
    ]
    line = NIGHTLY[: NIGHTLY.index("basket.save()")].count("\n") + 1
    assert [(at_line(each), each.symbol, each.role) for each in basket.evidence[1:]] == [
        (f"shop/nightly.py:{line}", "clean_baskets", "caller")
    ]
    assert [cart.evidence[0].symbol, basket.evidence[0].symbol] == ["Cart.save", "Basket.save"]
    assert cart.evidence[1].citation.text.strip() == "cart.save()"


async def test_callers_are_found_through_aliases_in_other_languages(shop: World) -> None:
    answer = await ask(shop, "where is parseUrl used?")
    assert [(each.citation.path, each.symbol) for each in answer.evidence[1:]] == [("web/src/router.ts", "route")]
    assert "parse(address)" in answer.evidence[1].citation.text
    answer = await ask(shop, "who calls Backoff")
    assert [(each.citation.path, each.symbol) for each in answer.evidence[1:]] == [("cmd/main.go", "main")]


async def test_a_call_outside_of_any_definition_is_a_caller_too(shop: World) -> None:
    answer = await ask(shop, "who calls clean_baskets?")
    assert [each.symbol for each in answer.evidence] == ["clean_baskets", "<module>"]


async def test_no_callers_is_said_with_the_reason(shop: World) -> None:
    answer = await ask(shop, "who calls LandingPage?")
    assert [each.role for each in answer.evidence] == ["definition"]
    assert "calls LandingPage" in answer.reason


async def test_definitions_are_found_by_every_way_of_writing_them(shop: World) -> None:
    view = await view_of(shop.index, REPO)
    for written in (
        "Cart.save",
        "Cart::save",
        "Cart#save",
        "cart.Cart.save",
        "shop.cart.Cart.save",
        "shop/cart.py:Cart.save",
        "`Cart.save()`",
    ):
        found = await find_definitions(shop.index, view, written)
        assert [(each.path, each.definition.qualified) for each in found] == [("shop/cart.py", "Cart.save")], written
    assert [each.definition.qualified for each in await find_definitions(shop.index, view, "save")] == [
        "Cart.save",
        "Basket.save",
    ]
    for nothing in ("", "nope", "Cart.nope", "Nope.save", "other.py:save"):
        assert await find_definitions(shop.index, view, nothing) == []


async def test_constructing_a_class_calls_it(shop: World) -> None:
    view = await view_of(shop.index, REPO)
    [target] = await find_definitions(shop.index, view, "Cart.__init__")
    report = await find_callers(shop.index, view, target)
    assert sorted({each.path for each in report.exact}) == ["shop/checkout.py", "tests/test_cart.py"]


@pytest.mark.parametrize(
    "text", ["where is parseUri defined?", "who calls parseUri?", "parseUri", "explain `parseUri`"]
)
async def test_a_name_that_does_not_exist_is_never_answered_with_the_nearest_code(shop: World, text: str) -> None:
    answer = await ask(shop, text)
    assert (answer.evidence, answer.thin, answer.missing) == ((), True, ("parseUri",))
    assert [each.symbol for each in answer.near] == ["parseUrl"]
    assert "parseUri" in answer.reason


async def test_a_method_that_its_class_does_not_have_is_missing_and_the_others_are_near(shop: World) -> None:
    for text in ("who calls `Coupon.save`?", "where is Coupon.save defined?"):
        answer = await ask(shop, text)
        assert (answer.evidence, answer.missing, answer.thin) == ((), ("Coupon.save",), True)
        assert {each.symbol for each in answer.near} == {"Cart.save", "Basket.save"}


async def test_a_variable_before_the_only_method_of_its_name_is_no_class(shop: World) -> None:
    answer = await ask(shop, "who calls cart.add_item?")
    assert answer.evidence[0].symbol == "Cart.add_item"
    assert {each.role for each in answer.evidence[1:]} == {"test"}


async def test_a_name_of_a_library_is_shown_where_it_is_used(shop: World) -> None:
    answer = await ask(shop, "where is `json.dumps` defined?")
    assert answer.missing == ("json.dumps",)
    assert "defines json.dumps" in answer.reason
    assert any("json.dumps" in each.citation.text for each in answer.evidence)


async def test_a_name_like_no_other_has_no_near_miss(shop: World) -> None:
    answer = await ask(shop, "where is `frobnicate_quux` defined?")
    assert (answer.evidence, answer.near, answer.thin) == ((), (), True)


async def test_an_unknown_name_in_a_long_story_is_only_noted(shop: World) -> None:
    answer = await ask(
        shop, "Our `WeirdPlugin` puts an item into the cart twice, the quantities add up wrongly, and the session of the owner then holds "
        "a broken basket whenever the customer pays the cart with a declined card at the bank.",
    )  # fmt: skip
    assert answer.missing == ("WeirdPlugin",)
    assert answer.evidence
    assert not answer.thin


async def test_a_question_about_something_else_is_called_thin(shop: World) -> None:
    answer = await ask(shop, "how does the flux capacitor regulate temporal displacement of neutrinos?")
    assert answer.thin
    assert answer.reason


HOSTILE = {
    "empty": "",
    "stop words": "the of and is",
    "chinese": "请问会话缓存在哪里实现的？",
    "quotes": '"unclosed AND (parseUrl OR',
    "surrogate": "where is \ud800\udfff parse",
    "nul": "\x00\x00",
    "markdown": "<details><summary>![x](y)</summary> @someone #12 `",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
async def test_any_text_gets_an_answer_that_stands(shop: World, text: str) -> None:
    answer = await ask(shop, text)
    assert answer.evidence or answer.thin


async def test_words_of_another_script_in_the_code_are_found(shop: World) -> None:
    assert (await ask(shop, "路由")).evidence[0].citation.path == "web/src/router.ts"


async def test_a_megabyte_of_log_still_finds_what_it_names(shop: World) -> None:
    random.seed(5)
    noise = "\n".join(f"2026-01-01 INFO {random.randbytes(24).hex()} worker idle" for _ in range(13_000))
    answer = await ask(shop, f"PaymentRefused when I pay\n{noise}", title="card is declined")
    assert answer.evidence[0].citation.path == "shop/checkout.py"


async def test_the_same_question_gets_the_same_bytes(shop: World) -> None:
    for text in ("how is the cart saved to the session?", "who calls Cart.save?", "parseUri"):
        assert repr(await ask(shop, text)) == repr(await ask(shop, text))


async def test_a_pull_request_is_read_as_it_would_be_merged(shop: World) -> None:
    branch, pull = await view_of(shop.index, REPO), await view_of(shop.index, REPO, 7)
    assert branch.scopes == (BRANCH,)
    assert set(pull.hidden) == {"shop/checkout.py", "shop/nightly.py", "shop/coupon.py"}
    added = await ask(shop, "redeem_coupon", pull=7)
    assert added.evidence[0].citation.sha == pull.heads[pull_scope(7)] == added.head
    assert (await ask(shop, "redeem_coupon")).missing == ("redeem_coupon",)
    assert (await ask(shop, "clean_baskets", pull=7)).missing == ("clean_baskets",)
    changed = await ask(shop, "who calls notify_customer?", pull=7)
    assert [each.symbol for each in changed.evidence] == ["notify_customer", "pay"]
    kept = await ask(shop, "Cart.add_item", pull=7)
    assert kept.evidence[0].citation.sha == branch.heads[BRANCH]
    both = await ask(shop, "charge the card for everything in the cart", pull=7)
    assert [each.citation.sha for each in both.evidence if each.citation.path == "shop/checkout.py"] == [
        pull.heads[pull_scope(7)]
    ] * len([each for each in both.evidence if each.citation.path == "shop/checkout.py"])
    assert any(each.citation.path == "shop/checkout.py" for each in both.evidence)


async def test_a_pull_request_that_is_not_indexed_is_the_branch(shop: World) -> None:
    assert await view_of(shop.index, REPO, 99) == await view_of(shop.index, REPO)


async def test_a_repository_that_is_not_indexed_says_so(shop: World) -> None:
    view = await view_of(shop.index, 404)
    assert view.scopes == ()
    answer = await retrieve(shop.index, EMBEDDER, shop.mirror, view, read_question("parseUrl"))
    assert (answer.evidence, answer.thin, answer.reason) == ((), True, "This repository is not indexed yet.")


async def test_points_ahead_of_their_commit_are_not_cited_with_its_lines(shop: World, tmp_path: object) -> None:
    """While an index run is under way the points are newer than the head: lines are found again by content, or left out."""
    view = await view_of(shop.index, REPO)
    older = shop.origin.commit(
        {
            "shop/cart.py": "# moved down\n# by two lines\n" + CART,
            "web/src/parseUrl.ts": "export const nothing = 1;\n",
            "internal/retry/retry.go": None,
        },
        ref="refs/heads/older",
        parent=view.heads[BRANCH],
    )
    await shop.mirror.fetch(["refs/heads/older"])
    behind = replace(view, heads={BRANCH: older})
    moved = await retrieve(shop.index, EMBEDDER, shop.mirror, behind, read_question("Cart.add_item"))
    now = await retrieve(shop.index, EMBEDDER, shop.mirror, view, read_question("Cart.add_item"))
    await stands(shop.mirror, behind, moved)
    assert [moved.evidence[0].citation.first, moved.evidence[0].symbol] == [
        now.evidence[0].citation.first + 2,
        "Cart.add_item",
    ]
    gone = await retrieve(
        shop.index,
        EMBEDDER,
        shop.mirror,
        behind,
        read_question("splits an address; Backoff waits after a failed attempt"),
    )
    assert {each.citation.path for each in gone.evidence}.isdisjoint({"web/src/parseUrl.ts", "internal/retry/retry.go"})
    assert gone.verified < gone.cited


async def test_a_scope_whose_first_run_never_finished_is_not_seen(shop: World) -> None:
    record = ScopeRecord(pull_scope(8), head="", dirty=True)
    await shop.index.upsert(REPO, [Point(point_id(REPO, record.scope, SCOPE, "", 0), scope_payload(REPO, record))])
    assert (await view_of(shop.index, REPO, 8)).scopes == (BRANCH,)


async def test_a_name_called_very_often_is_cut_by_count_not_by_chance(shop: World) -> None:
    answer = await ask(shop, "who calls save?")
    assert len(answer.evidence) <= MOST_CALLERS
    assert {each.symbol for each in answer.evidence if each.role == "definition"} == {"Cart.save", "Basket.save"}
