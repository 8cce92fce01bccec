"""The values that cross file boundaries: frozen, with the few fields that are used. Owns no behaviour.

Line numbers are git's: they count `\\n` only, start at 1, and both ends are included.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BRANCH = "branch"
"""The scope that holds the indexed (default) branch of a repository."""


def pull_scope(number: int) -> str:
    """The overlay scope of a pull request: only the files that differ from the indexed branch."""
    return f"pull/{number}"


# --- source files -----------------------------------------------------------------------------------------------


class Skip(StrEnum):
    """Why a file of the tree has no chunks. The value is what the ledger prints."""

    BINARY = "binary"
    NUL = "NUL byte"
    TOO_LARGE = "over 1 MB"
    MINIFIED = "minified"
    LFS = "LFS pointer"
    SYMLINK = "symlink"
    SUBMODULE = "submodule"
    UNDECODABLE = "undecodable"
    GENERATED = "generated"
    FILTERED = "path filter"
    EMPTY = "empty"
    MISSING = "blob missing"


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One file of a commit's tree, as `git ls-tree -r -l -z` tells it. `size` is in bytes; -1 where git does not know it."""

    path: str
    mode: str
    blob: str
    size: int = -1


@dataclass(frozen=True, slots=True)
class Import:
    """One imported name: `from module import name as alias` (`name` is empty for `import module`)."""

    module: str
    name: str
    alias: str
    line: int


@dataclass(frozen=True, slots=True)
class Call:
    """One call site.

    `name` is the last identifier of the callee with import aliases undone (`store()` after `from m import save as store`
    gives `save`). `receiver` is the source text before it (`self`, `a.b`, or empty). `target` is the dotted name that the
    file's own imports, classes or local assignments prove (`m.save`, `A.save`), or empty where nothing is proved.
    `within` is the qualified name of the enclosing definition, or empty at module level.
    """

    name: str
    receiver: str
    line: int
    target: str
    within: str


@dataclass(frozen=True, slots=True)
class Definition:
    """One named definition of a file. `qualified` is dotted from the file's top level (`Class.method`)."""

    name: str
    qualified: str
    kind: str
    first: int
    last: int
    signature: str
    docstring: str = ""
    bases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A run of whole lines of one file that is indexed and cited as one.

    `text` equals the file's lines first..last. `kind` is function, method, class, interface, type, enum, impl, constant,
    module (loose top-level code), section (Markdown) or window (plain line window). `part` is 0 for a whole definition,
    1.. for the parts of a split one. `qualified`, `parent`, `signature` and `docstring` are empty where they do not apply.
    `defines` holds the qualified names of all definitions that start inside; `calls` the call sites inside.
    """

    path: str
    language: str
    kind: str
    name: str
    qualified: str
    parent: str
    signature: str
    docstring: str
    first: int
    last: int
    text: str
    part: int = 0
    defines: tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceFile:
    """What parsing one file gave. `skip` is set (and all else empty) where the file is not indexed.

    `parsed` is true when a grammar gave a tree without errors; `note` says why a file fell back to line windows
    ("timeout", "parser died", "syntax errors").
    """

    path: str
    language: str
    chunks: tuple[Chunk, ...] = ()
    definitions: tuple[Definition, ...] = ()
    imports: tuple[Import, ...] = ()
    parsed: bool = False
    skip: Skip | None = None
    note: str = ""


# --- vectors and the index ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sparse:
    """A sparse vector: unique 32-bit token ids, ascending, with their weights (IDF is applied by the store)."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Point:
    """One record of the index. `payload` holds JSON values only; a point without vectors is never a search candidate."""

    id: str
    payload: Mapping[str, object]
    dense: NDArray[np.float32] | None = None
    sparse: Sparse | None = None


@dataclass(frozen=True, slots=True)
class Where:
    """A filter within one repository: every named field must hold one of its values; `hidden` paths of scope `branch` are left out.

    Fields that may be named: type, scope, path, blob, digest, language, kind, names, call_names.
    """

    match: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    hidden: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hit:
    """A search candidate: its point's id and payload, and the store's score in its own list."""

    id: str
    payload: Mapping[str, object]
    score: float


