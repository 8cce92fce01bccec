"""What owners do with repositories, branches and installations, as methods of the sandbox."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from app.sandbox import hosting, installing, payloads, pushes, repository_git
from app.sandbox.actor import Actor
from app.sandbox.repository_git import File
from app.sandbox.state import ZERO_SHA, Installation, Repository, User


class Places(Actor):
    """Accounts, repositories, pushes and installations."""

    def add_user(self, login: str, type: str = "User", deleted: bool = False) -> User:
        """An account (User, Organization or Bot). Accounts are also made by their first act."""

        def change() -> User:
            account = self.host.state.user(login, type)
            account.type, account.deleted = type, deleted
            return account

        return self.server.call(change)

    def set_permission(self, repo: str, login: str, role: str) -> None:
        """Make a person admin, maintain, write, triage, read or none of a repository."""
        repository = self.host.state.repository(repo)
        self.server.call(lambda: repository.permissions.__setitem__(self.host.state.user(login).login.lower(), role))

    async def add_repository(
        self,
        full_name: str,
        source: Path | None = None,
        *,
        private: bool = False,
        installation: Installation | None = None,
        default_branch: str | None = None,
        files: Mapping[str, File] | None = None,
    ) -> Repository:
        """A repository with the history of `source`, or with one commit of `files`, or empty.

        An installation on the owner that covers all repositories sees it at once; one with chosen repositories if given here.
        """

        async def change() -> Repository:
            repository = await hosting.add_repository(self.host, full_name, source, private, default_branch)
            owner = self.person(None, repository)
            if files is not None:
                author = hosting.signature(self.host, owner)
                sha = await repository_git.commit(repository.path, (), files, "Initial commit", author)
                branch = f"refs/heads/{repository.default_branch}"
                await repository_git.run(repository.path, "update-ref", branch, sha)
            if installation is not None and installation.account is not repository.owner:
                raise ValueError(f"{full_name} does not belong to {installation.account.login}")
            if installation is not None and installation.selected is not None:
                installing.select(self.host, installation, owner, [repository], [])
            else:
                hosting.announce(self.host, repository, owner)
            return repository

        return await self.act(change)

    async def fork(self, repo: str, login: str) -> Repository:
        """A person forks a repository."""
        state = self.host.state
        return await self.act(lambda: hosting.fork(self.host, state.repository(repo), state.user(login)))

    # --- branches ---

    async def commit(
        self,
        repo: str,
        branch: str,
        files: Mapping[str, File],
        message: str = "Change",
        *,
        by: str | None = None,
        parents: Sequence[str] | None = None,
    ) -> str:
        """Make a commit on the tip of `branch`; moves no branch: see `push`. Returns its SHA.

        A branch that does not exist starts at the default branch; `parents` names other ones (empty: a first commit).

        `files` maps a path to its content, to None to delete it, or to (mode, content) for links and submodules.
        """

        async def change() -> str:
            repository = self.host.state.repository(repo)
            chosen = parents
            if chosen is None:
                branches = (branch, repository.default_branch)
                tips = [await repository_git.resolve(repository.path, f"refs/heads/{one}") for one in branches]
                chosen = [tip for tip in tips if tip is not None][:1]
            author = hosting.signature(self.host, self.person(by, repository))
            return await repository_git.commit(repository.path, chosen, files, message, author)

        return await self.act(change)

    async def push(self, repo: str, ref: str, sha: str, by: str | None = None) -> None:
        """Move, make or (with forty zeros) delete a branch or tag. `ref` may leave out refs/heads/."""
        repository = self.host.state.repository(repo)
        await self.act(lambda: pushes.push(self.host, repository, ref, sha, self.person(by, repository)))

    async def push_files(
        self, repo: str, branch: str, files: Mapping[str, File], message: str = "Change", *, by: str | None = None
    ) -> str:
        """Commit on the tip of a branch and push it. Returns the commit."""
        sha = await self.commit(repo, branch, files, message, by=by)
        await self.push(repo, branch, sha, by)
        return sha

    async def delete_branch(self, repo: str, branch: str, by: str | None = None) -> None:
        """A branch goes."""
        await self.push(repo, branch, ZERO_SHA, by)

    async def sha(self, repo: str, ref: str) -> str:
        """The commit a branch, ref or abbreviated SHA names; KeyError where there is none."""

        async def look() -> str:
            path = self.host.state.repository(repo).path
            found = await repository_git.resolve(path, f"refs/heads/{ref}") or await repository_git.resolve(path, ref)
            if found is None:
                raise KeyError(f"no {ref} in {repo}")
            return found

        return await self.act(look)

    # --- repositories ---

    async def rename_repository(self, repo: str, name: str, by: str | None = None) -> None:
        """A new name below the same owner; the old one redirects."""
        repository = self.host.state.repository(repo)
        await self.act(lambda: hosting.rename(self.host, repository, self.person(by, repository), name))

    async def transfer_repository(self, repo: str, owner: str, by: str | None = None) -> None:
        """A new owner; the old name redirects."""
        repository, state = self.host.state.repository(repo), self.host.state
        await self.act(lambda: hosting.transfer(self.host, repository, self.person(by, repository), state.user(owner)))

    async def delete_repository(self, repo: str, by: str | None = None) -> None:
        """A repository goes (a fork too: pull requests from it lose their `head.repo`)."""
        repository = self.host.state.repository(repo)
        await self.act(lambda: hosting.delete(self.host, repository, self.person(by, repository)))

    delete_fork = delete_repository

    async def archive_repository(self, repo: str, archived: bool = True, by: str | None = None) -> None:
        """A repository becomes read-only, or writable again."""
        repository = self.host.state.repository(repo)

        def change() -> None:
            repository.archived = archived
            action = "archived" if archived else "unarchived"
            hosting.send_repository(self.host, action, self.person(by, repository), repository)

        await self.act(change)

    async def set_private(self, repo: str, private: bool, by: str | None = None) -> None:
        """A repository becomes private or public."""
        repository = self.host.state.repository(repo)

        def change() -> None:
            repository.private = private
            action = "privatized" if private else "publicized"
            hosting.send_repository(self.host, action, self.person(by, repository), repository)

        await self.act(change)

    async def publicize_repository(self, repo: str, by: str | None = None) -> None:
        """A private repository becomes public."""
        await self.set_private(repo, False, by)

    async def set_default_branch(self, repo: str, branch: str, by: str | None = None) -> None:
        """Another default branch: `repository` `edited`."""
        repository = self.host.state.repository(repo)

        async def change() -> None:
            before, repository.default_branch = repository.default_branch, branch
            await repository_git.run(repository.path, "symbolic-ref", "HEAD", f"refs/heads/{branch}")
            changes: payloads.Json = {"default_branch": {"from": before}}
            hosting.send_repository(self.host, "edited", self.person(by, repository), repository, changes)

        await self.act(change)

    # --- installations ---

    async def add_installation(
        self,
        account: str,
        permissions: Mapping[str, str] | None = None,
        *,
        type: str = "User",
        repositories: Sequence[str] | None = None,
    ) -> Installation:
        """The App is installed on an account: on all its repositories, or on the ones named."""
        state = self.host.state
        selected = None if repositories is None else {state.repository(name).id for name in repositories}
        granted = {"metadata": "read"} | dict(state.permissions if permissions is None else permissions)
        return await self.act(
            lambda: installing.add_installation(self.host, state.user(account, type), granted, selected)
        )

    async def select_repositories(
        self, installation: Installation, *, added: Sequence[str] = (), removed: Sequence[str] = ()
    ) -> None:
        """The owner adds repositories to an installation, or takes some from it."""
        state = self.host.state
        plus, minus = [state.repository(name) for name in added], [state.repository(name) for name in removed]
        await self.act(lambda: installing.select(self.host, installation, installation.account, plus, minus))

    async def suspend(self, installation: Installation) -> None:
        """The owner suspends the App: its tokens get 403, and nothing but this is delivered."""

        def change() -> None:
            installation.suspended_at = self.host.state.clock()
            installing.send_installation(self.host, "suspend", installation.account, installation)

        await self.act(change)

    async def unsuspend(self, installation: Installation) -> None:
        """The owner lets the App in again."""

        def change() -> None:
            installation.suspended_at = None
            installing.send_installation(self.host, "unsuspend", installation.account, installation)

        await self.act(change)

    async def delete_installation(self, installation: Installation) -> None:
        """The owner uninstalls the App: its tokens end."""

        def change() -> None:
            installing.send_installation(self.host, "deleted", installation.account, installation)
            installation.deleted = True

        await self.act(change)

    async def rename_account(self, login: str, name: str) -> None:
        """An account takes another name: its repositories redirect, and an installation on it hears `installation_target`."""
        account = self.host.state.user(login)
        await self.act(lambda: installing.rename_account(self.host, account, name))

    async def accept_permissions(self, installation: Installation, permissions: Mapping[str, str]) -> None:
        """The owner accepts other permissions: old tokens end."""

        def change() -> None:
            installation.permissions = {"metadata": "read"} | dict(permissions)
            installing.send_installation(self.host, "new_permissions_accepted", installation.account, installation)

        await self.act(change)
