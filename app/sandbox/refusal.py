"""What GitHub answers when it refuses: status, message and error list, in its JSON shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

DOCUMENTATION = "https://docs.github.com/rest"


class Refusal(Exception):
    """A refused request; the router turns it into the answer."""

    def __init__(
        self,
        status: int,
        message: str,
        errors: Sequence[object] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.errors = list(errors)
        self.headers = dict(headers or {})

    def body(self) -> dict[str, object]:
        """GitHub's error object; `errors` only where there are some."""
        shape: dict[str, object] = {"message": self.message}
        if self.errors:
            shape["errors"] = self.errors
        return shape | {"documentation_url": DOCUMENTATION, "status": str(self.status)}


def not_found() -> Refusal:
    return Refusal(404, "Not Found")


def no_permission() -> Refusal:
    return Refusal(403, "Resource not accessible by integration")


def invalid(resource: str, field: str, message: str, code: str = "custom") -> Refusal:
    """A 422 of the kind that names resource and field."""
    return Refusal(422, "Validation Failed", [{"resource": resource, "code": code, "field": field, "message": message}])


def unsupplied(field: str) -> Refusal:
    """A 422 for a required property that is missing."""
    return Refusal(422, f'Invalid request.\n\n"{field}" wasn\'t supplied.')


def wrong_type(field: str, value: object, wanted: str) -> Refusal:
    """A 422 for a property of the wrong JSON type."""
    return Refusal(422, f"Invalid request.\n\nFor 'properties/{field}', {value!r} is not {wanted}.")
