"""GitHub's JSON for commits and changed files. Reads git; decides nothing."""

from __future__ import annotations

from urllib.parse import quote

from app.sandbox import payloads, repository_git
from app.sandbox.diff import ChangedFile
from app.sandbox.payloads import Json
from app.sandbox.repository_git import Commit
from app.sandbox.state import Repository, node_id
from app.sandbox.world import State


async def commit_json(state: State, repository: Repository, sha: str) -> Json:
    """A commit as lists show it."""
    found = await repository_git.log(repository.path, "--max-count=1", sha)
    return shape_of(state, repository, found[0])


def shape_of(state: State, repository: Repository, commit: Commit) -> Json:
    """GitHub's JSON of a commit that git has read. Its author is an account only where GitHub would know the address."""
    api, html = payloads.api_of(state, repository), payloads.html_of(state, repository)
    return {
        "sha": commit.sha,
        "node_id": node_id("C", int(commit.sha[:12], 16)),
        "commit": {
            "author": _person(commit.author),
            "committer": _person(commit.committer),
            "message": commit.message,
            "tree": {"sha": commit.tree, "url": f"{api}/git/trees/{commit.tree}"},
            "url": f"{api}/git/commits/{commit.sha}",
            "comment_count": 0,
            "verification": {
                "verified": False,
                "reason": "unsigned",
                "signature": None,
                "payload": None,
                "verified_at": None,
            },
        },
        "url": f"{api}/commits/{commit.sha}",
        "html_url": f"{html}/commit/{commit.sha}",
        "comments_url": f"{api}/commits/{commit.sha}/comments",
        "author": _account(state, commit.author[1]),
        "committer": _account(state, commit.committer[1]),
        "parents": [
            {"sha": sha, "url": f"{api}/commits/{sha}", "html_url": f"{html}/commit/{sha}"} for sha in commit.parents
        ],
    }


def _person(signature: tuple[str, str, str]) -> Json:
    return {"name": signature[0], "email": signature[1], "date": signature[2].replace("+00:00", "Z")}


def _account(state: State, email: str) -> Json | None:
    local, _, host = email.partition("@")
    account = state.users.get(local.partition("+")[2].lower()) if host == "users.noreply.github.com" else None
    return None if account is None else payloads.author(state, account)


def file_json(state: State, repository: Repository, file: ChangedFile, sha: str) -> Json:
    """A changed file; bytes of its name that are no UTF-8 arrive as U+FFFD, as in all of GitHub's JSON."""
    name = readable(file.path)
    quoted = quote(name)
    html, api = payloads.html_of(state, repository), payloads.api_of(state, repository)
    shape: Json = {
        "sha": file.blob,
        "filename": name,
        "status": file.status,
        "additions": file.additions,
        "deletions": file.deletions,
        "changes": file.additions + file.deletions,
        "blob_url": f"{html}/blob/{sha}/{quoted}",
        "raw_url": f"{html}/raw/{sha}/{quoted}",
        "contents_url": f"{api}/contents/{quoted}?ref={sha}",
    }
    if file.patch is not None:
        shape["patch"] = file.patch
    if file.previous is not None:
        shape["previous_filename"] = readable(file.previous)
    return shape


def readable(path: str) -> str:
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
