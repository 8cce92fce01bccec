"""Owns the text around a definition: its signature, docstring and bases, read from the source by offset. Touches no syntax node."""

from __future__ import annotations

import re

SIGNATURE_CHARACTERS = 300
"""A longer header is cut: it is shown in one line and embedded with every part of its definition."""

DOCSTRING_CHARACTERS = 400
"""The first paragraph, cut: enough to say what a thing is for."""

_SPACES = re.compile(r"\s+")
_LEADING_ANNOTATIONS = re.compile(r"(?:@[\w.]+(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?\s+)+")
_LEADING_ATTRIBUTES = re.compile(r"(?:#?\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]\s+)+(?=\w)")
"""C#'s `[Serializable]` and PHP's `#[Route]`, which stand inside the definition."""
_DOC_TAG = re.compile(r"</?[a-z]+(?:\s[^<>]*)?/?>")
"""Of C#'s documentation comments."""
_HEADER_COMMENT = re.compile(r"(?:^|(?<=\s))(?:#(?!define|\[)|//)[^\n]*|/\*.*?\*/", re.DOTALL)
_HEADER_END = re.compile(r"\s*(?:\{|:|=>|=)?\s*$")
_PYTHON_STRING = re.compile(rb"[rRuUbBfF]{0,2}(\"\"\"|'''|\"|')")
_COMMENT_EDGE = re.compile(r"^[ \t]*(?:/\*+!?|//[/!]*|\*(?!/)|#+:?|-{2,})?[ \t]?|[ \t]*\*+/[ \t]*$")
_ELIXIR_DOC = re.compile(rb"@doc\s+(?:~[sS])?(\"\"\"|\")(.*?)\1", re.DOTALL)
_ELIXIR_MODULEDOC = re.compile(rb"do\s+@moduledoc\s+(?:~[sS])?(\"\"\"|\")(.*?)\1", re.DOTALL)
_INNERMOST = re.compile(r"<[^<>]*>|\([^()]*\)|\[[^\[\]]*\]")
_NAME = re.compile(r"[A-Za-z_$\u0080-\U0010ffff][\w$.:]*")
_NOT_BASES = frozenset(
    {"public", "private", "protected", "virtual", "override", "sealed", "final", "const", "dyn", "for"}
)
_RUBY_MIXED_IN = re.compile(r"^[ \t]*(?:include|prepend|extend)[ \t(]+([A-Z][\w:, \t]*)", re.MULTILINE)
_RUBY_INNER = re.compile(r"^[ \t]*(?:class|module|def)\b", re.MULTILINE)
_SCALA_BASES = re.compile(r"\b(?:extends|with|derives)\b")
_PHP_USED = re.compile(r"^[ \t]*use[ \t]+([\w\\, \t]+)[;{]", re.MULTILINE)
BASES_IN_BODY = frozenset({"go", "ruby", "php"})
"""Languages in which a class's body names bases: embedded structs, mixed-in modules, used traits."""
_GO_EMBEDDED = re.compile(
    r"^[ \t]*\*?([A-Za-z_][\w.]*)(?:\[[^\]\n]*\])?[ \t]*(?:`[^`\n]*`)?[ \t]*(?://[^\n]*)?$", re.MULTILINE
)


def squeeze(text: str, limit: int) -> str:
    """One line of at most `limit` characters."""
    text = _SPACES.sub(" ", text).strip()
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def signature(source: bytes, start: int, own: int, end: int, body: int) -> str:
    """The header of a definition in one line: up to its body, else its first line. Decorators and annotations are left out."""
    if start < own and source[start : start + 1] != b"@":
        own = start
    if body > own:
        text = source[own : min(body, own + 4 * SIGNATURE_CHARACTERS)].decode("utf-8", "replace")
        text = _HEADER_END.sub("", _without_attributes(text))
        if "\n" in text or "#" in text:
            text = _HEADER_END.sub("", _HEADER_COMMENT.sub("", text)).lstrip()
    else:
        text = source[own : min(end, own + 4 * SIGNATURE_CHARACTERS)].decode("utf-8", "replace")
        text = (_LEADING_ATTRIBUTES.sub("", text, count=1) if text[:1] in {"[", "#"} else text).split("\n", 1)[0]
    return squeeze(text, SIGNATURE_CHARACTERS)


def _without_attributes(text: str) -> str:
    if text.startswith("@"):
        return _LEADING_ANNOTATIONS.sub("", text, count=1)
    return _LEADING_ATTRIBUTES.sub("", text, count=1) if text[:1] in {"[", "#"} else text


def python_docstring(source: bytes, body: int) -> str:
    """The first paragraph of the string that opens a body, or empty."""
    opened = _PYTHON_STRING.match(source, body)
    if opened is None:
        return ""
    quote = opened.group(1)
    end = source.find(quote, opened.end(), opened.end() + 64 * DOCSTRING_CHARACTERS)
    if end < 0:
        return ""
    after = source[end + len(quote) : end + len(quote) + 1]
    if after not in b" \t\r\n;#" or (len(quote) == 1 and b"\n" in source[opened.end() : end]):
        return ""
    return paragraph(
        source[opened.end() : min(end, opened.end() + 4 * DOCSTRING_CHARACTERS)].decode("utf-8", "replace")
    )


