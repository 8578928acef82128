"""Receives webhooks: checks the signature, discards duplicates, and prints the events.

WEBHOOK_SECRET=whsec_… python3 receiver.py        listens on PORT, 4000 by default
"""

import base64
import hashlib
import hmac
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = base64.b64decode(os.environ.get("WEBHOOK_SECRET", "").replace("whsec_", "", 1))
if not KEY:
    sys.exit("usage: WEBHOOK_SECRET=whsec_… python3 receiver.py")
# A real receiver keeps them in its database, in the transaction that does the work.
known = set()


def is_ours(headers, body):
    """Whether a signature of the message is that of the secret (Standard Webhooks)."""
    message_id, sent = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not sent.isdigit() or abs(time.time() - int(sent)) > 300:
        return False
    signed = f"{message_id}.{sent}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
    signatures = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(one.encode(), expected.encode()) for one in signatures)


def event_of(body):
    """The event in a body; None where there is none."""
    try:
        event = json.loads(body)
    except ValueError:
        return None
    return event if isinstance(event, dict) and "id" in event else None


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        event = event_of(body) if is_ours(self.headers, body) else None
        if event is None:
            return self.answer(400)
        # Store the event first, then answer. Do slow work afterwards.
        is_new = event["id"] not in known
        known.add(event["id"])
        self.answer(204)
        if not is_new:
            return
        print(event["id"], event["type"], event["subject"], json.dumps(event["data"]), flush=True)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_arguments):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "4000"))), Receiver)
print(f"Listening on {server.server_port}", flush=True)
server.serve_forever()
