"""Checks the signature and the time of a webhook, whose body is the input.

usage: WEBHOOK_SECRET=whsec_… python3 verify.py ID TIMESTAMP SIGNATURES < BODY
"""

import base64
import hashlib
import hmac
import os
import sys
import time

secret = os.environ.get("WEBHOOK_SECRET", "")
key = base64.b64decode(secret.replace("whsec_", "", 1))
if len(sys.argv) != 4 or not key:
    sys.exit("usage: WEBHOOK_SECRET=whsec_… python3 verify.py ID TIMESTAMP SIGNATURES < BODY")
message_id, timestamp, signatures = sys.argv[1:]
body = sys.stdin.buffer.read()

signed = f"{message_id}.{timestamp}.".encode() + body
expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
is_ours = any(hmac.compare_digest(one.encode(), expected) for one in signatures.split(" "))
is_new = abs(time.time() - int(timestamp)) <= 300

if not is_ours:
    sys.exit("The signature is wrong")
if not is_new:
    sys.exit("The message is old, or a clock is wrong")
print("The message is ours")
