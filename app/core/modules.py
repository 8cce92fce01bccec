"""Which files of a repository an import statement leads to, language by language. Reads nothing; guesses nothing outside the repository.

The answer to "none" is empty: the import leads out of the repository, or to a file that is not indexed.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass

from app.core.paths import PathTable

_SCRIPT_EXTENSIONS = (".ts", ".tsx", ".mts", ".cts", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte")
_C_SOURCES = (".c", ".cc", ".cpp", ".cxx", ".c++", ".m", ".mm")
_SOURCE_ROOTS = re.compile(r"^(?:.*/)?src/(?:main|test|[a-zA-Z]+)/(?:java|kotlin|scala|groovy)/|^(?:.*/)?src/")

SCRIPTS = frozenset({"javascript", "typescript", "tsx", "jsx", "vue", "svelte"})
C_FAMILY = frozenset({"c", "cpp", "c++", "objc"})


BESIDE = {"ruby": ".rb", "shell": "", "php": "", "make": ""}
"""Languages that name a file by its path from their own, and the ending they leave out."""


@dataclass(frozen=True, slots=True)
class Lead:
    """Where an import leads: files, whether that is proved by the path rules of the language, and whether the imported name
    is a module itself (`from package import module`). `inner` is what the path names inside the file, for Rust only."""

    paths: tuple[str, ...]
    sure: bool = True
    is_module: bool = False
    inner: str = ""


NOWHERE = Lead(())


def follow(module: str, name: str, importer: str, language: str, table: PathTable) -> Lead:
    """The files that `import module` (or `from module import name`) of the file `importer` leads to."""
    if language == "python":
        return _python(module, name, importer, table)
    if language in SCRIPTS:
        return _script(module, importer, table)
    if language == "go":
        return _go(module, table)
    if language == "rust":
        return _rust(module, name, importer, table)
    if language in C_FAMILY:
        return _include(module, importer, table)
    if language in BESIDE and module.startswith("."):
        return _beside(module, importer, BESIDE[language], table)
    if language == "php":
        return _namespaced(module, name, table)
    return _dotted_type(module, name, table)


def same_package(one: str, other: str, language: str) -> bool:
    """Whether two files see each other's names without an import: a Go or Java package, or the same file."""
    if one == other:
        return True
    if language == "go":
        return posixpath.dirname(one) == posixpath.dirname(other)
    if language in {"java", "kotlin"}:
        return _package_folder(one) == _package_folder(other)
    return False


def neighbours(path: str, type_name: str, language: str, table: PathTable) -> tuple[str, ...]:
    """Files of the same package that may define a type of this name, in order of path."""
    if language == "go":
        return table.in_folder(posixpath.dirname(path), ".go")
    if language in {"java", "kotlin"}:
        named = [*table.called(f"{type_name}.java"), *table.called(f"{type_name}.kt")]
        return tuple(each for each in named if same_package(each, path, language))
    return ()


def _package_folder(path: str) -> str:
    """The folder below the source root: src/main/java/a/b and src/test/java/a/b are one package."""
    return _SOURCE_ROOTS.sub("", posixpath.dirname(path) + "/")


def _python(module: str, name: str, importer: str, table: PathTable) -> Lead:
    dots = len(module) - len(module.lstrip("."))
    parts = [part for part in module[dots:].split(".") if part]
    if dots:
        base = posixpath.dirname(importer)
        for _ in range(dots - 1):
            if not base:
                return NOWHERE
            base = posixpath.dirname(base)
        roots = [base]
    else:
        roots = _python_roots([*parts], importer, table) or _python_roots([*parts, name], importer, table)
    found: list[Lead] = []
    for root in roots:
        stem = "/".join(part for part in (root, *parts) if part)
        if name and name != "*" and (inner := _python_files(f"{stem}/{name}" if stem else name, table)):
            found.append(Lead(inner, is_module=True))
        elif files := _python_files(stem, table):
            found.append(Lead(files))
    if not found:
        return NOWHERE
    if len(found) == 1:
        return found[0]
    # Two source roots hold a module of this name: nearest to the importer first, but nothing is proved.
    found.sort(key=lambda lead: -len(posixpath.commonpath([lead.paths[0], importer]) if importer else ""))
    return Lead(tuple(path for lead in found for path in lead.paths), sure=False, is_module=found[0].is_module)


