"""Owns the text around a definition: its signature, docstring and bases, read from the source by offset. Touches no syntax node."""

from __future__ import annotations

import re

SIGNATURE_CHARACTERS = 300
"""A longer header is cut: it is shown in one line and embedded with every part of its definition."""

DOCSTRING_CHARACTERS = 400
"""The first paragraph, cut: enough to say what a thing is for."""

_SPACES = re.compile(r"\s+")
_LEADING_ANNOTATIONS = re.compile(r"(?:@[\w.]+(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?\s+)+")
_HEADER_COMMENT = re.compile(r"(?:^|(?<=\s))(?:#(?!define|\[)|//)[^\n]*|/\*.*?\*/", re.DOTALL)
_HEADER_END = re.compile(r"\s*(?:\{|:|=>|=)?\s*$")
_PYTHON_STRING = re.compile(rb"[rRuUbBfF]{0,2}(\"\"\"|'''|\"|')")
_COMMENT_EDGE = re.compile(r"^[ \t]*(?:/\*+!?|//[/!]*|\*(?!/)|#+:?|--)?[ \t]?|[ \t]*\*+/[ \t]*$")
_INNERMOST = re.compile(r"<[^<>]*>|\([^()]*\)|\[[^\[\]]*\]")
_NAME = re.compile(r"[A-Za-z_$\u0080-\U0010ffff][\w$.:]*")
_NOT_BASES = frozenset(
    {"public", "private", "protected", "virtual", "override", "sealed", "final", "const", "dyn", "for"}
)
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
        text = _HEADER_END.sub("", _LEADING_ANNOTATIONS.sub("", text, count=1) if text.startswith("@") else text)
        if "\n" in text or "#" in text:
            text = _HEADER_END.sub("", _HEADER_COMMENT.sub("", text)).lstrip()
    else:
        text = source[own : min(end, own + 4 * SIGNATURE_CHARACTERS)].decode("utf-8", "replace").split("\n", 1)[0]
    return squeeze(text, SIGNATURE_CHARACTERS)


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


def comment_docstring(source: bytes, comments: list[tuple[int, int]]) -> str:
    """The first paragraph of the comments above a definition, without their marks and tags."""
    text = "\n".join(
        source[start : min(end, start + 4 * DOCSTRING_CHARACTERS)].decode("utf-8", "replace") for start, end in comments
    )
    lines = [_COMMENT_EDGE.sub("", line).rstrip() for line in text.split("\n")]
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
