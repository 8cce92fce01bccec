"""`.github/coderag.yml`: what each setting means, and that a mistake is told with its line and what is allowed."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import ConfigError
from app.core.repo_config import LEVELS, AutoReview, Limits, RepoConfig, WhoMayAsk, parse

WHOLE = """\
# what is indexed
path_filters:
  - "src/**"
  - "!src/generated/**"
auto_review:
  enabled: true
  drafts: yes
  base_branches: [main, "release/*", 1.0]
  ignore_title_keywords: [WIP, "do not merge"]
who_may_ask:
  role: triage
  also: ["@octocat", hubot]
limits:
  questions_per_thread_per_hour: 5
  citations: 3
"""


def problems(text: str) -> str:
    with pytest.raises(ConfigError) as refused:
        parse(text)
    return str(refused.value)


def test_every_setting_is_read() -> None:
    assert parse(WHOLE) == RepoConfig(
        path_filters=("src/**", "!src/generated/**"),
        auto_review=AutoReview(True, True, ("main", "release/*", "1.0"), ("WIP", "do not merge")),
        who_may_ask=WhoMayAsk("triage", ("octocat", "hubot")),
        limits=Limits(5, 3),
    )


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing yet\n", "---\n", "{}", "path_filters:\nlimits:\n", "\ufeff"])
def test_an_empty_file_is_the_defaults(text: str) -> None:
    assert parse(text) == RepoConfig()


def test_who_may_ask_can_be_one_word() -> None:
    assert parse("who_may_ask: read").who_may_ask == WhoMayAsk("read")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("path_filter: []", 'line 1: "path_filter" is no key; did you mean path_filters (allowed: path_filters, '),
        (
            "auto_review:\n  draft: true",
            'line 2: "draft" is no key of auto_review; did you mean drafts (allowed: enabled,',
        ),
        ("zzz: 1", 'line 1: "zzz" is no key (allowed:'),
        ("? [a]\n: 1", "line 1: a list is no key"),
        ("path_filters: src", 'line 1: path_filters must be a list of texts, not "src"'),
        ("path_filters: [a, {b: c}]", "path_filters[1] must be a text, not a mapping"),
        ("path_filters: [a, ~]", "path_filters[1] must be a text, not empty"),
        (
            "auto_review: off",
            'line 1: auto_review must hold enabled, drafts, base_branches, ignore_title_keywords, not "off"',
        ),
        ("auto_review:\n  drafts: maybe", 'line 2: auto_review.drafts must be true or false, not "maybe"'),
        ("auto_review:\n  enabled: 1", 'line 2: auto_review.enabled must be true or false, not "1"'),
        (
            "who_may_ask: everyone",
            'line 1: who_may_ask must be one of read, triage, write, maintain, admin, not "everyone"',
        ),
        ("who_may_ask:\n  role: [read]", "line 2: who_may_ask.role must be one of"),
        ("limits:\n  citations: 0", 'line 2: limits.citations must be a whole number from 1 to 20, not "0"'),
        ("limits:\n  citations: true", "must be a whole number from 1 to 20"),
        ("limits:\n  citations: 3.0", "must be a whole number from 1 to 20"),
        ("limits:\n  citations: 99999999999999999999", "must be a whole number from 1 to 20"),
        ("limits: {}\nlimits: {}", "line 2: limits is there twice"),
        ("- a", "line 1: the file must hold path_filters, auto_review, who_may_ask, limits, not a list"),
        ("hello", 'the file must hold path_filters, auto_review, who_may_ask, limits, not "hello"'),
        (f"who_may_ask: {'x' * 500}", f'not "{"x" * 40}…"'),
    ],
)
def test_a_mistake_is_told_with_its_line_and_what_is_allowed(text: str, told: str) -> None:
    assert told in problems(text)


def test_all_mistakes_are_told_at_once_from_the_top_down() -> None:
    text = "limits:\n  citations: x\npath_filters: 1\nauto_review:\n  drafts: 2\n  enabled: 3\n"
    assert re.findall(r"line (\d+)", problems(text)) == ["2", "3", "5", "6"]


def test_very_many_mistakes_are_counted() -> None:
    told = problems("\n".join(f"key{number}: 1" for number in range(30)))
    assert told.endswith("and 22 more")
    assert len(re.findall(r"line \d+", told)) == 8


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("path_filters: &a [x]\n", "anchors and aliases"),
        ("a: &a [1,1,1,1]\nb: &b [*a,*a,*a]\nc: [*b,*b]", "line 1: anchors and aliases"),
        ("path_filters:\n  - *.py\n", "put a glob that starts with ! or * in quotes"),
        (
            "path_filters:\n  - !dist/**\n",
            "line 2: tags (!) are not allowed; put a glob that starts with ! or * in quotes",
        ),
        ("x: !!python/object/apply:os.system ['id']", "tags (!) are not allowed"),
        ("a: b: c", "line 1, column 5: not valid YAML"),
        ("a: [1, 2", "not valid YAML"),
        ("\t- a", "not valid YAML"),
        ("a: 'x", "not valid YAML"),
        ("a: \x00", "line 1: not valid YAML: the character U+0000"),
        ("limits: {}\n---\nlimits: {}", "line 2: one document"),
        ("[" * 60_000, "nested more than"),
        ("{" * 60_000, "nested more than"),
        ("[\n" * 30_000, "nested more than"),
        ("- " * 30_000, "nested more than"),
        ("? " * 30_000, "nested more than"),
        ("a" * 70_000, "70,000 characters; 65,536 are allowed"),
        ("path_filters:\n" + "- a\n" * 201, "path_filters has 201 entries; 200 are allowed"),
    ],
)
def test_a_file_that_is_not_plain_settings_is_refused_without_being_built(text: str, told: str) -> None:
    assert told in problems(text)


YAML_PIECES = st.sampled_from(
    ["path_filters", "auto_review", "limits", "who_may_ask", ":", " ", "\n", "  ", "- ", "[", "]", "{", "}", "&a", "*a", "!", "'", '"', "|", "#", "?", ",", "1", "~", "%"]
)  # fmt: skip


@given(st.lists(YAML_PIECES | st.text(max_size=4), max_size=30).map("".join))
def test_any_text_is_settings_or_a_config_error(text: str) -> None:
    try:
        found = parse(text)
    except ConfigError as refused:
        told = str(refused)
    else:
        told = "settings" if isinstance(found, RepoConfig) else ""
    assert told


# --- what the settings mean ---------------------------------------------------------------------------------------------


def test_path_filters_are_read_in_order_and_the_last_match_decides() -> None:
    config = parse(WHOLE)
    assert config.keeps("src/a.py")
    assert not config.keeps("src/generated/a.py")
    assert not config.keeps("docs/a.md")
    assert RepoConfig().keeps("anything")


@pytest.mark.parametrize(
    ("settings", "title", "draft", "base", "why"),
    [
        (AutoReview(), "Fix it", False, "main", ""),
        (AutoReview(enabled=False), "Fix it", False, "main", "off"),
        (AutoReview(), "Fix it", True, "main", "draft"),
        (AutoReview(drafts=True), "Fix it", True, "main", ""),
        (AutoReview(base_branches=("main", "release/*")), "Fix it", False, "release/1.2", ""),
        (AutoReview(base_branches=("main",)), "Fix it", False, "maintenance", "base branch maintenance"),
        (AutoReview(base_branches=("main",)), "Fix it", False, "users/main", "base branch users/main"),
        (AutoReview(ignore_title_keywords=("WIP",)), "[wip] Fix it", False, "main", "'WIP'"),
        (AutoReview(ignore_title_keywords=("WIP",)), "Fix it", False, "main", ""),
        (AutoReview(base_branches=("*a" * 30,)), "Fix it", False, "a" * 5000 + "b", "base branch"),
    ],
)
def test_which_pull_requests_get_a_summary(settings: AutoReview, title: str, draft: bool, base: str, why: str) -> None:
    declined = settings.declines(title=title, draft=draft, base_ref=base)
    assert (why in declined) if why else declined == ""


@pytest.mark.parametrize(
    ("who", "permission", "role", "private", "allowed"),
    [
        (WhoMayAsk(), "read", "read", False, False),  # a stranger on a public repository has read
        (WhoMayAsk(), "write", "write", False, True),
        (WhoMayAsk(), "read", "read", True, True),
        (WhoMayAsk(), "none", "", True, False),
        (WhoMayAsk(), "", "", True, False),
        (WhoMayAsk("read"), "read", "read", False, True),
        (WhoMayAsk("triage"), "read", "triage", False, True),  # GitHub's `permission` calls triage read
        (WhoMayAsk("triage"), "read", "read", False, False),
        (WhoMayAsk("maintain"), "write", "maintain", False, True),
        (WhoMayAsk("maintain"), "write", "write", False, False),
        (WhoMayAsk("write"), "write", "release-crew", False, True),  # a role the organisation made up
        (WhoMayAsk("admin"), "admin", "", True, True),
    ],
)
def test_who_may_ask_goes_by_role(who: WhoMayAsk, permission: str, role: str, private: bool, allowed: bool) -> None:
    assert who.allows("someone", permission=permission, role=role, private=private) is allowed


def test_named_accounts_may_ask_in_any_letter_case() -> None:
    who = WhoMayAsk("admin", ("OctoCat",))
    assert who.allows("octocat", permission="none", private=False)
    assert not who.allows("octocat2", permission="none", private=False)


def test_the_roles_rise() -> None:
    for least in LEVELS:
        allowed = [WhoMayAsk(least).allows("x", permission="none", role=role, private=False) for role in LEVELS]
        assert allowed == sorted(allowed)
        assert allowed[LEVELS.index(least)]


def test_the_digest_follows_what_is_set_and_not_how_it_is_written() -> None:
    assert parse("limits: {citations: 3}").digest == parse("# x\nlimits:\n  citations: 3\n").digest
    assert parse("limits: {citations: 3}").digest != parse("limits: {citations: 4}").digest
