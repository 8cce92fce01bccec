"""Owns the table of languages: which path is in which language, and how a grammar and its query are loaded. Reads no source file.

A new language with a grammar is one row here and one `app/queries/<name>.scm`; a row without a grammar names the language
of files that are indexed by line windows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, TypedDict, cast

from tree_sitter import Language as Grammar
from tree_sitter import Parser, Query
from tree_sitter_language_pack import get_language

if TYPE_CHECKING:
    from tree_sitter_language_pack import SupportedLanguage


@dataclass(frozen=True, slots=True)
class Language:
    """One row. Extensions are lower case with the dot; file names are exact.

    `grammar` is empty for languages read by line windows. `query` names the file in app/queries.
    `selves` are the words for the enclosing class. `implicit_self`: a bare name may be a member of the enclosing class.
    `open_types`: a type that is neither imported nor defined in the file is still a type (same package, an include).
    `nested`: a definition inside another one is named below it (C has one flat space of names).
    `data`: the file holds values and markup: its parts are named sections, of which more stand together in one chunk.
    """

    name: str
    extensions: tuple[str, ...]
    filenames: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    grammar: str = ""
    query: str = ""
    selves: tuple[str, ...] = ()
    implicit_self: bool = False
    open_types: bool = False
    nested: bool = True
    data: bool = False


class _Data(TypedDict):
    grammar: str
    query: str
    data: bool


def _data(grammar: str) -> _Data:
    return {"grammar": grammar, "query": f"{grammar}.scm", "data": True}


_SCRIPT = ("javascript", (".js", ".mjs", ".cjs", ".jsx"), (), ("node", "nodejs", "bun"), "javascript", "javascript.scm")

LANGUAGES: tuple[Language, ...] = (
    Language(
        "python",
        (".py", ".pyi", ".pyw"),
        ("SConstruct", "SConscript", "wscript"),
        ("python", "python3", "python2"),
        grammar="python",
        query="python.scm",
        selves=("self", "cls"),
    ),
    Language(*_SCRIPT, selves=("this",)),
    Language("typescript", (".ts", ".mts", ".cts"), (), ("deno", "ts-node"), "typescript", "typescript.scm", ("this",)),
    Language("tsx", (".tsx",), grammar="tsx", query="tsx.scm", selves=("this",)),
    Language("go", (".go",), grammar="go", query="go.scm", open_types=True),
    Language("rust", (".rs",), grammar="rust", query="rust.scm", selves=("self", "Self"), open_types=True),
    Language(
        "java", (".java",), grammar="java", query="java.scm", selves=("this",), implicit_self=True, open_types=True
    ),
    Language("c", (".c", ".h"), grammar="c", query="c.scm", open_types=True, nested=False),
    Language(
        "cpp",
        (".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++", ".ipp", ".inl", ".tpp", ".ino", ".cu", ".cuh"),
        grammar="cpp",
        query="cpp.scm",
        selves=("this",),
        implicit_self=True,
        open_types=True,
    ),
    Language("markdown", (".md", ".markdown", ".mdx", ".mdown", ".mkd")),
    Language("restructuredtext", (".rst",)),
    Language("text", (".txt", ".text", ".adoc", ".asciidoc", ".org"), ("LICENSE", "NOTICE", "AUTHORS", "COPYING")),
    Language("json", (".json", ".jsonc", ".json5", ".ipynb", ".webmanifest"), **_data("json")),
    Language("yaml", (".yml", ".yaml"), (".clang-format", "CITATION.cff"), **_data("yaml")),
    Language("toml", (".toml",), ("Pipfile",), **_data("toml")),
    Language("ini", (".ini", ".cfg", ".conf"), (".editorconfig", ".gitconfig", ".npmrc"), **_data("ini")),
    Language("properties", (".properties",)),
    Language("xml", (".xml", ".xsd", ".xsl", ".xslt", ".svg", ".csproj", ".props", ".plist"), **_data("xml")),
    Language("html", (".html", ".htm", ".xhtml", ".astro", ".jinja", ".j2", ".hbs", ".ejs"), **_data("html")),
    Language("vue", (".vue",), **_data("vue")),
    Language("svelte", (".svelte",), **_data("svelte")),
    Language("css", (".css",), **_data("css")),
    Language("scss", (".scss",), **_data("scss")),
    Language("sass", (".sass",)),
    Language("less", (".less",)),
    Language("stylus", (".styl",)),
    Language(
        "shell",
        (".sh", ".bash", ".zsh", ".ksh"),
        (".bashrc",),
        ("sh", "bash", "zsh", "dash", "ksh"),
        grammar="bash",
        query="bash.scm",
    ),
    Language("fish", (".fish",), (), ("fish",)),
    Language("powershell", (".ps1", ".psm1", ".psd1")),
    Language("batch", (".bat", ".cmd")),
    Language(
        "make", (".mk", ".mak"), ("Makefile", "makefile", "GNUmakefile"), ("make",), grammar="make", query="make.scm"
    ),
    Language("cmake", (".cmake",), ("CMakeLists.txt",)),
    Language("dockerfile", (".dockerfile",), ("Dockerfile", "Containerfile"), **_data("dockerfile")),
    Language("sql", (".sql", ".psql", ".plsql"), grammar="sql", query="sql.scm", nested=False),
    Language(
        "ruby",
        (".rb", ".rake", ".gemspec", ".ru"),
        ("Rakefile", "Gemfile", "Vagrantfile"),
        ("ruby",),
        grammar="ruby",
        query="ruby.scm",
        selves=("self",),
        implicit_self=True,
        open_types=True,
    ),
    Language(
        "php",
        (".php", ".phtml"),
        (),
        ("php",),
        grammar="php",
        query="php.scm",
        selves=("$this", "self", "static"),
        open_types=True,
    ),
    Language(
        "csharp",
        (".cs", ".csx"),
        grammar="csharp",
        query="csharp.scm",
        selves=("this",),
        implicit_self=True,
        open_types=True,
    ),
    Language(
        "kotlin",
        (".kt", ".kts"),
        grammar="kotlin",
        query="kotlin.scm",
        selves=("this",),
        implicit_self=True,
        open_types=True,
    ),
    Language(
        "swift",
        (".swift",),
        grammar="swift",
        query="swift.scm",
        selves=("self", "Self"),
        implicit_self=True,
        open_types=True,
    ),
    Language(
        "scala",
        (".scala", ".sc", ".sbt"),
        grammar="scala",
        query="scala.scm",
        selves=("this",),
        implicit_self=True,
        open_types=True,
    ),
    Language("groovy", (".groovy", ".gradle"), ("Jenkinsfile",)),
    Language("perl", (".pl", ".pm", ".t"), (), ("perl",)),
    Language("lua", (".lua",), (), ("lua", "luajit"), grammar="lua", query="lua.scm", selves=("self",)),
    Language("r", (".r", ".rmd"), (), ("Rscript",)),
    Language("julia", (".jl",), (), ("julia",)),
    Language("dart", (".dart",)),
    Language(
        "elixir",
        (".ex", ".exs"),
        (),
        ("elixir",),
        grammar="elixir",
        query="elixir.scm",
        selves=("__MODULE__",),
        implicit_self=True,
        open_types=True,
    ),
    Language("erlang", (".erl", ".hrl"), (), ("escript",)),
    Language("haskell", (".hs", ".lhs")),
    Language("ocaml", (".ml", ".mli")),
    Language("clojure", (".clj", ".cljs", ".cljc", ".edn")),
    Language("fsharp", (".fs", ".fsi", ".fsx")),
    Language("zig", (".zig",)),
    Language("nim", (".nim",)),
    Language("objective-c", (".m", ".mm")),
    Language("hcl", (".tf", ".tfvars", ".hcl"), grammar="hcl", query="hcl.scm"),
    Language("protobuf", (".proto",), grammar="proto", query="proto.scm", open_types=True),
    Language("graphql", (".graphql", ".gql")),
    Language("starlark", (".bzl", ".star"), ("BUILD", "BUILD.bazel", "WORKSPACE")),
    Language("cython", (".pyx", ".pxd", ".pxi")),
    Language("assembly", (".s", ".asm")),
    Language("fortran", (".f", ".f90", ".f95", ".for")),
    Language("verilog", (".v", ".sv", ".vh")),
    Language("vhdl", (".vhd", ".vhdl")),
    Language("tex", (".tex", ".sty", ".cls", ".bib")),
)

_BY_NAME = {row.name: row for row in LANGUAGES}
_BY_EXTENSION = {extension: row.name for row in LANGUAGES for extension in row.extensions}
_BY_FILENAME = {filename: row.name for row in LANGUAGES for filename in row.filenames}
_BY_INTERPRETER = {word: row.name for row in LANGUAGES for word in row.interpreters}

_CPP_UPPER = (".C", ".H")
"""Upper case is C++ by the habit of Unix compilers; everywhere else the case of an extension means nothing."""

_CPP_HEADER = re.compile(
    r"^[ \t]*(?:class\s+\w|namespace\b|template\s*<|using\s+\w|(?:public|private|protected)\s*:|extern\s+\"C\+\+\")"
    r"|\w::\w|^#\s*include\s*<(?:string|vector|map|memory|cstd\w+|iostream|functional|utility|algorithm)>",
    re.MULTILINE,
)
"""What no C header holds. `extern "C"` alone is a C header that C++ may include."""

_SHEBANG = re.compile(
    r"#![ \t]*(?:\S*/)?(?:env[ \t]+(?:-S[ \t]+)?(?:\w+=\S*[ \t]+)*)?(?:\S*/)?([A-Za-z_-]+(?:[23](?=\b))?)"
)


_TEMPLATES = (".in", ".tmpl", ".template", ".dist")
"""What a file is called that another is made of by filling in a few words: `pgtap.sql.in`, `config.h.in`."""


def language_of(path: str) -> str:
    """The language's name by the path alone ("" when unknown). A `.h` counts as C: see `language_for`."""
    filename = path.rsplit("/", 1)[-1]
    if filename in _BY_FILENAME:
        return _BY_FILENAME[filename]
    if filename.startswith("Dockerfile."):
        return "dockerfile"
    if filename.endswith(_TEMPLATES):
        return language_of(filename.rpartition(".")[0])
    dot = filename.rfind(".")
    if dot < 0:
        return ""
    if filename[dot:] in _CPP_UPPER:
        return "cpp"
    return _BY_EXTENSION.get(filename[dot:].lower(), "")


