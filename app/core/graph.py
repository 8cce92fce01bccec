"""Decides which call sites call a definition: proved, possible, or another one of the same name. Searches and reads nothing.

A name alone never proves a call. Proof is an import that leads to the definition's file, the same file or package, or the
class that a receiver is known to be of; everything else is possible at best, and counted where even that cannot be said.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache

from app.core.declared import plain_type
from app.core.headers import returned
from app.core.languages import LANGUAGES
from app.core.modules import C_FAMILY, Lead, follow, neighbours, same_package
from app.core.paths import PathTable
from app.core.types import Definition, Import

FARTHEST = 40
"""Calls deep that one site is followed through re-exports and base classes, about three a file. Cycles are cut earlier."""
METHOD_KINDS = frozenset({"method", "constructor", "property"})
TYPE_KINDS = frozenset({"class", "interface", "type", "enum", "struct", "trait", "impl", "record"})
_OWN_TYPE = frozenset({"Self", "typing.Self", "this"})
"""Return types that mean the class around."""
IMPLICIT_SELF = frozenset(each.name for each in LANGUAGES if each.implicit_self)
"""Languages in which a bare call may be a method of the class around it."""
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


@dataclass(frozen=True)
class FileFacts:
    """What the index knows of one file: its language, imports and definitions, and how they are looked up."""

    path: str
    language: str
    imports: tuple[Import, ...]
    definitions: tuple[Definition, ...]

    @cached_property
    def by_name(self) -> dict[str, Definition]:
        """Qualified name → definition, the first of each."""
        return {each.qualified: each for each in reversed(self.definitions)}

    @cached_property
    def by_alias(self) -> dict[str, Import]:
        """Local name → import, the first of each."""
        return {each.alias: each for each in reversed(self.imports) if each.alias}

    @cached_property
    def by_spelling(self) -> dict[str, Import]:
        """How a dotted name may begin → the import it then comes from."""
        return {spelled: each for each in reversed(self.imports) for spelled in _spellings(each) if spelled}

    @cached_property
    def exported_by_default(self) -> str:
        """The definition that JavaScript's `export default` stands in front of, or "" where it stands alone or nowhere."""
        return next((each.qualified for each in self.definitions if each.signature.startswith("export default ")), "")

    @cached_property
    def stars(self) -> tuple[Import, ...]:
        """Imports of all names of a module."""
        return tuple(each for each in self.imports if each.name == "*")


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
        self._judged: dict[tuple[str, str, str], Verdict] = {}
        self._looked_up: dict[tuple[str, str, str], Verdict] = {}

    @property
    def _key(self) -> tuple[str, str]:
        return self.target.path, self.target.definition.qualified

    @property
    def _owner(self) -> str:
        """The class of a method, or empty."""
        return self.target.definition.qualified.rpartition(".")[0]

    def judge(self, site: Site) -> Verdict:
        """What the site calls, as far as it can be proved. The forms of `Site.target` are those of symbols.read_symbols."""
        facts = self.facts.get(site.path)
        if facts is None:
            self.wanted.add(site.path)
            return Verdict.UNRESOLVED
        if site.target:
            key = (site.path, site.target, site.name)
            if key not in self._judged:
                function, _, member = site.target.rpartition("().")
                self._judged[key] = (
                    self._on_returned(function, member, facts, site)
                    if function
                    else self._named(_plain(site.target), facts, site, 0)
                )
            return self._judged[key]
        if not site.receiver:
            return self._bare(site, facts)
        owner = _class_of(site.within, facts)
        if site.receiver.startswith("super") and owner:
            return self._inherited(facts, owner, site.name, site, 0)
        return self._unknown_receiver(site)

    # --- names with a known origin ----------------------------------------------------------------------------------

    def _named(self, dotted: str, facts: FileFacts, site: Site, depth: int) -> Verdict:
        """A dotted name as the file means it: a definition of its own, an import, its package's, a star import's."""
        if depth > FARTHEST:
            return Verdict.OTHER
        parts = dotted.split(".")
        prefixes = [".".join(parts[:length]) for length in range(len(parts), 0, -1)]
        if any(prefix in facts.by_name for prefix in prefixes):
            return self._inside(facts.path, dotted, site, depth + 1)
        for prefix in prefixes:
            if (via := facts.by_spelling.get(prefix)) is not None:
                return self._through(via, dotted[len(prefix) + 1 :], facts, site, depth + 1)
        if (
            facts.language == "rust"
            and (lead := follow("::".join(parts[:-1]), parts[-1], facts.path, "rust", self.table)).paths
        ):
            return self._lead(lead, lead.inner, site, depth)
        verdict = self._in_package(dotted, facts, site, depth)
        if verdict is Verdict.OTHER:
            verdict = self._starred(dotted, facts, site, depth)
        if verdict is Verdict.OTHER and facts.language in C_FAMILY:
            return self._linked(dotted, facts, site, depth)
        return verdict

    def _through(self, via: Import, rest: str, facts: FileFacts, site: Site, depth: int) -> Verdict:
        """What `rest` of an imported thing is."""
        if depth > FARTHEST:
            return Verdict.OTHER
        if facts.language == "rust":
            parts = [*re.split(r"::", via.module), *([via.name] if via.name not in {"", "*"} else []), *rest.split(".")]
            parts = [part for part in parts if part]
            lead = follow("::".join(parts[:-1]), parts[-1], facts.path, "rust", self.table)
            return self._lead(lead, lead.inner, site, depth)
        lead = follow(via.module, via.name, facts.path, facts.language, self.table)
        if facts.language in {"java", "kotlin"} and lead.paths:
            return self._lead(lead, _after_file(lead.paths[0], via, rest), site, depth)
        whole = lead.is_module or via.name in {"", "*"}
        return self._lead(lead, rest if whole else ".".join(part for part in (via.name, rest) if part), site, depth)

    def _lead(self, lead: Lead, inner: str, site: Site, depth: int) -> Verdict:
        verdict = _best(self._inside(path, inner, site, depth + 1) for path in lead.paths)
        return Verdict.POSSIBLE if verdict is Verdict.EXACT and not lead.sure else verdict

    def _in_package(self, dotted: str, facts: FileFacts, site: Site, depth: int) -> Verdict:
        """A name of another file of the same package, where the language needs no import for it."""
        if same_package(facts.path, self.target.path, facts.language) and self._fits(dotted):
            return self._package_verdict()
        files = neighbours(facts.path, dotted.partition(".")[0], facts.language, self.table)
        return (
            _best(self._inside(path, dotted, site, depth + 1) for path in files if path != facts.path)
            if "." in dotted
            else Verdict.OTHER
        )

    def _starred(self, dotted: str, facts: FileFacts, site: Site, depth: int) -> Verdict:
        """A name that one of the file's star imports brings in."""
        return _best(self._through(each, dotted, facts, site, depth + 1) for each in facts.stars)

    def _inside(self, path: str, inner: str, site: Site, depth: int) -> Verdict:
        """Whether the name `inner` of the file `path` is the target: itself, inherited, or handed on by an import there."""
        if path == self.target.path and self._fits(inner):
            return Verdict.EXACT
        if depth > FARTHEST or not inner:
            return Verdict.OTHER
        key = (path, inner, site.name)
        if key not in self._looked_up:
            self._looked_up[key] = Verdict.OTHER  # what leads back here leads nowhere
            self._looked_up[key] = self._look_up(path, inner, site, depth)
        return self._looked_up[key]

    def _look_up(self, path: str, inner: str, site: Site, depth: int) -> Verdict:
        facts = self.facts.get(path)
        if facts is None:
            self.wanted.add(path)
            return Verdict.UNRESOLVED
        head, _, rest = inner.partition(".")
        if head == "default" and not _defined(facts, "default"):
            if own := facts.exported_by_default:
                return self._inside(path, f"{own}.{rest}" if rest else own, site, depth + 1)
            if path == self.target.path:
                return self._default(rest, site, facts)
        if _defined(facts, inner):
            return self._overridden(path, inner)
        owner, _, method = inner.rpartition(".")
        if owner and _defined(facts, owner):
            return self._inherited(facts, owner, method, site, depth + 1)
        if head in facts.by_alias:
            return self._through(facts.by_alias[head], rest, facts, site, depth + 1)
        if rest and facts.language == "python" and (lead := follow("." + head, "", path, "python", self.table)).paths:
            return self._lead(lead, rest, site, depth + 1)  # a submodule of a package, imported elsewhere
        return self._starred(inner, facts, site, depth)

    def _default(self, rest: str, site: Site, facts: FileFacts) -> Verdict:
        """A default export that names something defined before it: proved where it is called like the target, or nothing else is there."""
        own = self.target.definition.qualified
        top = [each.qualified for each in facts.definitions if "." not in each.qualified and each.kind != "constant"]
        if own != ".".join(part for part in (own.partition(".")[0], rest) if part) and not self._fits(
            own.partition(".")[0]
        ):
            return Verdict.OTHER
        return Verdict.EXACT if site.name == own or len(top) == 1 else Verdict.POSSIBLE

    def _fits(self, inner: str) -> bool:
        """Whether a name inside the target's file is the target: its qualified name, or its class where it is the constructor."""
        definition = self.target.definition
        if inner == definition.qualified:
            return True
        return definition.name in CONSTRUCTORS | {self._owner.rpartition(".")[2]} and inner == self._owner

    # --- what functions return --------------------------------------------------------------------------------------

    def _on_returned(self, function: str, member: str, facts: FileFacts, site: Site) -> Verdict:
        """A member of what a function returns, by the type that its signature declares; unknown where it declares none."""
        finder = Finder(self.facts, self.table)
        finder.find(function, facts, site)
        self.wanted |= finder.wanted
        verdicts = [self._member_of(path, each, member, site) for path, each in finder.found]
        return _best(verdicts) if verdicts else self._unknown_receiver(site)

    def _member_of(self, path: str, called: Definition, member: str, site: Site) -> Verdict:
        facts = self.facts[path]
        if called.kind in TYPE_KINDS:
            return self._inside(path, f"{called.qualified}.{member}", site, 0)
        returns = plain_type(returned(called.signature, facts.language))
        if not returns:
            return self._unknown_receiver(site)
        owner = called.qualified.rpartition(".")[0]
        return self._named(f"{owner if returns in _OWN_TYPE and owner else returns}.{member}", facts, site, 0)

    # --- classes ----------------------------------------------------------------------------------------------------

    def _inherited(self, facts: FileFacts, owner: str, method: str, site: Site, depth: int) -> Verdict:
        """The method as the bases of class `owner` have it. What a later base gives, an earlier one may hide: possible only."""
        definition = _defined(facts, owner)
        if definition is None or depth > FARTHEST:
            return Verdict.OTHER
        for index, base in enumerate(definition.bases):
            plain = _base_name(base)
            verdict = (
                self._named(f"{plain}.{method}", facts, site, depth + 1) if plain and plain != owner else Verdict.OTHER
            )
            if verdict is not Verdict.OTHER:
                return Verdict.POSSIBLE if index and verdict is Verdict.EXACT else verdict
        return self._overridden(facts.path, f"{owner}.{method}")

    def _overridden(self, path: str, qualified: str) -> Verdict:
        """A call of another class's method may still end in the target, if the target's class extends that class."""
        owner, _, method = qualified.rpartition(".")
        if not owner or not self._owner or method != self.target.definition.name:
            return Verdict.OTHER
        facts = self.facts.get(self.target.path)
        base = _defined(self.facts[path], owner) if path in self.facts else None
        if facts is None or base is None:
            self.wanted.add(self.target.path)
            return Verdict.UNRESOLVED if facts is None else Verdict.OTHER
        own = _defined(facts, self._owner)
        inherits = Resolver(Found(path, base, self.facts[path].language), (), self.facts, self.table)
        site = Site(facts.path, 0, base.name, "", "", self._owner)
        verdicts = [inherits._named(_base_name(each), facts, site, 0) for each in (own.bases if own else ())]
        self.wanted |= inherits.wanted
        return Verdict.POSSIBLE if {Verdict.EXACT, Verdict.POSSIBLE} & set(verdicts) else Verdict.OTHER

    # --- names without a known origin ---------------------------------------------------------------------------------

    def _bare(self, site: Site, facts: FileFacts) -> Verdict:
        """A bare call that the file itself does not explain: what the file binds by that name is then hidden by a local."""
        if site.name in facts.by_name or site.name in facts.by_alias:
            return Verdict.OTHER
        verdict = self._in_package(site.name, facts, site, 0)
        owner = _class_of(site.within, facts)
        if verdict is Verdict.OTHER and owner and facts.language in IMPLICIT_SELF:
            verdict = self._inherited(facts, owner, site.name, site, 0)
        if verdict is Verdict.OTHER:
            verdict = self._starred(site.name, facts, site, 0)
        if verdict is Verdict.OTHER and facts.language in C_FAMILY:
            return self._linked(site.name, facts, site, 0)
        return verdict

    def _linked(self, dotted: str, facts: FileFacts, site: Site, depth: int) -> Verdict:
        """C and C++ link by name: an include that leads to the target proves it; the only one of its name is possible."""
        leads = [
            follow(each.module, "", facts.path, facts.language, self.table) for each in facts.imports if not each.name
        ]
        verdict = _best(self._lead(lead, dotted, site, depth + 2) for lead in leads)
        if verdict is not Verdict.OTHER:
            return verdict
        qualified = self.target.definition.qualified
        if self.target.language not in C_FAMILY or (dotted != qualified and not qualified.endswith("." + dotted)):
            return Verdict.OTHER
        return Verdict.UNRESOLVED if self._twins() else Verdict.POSSIBLE

    def _twins(self) -> list[Found]:
        """Other definitions of the same qualified name. A header and its source define one thing, not two."""
        stem = self.target.path.rsplit(".", 1)[0].rsplit("/", 1)[-1]
        return [
            each
            for each in self.homonyms
            if each.definition.qualified == self.target.definition.qualified
            and not (each.language in C_FAMILY and each.path.rsplit(".", 1)[0].rsplit("/", 1)[-1] == stem)
        ]

    def _package_verdict(self) -> Verdict:
        """Same package, no import needed: proved unless a second file of the package defines the name too."""
        twins = [each for each in self._twins() if same_package(each.path, self.target.path, self.target.language)]
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


