"""Changes to issues, conversations and reactions, whoever makes them. Each sends the events GitHub sends."""

from __future__ import annotations

from app.sandbox import pull_payloads, thread_payloads
from app.sandbox.host import Host
from app.sandbox.payloads import Json
from app.sandbox.refusal import Refusal, invalid
from app.sandbox.state import Comment, Reaction, Repository, Thread, User

BODY_CHARACTERS = 65_536
"""The longest body GitHub takes."""


def check_body(resource: str, body: str) -> None:
    """422 for a comment that is blank or too long."""
    if not body.strip():
        raise Refusal(422, "Validation Failed", [{"resource": resource, "code": "missing_field", "field": "body"}])
    check_length(resource, body)


def check_length(resource: str, body: str) -> None:
    """422 for a body that is too long."""
    if len(body) > BODY_CHARACTERS:
        message = f"Body is too long (maximum is {BODY_CHARACTERS} characters)"
        raise invalid(resource, "data", message, "unprocessable")


def next_number(repository: Repository) -> int:
    return max(repository.threads, default=0) + 1


def open_issue(host: Host, repository: Repository, author: User, title: str, body: str | None) -> Thread:
    """A new issue."""
    now = host.state.clock()
    number = next_number(repository)
    thread = Thread(host.state.new_id("thread"), number, repository, title, body, author, now, now)
    repository.threads[number] = thread
    send_issue(host, "opened", author, thread)
    return thread


def send_issue(host: Host, action: str, sender: User, thread: Thread, extra: Json | None = None) -> None:
    """An `issues` event."""
    fields: Json = {"action": action, "issue": thread_payloads.issue(host.state, thread)}
    host.webhooks.repository_event("issues", sender, thread.repository, fields | (extra or {}))


def add_comment(host: Host, thread: Thread, author: User, body: str | None, by_app: bool = False) -> Comment:
    """A new comment of a conversation. People's bodies are taken as they are (None included); `check_body` is the API's."""
    now = host.state.clock()
    number = host.state.new_id("comment")
    comment = Comment(number, "issue", thread.repository, thread, author, body, now, now, by_app)
    thread.comments.append(comment)
    thread.updated = now
    host.state.comments[number] = comment
    _send_comment(host, "created", author, comment)
    return comment


def edit_comment(host: Host, comment: Comment, editor: User, body: str) -> None:
    """A new body for a comment of either kind."""
    before, comment.body = comment.body, body
    comment.updated = comment.thread.updated = host.state.clock()
    _send_comment(host, "edited", editor, comment, {"changes": {"body": {"from": before}}})


def delete_comment(host: Host, comment: Comment, sender: User) -> None:
    """A comment of either kind is gone; the event still shows it."""
    comment.thread.comments.remove(comment)
    del host.state.comments[comment.id]
    _send_comment(host, "deleted", sender, comment)


def _send_comment(host: Host, action: str, sender: User, comment: Comment, extra: Json | None = None) -> None:
    state, thread = host.state, comment.thread
    fields: Json = {"action": action} | (extra or {})
    if comment.kind == "issue":
        fields["issue"] = thread_payloads.issue(state, thread)
        fields["comment"] = thread_payloads.issue_comment(state, comment)
        host.webhooks.repository_event("issue_comment", sender, comment.repository, fields)
    else:
        fields["comment"] = pull_payloads.review_comment(state, comment)
        fields["pull_request"] = pull_payloads.simple_pull(state, thread)
        host.webhooks.repository_event("pull_request_review_comment", sender, comment.repository, fields)


def send_review_comment(host: Host, sender: User, comment: Comment) -> None:
    """The `created` event of a review comment."""
    _send_comment(host, "created", sender, comment)


def add_reaction(host: Host, reactions: list[Reaction], user: User, content: str) -> tuple[Reaction, bool]:
    """The user's reaction, and whether it is new: a repeat gives the one that is there."""
    for one in reactions:
        if one.user is user and one.content == content:
            return one, False
    reaction = Reaction(host.state.new_id("reaction"), user, content, host.state.clock())
    reactions.append(reaction)
    return reaction, True
