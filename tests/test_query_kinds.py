"""Kinds of questions beyond names and words: maps, signatures, settings, quoted errors, snippets, and what history adds."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from app.clients.git import Mirror, Revision
from app.core.comment import answer_comment
from app.core.query import read_question
from app.core.types import Answer
from app.steps import history
from app.steps.history import past_of
from app.steps.retrieve import retrieve, view_of
from tests.indexing import EMBEDDER, REPO, World, module, world

pytestmark = pytest.mark.asyncio(loop_scope="module")

STORE = '''"""Keeps carts."""


def load_cart(path: str, strict: bool = False) -> dict[str, int]:
    """Read a cart from a file of the shop."""
    if strict and not path.endswith(".cart"):
        raise ValueError(f"cannot read a cart from {path} unless it is closed")
    return {}


def save_cart(cart: dict[str, int]) -> None:
    """Write a cart to a file of the shop."""
    print(cart)
'''
URL = "https://github.example/o/r"
WEIGH = """def weigh(parcels):
    grams = 0
    for parcel in parcels:
        grams += parcel.box.grams + parcel.content.grams + 1
    return grams
"""
FILES = {
    "shop/weigh.py": WEIGH,
    "tests/test_weigh.py": WEIGH.replace("def weigh", "def test_weigh").replace("+ 1", "+ 2"),
    "README.md": "# Shop\n\nSells things to people who want them.\n",
    "shop/__init__.py": '"""What the shop sells and how."""\n',
    "shop/store.py": STORE,
    "shop/timeout.py": module("timeout_of_request", "request_timeout"),
    "shop/settings.py": '"""Defaults."""\n\nREQUEST_TIMEOUT = 30\n"""Seconds that a request may take."""\n',
    "worker/README": "Work of the night: sends mail, closes carts.\n",
    "worker/mail.py": module("send_mail", "close_mail"),
    "worker/mail_again.py": module("send_mail_again", "close_mail_again"),
    "shop/tied.py": module("untied_call"),
    "tests/loose.py": "def test_it():\n    untied_call()\n",
    "mini/package.json": '{\n  "name": "mini",\n  "description": "Sells small things."\n}\n',
    "mini/sold.py": module("sell"),
    "docs/guide.md": "# Guide\n",
    "silent/night.py": module("sleep_well"),
}


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def shop(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    async with world(tmp_path_factory.mktemp("kinds")) as made:
        made.origin.commit(FILES)
        await made.reindex()
        yield made


async def ask(shop: World, text: str, title: str = "") -> Answer:
    view = await view_of(shop.index, REPO)
    answer = await retrieve(shop.index, EMBEDDER, shop.mirror, view, read_question(text, title))
    again = await retrieve(shop.index, EMBEDDER, shop.mirror, view, read_question(text, title))
    assert answer == again
    return answer


async def test_a_repository_is_told_by_its_folders_in_their_own_words(shop: World) -> None:
    answer = await ask(shop, "what is in this repository?")
    told = [each.symbol for each in answer.evidence]
    assert told[:5] == ["./", "shop/", "worker/", "mini/", "silent/"]
    assert set(told[5:]) == {"shop/timeout.py", "shop/store.py", "shop/weigh.py", "shop/tied.py"}, (
        "the heart, without what says nothing"
    )
    assert [each.citation.text for each in answer.evidence][1] == '"""What the shop sells and how."""'
    body = answer_comment(answer, URL, {})
    assert "`shop/` (6 files, mostly Python): What the shop sells and how. [" in body
    assert "`silent/` (1 file): defines `sleep_well` [" in body
    assert "`mini/` (2 files): Sells small things. [`mini/package.json:3`]" in body
    assert (
        f"This repository has {len(FILES)} files: 12 Python, 2 Markdown, 1 JSON. Also: tests (2 files), docs (1 file)."
        in body
    )


async def test_a_folder_is_told_with_its_main_files_by_any_part_of_its_path(shop: World) -> None:
    for text in ("what is in the folder worker?", "what's in worker?", "worker/", "what is worker/ for?"):
        found = (await ask(shop, text)).evidence
        assert [each.symbol for each in found] == ["worker/", "worker/mail_again.py", "worker/mail.py"]
    assert (await ask(shop, "what is in tests/?")).evidence[0].symbol == "tests/test_weigh.py"


async def test_a_folder_that_is_not_there_is_not_made_up(shop: World) -> None:
    answer = await ask(shop, "what is in the folder workers?")
    assert answer.evidence == ()
    assert answer.reason == "There is no folder workers here; the closest by name: worker/."
    assert (await ask(shop, "what's in mail_again?")).evidence[0].citation.path == "worker/mail_again.py"
    assert (await ask(shop, "what's in shop/store.py?")).evidence[0].citation.path == "shop/store.py"


@pytest.mark.parametrize(
    ("text", "symbols"),
    [
        ("functions that take a string and return a dict", ["load_cart"]),
        ("which functions take a dict?", ["save_cart"]),
        ("find functions returning a mapping", ["load_cart"]),
    ],
)
async def test_functions_are_found_by_what_they_take_and_return(shop: World, text: str, symbols: list[str]) -> None:
    answer = await ask(shop, text)
    assert [each.symbol for each in answer.evidence] == symbols
    assert not answer.thin
    assert "signature fits" in answer_comment(answer, URL, {})


async def test_a_signature_that_nothing_has_is_not_claimed(shop: World) -> None:
    answer = await ask(shop, "functions that take a Spaceship and return a Planet")
    assert answer.thin
    assert "signature" not in str([each.reasons for each in answer.evidence])


async def test_settings_come_first_where_they_are_asked_for(shop: World) -> None:
    assert (await ask(shop, "where is the request timeout configured?")).evidence[0].citation.path == "shop/settings.py"
    assert (await ask(shop, "the request timeout of a request is too long")).evidence[
        0
    ].citation.path != "shop/settings.py"


async def test_a_named_setting_is_answered_with_what_names_it(shop: World) -> None:
    answer = await ask(shop, "where is REQUEST_TIMEOUT configured?")
    assert [each.citation.path for each in answer.evidence] == ["shop/settings.py"]


async def test_calls_that_nothing_ties_to_a_function_are_counted_and_not_said_to_go_elsewhere(shop: World) -> None:
    body = answer_comment(await ask(shop, "who calls untied_call?"), URL, {})
    assert "1 call of this name stands in the indexed files, and none is tied to untied\\_call by an import" in body


async def test_an_error_message_leads_to_the_code_that_puts_it_together(shop: World) -> None:
    answer = await ask(
        shop,
        "ValueError: cannot read a cart from /tmp/x unless it is closed",
        title="mail and timeout of the request fail",
    )
    found = [each for each in answer.evidence if each.citation.path == "shop/store.py"]
    assert found
    assert "quoting" in found[0].reasons


LIKE_LOAD = """def read(file):
    if not file.endswith(".cart"):
        raise ValueError("cannot read")
    return {}
