"""Roles of paths: the conventions of many languages, as a table."""

from __future__ import annotations

import pytest

from app.core.roles import Role, is_config, is_doc, is_example, is_gathering, is_test, is_vendored, role_of

TABLE = [
    ("app/core/rank.py", Role.SOURCE),
    ("tests/core/test_rank.py", Role.TEST),
    ("pkg/tests/helpers.py", Role.TEST),
    ("pkg/conftest.py", Role.TEST),
    ("pkg/testing/runtests.py", Role.SOURCE),
    ("pkg/contest.py", Role.SOURCE),
    ("pkg/latest.py", Role.SOURCE),
    ("pkg/test_utils.py", Role.TEST),
    ("pkg/attest.go", Role.SOURCE),
    ("router/tree_test.go", Role.TEST),
    ("src/parse.test.ts", Role.TEST),
    ("src/parse.spec.tsx", Role.TEST),
    ("src/inspect.ts", Role.SOURCE),
    ("src/__tests__/parse.ts", Role.TEST),
    ("cypress/e2e/login.cy.js", Role.TEST),
    ("gson/src/test/java/com/google/gson/GsonTest.java", Role.TEST),
    ("core/GsonTest.java", Role.TEST),
    ("core/TestRunner.java", Role.TEST),
    ("core/Contest.java", Role.SOURCE),
    ("core/Testimony.java", Role.SOURCE),
    ("core/AUDIT.java", Role.SOURCE),
    ("crates/ignore/tests/gitignore.rs", Role.TEST),
    ("crates/printer/src/util.rs", Role.SOURCE),
    ("src/format_test.cc", Role.TEST),
    ("spec/models/user_spec.rb", Role.TEST),
    ("lib/Service.Tests/Run.cs", Role.TEST),
    ("examples/flaskr/app.py", Role.EXAMPLE),
    ("asv_bench/benchmarks/index.py", Role.EXAMPLE),
    ("docs/conf.py", Role.DOC),
    ("README.md", Role.DOC),
    ("CHANGELOG", Role.DOC),
    ("src/docs.py", Role.SOURCE),
    ("vendor/github.com/x/y.go", Role.VENDORED),
    ("web/node_modules/a/index.js", Role.VENDORED),
    ("static/jquery-3.1.js", Role.VENDORED),
    ("api/user.pb.go", Role.GENERATED),
    ("api/user_pb2.py", Role.GENERATED),
    ("package-lock.json", Role.GENERATED),
    ("pyproject.toml", Role.CONFIG),
    (".github/workflows/ci.yml", Role.CONFIG),
    ("CMakeLists.txt", Role.CONFIG),
    ("Makefile", Role.CONFIG),
]


@pytest.mark.parametrize(("path", "role"), TABLE, ids=[path for path, _ in TABLE])
def test_a_path_has_the_role_its_language_gives_it(path: str, role: Role) -> None:
    assert role_of(path) is role
    flags = {
        Role.TEST: is_test,
        Role.DOC: is_doc,
        Role.EXAMPLE: is_example,
        Role.VENDORED: is_vendored,
        Role.CONFIG: is_config,
    }
    assert [kind for kind, asks in flags.items() if asks(path)] == ([role] if role in flags else [])


def test_files_that_only_gather_others_are_known() -> None:
    assert is_gathering("pkg/__init__.py")
    assert is_gathering("src/index.ts")
    assert not is_gathering("src/index_store.ts")
