"""Decides which call sites call a definition: proved, possible, or another one of the same name. Searches and reads nothing.

A name alone never proves a call. Proof is an import that leads to the definition's file, the same file or package, or the
class that a receiver is known to be of; everything else is possible at best, and counted where even that cannot be said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from app.core.modules import C_FAMILY, SCRIPTS, Lead, follow, same_package
from app.core.paths import PathTable
from app.core.types import Definition, Import

FARTHEST = 6
"""Steps of re-exports and base classes that are followed; cycles exist, deeper chains are not worth it."""
METHOD_KINDS = frozenset({"method", "constructor", "property"})
TYPE_KINDS = frozenset({"class", "interface", "type", "enum", "struct", "trait", "impl", "record"})
CONSTRUCTORS = frozenset({"__init__", "__new__", "constructor"})
COMMON_METHODS = frozenset(
    "get set add pop put update append extend insert remove items keys values join split strip format copy clear close open read "
    "write send next push shift slice map filter reduce find index sort reverse count replace match search group encode decode "
    "toString equals hashCode apply call bind then catch len clone unwrap iter collect size length contains start stop run".split()
)
"""Method names that built-in types have too: an unknown receiver is more likely one of those."""


class Verdict(StrEnum):
    """What can be said of a call site: it calls the definition, may call it, cannot be told, or calls something else."""

    EXACT = "exact"
    POSSIBLE = "possible"
    UNRESOLVED = "unresolved"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What the index knows of one file: its language, imports and definitions."""

    path: str
    language: str
    imports: tuple[Import, ...]
    definitions: tuple[Definition, ...]


@dataclass(frozen=True, slots=True)
class Site:
    """One call site, as stored: see types.Call for the fields. `scope` and `blob` say where its file stands."""

    path: str
    line: int
    name: str
    receiver: str
    target: str
    within: str
    scope: str = ""
    blob: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """A definition with the file it is in. `scope` and `blob` say where that file stands; `module` is true for a whole module."""

    path: str
    definition: Definition
    language: str = ""
    scope: str = ""
    blob: str = ""


@dataclass(frozen=True, slots=True)
class Caller:
    """A caller: `symbol` is the enclosing definition's qualified name, or `<module>`; `confidence` is exact or possible."""

    path: str
    line: int
    symbol: str
    confidence: str
    scope: str = ""
    blob: str = ""


@dataclass(frozen=True, slots=True)
class CallerReport:
    """All callers of one definition, in order of path and line. `unresolved` counts calls of the same name on receivers of
    unknown type, `recursive` its calls of itself, `others` those proved to call something else. `reason` says why an empty
    list may be empty; it is empty where there are exact callers."""

    target: Found
    exact: tuple[Caller, ...] = ()
    possible: tuple[Caller, ...] = ()
    unresolved: int = 0
    recursive: int = 0
    others: int = 0
    reason: str = ""


