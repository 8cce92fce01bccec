"""`coderag demo`: the whole bot at work on a real repository's own history, with only GitHub itself played by the sandbox."""

from __future__ import annotations

import asyncio
import importlib
import re
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from rich.console import RenderableType
from rich.markdown import Markdown
from rich.markup import escape
from rich.panel import Panel
from rich.rule import Rule

from app.cli.history import Chapters, choose_chapters, choose_symbol, survey
from app.cli.proof import proof
from app.cli.terminal import FOUND, NOTHING, AsJson, err, out, print_json, run
from app.clients.git import Mirror, local_mirror
from app.config import Settings
from app.core.errors import Transient
from app.core.types import BRANCH
from app.sandbox import Sandbox, repository_git
from app.sandbox.sample import make_sample
from app.sandbox.state import CheckRun, Comment, Repository, Thread
from app.steps.stored import read_scope_record

T = TypeVar("T")

OWNER = "octo"
REVIEWER = "grace"
PATIENCE = 600.0
"""Seconds waited for one thing to happen; a first index of a million lines takes a minute."""
LOOK_EVERY = 0.05
"""Seconds between looks at the sandbox."""
PROJECT = Path(__file__).resolve().parents[2]

PULL_BRANCH = "proposal"
TOLD = ("added", "changed", "moved", "removed", "unchanged", "vectors_computed", "vectors_reused")
"""What of a ledger the demo tells; `coderag index` prints all of it."""
ENOUGH_HISTORY = 12
"""Commits of the main line from which this project's own history tells a story."""


