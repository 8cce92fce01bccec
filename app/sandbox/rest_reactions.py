"""REST: reactions to issues, pull requests and comments."""

from __future__ import annotations

from app.sandbox import payloads, threads
from app.sandbox.call import Answer, Call
from app.sandbox.refusal import Refusal, invalid, not_found
from app.sandbox.router import route
from app.sandbox.state import Reaction

ISSUE = "/repo/issues/{number}/reactions"
ISSUE_COMMENT = "/repo/issues/comments/{comment}/reactions"
REVIEW_COMMENT = "/repo/pulls/comments/{comment}/reactions"


def _reactions(call: Call) -> list[Reaction]:
    if "number" in call.params:
        return call.thread().reactions
    return call.comment("review" if "/pulls/comments/" in call.path else "issue").reactions


@route("GET", ISSUE, "issues:read")
@route("GET", ISSUE_COMMENT, "issues:read")
@route("GET", REVIEW_COMMENT, "pull_requests:read")
async def list_reactions(call: Call) -> Answer:
    wanted = call.query.get("content")
    found = [one for one in _reactions(call) if wanted in (None, one.content)]
    return call.listing([payloads.reaction(call.host.state, one) for one in found])


@route("POST", ISSUE, "issues:write")
@route("POST", ISSUE_COMMENT, "issues:write")
@route("POST", REVIEW_COMMENT, "pull_requests:write")
async def create_reaction(call: Call) -> Answer:
    """201 for a new reaction, 200 for one that was there."""
    reactions = _reactions(call)
    content = call.text("content")
    if content not in payloads.REACTIONS:
        raise invalid("Reaction", "content", f"{content} is not a reaction", "invalid")
    if "number" in call.params and call.thread().locked:
        raise Refusal(403, "Unable to create reaction because issue is locked.")
    reaction, new = threads.add_reaction(call.host, reactions, call.sender, content)
    return Answer(201 if new else 200, payloads.reaction(call.host.state, reaction))


@route("DELETE", ISSUE + "/{reaction}", "issues:write")
@route("DELETE", ISSUE_COMMENT + "/{reaction}", "issues:write")
@route("DELETE", REVIEW_COMMENT + "/{reaction}", "pull_requests:write")
async def delete_reaction(call: Call) -> Answer:
    reactions = _reactions(call)
    for one in reactions:
        if one.id == call.number("reaction"):
            if one.user is not call.sender:
                raise Refusal(403, "Resource not accessible by integration")
            reactions.remove(one)
            return Answer(204)
    raise not_found()
