"""What a file declares, read without the product: Python by its own parser, other languages by the form of one line.

The patterns know only declarations that stand at the start of a line with their name on it, and no nests: enough to ask for
names, and to say on which lines each of them is declared.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator

_MODIFIERS = (
    r"(?:(?:public|private|protected|internal|static|final|abstract|sealed|async|override|virtual|partial|readonly|unsafe|open"
    r"|inline|suspend|operator|infix|tailrec|data|inner|value|annotation|enum|fun|extern|new|default|synchronized|native|strictfp"
    r"|companion|lateinit|const|implicit|lazy|case|opaque|transparent|indirect|mutating|nonmutating|class|fileprivate"
    r"|convenience|required|dynamic|weak|unowned|lateinit|expect|actual|external|reified|record|ref)(?:\([\w.]+\))?\s+)*"
)
_CALLABLE = (
    r"(?P<type>[\w.<>\[\],?&]+(?:\s[\w.<>\[\],?&]+)*)\s+(?:[\w.<>]+\.)?(?P<name>\w+)(?:<[^()]*>)?\((?![^)]*\)\s*;)"
)
_JAVA_LIKE = r"^\s*(?:\[[\w()\", .=]+\]\s*)?(?:public|private|protected|internal)\s+" + _MODIFIERS

PATTERNS: dict[str, tuple[str, ...]] = {
    "go": (
        r"^func\s+(?:\([^)]*\)\s+)?(?P<name>\w+)[\[(]",
        r"^type\s+(?P<name>\w+)\s",
        r"^\t(?P<name>[A-Z]\w*)\([^()]*\)\s+\(?[\w.*\[\]]+[^{]*$",  # of an interface: nothing but a type can follow
    ),
    "javascript": (
        r"^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s*\*?\s*(?P<name>[\w$]+)\s*\(",
        r"^\s*(?:export\s+)?(?:default\s+)?class\s+(?P<name>[\w$]+)",
        r"^\w[\w.]*\.(?P<name>[\w$]+)\s*=\s*(?:async\s+)?function\b",
    ),
    "typescript": (
        r"^\s*(?:export\s+)?(?:declare\s+)?(?:default\s+)?(?:async\s+)?function\s*\*?\s*(?P<name>[\w$]+)\s*[(<]",
        r"^\s*(?:export\s+)?(?:declare\s+)?(?:default\s+)?(?:abstract\s+)?class\s+(?P<name>[\w$]+)",
        r"^\s*(?:export\s+)?(?:declare\s+)?(?:interface|enum)\s+(?P<name>[\w$]+)",
        r"^\s*(?:export\s+)?(?:declare\s+)?type\s+(?P<name>[\w$]+)\s*[=<]",
        r"^export\s+const\s+(?P<name>[\w$]+)\b",
    ),
    "rust": (
        r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:default\s+)?(?:const\s+|async\s+|unsafe\s+|extern\s+\"C\"\s+)*fn\s+(?P<name>\w+)",
        r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:struct|enum|trait|union)\s+(?P<name>\w+)",
        r"^\s*macro_rules!\s+(?P<name>\w+)",
    ),
    "java": (
        r"^\s*" + _MODIFIERS + r"(?:class|interface|@interface|enum|record)\s+(?P<name>\w+)",
        _JAVA_LIKE + r"(?:<[^()]*>\s+)?" + _CALLABLE,
    ),
    "csharp": (
        r"^\s*" + _MODIFIERS + r"(?:class|interface|enum|struct|record)\s+(?P<name>\w+)",
        _JAVA_LIKE + _CALLABLE,
    ),
    "kotlin": (
        r"^\s*(?:@\w+\s+)*" + _MODIFIERS + r"(?:class|interface|object)\s+(?P<name>\w+)",
        r"^\s*(?:@\w+\s+)*" + _MODIFIERS + r"fun\s+(?:<[^()]*>\s+)?(?:[\w<>?*, ]+\.)?(?P<name>\w+)\s*\(",
        r"^\s*" + _MODIFIERS + r"typealias\s+(?P<name>\w+)",
    ),
    "swift": (
        r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*" + _MODIFIERS + r"func\s+(?P<name>\w+)\s*[(<]",
        r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*"
        + _MODIFIERS
        + r"(?:class|struct|enum|protocol|actor)\s+(?!func\b|var\b|let\b)(?P<name>\w+)",
        r"^\s*" + _MODIFIERS + r"typealias\s+(?P<name>\w+)",
    ),
    "scala": (
        r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*" + _MODIFIERS + r"(?:private\[\w+\]\s+)?" + _MODIFIERS + r"def\s+(?P<name>\w+)",
        r"^\s*" + _MODIFIERS + r"(?:private\[\w+\]\s+)?" + _MODIFIERS + r"(?:class|trait|object)\s+(?P<name>\w+)",
    ),
    "c": (
        r"^(?:static\s+|extern\s+|inline\s+|const\s+)*(?:struct\s+)?\w+[\w\s]*[\s*]+(?P<name>\w+)\s*\([^;]*$",
        r"^(?P<name>[a-z]\w*)\([^;]*\)\s*\{",
        r"^(?:typedef\s+)?(?:struct|union|enum)\s+(?P<name>\w+)\s*\{",
    ),
    "cpp": (
        r"^\s*(?:enum\s+class|class|struct|enum|union)\s+(?:[A-Z_]+\s+)?(?P<name>\w+)(?:\s+final)?\s*(?::[^:;]*)?\{",
        r"^(?:template\s*<.*>\s*)?(?:inline\s+|static\s+|constexpr\s+|[A-Z_]{4,}\s+)+(?:auto|void|bool|int|unsigned)\s+(?P<name>\w+)\("
        r"(?!.*;\s*$)",
    ),
    "ruby": (
        r"^\s*(?:private\s+)?def\s+(?:self\.)?(?P<name>\w+\b[?!]?)(?!=[ (])",
        r"^\s*(?:class|module)\s+(?:\w+::)*(?P<name>[A-Z]\w*)",
    ),
    "php": (
        r"^\s*" + _MODIFIERS + r"function\s+&?(?P<name>\w+)\s*\(",
        r"^(?:abstract\s+|final\s+|readonly\s+)*(?:class|interface|trait|enum)\s+(?P<name>\w+)",
    ),
    "elixir": (
        r"^\s*(?:def|defp|defmacro|defmacrop|defguard|defdelegate)\s+(?P<name>[a-z_]\w*[?!]?)[\s(]",
        r"^\s*(?:defmodule|defprotocol)\s+(?:\w+\.)*(?P<name>[A-Z]\w*)\s+do",
    ),
    "lua": (
        r"^\s*(?:local\s+)?function\s+(?:[\w]+[.:])*(?P<name>\w+)\s*\(",
        r"^(?:[\w]+\.)*(?P<name>\w+)\s*=\s*function\s*\(",
    ),
    "shell": (r"^(?:function\s+)?(?P<name>[A-Za-z_]\w*)\s*\(\)\s*\{",),
    "sql": (
        r"^\s*CREATE\s+(?:OR\s+REPLACE\s+)?(?:FUNCTION|PROCEDURE|VIEW|MATERIALIZED\s+VIEW|TYPE|TRIGGER|TABLE)\s+"
        r"(?:IF\s+NOT\s+EXISTS\s+)?(?:\w+\.)?(?P<name>\w+)",
    ),
}  # fmt: skip
ALSO: dict[str, tuple[str, ...]] = {
    "go": (r"^(?:var|const)\s+(?P<name>\w+)\b",),
    "javascript": (
        r"^\s+(?:(?:async|static|get|set)\s+)*(?P<name>[\w$]+)\s*\([^()]*\)\s*\{",
        r"^\s*(?:const\s+|let\s+|var\s+)?(?P<name>[\w$]+)\s*[:=]\s*(?:async\s*)?(?:function\b|\([^()]*\)\s*=>|\w+\s*=>)",
    ),
    "typescript": (
        r"^\s+(?:(?:public|private|protected|readonly|static|abstract|async)\s+)*(?P<name>[\w$]+)\??\s*(?:<[^()]*>)?\([^()]*\)\s*:",
    ),
    "java": (r"^\s+(?:<[^()]*>\s+)?" + _CALLABLE.replace("(?![^)]*\\)\\s*;)", ""),),
    "csharp": (
        r"^\s+" + _MODIFIERS + _CALLABLE.replace("(?![^)]*\\)\\s*;)", ""),
        r"^\s+(?:public\s+|internal\s+)?" + _MODIFIERS + r"[\w<>\[\],?]+\s+(?P<name>\w+)\s*(?:\{\s*get|=>)",
    ),
    "cpp": (
        r"^\s*(?:template\s*<.*>\s*)?(?:\w+\s+)*[\w:<>,&*]+[\s&*]+(?:\w+::)*(?P<name>\w+)\([^;]*(?:\{.*|,|\)|->.*)$",
        r"^using\s+(?P<name>\w+)\s*=",
    ),
    "scala": (r"^\s*" + _MODIFIERS + r"type\s+(?P<name>\w+)",),
    "ruby": (r"^\s*attr_(?:reader|writer|accessor)\s+(?:.*,\s*)?:(?P<name>\w+)",),
    "swift": (r"^\s*" + _MODIFIERS + r"(?:static\s+)?(?:var|let)\s+(?P<name>\w+)",),
}  # fmt: skip
"""Forms that are as good a first answer but are not asked for: members of interfaces, fields, overloads."""

PATTERNS["tsx"], ALSO["tsx"] = PATTERNS["typescript"], ALSO["typescript"]
_COMPILED = {
    language: tuple(
        (re.compile(one, re.IGNORECASE if language == "sql" else 0), main)
        for table, main in ((PATTERNS, True), (ALSO, False))
        for one in table.get(language, ())
    )
    for language in PATTERNS
}
_NO_NAMES = frozenset(
    "if for while switch return else catch using lock foreach new operator when do end def this self".split()
)
_NO_TYPES = frozenset({"new", "return", "else", "throw", "await", "yield", "case", "delegate", "operator"})


def declared(language: str, text: str) -> Iterator[tuple[str, int, bool]]:
    """(simple name, line, whether it is to be asked for) of what a file declares; nothing for a language without patterns, or Python that is none."""
    if language == "python":
        yield from _python(text)
        return
    comment = False
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        if language not in {"lua", "shell", "ruby", "elixir", "sql"}:
            if comment or stripped.startswith("/*"):
                comment = "*/" not in stripped
                continue
            if stripped.startswith(("*", "//")):
                continue
        for form, main in _COMPILED.get(language, ()):
            match = form.match(line)
            if match is None or match["name"] in _NO_NAMES:
                continue
            if "type" in form.groupindex and match["type"].split()[0] in _NO_TYPES:
                continue
            yield match["name"], number, main
            break


def _python(text: str) -> Iterator[tuple[str, int, bool]]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, node.lineno, True
