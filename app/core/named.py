"""Finds what a text names: code identifiers and file paths, with how plainly each is named. Knows no repository."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

LONGEST_NAME = 128
SHORTEST_NAME = 2
"""Characters of a name in a sentence; `t`, alone in a code span, is one too."""
"""Characters. Longer runs are encoded data."""
LONGEST_WORD = 300
"""Characters of one word that may hold a path; deeper paths exist, but not in sentences."""
MOST_SYMBOLS = 48
"""Names looked up in the index for one question, the plainest first; each costs a look-up of its own."""
MOST_PATHS = 24
"""Paths looked up for one question, likewise."""

# How plainly a name is named, 0 to 1: what a reader would bet that it is the thing meant.
ASKED = 1.0
"""The sentence asks for this very name ("who calls X")."""
QUOTED = 0.9
"""The whole of a `code span`."""
SHAPED = 0.7
"""Looks like code in the middle of prose: CamelCase, snake_case, dotted, call()."""
IN_SPAN = 0.6
"""Part of a longer code span."""
IN_CODE = 0.4
"""Code-shaped inside a fenced block: an example often uses names of its own."""
PLAIN = 0.15
"""A common word that could be a name."""


@dataclass(frozen=True, slots=True)
class NamedSymbol:
    """An identifier as written, dotted with `.` (`Class.method`); `strength` is how plainly it is named."""

    name: str
    strength: float

    @property
    def simple(self) -> str:
        """The last part, which is what a definition is called."""
        return self.name.rsplit(".", 1)[-1]


@dataclass(frozen=True, slots=True)
class NamedPath:
    """A path as written, `/`-separated; `first`..`last` are lines (0 for none); `module` means no extension is to be expected."""

    path: str
    first: int = 0
    last: int = 0
    module: bool = False
    strength: float = 1.0


_IDENTIFIER = re.compile(r"(?<![\w$])[@#]?[A-Za-z_$][\w$]*(?:(?:\.|::|#(?!L\d)|->)[A-Za-z_$~][\w$]*)*\(?", re.ASCII)
_SPAN = re.compile(r"`{1,2}([^`\n]{1,300})`{1,2}")
_URL = re.compile(r"https?://[^\s<>\"'`]{1,1000}")
_HOST = re.compile(r"https?://[^\s/<>\"'`)]{1,300}(?:/[^\s/]+/[^\s/]+/(?:blob|blame|raw)/[^\s/]+)?")
_BLOB_URL = re.compile(
    r"https?://[^/]+/[^/]+/[^/]+/(?:blob|blame|raw)/[^/]+/([^?#]+)(?:\?[^#]*)?(?:#L(\d+)(?:-L(\d+))?)?"
)
_SEPARATOR = re.compile(r"\.|::|#|->")
_IMPORT = re.compile(
    r"^[ \t>]*(?:from[ \t]+[\w.]+[ \t]+)?import[ \t]+\{?[ \t]*([\w$, ]{1,300})", re.MULTILINE | re.ASCII
)
_LINES = re.compile(r"(?:#L|:|\()(\d{1,7})(?:(?:-L?|[:,])(\d{1,7}))?\)?$")
_TRIM = "\"'`<>{},;!?*|"

_EXTENSIONS = frozenset(
    "py pyi pyx js mjs cjs jsx ts mts cts tsx vue svelte go rs java kt kts scala c h cc cpp cxx hh hpp hxx m mm cs fs php rb "
    "swift dart lua pl pm r jl ex exs erl hs clj sh bash ps1 sql proto graphql css scss less html htm xml json jsonc yaml yml "
    "toml ini cfg conf md mdx rst txt tf gradle cmake mk bzl ipynb tmpl jinja j2 scm".split()
)  # fmt: skip
_KEYWORDS = frozenset(
    "self this cls super none true false null nil undefined def class function func fn return import from for while if else elif try "
    "except catch raise throw throws new delete print printf println console log var let const int float double bool boolean str string "
    "char void list dict set tuple map array object type static public private protected final async await yield lambda in is not and or "
    "with as pass break continue switch case default struct enum interface impl trait use mod pub package assert len range isinstance "
    "e.g i.e etc vs github javascript typescript pypi stackoverflow youtube macos ios linux windows".split()
)  # fmt: skip


def is_code_shaped(name: str) -> bool:
    """Whether a person would write this only as code: an underscore inside, a capital after a small letter, `$`."""
    inner = name.strip("_")
    if not inner:
        return False
    if "_" in inner or (name.startswith("__") and name.endswith("__")):
        return True
    return re.search(r"[a-z0-9][A-Z]|[A-Z]{2,}[a-z]{2}|\$", inner) is not None


def unmarked(name: str) -> str:
    """`valid?`, `save!` and `size=` (Ruby, Elixir) as a sentence has them: there the mark is its own punctuation."""
    return name[:-1] if name[-1:] in {"?", "!", "="} and name[:-1].rpartition(".")[2].isidentifier() else name


def is_digest(word: str) -> bool:
    """Whether letters and digits alternate as they do in hashes, addresses and base64."""
    return len(word) > 8 and len(re.findall(r"(?<=[A-Za-z])\d|(?<=\d)[A-Za-z]", word)) >= 4


def without_hosts(text: str) -> str:
    """`text` without schemes and host names of links; their paths stay, since they often name files and things."""
    return _HOST.sub(" ", text)


def without_urls(text: str) -> str:
    """`text` without links: what looks like a dotted name in one is a host."""
    return _URL.sub(" ", text)


def find_symbols(prose: str, code: str) -> tuple[NamedSymbol, ...]:
    """Identifiers that `prose` (spans included) and `code` (fenced blocks) name, the plainest first, then in order of appearance."""
    found: dict[str, float] = {}
    for span in _SPAN.finditer(prose):
        inside = span[1].strip()
        if (path := _path(inside)) and not path.module:
            continue
        whole = _IDENTIFIER.match(inside)
        if whole and inside[whole.end() :].strip("()… .,") == "" and (name := _name(whole[0], shortest=1)):
            _keep(found, name, QUOTED)
        else:
            for name, shaped in _identifiers(inside):
                _keep(found, name, IN_SPAN if shaped else PLAIN)
    for name, shaped in _identifiers(_SPAN.sub(" ", prose)):
        if shaped:
            _keep(found, name, SHAPED)
    for statement in _IMPORT.finditer(code):
        for name in re.findall(r"[A-Za-z_$][\w$]*", statement[1]):
            if _name(name):
                _keep(found, name, IN_CODE)
    for name, shaped in _identifiers(code):
        if shaped:
            _keep(found, name, IN_CODE)
    ranked = sorted(found.items(), key=lambda item: -item[1])  # stable: ties keep their order of appearance
    return tuple(NamedSymbol(name, strength) for name, strength in ranked[:MOST_SYMBOLS])


def find_paths(text: str) -> tuple[NamedPath, ...]:
    """File paths that `text` names, in order of appearance: posix or Windows, with or without lines, blob URLs, dotted modules."""
    found: dict[NamedPath, None] = {}
    for url in _URL.finditer(text):
        if match := _BLOB_URL.match(url[0].rstrip(").,]")):
            first = int(match[2] or 0)
            found[NamedPath(unquote(match[1]), first, int(match[3] or first))] = None
    without = _URL.sub(" ", text)
    for span in _SPAN.finditer(without):
        if path := _path(span[1].strip()):
            found[path] = None
    for word in without.split():
        if len(word) <= LONGEST_WORD and (path := _path(_trimmed(word))):
            found[path] = None
    ranked = sorted(found, key=lambda path: -path.strength)
    return tuple(ranked[:MOST_PATHS])


def _keep(found: dict[str, float], name: str, strength: float) -> None:
    found[name] = max(found.get(name, 0.0), strength)


def _identifiers(text: str) -> Iterator[tuple[str, bool]]:
    """(dotted name, whether it is written as code) of every identifier in `text`."""
    for match in _IDENTIFIER.finditer(text):
        raw = match[0]
        name = _name(raw)
        if name:
            called = raw.endswith("(")
            dotted = "." in name
            shaped = called or any(is_code_shaped(part) for part in name.split(".")) or (dotted and len(name) > 5)
            yield name, shaped


def _name(raw: str, shortest: int = SHORTEST_NAME) -> str:
    """`raw` with every separator a dot and without call marks, receivers that say nothing, keywords and file names: "" for none."""
    name = _SEPARATOR.sub(".", raw.rstrip("(").lstrip("@#"))
    parts = [part for part in name.split(".") if part]
    while len(parts) > 1 and parts[0] in {"self", "this", "cls", "crate", "super"}:
        parts.pop(0)
    name = ".".join(parts)
    if not shortest <= len(name) <= LONGEST_NAME or name.lower() in _KEYWORDS or parts[-1].strip("_$") == "":
        return ""
    if is_digest(name):
        return ""
    if len(parts) == 2 and parts[1].lower() in _EXTENSIONS and parts[1].islower():
        return ""
    return name


def _trimmed(word: str) -> str:
    """A word without the punctuation of its sentence; brackets stay where they are paired (`app/(main)/[id]`)."""
    word = word.strip(_TRIM).rstrip(".:").strip(_TRIM)
    for opening, closing in ("()", "[]"):
        if word.startswith(opening) and closing not in word:
            word = word[1:]
        if word.endswith(closing) and word.count(closing) > word.count(opening):
            word = word[:-1]
        if word.startswith(opening) and word.endswith(closing) and word.count(opening) == 1:
            word = word[1:-1]
    return word.strip(_TRIM).rstrip(".:")


def _path(word: str) -> NamedPath | None:
    """The path a trimmed word is, if it is one."""
    if len(word) < 3 or "://" in word or word.startswith(("--", "@")):
        return None
    lines = _LINES.search(word)
    first = last = 0
    if lines:
        first = int(lines[1])
        second = int(lines[2] or 0)
        last = second if second >= first else first  # the second number of a.py:10:5 is a column
        if ":" in lines[0][1:]:
            last = first
        word = word[: lines.start()]
    windows = "\\" in word
    path = re.sub(r"^[A-Za-z]:(?=/)", "", word.replace("\\", "/")).removeprefix("./")
    name = path.rsplit("/", 1)[-1]
    stem, dot, extension = name.rpartition(".")
    known = bool(dot) and bool(stem) and extension.lower() in _EXTENSIONS and extension[:1].isalpha()
    if "/" in path and re.search(r"[A-Za-z]", path) and not re.search(r"//|[=&?<>|]", path):
        sure = known or (path.count("/") > 1 and not windows)
        return NamedPath(path.strip("/"), first, last, strength=1.0 if sure else 0.3)
    if "/" not in path and known and re.fullmatch(r"[\w.@+~()\[\] #%$-]+", stem) and " " not in stem.strip():
        return NamedPath(path, first, last, strength=0.8)
    if re.fullmatch(r"[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)+", path, re.ASCII) and len(path) > 5:
        return NamedPath(path.replace("::", "/").replace(".", "/"), module=True, strength=0.6)
    return None
