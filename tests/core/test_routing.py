"""Which jobs a delivery asks for, read as stories: this happened on GitHub, so that is queued."""

from __future__ import annotations

import pytest

from app.core.events import read_event
from app.core.routing import MOST_REPOSITORIES, AppIdentity, Job, decide, route
from tests import builders as b
from tests.payloads import ABSENT, examples

AT = {"installation": b.INSTALLATION, "repo": b.REPO}
PULL = AT | {"number": 2}


def jobs(event: str, payload: b.Payload, identity: AppIdentity = b.IDENTITY) -> list[Job]:
    return route(read_event(event, payload), identity)


def only(event: str, payload: b.Payload) -> Job:
    (job,) = jobs(event, payload)
    return job


def reason(event: str, payload: b.Payload, identity: AppIdentity = b.IDENTITY) -> str:
    decision = decide(read_event(event, payload), identity)
    assert decision.jobs == ()
    assert decision.reason
    return decision.reason


# --- code ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("payload", [b.push(), b.force_push(), b.push(sender=b.bot("github-merge-queue"))])
def test_a_push_to_the_default_branch_is_indexed_whoever_pushed(payload: b.Payload) -> None:
    assert only("push", payload) == Job("index_push", AT, f"index_push:{b.REPO}:{b.HEAD}", complete=True)


@pytest.mark.parametrize(
    ("payload", "why"),
    [
        (b.push_of_a_tag(), "not a branch"),
        (b.push("refs/heads/other"), "not the default branch"),
        (b.push("refs/tags/master"), "not a branch"),
        (b.push("refs/heads/feature/master"), "not the default branch"),
        (b.push_to_the_merge_queue(), "not the default branch"),
        (b.branch_deleted(), "deleted"),
        (b.branch_deleted("refs/heads/other"), "not the default branch"),
    ],
)
def test_other_pushes_are_left_alone(payload: b.Payload, why: str) -> None:
    assert why in reason("push", payload)


@pytest.mark.parametrize("action", ["opened", "reopened", "synchronize", "ready_for_review"])
@pytest.mark.parametrize("build", [b.pull_request, b.pull_request_from_a_fork, b.pull_request_whose_fork_is_gone])
def test_a_pull_request_with_a_new_head_is_indexed_from_forks_too(action: str, build: object) -> None:
    assert callable(build)
    assert only("pull_request", build(action)) == Job("index_pull", PULL, f"index_pull:{b.REPO}:2:{b.HEAD}")


def test_a_pull_request_by_a_bot_is_indexed_for_people_ask_about_it() -> None:
    payload = b.pull_request("synchronize", user=b.bot()) | {"sender": b.bot()}
    assert only("pull_request", payload).name == "index_pull"


def test_two_heads_of_one_pull_request_are_two_jobs_and_one_head_is_one() -> None:
    first, second = b.pull_request_synchronized(after=b.BASE), b.pull_request_synchronized(after=b.HEAD)
    assert only("pull_request", first).key != only("pull_request", second).key
    assert only("pull_request", second).key == only("pull_request", b.pull_request("reopened")).key


def test_another_base_or_title_is_a_reason_to_look_again_and_other_edits_are_not() -> None:
    assert only("pull_request", b.pull_request_edited(base={"ref": {"from": "old"}})).name == "index_pull"
    assert only("pull_request", b.pull_request_edited(title={"from": "WIP: x"})).name == "index_pull"
    assert "no mention" in reason("pull_request", b.pull_request_edited(body={"from": "x"}))


def test_a_closed_pull_request_loses_its_overlay() -> None:
    job = only("pull_request", b.pull_request("closed", merged=True))
    expected = {"installation": b.INSTALLATION, "repos": [b.REPO], "number": 2}
    assert (job.name, job.arguments) == ("forget", expected)


def test_a_new_pull_request_that_asks_is_indexed_and_answered() -> None:
    index, answer = jobs("pull_request", b.pull_request(body="Fixes it. @coderag who calls `main`?"))
    assert index.name == "index_pull"
    assert (answer.name, answer.arguments) == ("answer_mention", PULL | {"kind": "body", "comment": 0})


