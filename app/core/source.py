"""Owns which files are read as source and how their bytes become text and lines. Opens no file.

Everyone who shows or verifies lines of a blob uses `decode`, `split_lines` and `line_range`, so that all agree on what a line is.
"""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING

from app.core.generated import generated_paths, is_generated, is_generated_name
from app.core.types import Skip

if TYPE_CHECKING:
    from app.core.types import TreeEntry

__all__ = ["decode", "generated_paths", "is_generated", "line_range", "refuse", "split_lines"]

MAX_BYTES = 1_000_000
"""Larger files are data or bundles: one of 10 MB takes 700 MB to parse."""

MINIFIED_CHARACTERS = 10_000
MINIFIED_LINE = 500
"""Mean characters a line from which a file of some size is no longer written by hand."""

MINIFIED_SPACES = 1 / 8
"""Prose in unwrapped paragraphs has more spaces than this (English about one in six); minified code has fewer."""

LONGEST_LINE = 100_000
"""A single line of this length is data (an image in base64) wherever it stands; a chunk cannot hold part of a line."""

MAX_LATIN = 0.1
"""Share of bytes above 127 up to which a file that is not UTF-8 is read as Windows Latin; above it the encoding is anyone's guess."""

BINARY_CONTROLS = 0.02
"""Share of control characters that no text has."""

_LFS = b"version https://git-lfs.github.com/spec/v1"
_ANNEX = re.compile(rb"(?:\.\./)*\.git/annex/objects/\S+\s*$|/annex/objects/\S+\s*$")
_CONTROLS = bytes(range(9)) + bytes(range(14, 27)) + bytes(range(28, 32)) + b"\x7f"
_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)|^<\?xml[^>]*encoding=[\"']([-\w.]+)")
_LEGACY = re.compile(
    r"(?:latin|l1$|iso-?8859|cp\d|windows-?125|koi8|mac|euc|shift|sjis|gb|big5|hz$|tis|johab)", re.IGNORECASE
)

_BINARY_NAMES = re.compile(
    r"\.(?:png|jpe?g|gif|bmp|ico|icns|webp|avif|heic|tiff?|psd|ai|eps|xcf|raw"
    r"|mp[34]|m4[av]|ogg|oga|ogv|wav|flac|aac|mov|avi|mkv|webm|wmv|mid"
    r"|pdf|docx?|xlsx?|pptx?|od[tsp]|epub"
    r"|zip|gz|tgz|bz2|xz|zst|lz4?|7z|rar|tar|jar|war|ear|whl|egg|deb|rpm|apk|dmg|iso|msi|cab|nupkg|crx"
    r"|exe|dll|so|dylib|a|o|obj|lib|pyc|pyo|pyd|class|wasm|node|bin|elf"
    r"|ttf|otf|woff2?|eot|pfb"
    r"|db|sqlite3?|mdb|parquet|avro|orc|feather|arrow|npy|npz|h5|hdf5|pkl|pickle|joblib|pt|pth|onnx|safetensors|gguf|ckpt|tflite"
    r"|keystore|jks|p12|pfx|der|gmo|nib|swf|fla|blend|fbx|glb|stl|3ds|unitypackage|uasset)$",
    re.IGNORECASE,
)


def refuse(entry: TreeEntry, generated: bool) -> Skip | None:
    """Why a file of a tree is not even read, or None. `generated` is what `generated_paths` says of its path."""
    if entry.mode == "120000":
        return Skip.SYMLINK
    if entry.mode == "160000":
        return Skip.SUBMODULE
    if entry.size == 0:
        return Skip.EMPTY
    if _BINARY_NAMES.search(entry.path):
        return Skip.BINARY
    if generated or is_generated_name(entry.path):
        return Skip.GENERATED
    if entry.size > MAX_BYTES:
        return Skip.TOO_LARGE
    return None


def decode(data: bytes) -> str | Skip:
    """The text of a blob without a byte order mark, or why it is none. Line ends stay as they are; only \\n ends a line.

    UTF-8 first; UTF-16 and UTF-32 by their mark; else what a coding line declares, else Windows Latin where few bytes need it.
    """
    if not data.strip():
        return Skip.EMPTY
    if len(data) < 1024 and (data.startswith(_LFS) or _ANNEX.match(data)):
        return Skip.LFS
    if len(data) > MAX_BYTES:
        return Skip.TOO_LARGE
    wide = _wide(data)
    if wide is not None:
        return wide if isinstance(wide, Skip) else _checked(wide)
    if b"\0" in data:
        return Skip.BINARY if _is_binary(data.replace(b"\0", b"")) else Skip.NUL
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        found = _legacy(data)
        if isinstance(found, Skip):
            return found
        text = found
    if _is_binary(data):
        return Skip.BINARY
    return _checked(text)


def _wide(data: bytes) -> str | Skip | None:
    """UTF-32 and UTF-16 with a mark; None for everything else."""
    for mark, encoding in (
        (codecs.BOM_UTF32_LE, "utf-32"),
        (codecs.BOM_UTF32_BE, "utf-32"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if data.startswith(mark):
            try:
                text = data.decode(encoding)
            except UnicodeDecodeError:
                if encoding == "utf-32":
                    continue  # UTF-16 whose first character is NUL looks like it
                return Skip.UNDECODABLE
            if "\0" in text:
                return Skip.NUL
            return text if text.strip() else Skip.EMPTY
    return None


def _legacy(data: bytes) -> str | Skip:
    if _is_binary(data):
        return Skip.BINARY
    for line in data.split(b"\n", 2)[:2]:
        if found := _COOKIE.match(line):
            name = (found.group(1) or found.group(2)).decode("ascii", "replace")
            if _LEGACY.match(name):
                try:
                    return data.decode(name)
                except (LookupError, UnicodeDecodeError):
                    break
    high = len(data) - len(data.translate(None, bytes(range(128, 256))))
    if high > MAX_LATIN * len(data):
        return Skip.UNDECODABLE
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _is_binary(data: bytes) -> bool:
    return len(data) - len(data.translate(None, _CONTROLS)) > BINARY_CONTROLS * len(data)


def _checked(text: str) -> str | Skip:
    """The text, unless it is minified. A lone CR counts as a line's end here: old files are not minified ones."""
    if not text.strip():
        return Skip.EMPTY
    if len(text) > MINIFIED_CHARACTERS:
        breaks = text.count("\n") + text.count("\r") - text.count("\r\n") + 1
        if len(text) > MINIFIED_LINE * breaks and text.count(" ") < MINIFIED_SPACES * len(text):
            return Skip.MINIFIED
        if len(text) > LONGEST_LINE and max(map(len, text.split("\n"))) > LONGEST_LINE:
            return Skip.MINIFIED
    return text


def split_lines(text: str) -> list[str]:
    """Lines as git counts them: only \\n ends one, a \\r stays in its line, what follows the last \\n is no line."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def line_range(text: str, first: int, last: int) -> str:
    """Lines first..last (from 1, both included) joined by \\n, without the last one's. Lines outside the file are left out."""
    return "\n".join(split_lines(text)[max(first, 1) - 1 : max(last, 0)])
