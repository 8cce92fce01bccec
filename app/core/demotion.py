"""How far files of each kind stand back in a ranking: tests, documents, copies, settings. Demoted, never dropped. Ranks nothing."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from app.core.languages import language_of
from app.core.roles import Role, is_gathering, is_settings, role_of

DEMOTION: Mapping[Role, float] = {
    Role.TEST: 0.35,
    Role.EXAMPLE: 0.4,
    Role.DOC: 0.3,
    Role.VENDORED: 0.3,
    Role.GENERATED: 0.3,
    Role.CONFIG: 0.5,
}
"""What a file's score is multiplied by, unless the question asks for its kind or names the file. Demoted, never dropped."""
STANDING_BACK = 0.35
"""Same, for files of another kind than the question asks for (tests, docs, settings)."""
NO_LANGUAGE = 0.5
"""Same, for files of an unknown kind (`baseline.neon`, `release.asc`)."""
GATHERING = 0.8
"""Same, for files that only gather others (`__init__.py`): they name everything."""


def demotion(wants: Collection[str], path: str) -> float:
    """What a file's score is multiplied by, where a question wants files of these kinds (tests, docs, settings) or of none."""
    role = role_of(path)
    if any(_is_wanted(kind, role, path) for kind in wants):
        return 1.0
    factor = DEMOTION.get(role, NO_LANGUAGE if _is_of_unknown_kind(path) else 1.0)
    factor *= GATHERING if is_gathering(path) else 1.0
    return factor * STANDING_BACK if wants else factor


def _is_of_unknown_kind(path: str) -> bool:
    """Whether the name's ending is that of no language; a name without one may be a script."""
    return "." in path.rpartition("/")[2] and not language_of(path)


def _is_wanted(kind: str, role: Role, path: str) -> bool:
    if kind == "settings":
        return role in {Role.CONFIG, Role.SOURCE} and (role is Role.CONFIG or is_settings(path))
    return role is (Role.TEST if kind == "tests" else Role.DOC)
