"""Everything the bot says, by one door: pure functions from values to Markdown. Posts nothing, decides nothing.

Every text starts with one hidden marker (`marker`, `read_marker`), holds only sanitised foreign text and our own links, stays
under GitHub's size limit, and is the same bytes for the same input.
"""

from __future__ import annotations

from app.core.comment_answer import answer_comment
from app.core.comment_frame import LIMIT, Marker, marker, read_marker
from app.core.comment_notice import (
    CONFIG_PATH,
    Status,
    config_error_comment,
    failure_comment,
    help_comment,
    ignored_comment,
    no_summary_comment,
    not_indexed_comment,
    paused_comment,
    refusal_comment,
    reindex_comment,
    resumed_comment,
    status_comment,
)
from app.core.comment_pull import pull_comment

__all__ = [
    "CONFIG_PATH",
    "LIMIT",
    "Marker",
    "Status",
    "answer_comment",
    "config_error_comment",
    "failure_comment",
    "help_comment",
    "ignored_comment",
    "marker",
    "no_summary_comment",
    "not_indexed_comment",
    "paused_comment",
    "pull_comment",
    "read_marker",
    "refusal_comment",
    "reindex_comment",
    "resumed_comment",
    "status_comment",
]