def _python_files(stem: str, table: PathTable) -> tuple[str, ...]:
    if not stem:
        return ("__init__.py",) if "__init__.py" in table else ()
    candidates = (f"{stem}.py", f"{stem}/__init__.py", f"{stem}.pyi", f"{stem}.pyx", f"{stem}/__init__.pyi")
    return tuple(path for path in candidates if path in table)


def _python_roots(parts: list[str], importer: str, table: PathTable) -> list[str]:
    """Folders from which the absolute module is found: outside of any package, or the importer's own folder (a script)."""
    if not parts or not parts[0]:
        return []
    roots: list[str] = []
    tail = "/".join(parts)
    for path in table.called(f"{parts[-1]}.py") + table.called(f"{parts[-1]}.pyi") + table.packages(parts[-1]):
        stem = path.rsplit("/", 1)[0] if path.endswith(("/__init__.py", "/__init__.pyi")) else path.rsplit(".", 1)[0]
        if stem != tail and not stem.endswith("/" + tail):
            continue
        root = stem[: len(stem) - len(tail)].rstrip("/")
        if (
            not root or f"{root}/__init__.py" not in table or root == posixpath.dirname(importer)
        ) and root not in roots:
            roots.append(root)
    return roots


def _script(module: str, importer: str, table: PathTable) -> Lead:
    if module.startswith("."):
        return Lead(_script_files(posixpath.normpath(posixpath.join(posixpath.dirname(importer), module)), table))
    inner = re.sub(r"^(?:[@~#]/|~|/)", "", module)
    if inner != module:  # an alias of the build tool (`@/store`): below some source root
        parts = inner.split("/")
        stems = {path for path in table.module(inner) if path.endswith(_SCRIPT_EXTENSIONS)}
        return Lead(tuple(sorted(stems)), sure=len(stems) == 1 and len(parts) > 1)
    if direct := _script_files(module, table):
        return Lead(direct, sure="/" in module)
    bare = module.partition("/")[2] if module.startswith("@") else module
    name, _, rest = bare.partition("/")
    files = [path for path in table.below(name) if not rest or f"/{rest}" in path]
    return Lead(tuple(files), sure=False)  # a package of this workspace, known by its folder's name only


def _script_files(stem: str, table: PathTable) -> tuple[str, ...]:
    if stem.startswith(".."):
        return ()
    if stem in table:
        return (stem,)
    bare = re.sub(r"\.(?:[cm]?js|jsx)$", "", stem)  # TypeScript sources import the .js that will be there
    candidates = [stem + extension for extension in _SCRIPT_EXTENSIONS]
    candidates += [bare + extension for extension in _SCRIPT_EXTENSIONS] if bare != stem else []
    prefix = f"{stem}/" if stem not in {"", "."} else ""
    candidates += [f"{prefix}index{extension}" for extension in _SCRIPT_EXTENSIONS]
    return tuple(path for path in candidates if path in table)[:1]


def _go(module: str, table: PathTable) -> Lead:
    """Go imports a folder. The module's own prefix is in go.mod, which is not at hand: host/owner/repository is taken for it."""
    parts = module.split("/")
    hosted = "." in parts[0]
    for start in range(1, len(parts)):
        if files := table.in_folder("/".join(parts[start:]), ".go"):
            return Lead(files, sure=hosted and start >= 2) if hosted or start == 1 else NOWHERE
    if hosted and len(parts) <= 4 and (files := table.in_folder("", ".go")):
        return Lead(files, sure=False)  # perhaps the repository's root package
    return NOWHERE


