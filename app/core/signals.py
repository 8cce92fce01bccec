"""The named signals of a ranking: what each of the searches says about each file. Searches nothing, weighs nothing.

A signal maps a file to a score, higher is better; a file without evidence is not in it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from app.core.demotion import demotion
from app.core.named import unmarked
from app.core.past import NO_PAST, Past
from app.core.paths import PathTable, dotted_parts
from app.core.query import Question
from app.core.types import Hit

BEST_CHUNKS = (1.0, 0.5, 0.25)
"""A file is as good as its best three chunks: several good ones say more than one, with diminishing return."""
NEIGHBOUR_RANK = 3.0
"""How fast the best files' and chunks' say in their neighbours falls: 1 / (NEIGHBOUR_RANK + place)."""
CALLING = 10
"""Best chunks whose calls are followed."""
MOST_DEFINING = 5
"""Files that may define a called name; one that more of them define leads nowhere."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """What the searches found, each list best first. Payloads are chunk records (path, first, last, names, part …).

    `named` are chunks that define a name of the question, in any order; `placed` chunks at named paths and frames, the
    plainest first; `remembered` chunks of files that only past commits name. `quoting` tells which files hold what the
    question quotes, `past` what the last commits changed, `told` what those changed whose messages speak of the same,
    `imports` what the best files by words import, best first.
    `words_only`: there was no vector to search with, so `meaning` is empty.
    """

    words: Sequence[Hit] = ()
    meaning: Sequence[Hit] = ()
    named: Sequence[Hit] = ()
    placed: Sequence[Hit] = ()
    quoting: Mapping[str, float] = field(default_factory=dict)
    past: Past = NO_PAST
    told: Mapping[str, float] = field(default_factory=dict)
    remembered: Sequence[Hit] = ()
    imports: Mapping[str, Collection[str]] = field(default_factory=dict)
    words_only: bool = False

    @property
    def chunks(self) -> dict[str, Hit]:
        """All chunks by id."""
        every = (*self.remembered, *self.named, *self.placed, *self.words, *self.meaning)
        return {hit.id: hit for hit in every}


def signals_of(
    question: Question, found: Candidates, table: PathTable, symbol_scores: Mapping[str, float]
) -> dict[str, dict[str, float]]:
    """Signal → file → score, over the candidates' files; the keys are fields of `core.rank.Weights`."""
    chunks = found.chunks.values()
    paths = sorted({str(hit.payload["path"]) for hit in chunks})
    path_words = {path: table.word_score(path, question.weights) for path in paths}
    symbols: dict[str, float] = {}
    asked: dict[str, float] = {}
    shares = {hit.id: asked_for(hit.payload, question.asked) if question.asked else 0.0 for hit in found.named}
    best = max(shares.values(), default=0.0)  # where a class is, its constructor in another file says nothing
    for hit in found.named:
        path = str(hit.payload["path"])
        score = symbol_scores.get(hit.id, 0.0)
        symbols[path] = symbols.get(path, 0.0) + score
        if best and shares[hit.id] == best:
            asked[path] = max(asked.get(path, 0.0), (1.0 + score) * demotion(question.wants, path))
    return {
        "words": best_three(found.words),
        "chunk": _best_one(found.words),
        "meaning": best_three(found.meaning),
        "path_words": {path: score for path, score in path_words.items() if score > 0},
        "named_path": _best_one(
            [Hit(hit.id, hit.payload, 1.0 / (1 + index)) for index, hit in enumerate(found.placed)]
        ),
        "symbols": {path: score for path, score in symbols.items() if score > 0},
        "quoting": {path: score for path, score in found.quoting.items() if path in path_words},
        "recent": {path: found.past.recent[path] for path in paths if path in found.past.recent},
        "told": {path: found.told[path] for path in paths if path in found.told},
        "imported": _imported(found.imports, frozenset(paths)),
        "called": _called(found.words[:CALLING], chunks),
        "asked": asked,
    }


def defines(payload: Mapping[str, object], name: str) -> bool:
    """Whether a chunk defines `name`: simple, or dotted as far as it is written, by its classes (`A.save` is not B's save),
    its file and its folders (`shop.cart.A.save`)."""
    listed = payload.get("names")
    names = [str(each) for each in listed] if isinstance(listed, list | tuple) else []
    if "." not in name:
        return name in names
    wanted = name.split(".")
    whole = [each for each in names if each.rpartition(".")[2] == wanted[-1]]
    # The list holds each qualified name and its last part: that part is a name of its own only where it is alone.
    whole = [each for each in whole if "." in each] or whole
    return any(dotted_parts(str(payload["path"]), each)[-len(wanted) :] == wanted for each in whole)


