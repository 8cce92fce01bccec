"""REST: commits and comparisons."""

from __future__ import annotations

from app.sandbox import diff, payloads, repository_git
from app.sandbox.call import Answer, Call
from app.sandbox.commit_payloads import commit_json, file_json, shape_of
from app.sandbox.payloads import Json
from app.sandbox.refusal import Refusal, not_found
from app.sandbox.router import route
from app.sandbox.state import Repository

COMMIT_FILES = 3_000
"""A commit lists so many files at most, 300 a page."""


COMMIT_FILES_PAGE = 300


COMPARE_COMMITS = 250
"""A comparison lists so many commits where the caller does not page."""


@route("GET", "/repo/commits/{ref}", "contents:read")
async def get_commit(call: Call) -> Answer:
    return await _commit(call, call.params["ref"])


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
