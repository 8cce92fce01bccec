"""The three kinds of failure, told apart in one place: the user's, the passing one, and ours (any other exception).

Jobs turn a UserError into one comment, a Transient into a retry with back-off, and let everything else fail loudly.
"""

from __future__ import annotations


class CodeRagError(Exception):
    """Every error this project raises on purpose."""


class UserError(CodeRagError):
    """Something a person can mend; the message says what to change and where."""


class ConfigError(UserError):
    """A setting or a settings file that cannot be used."""


class Transient(CodeRagError):
    """A failure that passes by itself. `retry_after` is in seconds."""

    def __init__(self, message: str, retry_after: float = 5.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class NoVectors(Transient):
    """The embedder does not answer: nothing can be indexed, but what is indexed can be searched by words."""


class Gone(CodeRagError):
    """What was asked for no longer exists, or we may no longer see it: leave quietly."""


class Suspended(Gone):
    """The installation is suspended: recorded and left alone until it is unsuspended."""


class Forbidden(CodeRagError):
    """GitHub refused the App a permission; the feature is left out, the job goes on."""


class Rejected(CodeRagError):
    """GitHub refused the content of a request (422). Never retried as it was."""


class BadPayload(CodeRagError):
    """A webhook delivery, stored record or file that does not have the form it must have."""