class Finder(Resolver):
    """Follows a name to the definitions it means, by the same ways that calls are judged; `found` holds (path, definition)."""

    def __init__(self, facts: Mapping[str, FileFacts], table: PathTable) -> None:
        super().__init__(Found("", Definition("", "", "", 0, 0, "")), (), facts, table)
        self.found: list[tuple[str, Definition]] = []

    def find(self, dotted: str, facts: FileFacts, site: Site) -> None:
        """Adds to `found` what `dotted` means in a file, and to `wanted` the files that would have to be known."""
        self._named(_plain(dotted), facts, site, 0)

    def _inside(self, path: str, inner: str, site: Site, depth: int) -> Verdict:
        facts = self.facts.get(path)
        definition = _defined(facts, inner) if facts is not None else None
        if definition is None:
            return super()._inside(path, inner, site, depth)
        self.found.append((path, definition))
        return Verdict.EXACT


def report(target: Found, sites: Iterable[Site], resolver: Resolver) -> CallerReport:
    """Judge all sites and gather them, each site once, in order of path and line."""
    exact: dict[Caller, None] = {}
    possible: dict[Caller, None] = {}
    counts = {Verdict.UNRESOLVED: 0, Verdict.OTHER: 0}
    recursive = 0
    qualified = target.definition.qualified
    is_function = target.definition.kind not in TYPE_KINDS  # a class may be constructed by its own methods
    for site in sorted(set(sites), key=lambda each: (each.path, each.line, each.within, each.receiver, each.target)):
        verdict = resolver.judge(site)
        if verdict in counts:
            counts[verdict] += 1
        elif is_function and site.path == target.path and f"{site.within}.".startswith(f"{qualified}."):
            recursive += verdict is Verdict.EXACT
        else:
            into = exact if verdict is Verdict.EXACT else possible
            caller = Caller(site.path, site.line, site.within or "<module>", verdict.value, site.scope, site.blob)
            into[caller] = None
    exact_lines = {(each.path, each.line) for each in exact}
    possible = {each: None for each in possible if (each.path, each.line) not in exact_lines}
    return CallerReport(
        target, tuple(exact), tuple(possible), counts[Verdict.UNRESOLVED], recursive, counts[Verdict.OTHER],
        _reason(target, exact, possible, counts, recursive),
    )  # fmt: skip


