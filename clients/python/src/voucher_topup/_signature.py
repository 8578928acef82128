from __future__ import annotations

import base64
from datetime import datetime, timezone
from typing import Optional, Union

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

PrivateKey = Union[str, bytes, ec.EllipticCurvePrivateKey]


def read_private_key(key: PrivateKey) -> ec.EllipticCurvePrivateKey:
    """Reads a merchant's private key; raises ValueError unless its curve is secp256k1."""
    if isinstance(key, (str, bytes)):
        pem = key.encode() if isinstance(key, str) else key
        read = serialization.load_pem_private_key(pem, password=None)
    else:
        read = key
    if isinstance(read, ec.EllipticCurvePrivateKey) and read.curve.name == "secp256k1":
        return read
    raise ValueError("private_key must be a private key of the curve secp256k1")


def signature_header(
    private_key: ec.EllipticCurvePrivateKey, body: bytes, message: Optional[str] = None
) -> str:
    """The value of `x-signature`.

    ECDSA with SHA-256 over body, line feed and message, as DER in base64, then the two characters
    `\\n`, then the message: the time now by default. `body` is exactly the bytes that are sent.
    """
    signed = message or datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    signature = private_key.sign(body + b"\n" + signed.encode(), ec.ECDSA(hashes.SHA256()))
    return base64.b64encode(signature).decode() + "\\n" + signed
