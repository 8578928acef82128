#!/bin/sh
# Signs the body on standard input, and prints the value of the header x-signature.
# usage: sign.sh PRIVATE-KEY.pem [MESSAGE] < BODY; without a message, the time now
set -eu
message=${2:-$(date -u +%Y-%m-%dT%H:%M:%SZ)}
signature=$({ cat; printf '\n%s' "$message"; } | openssl dgst -sha256 -sign "$1" | openssl base64 -A)
printf '%s\\n%s\n' "$signature" "$message"
