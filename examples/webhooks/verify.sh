#!/bin/sh
# Checks the signature and the time of a webhook, whose body is the input.
# usage: WEBHOOK_SECRET=whsec_… verify.sh ID TIMESTAMP SIGNATURES < BODY
# Needs openssl.
set -eu
usage='usage: WEBHOOK_SECRET=whsec_… verify.sh ID TIMESTAMP SIGNATURES < BODY'
id=${1:?$usage} timestamp=${2:?$usage} signatures=${3:?$usage} secret=${WEBHOOK_SECRET:?$usage}

key=$(printf '%s' "${secret#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
: "${key:?$usage}"
expected=v1,$({ printf '%s.%s.' "$id" "$timestamp"; cat; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)
is_ours=false
case " $signatures " in *" $expected "*) is_ours=true ;; esac
# A shell evaluates names and commands in the place of a number.
case $timestamp in *[!0-9]*) timestamp=0 ;; esac
age=$(($(date +%s) - timestamp))

$is_ours || { echo 'The signature is wrong' >&2; exit 1; }
[ "${age#-}" -le 300 ] || { echo 'The message is old, or a clock is wrong' >&2; exit 1; }
echo 'The message is ours'
