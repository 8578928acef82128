"""What a call fails with. No error holds a key, a token, a body or a voucher code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Optional


@dataclass(frozen=True)
class Issue:
    """A problem of one field of a request."""

    path: str
    message: str


@dataclass(frozen=True)
class FailedTopUp:
    """A top-up that failed and cost nothing: retry it by its number."""

    transaction_id: int
    # Why, where the provider says so.
    message: Optional[str]


class ApiError(Exception):
    """The service refused the request; a repetition helps only once the cause is gone."""

    def __init__(
        self,
        message: str,
        *,
        operation: str,
        http_status: int,
        status_code: int,
        reason: Optional[str],
        data: Any,
        request_id: Optional[str],
        retry_after_seconds: Optional[int],
        help_url: Optional[str],
    ) -> None:
        super().__init__(message)
        self.message = message
        # Method and path with names of parameters, not their values.
        self.operation = operation
        self.http_status = http_status
        # Decide by this: merchants' codes are finer than the HTTP status.
        self.status_code = status_code
        # "voucher-redeemed", for example: decide by it where several reasons share a code. New ones can be added.
        self.reason = reason
        self.data = data
        # Name it in questions to support.
        self.request_id = request_id
        self.retry_after_seconds = retry_after_seconds
        # Where the reason is explained.
        self.help_url = help_url

    def __str__(self) -> str:
        return f"{self.operation}: {self.status_code} {self.message}"

    @property
    def issues(self) -> List[Issue]:
        """The fields of an invalid request; merchants find them in `message`."""
        issues = self.data.get("issues") if isinstance(self.data, dict) else None
        return [Issue(one["path"], one["message"]) for one in issues or []]

    @property
    def failed_top_up(self) -> Optional[FailedTopUp]:
        """The top-up of a 424: `top_ups.retry({"transactionId": …})`."""
        if self.status_code != 424 or not isinstance(self.data, dict):
            return None
        return FailedTopUp(self.data["transactionId"], self.data.get("message"))


class NoAnswerError(Exception):
    """No answer arrived to a call that changes nothing, or nothing that counts."""

    def __init__(self, operation: str, reason: str) -> None:
        super().__init__(f"{operation} got no answer: {reason}")
        self.operation = operation


class OpenRequestError(Exception):
    """The request may have been carried out, and its result is not known: it is open, not failed.

    Repeat the same request later with `idempotency_key`. Never refund, and never use a new key,
    before it has a result.
    """

    def __init__(self, operation: str, idempotency_key: str, last: Exception) -> None:
        super().__init__(
            f"{operation} has no result yet: repeat the same request with the same idempotency key "
            f"(last answer: {last})"
        )
        self.operation = operation
        self.idempotency_key = idempotency_key