@dataclass(frozen=True, slots=True)
class View:
    """What a reader sees: the indexed branch, or the branch minus `hidden` paths plus a pull request's overlay.

    `heads` maps each scope to the commit its points were built from; citations link to that commit.
    """

    repo: int
    scopes: tuple[str, ...]
    heads: Mapping[str, str]
    hidden: tuple[str, ...] = ()


@dataclass
class Ledger:
    """What one index run did. Counts are files unless named otherwise; `skipped` maps a reason to its paths.

    `moved` files are among the added and, under their old paths, the removed ones."""

    repo: int
    scope: str
    head: str
    listed: int = 0
    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    moved: int = 0
    skipped: dict[str, list[str]] = field(default_factory=dict)
    notes: dict[str, list[str]] = field(default_factory=dict)
    chunks: dict[str, int] = field(default_factory=dict)
    vectors_computed: int = 0
    vectors_reused: int = 0
    source_bytes: int = 0
    seconds: float = 0.0


# --- answers ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Citation:
    """Lines first..last of `path` at commit `sha` (40 hex). `text` is what the index says stands there."""

    path: str
    first: int
    last: int
    sha: str
    blob: str
    text: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """One piece of an answer: a citation, the symbol it shows, its role (definition, caller, test, doc, related) and score.

    The citation spans the whole chunk or call; `focus` is the (first, last) lines inside it that are worth showing.
    """

    citation: Citation
    symbol: str
    role: str
    language: str
    score: float
    reasons: tuple[str, ...] = ()
    focus: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the repository says to a question: verified evidence, best first.

    `kind` is the question's: definition, callers, tests, docs, settings, signature, overview, snippet or related.
    `near` holds the closest things that do exist, never shown as an answer. `thin` means that the evidence does not carry
    one; `reason` then says why, in a sentence. `missing` are names of the question that nothing in the repository defines,
    `lost` paths that no file of it has. `cited` counts the citations that were tried, `verified` those that stand at their
    commit and are shown. `head` is the newest commit that was read (40 hex, empty without an index). `words_only`: the
    embeddings did not answer, so nothing was searched for by meaning.
    """

    kind: str
    evidence: tuple[Evidence, ...] = ()
    near: tuple[Evidence, ...] = ()
    thin: bool = False
    cited: int = 0
    verified: int = 0
    reason: str = ""
    missing: tuple[str, ...] = ()
    head: str = ""
    words_only: bool = False
    lost: tuple[str, ...] = ()


# --- GitHub -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class App:
    """The GitHub App we are, as `GET /app` tells it; its comments are written by `<slug>[bot]`."""

    id: int
    slug: str


@dataclass(frozen=True, slots=True)
class Installation:
    """One account that installed the App. `permissions` maps a name to read, write or admin, as granted."""

    id: int
    account: str
    suspended: bool
    permissions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository as the API tells it. `id` is its key everywhere; `full_name` is for display and URLs only."""

    id: int
    full_name: str
    default_branch: str
    clone_url: str
    html_url: str
    private: bool
    archived: bool = False


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment of any kind. `kind` is issue, review_comment, review or body (the text of the issue or pull request itself).

    `author` is "ghost" for a deleted user. `app_id` is the App that wrote it, where one did. `in_reply_to` is the
    top-level review comment of a thread.
    """

    id: int
    kind: str
    author: str
    author_type: str
    body: str
    created_at: str
    app_id: int | None = None
    in_reply_to: int | None = None
    path: str = ""
    line: int | None = None
    diff_hunk: str = ""


@dataclass(frozen=True, slots=True)
class Issue:
    """An issue, or the issue side of a pull request (`is_pull`)."""

    number: int
    title: str
    body: str
    author: str
    author_type: str
    state: str
    is_pull: bool
    locked: bool = False
    created_at: str = ""


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request's state now. `head_repo` is None once the fork is deleted; its head stays at refs/pull/N/head."""

    number: int
    title: str
    body: str
    author: str
    author_type: str
    state: str
    draft: bool
    base_ref: str
    base_sha: str
    head_sha: str
    head_repo: int | None
    labels: tuple[str, ...] = ()
    created_at: str = ""
