"""The signature of webhooks (Standard Webhooks)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from typing import Any, Mapping, Optional, Union

# Largest difference between the time of a message and the clock.
_TOLERANCE_SECONDS = 300
_SECRET_PREFIX = "whsec_"


class WebhookError(Exception):
    """The message is not ours, is old, or has no event. Answer it with 400."""


def verify_webhook(
    headers: Mapping[str, str],
    raw_body: Union[str, bytes],
    secret: str,
    now: Optional[float] = None,
) -> Any:
    """Check the signature of a webhook and give its event, as ``GET /events`` lists it.

    ``raw_body`` is exactly what came: JSON that was parsed and written again has other bytes.
    ``secret`` is ``whsec_…``, as the portal showed it. ``now`` is in Unix seconds, the clock by
    default. Raises ``WebhookError`` for a wrong signature, a message older than five minutes, and a
    body without an event; ``ValueError`` for an empty secret.
    """
    given = {name.lower(): value for name, value in headers.items()}
    message_id = _header(given, "webhook-id")
    timestamp = _header(given, "webhook-timestamp")
    if re.fullmatch(r"[0-9]{1,12}", timestamp) is None:
        raise WebhookError("webhook-timestamp is not a time")
    if abs((time.time() if now is None else now) - int(timestamp)) > _TOLERANCE_SECONDS:
        raise WebhookError("The message is older than five minutes, or a clock is wrong")
    body = raw_body.encode() if isinstance(raw_body, str) else raw_body
    key = base64.b64decode(secret[len(_SECRET_PREFIX) :] if secret.startswith(_SECRET_PREFIX) else secret)
    # Anybody can sign with an empty key.
    if not key:
        raise ValueError("secret must be that of the portal: whsec_…")
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = hmac.new(key, signed, hashlib.sha256).digest()
    # While a secret is rotated, there is a signature by either one.
    signatures = _header(given, "webhook-signature").split(" ")
    if not any(_is_signature(one, expected) for one in signatures):
        raise WebhookError("The signature is not that of the body and the secret")
    return _event_in(body)


def _event_in(body: bytes) -> Any:
    try:
        event = json.loads(body)
    except ValueError:
        event = None
    if isinstance(event, dict) and "id" in event:
        return event
    raise WebhookError("The body is not an event")


def _header(headers: Mapping[str, str], name: str) -> str:
    value = headers.get(name)
    if value is None:
        raise WebhookError(f"{name} is missing")
    return value


def _is_signature(text: str, expected: bytes) -> bool:
    version, _, value = text.partition(",")
    try:
        given = base64.b64decode(value)
    except (binascii.Error, ValueError):
        return False
    return version == "v1" and hmac.compare_digest(given, expected)
