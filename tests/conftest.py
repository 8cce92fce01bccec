"""Shared fixtures: the stand-in GitHub, on a socket of its own; a test that asks it for something unknown fails."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.sandbox import Sandbox


@pytest.fixture
async def github(tmp_path: Path) -> AsyncIterator[Sandbox]:
    """An empty GitHub with our App registered."""
    async with Sandbox(tmp_path / "github") as sandbox:
        yield sandbox
        sandbox.check()
