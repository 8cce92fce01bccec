"""A stand-in GitHub on a real socket over real git repositories, for the demo, dry runs and tests. It refuses what GitHub refuses.

async with Sandbox(directory) as github:
    installation = await github.add_installation("octo")
    await github.add_repository("octo/hello", files={"README.md": "# Hello"})
    github.webhook_url = "http://127.0.0.1:8080/webhook"
    issue = await github.open_issue("octo/hello", "octo", "Where is it?", "@coderag where?")
"""

from __future__ import annotations

from app.sandbox.pulls import LineComment
from app.sandbox.sandbox import Sandbox

__all__ = ["LineComment", "Sandbox"]
