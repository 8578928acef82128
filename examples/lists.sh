#!/bin/sh
# Asks for each list of the partner API.
# Needs a started service (npm start) and curl. DATA_DIR names the folder of demo.json.
set -eu
cd "$(dirname "$0")/.."

demo="${DATA_DIR:-.data}/demo.json"
first() { sed -n 's/.*"'"$1"'": *"*\([^",]*\)"*,*$/\1/p' "$demo" | head -n 1; }

partner=$(first baseUrl)
token=$(curl -sS --fail-with-body "$partner/auth/login" -H 'Content-Type: application/json' \
  -d "{\"key\":\"$(first apiKey)\"}" | sed -n 's/.*"accessToken": *"\([^"]*\)".*/\1/p')

list() {
  echo "GET /$1"
  curl -sSg --fail-with-body "$partner/$1" -H "x-api-token: $token"
  echo
}

list 'merchants?limit=1&search=coffee'
list 'merchant-categories?limit=2'
list 'promos?filter.bonusPercentage=$gt:0'
list 'product-list?q=productCategory.categoryName=PACKAGES&limit=1'
list 'product-categories-list?limit=1'
list 'gift-denominations?filter.amountEtb=$btw:100,500'
list 'partner-gift-denomination-prices?limit=1&sortBy=sellingPriceUsd:DESC'
list 'topup-transactions?limit=1'
