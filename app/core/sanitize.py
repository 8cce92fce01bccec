"""The one sanitiser: owns how text we did not write is shown in Markdown; never alters what is verified or indexed.

GitHub reads a comment three times: as Markdown, as HTML in which it looks for mentions and references, and as raw text
that other bots match against. Each function below is safe for all three. What it guards against is the table in section 7
of the platform notes: mentions, cross-references, images, foreign links, HTML, `suggestion` blocks, slash commands.
"""

from __future__ import annotations

import re
from urllib.parse import quote

INLINE_LIMIT = 200
"""Characters of an untrusted title, name or path that are shown; more than that is noise in one line."""

BREAK = "\u200b"
"""Zero-width space: splits `@name` and `#12` without being seen. A backslash or entity is undone before GitHub links."""

UNSEEN = "\ufffd"
"""Stands for a character that shows nothing or reorders the line, so that a reader sees that something is there."""

RENDERED_LANGUAGES = frozenset({"suggestion", "mermaid", "math", "geojson", "topojson", "stl"})
"""Fence languages that GitHub runs instead of showing: one click commits a suggestion, a diagram draws foreign text."""

_LONGEST_LANGUAGE = 20  # characters; the longest of GitHub's common language names is shorter

_ZWJ = "\u200d"
_NOT_SHOWN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff0-\ufffb\U000110bd\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff\ud800-\udfff]"
)
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
_CONTROL_HIGH = re.compile("[\x80-\x9f]")
_EMOJI = "[\u2190-\u2bff\U0001f000-\U0001faff\ufe0f]"
_EMOJI_JOIN = re.compile(f"(?<={_EMOJI}){_ZWJ}(?={_EMOJI})")

_HEX_PIECE = 6  # GitHub links 7 to 40 hex digits as a commit
_HEX_RUN = re.compile(r"(?<![0-9A-Za-z])[0-9A-Fa-f]{7,}(?![0-9A-Za-z])")
_LINKED = re.compile(
    r"@(?=\S)"  # @user, @org/team, user@host
    r"|\#(?=\d)"  # #12, owner/repo#12
    r"|gh-(?=\d)"  # GH-12
    r"|:(?=//)"  # any URL
    r"|www(?=\.)"  # URL without a scheme
    r"|(?:mailto|xmpp):"
    r"|:(?=[0-9A-Za-z_+-]+:)",  # :emoji:
    re.IGNORECASE,
)
_MARKDOWN = re.compile(r"[\\`*_\[\]~|!^{}]")
_HTML = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    "$": "&dollar;",
}  # `$` begins mathematics; a backslash does not stop it
_HTML_CHARACTER = re.compile(r"[&<>$]")
_LINE_START = re.compile(r"[#+\-=/.:%]|\d+(?=[.)])")
_NOT_IN_TARGET = re.compile(r"[^0-9A-Za-z%._~:/?#@!$&'*+,;=-]")  # what RFC 3986 leaves out, and brackets of all kinds
_BACKTICKS = re.compile("`+")
_LANGUAGE = re.compile(r"[a-z0-9+#-]+")


def visible(text: str) -> str:
    """The same text with every character that hides, reorders or ends it replaced by one that shows.

    Controls become their picture (NUL is ␀), bidi and zero-width characters U+FFFD. Line feeds, tabs and the joiner
    inside an emoji stay; CRLF becomes a line feed and a byte-order mark at the start is dropped, as an editor would.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    text = _CONTROL.sub(lambda found: chr(0x2421 if found[0] == "\x7f" else 0x2400 + ord(found[0])), text)
    text = _CONTROL_HIGH.sub(UNSEEN, text)
    joined = "\ue000"  # private use: stands for the joiners that are kept while the others are replaced
    if _ZWJ in text:
        text = _EMOJI_JOIN.sub(joined, text.replace(joined, UNSEEN))
        return _NOT_SHOWN.sub(UNSEEN, text).replace(joined, _ZWJ)
    return _NOT_SHOWN.sub(UNSEEN, text)


def one_line(text: str, limit: int = INLINE_LIMIT) -> str:
    """Visible text on one line, runs of white space as one space, cut with an ellipsis after `limit` characters."""
    line = " ".join(visible(text).split())
    return line if len(line) <= limit else f"{_whole(line[: limit - 1])}…"


def inline(text: str, limit: int = INLINE_LIMIT) -> str:
    """Untrusted words as plain prose in a Markdown line: they show as they are and do nothing. May start a line."""
    line = _html(_MARKDOWN.sub(r"\\\g<0>", _unlinked(one_line(text, limit))))
    start = _LINE_START.match(line)
    if start is None:
        return line
    at = start.end() if start[0][0].isdigit() else 0
    return f"{line[:at]}\\{line[at:]}"


def html_text(text: str, limit: int = INLINE_LIMIT) -> str:
    """Untrusted words inside our own HTML block (`<summary>`), where Markdown is not read."""
    return _html(_unlinked(one_line(text, limit)))


def code_span(text: str, limit: int = INLINE_LIMIT) -> str:
    """Untrusted words as an inline code span. Mentions are broken here too: a reply by mail loses the code formatting."""
    line = one_line(text, limit) or "(empty)"
    line = re.sub(r"@(?=[0-9A-Za-z_])", f"@{BREAK}", line)
    ticks = "`" * (_longest_run(line) + 1 if "`" in line else 1)
    pad = " " if line[0] == "`" or line[-1] == "`" else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"


def fence(code: str, language: str = "") -> str:
    """Untrusted lines as a fenced code block that nothing inside can close. Ends without a line feed.

    The code is kept to the letter but for `visible`. `language` is dropped unless it is a plain name that GitHub only colours.
    """
    ticks = "`" * max(3, _longest_run(code) + 1)
    return f"{ticks}{_fence_language(language)}\n{visible(code)}\n{ticks}"


def link(label: str, url: str) -> str:
    """A link to a page of this repository that we built ourselves. `label` is already safe (code_span, inline)."""
    label = label.replace("]:", f"]{BREAK}:")  # `[a]: b` at the start of a line defines a reference and shows nothing
    target = _NOT_IN_TARGET.sub(lambda found: quote(found[0], safe=""), url)
    return f"[{label}]({target})"


def _unlinked(line: str) -> str:
    """Break whatever GitHub would turn into a mention, a reference, a link or an emoji."""
    line = _LINKED.sub(lambda found: found[0] + BREAK, line)
    return _HEX_RUN.sub(lambda found: BREAK.join(re.findall(f".{{1,{_HEX_PIECE}}}", found[0])), line)


def _html(line: str) -> str:
    return _HTML_CHARACTER.sub(lambda found: _HTML[found[0]], line)


def _longest_run(text: str) -> int:
    return max((len(run) for run in _BACKTICKS.findall(text)), default=0)


def _fence_language(language: str) -> str:
    name = language.lower()
    if len(name) > _LONGEST_LANGUAGE or not _LANGUAGE.fullmatch(name):
        return ""
    return "text" if name in RENDERED_LANGUAGES or name.startswith("suggestion") else name


def _whole(text: str) -> str:
    """Drop half an emoji at the end of a cut: a joiner, a variation selector or a modifier waiting for its other half."""
    return text.rstrip(_ZWJ + "\ufe0f")
