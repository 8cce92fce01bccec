"""Reads what the last commits changed, once a head. Fetches nothing; decides nothing."""

from __future__ import annotations

from collections import OrderedDict

from app.clients.git import GitError, Mirror
from app.core.errors import Gone, Transient
from app.core.past import NO_PAST, Past

COMMITS = 1000
"""Commits read: 40 ms of git for the largest repository measured, and no blob, since only paths are asked for."""
MOST_HEADS = 16
"""Heads whose past is kept in memory, about 1 MB each."""

_pasts: OrderedDict[tuple[str, str], Past] = OrderedDict()
"""By git directory and commit id: what came before a commit never changes."""


async def past_of(mirror: Mirror, sha: str) -> Past:
    """What the COMMITS before `sha` changed. Without the history (a shallow or damaged mirror) there is none, and no error."""
    key = (str(mirror.path), sha)
    if key not in _pasts:
        try:
            revisions = await mirror.history(sha, COMMITS)
        except (Gone, GitError, Transient):
            return NO_PAST
        _pasts[key] = Past(tuple(revision.paths for revision in revisions))
        while len(_pasts) > MOST_HEADS:
            _pasts.popitem(last=False)
    _pasts.move_to_end(key)
    return _pasts[key]
