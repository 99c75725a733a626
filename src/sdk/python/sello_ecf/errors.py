"""What can go wrong. Every exception of this package is a SelloError."""

from __future__ import annotations

import builtins
from typing import Any, Dict, List, Mapping, Optional, Type


class SelloError(Exception):
    """Base of all exceptions of this package."""


class ApiError(SelloError):
    """The service refused the request with a problem document (RFC 9457), or something before it answered without one.

    `slug` is the last part of the problem's `type` and does not change between releases. It is empty when the answer had no problem document.
    `idempotency_key` is the key that the request was sent with. Repeat a write with it, never with a new one.
    """

    def __init__(
        self,
        status: int,
        problem: Optional[Mapping[str, Any]] = None,
        *,
        request_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        retry_after: Optional[float] = None,
    ) -> None:
        self.status = status
        self.problem: Dict[str, Any] = dict(problem or {})
        self.slug: str = str(self.problem.get("type", "")).rstrip("/").rpartition("/")[2]
        self.title: str = str(self.problem.get("title") or "HTTP %d" % status)
        self.detail: str = str(self.problem.get("detail") or "The answer has no problem document.")
        self.request_id: Optional[str] = self.problem.get("requestId") or request_id
        self.idempotency_key = idempotency_key
        self.retry_after = retry_after
        # A traceback shows the message alone: say what is wrong where.
        violations = ["%s: %s" % (one.get("pointer"), one.get("detail")) for one in self.errors[:3]]
        super().__init__(" ".join(["%d %s: %s" % (status, self.slug or self.title, self.detail), *violations]))

    @property
    def errors(self) -> List[Dict[str, Any]]:
        """Every violated rule, each with `pointer`, `code` and `detail`."""
        errors = self.problem.get("errors")
        return errors if isinstance(errors, list) else []


class ValidationError(ApiError):
    """The request is wrong; correct it (400, 422)."""


class AuthenticationError(ApiError):
    """A credential is missing, wrong or has ended (401)."""


class PermissionDeniedError(ApiError):
    """The credentials do not permit this (403)."""


class NotFoundError(ApiError):
    """There is no such resource for these credentials (404)."""


class ConflictError(ApiError):
    """The state of the resource does not allow this (409, 412)."""


class RejectedError(ApiError):
    """The authority rejected the document (422 `authority-rejected`). The document exists."""

    @property
    def authority_code(self) -> Optional[str]:
        """Code of the authority's message; see `sello.authority.get_code`."""
        return self.problem.get("authorityCode")

    @property
    def doc_id(self) -> Optional[str]:
        return self.problem.get("docId")


class RateLimitError(ApiError):
    """A limit of the plan (429). `retry_after` is in seconds."""


class ServerError(ApiError):
    """The service or something before it failed (5xx)."""


class ApiConnectionError(SelloError, builtins.ConnectionError):
    """No answer arrived. The request may have been processed: repeat a write with `idempotency_key`."""

    idempotency_key: Optional[str] = None


class ApiTimeoutError(ApiConnectionError, builtins.TimeoutError):
    """The answer, or the awaited verdict, did not come in time. Of a verdict, `doc_id` names the document."""

    def __init__(self, message: str, *, doc_id: Optional[str] = None) -> None:
        super().__init__(message)
        self.doc_id = doc_id


class SignatureError(SelloError):
    """A webhook's signature is missing, wrong or too old."""


_BY_STATUS: Dict[int, Type[ApiError]] = {
    400: ValidationError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    412: ConflictError,
    422: ValidationError,
    429: RateLimitError,
}


def error_class(status: int, slug: str) -> Type[ApiError]:
    """The class of an answer's exception."""
    if slug == "authority-rejected":
        return RejectedError
    return _BY_STATUS.get(status) or (ServerError if status >= 500 else ApiError)
