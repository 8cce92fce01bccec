"""A delivery becomes one small event, whatever GitHub leaves out, makes null or adds."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import BadPayload
from app.core.events import (
    EVENTS,
    GHOST,
    CommentWritten,
    Ignored,
    InstallationChanged,
    Ping,
    PullRequestChanged,
    Push,
    RepositoriesChanged,
    RepositoryChanged,
    TargetRenamed,
    read_event,
)
from tests import builders as b
from tests.payloads import ABSENT, examples


def written(event: str, payload: b.Payload) -> CommentWritten:
    found = read_event(event, payload)
    assert isinstance(found, CommentWritten)
    return found


def pull(payload: b.Payload) -> PullRequestChanged:
    found = read_event("pull_request", payload)
    assert isinstance(found, PullRequestChanged)
    return found


def test_a_push_keeps_the_ref_and_both_commits() -> None:
    expected = Push(b.INSTALLATION, b.REPO, "refs/heads/master", b.BASE, b.HEAD, "master")
    assert read_event("push", b.push()) == expected


@pytest.mark.parametrize(
    ("payload", "branch", "deleted", "forced"),
    [
        (b.force_push(), "master", False, True),
        (b.push_of_a_tag(), "", False, False),
        (b.branch_deleted(), "master", True, False),
        (b.push_to_the_merge_queue(), "gh-readonly-queue/master/pr-2-f95f852", False, False),
        (b.push("refs/heads/feature/ünïcode"), "feature/ünïcode", False, False),
    ],
)
def test_a_push_tells_branch_deletion_and_force(payload: b.Payload, branch: str, deleted: bool, forced: bool) -> None:
    found = read_event("push", payload)
    assert isinstance(found, Push)
    assert (found.branch, found.deleted, found.forced) == (branch, deleted, forced)


def test_a_pull_request_of_a_fork_keeps_the_head_and_names_the_fork() -> None:
    found = pull(b.pull_request_from_a_fork())
    assert (found.number, found.head, found.head_repo, found.base_ref) == (2, b.HEAD, 900, "master")


def test_a_pull_request_whose_fork_was_deleted_is_read_all_the_same() -> None:
    found = pull(b.pull_request_whose_fork_is_gone())
    assert (found.action, found.head, found.head_repo) == ("synchronize", b.HEAD, None)


def test_a_pull_request_without_body_or_author_reads_as_empty_and_ghost() -> None:
    found = pull(b.pull_request(body=None, user=None))
    assert found.author == GHOST
    assert found.written is not None
    assert (found.written.body, found.written.author) == ("", GHOST)


def test_an_edit_of_a_pull_request_tells_what_it_changed() -> None:
    rebased = pull(b.pull_request_edited(base={"ref": {"from": "old"}, "sha": {"from": b.BASE}}))
    retitled = pull(b.pull_request_edited(title={"from": "WIP"}))
    reworded = pull(b.pull_request_edited(body={"from": "before"}))
    assert (rebased.rebased, rebased.retitled) == (True, False)
    assert (retitled.rebased, retitled.retitled) == (False, True)
    assert reworded.written is not None
    assert reworded.written.before == "before"
    assert retitled.written is not None
    assert retitled.written.before is None


@pytest.mark.parametrize(
    ("event", "payload", "kind", "number", "comment", "is_pull"),
    [
        ("issue_comment", b.issue_comment(), "issue", 1, 492700400, False),
        ("issue_comment", b.comment_on_a_pull_request(), "issue", 2, 492700400, True),
        ("pull_request_review", b.review(), "review", 2, 237895671, True),
        ("pull_request_review_comment", b.review_comment(), "review_comment", 2, 284312630, True),
        ("issues", b.issue_opened(), "body", 1, 0, False),
    ],
)
def test_each_place_a_person_writes_in_is_known_by_kind_and_id(
    event: str, payload: b.Payload, kind: str, number: int, comment: int, is_pull: bool
) -> None:
    found = written(event, payload)
    assert (found.kind, found.number, found.comment, found.is_pull) == (kind, number, comment, is_pull)
    assert (found.action, found.author, found.before) == ("created", "Codertocat", None)


def test_a_deleted_account_reads_as_ghost_and_a_null_body_as_empty() -> None:
    assert written("issue_comment", b.comment_by_a_deleted_account()).author == GHOST
    assert written("issue_comment", b.issue_comment(None)).body == ""
    assert written("pull_request_review", b.review(None)).body == ""


def test_an_edited_comment_keeps_the_text_before() -> None:
    assert written("issue_comment", b.edited_comment("old", "new")).before == "old"
    assert written("issue_comment", b.issue_comment(action="edited")).before is None
    emptied = b.issue_comment("new", "edited") | {"changes": {"body": {"from": None}}}
    assert written("issue_comment", emptied).before == ""


def test_the_app_that_wrote_a_comment_is_kept() -> None:
    assert written("issue_comment", b.comment_by_this_app()).app_id == b.APP_ID
    assert written("issue_comment", b.issue_comment()).app_id is None


def test_half_a_surrogate_pair_in_a_text_cannot_break_what_encodes_it() -> None:
    body = written("issue_comment", b.issue_comment("@coderag \ud83d what?")).body
    assert body.encode() == b"@coderag ? what?"


def test_installations_and_repositories() -> None:
    assert read_event("installation", b.installation("suspend", None)) == InstallationChanged(b.INSTALLATION, "suspend")
    added = read_event("installation_repositories", b.installation_repositories(added=2))
    assert added == RepositoriesChanged(b.INSTALLATION, (b.REPO, b.REPO + 1), ())
    removed = read_event("installation_repositories", b.installation_repositories(removed=1))
    assert removed == RepositoriesChanged(b.INSTALLATION, (), (7_000_000,))
    assert read_event("installation_target", b.installation_target_renamed()) == TargetRenamed(
        b.INSTALLATION, "new-name"
    )
    edited = read_event("repository", b.repository_changed("edited", default_branch={"from": "old"}))
    assert edited == RepositoryChanged(b.INSTALLATION, b.REPO, "edited", default_branch_changed=True)
    assert read_event("ping", {"zen": "Design for failure.", "hook_id": 7}) == Ping(7)


@pytest.mark.parametrize(
    ("event", "payload", "reason"),
    [
        ("star", b.delivery(action="created"), "event star"),
        ("pull_request", b.pull_request("labeled"), "action labeled"),
        ("pull_request_review", b.review(action="dismissed"), "action dismissed"),
        ("issues", b.delivery(action="transferred", issue=b.issue()), "action transferred"),
        ("installation", b.installation("frobnicated"), "action frobnicated"),
        ("push", {name: value for name, value in b.push().items() if name != "installation"}, "no installation"),
        ("issue_comment", b.issue_comment() | {"installation": None}, "no installation"),
    ],
)
def test_what_is_not_used_is_ignored_with_its_reason(event: str, payload: b.Payload, reason: str) -> None:
    found = read_event(event, payload)
    assert isinstance(found, Ignored)
    assert reason in found.reason


@pytest.mark.parametrize(
    ("event", "payload", "field"),
    [
        ("push", b.push(after="HEAD"), "push.after"),
        ("push", b.push(after=b.HEAD.upper()), "push.after"),
        ("push", b.push() | {"ref": None}, "push.ref"),
        ("push", b.push() | {"repository": None}, "push.repository"),
        ("push", b.push(repository=b.repository(id="186853002")), "push.repository.id"),
        ("push", b.push(repository=b.repository(id=True)), "push.repository.id"),
        ("push", b.push(repository=b.repository(id=-1)), "push.repository.id"),
        ("push", b.push(repository=b.repository(id=2**63)), "push.repository.id"),
        ("push", b.push(installation=[31]), "push.installation"),
        ("pull_request", b.pull_request(head={"sha": None}), "pull_request.pull_request.head.sha"),
        ("pull_request", b.pull_request(draft="no"), "pull_request.pull_request.draft"),
        ("issue_comment", b.issue_comment(id=1.0), "issue_comment.comment.id"),
        ("issue_comment", b.issue_comment(user="octocat"), "issue_comment.comment.user"),
        ("issue_comment", b.issue_comment() | {"action": 1}, "issue_comment.action"),
        ("issue_comment", b.issue_comment() | {"issue": []}, "issue_comment.issue"),
        (
            "installation_repositories",
            b.installation_repositories(1) | {"repositories_added": [3]},
            "repositories_added[0]",
        ),
        (
            "installation_repositories",
            b.installation_repositories(1) | {"repositories_added": {}},
            "repositories_added",
        ),
    ],
)
def test_a_needed_field_of_the_wrong_form_is_named(event: str, payload: b.Payload, field: str) -> None:
    with pytest.raises(BadPayload) as refused:
        read_event(event, payload)
    assert field in str(refused.value)


PLAIN: list[tuple[str, b.Payload]] = [
    ("push", b.push()),
    ("pull_request", b.pull_request()),
    ("issue_comment", b.edited_comment("a", "b")),
    ("pull_request_review", b.review()),
    ("pull_request_review_comment", b.review_comment()),
    ("issues", b.issue_opened()),
    ("installation", b.installation()),
    ("installation_repositories", b.installation_repositories(1, 1)),
    ("installation_target", b.installation_target_renamed()),
    ("repository", b.repository_changed("renamed", repository={"name": {"from": "x"}})),
]

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def with_unknown_fields(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: with_unknown_fields(inner) for name, inner in value.items()} | {"field_of_next_year": {"a": [1]}}
    return [with_unknown_fields(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize(("event", "payload"), PLAIN, ids=[name for name, _ in PLAIN])
def test_fields_that_are_not_known_change_nothing(event: str, payload: b.Payload) -> None:
    assert read_event(event, with_unknown_fields(payload)) == read_event(event, payload)


@given(st.sampled_from(PLAIN), st.data())
def test_any_value_in_any_place_gives_an_event_or_a_bad_payload(
    plain: tuple[str, b.Payload], data: st.DataObject
) -> None:
    event, payload = plain

    def mutated(value: Any) -> Any:
        if not isinstance(value, dict) or not value or data.draw(st.booleans()):
            return data.draw(json_values)
        name = data.draw(st.sampled_from(sorted(value)))
        return value | {name: mutated(value[name])}

    changed = mutated(payload)
    if isinstance(changed, dict):
        with suppress(BadPayload):
            hash(read_event(event, changed))


@pytest.mark.skipif(not examples(), reason=ABSENT)
def test_every_published_example_is_read_as_sent_and_with_an_installation() -> None:
    found: Counter[str] = Counter()
    for name, event, payload in examples():
        assert isinstance(read_event(event, payload), Ignored) or "installation" in payload or event == "ping", name
        read = read_event(event, {"installation": {"id": 1}} | payload)
        found[type(read).__name__] += 1
        if event not in EVENTS:
            assert isinstance(read, Ignored), name
    # Each kind of event is met, so the examples were really read and not all passed over.
    kinds = (
        Push,
        PullRequestChanged,
        CommentWritten,
        InstallationChanged,
        RepositoriesChanged,
        RepositoryChanged,
        Ping,
    )
    assert all(found[kind.__name__] > 0 for kind in kinds), found
