#!/bin/sh
# The first voucher: generate it as a partner, claim and redeem it as a merchant.
# Needs a started service (npm start), curl and openssl. DATA_DIR names the folder of demo.json.
set -eu
cd "$(dirname "$0")/.."

demo="${DATA_DIR:-.data}/demo.json"
first() { sed -n 's/.*"'"$1"'": *"*\([^",]*\)"*,*$/\1/p' "$demo" | head -n 1; }
last() { sed -n 's/.*"'"$1"'": *"*\([^",]*\)"*,*$/\1/p' "$demo" | tail -n 1; }
# The value of a field of an answer, which is JSON in one line.
field() { sed -n 's/.*"'"$1"'": *"\([^"]*\)".*/\1/p'; }

partner=$(first baseUrl)
merchant=$(last baseUrl)
sandbox=$(last sandboxUrl)
owner=${OWNER:-0911234567}

# Prints the answer; ends the script where it is a refusal.
post() {
  url=$1 token=$2 body=$3
  shift 3
  reply=$(curl -sS --fail-with-body "$url" -H 'Content-Type: application/json' \
    ${token:+-H "x-api-token: $token"} "$@" -d "$body") || { printf '%s\n' "$reply" >&2; exit 1; }
  printf '%s\n' "$reply"
}

echo '1. The partner logs in with its API key.'
answer=$(post "$partner/auth/login" '' "{\"key\":\"$(first apiKey)\"}")
partner_token=$(echo "$answer" | field accessToken)

echo '2. It generates a voucher of 500 ETB for the merchant and the phone number of its owner.'
answer=$(post "$partner/topup-transactions/generate-voucher" "$partner_token" \
  "{\"denominationId\":${DENOMINATION:-3},\"merchantId\":$(first merchantId),\"msisdn\":\"$owner\"}" \
  -H "Idempotency-Key: first-voucher-$(date +%s)-$$")
echo "$answer"
voucher=$(echo "$answer" | field voucherCode)

echo '3. The merchant logs in with its own key.'
answer=$(post "$merchant/auth/login" '' "{\"key\":\"$(last apiKey)\"}")
merchant_token=$(echo "$answer" | field accessToken)

key=$(mktemp)
trap 'rm -f "$key"' EXIT
printf '%b' "$(first privateKeyPem)" > "$key"
# Every body of the merchant API is signed, with the time: examples/signing/.
signed() {
  message=$(date -u +%Y-%m-%dT%H:%M:%SZ)
  signature=$(printf '%s\n%s' "$2" "$message" |
    openssl dgst -sha256 -sign "$key" | openssl base64 -A)
  post "$merchant$1" "$merchant_token" "$2" -H "x-signature: $signature\\n$message"
}

echo '4. It starts a redemption, and the owner gets a code by SMS.'
signed /topup-transactions/initiate-claim \
  "{\"voucherCode\":\"$voucher\",\"idempotencyKey\":\"claim-$voucher\"}"
code=$(curl -sS "$sandbox/messages?to=$owner" |
  grep -o '[0-9]\{6,8\} is your code' | head -n 1 | cut -d ' ' -f 1)
echo "   The phone shows $code."

echo '5. It redeems the voucher with the code, and is paid by mobile money.'
signed /topup-transactions/redeem-gift \
  "{\"voucherCode\":\"$voucher\",\"verificationCode\":\"$code\",\"idempotencyKey\":\"redeem-$voucher\"}"

echo '6. The provider has the payment in its books, and the owner a confirmation.'
curl -sS "$sandbox/books"
echo
