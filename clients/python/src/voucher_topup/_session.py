from __future__ import annotations

import base64
import json
import threading
import time
from typing import Callable, Optional

# A token is renewed before its last tenth.
_USED_PART = 0.9


class Session:
    """The access token: got at the first call, renewed before it ends, shared by all threads."""

    def __init__(self, log_in: Callable[[], str]) -> None:
        self._log_in = log_in
        self._lock = threading.Lock()
        self._token: Optional[str] = None
        self._renewed_at = 0.0

    def token(self) -> str:
        """A token that is still valid, as far as this side can tell."""
        with self._lock:
            if self._token is None or time.monotonic() >= self._renewed_at:
                started_at = time.monotonic()
                self._token = self._log_in()
                self._renewed_at = started_at + _lifetime_seconds(self._token) * _USED_PART
            return self._token

    def forget(self, refused: str) -> None:
        """Forgets a token that the service has refused, unless it is renewed already."""
        with self._lock:
            if self._token == refused:
                self._token = None


def _lifetime_seconds(token: str) -> float:
    """From the times in the token: the difference does not depend on this machine's clock."""
    try:
        claims = token.split(".")[1]
        read = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
        return float(read["exp"] - read["iat"])
    except (IndexError, KeyError, TypeError, ValueError):
        # A token of another form is used until it is refused.
        return float("inf")
