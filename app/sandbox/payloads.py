"""GitHub's JSON for accounts, repositories, installations and the App. Pure shapes: decides and changes nothing."""

from __future__ import annotations

from app.sandbox.auth import client_id
from app.sandbox.state import Installation, Reaction, Repository, User, iso, node_id
from app.sandbox.world import State

Json = dict[str, object]


def user(state: State, account: User) -> Json:
    """An account with the URLs that the API lists for it."""
    page = account.login.removesuffix("[bot]")
    api = f"{state.api_url}/users/{account.login.replace('[', '%5B').replace(']', '%5D')}"
    return {
        "login": account.login,
        "id": account.id,
        "node_id": node_id("U", account.id),
        "avatar_url": f"{state.html_url}/avatars/u/{account.id}?v=4",
        "gravatar_id": "",
        "url": api,
        "html_url": f"{state.html_url}/apps/{page}" if account.type == "Bot" else f"{state.html_url}/{page}",
        "followers_url": f"{api}/followers",
        "following_url": f"{api}/following{{/other_user}}",
        "gists_url": f"{api}/gists{{/gist_id}}",
        "starred_url": f"{api}/starred{{/owner}}{{/repo}}",
        "subscriptions_url": f"{api}/subscriptions",
        "organizations_url": f"{api}/orgs",
        "repos_url": f"{api}/repos",
        "events_url": f"{api}/events{{/privacy}}",
        "received_events_url": f"{api}/received_events",
        "type": account.type,
        "user_view_type": "public",
        "site_admin": False,
    }


def author(state: State, account: User) -> Json | None:
    """The `user` of something written: null once the account is deleted."""
    return None if account.deleted else user(state, account)


def organization(state: State, account: User) -> Json:
    """The short form of an organization that events carry."""
    api = f"{state.api_url}/orgs/{account.login}"
    return {
        "login": account.login,
        "id": account.id,
        "node_id": node_id("O", account.id),
        "url": api,
        "repos_url": f"{api}/repos",
        "events_url": f"{api}/events",
        "hooks_url": f"{api}/hooks",
        "issues_url": f"{api}/issues",
        "members_url": f"{api}/members{{/member}}",
        "public_members_url": f"{api}/public_members{{/member}}",
        "avatar_url": f"{state.html_url}/avatars/u/{account.id}?v=4",
        "description": None,
    }


# What the API appends to a repository's URL for each of its link templates.
_LINKS = {
    "forks_url": "/forks",
    "keys_url": "/keys{/key_id}",
    "collaborators_url": "/collaborators{/collaborator}",
    "teams_url": "/teams",
    "hooks_url": "/hooks",
    "issue_events_url": "/issues/events{/number}",
    "events_url": "/events",
    "assignees_url": "/assignees{/user}",
    "branches_url": "/branches{/branch}",
    "tags_url": "/tags",
    "blobs_url": "/git/blobs{/sha}",
    "git_tags_url": "/git/tags{/sha}",
    "git_refs_url": "/git/refs{/sha}",
    "trees_url": "/git/trees{/sha}",
    "statuses_url": "/statuses/{sha}",
    "languages_url": "/languages",
    "stargazers_url": "/stargazers",
    "contributors_url": "/contributors",
    "subscribers_url": "/subscribers",
    "subscription_url": "/subscription",
    "commits_url": "/commits{/sha}",
    "git_commits_url": "/git/commits{/sha}",
    "comments_url": "/comments{/number}",
    "issue_comment_url": "/issues/comments{/number}",
    "contents_url": "/contents/{+path}",
    "compare_url": "/compare/{base}...{head}",
    "merges_url": "/merges",
    "archive_url": "/{archive_format}{/ref}",
    "downloads_url": "/downloads",
    "issues_url": "/issues{/number}",
    "pulls_url": "/pulls{/number}",
    "milestones_url": "/milestones{/number}",
    "notifications_url": "/notifications{?since,all,participating}",
    "labels_url": "/labels{/name}",
    "releases_url": "/releases{/id}",
    "deployments_url": "/deployments",
}


def api_of(state: State, repo: Repository) -> str:
    return f"{state.api_url}/repos/{repo.full_name}"


def html_of(state: State, repo: Repository) -> str:
    return f"{state.html_url}/{repo.full_name}"


def short_repository(repo: Repository) -> Json:
    """The five fields that installation events carry for each repository."""
    return {
        "id": repo.id,
        "node_id": repo.node_id,
        "name": repo.name,
        "full_name": repo.full_name,
        "private": repo.private,
    }


def minimal_repository(state: State, repo: Repository) -> Json:
    """Names, owner and links: what the API nests in token answers and check suites."""
    api = api_of(state, repo)
    return short_repository(repo) | {
        "owner": user(state, repo.owner),
        "html_url": html_of(state, repo),
        "description": None,
        "fork": repo.fork_of is not None,
        "url": api,
        **{name: api + tail for name, tail in _LINKS.items()},
    }


