"""Signs as a merchant does who uses Python's package cryptography.

sign.py make FOLDER  makes a key pair and prints the public key in several forms, with a blank
                     line between them
sign.py sign FOLDER  signs each line of the input (base64); prints DER and r||s of each (base64)
"""

import base64
import sys
from pathlib import Path

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils

command, folder = sys.argv[1:]
private_file = Path(folder) / "private.pem"


def make():
    key = ec.generate_private_key(ec.SECP256K1())
    private_file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    public, encoding = key.public_key(), serialization.Encoding
    spki, x962 = serialization.PublicFormat.SubjectPublicKeyInfo, serialization.PublicFormat
    print(public.public_bytes(encoding.PEM, spki).decode())
    print(public.public_bytes(encoding.DER, spki).hex() + "\n")
    print(public.public_bytes(encoding.X962, x962.CompressedPoint).hex() + "\n")
    print(base64.b64encode(public.public_bytes(encoding.X962, x962.UncompressedPoint)).decode())


def sign():
    key = serialization.load_pem_private_key(private_file.read_bytes(), password=None)
    for line in sys.stdin:
        der = key.sign(base64.b64decode(line), ec.ECDSA(hashes.SHA256()))
        r, s = utils.decode_dss_signature(der)
        compact = r.to_bytes(32, "big") + s.to_bytes(32, "big")
        print(base64.b64encode(der).decode(), base64.b64encode(compact).decode())


make() if command == "make" else sign()
