"""How often the definition of a named identifier is the first answer, over repositories of many languages.

`python -m tests.bench.definitions_figures 'DIR/{owner}+{name}/repo' [OWNER/NAME …] [--names N] [--misses]`

Each repository's HEAD is indexed as the product does it. Of the names that its main language declares (`declared_names` reads
them without the product; no tests, examples, documents, vendored or generated files), N spread evenly are asked for in three
ways: the bare name, a sentence, and the name with its owner, where one definition alone has it. The first answer is right if
it shows that name and its lines hold a line on which the name is declared; for the name with its owner, that very line.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections import Counter
from collections.abc import Iterable
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path

from app.cli.workspace import Workspace, open_workspace
from app.config import Settings
from app.core.languages import language_for
from app.core.query import read_question
from app.core.roles import Role, role_of
from app.core.rules import Rules
from app.core.source import decode, is_generated
from app.core.types import Evidence, View
from app.core.wanted import select
from app.steps.graph import find_definitions
from app.steps.reindex import ATTRIBUTES_BYTES
from app.steps.retrieve import retrieve
from tests.bench.declared_names import declared

NAMES = 60
REPOSITORIES = (
    "pallets/flask", "gin-gonic/gin", "colinhacks/zod", "expressjs/express", "BurntSushi/ripgrep", "google/gson", "jqlang/jq",
    "fmtlib/fmt", "sinatra/sinatra", "composer/composer", "DapperLib/Dapper", "JetBrains/Exposed", "Alamofire/Alamofire",
    "elixir-plug/plug", "typelevel/cats-effect", "lunarmodules/Penlight", "nvm-sh/nvm", "theory/pgtap",
)  # fmt: skip
FORMS = ("bare", "asked", "qualified")

Places = dict[str, set[tuple[str, int]]]
"""Name → the (path, line) at which it is declared."""


@dataclass
class Figures:
    """Right first answers and questions by form; `misses` says of each wrong one what was asked and what came."""

    language: str
    asked: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    misses: list[str] = field(default_factory=list)

    def share(self, form: str) -> float:
        """Per cent."""
        return 100 * self.right[form] / (self.asked[form] or 1)


async def measure(path: Path, directory: Path, names: int = NAMES) -> Figures:
    """Index the repository at `path` below `directory`, ask for `names` of its names, and judge the first answers."""
    async with open_workspace(path, Settings.from_environment({"CODERAG_DATA_DIR": str(directory)})) as place:
        await place.bring_to("HEAD")
        view = await place.view()
        language, everywhere, code = await _declared(place)
        figures = Figures(language)
        for name in spread(sorted(code), names):
            lines = everywhere[name]
            await _judge(place, view, figures, "bare", name, name, lines)
            await _judge(place, view, figures, "asked", f"where is {name} defined?", name, lines)
            for qualified, line in await _qualified(place, view, name, code[name]):
                await _judge(place, view, figures, "qualified", qualified, name, {line})
        return figures


def spread(names: list[str], most: int) -> list[str]:
    """At most `most` of the names, evenly over the list."""
    return names if len(names) <= most else [names[index * len(names) // most] for index in range(most)]


async def _declared(place: Workspace) -> tuple[str, Places, Places]:
    """The language that declares most, where names are declared in any language, and where its own are outside of tests and the like."""
    head = await place.mirror.resolve("HEAD")
    attributes = await place.mirror.read(head, ".gitattributes", ATTRIBUTES_BYTES)
    wanted = select(await place.mirror.tree(head), Rules(attributes=(attributes or b"").decode("utf-8", "replace")))
    paths: dict[str, list[str]] = {}
    for path, entry in wanted.entries.items():
        if path not in wanted.refused:
            paths.setdefault(entry.blob, []).append(path)
    everywhere: Places = {}
    code: dict[str, Places] = {}
    async with aclosing(place.mirror.blobs(paths)) as blobs:
        async for blob, data in blobs:
            text = decode(data or b"")
            for path in paths[blob] if isinstance(text, str) else ():
                language = language_for(path, str(text))
                for name, line, main in declared(language, str(text)):
                    everywhere.setdefault(name, set()).add((path, line))
                    if main and len(name) > 1 and role_of(path) == Role.SOURCE and not is_generated(path, str(text)):
                        code.setdefault(language, {}).setdefault(name, set()).add((path, line))
    most = max(code, key=lambda language: (len(code[language]), language))
    return most, everywhere, code[most]


async def _qualified(
    place: Workspace, view: View, name: str, lines: set[tuple[str, int]]
) -> list[tuple[str, tuple[str, int]]]:
    """The first of the declared lines whose definition's qualified name has an owner and is nobody else's, with that name."""
    found = [each for each in await find_definitions(place.index, view, name) if each.definition.name == name]
    times = Counter(each.definition.qualified for each in found)
    for path, line in sorted(lines):
        for each in found:
            qualified = each.definition.qualified
            holds = each.path == path and each.definition.first <= line <= each.definition.last
            if holds and times[qualified] == 1 and "." in qualified:
                return [(qualified, (path, line))]
    return []


async def _judge(
    place: Workspace, view: View, figures: Figures, form: str, text: str, name: str, lines: Iterable[tuple[str, int]]
) -> None:
    answer = await retrieve(place.index, place.embedder, place.mirror, view, read_question(text), 3)
    first = answer.evidence[0] if answer.evidence else None
    figures.asked[form] += 1
    if first is not None and _is_right(first, name, lines):
        figures.right[form] += 1
    else:
        at = first and f"{first.citation.path}:{first.citation.first}-{first.citation.last} {first.symbol}"
        figures.misses.append(f"{form}: {text!r} declared at {sorted(lines)[:3]}, first is {at}")


def _is_right(first: Evidence, name: str, lines: Iterable[tuple[str, int]]) -> bool:
    at = first.citation
    shown = first.symbol.rpartition(".")[2] == name
    return shown and any(path == at.path and at.first <= line <= at.last for path, line in lines)


async def _main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("pattern", help="where repositories are: 'DIR/{owner}+{name}/repo'")
    parser.add_argument("repositories", nargs="*", default=REPOSITORIES, help="OWNER/NAME")
    parser.add_argument("--names", type=int, default=NAMES, help="names of each repository")
    parser.add_argument("--misses", action="store_true", help="tell each wrong answer")
    arguments = parser.parse_args()
    print(
        "| repository | language | names | bare name | `where is NAME defined?` | with its owner |\n|---|---|---|---|---|---|"
    )
    for repository in arguments.repositories:
        owner, _, name = repository.partition("/")
        path = Path(arguments.pattern.replace("{owner}", owner).replace("{name}", name))
        with tempfile.TemporaryDirectory() as directory:
            figures = await measure(path, Path(directory), arguments.names)
        told = (f"{figures.share(form):.1f} ({figures.right[form]} of {figures.asked[form]})" for form in FORMS)
        print(f"| {repository} | {figures.language} | {figures.asked['bare']} | {' | '.join(told)} |", flush=True)
        if arguments.misses:
            print("".join(f"    {line}\n" for line in figures.misses), end="", flush=True)


if __name__ == "__main__":
    asyncio.run(_main())
