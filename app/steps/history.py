"""Reads what the last commits changed and said, once a head. Fetches nothing; decides nothing."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Sequence

from app.clients.git import GitError, Mirror, Revision
from app.core.errors import Gone, Transient
from app.core.messages import Messages
from app.core.past import NO_PAST, Past

log = logging.getLogger(__name__)

COMMITS = 2000
"""Commits read: 80 ms of git for the largest repository measured, and no blob, since only paths and messages are asked for.
With 1,000 or 4,000 the right files are found as often (200 commits of five languages)."""
PAST_SECONDS = 10.0
"""How long a question waits for git to read them; it is answered without a past then, and so are the next at that head."""
MOST_HEADS = 12
"""Heads whose past is kept in memory, about 4 MB each."""

_pasts: OrderedDict[tuple[str, str], Past] = OrderedDict()
"""By git directory and commit id: what came before a commit never changes."""


async def past_of(mirror: Mirror, sha: str) -> Past:
    """What the COMMITS before `sha` changed. Without the history (a shallow or damaged mirror) there is none, and no error."""
    key = (str(mirror.path), sha)
    if key not in _pasts:
        try:
            revisions = await asyncio.wait_for(mirror.history(sha, COMMITS), PAST_SECONDS)
            # Off the event loop: a tenth of a second, once a head.
            past = await asyncio.to_thread(_past, revisions)
        except (Gone, Transient):
            return NO_PAST
        except (GitError, TimeoutError) as error:
            log.warning("no history for questions", extra={"error": str(error) or type(error).__name__})
            past = NO_PAST
        _pasts[key] = past
        while len(_pasts) > MOST_HEADS:
            _pasts.popitem(last=False)
    _pasts.move_to_end(key)
    return _pasts[key]


def _past(revisions: Sequence[Revision]) -> Past:
    return Past(tuple(revision.paths for revision in revisions), Messages([revision.message for revision in revisions]))