def repository(state: State, repo: Repository) -> Json:
    """A repository as lists, pull requests and most events show it."""
    forks = sum(1 for other in state.repositories.values() if other.fork_of is repo and not other.deleted)
    issues = sum(1 for thread in repo.threads.values() if thread.state == "open")
    html = html_of(state, repo)
    host = state.html_url.removeprefix("http://")
    return minimal_repository(state, repo) | {
        "created_at": iso(repo.created),
        "updated_at": iso(repo.pushed),
        "pushed_at": iso(repo.pushed),
        "git_url": f"git://{host}/{repo.full_name}.git",
        "ssh_url": f"git@{host}:{repo.full_name}.git",
        "clone_url": f"{html}.git",
        "svn_url": html,
        "homepage": None,
        "size": 0,
        "stargazers_count": 0,
        "watchers_count": 0,
        "language": None,
        "has_issues": True,
        "has_projects": True,
        "has_downloads": True,
        "has_wiki": True,
        "has_pages": False,
        "has_discussions": False,
        "forks_count": forks,
        "mirror_url": None,
        "archived": repo.archived,
        "disabled": False,
        "open_issues_count": issues,
        "license": None,
        "allow_forking": True,
        "is_template": False,
        "web_commit_signoff_required": False,
        "topics": [],
        "visibility": "private" if repo.private else "public",
        "forks": forks,
        "open_issues": issues,
        "watchers": 0,
        "default_branch": repo.default_branch,
    }


def full_repository(state: State, repo: Repository) -> Json:
    """A repository as `GET /repos/{owner}/{repo}` answers an installation."""
    shape = repository(state, repo) | {
        "temp_clone_token": "",
        "network_count": 0,
        "subscribers_count": 0,
        "permissions": {"admin": False, "maintain": False, "push": False, "triage": False, "pull": False},
    }
    if repo.fork_of is not None and not repo.fork_of.deleted:
        shape |= {"parent": repository(state, repo.fork_of), "source": repository(state, repo.fork_of)}
    if repo.owner.type == "Organization":
        shape["organization"] = user(state, repo.owner)
    return shape


def push_repository(state: State, repo: Repository) -> Json:
    """A repository in a push event: times are epoch seconds, `url` is the page, the owner has name and email."""
    email = f"{repo.owner.id}+{repo.owner.login}@users.noreply.github.com"
    return repository(state, repo) | {
        "owner": {"name": repo.owner.login, "email": email} | user(state, repo.owner),
        "url": html_of(state, repo),
        "created_at": int(repo.created),
        "pushed_at": int(repo.pushed),
        "stargazers": 0,
        "master_branch": repo.default_branch,
    }


def app(state: State) -> Json:
    """The App, as `GET /app` and `performed_via_github_app` show it."""
    return {
        "id": state.app_id,
        "client_id": client_id(state),
        "slug": state.slug,
        "node_id": node_id("A", state.app_id),
        "owner": user(state, state.owner),
        "name": state.slug,
        "description": "",
        "external_url": "https://example.com",
        "html_url": f"{state.html_url}/apps/{state.slug}",
        "created_at": iso(state.created),
        "updated_at": iso(state.created),
        "permissions": dict(state.permissions),
        "events": list(state.events),
    }


def installation(state: State, one: Installation) -> Json:
    """An installation, as App endpoints and installation events show it."""
    account = user(state, one.account)
    return {
        "id": one.id,
        "client_id": client_id(state),
        "account": account,
        "repository_selection": "all" if one.selected is None else "selected",
        "access_tokens_url": f"{state.api_url}/app/installations/{one.id}/access_tokens",
        "repositories_url": f"{state.api_url}/installation/repositories",
        "html_url": f"{state.html_url}/settings/installations/{one.id}",
        "app_id": state.app_id,
        "app_slug": state.slug,
        "target_id": one.account.id,
        "target_type": one.account.type,
        "permissions": dict(one.permissions),
        "events": list(state.events),
        "created_at": iso(one.created),
        "updated_at": iso(one.suspended_at or one.created),
        "single_file_name": None,
        "has_multiple_single_files": False,
        "single_file_paths": [],
        "suspended_by": None if one.suspended_at is None else account,
        "suspended_at": None if one.suspended_at is None else iso(one.suspended_at),
    }


REACTIONS = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")


def reaction(state: State, one: Reaction) -> Json:
    return {
        "id": one.id,
        "node_id": node_id("REA", one.id),
        "user": author(state, one.user),
        "content": one.content,
        "created_at": iso(one.created),
    }


def reaction_counts(url: str, reactions: list[Reaction]) -> Json:
    """The roll-up that issues and comments carry."""
    counts: Json = {name: sum(1 for one in reactions if one.content == name) for name in REACTIONS}
    return {"url": f"{url}/reactions", "total_count": len(reactions)} | counts


def association(state: State, repo: Repository, account: User) -> str:
    """`author_association` as GitHub shows it to an App: organization members are concealed, so never MEMBER."""
    if account is repo.owner:
        return "OWNER"
    if account.login.lower() in repo.permissions and state.permission(repo, account) != "none":
        return "COLLABORATOR"
    return "NONE"
