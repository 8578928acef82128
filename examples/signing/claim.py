"""Logs in as a merchant and claims a voucher by a signed request; prints the answer.

usage: BASE_URL=… API_KEY=… python3 claim.py PRIVATE-KEY.pem VOUCHER-CODE
Needs the package cryptography.
"""

import base64
import json
import os
import sys
import uuid
from datetime import datetime, timezone
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

if len(sys.argv) != 3:
    sys.exit("usage: BASE_URL=… API_KEY=… python3 claim.py PRIVATE-KEY.pem VOUCHER-CODE")
key_file, voucher_code = sys.argv[1:]
private_key = serialization.load_pem_private_key(Path(key_file).read_bytes(), password=None)


def post(path: str, body: bytes, **headers: str) -> str:
    url = os.environ["BASE_URL"] + path
    request = Request(url, body, {"Content-Type": "application/json", **headers})
    try:
        with urlopen(request, timeout=30) as response:
            return response.read().decode()
    except HTTPError as refusal:
        # Refusals have a body, too.
        return refusal.read().decode()


def signature_of(body: bytes) -> str:
    """The value of the header: the signature, the two characters \\n, and the message."""
    message = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    signature = private_key.sign(body + b"\n" + message.encode(), ec.ECDSA(hashes.SHA256()))
    return base64.b64encode(signature).decode() + "\\n" + message


answer = post("/auth/login", json.dumps({"key": os.environ["API_KEY"]}).encode())
token = json.loads(answer).get("accessToken")
if token is None:
    sys.exit(f"The log-in was refused: {answer}")

# Written once: the signature is over these bytes.
claim = json.dumps({"voucherCode": voucher_code, "idempotencyKey": str(uuid.uuid4())}).encode()
headers = {"x-api-token": token, "x-signature": signature_of(claim)}
print(post("/topup-transactions/initiate-claim", claim, **headers))
