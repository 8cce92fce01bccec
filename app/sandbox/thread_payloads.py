"""GitHub's JSON for issues, conversation comments and check runs. Pure shapes: decides and changes nothing."""

from __future__ import annotations

from app.sandbox import payloads
from app.sandbox.payloads import Json
from app.sandbox.state import CheckRun, Comment, Repository, Thread, iso, node_id
from app.sandbox.world import State


def _app(state: State, by_app: bool) -> Json | None:
    return payloads.app(state) if by_app else None


def label(state: State, repo: Repository, name: str) -> Json:
    number = sum(name.encode())
    return {
        "id": number,
        "node_id": node_id("LA", number),
        "url": f"{payloads.api_of(state, repo)}/labels/{name}",
        "name": name,
        "color": "ededed",
        "default": False,
        "description": "",
    }


def page_of(state: State, thread: Thread) -> str:
    """The page of an issue or a pull request."""
    return f"{payloads.html_of(state, thread.repository)}/{'pull' if thread.pull else 'issues'}/{thread.number}"


def issue(state: State, thread: Thread) -> Json:
    """An issue, or the issue side of a pull request (then with a `pull_request` key)."""
    repo = thread.repository
    api = f"{payloads.api_of(state, repo)}/issues/{thread.number}"
    shape: Json = {
        "url": api,
        "repository_url": payloads.api_of(state, repo),
        "labels_url": f"{api}/labels{{/name}}",
        "comments_url": f"{api}/comments",
        "events_url": f"{api}/events",
        "html_url": page_of(state, thread),
        "id": thread.id,
        "node_id": node_id("PR" if thread.pull else "I", thread.id),
        "number": thread.number,
        "title": thread.title,
        "user": payloads.author(state, thread.author),
        "labels": [label(state, repo, name) for name in thread.labels],
        "state": thread.state,
        "locked": thread.locked,
        "assignee": None,
        "assignees": [],
        "milestone": None,
        "comments": len(thread.of_kind("issue")),
        "created_at": iso(thread.created),
        "updated_at": iso(thread.updated),
        "closed_at": None if thread.closed_at is None else iso(thread.closed_at),
        "author_association": payloads.association(state, repo, thread.author),
        "active_lock_reason": None,
        "body": thread.body,
        "closed_by": None,
        "reactions": payloads.reaction_counts(api, thread.reactions),
        "timeline_url": f"{api}/timeline",
        "performed_via_github_app": _app(state, thread.by_app),
        "state_reason": thread.state_reason,
    }
    if thread.pull:
        html = page_of(state, thread)
        merged = thread.pull.merged_at
        shape["draft"] = thread.pull.draft
        shape["pull_request"] = {
            "url": f"{payloads.api_of(state, repo)}/pulls/{thread.number}",
            "html_url": html,
            "diff_url": f"{html}.diff",
            "patch_url": f"{html}.patch",
            "merged_at": None if merged is None else iso(merged),
        }
    return shape


def issue_comment(state: State, comment: Comment) -> Json:
    """A comment of a conversation (issue or pull request)."""
    repo = comment.repository
    api = f"{payloads.api_of(state, repo)}/issues/comments/{comment.id}"
    return {
        "url": api,
        "html_url": f"{page_of(state, comment.thread)}#issuecomment-{comment.id}",
        "issue_url": f"{payloads.api_of(state, repo)}/issues/{comment.thread.number}",
        "id": comment.id,
        "node_id": node_id("IC", comment.id),
        "user": payloads.author(state, comment.author),
        "created_at": iso(comment.created),
        "updated_at": iso(comment.updated),
        "body": comment.body,
        "author_association": payloads.association(state, repo, comment.author),
        "reactions": payloads.reaction_counts(api, comment.reactions),
        "performed_via_github_app": _app(state, comment.by_app),
    }


def check_run(state: State, run: CheckRun) -> Json:
    """A check run; its annotations are only counted here."""
    repo = run.repository
    api = f"{payloads.api_of(state, repo)}/check-runs/{run.id}"
    return {
        "id": run.id,
        "name": run.name,
        "node_id": node_id("CR", run.id),
        "head_sha": run.head_sha,
        "external_id": run.external_id,
        "url": api,
        "html_url": f"{payloads.html_of(state, repo)}/runs/{run.id}",
        "details_url": run.details_url or f"{payloads.html_of(state, repo)}/runs/{run.id}",
        "status": run.status,
        "conclusion": run.conclusion,
        "started_at": None if run.started is None else iso(run.started),
        "completed_at": None if run.completed is None else iso(run.completed),
        "output": {
            "title": run.output.get("title"),
            "summary": run.output.get("summary"),
            "text": run.output.get("text"),
            "annotations_count": len(run.annotations),
            "annotations_url": f"{api}/annotations",
        },
        "check_suite": {"id": run.repository.id + 7},
        "app": payloads.app(state),
        "pull_requests": [],
    }