# --- people -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("event", "payload", "number", "kind", "comment"),
    [
        ("issue_comment", b.issue_comment(), 1, "issue", 492700400),
        ("issue_comment", b.comment_on_a_pull_request(), 2, "issue", 492700400),
        ("issues", b.issue_opened(), 1, "body", 0),
        ("pull_request_review", b.review(), 2, "review", 237895671),
        ("pull_request_review_comment", b.review_comment(), 2, "review_comment", 284312630),
        ("issue_comment", b.issue_comment("@Acme-Code, help!"), 1, "issue", 492700400),
    ],
)
def test_a_mention_is_answered_wherever_it_stands(
    event: str, payload: b.Payload, number: int, kind: str, comment: int
) -> None:
    job = only(event, payload)
    assert job.name == "answer_mention"
    assert job.arguments == AT | {"number": number, "kind": kind, "comment": comment}
    assert job.key.startswith(f"answer_mention:{b.REPO}:{number}:{kind}:{comment}:")
    assert job.complete


def test_an_inline_comment_that_comes_as_two_events_is_one_job() -> None:
    """GitHub tells one inline comment as a comment and as a review without text of its own."""
    inline = [*jobs("pull_request_review_comment", b.review_comment()), *jobs("pull_request_review", b.review(None))]
    assert [job.arguments["comment"] for job in inline] == [284312630]


@pytest.mark.parametrize(
    ("payload", "why"),
    [
        (b.issue_comment("no name in here"), "no mention"),
        (b.issue_comment(None), "no mention"),
        (b.issue_comment("> @coderag help"), "no mention"),
        (b.issue_comment(action="deleted"), "deleted"),
        (b.comment_by_a_bot(), "by a bot"),
        (b.issue_comment(user=b.bot()), "by a bot"),
        (b.issue_comment(user=b.user("renovate[bot]")), "by a bot"),
        (b.issue_comment() | {"sender": b.bot()}, "by a bot"),
        (b.comment_by_a_deleted_account(), "account was deleted"),
    ],
)
def test_what_is_no_question_of_a_person_is_not_queued(payload: b.Payload, why: str) -> None:
    assert why in reason("issue_comment", payload)


@pytest.mark.parametrize(
    "payload",
    [
        b.comment_by_this_app(),
        b.issue_comment("@coderag help", performed_via_github_app={"id": b.APP_ID}),  # the id alone
        b.issue_comment("@coderag help", user=b.user("CodeRag[bot]", "User")),  # the login alone
        b.edited_comment("x", "@coderag help") | {"sender": b.bot("coderag")},
    ],
)
def test_our_own_words_are_never_answered_even_with_our_handle_in_them(payload: b.Payload) -> None:
    assert "this App" in reason("issue_comment", payload)


def test_a_person_who_writes_through_another_app_is_a_person() -> None:
    payload = b.issue_comment(performed_via_github_app={"id": 7, "slug": "chat-bridge"})
    assert only("issue_comment", payload).name == "answer_mention"


@pytest.mark.parametrize(
    ("before", "after", "asked"),
    [
        ("hello", "hello @coderag where is x?", True),
        ("@coderag where is x?", "@coderag where is y?", True),
        ("@coderag where is x?", "@coderag help", True),
        ("`@coderag` where is x?", "@coderag where is x?", True),
        ("@coderag where is x?", "@coderag where is x? <!-- thanks -->", False),
        ("@coderag where is x?", "@coderag where is x?\r\n", False),
        ("@coderag where is x?", "never mind", False),
        ("@coderag help", "@CodeRag help.", False),
    ],
)
def test_an_edit_is_answered_when_it_asks_something_else(before: str, after: str, asked: bool) -> None:
    assert bool(jobs("issue_comment", b.edited_comment(before, after))) is asked


