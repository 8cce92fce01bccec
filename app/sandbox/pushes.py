"""Moves branches and tags: the push event, and pull requests that follow their head."""

from __future__ import annotations

from app.sandbox import payloads, pulls, repository_git
from app.sandbox.host import Host
from app.sandbox.payloads import Json
from app.sandbox.state import ZERO_SHA, Repository, User

PUSH_COMMITS = 2_048
"""A push event lists so many commits at most."""


async def push(host: Host, repository: Repository, ref: str, after: str, pusher: User) -> None:
    """Move (or make, or with ZERO_SHA delete) a ref: a push event, then `synchronize` for pull requests from it."""
    path = repository.path
    full = ref if ref.startswith("refs/") else f"refs/heads/{ref}"
    before = await repository_git.resolve(path, full) or ZERO_SHA
    if after == ZERO_SHA:
        await repository_git.run(path, "update-ref", "-d", full)
    else:
        await repository_git.run(path, "update-ref", full, after)
    repository.pushed = host.state.clock()
    fields = await _push_fields(host, repository, full, before, after)
    email = f"{pusher.id}+{pusher.login}@users.noreply.github.com"
    fields["pusher"] = {"name": pusher.login, "email": email}
    host.webhooks.repository_event("push", pusher, repository, fields)
    if full.startswith("refs/heads/") and after != ZERO_SHA:
        await pulls.synchronize(host, pusher, repository, full.removeprefix("refs/heads/"), after)


async def _push_fields(host: Host, repository: Repository, ref: str, before: str, after: str) -> Json:
    created, deleted = before == ZERO_SHA, after == ZERO_SHA
    forced = not created and not deleted and not await repository_git.contains(repository.path, before, after)
    commits: list[Json] = []
    head: Json | None = None
    if not deleted:
        if created:
            known = f"refs/heads/{repository.default_branch}"
            others = (
                [] if ref == known or not await repository_git.resolve(repository.path, known) else ["--not", known]
            )
            arguments = [after, *others]
        else:
            arguments = [f"{before}..{after}"]
        found = await repository_git.log(repository.path, f"--max-count={PUSH_COMMITS}", *arguments)
        known_tip = found[:1] if found and found[0].sha == after else []
        tip = known_tip or await repository_git.log(repository.path, "--max-count=1", after)
        files = await repository_git.files_of(repository.path, [*found, *tip])
        commits = [_push_commit(host, repository, commit, files[commit.sha]) for commit in reversed(found)]
        head = _push_commit(host, repository, tip[0], files[after])
    html = payloads.html_of(host.state, repository)
    span = f"{before[:12]}...{after[:12]}" if not created and not deleted else ref.split("/", 2)[2]
    return {
        "ref": ref,
        "before": before,
        "after": after,
        "created": created,
        "deleted": deleted,
        "forced": forced,
        "base_ref": None,
        "compare": f"{html}/compare/{span}",
        "commits": commits,
        "head_commit": head,
    }


def _push_commit(
    host: Host, repository: Repository, commit: repository_git.Commit, changes: list[tuple[str, str]]
) -> Json:
    def paths(letters: str) -> list[str]:
        # Bytes that are no UTF-8 arrive as U+FFFD in GitHub's JSON.
        return [
            name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
            for kind, name in changes
            if kind in letters
        ]

    return {
        "id": commit.sha,
        "tree_id": commit.tree,
        "distinct": True,
        "message": commit.message,
        "timestamp": commit.committer[2],
        "url": f"{payloads.html_of(host.state, repository)}/commit/{commit.sha}",
        "author": {"name": commit.author[0], "email": commit.author[1]},
        "committer": {"name": commit.committer[0], "email": commit.committer[1]},
        "added": paths("A"),
        "removed": paths("D"),
        "modified": paths("MT"),
    }
