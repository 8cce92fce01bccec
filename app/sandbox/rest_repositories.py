"""REST: repositories, branches, commits, comparisons and collaborators."""

from __future__ import annotations

from urllib.parse import quote

from app.sandbox import diff, payloads, repository_git
from app.sandbox.diff import ChangedFile
from app.sandbox.payloads import Json
from app.sandbox.refusal import Refusal, not_found
from app.sandbox.repository_git import Commit
from app.sandbox.router import Answer, Call, route
from app.sandbox.state import Repository, State, node_id

COMMIT_FILES = 3_000
"""A commit lists so many files at most, 300 a page."""
COMMIT_FILES_PAGE = 300
COMPARE_COMMITS = 250
"""A comparison lists so many commits where the caller does not page."""


@route("GET", "/repo", "metadata:read")
async def get_repository(call: Call) -> Answer:
    return Answer(200, payloads.full_repository(call.host.state, call.repo))


@route("GET", "/repo/branches/{branch+}", "contents:read")
async def get_branch(call: Call) -> Answer:
    name = call.params["branch"]
    sha = await repository_git.resolve(call.repo.path, f"refs/heads/{name}")
    if sha is None:
        raise Refusal(404, "Branch not found")
    api = f"{payloads.api_of(call.host.state, call.repo)}/branches/{quote(name)}"
    html = f"{payloads.html_of(call.host.state, call.repo)}/tree/{quote(name)}"
    off: Json = {"enabled": False, "required_status_checks": {"enforcement_level": "off", "contexts": [], "checks": []}}
    shape = {
        "name": name,
        "commit": await commit_json(call.host.state, call.repo, sha),
        "_links": {"self": api, "html": html},
        "protected": False,
        "protection": off,
        "protection_url": f"{api}/protection",
    }
    return Answer(200, shape)


@route("GET", "/repo/branches", "contents:read")
async def list_branches(call: Call) -> Answer:
    output = await repository_git.line(
        call.repo.path, "for-each-ref", "--format=%(objectname) %(refname:lstrip=2)", "refs/heads"
    )
    api = payloads.api_of(call.host.state, call.repo)
    pairs = [row.split(" ", 1) for row in output.splitlines()]
    return call.listing(
        [
            {"name": name, "commit": {"sha": sha, "url": f"{api}/commits/{sha}"}, "protected": False}
            for sha, name in pairs
        ]
    )


@route("GET", "/repo/commits/{ref}", "contents:read")
async def get_commit(call: Call) -> Answer:
    return await _commit(call, call.params["ref"])


@route("GET", "/repo/commits/{ref}/check-runs", "checks:read")
async def list_check_runs(call: Call) -> Answer:
    from app.sandbox.rest_checks import runs_of

    return await runs_of(call, await resolve_ref(call.repo, call.params["ref"]))


@route("GET", "/repo/commits/{ref+}", "contents:read")
async def get_commit_of_branch(call: Call) -> Answer:
    return await _commit(call, call.params["ref"])


async def _commit(call: Call, ref: str) -> Answer:
    sha = await resolve_ref(call.repo, ref)
    if call.headers.get("accept", "").endswith(("vnd.github.sha", "vnd.github.v3.sha")):
        return Answer(200, sha.encode())
    shape = await commit_json(call.host.state, call.repo, sha)
    commit = (await repository_git.log(call.repo.path, "--max-count=1", sha))[0]
    parent = commit.parents[0] if commit.parents else repository_git.EMPTY_TREE
    files = (await diff.changed_files(call.repo.path, parent, sha))[:COMMIT_FILES]
    added, deleted = sum(file.additions for file in files), sum(file.deletions for file in files)
    page, _ = call.page()
    start = (page - 1) * COMMIT_FILES_PAGE
    headers = {}
    if len(files) > start + COMMIT_FILES_PAGE:
        headers["Link"] = f'<{call.link(page=str(page + 1))}>; rel="next"'
    part = files[start : start + COMMIT_FILES_PAGE]
    shape["stats"] = {"total": added + deleted, "additions": added, "deletions": deleted}
    shape["files"] = [file_json(call.host.state, call.repo, file, sha) for file in part]
    return Answer(200, shape, headers)


