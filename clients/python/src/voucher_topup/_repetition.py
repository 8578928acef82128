from __future__ import annotations

import random
from dataclasses import dataclass

from ._operation import Operation
from .errors import ApiError, NoAnswerError

_LONGEST_PAUSE_SECONDS = 30


@dataclass(frozen=True)
class Repetition:
    """How long and how often a request is repeated."""

    # Requests of one call at most, the first one included.
    attempts: int
    # A call begins no request after this time.
    total_seconds: float
    # The first pause; each one is twice as long, up to 30 seconds.
    first_pause_seconds: float

    def pause_seconds(self, attempt: int, error: Exception) -> float:
        """The pause before the next request; "still processing" has its result within seconds."""
        is_processing = isinstance(error, ApiError) and error.status_code in (409, 4092)
        growing = min(self.first_pause_seconds * 2 ** (attempt - 1), _LONGEST_PAUSE_SECONDS)
        pause = self.first_pause_seconds if is_processing else growing
        told = error.retry_after_seconds if isinstance(error, ApiError) else None
        return max(pause, told or 0) + random.random() * self.first_pause_seconds


def is_repeated(operation: Operation, error: Exception) -> bool:
    """Whether the same request can get another answer: the guide "Repeat requests safely"."""
    if isinstance(error, NoAnswerError):
        return True
    if not isinstance(error, ApiError):
        return False
    if error.status_code == 409:
        return operation.repeats_conflict
    if error.status_code in (408, 429) or 4092 <= error.status_code <= 4095:
        return True
    # 5031: the transfer was refused, which is final.
    return error.http_status >= 500 and error.status_code != 5031


def leaves_open(operation: Operation, error: Exception) -> bool:
    """Whether the request may have been carried out although this was the answer to it."""
    is_limit = isinstance(error, ApiError) and error.status_code == 429
    return is_repeated(operation, error) and not is_limit


def is_of_access(error: Exception) -> bool:
    """Whether an answer tells nothing of an earlier request that may have been carried out."""
    return isinstance(error, ApiError) and error.status_code in (401, 403, 429)
