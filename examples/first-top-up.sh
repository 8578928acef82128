#!/bin/sh
# The first top-up: airtime, a failure and its retry, a package.
# Needs a started service (npm start) and curl. DATA_DIR names the folder of demo.json.
set -eu
cd "$(dirname "$0")/.."

demo="${DATA_DIR:-.data}/demo.json"
first() { sed -n 's/.*"'"$1"'": *"*\([^",]*\)"*,*$/\1/p' "$demo" | head -n 1; }
# The value of a field of an answer, which is JSON in one line.
field() { sed -n 's/.*"'"$1"'": *"\([^"]*\)".*/\1/p'; }
number() { sed -n 's/.*"'"$1"'":\([0-9]*\).*/\1/p'; }

partner=$(first baseUrl)
# The end of a pipe would hide that the log-in was refused.
answer=$(curl -sS --fail-with-body "$partner/auth/login" -H 'Content-Type: application/json' \
  -d "{\"key\":\"$(first apiKey)\"}") || { printf '%s\n' "$answer" >&2; exit 1; }
token=$(echo "$answer" | field accessToken)

top_up() {
  curl -sS "$partner/topup-transactions/$1" -H "x-api-token: $token" \
    -H 'Content-Type: application/json' -d "$2"
  echo
}
show() { curl -sSg "$partner/$1" -H "x-api-token: $token"; echo; }
sale='"exchangeRate":57.2,"currency":"USD","originatingCountry":"US"'

echo '1. 50 ETB of airtime.'
top_up airtime-topup "{\"amount\":50,\"msisdn\":\"0911234567\",$sale}"

echo '2. The sandbox declines numbers that end in 06: the money is back at once.'
failed=$(top_up airtime-topup "{\"amount\":50,\"msisdn\":\"0911234006\",$sale}")
echo "$failed"

echo '3. A retry to another number, and both attempts.'
topup=$(echo "$failed" | number transactionId)
top_up retry-topup "{\"transactionId\":$topup,\"msisdn\":\"0911234567\"}"
show "topup-transactions/$topup"

echo '4. A package: those that the partner may sell, and the purchase of one.'
packages=$(show 'product-list?q=productCategory.categoryName=PACKAGES,metadata.operator=ETHIO_TELECOM&sortBy=id:ASC')
echo "$packages"
product=$(echo "$packages" | sed 's/"productName".*//' | number id)
top_up airtime-package-topup "{\"productId\":$product,\"msisdn\":\"0911234567\",$sale}"
