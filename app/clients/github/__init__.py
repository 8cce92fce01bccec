"""The GitHub API, one call a method, as values of `app.core.types`; owns tokens and retries, decides nothing about the product.

githubkit signs, our own connection sends: its retry would post a comment twice. Repositories are addressed by id,
`/repositories/{id}/…`, the form of GitHub's own redirects and page links, so that a rename changes nothing for us.
"""

from __future__ import annotations

from app.clients.github.client import Check, GitHub, Permission

__all__ = ["Check", "GitHub", "Permission"]