async def resolve_ref(repository: Repository, ref: str) -> str:
    """The commit of a branch, a tag, a full ref below heads/ or tags/, or a SHA; 422 where there is none."""
    for name in (f"refs/heads/{ref}", f"refs/tags/{ref}", f"refs/{ref}", ref):
        if name == ref and not _is_sha(ref) and ref != "HEAD":
            continue
        sha = await repository_git.resolve(repository.path, name)
        if sha is not None:
            return sha
    raise Refusal(422, f"No commit found for SHA: {ref}")


def _is_sha(text: str) -> bool:
    return 7 <= len(text) <= 40 and all(letter in "0123456789abcdef" for letter in text)


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


@route("GET", "/repo/compare/{basehead+}", "contents:read")
async def compare(call: Call) -> Answer:
    """BASE...HEAD: all commits by pages of their own, the files only on the first page and 300 at most."""
    base_name, dots, head_name = call.params["basehead"].partition("...")
    if not dots:
        raise not_found()
    repository, state = call.repo, call.host.state
    try:
        base, head = [await resolve_ref(repository, one.rpartition(":")[2]) for one in (base_name, head_name)]
    except Refusal:
        raise not_found() from None
    common = await repository_git.line(repository.path, "merge-base", base, head, check=False)
    if not common:
        raise Refusal(404, f"No common ancestor between {base_name} and {head_name}.")
    ahead = await repository_git.log(repository.path, "--reverse", f"{base}..{head}")
    behind = int(await repository_git.line(repository.path, "rev-list", "--count", f"{head}..{base}"))
    paged = "page" in call.query or "per_page" in call.query
    page, size = call.page() if paged else (1, COMPARE_COMMITS)
    files = await diff.changed_files(repository.path, common, head) if page == 1 else []
    api, html = payloads.api_of(state, repository), payloads.html_of(state, repository)
    status = {(True, True): "diverged", (True, False): "ahead", (False, True): "behind"}.get(
        (bool(ahead), behind > 0), "identical"
    )
    shape: Json = {
        "url": f"{api}/compare/{call.params['basehead']}",
        "html_url": f"{html}/compare/{call.params['basehead']}",
        "permalink_url": f"{html}/compare/{base[:12]}...{head[:12]}",
        "diff_url": f"{html}/compare/{call.params['basehead']}.diff",
        "patch_url": f"{html}/compare/{call.params['basehead']}.patch",
        "base_commit": await commit_json(state, repository, base),
        "merge_base_commit": await commit_json(state, repository, common),
        "status": status,
        "ahead_by": len(ahead),
        "behind_by": behind,
        "total_commits": len(ahead),
        "commits": [shape_of(state, repository, one) for one in ahead[(page - 1) * size : page * size]],
        "files": [file_json(state, repository, file, head) for file in files[: call.host.limits.compare_files]],
    }
    headers = {}
    if paged and len(ahead) > page * size:
        headers["Link"] = f'<{call.link(page=str(page + 1))}>; rel="next"'
    return Answer(200, shape, headers)


_COARSE = {"admin": "admin", "maintain": "write", "write": "write", "triage": "read", "read": "read", "none": "none"}


@route("GET", "/repo/collaborators/{login}/permission", "metadata:read")
async def collaborator_permission(call: Call) -> Answer:
    """`permission` is coarse (maintain is write, triage is read); `role_name` is the role itself."""
    state = call.host.state
    account = state.users.get(call.params["login"].lower())
    if account is None or account.deleted:
        raise Refusal(404, f"{call.params['login']} is not a user")
    role = state.permission(call.repo, account)
    person = payloads.user(state, account) | {
        "permissions": {
            name: role in roles
            for name, roles in {
                "admin": ("admin",),
                "maintain": ("admin", "maintain"),
                "push": ("admin", "maintain", "write"),
                "triage": ("admin", "maintain", "write", "triage"),
                "pull": ("admin", "maintain", "write", "triage", "read"),
            }.items()
        },
        "role_name": role,
    }
    return Answer(200, {"permission": _COARSE[role], "role_name": role, "user": person})