ADDS = 0.5
"""What a chunk counts that adds to the definition of a name (`impl`, `extension`, a constructor), or defines `save!` where
`save` is asked for, beside one that is it."""
BY_FILE = 0.75
"""Same, for one that `util.parse` fits by its file's name only, where another defines parse inside of a util."""


def asked_for(payload: Mapping[str, object], name: str) -> float:
    """1 for a chunk that defines `name`, less (ADDS, BY_FILE) for one behind which a better may stand, 0 for any other."""
    if not defines(payload, name):
        return 0.0
    owner, _, simple = f".{name}".rpartition(".")
    listed = payload.get("names")
    names = [str(each) for each in listed] if isinstance(listed, list | tuple) else []
    whole, kind = str(payload.get("name")), payload.get("kind")
    adds = kind == "impl" and whole.rpartition(".")[2] in {"", simple}
    owned = [each for each in names if "." in each and each.endswith(f".{simple}")]
    constructs = kind in {"function", "method", "module"} and all(each.endswith(f"{simple}.{simple}") for each in owned)
    marked = any(unmarked(each) == simple for each in names if each != simple)
    if adds or marked or (owned and constructs and not owner.endswith(simple)):
        return ADDS
    return 1.0 if any(f".{each}".endswith(f".{name}") for each in names) else BY_FILE


def _imported(imports: Mapping[str, Collection[str]], paths: Collection[str]) -> dict[str, float]:
    """Files that the best ones import: more for the better file and the fewer imports."""
    scores: dict[str, float] = {}
    for place, targets in enumerate(imports.values()):
        for path in targets:
            if path in paths:
                scores[path] = scores.get(path, 0.0) + 1 / (NEIGHBOUR_RANK + place) / max(2, len(targets)) ** 0.5
    return scores


def _called(callers: Iterable[Hit], chunks: Iterable[Hit]) -> dict[str, float]:
    """Files of the candidates that define what the best chunks call: the cause is often one call from where it shows."""
    homes: dict[str, set[str]] = {}
    for hit in chunks:
        for name in _listed(hit, "names"):
            homes.setdefault(name, set()).add(str(hit.payload["path"]))
    scores: dict[str, float] = {}
    for place, hit in enumerate(callers):
        own = str(hit.payload["path"])
        for name in _listed(hit, "call_names"):
            others = homes.get(name, set()) - {own}
            for path in others if len(others) <= MOST_DEFINING else ():
                scores[path] = scores.get(path, 0.0) + 1 / (NEIGHBOUR_RANK + place) / len(others)
    return scores


def symbol_scores_of(question: Question, found: Candidates) -> dict[str, float]:
    """Chunk id → sum of strength × rarity over the names it defines; a name that a hundred places define says little."""
    strengths: dict[str, float] = {}
    for symbol in question.symbols:
        strengths[symbol.simple] = max(strengths.get(symbol.simple, 0.0), symbol.strength)
    for frame in question.frames:
        if frame.function:
            simple = frame.function.rsplit(".", 1)[-1]
            strengths[simple] = max(strengths.get(simple, 0.0), 0.5)
    spread: dict[str, int] = {}
    for hit in found.named:
        for name in _listed(hit, "names") & strengths.keys():
            spread[name] = spread.get(name, 0) + 1
    scores: dict[str, float] = {}
    for hit in found.named:
        total = 0.0
        for name in sorted(_listed(hit, "names") & strengths.keys()):
            total += strengths[name] / spread[name]
        scores[hit.id] = total
    return scores


def _listed(hit: Hit, key: str) -> set[str]:
    names = hit.payload.get(key)
    return {str(name) for name in names} if isinstance(names, list | tuple) else set()


def best_three(hits: Sequence[Hit]) -> dict[str, float]:
    """File → weighted sum of its best three chunk scores (`hits` are best first)."""
    taken: dict[str, int] = {}
    scores: dict[str, float] = {}
    for hit in hits:
        path = str(hit.payload["path"])
        place = taken.get(path, 0)
        if place < len(BEST_CHUNKS):
            taken[path] = place + 1
            scores[path] = scores.get(path, 0.0) + BEST_CHUNKS[place] * hit.score
    return scores


def _best_one(hits: Sequence[Hit]) -> dict[str, float]:
    scores: dict[str, float] = {}
    for hit in hits:
        scores.setdefault(str(hit.payload["path"]), hit.score)
    return scores