"""


@pytest.mark.parametrize("text", [f"is there something like this?\n```python\n{LIKE_LOAD}```", LIKE_LOAD])
async def test_a_pasted_snippet_finds_its_like_and_says_how_much_of_it_stands_there(shop: World, text: str) -> None:
    answer = await ask(shop, text)
    assert (answer.kind, answer.thin, answer.evidence[0].symbol) == ("snippet", False, "load_cart")
    body = answer_comment(answer, URL, {})
    assert "The closest code is `load_cart` in [" in body
    assert "It holds all rarer words of the snippet." in body
    other = await ask(shop, text.replace("cannot read", "broken"))
    assert re.search(r"It holds \d of the snippet's \d rarer words\.", answer_comment(other, URL, {}))


async def test_the_very_code_is_said_to_stand_where_it_stands(shop: World) -> None:
    answer = await ask(shop, f"where is this from?\n```\n{STORE.split(chr(10), 10)[-1]}```")
    assert "This code stands in `save_cart` in [" in answer_comment(answer, URL, {})
    renamed = (
        STORE[STORE.index("def load") :].split("\n\n\n")[0].replace("path", "place").replace("load_cart", "fetch_it")
    )
    answer = await ask(shop, f"do we have this already?\n```\n{renamed}\n```")
    assert "The same form, with other names or values, stands in `load_cart` in [" in answer_comment(answer, URL, {})


async def test_nothing_is_claimed_of_a_snippet_that_is_like_nothing(shop: World) -> None:
    answer = await ask(
        shop, "```js\nfor (let i = 0; i < canvas.width; i++) {\n  gl.drawArrays(gl.TRIANGLES, i);\n}\n```"
    )
    assert (answer.thin, answer.evidence) == (True, ())
    assert "holds none of the snippet's" in answer.reason
    body = answer_comment(answer, URL, {})
    assert "Nothing here is much like this code" in body
    assert "stands in" not in body


async def test_a_snippet_without_words_of_its_own_is_told_so(shop: World) -> None:
    answer = await ask(shop, "is there something like this?\n```\n  }\n}\n```")
    assert (answer.evidence, answer.near) == ((), ())
    answer = await ask(shop, "is there something like this?\n```go\nif err {\n  return err\n}\n```")
    assert "stands in" not in answer_comment(answer, URL, {})


async def test_a_test_stands_behind_the_code_it_copies_unless_a_test_is_pasted(shop: World) -> None:
    first = (await ask(shop, f"```\n{WEIGH}\n```")).evidence
    assert [each.citation.path for each in first] == ["shop/weigh.py", "tests/test_weigh.py"]
    asked = WEIGH.replace("def weigh", "def test_weigh").replace("+ 1", "+ 9")
    assert (await ask(shop, f"```\n{asked}\n```")).evidence[0].citation.path == "tests/test_weigh.py"


async def test_files_that_changed_with_the_best_and_of_late_stand_before_others(shop: World) -> None:
    head = await shop.mirror.resolve("refs/heads/main")
    assert "worker/mail.py" in (await past_of(shop.mirror, head)).recent
    assert await past_of(shop.mirror, "0" * 40) == (await past_of(shop.mirror, "1" * 40))  # unknown: nothing, no error


async def test_a_file_that_only_the_messages_of_past_commits_name_is_found(tmp_path: Path) -> None:
    async with world(tmp_path) as made:
        made.origin.commit(
            {"locales/index.ts": "export const all = [];\n", "src/parse.ts": "export function parse() {}\n"}
        )
        for name in ("romanian", "greek"):
            files = {
                f"locales/{name}.ts": f"export const texts_{name} = 1;\n",
                "locales/index.ts": f"export const all = ['{name[:2]}'];\n",
            }
            made.origin.commit(files, message=f"Support {name} people")
        await made.reindex()
        found = [each.citation.path for each in (await ask(made, "support uzbek people everywhere")).evidence]
        assert "locales/index.ts" in found
        assert "src/parse.ts" not in found


async def test_a_history_that_git_does_not_give_in_time_is_asked_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    async def forever(mirror: Mirror, sha: str, limit: int) -> list[Revision]:
        asked.append(sha)
        await asyncio.sleep(60)
        return []

    monkeypatch.setattr(Mirror, "history", forever)
    monkeypatch.setattr(history, "PAST_SECONDS", 0.01)
    async with world(tmp_path) as made:
        head = made.origin.commit({"shop/cart.py": module("add_item")})
        await made.reindex()
        for _ in range(2):
            answer = await ask(made, "where are items added to the cart?")
            assert answer.evidence[0].citation.path == "shop/cart.py"
    assert asked == [head]