class Resolver:
    """Judges call sites of one target. Facts of files it would need but was not given are named in `wanted`: give them and ask again."""

    def __init__(
        self, target: Found, homonyms: Iterable[Found], facts: Mapping[str, FileFacts], table: PathTable
    ) -> None:
        self.target = target
        self.homonyms = [each for each in homonyms if (each.path, each.definition.qualified) != self._key]
        self.facts = facts
        self.table = table
        self.wanted: set[str] = set()

    @property
    def _key(self) -> tuple[str, str]:
        return self.target.path, self.target.definition.qualified

    @property
    def _owner(self) -> str:
        """The class of a method, or empty."""
        return self.target.definition.qualified.rpartition(".")[0]

    def judge(self, site: Site) -> Verdict:
        """What the site calls, as far as it can be proved."""
        facts = self.facts.get(site.path)
        if facts is None:
            self.wanted.add(site.path)
            return Verdict.UNRESOLVED
        if site.target:
            return self._named(_plain(site.target), facts, site)
        receiver = _plain(site.receiver)
        if receiver in {"self", "this", "cls"} or receiver.endswith((".self", ".this")):
            return self._on_own_class(site, facts)
        if receiver.startswith("super"):
            return self._on_bases(site, facts)
        if not receiver:
            return self._bare(site, facts)
        root = receiver.partition(".")[0]
        if any(_local(each) == root for each in facts.imports) or _top(facts, root):
            return self._named(f"{receiver}.{site.name}", facts, site)
        return self._unknown_receiver(site)

    # --- names with a known origin ----------------------------------------------------------------------------------

    def _named(self, dotted: str, facts: FileFacts, site: Site) -> Verdict:
        """A dotted name as the file means it: through the import that it starts with, or a definition of the file itself."""
        best: tuple[int, Import, str] | None = None
        for each in facts.imports:
            for spelled in _spellings(each):
                fits = dotted == spelled or dotted.startswith(spelled + ".")
                if fits and (best is None or len(spelled) > best[0]):
                    best = (len(spelled), each, dotted[len(spelled) + 1 :])
        if best is not None:
            return self._through(best[1], best[2], facts, site, 0)
        head = dotted.partition(".")[0]
        if _top(facts, head) or facts.path == self.target.path:
            return self._inside(facts.path, dotted, site, 0)
        if same_package(facts.path, self.target.path, facts.language) and self._fits(dotted):
            return self._package_verdict()
        if facts.language in C_FAMILY or facts.language == "rust":
            return self._loose(dotted, facts)
        return Verdict.OTHER

    def _through(self, via: Import, rest: str, facts: FileFacts, site: Site, depth: int) -> Verdict:
        """What `rest` of an imported thing is."""
        lead = follow(via.module, via.name, facts.path, facts.language, self.table)
        if not lead.paths or depth > FARTHEST:
            return Verdict.OTHER
        whole_module = lead.is_module or via.name in {"", "*"}
        inner = rest if whole_module else ".".join(part for part in (via.name, rest) if part)
        if via.name == "default" or (facts.language in SCRIPTS and not via.name and rest == ""):
            inner = self._default(via, rest)
        if facts.language == "go":
            inner = rest
        elif facts.language in {"java", "kotlin"}:
            inner = _after_file(lead.paths[0], via, rest)
        elif facts.language == "rust" and not whole_module:
            inner = _rust_inner(via, rest, lead)
        verdicts = [self._inside(path, inner, site, depth + 1) for path in lead.paths]
        verdict = _best(verdicts)
        if verdict is Verdict.EXACT and not lead.sure:
            return Verdict.POSSIBLE
        return verdict

    def _default(self, via: Import, rest: str) -> str:
        """A default export has no name of its own; it is taken for the target where it is called so, or stands in its file alone."""
        own = self.target.definition.qualified.partition(".")[0]
        return (
            ".".join(part for part in (own, rest) if part)
            if _local(via) in {own, "default", ""} or rest
            else _local(via)
        )

    def _inside(self, path: str, inner: str, site: Site, depth: int) -> Verdict:
        """Whether the name `inner` of the file `path` is the target: itself, inherited, or handed on by an import there."""
        if path == self.target.path and self._fits(inner):
            return Verdict.EXACT
        if depth > FARTHEST or not inner:
            return Verdict.OTHER
        facts = self.facts.get(path)
        if facts is None:
            self.wanted.add(path)
            return Verdict.UNRESOLVED
        if _defined(facts, inner):
            return self._overridden(path, inner)
        head, _, rest = inner.partition(".")
        owner, _, method = inner.rpartition(".")
        if owner and _defined(facts, owner):
            return self._inherited(facts, owner, method, site, depth + 1)
        for each in facts.imports:
            if _local(each) == head:
                return self._through(each, rest, facts, site, depth + 1)
        stars = [self._through(each, inner, facts, site, depth + 1) for each in facts.imports if each.name == "*"]
        return _best(stars)

    def _fits(self, inner: str) -> bool:
        """Whether a name inside the target's file is the target: its qualified name, or its class where it is the constructor."""
        definition = self.target.definition
        if inner == definition.qualified:
            return True
        return definition.name in CONSTRUCTORS | {self._owner.rpartition(".")[2]} and inner == self._owner

    # --- classes ----------------------------------------------------------------------------------------------------

    def _on_own_class(self, site: Site, facts: FileFacts) -> Verdict:
        owner = _class_of(site.within, facts)
        if not owner:
            return self._unknown_receiver(site)
        if _defined(facts, f"{owner}.{site.name}"):
            if (site.path, f"{owner}.{site.name}") == self._key:
                return Verdict.EXACT
            return self._overridden(site.path, f"{owner}.{site.name}")
        return self._inherited(facts, owner, site.name, site, 0)

    def _on_bases(self, site: Site, facts: FileFacts) -> Verdict:
        owner = _class_of(site.within, facts)
        if not owner:
            return self._unknown_receiver(site)
        return self._inherited(facts, owner, site.name, site, 0)

    def _inherited(self, facts: FileFacts, owner: str, method: str, site: Site, depth: int) -> Verdict:
        """The method as the bases of class `owner` have it, the first base that knows it."""
        bases = _defined(facts, owner)
        if bases is None or depth > FARTHEST:
            return Verdict.OTHER
        unknown = False
        for base in bases.bases:
            plain = _plain(re.sub(r"[<\[(].*", "", base))
            verdict = self._named(f"{plain}.{method}", facts, site) if plain != owner else Verdict.OTHER
            if verdict is not Verdict.OTHER:
                return verdict
            unknown = True
        return Verdict.OTHER if not unknown else self._overridden(facts.path, f"{owner}.{method}")

    def _overridden(self, path: str, qualified: str) -> Verdict:
        """A call of another class's method may still end in the target, if the target's class extends that class."""
        owner, _, method = qualified.rpartition(".")
        if not owner or not self._owner or method != self.target.definition.name or path == "":
            return Verdict.OTHER
        facts = self.facts.get(self.target.path)
        if facts is None:
            self.wanted.add(self.target.path)
            return Verdict.UNRESOLVED
        own = _defined(facts, self._owner)
        simple = owner.rpartition(".")[2]
        if own and any(_plain(base).rpartition(".")[2] == simple for base in own.bases):
            return Verdict.POSSIBLE
        return Verdict.OTHER

    # --- names without a known origin ---------------------------------------------------------------------------------

    def _bare(self, site: Site, facts: FileFacts) -> Verdict:
        """A call without receiver: the nearest definition around it, the file's own, the package's, a star import's."""
        outer = site.within
        while outer:
            if _defined(facts, f"{outer}.{site.name}") and self._visible(outer, facts):
                return Verdict.EXACT if (site.path, f"{outer}.{site.name}") == self._key else Verdict.OTHER
            outer = outer.rpartition(".")[0]
        for each in facts.imports:
            if each.name == site.name or _local(each) == site.name:
                return self._through(each, "", facts, site, 0)
        if _defined(facts, site.name):
            return Verdict.EXACT if site.path == self.target.path and self._fits(site.name) else Verdict.OTHER
        if same_package(site.path, self.target.path, facts.language) and self._fits(site.name):
            return self._package_verdict()
        owner = _class_of(site.within, facts)
        if owner and facts.language not in {"python", "rust", "go"} | SCRIPTS and self._owner:
            return self._inherited(facts, owner, site.name, site, 0)
        stars = [self._through(each, site.name, facts, site, 0) for each in facts.imports if each.name == "*"]
        verdict = _best(stars)
        if verdict is not Verdict.OTHER:
            return verdict
        if facts.language in C_FAMILY:
            return self._loose(site.name, facts)
        return Verdict.OTHER

    def _visible(self, outer: str, facts: FileFacts) -> bool:
        """Whether the members of `outer` can be called bare inside it: those of a function can, those of a class not everywhere."""
        around = _defined(facts, outer)
        return (
            around is None or around.kind not in TYPE_KINDS or facts.language not in {"python", "rust", "go"} | SCRIPTS
        )

    def _loose(self, dotted: str, facts: FileFacts) -> Verdict:
        """C and C++ link by name: an include that leads to the target proves it, being the only one of its name makes it possible."""
        qualified = self.target.definition.qualified
        if dotted != qualified and not qualified.endswith("." + dotted):
            return Verdict.OTHER
        leads = [follow(each.module, each.name, facts.path, facts.language, self.table) for each in facts.imports]
        if any(self.target.path in lead.paths for lead in leads):
            return Verdict.EXACT if not self._same_kin() else Verdict.POSSIBLE
        return Verdict.POSSIBLE if not self._same_kin() else Verdict.UNRESOLVED

    def _same_kin(self) -> list[Found]:
        return [each for each in self.homonyms if each.definition.qualified == self.target.definition.qualified]

    def _package_verdict(self) -> Verdict:
        """Same package, no import needed: proved unless a second file of the package defines the name too."""
        language = self.target.language
        twins = [each for each in self._same_kin() if same_package(each.path, self.target.path, language)]
        return Verdict.POSSIBLE if twins else Verdict.EXACT

    def _unknown_receiver(self, site: Site) -> Verdict:
        """A call on something of unknown type: the target only if it is a method, possible only if no other one has the name."""
        definition = self.target.definition
        if not self._owner and definition.kind not in METHOD_KINDS:
            return Verdict.OTHER
        if site.name in COMMON_METHODS or any(
            each.definition.kind in METHOD_KINDS or "." in each.definition.qualified for each in self.homonyms
        ):
            return Verdict.UNRESOLVED
        return Verdict.POSSIBLE