def test_an_edit_that_leaves_the_text_alone_asks_nothing() -> None:
    assert "did not change" in reason("issue_comment", b.issue_comment(action="edited"))
    assert "did not change" in reason("issues", b.delivery(action="edited", issue=b.issue(body="@coderag hi")))


def test_two_versions_of_one_comment_are_two_jobs() -> None:
    first = only("issue_comment", b.issue_comment("@coderag where is x?"))
    second = only("issue_comment", b.edited_comment("@coderag where is x?", "@coderag where is y?"))
    assert first.arguments == second.arguments
    assert first.key != second.key


def test_before_github_told_our_name_only_the_configured_handle_is_heard() -> None:
    unknown = AppIdentity(b.APP_ID, handles=("acme-code",))
    assert "no mention" in reason("issue_comment", b.issue_comment("@coderag hi"), unknown)
    assert jobs("issue_comment", b.issue_comment("@acme-code hi"), unknown)
    assert "by a bot" in reason("issue_comment", b.comment_by_this_app(), AppIdentity(0))


# --- installations and repositories -------------------------------------------------------------------------------------


@pytest.mark.parametrize("action", ["created", "unsuspend", "new_permissions_accepted"])
@pytest.mark.parametrize("listed", [None, 1, 3])
def test_an_installation_that_can_be_used_is_compared_with_github(action: str, listed: int | None) -> None:
    job = only("installation", b.installation(action, listed))
    assert job == Job("reconcile", {"installation": b.INSTALLATION}, f"reconcile:{b.INSTALLATION}")


def test_a_removed_installation_is_forgotten_and_a_suspended_one_left_alone() -> None:
    job = only("installation", b.installation("deleted"))
    assert (job.name, job.arguments) == ("forget", {"installation": b.INSTALLATION, "repos": None, "number": None})
    assert "suspended" in reason("installation", b.installation("suspend"))


def test_repositories_come_and_go() -> None:
    found = jobs("installation_repositories", b.installation_repositories(added=2, removed=1))
    assert [(job.name, job.arguments.get("repo"), job.arguments.get("repos")) for job in found] == [
        ("index_repo", b.REPO, None),
        ("index_repo", b.REPO + 1, None),
        ("forget", None, [7_000_000]),
    ]
    assert "no repository" in reason("installation_repositories", b.installation_repositories())


def test_very_many_repositories_at_once_are_one_job() -> None:
    payload = b.installation_repositories(added=MOST_REPOSITORIES + 1)
    assert only("installation_repositories", payload).name == "reconcile"


@pytest.mark.parametrize(
    ("action", "name"),
    [
        ("created", "index_repo"),
        ("unarchived", "index_repo"),
        ("deleted", "forget"),
        ("renamed", "reconcile"),
        ("transferred", "reconcile"),
        ("privatized", "reconcile"),
        ("publicized", "reconcile"),
    ],
)
def test_a_repository_that_changed_is_looked_at_again(action: str, name: str) -> None:
    assert only("repository", b.repository_changed(action)).name == name


def test_another_default_branch_is_indexed_and_other_edits_and_archiving_are_not() -> None:
    assert only("repository", b.repository_changed("edited", default_branch={"from": "old"})).name == "index_repo"
    assert "default branch" in reason("repository", b.repository_changed("edited", description={"from": "x"}))
    assert "archived" in reason("repository", b.repository_changed("archived"))


def test_a_renamed_account_is_looked_up() -> None:
    assert only("installation_target", b.installation_target_renamed()).name == "reconcile"


@pytest.mark.skipif(not examples(), reason=ABSENT)
def test_every_published_example_leads_to_a_job_or_to_a_reason() -> None:
    names: set[str] = set()
    for name, event, payload in examples():
        for sent in (payload, {"installation": {"id": 1}} | payload):
            decision = decide(read_event(event, sent), b.IDENTITY)
            assert bool(decision.jobs) != bool(decision.reason), name
            names |= {job.name for job in decision.jobs}
    assert names == {"index_push", "index_pull", "index_repo", "forget", "reconcile"}  # none of them mentions us
