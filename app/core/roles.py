"""What a file is by its path alone (test, documentation, example, vendored, generated …). Never reads the file."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache

CACHED_PATHS = 1 << 14
"""Paths whose role is remembered, about 200 bytes each: a question asks for the same few hundred again and again."""


class Role(StrEnum):
    """The kind of a file. A path has exactly one: the first of the rules below that fits."""

    VENDORED = "vendored"
    GENERATED = "generated"
    TEST = "test"
    EXAMPLE = "example"
    DOC = "doc"
    CONFIG = "config"
    SOURCE = "source"


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_VENDORED = _names(
    "vendor vendored _vendor node_modules third_party thirdparty 3rdparty 3rd_party bower_components extern externals "
    "site-packages jspm_packages pods carthage godeps"
)
_GENERATED = _names("generated __generated__ gen-src autogen dist")
_TEST = _names(
    "test tests __tests__ __mocks__ spec specs e2e testdata test-data test_data fixtures __fixtures__ androidtest "
    "unittest unittests integrationtest integration_tests integration-tests functional_tests cypress testsuite"
)
_EXAMPLE = _names(
    "example examples sample samples demo demos tutorial tutorials bench benches benchmark benchmarks playground "
    "playgrounds snippets asv_bench cookbook"
)
_DOC = _names("doc docs documentation man website changelog changelogs wiki")

_VENDORED_FILE = re.compile(r"(?:^jquery[.-].*|\.min)\.(?:js|css)$")
_GENERATED_FILE = re.compile(
    r"(?:\.pot?|\.pb\.(?:go|cc|h)|_pb2(?:_grpc)?\.pyi?|\.g\.dart|\.g\.cs|\.generated\.\w+|_generated\.\w+|\.designer\.cs|\.snap|\.lock)$"
    r"|^(?:package-lock\.json|yarn\.lock|pnpm-lock\.yaml|go\.sum|cargo\.lock|poetry\.lock|composer\.lock|gemfile\.lock)$"
)
_TEST_FILE = re.compile(
    r"^(?:test_.*\.pyi?|.*_tests?\.(?:py|go|rs|cc|cpp|cxx|c|rb|exs?|dart|php|lua|clj)|conftest\.py|tests?\.(?:py|rs|c|cc|cpp|js|ts)"
    r"|.*[.-](?:test|tests|spec|specs|cy|e2e)\.[cm]?[jt]sx?|.*_spec\.(?:rb|lua|js|ts)|spec_helper\.rb|test_helper\.rb"
    r"|.*[-_.]unittest\.(?:cc|cpp|py)|setuptests\.[cm]?[jt]s|(?:jest|vitest|karma|playwright|cypress)\.config\.[cm]?[jt]s)$"
)
_TEST_TYPE = re.compile(
    r"(?:Tests?|TestCase|[a-z0-9]IT|Specs?)\.(?:java|kt|kts|scala|groovy|cs|php|swift|vb|fs|m|mm|hs)$"
)
_TEST_TYPE_PREFIX = re.compile(r"^Test[A-Z]\w*\.(?:java|kt|scala|groovy|cs)$")
_DOC_FILE = re.compile(
    r"\.(?:md|markdown|mdx|rst|adoc|asciidoc|txt|textile|org|pod|tex|\d)$"
    r"|^(?:readme|changelog|changes|history|news|license|licence|copying|authors|contributing|security|code_of_conduct|notice)(?:\..*)?$"
)
_CONFIG_FILE = re.compile(
    r"\.(?:ya?ml|toml|ini|cfg|conf|json|jsonc|json5|properties|editorconfig|env|plist|gradle|xml|lock|mk|cmake|nix|bazel|bzl)$"
    r"|^(?:makefile|dockerfile|jenkinsfile|vagrantfile|rakefile|gemfile|procfile|cmakelists\.txt|build|workspace|go\.mod|setup\.py)$"
    r"|^\."
)

_SETTINGS_PATH = re.compile(
    r"(?:^|[/_.-])(?:config|configs|configuration|conf|settings?|options?|defaults?|env|environment)(?:[/_.-]|$)"
)


@lru_cache(maxsize=CACHED_PATHS)
def role_of(path: str) -> Role:
    """The role of a repository path (posix, relative). Case does not matter except in Java-like type names."""
    folders = path.lower().split("/")
    file, name = path.rsplit("/", 1)[-1], folders.pop()
    if _VENDORED.intersection(folders) or _VENDORED_FILE.search(name):
        return Role.VENDORED
    if _GENERATED.intersection(folders) or _GENERATED_FILE.search(name):
        return Role.GENERATED
    if (
        _test_folder(folders)
        or folders[:1] == ["testing"]
        or _TEST_FILE.search(name)
        or _TEST_TYPE.search(file)
        or _TEST_TYPE_PREFIX.search(file)
    ):
        return Role.TEST
    if _EXAMPLE.intersection(folders):
        return Role.EXAMPLE
    if name != "cmakelists.txt" and (_DOC.intersection(folders) or _DOC_FILE.search(name)):
        return Role.DOC
    if _CONFIG_FILE.search(name):
        return Role.CONFIG
    return Role.SOURCE


def is_test(path: str) -> bool:
    """Whether the file holds tests, or data and helpers that only tests use."""
    return role_of(path) is Role.TEST


def is_doc(path: str) -> bool:
    """Whether the file is prose for people."""
    return role_of(path) is Role.DOC


def is_example(path: str) -> bool:
    """Whether the file shows or measures the code instead of being it."""
    return role_of(path) is Role.EXAMPLE


def is_vendored(path: str) -> bool:
    """Whether the file is a copy of somebody else's code."""
    return role_of(path) is Role.VENDORED


def is_config(path: str) -> bool:
    """Whether the file sets something up (build, tools, data formats)."""
    return role_of(path) is Role.CONFIG


def is_settings(path: str) -> bool:
    """Whether the file's or its folder's name says that values are set there (`settings.py`, `config/defaults.ts`)."""
    return _SETTINGS_PATH.search(path.lower()) is not None


def is_gathering(path: str) -> bool:
    """Whether the file mostly re-exports others (`__init__.py`, `index.ts`, `mod.rs` …): it names all and does little."""
    return path.rsplit("/", 1)[-1] in {
        "__init__.py",
        "__init__.pyi",
        "index.js",
        "index.ts",
        "index.tsx",
        "index.mjs",
        "mod.rs",
    }


def _test_folder(folders: list[str]) -> bool:
    """Whether a folder says test. `testing/` does not: shipped helpers for other people's tests live there (sympy, numpy, jest)."""
    return any(folder in _TEST or folder.endswith((".tests", "-tests", "_tests", ".test")) for folder in folders)
