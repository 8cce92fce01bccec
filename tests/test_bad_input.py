"""What people and programs send that is no question, or asks for what is not there: each gets a plain sentence, in bounds."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from typer.testing import CliRunner

from app.cli import application
from app.core.comment import answer_comment
from app.core.errors import UserError
from app.core.query import HEAD_CHARACTERS, TAIL_CHARACTERS, TRACE_CHARACTERS, read_question
from app.core.types import Answer
from app.steps.retrieve import retrieve, view_of
from tests.indexing import EMBEDDER, REPO, World, module, world
from tests.repositories import GitRepository

URL = "https://github.example/o/r"
CLAIMS = ("The best match is", "is defined in", "stands in", "The closest code is `")
FILES = {
    "shop/address.py": 'def parse_address(text):\n    """Split an address into street and town."""\n    return text.split(",")\n',
    "shop/pay.py": module("pay_bill", "refund_bill"),
    "shop/mail.py": "def send(bill):\n    return stripe.charge(bill)\n",
    "docs/use.md": "# Use\n\nSee `parse_address`.\n",
    "zh/cart.py": '# 购物车：保存到会话\ndef keep(cart):\n    """把购物车保存到会话里。"""\n    return cart\n',
    "zh/price.py": '# 计算价格\ndef total(items):\n    """计算所有商品的价格。"""\n    return sum(items)\n',
}
TRACE = (
    "Traceback (most recent call last):\n"
    '  File "/usr/lib/python3/site-packages/gunicorn/app.py", line 9, in run\n    self.serve()\n'
    '  File "/srv/shop/pay.py", line 3, in pay_bill\n    value_0 = load()\nKeyError: 7\n'
)


def log(characters: int) -> str:
    chance = random.Random(5)
    lines = (
        f"2024-01-02 10:00:{n % 60:02d},{n % 999:03d} {chance.choice(['INFO', 'ERROR'])} worker-{n % 7} {chance.getrandbits(64):x} gone"
        for n in range(characters // 60)
    )
    return "\n".join(lines).ljust(characters, "x")[:characters]


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def shop(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    async with world(tmp_path_factory.mktemp("bad")) as made:
        made.origin.commit(FILES)
        await made.reindex()
        yield made


async def ask(shop: World, text: str) -> tuple[Answer, str]:
    """The answer, and the comment that it makes."""
    view = await view_of(shop.index, REPO)
    answer = await retrieve(shop.index, EMBEDDER, shop.mirror, view, read_question(text))
    return answer, answer_comment(answer, URL, {})


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    "text", ["", "  \n\t ", "?!.. --- ...", "what is it and how", "the of and", "((((", "```\n```", "\x00\x1b[0m"]
)
async def test_what_names_nothing_is_told_so(shop: World, text: str) -> None:
    answer, body = await ask(shop, text)
    assert answer.evidence == ()
    assert "names nothing that could be looked for" in body


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    "text", ["frobnicate_it", "where is `frobnicate_it` defined?", "who calls frobnicate_it?", "Frobnicator.run_it"]
)
async def test_a_name_that_nothing_has_is_not_found_and_nothing_is_claimed(shop: World, text: str) -> None:
    answer, body = await ask(shop, text)
    assert answer.evidence == ()
    assert "Nothing in this repository is called" in body
    assert not any(claim in body for claim in CLAIMS)


@pytest.mark.asyncio(loop_scope="module")
async def test_a_name_that_is_only_used_is_said_to_be_named_and_not_defined(shop: World) -> None:
    answer, body = await ask(shop, "where is `stripe` defined?")
    assert [each.citation.path for each in answer.evidence] == ["shop/mail.py"]
    assert "Nothing in this repository defines stripe; these places name it." in body
    assert not any(claim in body for claim in CLAIMS)


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("text", ["where is src/gone.py?", "shop/adress.py", "what is in `lib/nothing/here.ts`?"])
async def test_a_path_that_is_not_there_is_said_to_be_missing(shop: World, text: str) -> None:
    answer, body = await ask(shop, text)
    assert answer.evidence == ()
    assert "There is no folder" in body or "exists here" in body
    assert not any(claim in body for claim in CLAIMS)


@pytest.mark.asyncio(loop_scope="module")
async def test_a_file_with_a_name_like_a_missing_one_is_named_and_the_rest_of_a_question_is_answered(
    shop: World,
) -> None:
    answer, _ = await ask(shop, "shop/adress.py")
    assert [each.citation.path for each in answer.near] == ["shop/address.py"]
    answer, body = await ask(shop, "does old/address.go split an address into street and town?")
    assert answer.evidence[0].citation.path == "shop/address.py"
    assert "No file `old/address.go` exists here." in body


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("fenced", [False, True])
async def test_a_log_of_a_megabyte_is_no_answer_s_ground(shop: World, fenced: bool) -> None:
    text = log(1_000_000)
    question = read_question(f"```\n{text}\n```" if fenced else text)
    assert len(question.text) <= HEAD_CHARACTERS + TAIL_CHARACTERS + TRACE_CHARACTERS + 2
    _, body = await ask(shop, f"```\n{text}\n```" if fenced else text)
    assert not any(claim in body for claim in CLAIMS)


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("at", [0, 500_000, 1_000_000], ids=["start", "middle", "end"])
async def test_a_traceback_anywhere_in_a_long_log_leads_to_its_line(shop: World, at: int) -> None:
    text = log(1_000_000)
    answer, _ = await ask(shop, f"{text[:at]}\n{TRACE}\n{text[at:]}")
    assert (answer.evidence[0].citation.path, answer.evidence[0].symbol) == ("shop/pay.py", "pay_bill")
    assert not answer.thin


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    "text",
    ["a" * 1_000_000, "(" * 1_000_000, "`" * 1_000_000, "解析" * 500_000, "a/b.py " * 150_000, "x = f(y);\n" * 100_000],
)
async def test_a_megabyte_of_one_thing_is_answered(shop: World, text: str) -> None:
    _, body = await ask(shop, text)
    assert len(body) < 20_000


@pytest.mark.asyncio(loop_scope="module")
async def test_a_question_in_chinese_finds_chinese_comments_and_claims_nothing_of_english_code(shop: World) -> None:
    answer, _ = await ask(shop, "购物车在哪里保存到会话？")
    assert answer.evidence[0].symbol == "keep"
    assert not answer.thin
    answer, body = await ask(shop, "退款流程怎么实现")
    assert answer.thin
    assert not any(claim in body for claim in CLAIMS)
    assert (await ask(shop, "`parse_address` 这个函数做什么"))[0].evidence[0].symbol == "parse_address"


@pytest.mark.asyncio(loop_scope="module")
async def test_a_definition_is_not_followed_by_what_does_not_name_it(shop: World) -> None:
    answer, _ = await ask(shop, "parse_address")
    assert [each.citation.path for each in answer.evidence] == ["shop/address.py", "docs/use.md"]


# --- repositories that hold little, or much --------------------------------------------------------------------------


def run(directory: Path, *arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(
        application, list(arguments), env={"CODERAG_DATA_DIR": str(directory / "data")}, catch_exceptions=False
    )
    return done.exit_code, done.stdout


def test_a_repository_without_a_commit_is_told_so(tmp_path: Path) -> None:
    origin = GitRepository.create(tmp_path / "origin.git")
    for arguments in (("index",), ("ask", "where is it defined?")):
        with pytest.raises(UserError, match="has no commit yet"):
            run(tmp_path, arguments[0], str(origin.path), *arguments[1:])


@pytest.mark.parametrize(
    "files", [{"a.png": b"\x89PNG\r\n\x1a\n\0\0"}, {"README.md": "# Sea\n\nPictures.\n", "a.png": b"\x89PNG\0"}]
)
def test_a_repository_without_code_is_searched_and_mapped(tmp_path: Path, files: dict[str, str | bytes]) -> None:
    origin = GitRepository.create(tmp_path / "origin.git")
    origin.commit(files)
    assert run(tmp_path, "index", str(origin.path))[0] == 0
    code, said = run(tmp_path, "ask", str(origin.path), "where is parse_address defined?")
    assert (code, "Nothing in this repository is called" in said) == (1, True)
    _, said = run(tmp_path, "ask", str(origin.path), "what is in this repository?")
    assert ("no code or text" in said) is ("README.md" not in files)
    assert run(tmp_path, "callers", str(origin.path), "parse_address")[0] == 1
    code, said = run(tmp_path, "search", str(origin.path), "src/a.py")
    assert (code, "No file src/a.py exists here." in said) == (1, True)


def test_a_repository_of_many_small_files_is_indexed_asked_and_mapped(tmp_path: Path) -> None:
    origin = GitRepository.create(tmp_path / "origin.git")
    origin.commit(
        {
            f"p{n % 40}/m{n}.py": f"def handle_{n}(count: int) -> str:\n    return str(count + {n})\n"
            for n in range(3000)
        }
    )
    code, said = run(tmp_path, "ask", str(origin.path), "where is handle_777 defined?")
    assert (code, "p17/m777.py:1" in said) == (0, True)
    assert "has 3,000 files: 3,000 Python" in run(tmp_path, "ask", str(origin.path), "what is in this repository?")[1]
    _, said = run(tmp_path, "ask", str(origin.path), "functions that take a Spaceship")
    assert "Only 2,000 of 3,000 files were compared" in said
