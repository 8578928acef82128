#!/bin/sh
# Makes the secrets of deploy/compose.secrets.yml in ./secrets, a file for each, and .env beside it.
# The password for the Temporal UI is printed once.
set -eu
umask 077
if [ -e .env ] || [ -e secrets ]; then echo '.env or secrets exists already' >&2; exit 1; fi
mkdir secrets
cd secrets

for name in POSTGRES SERVICE_DATABASE API_DATABASE WORKER_DATABASE OPERATOR_DATABASE \
  REPORTS_DATABASE; do
  openssl rand -hex 24 > "${name}_PASSWORD"
done
for login in SERVICE:voucher_topup API:api WORKER:worker OPERATOR:operator; do
  role=${login%:*}
  password=$(cat "${role}_DATABASE_PASSWORD")
  echo "postgres://${login#*:}:$password@postgres:5432/voucher_topup" > "${role}_DATABASE_URL"
done
openssl genpkey -algorithm ed25519 -out ACCESS_TOKEN_PRIVATE_KEY
openssl rand -base64 32 > DIGEST_KEY
for name in DATA_KEYS PAYLOAD_KEYS COPY_KEYS; do echo "k1:$(openssl rand -base64 32)" > "$name"; done
password=$(openssl rand -hex 24)
echo "Temporal UI: support, $password"
digest=$(printf %s "$password" | openssl dgst -sha256 -r | cut -c1-64)
echo "support:$digest" > CODEC_SERVER_OPERATORS

# The sandbox's: write those of the accounts at the providers into these files.
for name in SMS_API_KEY MOBILE_MONEY_KEY MOBILE_MONEY_SECRET AIRTIME_KEY AIRTIME_SECRET; do
  echo sandbox > "$name"
done
echo 'smtp://sandbox:3025?tls=off' > SMTP_URL

# Users of containers have other ids. The folder keeps everybody else of this machine out.
chmod 444 ./*
cd ..
{
  echo "TEMPORAL_DATABASE_PASSWORD=$(openssl rand -hex 24)"
  echo "GRAFANA_PASSWORD=$(openssl rand -hex 24)"
  # docker-compose.yml asks for these; compose.secrets.yml puts files in their place.
  for name in POSTGRES_PASSWORD SERVICE_DATABASE_PASSWORD API_DATABASE_PASSWORD \
    WORKER_DATABASE_PASSWORD OPERATOR_DATABASE_PASSWORD REPORTS_DATABASE_PASSWORD \
    ACCESS_TOKEN_PRIVATE_KEY DIGEST_KEY DATA_KEYS PAYLOAD_KEYS CODEC_SERVER_OPERATORS; do
    echo "$name=in-a-file"
  done
} > .env
