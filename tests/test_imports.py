"""Holds the layers: imports point one way, and each SDK is imported in one place."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = sorted([*ROOT.glob("app/**/*.py"), *ROOT.glob("jobs/**/*.py")])

# What a package may import of this project, the longest matching prefix deciding.
MAY_IMPORT = {
    "app.core": {"app.core"},
    "app.clients": {"app.core", "app.clients"},
    "app.steps": {"app.core", "app.clients", "app.steps"},
    "app.train": {"app.core", "app.clients", "app.train"},
    "app.config": {"app.core"},
    "app.log": {"app.core"},
    "app.queue": {"app.core", "app.config"},
    "app.web": {"app.core", "app.clients", "app.config", "app.log", "app.queue", "app.web"},
    "app.sandbox": {"app.core", "app.sandbox"},
    "app": {"app"},
    "jobs": {"app", "jobs"},
}

# Where each SDK may be imported.
ONLY_IN = {
    "githubkit": ("app.clients.github",),
    "qdrant_client": ("app.clients.index.server",),
    "qdrant_edge": ("app.clients.index.edge",),
    "fastembed": ("app.clients.embed_onnx",),
    "anthropic": ("app.clients.llm",),
    "arq": ("app.queue", "jobs.worker"),
    "redis": ("app.queue", "jobs.worker"),
    "fakeredis": ("app.queue", "jobs.worker"),
    "typer": ("app.cli",),
    "rich": ("app.cli",),
}

# The core decides; it may not reach the world.
CORE_THIRD_PARTY = {"numpy", "tree_sitter", "tree_sitter_language_pack", "yaml"}
CORE_FORBIDDEN = {
    "asyncio", "concurrent", "http", "io", "multiprocessing", "os", "pathlib", "random", "secrets", "select", "selectors",
    "shutil", "socket", "ssl", "subprocess", "tempfile", "threading", "time", "urllib.request",
}  # fmt: skip


def module_name(path: Path) -> str:
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    return name.removesuffix(".__init__")


def imports_of(path: Path) -> Iterator[str]:
    package = module_name(path) if path.name == "__init__.py" else module_name(path).rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                base = ".".join([*package.split(".")[: len(package.split(".")) - node.level + 1], base]).rstrip(".")
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def within(name: str, prefix: str) -> bool:
    return name == prefix or name.startswith(prefix + ".")


@pytest.mark.parametrize("path", SOURCES, ids=module_name)
def test_imports_point_one_way(path: Path) -> None:
    name = module_name(path)
    layer = max((prefix for prefix in MAY_IMPORT if within(name, prefix)), key=len)
    for imported in imports_of(path):
        if imported.split(".")[0] in ("app", "jobs") and imported != "app":
            allowed = any(within(imported, prefix) for prefix in MAY_IMPORT[layer])
            assert allowed or imported == "app.__version__", f"{name} imports {imported}"


@pytest.mark.parametrize("path", SOURCES, ids=module_name)
def test_each_sdk_is_imported_in_one_place(path: Path) -> None:
    name = module_name(path)
    for imported in imports_of(path):
        places = ONLY_IN.get(imported.split(".")[0])
        assert places is None or any(within(name, place) for place in places), f"{name} imports {imported}"


@pytest.mark.parametrize("path", [p for p in SOURCES if within(module_name(p), "app.core")], ids=module_name)
def test_the_core_is_pure(path: Path) -> None:
    for imported in imports_of(path):
        root = imported.split(".")[0]
        assert imported not in CORE_FORBIDDEN, f"{imported} reaches the world"
        assert root not in CORE_FORBIDDEN or root == "urllib", f"{imported} reaches the world"
        known = root in sys.stdlib_module_names or root in CORE_THIRD_PARTY or root == "app"
        assert known, f"{imported} is not allowed in app.core"
    tree = ast.parse(path.read_text())
    assert not any(isinstance(node, ast.AsyncFunctionDef | ast.Await) for node in ast.walk(tree)), "async in app.core"


def test_the_rules_see_something() -> None:
    """The checks above hold nothing if the sources are not found."""
    names = {module_name(path) for path in SOURCES}
    assert {"app.core.types", "app.core.errors"} <= names