def _rust(module: str, name: str, importer: str, table: PathTable) -> Lead:
    parts = [part for part in re.split(r"::|\.", module) if part]
    if not parts:
        parts = ["self"]
    folder = posixpath.dirname(importer)
    stem = posixpath.basename(importer).removesuffix(".rs")
    here = folder if stem in {"mod", "lib", "main"} else posixpath.join(folder, stem)
    head, sure = parts[0], True
    if head == "crate":
        roots = [_crate_root(importer)]
        parts = parts[1:]
    elif head in {"self", "super"}:
        while parts and parts[0] in {"self", "super"}:
            here = posixpath.dirname(here) if parts[0] == "super" else here
            parts = parts[1:]
        roots = [here]
    else:
        roots = [posixpath.dirname(path) for path in table.called("lib.rs") if _crate_name(path, head)]
        sure = len(roots) == 1
        if roots:
            parts = parts[1:]
        else:
            roots = [here, _crate_root(importer)]  # `use child::name` in the parent module
    wanted = [*parts, name] if name and name not in {"*", "self"} else parts
    own = head in {"crate", "super", "self"}
    for root in roots:
        for length in range(len(wanted), -1, -1):
            inner = "/".join(part for part in (root, *wanted[:length]) if part)
            names = (
                (f"{inner}.rs", f"{inner}/mod.rs") if length else (f"{inner}/lib.rs", f"{inner}/main.rs", f"{inner}.rs")
            )
            files = tuple(path for path in (each.lstrip("/") for each in names) if path in table)[:1]
            if files and (length or own or _crate_name(files[0], head)):
                return Lead(files, sure=sure, inner=".".join(wanted[length:]))
    return NOWHERE


def _crate_root(importer: str) -> str:
    """The `src` folder of the file's crate (or its own folder: tests, examples, build scripts)."""
    parts = importer.split("/")[:-1]
    return "/".join(parts[: len(parts) - parts[::-1].index("src")]) if "src" in parts else "/".join(parts)


def _crate_name(lib: str, name: str) -> bool:
    """Whether the crate of this lib.rs may be called `name`: its folder, also with a prefix (`grep_printer` in crates/printer)."""
    parts = lib.split("/")
    folder = parts[-3] if len(parts) > 2 and parts[-2] == "src" else (parts[-2] if len(parts) > 1 else "")
    folder = folder.replace("-", "_")
    return bool(folder) and (folder == name or name.endswith("_" + folder))


def _include(module: str, importer: str, table: PathTable) -> Lead:
    module = module.strip("<>\"' ")
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(importer), module))
    headers = (beside,) if beside in table else tuple(table.ending(module))
    found = list(headers)
    for header in headers:
        stem = posixpath.basename(header).rsplit(".", 1)[0]
        sources = [path for extension in _C_SOURCES for path in table.called(stem + extension)]
        found += [path for path in sources if path not in found]
    return Lead(tuple(found), sure=len(headers) == 1)


def _dotted_type(module: str, name: str, table: PathTable) -> Lead:
    """Java and its kin: a package and a type in a file of its name; a static import of a type's member; a nested type."""
    parts = [part for part in module.split(".") if part]
    for wanted in ([*parts, name], parts, parts[:-1]):
        path = "/".join(part for part in wanted if part and part != "*")
        if path and (files := tuple(file for file in table.module(path) if _stands_for(file, path))):
            return Lead(files, sure=len(files) == 1)
    return NOWHERE


def _beside(module: str, importer: str, ending: str, table: PathTable) -> Lead:
    path = posixpath.normpath(posixpath.join(posixpath.dirname(importer), module))
    return Lead(tuple(one for one in (path, path + ending) if one in table)[:1])


def _namespaced(module: str, name: str, table: PathTable) -> Lead:
    """PHP: a folder stands for the first parts of a namespace (PSR-4), so the longest tail that names files is taken."""
    parts = [part for part in (*module.split("."), name) if part and part != "*"]
    for start in range(len(parts)):
        path = "/".join(parts[start:])
        files = tuple(file for file in table.module(path) if file.endswith(".php") and _stands_for(file, path))
        if files:
            return Lead(files, sure=len(files) == 1 and len(parts) - start > 1)
    return NOWHERE


def _stands_for(file: str, path: str) -> bool:
    stem = file.rsplit(".", 1)[0]
    return stem == path or stem.endswith("/" + path)
