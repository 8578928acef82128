# Runs once, when the volume of PostgreSQL is empty: a role and its databases for each of the two servers, and the
# logins of the processes. The image sources it.
for role in SERVICE API WORKER OPERATOR REPORTS; do
  file="/run/secrets/${role}_DATABASE_PASSWORD"
  if [ -f "$file" ]; then export "${role}_DATABASE_PASSWORD=$(cat "$file")"; fi
done
psql --set=ON_ERROR_STOP=1 --username=postgres \
  --set=service_password="$SERVICE_DATABASE_PASSWORD" \
  --set=api_password="$API_DATABASE_PASSWORD" \
  --set=worker_password="$WORKER_DATABASE_PASSWORD" \
  --set=operator_password="$OPERATOR_DATABASE_PASSWORD" \
  --set=reports_password="$REPORTS_DATABASE_PASSWORD" \
  --set=temporal_password="$TEMPORAL_DATABASE_PASSWORD" <<'SQL'
create role voucher_topup login password :'service_password';
create role temporal login password :'temporal_password';
create database voucher_topup owner voucher_topup;
create database temporal owner temporal;
create database temporal_visibility owner temporal;
revoke connect on database voucher_topup from public;
-- The groups get their rights from `migrate`.
create role voucher_topup_api nologin;
create role voucher_topup_worker nologin;
create role voucher_topup_operator nologin;
create role voucher_topup_reports nologin;
grant connect on database voucher_topup
  to voucher_topup_api, voucher_topup_worker, voucher_topup_operator, voucher_topup_reports;
create role api login password :'api_password' in role voucher_topup_api;
create role worker login password :'worker_password' in role voucher_topup_worker;
create role operator login password :'operator_password' in role voucher_topup_operator;
create role reports login password :'reports_password' in role voucher_topup_reports;
SQL
