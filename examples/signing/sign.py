"""Signs the body on standard input, and prints the value of the header x-signature.

usage: sign.py PRIVATE-KEY.pem [MESSAGE] < BODY; without a message, the time now
Needs the package cryptography.
"""

import base64
import sys
from datetime import datetime, timezone
from pathlib import Path

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

key = serialization.load_pem_private_key(Path(sys.argv[1]).read_bytes(), password=None)
now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
message = sys.argv[2] if len(sys.argv) > 2 else now

body = sys.stdin.buffer.read()
signature = key.sign(body + b"\n" + message.encode(), ec.ECDSA(hashes.SHA256()))
print(base64.b64encode(signature).decode() + "\\n" + message)