def report(target: Found, sites: Iterable[Site], resolver: Resolver) -> CallerReport:
    """Judge all sites and gather them, each site once, in order of path and line."""
    exact: list[Caller] = []
    possible: list[Caller] = []
    counts = {Verdict.UNRESOLVED: 0, Verdict.OTHER: 0}
    recursive = 0
    qualified = target.definition.qualified
    for site in sorted(set(sites), key=lambda each: (each.path, each.line, each.within, each.receiver, each.target)):
        verdict = resolver.judge(site)
        if verdict in counts:
            counts[verdict] += 1
        elif site.path == target.path and (site.within == qualified or site.within.startswith(qualified + ".")):
            recursive += verdict is Verdict.EXACT
        else:
            into = exact if verdict is Verdict.EXACT else possible
            caller = Caller(site.path, site.line, site.within or "<module>", verdict.value, site.scope, site.blob)
            if caller not in into:
                into.append(caller)
    exact_lines = {(each.path, each.line) for each in exact}
    possible = [each for each in possible if (each.path, each.line) not in exact_lines]
    return CallerReport(
        target, tuple(exact), tuple(possible), counts[Verdict.UNRESOLVED], recursive, counts[Verdict.OTHER],
        _reason(target, exact, possible, counts, recursive),
    )  # fmt: skip


