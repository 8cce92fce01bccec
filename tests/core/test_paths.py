"""Looking paths up as people, traces and imports write them."""

from __future__ import annotations

import pytest

from app.core.paths import MOST_MATCHES, PathTable

TABLE = PathTable(
    [
        "setup.py",
        "src/flask/__init__.py",
        "src/flask/app.py",
        "src/flask/json/__init__.py",
        "src/flask/json/provider.py",
        "tests/test_app.py",
        "examples/app.py",
        "web/src/app/(main)/[id]/page.tsx",
        "gson/src/main/java/com/google/gson/Gson.java",
        *(f"pkg{number}/util/index.ts" for number in range(MOST_MATCHES + 1)),
    ]
)


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("src/flask/app.py", ["src/flask/app.py"]),
        ("flask/app.py", ["src/flask/app.py"]),
        ("/usr/lib/python3/site-packages/flask/app.py", ["src/flask/app.py"]),
        ("/home/me/elsewhere/app.py", []),
        ("app.py", ["examples/app.py", "src/flask/app.py"]),
        ("provider.py", ["src/flask/json/provider.py"]),
        ("/home/me/setup.py", ["setup.py"]),
        ("PROVIDER.PY", ["src/flask/json/provider.py"]),
        ("app/(main)/[id]/page.tsx", ["web/src/app/(main)/[id]/page.tsx"]),
        ("index.ts", []),
        ("pkg3/util/index.ts", ["pkg3/util/index.ts"]),
        ("nothing.py", []),
        ("", []),
        ("/", []),
        ("../..", []),
    ],
)
def test_a_written_path_finds_the_files_it_may_mean(written: str, found: list[str]) -> None:
    assert TABLE.ending(written) == found


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("flask/app", ["src/flask/app.py"]),
        ("flask/app/Flask", ["src/flask/app.py"]),
        ("flask/json", ["src/flask/json/__init__.py"]),
        ("flask/json/provider/dumps", ["src/flask/json/provider.py"]),
        ("com/google/gson/Gson", ["gson/src/main/java/com/google/gson/Gson.java"]),
        ("os/path", []),
        ("numpy/linalg/norm", []),
    ],
)
def test_a_module_finds_its_file_or_package(written: str, found: list[str]) -> None:
    assert TABLE.module(written) == found


def test_rare_words_of_the_name_count_most() -> None:
    weights = {"provider": 1.0, "app": 1.0, "json": 1.0}
    scores = {path: TABLE.word_score(path, weights) for path in TABLE.paths}
    assert max(scores, key=lambda path: scores[path]) == "src/flask/json/provider.py"
    assert scores["setup.py"] == 0
    assert scores["src/flask/app.py"] > scores["web/src/app/(main)/[id]/page.tsx"]
