from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Optional


@dataclass(frozen=True)
class Operation:
    """Where an operation is, and what it needs."""

    method: Literal["GET", "POST"]
    # Below the base address, with `{name}` for its parameter.
    path: str
    # The place of the idempotency key; without one, a repetition changes nothing.
    key: Literal["header", "body", "none"]
    is_signed: bool
    # A 409 means that the result is not there yet: the same request gets it.
    repeats_conflict: bool
    # The answer has no envelope.
    is_bare: bool
    # Of a list: the field that identifies an item.
    identifier: Optional[str] = None

    @property
    def name(self) -> str:
        """The name for errors and logs: without voucher codes."""
        return f"{self.method} {self.path}"