def _reason(
    target: Found,
    exact: Collection[Caller],
    possible: Collection[Caller],
    counts: Mapping[Verdict, int],
    recursive: int,
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
        calls = "1 call of this name stands" if others == 1 else f"{others} calls of this name stand"
        return (
            f"{calls} in the indexed files, and none is tied to {name} by an import, a class or a package; "
            "it may be called by a framework, by reflection, or from outside."
        )
    return f"Nothing in the indexed files calls {name} by its name; it may be called by a framework, by reflection, or from outside."


@lru_cache(maxsize=1 << 14)
def _plain(dotted: str) -> str:
    """Separators to dots, without call brackets, pointers and `new`."""
    text = re.sub(r"\([^()]*\)|^new\s+|[*&?!\s]", "", dotted)
    return re.sub(r"::|->|/|#", ".", text)


def _base_name(base: str) -> str:
    """The dotted name of a base class, without type arguments."""
    return _plain(re.sub(r"[<\[(].*", "", base, flags=re.DOTALL))


def _spellings(each: Import) -> list[str]:
    """How a dotted name that comes from this import may begin: spelled out by its module, or by its local name (bases)."""
    module = _plain(each.module)
    spelled = [each.alias] if each.alias else []
    if each.name and each.name != "*":
        spelled.append(module + each.name if not module.strip(".") else f"{module}.{each.name}")
    elif not each.name:
        spelled.append(module)
    return spelled


def _defined(facts: FileFacts, qualified: str) -> Definition | None:
    return facts.by_name.get(qualified)


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


def _best(verdicts: Iterable[Verdict]) -> Verdict:
    """The strongest of several readings of one site."""
    order = (Verdict.EXACT, Verdict.POSSIBLE, Verdict.UNRESOLVED)
    found = set(verdicts)  # all of them: each may name files that are wanted
    return next((verdict for verdict in order if verdict in found), Verdict.OTHER)
