"""REST: repositories, branches and collaborators."""

from __future__ import annotations

from urllib.parse import quote

from app.sandbox import payloads, repository_git
from app.sandbox.call import Answer, Call
from app.sandbox.commit_payloads import commit_json
from app.sandbox.payloads import Json
from app.sandbox.refusal import Refusal
from app.sandbox.router import route


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
