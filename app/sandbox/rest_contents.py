"""REST: files, trees, blobs and refs, read out of git."""

from __future__ import annotations

import base64
import posixpath
from dataclasses import dataclass
from urllib.parse import quote

from app.sandbox import payloads, repository_git
from app.sandbox.call import Answer, Call
from app.sandbox.commit_payloads import readable
from app.sandbox.payloads import Json
from app.sandbox.refusal import Refusal, not_found
from app.sandbox.rest_commits import resolve_ref
from app.sandbox.router import route
from app.sandbox.state import node_id

RAW_BYTES = 100 * 1_048_576
"""The contents and blob APIs give nothing above this."""
FOLDER_ENTRIES = 1_000
"""A folder lists so many entries at most."""


@dataclass(frozen=True)
class Entry:
    """One entry of a tree; `size` is in bytes, None for trees and submodules."""

    mode: str
    kind: str
    sha: str
    size: int | None
    path: str


async def list_tree(call: Call, treeish: str, *arguments: str) -> list[Entry]:
    """`git ls-tree` of a commit or tree."""
    output = await repository_git.run(call.repo.path, "ls-tree", "-l", "-z", *arguments, treeish)
    entries = []
    for record in output.decode(errors="surrogateescape").split("\0"):
        if record:
            facts, path = record.split("\t", 1)
            mode, kind, sha, size = facts.split()
            entries.append(Entry(mode, kind, sha, None if size == "-" else int(size), path))
    return entries


async def _entry(call: Call, commit: str, path: str) -> Entry | None:
    """The entry at exactly that path."""
    output = await repository_git.run(
        call.repo.path, "--literal-pathspecs", "ls-tree", "-l", "-z", commit, "--", path, check=False
    )
    for record in output.decode(errors="surrogateescape").split("\0"):
        if record:
            facts, name = record.split("\t", 1)
            mode, kind, sha, size = facts.split()
            if name == path:
                return Entry(mode, kind, sha, None if size == "-" else int(size), name)
    return None


@route("GET", "/repo/contents", "contents:read")
async def get_root(call: Call) -> Answer:
    return await _contents(call, "")


@route("GET", "/repo/contents/{path+}", "contents:read")
async def get_contents(call: Call) -> Answer:
    return await _contents(call, call.params["path"].strip("/"))


async def _contents(call: Call, path: str) -> Answer:
    ref = call.query.get("ref") or call.repo.default_branch
    try:
        commit = await resolve_ref(call.repo, ref)
    except Refusal:
        raise Refusal(404, f"No commit found for the ref {ref}") from None
    if not path:
        return await _folder(call, commit, ref, "")
    entry = await _entry(call, commit, path)
    if entry is None:
        raise not_found()
    if entry.kind == "tree":
        return await _folder(call, commit, ref, path)
    if entry.kind == "commit":
        url = await _submodule_url(call, commit, path)
        return Answer(200, _item(call, entry, ref) | {"type": "submodule", "submodule_git_url": url})
    data = await _blob(call, entry.sha)
    if entry.mode == "120000":
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), data.decode(errors="replace")))
        real = await _entry(call, commit, target)
        if real is None or real.kind != "blob" or real.mode == "120000":
            return Answer(200, _item(call, entry, ref) | {"type": "symlink", "target": data.decode(errors="replace")})
        data = await _blob(call, real.sha)
    return _file(call, entry, ref, data)


async def _submodule_url(call: Call, commit: str, path: str) -> str | None:
    """Where .gitmodules says a submodule comes from."""
    arguments = ("config", "--blob", f"{commit}:.gitmodules", "--get-regexp", r"^submodule\..*\.(path|url)$")
    rows = (await repository_git.line(call.repo.path, *arguments, check=False)).splitlines()
    values = dict(row.split(" ", 1) for row in rows if " " in row)
    for key, value in values.items():
        if key.endswith(".path") and value == path:
            return values.get(key.removesuffix(".path") + ".url")
    return None


async def _blob(call: Call, sha: str) -> bytes:
    return await repository_git.run(call.repo.path, "cat-file", "blob", sha)


def _file(call: Call, entry: Entry, ref: str, data: bytes) -> Answer:
    if len(data) > RAW_BYTES:
        raise Refusal(
            403,
            "This API returns blobs up to 100 MB in size.",
            [{"resource": "Blob", "field": "data", "code": "too_large"}],
        )
    if "raw" in call.headers.get("accept", ""):
        return Answer(200, data, {"Content-Type": "application/vnd.github.raw+json; charset=utf-8"})
    shape = _item(call, entry, ref) | {"type": "file", "size": len(data)}
    if len(data) > call.host.limits.contents_bytes:
        return Answer(200, shape | {"content": "", "encoding": "none"})
    return Answer(200, shape | {"content": _base64(data), "encoding": "base64"})


