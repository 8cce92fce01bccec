"""Holds the demo's own check of a comment: it accepts what stands at a link, and nothing else."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from app.cli.proof import links_of, proof
from app.clients.git import local_mirror

BODY = """See [`a b.py:2-3`](http://x/o/r/blob/{sha}/a%20b.py#L2-L3)

```python
def two():
⋮
```

```diff
- def two(old)
+ def two()
```
"""


@pytest.fixture
def repository(tmp_path: Path) -> tuple[Path, str]:
    def git(*arguments: str) -> str:
        return subprocess.run(
            ["git", "-C", str(tmp_path), *arguments], check=True, capture_output=True, text=True
        ).stdout.strip()

    git("init", "-q")
    (tmp_path / "a b.py").write_text("# one\ndef two():\n    return 2\n")
    git("add", ".")
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x")
    return tmp_path, git("rev-parse", "HEAD")


async def test_lines_that_stand_there_are_proved(repository: tuple[Path, str]) -> None:
    path, sha = repository
    proved, problems = await proof(local_mirror(path), BODY.format(sha=sha))
    assert problems == []
    assert proved == [{"place": f"a b.py:2-3 @ {sha[:7]}", "line": "def two():"}]


@pytest.mark.parametrize(
    ("old", "new"), [("def two():\n⋮", "def tow():"), ("#L2-L3", "#L2-L9"), ("a%20b.py#", "gone.py#")]
)
async def test_what_does_not_stand_there_is_a_problem(repository: tuple[Path, str], old: str, new: str) -> None:
    path, sha = repository
    assert old in BODY
    _, problems = await proof(local_mirror(path), BODY.replace(old, new).format(sha=sha))
    assert len(problems) == 1


def test_links_keep_their_own_code() -> None:
    found = list(links_of(BODY.format(sha="1" * 40)))
    assert [(link.path, link.first, link.last, link.shown) for link in found] == [("a b.py", 2, 3, ("def two():",))]
