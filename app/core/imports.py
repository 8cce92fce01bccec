"""Owns how an import statement of each language becomes `Import` values. Resolves no path.

`module` keeps the language's own spelling (`.store`, `./store`, `net/http`, `crate::store`, `java.util`, `a/b.h`). `name` is
empty when the module itself is bound, `*` for all names, `default` for JavaScript's default export. `alias` is the local
name (dotted for Python's `import a.b`), empty when nothing is bound.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from app.core.types import Import

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.core.places import Outline

STATEMENT_BYTES = 20_000
"""A longer import statement is generated; only so much of it is read."""

_GO_VERSION = re.compile(r"v\d+")
_COMMENTS = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_ES_SOURCE = re.compile(r"(?:from\s*|require\s*\(\s*|import\s*)([\"'])(.*?)\1", re.DOTALL)
_ES_NAMED = re.compile(r"(?:type\s+|typeof\s+)?([\w$]+|\"[^\"]*\"|'[^']*')(?:\s+as\s+([\w$]+|\"[^\"]*\"|'[^']*'))?")
_ES_PROPERTY = re.compile(r"([\w$]+)(?:\s*:\s*([\w$]+))?(?:\s*=[^,]*)?")
_ES_AFTER_REQUIRE = re.compile(r"\)\s*\.\s*([\w$]+)\s*$")
_JAVA = re.compile(r"import\s+(static\s+)?([\w.\s$]+?)(\.\s*\*)?\s*;")
_CSHARP = re.compile(r"\s*(?:global\s+)?using\s+(?:static\s+)?(?:(\w+)\s*=\s*)?([\w.:\s]+?)(?:<[^;]*)?;")
_RUBY = re.compile(r"(require_relative|require|load|autoload)\b.*?([\"'])([^\"']+)\2\s*\)?\s*$", re.DOTALL)
_KOTLIN = re.compile(r"import\s+([\w.`]+?)(\.\*)?(?:\s+as\s+(\w+))?\s*(?:;|$|\n|/)")
_LUA = re.compile(r"(?:(\w+)\s*=\s*)?require\s*\(?\s*([\"'])([^\"']+)\2")
_SCALA = re.compile(r"([\w.`]+\.)\{([^}]*)\}|([\w.`*]+(?: (?:as|=>) \w+)?)")
_SWIFT = re.compile(r"import\s+(?:(class|struct|enum|protocol|func|var|let|typealias)\s+)?([\w.]+)")
_ELIXIR = re.compile(
    r"(alias|import|require|use)[\s(]+([\w.]+?)(?:\.\{([^}]*)\})?(?:\s*,\s*as:\s*(\w+))?(?:\s*[,)].*|\s*)$", re.DOTALL
)
_INCLUDE = re.compile(r"#\s*include\w*\s*(?:<([^>\n]*)>|\"([^\"\n]*)\")")
_CPP_USING = re.compile(r"using\s+(namespace\s+|enum\s+)?(?:typename\s+)?([\w:]+)\s*;")
_RUST_TOKEN = re.compile(r"::|[{},*]|\bas\b|(?:r#)?\w+")


def read_imports(outline: Outline) -> list[Import]:
    """All imports of a file in order of their lines."""
    read = _READERS.get(outline.language.name)
    found: list[Import] = []
    if read is not None:
        for node in outline.imports:
            raw = outline.source[node.start_byte : min(node.end_byte, node.start_byte + STATEMENT_BYTES)]
            found.extend(read(raw.decode("utf-8", "replace"), outline.line(node.start_byte)))
    found.sort(key=lambda one: one.line)
    return found


def _python(text: str, line: int) -> Iterator[Import]:
    text = re.sub(r"#[^\n]*|\\\r?\n", " ", text)
    text = re.sub(r"[\s()]+", " ", text).strip()
    if text.startswith("from"):
        module, _, names = text[4:].strip().partition(" import ")
        module = module.replace(" ", "")
        if module.endswith("import") and not names:
            return
        for part in names.split(","):
            name, _, alias = part.strip().partition(" as ")
            if name:
                yield Import(module, name, "" if name == "*" else alias.strip() or name, line)
        return
    for part in text.removeprefix("import").split(","):
        module, _, alias = part.strip().partition(" as ")
        if module:
            yield Import(module, "", alias.strip() or module, line)


def _ecmascript(text: str, line: int) -> Iterator[Import]:
    text = _COMMENTS.sub(" ", text) if "/*" in text or "\n" in text else text
    source = _ES_SOURCE.search(text)
    if source is None:
        return
    module, before = source.group(2), text[: source.start()].strip()
    if text.startswith(("import", "export")):
        words = re.sub(r"^(?:import|export)\s*(?:type\b(?!\s*,)\s*)?", "", before).strip().rstrip(",").strip()
        if "=" in words:
            yield Import(module, "", words.partition("=")[0].strip(), line)
            return
        braces = re.search(r"\{(.*?)\}", words, re.DOTALL)
        for name, alias in _ES_NAMED.findall(braces.group(1)) if braces else ():
            yield Import(module, name.strip("\"'"), (alias or name).strip("\"'"), line)
        rest = [part.strip() for part in re.sub(r"\{.*?\}", "", words, flags=re.DOTALL).split(",")]
        for part in rest:
            star = re.fullmatch(r"\*(?:\s*as\s+([\w$]+))?", part)
            if star and star.group(1):
                yield Import(module, "", star.group(1), line)
            elif star:
                yield Import(module, "*", "", line)
            elif part:
                yield Import(module, "default", part, line)
        if not words:
            yield Import(module, "", "", line)
        return
    target = before.partition("=")[0].strip()
    target = target.partition(":")[0].strip() if not target.startswith("{") else target
    member = _ES_AFTER_REQUIRE.search(text)
    if target.startswith("{"):
        for name, alias in _ES_PROPERTY.findall(target.strip("{} \n\t")):
            yield Import(module, name, alias or name, line)
    elif re.fullmatch(r"[\w$]+", target):
        yield Import(module, member.group(1) if member else "", target, line)


def _go(text: str, line: int) -> Iterator[Import]:
    quoted = re.search(r"[\"`]([^\"`]*)[\"`]", text)
    if quoted is None or not quoted.group(1):
        return
    module, alias = quoted.group(1), text[: quoted.start()].strip()
    if alias == ".":
        yield Import(module, "*", "", line)
    else:
        yield Import(module, "", "" if alias == "_" else alias or go_package(module), line)


def go_package(module: str) -> str:
    """The package name that an import path gives by convention: `gopkg.in/yaml.v3` is yaml, `x/chi/v5` is chi."""
    parts = module.split("/")
    last = parts[-2] if len(parts) > 1 and _GO_VERSION.fullmatch(parts[-1]) else parts[-1]
    last = re.sub(r"\.v\d+$", "", last)
    last = last.removeprefix("go-").removesuffix("-go").removesuffix(".go")
    return re.sub(r"\W", "_", last)


def _rust(text: str, line: int) -> Iterator[Import]:
    text = _COMMENTS.sub(" ", text)
    text = re.sub(r"^\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\s*\([^)]*\))?\s+)?", "", text)
    if found := re.match(r"mod\s+(\w+)", text):
        yield Import("self::" + found.group(1), "", found.group(1), line)
    elif found := re.match(r"extern\s+crate\s+(\w+)(?:\s+as\s+(\w+))?", text):
        yield Import(found.group(1), "", found.group(2) or found.group(1), line)
    elif text.startswith("use"):
        yield from _rust_tree(_RUST_TOKEN.findall(text[3:]), line)


def _rust_tree(tokens: list[str], line: int) -> Iterator[Import]:
    """Walk `a::{b, c as d, e::*}` with a stack of prefixes, so that a deep nest costs no recursion."""
    prefixes: list[list[str]] = []
    path: list[str] = []
    alias = ""
    expect_alias = False
    for token in [*tokens, ","]:
        if token == "{":
            prefixes.append(path)
            path = list(path)
        elif token in {",", "}"}:
            if path and (not prefixes or len(path) > len(prefixes[-1])):
                yield _rust_leaf(path, alias, line)
            alias = ""
            if token == "}":
                prefixes = prefixes[:-1]
                path = []
                if prefixes:
                    path = list(prefixes[-1])
            else:
                path = list(prefixes[-1]) if prefixes else []
        elif token == "as":
            expect_alias = True
        elif expect_alias:
            alias, expect_alias = token, False
        elif token != "::":
            path.append(token)


def _rust_leaf(path: list[str], alias: str, line: int) -> Import:
    if path[-1] == "self" and len(path) > 1:
        path = path[:-1]
    module, name = "::".join(path[:-1]), path[-1]
    if name == "*":
        return Import(module, "*", "", line)
    if not module:
        return Import(name, "", alias or name, line)
    return Import(module, name, alias or name, line)


def _java(text: str, line: int) -> Iterator[Import]:
    found = _JAVA.search(_COMMENTS.sub(" ", text))
    if found is None:
        return
    path = re.sub(r"\s", "", found.group(2))
    if found.group(3):
        yield Import(path, "*", "", line)
    else:
        module, _, name = path.rpartition(".")
        yield Import(module, name, name, line)


def _c(text: str, line: int) -> Iterator[Import]:
    if found := _INCLUDE.match(text.strip()):
        yield Import(found.group(1) or found.group(2) or "", "", "", line)
    elif found := _CPP_USING.match(text.strip()):
        module, _, name = found.group(2).strip(":").rpartition("::")
        if found.group(1):
            yield Import(found.group(2).strip(":"), "*", "", line)
        elif module:
            yield Import(module, name, name, line)


def _csharp(text: str, line: int) -> Iterator[Import]:
    found = _CSHARP.match(_COMMENTS.sub(" ", text))
    if found is None:
        return
    alias, path = found.group(1), re.sub(r"\s", "", found.group(2)).replace("global::", "").replace("::", ".")
    if alias:
        module, _, name = path.rpartition(".")
        yield Import(module or path, name if module else "", alias, line)
    else:
        yield Import(path, "*", "", line)


def _ruby(text: str, line: int) -> Iterator[Import]:
    if found := _RUBY.search(text):
        module = found.group(3)
        relative = found.group(1) == "require_relative" and not module.startswith(".")
        yield Import(f"./{module}" if relative else module, "", "", line)


def _php(text: str, line: int) -> Iterator[Import]:
    """`use A\\{B, C as D}` gives dotted modules; `require` the path, which is told from them by its slash or its ending."""
    text = _COMMENTS.sub(" ", text)
    if not text.startswith("use"):
        if quoted := re.search(r"([\"'])([^\"'$]+)\1[^\"']*$", text):
            yield Import("./" + quoted.group(2).lstrip("./"), "", "", line)
        return
    text = re.sub(r"^use\s+(?:(?:function|const)\s+)?|;\s*$", "", text).strip()
    prefix, braced, listed = text.partition("{")
    for part in (listed.rstrip("} \r\n") if braced else text).split(","):
        words = re.sub(r"^\s*(?:function|const)\s+", "", part).split()
        if words:
            path = ((prefix.strip() if braced else "") + words[0]).strip("\\").replace("\\", ".")
            module, _, name = path.rpartition(".")
            alias = words[-1] if len(words) == 3 else name
            yield Import(module or path, name if module else "", alias, line)


def _kotlin(text: str, line: int) -> Iterator[Import]:
    found = _KOTLIN.match(text)
    if found is None:
        return
    path = re.sub(r"[\s`]", "", found.group(1))
    if found.group(2):
        yield Import(path, "*", "", line)
    else:
        module, _, name = path.rpartition(".")
        yield Import(module or path, name if module else "", found.group(3) or name, line)


def _lua(text: str, line: int) -> Iterator[Import]:
    if found := _LUA.search(text):
        yield Import(found.group(3), "", found.group(1) or "", line)


def _shell(text: str, line: int) -> Iterator[Import]:
    """`source "$DIR/lib.sh"`: what stands in a variable is a folder, taken for the script's own."""
    words = text.split(None, 1)
    path = (
        re.sub(r"^\$(?:\{[^}]*\}|\([^)]*\)|\w+)/", "./", words[1].split("\n")[0].strip("\"' \t\r"))
        if len(words) == 2
        else ""
    )
    if path and "$" not in path and " " not in path:
        yield Import(path, "", "", line)


