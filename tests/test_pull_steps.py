"""Given a repository and a pull request in it, the context names who outside the change uses what it changes, with their lines."""

from __future__ import annotations

import inspect
import json
import shlex
import textwrap
from collections.abc import AsyncIterator, Mapping
from dataclasses import asdict
from pathlib import Path

import pytest

from app.core.changed_symbols import Change
from app.core.comment import pull_comment
from app.core.pull_context import Impact, PullContext, Use
from app.core.types import pull_scope
from app.steps import pull_context as steps
from app.steps.pull_context import pull_context
from app.steps.view import view_of
from tests.indexing import EMBEDDER, REPO, World, world
from tests.repositories import LINK, Content, File

URL = "https://github.com/octo/shop"
PULL = "refs/pull/1/head"

CONFIG = '''\
import json


def load(path):
    """Read settings."""
    with open(path) as file:
        return json.load(file)


def load_legacy(path):
    """Read settings of the old form."""
    settings = load(path)
    settings["version"] = 1
    return settings
'''
CLIENT = '''\
class Client:
    """Talks to the provider."""

    retries = 3

    def transmit(self, request):
        """Send a request, again when it fails."""
        for attempt in range(self.retries):
            response = self.once(request)
            if response.ok:
                return response
        raise OSError(response)

    def once(self, request):
        return request.go()
'''
CLI = """\
from shop.config import load_legacy


def main(arguments):
    settings = load_legacy(arguments.file)
    return settings
"""
CHECKOUT = """\
from shop.client import Client


def pay(order):
    client = Client()
    return client.transmit(order.request())
"""
TEST_CLIENT = """\
from shop.client import Client


def test_transmit_tries_again():
    client = Client()
    assert client.transmit(REQUEST).ok
"""
SHOP: dict[str, Content] = {
    "shop/__init__.py": "",
    "shop/config.py": CONFIG,
    "shop/client.py": CLIENT,
    "shop/cli.py": CLI,
    "shop/checkout.py": CHECKOUT,
    "shop/refund.py": "def refund(client, order):\n    return client.transmit(order)\n",
    "tools/migrate.py": "import sys\n\nfrom shop import config\n\nprint(config.load_legacy(sys.argv[1]))\n",
    "tests/test_checkout.py": "from shop.checkout import pay\n\n\ndef test_pay():\n    assert pay(ORDER).ok\n",
    "tests/test_client.py": TEST_CLIENT,
    "docs/guide.md": "# Guide\n\nCall `load_legacy` for old files.\n",
    "logo.png": b"\x89PNG\x00\x01",
}


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[World]:
    async with world(tmp_path) as made:
        made.origin.commit(SHOP)
        await made.reindex()
        yield made


async def context_of(shop: World, files: Mapping[str, Content | None], base: str = "") -> PullContext:
    """Open a pull request that changes `files`, index it as the app does, and gather its context."""
    await shop.mirror.fetch(["refs/heads/main"])
    target = await shop.mirror.resolve("refs/heads/main")
    head = shop.origin.commit(files, PULL, parent=base or target)
    await shop.mirror.fetch([PULL])
    since = await shop.mirror.merge_base(target, head)
    await shop.reindex(head=head, scope=pull_scope(1), base=since)
    view = await view_of(shop.index, REPO, 1)
    return await pull_context(shop.index, EMBEDDER, shop.mirror, view, base=target, head=head, workers=shop.workers)


def impact(context: PullContext, qualified: str) -> Impact:
    return next(each for each in context.impacts if each.symbol.place.qualified == qualified)


def told(uses: tuple[Use, ...]) -> list[tuple[str, int, str, bool]]:
    return [(use.citation.path, use.citation.first, use.symbol, use.certain) for use in uses]


async def assert_lines_stand(shop: World, context: PullContext) -> None:
    """Every cited line is in the file at the commit that its link names."""
    cited = [use.citation for each in context.impacts for use in (*each.callers, *each.tests)]
    cited += [each.citation for each in context.impacts if each.citation]
    cited += [evidence.citation for each in context.impacts for evidence in each.related]
    for citation in cited:
        data = await shop.mirror.read(citation.sha, citation.path)
        assert data is not None
        assert data.decode().split("\n")[citation.first - 1 : citation.last] == citation.text.split("\n")
    assert context.cited >= context.verified == len({*cited})