@dataclass
class Scene:
    """One thing that happened, as the demo's `--json` tells it."""

    title: str
    seconds: float
    facts: dict[str, object] = field(default_factory=dict)
    comment: str = ""
    links: list[dict[str, object]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def demo(
    repo: Annotated[
        Path | None, typer.Option(help="A git repository to work on; else this project's own history.")
    ] = None,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the pages open in a browser until Ctrl-C.")] = False,
    as_json: AsJson = False,
) -> None:
    """Watch the bot index, reindex, answer and summarise on a real repository; every link is opened and compared with git."""
    scenes = run(_demo(repo, keep=keep, quiet=as_json))
    if as_json:
        print_json(scenes)
    wrong = [problem for scene in scenes for problem in scene.problems]
    raise typer.Exit(NOTHING if wrong else FOUND)


async def _demo(path: Path | None, *, keep: bool, quiet: bool) -> list[Scene]:
    with tempfile.TemporaryDirectory(prefix="coderag-demo-") as folder:
        root = Path(folder)
        source, name = await _source(path, root)
        chapters = await choose_chapters(source, await source.resolve("HEAD"))
        staged = root / "staged.git"
        await repository_git.stage(source.path, staged, "main", chapters.start)
        async with Sandbox(root / "github") as github, running_bot(github, root / "data") as bot:
            github.add_user(REVIEWER)
            repository = await github.add_repository(f"{OWNER}/{name}", staged)
            github.set_permission(repository.full_name, REVIEWER, "write")
            story = Story(github, bot, repository, source, quiet)
            await story.tell(chapters)
            if keep:
                err.print(f"Open {github.html_url}/{repository.full_name}/pull/{story.pull} - Ctrl-C ends the demo.")
                await asyncio.Event().wait()
            return story.scenes


async def _source(path: Path | None, root: Path) -> tuple[Mirror, str]:
    """The repository to show: the one asked for, else the project's own clone, else the bundled sample."""
    if path is not None:
        folder = path.expanduser().resolve()
        named = folder.parent if folder.name in ("repo", ".git") else folder
        return local_mirror(path), _safe_name(named.name)
    if (PROJECT / ".git").exists():
        mirror = local_mirror(PROJECT)
        if len(await mirror.first_parents(await mirror.resolve("HEAD"), ENOUGH_HISTORY)) == ENOUGH_HISTORY:
            return mirror, "coderag"
    await make_sample(root / "library.git")
    return local_mirror(root / "library.git"), "library"


def _safe_name(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name.removesuffix(".git")).strip("-.") or "repository"


@asynccontextmanager
async def running_bot(github: Sandbox, data: Path) -> AsyncIterator[Any]:
    """The bot itself, web and worker in this process, told of the sandbox as it would be of GitHub."""
    settings = Settings(
        app_id=github.app_id,
        private_key=github.private_key,
        webhook_secret=github.webhook_secret,
        api_url=github.api_url,
        data_dir=data,
        log_level="error",
    )
    serve: Any = importlib.import_module("jobs.serve")
    async with serve.running(settings) as bot:
        github.webhook_url = f"{bot.url}/webhook"
        yield bot
        github.webhook_url = None


@dataclass
class Story:
    """What happens in the demo, in order; `pull` is the number of its pull request once it is open."""

    github: Sandbox
    bot: Any
    repository: Repository
    source: Mirror
    quiet: bool
    scenes: list[Scene] = field(default_factory=list)
    pull: int = 0

    async def tell(self, chapters: Chapters) -> None:
        """Install, push, ask, propose: each step waits for what the bot does about it."""
        self._print(Rule(f"{self.repository.full_name} on {self.github.html_url}"))
        await self._install(chapters)
        for sha in chapters.pushes:
            await self._push(sha)
        base = chapters.pushes[-1]
        symbol = choose_symbol(await survey(self.source, base))
        if symbol:
            await self._ask(f"Where is `{symbol}`?", f"@{self.github.slug} where is `{symbol}` defined?")
            await self._ask(f"Callers of `{symbol}`", f"Before I change it: @{self.github.slug} who calls `{symbol}`?")
        await self._propose(chapters.pull)
        if chapters.update:
            await self._update(chapters.update)

    # --- scenes -----------------------------------------------------------------------------------------------------

    async def _install(self, chapters: Chapters) -> None:
        scene = self._begin("The App is installed: the repository is indexed")
        await self.github.add_installation(OWNER)
        await self._until_indexed(chapters.start, scene)

    async def _push(self, sha: str) -> None:
        subject = await repository_git.line(self.source.path, "log", "-1", "--format=%s", sha)
        scene = self._begin(f"A push to {self.repository.default_branch}: {subject}")
        await self.github.push(self.repository.full_name, self.repository.default_branch, sha, REVIEWER)
        await self._until_indexed(sha, scene)

    async def _ask(self, title: str, body: str) -> None:
        scene = self._begin(f"{REVIEWER} asks: {body}")
        issue = await self.github.open_issue(self.repository.full_name, REVIEWER, title, body)
        comment = await self._until(lambda: _by_app(issue), f"an answer on issue #{issue.number}")
        await self._commented(scene, comment)

    async def _propose(self, head: str) -> None:
        name = self.repository.full_name
        subject = await repository_git.line(self.source.path, "log", "-1", "--format=%s", head)
        scene = self._begin(f"A pull request is opened: {subject}")
        await self.github.push(name, PULL_BRANCH, head, REVIEWER)
        thread = await self.github.open_pull(name, PULL_BRANCH, self.repository.default_branch, subject, None, REVIEWER)
        self.pull = thread.number
        await self._reviewed(scene, thread, head)

    async def _update(self, head: str) -> None:
        subject = await repository_git.line(self.source.path, "log", "-1", "--format=%s", head)
        scene = self._begin(f"One more commit is pushed to it: {subject}")
        await self.github.push(self.repository.full_name, PULL_BRANCH, head, REVIEWER)
        thread = self.github.host.state.thread(self.repository.full_name, self.pull)
        await self._reviewed(scene, thread, head)

    async def _reviewed(self, scene: Scene, thread: Thread, head: str) -> None:
        """Wait for the check on the head: it comes after the comment, and without one where there is nothing to say."""
        check = await self._until(lambda: self._check(head), f"a check on {head[:7]}")
        scene.facts["check"] = f"{check.conclusion}: {check.output.get('title', '')}"
        comment = _by_app(thread)
        if comment is None:
            self._end(scene)
            self._print("No comment: there is nothing to say that the diff does not say itself.")
        else:
            await self._commented(scene, comment)

    # --- waiting ----------------------------------------------------------------------------------------------------

    async def _until(self, look: Callable[[], T | None], what: str) -> T:
        give_up = time.monotonic() + PATIENCE
        while time.monotonic() < give_up:
            found = look()
            if found is not None:
                return found
            await asyncio.sleep(LOOK_EVERY)
        raise Transient(
            f"The demo waited {PATIENCE:.0f} s for {what} in vain; run it with CODERAG_LOG_LEVEL=info to see why."
        )

    async def _until_indexed(self, sha: str, scene: Scene) -> None:
        """Wait until the index holds the commit, and note what the run did."""
        give_up = time.monotonic() + PATIENCE
        while time.monotonic() < give_up:
            record = await read_scope_record(self.bot.deps.index, self.repository.id, BRANCH)
            if record is not None and record.head == sha and not record.dirty:
                scene.facts |= {"head": sha[:7], "files": record.files}
                scene.facts |= {name: value for name, value in record.ledger.items() if value and name in TOLD}
                self._end(scene)
                return
            await asyncio.sleep(LOOK_EVERY)
        raise Transient(f"The demo waited {PATIENCE:.0f} s for {sha[:7]} to be indexed in vain.")

    def _check(self, head: str) -> CheckRun | None:
        """The bot's finished check on a commit."""
        done = [each for each in self.repository.checks if each.head_sha == head and each.status == "completed"]
        return done[-1] if done else None

    # --- showing ----------------------------------------------------------------------------------------------------

    def _begin(self, title: str) -> Scene:
        scene = Scene(title, time.monotonic())
        self._print(f"\n[bold cyan]{len(self.scenes) + 1}. {escape(title)}[/]")
        self.scenes.append(scene)
        self._seen = (len(self.github.deliveries), len(self.github.git_requests))
        return scene

    def _end(self, scene: Scene) -> None:
        scene.seconds = round(time.monotonic() - scene.seconds, 2)
        signed = [each.event for each in self.github.deliveries[self._seen[0] :]]
        scene.facts["webhooks"] = ", ".join(dict.fromkeys(signed))
        scene.facts["git requests"] = len(self.github.git_requests) - self._seen[1]
        told = "  ".join(
            f"{name.replace('_', ' ')} [bold]{escape(str(value))}[/]" for name, value in scene.facts.items()
        )
        self._print(f"   after {scene.seconds:.2f} s  {told}")

    async def _commented(self, scene: Scene, comment: Comment) -> None:
        scene.comment = comment.body or ""
        self._end(scene)
        self._print(Panel(Markdown(_readable(scene.comment)), title=f"{self.github.slug}[bot]", title_align="left"))
        scene.links, scene.problems = await proof(self.source, scene.comment)
        for link in scene.links:
            self._print(f"   [green]✓[/] {escape(str(link['place']))}  [dim]{escape(str(link['line']))}[/]")
        for problem in scene.problems:
            self._print(f"   [bold red]✗ {escape(problem)}[/]")

    def _print(self, what: RenderableType) -> None:
        if not self.quiet:
            out.print(what)


def _by_app(thread: Thread) -> Comment | None:
    return next((each for each in thread.of_kind("issue") if each.by_app), None)


def _readable(body: str) -> str:
    """The comment without what a browser hides or folds: terminals have no `<details>`."""
    body = re.sub(r"<!--.*?-->\n?", "", body, flags=re.DOTALL)
    body = re.sub(r"<summary>(.*?)</summary>", r"\n**▸ \1**\n", body, flags=re.DOTALL)
    return re.sub(r"</?(?:details|sub|b)>", "", body)
