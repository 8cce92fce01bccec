"""REST: reviews, which are taken whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping

from app.sandbox import pull_payloads, pulls, threads
from app.sandbox.call import Answer, Call
from app.sandbox.payloads import Json
from app.sandbox.pulls import Hunks
from app.sandbox.refusal import Refusal, not_found, wrong_type
from app.sandbox.rest_line_comments import check_unlocked, line_comment
from app.sandbox.rest_pulls import READ, WRITE
from app.sandbox.router import route
from app.sandbox.state import Review

REVIEW_EVENTS = {"COMMENT": "COMMENTED", "APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED"}


@route("GET", "/repo/pulls/{number}/reviews", READ)
async def list_reviews(call: Call) -> Answer:
    found = pulls.pull_of(call.pull()).reviews
    return call.listing([pull_payloads.rest_review(call.host.state, one) for one in found])


def _review(call: Call) -> Review:
    for one in pulls.pull_of(call.pull()).reviews:
        if one.id == call.number("id"):
            return one
    raise not_found()


@route("GET", "/repo/pulls/{number}/reviews/{id}", READ)
async def get_review(call: Call) -> Answer:
    return Answer(200, pull_payloads.rest_review(call.host.state, _review(call)))


@route("GET", "/repo/pulls/{number}/reviews/{id}/comments", READ)
async def list_review_comments(call: Call) -> Answer:
    review = _review(call)
    found = [one for one in review.thread.of_kind("review") if one.review is review]
    return call.listing([pull_payloads.review_comment(call.host.state, one) for one in found])


@route("POST", "/repo/pulls/{number}/reviews", WRITE)
async def create_review(call: Call) -> Answer:
    """A review with its line comments, all or nothing: one line outside the hunks refuses the whole."""
    thread = call.pull()
    body = call.json()
    event = body.get("event")
    if event not in REVIEW_EVENTS:
        raise wrong_type("event", event, 'one of "APPROVE", "REQUEST_CHANGES", "COMMENT"')
    wanted = [line_comment(one) for one in _comments(body)]
    text = body.get("body")
    if text is not None and not isinstance(text, str):
        raise wrong_type("body", text, "a string")
    if event != "APPROVE" and not (text or "").strip() and not wanted:
        raise Refusal(422, "Unprocessable Entity", ["Body is required"])
    threads.check_length("PullRequestReview", text or "")
    for one in wanted:
        threads.check_body("PullRequestReviewComment", one.body)
    check_unlocked(thread)
    hunks = await Hunks.of(thread)
    places = [hunks.locate(one) for one in wanted]
    comments = [
        pulls.make_comment(call.host, thread, call.sender, one, at, by_app=True)
        for one, at in zip(wanted, places, strict=True)
    ]
    review = pulls.add_review(call.host, thread, call.sender, (REVIEW_EVENTS[str(event)], text), comments, by_app=True)
    return Answer(200, pull_payloads.rest_review(call.host.state, review))


def _comments(body: Json) -> list[Mapping[str, object]]:
    listed = body.get("comments") or []
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise wrong_type("comments", listed, "an array of objects")
    return listed