async def test_a_removed_function_is_told_with_the_callers_that_remain(shop: World) -> None:
    context = await context_of(shop, {"shop/config.py": CONFIG[: CONFIG.index("def load_legacy")].rstrip() + "\n"})
    first = context.impacts[0]
    assert (first.symbol.change, first.symbol.place.qualified) == (Change.REMOVED, "load_legacy")
    assert told(first.callers) == [("shop/cli.py", 5, "main", True), ("tools/migrate.py", 5, "", True)]
    assert first.citation is not None
    assert (first.citation.sha, first.citation.first, first.citation.last) == (context.base, 10, 14)
    assert context.findings
    await assert_lines_stand(shop, context)
    body = pull_comment(context, URL, {"head": context.head})
    assert body is not None
    assert "`load_legacy` is removed, but 2 calls still name it." in body
    assert f"{URL}/blob/{first.callers[0].citation.sha}/shop/cli.py#L5" in body
    assert f"@ {context.head[:7]}" in body


async def test_a_deleted_file_leaves_the_same_callers(shop: World) -> None:
    context = await context_of(shop, {"shop/config.py": None})
    assert told(impact(context, "load_legacy").callers) == [
        ("shop/cli.py", 5, "main", True),
        ("tools/migrate.py", 5, "", True),
    ]
    assert impact(context, "load").callers == ()
    await assert_lines_stand(shop, context)


async def test_a_caller_in_the_same_file_or_in_a_changed_function_remains_a_caller(shop: World) -> None:
    removed = CONFIG.replace(CONFIG[CONFIG.index("def load(") : CONFIG.index("def load_legacy")], "")
    context = await context_of(shop, {"shop/config.py": removed.replace('"version"] = 1', '"version"] = 2')})
    assert told(impact(context, "load").callers) == [("shop/config.py", 6, "load_legacy", True)]
    await assert_lines_stand(shop, context)


async def test_a_new_signature_is_told_with_callers_and_tests_and_one_step_further(shop: World) -> None:
    files = {"shop/client.py": CLIENT.replace("def transmit(self, request)", "def transmit(self, request, *, timeout)")}
    context = await context_of(shop, files)
    transmit = impact(context, "Client.transmit")
    assert transmit.symbol.change is Change.SIGNATURE
    assert transmit.symbol.old is not None
    assert "timeout" not in transmit.symbol.old.signature
    assert told(transmit.callers) == [("shop/checkout.py", 6, "pay", True), ("shop/refund.py", 2, "refund", False)]
    assert [(use.symbol, use.through) for use in transmit.tests] == [
        ("test_transmit_tries_again", ""),
        ("test_pay", "pay"),
    ]
    assert [each.symbol.place.qualified for each in context.impacts] == ["Client.transmit"]
    await assert_lines_stand(shop, context)


async def test_callers_that_the_pull_request_changes_itself_are_inside(shop: World) -> None:
    files = {
        "shop/client.py": CLIENT.replace("def transmit(self, request)", "def transmit(self, request, *, timeout)"),
        "shop/checkout.py": CHECKOUT.replace("request())", "request(), timeout=1)"),
    }
    context = await context_of(shop, files)
    transmit = impact(context, "Client.transmit")
    assert told(transmit.callers) == [("shop/refund.py", 2, "refund", False)]
    assert transmit.inside == 1


async def test_moved_and_renamed_functions_are_told_only_while_somebody_uses_the_old_name(shop: World) -> None:
    legacy = CONFIG[CONFIG.index("def load_legacy") :]
    moved: dict[str, Content | None] = {
        "shop/config.py": CONFIG.replace(legacy, ""),
        "shop/legacy.py": "from shop.config import load\n\n\n" + legacy,
        "shop/cli.py": CLI.replace("shop.config", "shop.legacy"),
    }
    context = await context_of(shop, moved)
    gone = impact(context, "load_legacy")
    assert gone.symbol.change is Change.MOVED
    assert told(gone.callers) == [("tools/migrate.py", 5, "", True)]
    kept = {**moved, "shop/config.py": "from shop.legacy import load_legacy\n" + str(moved["shop/config.py"])}
    again = await context_of(shop, kept)
    assert impact(again, "load_legacy").callers == ()
    renamed = await context_of(shop, {"shop/config.py": CONFIG.replace("def load_legacy", "def load_old")})
    assert (impact(renamed, "load_old").symbol.change, len(impact(renamed, "load_old").callers)) == (Change.RENAMED, 2)


async def test_a_renamed_file_is_told_with_those_who_still_import_the_old_one(shop: World) -> None:
    context = await context_of(shop, {"shop/client.py": None, "shop/provider.py": CLIENT})
    (client,) = context.impacts
    assert (client.symbol.change, client.symbol.size) == (Change.MOVED, 0)
    assert told(client.callers) == [("shop/checkout.py", 5, "pay", True)]
    assert [(use.symbol, use.through) for use in client.tests] == [
        ("test_transmit_tries_again", ""),
        ("test_pay", "pay"),
    ]
    assert client.citation is not None
    assert client.citation.path == "shop/provider.py"
    await assert_lines_stand(shop, context)