def _scala(text: str, line: int) -> Iterator[Import]:
    text = re.sub(r"\s+", " ", _COMMENTS.sub(" ", text)).strip().removeprefix("import ")
    for found in _SCALA.finditer(text):
        prefix, listed, whole = found.group(1) or "", found.group(2) or "", found.group(3) or ""
        for part in listed.split(",") if listed else [whole]:
            path, _, alias = re.sub(r"\s+(?:as|=>)\s+", "=", part.strip()).partition("=")
            path = (prefix + path).strip(". ")
            module, _, name = path.rpartition(".")
            if alias == "_" or not module or not name:
                continue
            star = name in {"_", "*", "given"}
            yield Import(module, "*" if star else name, "" if star else alias or name, line)


def _swift(text: str, line: int) -> Iterator[Import]:
    found = _SWIFT.search(text)
    if found is None:
        return
    module, _, name = found.group(2).rpartition(".")
    if found.group(1) and module:
        yield Import(module, name, name, line)
    else:
        yield Import(found.group(2), "*", "", line)


def _elixir(text: str, line: int) -> Iterator[Import]:
    found = _ELIXIR.match(text)
    if found is None:
        return
    how, path, listed, alias = found.groups()
    if how in {"import", "use"}:
        yield Import(path, "*", "", line)
        return
    for one in [part.strip() for part in listed.split(",")] if listed else [""]:
        module, _, name = (f"{path}.{one}" if one else path).rpartition(".")
        if name:
            yield Import(module or name, name if module else "", alias or name, line)


def _quoted_path(text: str, line: int) -> Iterator[Import]:
    """Protobuf's `import "a/b.proto";`."""
    if found := re.search(r"[\"']([^\"'\n]+)[\"']", text):
        yield Import(found.group(1), "", "", line)


def _make(text: str, line: int) -> Iterator[Import]:
    for path in text.partition("include")[2].split():
        if "$" not in path:
            yield Import(path if path.startswith(".") else f"./{path}", "", "", line)


_READERS = {
    "protobuf": _quoted_path,
    "make": _make,
    "lua": _lua,
    "shell": _shell,
    "scala": _scala,
    "swift": _swift,
    "elixir": _elixir,
    "csharp": _csharp,
    "ruby": _ruby,
    "php": _php,
    "kotlin": _kotlin,
    "python": _python,
    "javascript": _ecmascript,
    "typescript": _ecmascript,
    "tsx": _ecmascript,
    "go": _go,
    "rust": _rust,
    "java": _java,
    "c": _c,
    "cpp": _c,
}