def elixir_docstring(source: bytes, above: int, own: int, body: int) -> str:
    """The first paragraph of the `@doc` between bytes `above` and `own`, or of the `@moduledoc` that opens a body."""
    found = _ELIXIR_DOC.search(source, above, own)
    if found is None and body >= 0:
        found = _ELIXIR_MODULEDOC.match(source, body, body + 64 * DOCSTRING_CHARACTERS)
    if found is None:
        return ""
    return paragraph(found.group(2)[: 4 * DOCSTRING_CHARACTERS].decode("utf-8", "replace"))


def comment_docstring(source: bytes, comments: list[tuple[int, int]], *, marked_up: bool = False) -> str:
    """The first paragraph of the comments above a definition, without their marks and tags (`marked_up`: nor XML's)."""
    text = "\n".join(
        source[start : min(end, start + 4 * DOCSTRING_CHARACTERS)].decode("utf-8", "replace") for start, end in comments
    )
    lines = [_COMMENT_EDGE.sub("", line).rstrip() for line in text.split("\n")]
    if marked_up:
        lines = [_DOC_TAG.sub("", line) for line in lines]
    return paragraph("\n".join(lines))


def paragraph(text: str) -> str:
    """The first paragraph in one line. A line that starts with a tag (`@param`) ends it."""
    kept: list[str] = []
    for line in text.split("\n"):
        line = line.strip()
        if (not line and kept) or line.startswith("@"):
            break
        if line:
            kept.append(line)
    return squeeze(" ".join(kept), DOCSTRING_CHARACTERS)


def bases(language: str, kind: str, header: str, body: str) -> tuple[str, ...]:
    """The classes a class names as its bases, as they are written, without type arguments.

    `header` is what stands between its name and its body (Rust impl: from `impl` on); `body` is used for Go's embedding.
    """
    if language == "go":
        return tuple(dict.fromkeys(_GO_EMBEDDED.findall(body)))
    if language == "python":
        opened = header.find("(")
        listed = header[opened + 1 : header.rfind(")")] if opened >= 0 else ""
        return _names([part for part in _flat(listed).split(",") if "=" not in part])
    header = _flat(header)
    if language == "ruby":
        above = header.partition("<")[2].partition("\n")[0]
        body = _RUBY_INNER.split(body, 1)[0]
        return _names([above, *(part for line in _RUBY_MIXED_IN.findall(body) for part in line.split(","))])
    if language in {"csharp", "kotlin", "swift"}:
        return _names(header.partition(":")[2].split(" where ")[0].split(","))
    if language == "scala":
        return _names([name for part in _SCALA_BASES.split(header)[1:] for name in part.split(",")])
    if language == "php":
        used = [part for line in _PHP_USED.findall(body) for part in line.split(",")]
        parts = re.split(r"\b(?:extends|implements)\b", header)[1:]
        return _names([part.replace("\\", ".").lstrip(". ") for one in (*parts, *used) for part in one.split(",")])
    if language == "rust":
        if kind == "impl":
            return _names([header.split(" for ")[0].removeprefix("impl")]) if " for " in header else ()
        return _names(header.split(" where ")[0].partition(":")[2].split("+")) if kind == "interface" else ()
    if language in {"c", "cpp"}:
        return _names(header.partition(":")[2].split(","))
    parts = re.split(r"\b(?:extends|implements|permits)\b", header)[1:]
    return _names([name for part in parts for name in part.split(",")])


def _flat(text: str) -> str:
    """Without anything in brackets, so that commas separate what is listed. Bounded: deep nests stay."""
    for _ in range(8):
        shorter = _INNERMOST.sub("", text)
        if shorter == text:
            break
        text = shorter
    return text


def _names(parts: list[str]) -> tuple[str, ...]:
    found = []
    for part in parts:
        words = [word for word in _NAME.findall(part) if word not in _NOT_BASES]
        if words:
            found.append(words[0].replace("::", ".").strip(".:"))
    return tuple(dict.fromkeys(name for name in found if name))


_ARROW = re.compile(r"->\s*([^{:]+(?:::[^{:]+)*)")


def returned(signature: str, language: str) -> str:
    """The text of the type that a signature declares for what is returned (`Store` of `-> Store`), or "" where it declares none."""
    if language in {"python", "rust"}:
        found = _ARROW.findall(signature)
        return found[-1].strip() if found else ""
    end = _parameters_end(signature, skip=1 if language == "go" and signature.startswith("func (") else 0)
    rest = signature[end:].strip() if end else ""
    if language == "go":
        first = rest.removeprefix("(").removesuffix("{").strip().split(",")[0].rstrip(") ")
        return first.rpartition(" ")[2] if rest.startswith("(") else first
    if language in {"typescript", "tsx"} and rest.startswith(":"):
        return re.split(r"=>|\{", rest[1:])[0].strip()
    return ""


def _parameters_end(signature: str, skip: int) -> int:
    """Where the first bracketed group after `skip` others ends, or 0."""
    depth = 0
    for at, letter in enumerate(signature):
        depth += (letter == "(") - (letter == ")")
        if letter == ")" and depth == 0:
            if not skip:
                return at + 1
            skip -= 1
    return 0