async def test_nothing_outside_the_change_is_no_finding(shop: World) -> None:
    quiet: dict[str, Content | None] = {
        "docs/guide.md": "# Guide\n\nNothing.\n",
        "logo.png": b"\x89PNG\x00\x02",
        "shop/alone.py": "def nobody_calls_this():\n    return 1\n",
        "shop/link": File(b"cli.py", LINK),
        "vendor/lib.py": "def load():\n    pass\n",
        "tests/test_more.py": "def test_more():\n    assert True\n",
    }
    context = await context_of(shop, quiet)
    assert not context.findings
    assert pull_comment(context, URL, {}) is None
    assert (context.files, context.compared, context.changed, context.changed_tests) == (6, 2, 1, 1)
    assert dict(context.left_out) == {"binary": 1, "symlink": 1, "vendored": 1, "without definitions": 1}
    shop.origin.commit(
        {"shop/cli.py": File(CLI.encode(), "100755")},
        "refs/pull/2/head",
        parent=await shop.mirror.resolve("refs/heads/main"),
    )
    await shop.mirror.fetch(["refs/pull/2/head"])
    head = await shop.mirror.resolve("refs/pull/2/head")
    mode = await pull_context(
        shop.index, EMBEDDER, shop.mirror, await view_of(shop.index, REPO, None), base=context.base, head=head
    )
    assert (dict(mode.left_out), mode.findings) == ({"mode only": 1}, False)


async def test_a_new_function_like_an_existing_one_is_told(shop: World) -> None:
    function = textwrap.dedent(inspect.getsource(shlex.split))
    shop.origin.commit(
        {
            "shop/words.py": "import os\n\n\n" + function,
            "shop/other.py": textwrap.dedent(inspect.getsource(textwrap.fill)),
        }
    )
    await shop.reindex()
    copy = function.replace("def split(", "def split_words(").replace("lex", "reader")
    context = await context_of(shop, {"shop/reader.py": "from shop.config import load\n\n\n" + copy})
    new = impact(context, "split_words")
    assert [(evidence.symbol, evidence.citation.path) for evidence in new.related] == [("split", "shop/words.py")]
    assert context.findings
    await assert_lines_stand(shop, context)


async def test_the_branch_has_moved_on_since_the_pull_request_was_opened(shop: World) -> None:
    old = await shop.mirror.resolve("refs/heads/main")
    shop.origin.commit(
        {
            "shop/cli.py": "# moved down\n" + CLI,
            "shop/config.py": CONFIG + "\n\ndef more():\n    pass\n",
        }
    )
    await shop.reindex()
    context = await context_of(
        shop, {"shop/config.py": CONFIG[: CONFIG.index("def load_legacy")].rstrip() + "\n"}, base=old
    )
    assert context.base == old
    assert told(impact(context, "load_legacy").callers) == [
        ("shop/cli.py", 6, "main", True),
        ("tools/migrate.py", 5, "", True),
    ]
    assert {each.symbol.place.qualified for each in context.impacts} == {"load_legacy"}
    await assert_lines_stand(shop, context)


async def test_the_same_pull_request_twice_gives_the_same_bytes(shop: World) -> None:
    files = {"shop/client.py": CLIENT.replace("def transmit(self, request)", "def transmit(self, request, *, timeout)")}
    first, second = await context_of(shop, files), await context_of(shop, files)
    assert first == second
    assert json.dumps(asdict(first)) == json.dumps(asdict(second))
    assert pull_comment(first, URL, {}) == pull_comment(second, URL, {})


async def test_many_changed_functions_are_searched_by_impact_and_the_rest_is_counted(
    shop: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = "\n".join(f"    value_{n} = compute({n})" for n in range(12))
    library = "\n\n".join(f'def function_{n:03}(a):\n    """Number {n}."""\n{body}\n    return a\n' for n in range(60))
    users = "from shop.library import *\n\n\n" + "\n\n".join(
        f"def user_{n}():\n    return function_{n:03}(1)\n" for n in range(60)
    )
    popular = "from shop.library import function_059\n\n\n" + "\n\n".join(
        f"def often_{n}():\n    return function_059({n})\n" for n in range(5)
    )
    shop.origin.commit({"shop/library.py": library, "shop/users.py": users, "shop/popular.py": popular})
    await shop.reindex()
    monkeypatch.setattr(steps, "MOST_LOOKED_UP", 10)
    context = await context_of(shop, {"shop/library.py": library.replace("return a", "return a + 1")})
    assert (context.changed, context.not_looked_up) == (60, 50)
    assert context.impacts[0].symbol.name == "function_059"
    assert len(context.impacts[0].callers) == 6
    body_text = pull_comment(context, URL, {})
    assert body_text is not None
    assert "callers of 50 further symbols not searched" in body_text