def language_for(path: str, text: str) -> str:
    """The language by path and content: C++ headers named `.h`, and scripts known only by their `#!` line."""
    name = language_of(path)
    if name == "c" and path.lower().endswith(".h") and _CPP_HEADER.search(text):
        return "cpp"
    if not name and text.startswith("#!") and (found := _SHEBANG.match(text)):
        return _BY_INTERPRETER.get(found.group(1), "")
    return name


_SAID = {
    "c++": "cpp",
    "c#": "csharp",
    "golang": "go",
    "console": "",
    "terraform": "hcl",
    "docker": "dockerfile",
    "proto": "protobuf",
}
"""What people write behind a fence, where it is neither a language's name, its interpreter nor its extension."""


def language_called(word: str) -> str:
    """The language that a word names, as behind a Markdown fence or in `lang="ts"`: `py`, `python3`, `C#`, `tsx`; "" when unknown."""
    word = word.strip().lower()
    if word in _SAID:
        return _SAID[word]
    if word in _BY_NAME:
        return word
    return _BY_INTERPRETER.get(word, "") or _BY_EXTENSION.get(f".{word}", "")


def row_of(name: str) -> Language | None:
    """The row of a language by its name."""
    return _BY_NAME.get(name)


@cache
def grammar_of(name: str) -> Grammar:
    """The tree-sitter grammar of a language that has one."""
    return get_language(cast("SupportedLanguage", _BY_NAME[name].grammar))


@cache
def parser_of(name: str) -> Parser:
    """One parser a language and process. Not for two threads at once."""
    return Parser(grammar_of(name))


@cache
def query_of(name: str) -> Query:
    """The compiled query of a language. Raises QueryError when its .scm does not fit the grammar."""
    return Query(grammar_of(name), query_text(_BY_NAME[name].query))


def query_text(filename: str) -> str:
    """A query's source. A line `; include: other.scm` stands for that file (TSX and TypeScript share JavaScript's patterns)."""
    text = (files("app") / "queries" / filename).read_text(encoding="utf-8")
    return re.sub(r"^; include: (\S+)$", lambda found: query_text(found.group(1)), text, flags=re.MULTILINE)
