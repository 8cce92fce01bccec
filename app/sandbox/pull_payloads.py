"""GitHub's JSON for pull requests, reviews and line comments. Pure shapes: decides and changes nothing."""

from __future__ import annotations

from app.sandbox import payloads
from app.sandbox.payloads import Json
from app.sandbox.state import Comment, Pull, Repository, Review, Thread, User, iso, node_id
from app.sandbox.thread_payloads import label, page_of
from app.sandbox.world import State


def review_comment(state: State, comment: Comment) -> Json:
    """A comment on a line of a diff. `line` and `position` are null once the head has moved on (outdated)."""
    repo = comment.repository
    api = f"{payloads.api_of(state, repo)}/pulls/comments/{comment.id}"
    html = f"{page_of(state, comment.thread)}#discussion_r{comment.id}"
    pull = f"{payloads.api_of(state, repo)}/pulls/{comment.thread.number}"
    assert comment.thread.pull is not None
    current = comment.commit == comment.thread.pull.head_sha
    shape: Json = {
        "url": api,
        "pull_request_review_id": comment.review.id if comment.review else None,
        "id": comment.id,
        "node_id": node_id("PRRC", comment.id),
        "diff_hunk": comment.diff_hunk,
        "path": comment.path,
        "position": comment.position if current else None,
        "original_position": comment.position,
        "commit_id": comment.thread.pull.head_sha,
        "original_commit_id": comment.commit,
        "user": payloads.author(state, comment.author),
        "body": comment.body,
        "created_at": iso(comment.created),
        "updated_at": iso(comment.updated),
        "html_url": html,
        "pull_request_url": pull,
        "author_association": payloads.association(state, repo, comment.author),
        "_links": {"self": {"href": api}, "html": {"href": html}, "pull_request": {"href": pull}},
        "start_line": comment.start_line if current else None,
        "original_start_line": comment.start_line,
        "start_side": comment.start_side,
        "line": comment.line if current else None,
        "original_line": comment.line,
        "side": comment.side,
        "reactions": payloads.reaction_counts(api, comment.reactions),
        "subject_type": "line",
    }
    if comment.in_reply_to is not None:
        shape["in_reply_to_id"] = comment.in_reply_to
    return shape


def review(state: State, one: Review) -> Json:
    """A review as events show it: state in lower case, an empty body as null."""
    repo = one.thread.repository
    html = f"{page_of(state, one.thread)}#pullrequestreview-{one.id}"
    pull = f"{payloads.api_of(state, repo)}/pulls/{one.thread.number}"
    return {
        "id": one.id,
        "node_id": node_id("PRR", one.id),
        "user": payloads.author(state, one.author),
        "body": one.body or None,
        "commit_id": one.commit,
        "submitted_at": iso(one.submitted),
        "state": one.state.lower(),
        "html_url": html,
        "pull_request_url": pull,
        "author_association": payloads.association(state, repo, one.author),
        "_links": {"html": {"href": html}, "pull_request": {"href": pull}},
    }


def rest_review(state: State, one: Review) -> Json:
    """A review as the REST API shows it: state in capitals, an empty body as an empty string."""
    return review(state, one) | {"state": one.state, "body": one.body or ""}


def _end(state: State, owner: User, ref: str, sha: str, repo: Repository | None) -> Json:
    """Head or base of a pull request; a deleted fork leaves `repo` null."""
    return {
        "label": f"{owner.login}:{ref}",
        "ref": ref,
        "sha": sha,
        "user": payloads.author(state, owner),
        "repo": None if repo is None or repo.deleted else payloads.repository(state, repo),
    }


def simple_pull(state: State, thread: Thread) -> Json:
    """A pull request as lists and review events show it."""
    pull = _pull_of(thread)
    api = f"{payloads.api_of(state, thread.repository)}/pulls/{thread.number}"
    issue_url = f"{payloads.api_of(state, thread.repository)}/issues/{thread.number}"
    html = page_of(state, thread)
    statuses = f"{payloads.api_of(state, thread.repository)}/statuses/{pull.head_sha}"
    links = {
        "self": api,
        "html": html,
        "issue": issue_url,
        "comments": f"{issue_url}/comments",
        "review_comments": f"{api}/comments",
        "review_comment": f"{payloads.api_of(state, thread.repository)}/pulls/comments{{/number}}",
        "commits": f"{api}/commits",
        "statuses": statuses,
    }
    return {
        "url": api,
        "id": thread.id,
        "node_id": node_id("PR", thread.id),
        "html_url": html,
        "diff_url": f"{html}.diff",
        "patch_url": f"{html}.patch",
        "issue_url": issue_url,
        "number": thread.number,
        "state": thread.state,
        "locked": thread.locked,
        "title": thread.title,
        "user": payloads.author(state, thread.author),
        "body": thread.body,
        "created_at": iso(thread.created),
        "updated_at": iso(thread.updated),
        "closed_at": None if thread.closed_at is None else iso(thread.closed_at),
        "merged_at": None if pull.merged_at is None else iso(pull.merged_at),
        "merge_commit_sha": pull.merge_commit,
        "assignee": None,
        "assignees": [],
        "requested_reviewers": [],
        "requested_teams": [],
        "labels": [label(state, thread.repository, name) for name in thread.labels],
        "milestone": None,
        "draft": pull.draft,
        "commits_url": links["commits"],
        "review_comments_url": links["review_comments"],
        "review_comment_url": links["review_comment"],
        "comments_url": links["comments"],
        "statuses_url": statuses,
        "head": _end(state, pull.head_owner, pull.head_ref, pull.head_sha, pull.head_repository),
        "base": _end(state, thread.repository.owner, pull.base_ref, pull.base_sha, thread.repository),
        "_links": {name: {"href": url} for name, url in links.items()},
        "author_association": payloads.association(state, thread.repository, thread.author),
        "auto_merge": None,
        "active_lock_reason": None,
    }


def full_pull(state: State, thread: Thread) -> Json:
    """A pull request as `GET /pulls/{n}` and pull_request events show it."""
    pull = _pull_of(thread)
    return simple_pull(state, thread) | {
        "merged": pull.merged_at is not None,
        "mergeable": None if thread.state == "closed" else True,
        "rebaseable": None if thread.state == "closed" else True,
        "mergeable_state": "unknown" if thread.state == "closed" else ("draft" if pull.draft else "clean"),
        "merged_by": None if pull.merged_by is None else payloads.author(state, pull.merged_by),
        "comments": len(thread.of_kind("issue")),
        "review_comments": len(thread.of_kind("review")),
        "maintainer_can_modify": False,
        "commits": pull.commits,
        "additions": pull.additions,
        "deletions": pull.deletions,
        "changed_files": pull.changed_files,
    }


def _pull_of(thread: Thread) -> Pull:
    assert thread.pull is not None
    return thread.pull