def _reason(
    target: Found, exact: list[Caller], possible: list[Caller], counts: Mapping[Verdict, int], recursive: int
) -> str:
    """Why there is no proved caller, in one sentence; "" when there is one."""
    name = target.definition.qualified
    unresolved, others = counts[Verdict.UNRESOLVED], counts[Verdict.OTHER]
    if exact:
        return ""
    if possible:
        return f"No call of {name} is proved; the calls listed fit by name, on receivers whose type is not known."
    if unresolved:
        calls = "1 call of this name has" if unresolved == 1 else f"{unresolved} calls of this name have"
        return f"No call of {name} is proved; {calls} a receiver whose type is not known."
    if recursive:
        return f"Only {name} itself calls it."
    if others:
        return f"All calls of this name lead to other definitions than {name}; it may be called by name, by a framework, or from outside."
    return f"Nothing in the indexed files calls {name} by its name; it may be called by a framework, by reflection, or from outside."


def _plain(dotted: str) -> str:
    """Separators to dots, without call brackets, pointers and `new`."""
    text = re.sub(r"\([^()]*\)|^new\s+|[*&?!\s]", "", dotted)
    return re.sub(r"::|->|/|#", ".", text)


def _local(each: Import) -> str:
    """The name by which the file knows an import."""
    if each.alias:
        return each.alias
    if each.name and each.name not in {"*", "default"}:
        return each.name
    return re.split(r"[./]|::", each.module)[-1] if "/" in each.module or "::" in each.module else each.module


def _spellings(each: Import) -> list[str]:
    """How a dotted name that comes from this import may begin: spelled out by its module, or by its local name."""
    module = _plain(each.module)
    spelled = [_plain(_local(each))] if _local(each) else []
    if each.name and each.name != "*":
        spelled.append(f"{module}.{each.name}" if not module.endswith(".") else f"{module}{each.name}")
    elif not each.name:
        spelled.append(module)
    return spelled


def _top(facts: FileFacts, name: str) -> bool:
    return any(each.qualified == name for each in facts.definitions)


def _defined(facts: FileFacts, qualified: str) -> Definition | None:
    return next((each for each in facts.definitions if each.qualified == qualified), None)


def _class_of(within: str, facts: FileFacts) -> str:
    """The innermost class around a definition: the longest prefix of its qualified name that is a type."""
    outer = within
    while outer:
        found = _defined(facts, outer)
        if found is not None and found.kind in TYPE_KINDS:
            return outer
        outer = outer.rpartition(".")[0]
    owner = within.rpartition(".")[0]
    return (
        owner
        if owner and any(each.kind in METHOD_KINDS and each.qualified == within for each in facts.definitions)
        else ""
    )


def _after_file(path: str, via: Import, rest: str) -> str:
    """The name inside a Java file: everything of the import after the part that names the file."""
    stem = path.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    dotted = ".".join(part for part in (via.module, via.name if via.name != "*" else "", rest) if part)
    parts = dotted.split(".")
    return ".".join(parts[parts.index(stem) :]) if stem in parts else rest


def _rust_inner(via: Import, rest: str, lead: Lead) -> str:
    """The name inside a Rust file: segments after the one that names the file (inline modules stay)."""
    stem = lead.paths[0].rsplit("/", 1)[-1].removesuffix(".rs")
    stem = lead.paths[0].split("/")[-2] if stem == "mod" and "/" in lead.paths[0] else stem
    parts = [part for part in re.split(r"::|\.", via.module) if part]
    after = parts[parts.index(stem) + 1 :] if stem in parts else []
    return ".".join(part for part in (*after, via.name if via.name not in {"*", "self"} else "", rest) if part)


def _best(verdicts: Iterable[Verdict]) -> Verdict:
    """The strongest of several readings of one site."""
    order = (Verdict.EXACT, Verdict.POSSIBLE, Verdict.UNRESOLVED)
    found = set(verdicts)
    return next((verdict for verdict in order if verdict in found), Verdict.OTHER)