def _base64(data: bytes) -> str:
    """Base64 in lines of 60 characters, as GitHub breaks it."""
    text = base64.b64encode(data).decode()
    return "".join(text[at : at + 60] + "\n" for at in range(0, len(text), 60))


async def _folder(call: Call, commit: str, ref: str, path: str) -> Answer:
    entries = await list_tree(call, f"{commit}:{path}")
    items = []
    for entry in entries[:FOLDER_ENTRIES]:
        full = Entry(entry.mode, entry.kind, entry.sha, entry.size, f"{path}/{entry.path}".lstrip("/"))
        kind = {"tree": "dir", "commit": "file"}.get(entry.kind, "symlink" if entry.mode == "120000" else "file")
        items.append(_item(call, full, ref) | {"type": kind})
    return Answer(200, items)


def _item(call: Call, entry: Entry, ref: str) -> Json:
    state, repository = call.host.state, call.repo
    name = readable(entry.path)
    quoted = quote(name)
    url = f"{payloads.api_of(state, repository)}/contents/{quoted}?ref={quote(ref)}"
    tree = "trees" if entry.kind == "tree" else "blobs"
    git_url = f"{payloads.api_of(state, repository)}/git/{tree}/{entry.sha}"
    page = "tree" if entry.kind == "tree" else "blob"
    html = f"{payloads.html_of(state, repository)}/{page}/{quote(ref)}/{quoted}"
    raw = f"{payloads.html_of(state, repository)}/raw/{quote(ref)}/{quoted}" if entry.kind == "blob" else None
    return {
        "name": posixpath.basename(name),
        "path": name,
        "sha": entry.sha,
        "size": entry.size or 0,
        "url": url,
        "html_url": html,
        "git_url": git_url,
        "download_url": raw,
        "_links": {"self": url, "git": git_url, "html": html},
    }


@route("GET", "/repo/git/trees/{ref+}", "contents:read")
async def get_tree(call: Call) -> Answer:
    """A tree by its id, a commit or a branch; recursive with any value of `recursive`; truncated past the limit."""
    name, path = call.params["ref"], call.repo.path
    tree = await repository_git.line(path, "rev-parse", "--verify", "--quiet", f"{name}^{{tree}}", check=False)
    if not tree or name.startswith("-"):
        raise not_found()
    flags = ("-r", "-t") if "recursive" in call.query else ()
    entries = await list_tree(call, tree, *flags)
    api = payloads.api_of(call.host.state, call.repo)
    limit = call.host.limits.tree_entries
    items = []
    for entry in entries[:limit]:
        item: Json = {"path": readable(entry.path), "mode": entry.mode, "type": entry.kind, "sha": entry.sha}
        if entry.kind == "blob":
            item["size"] = entry.size
        if entry.kind != "commit":
            item["url"] = f"{api}/git/{entry.kind}s/{entry.sha}"
        items.append(item)
    answer = {"sha": tree, "url": f"{api}/git/trees/{tree}", "tree": items, "truncated": len(entries) > limit}
    return Answer(200, answer)


@route("GET", "/repo/git/blobs/{sha}", "contents:read")
async def get_blob(call: Call) -> Answer:
    sha = call.params["sha"]
    kind = await repository_git.line(call.repo.path, "cat-file", "-t", sha, check=False) if len(sha) == 40 else ""
    if kind != "blob":
        raise not_found()
    data = await _blob(call, sha)
    if "raw" in call.headers.get("accept", ""):
        return Answer(200, data, {"Content-Type": "application/vnd.github.raw+json; charset=utf-8"})
    shape = {
        "sha": sha,
        "node_id": node_id("B", int(sha[:12], 16)),
        "size": len(data),
        "url": f"{payloads.api_of(call.host.state, call.repo)}/git/blobs/{sha}",
        "content": _base64(data),
        "encoding": "base64",
    }
    return Answer(200, shape)


@route("GET", "/repo/git/ref/{ref+}", "contents:read")
async def get_ref(call: Call) -> Answer:
    """One ref by its name without `refs/`; there is no guessing."""
    name = f"refs/{call.params['ref']}"
    found = await repository_git.line(
        call.repo.path, "for-each-ref", "--format=%(objectname) %(objecttype) %(refname)", name
    )
    for row in found.splitlines():
        sha, kind, full = row.split(" ", 2)
        if full == name:
            api = payloads.api_of(call.host.state, call.repo)
            target = {"sha": sha, "type": kind, "url": f"{api}/git/{kind}s/{sha}"}
            shape = {"ref": name, "node_id": node_id("REF", call.repo.id), "url": f"{api}/git/{name}", "object": target}
            return Answer(200, shape)
    raise not_found()
