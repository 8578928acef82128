#!/bin/sh
# Logs in as a merchant and claims a voucher by a signed request; prints the answer.
# usage: BASE_URL=… API_KEY=… claim.sh PRIVATE-KEY.pem VOUCHER-CODE
# Needs curl and openssl.
set -eu
usage='usage: BASE_URL=… API_KEY=… claim.sh PRIVATE-KEY.pem VOUCHER-CODE'
key=${1:?$usage} voucher=${2:?$usage}

post() {
  path=$1 body=$2
  shift 2
  curl -sS "$BASE_URL$path" -H 'Content-Type: application/json' "$@" --data-binary "$body"
}

answer=$(post /auth/login "{\"key\":\"$API_KEY\"}")
token=$(echo "$answer" | sed -n 's/.*"accessToken": *"\([^"]*\)".*/\1/p')
[ -n "$token" ] || { echo "The log-in was refused: $answer" >&2; exit 1; }

# Written once: the signature is over these bytes.
body="{\"voucherCode\":\"$voucher\",\"idempotencyKey\":\"claim-$(date +%s)-$$\"}"
message=$(date -u +%Y-%m-%dT%H:%M:%SZ)
signature=$(printf '%s\n%s' "$body" "$message" |
  openssl dgst -sha256 -sign "$key" | openssl base64 -A)
# The header: the signature, the two characters \n, and the message.
post /topup-transactions/initiate-claim "$body" -H "x-api-token: $token" \
  -H "x-signature: $signature\\n$message"
echo
