-- Who may call, from where, and which calls were let in or refused; and what operators changed.

create function refuse_revival() returns trigger language plpgsql as $$
begin
  raise exception '% that was revoked stays revoked', tg_table_name
    using errcode = 'insufficient_privilege';
end $$;

-- A key of a company's servers.
create table api_keys (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  -- Null: until it is revoked. A rotation gives the old key an end.
  expires_at timestamptz,
  partner_id bigint references partners,
  merchant_id bigint references merchants,
  key_name text not null,
  key_prefix text not null,
  key_digest bytea not null unique,
  -- Of a key that can be copied, under a key that only the API process has. Null: the key is over, or
  -- it was never to be copied.
  key_ciphertext text,
  -- The scopes of the key.
  scopes text[] not null default '{read,vouchers,topups}'
    check (scopes <@ '{read,vouchers,topups}' and cardinality(scopes) > 0),
  -- Daily limits of what it spends, the amount in ETB; null: no limit.
  daily_amount numeric(20, 6) check (daily_amount > 0),
  daily_operations integer check (daily_operations > 0),
  last_used_at timestamptz,
  last_used_address text,
  check (num_nonnulls(partner_id, merchant_id) = 1)
);
create index api_keys_by_partner on api_keys (partner_id) where partner_id is not null;
create index api_keys_by_merchant on api_keys (merchant_id) where merchant_id is not null;

-- Every end or revocation of a key erases the ciphertext with it.
create function erase_key_ciphertext() returns trigger language plpgsql as $$
begin
  new.key_ciphertext := null;
  return new;
end $$;
create trigger api_keys_erase_ciphertext before insert or update on api_keys
  for each row when (new.key_ciphertext is not null
    and (new.revoked_at is not null or new.expires_at is not null))
  execute function erase_key_ciphertext();
create trigger api_keys_stay_revoked before update on api_keys for each row
  when (old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at)
  execute function refuse_revival();
create trigger api_keys_stay_ended before update on api_keys for each row
  when (old.expires_at is not null
    and (new.expires_at is null or new.expires_at > old.expires_at))
  execute function refuse_revival();

-- An address, or a CIDR range, from which a company's servers call.
create table source_addresses (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  partner_id bigint references partners,
  merchant_id bigint references merchants,
  address text not null,
  check (num_nonnulls(partner_id, merchant_id) = 1)
);
create index source_addresses_by_partner on source_addresses (partner_id)
  where partner_id is not null;
create index source_addresses_by_merchant on source_addresses (merchant_id)
  where merchant_id is not null;

-- A key by which a merchant's signatures are verified; it belongs to one merchant alone.
create table merchant_public_keys (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  merchant_id bigint not null references merchants,
  public_key_pem text not null,
  -- SHA-256 of the key's DER in hex, of the one form that keys on secp256k1 are kept in. Null for any
  -- other text.
  fingerprint text generated always as (
    encode(sha256(decode(
      substring(
        regexp_replace(public_key_pem, '\s', '', 'g')
        from '^-----BEGINPUBLICKEY-----([A-Za-z0-9+/]{118}==)-----ENDPUBLICKEY-----$'
      ), 'base64')), 'hex')
  ) stored,
  -- When its merchant has signed a challenge with the private key. Null: it has not.
  proven_at timestamptz
);
create index merchant_public_keys_by_merchant on merchant_public_keys (merchant_id);
create unique index merchant_public_keys_of_one_merchant on merchant_public_keys (fingerprint)
  where revoked_at is null;
create trigger merchant_public_keys_stay_revoked before update on merchant_public_keys
  for each row
  when (old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at)
  execute function refuse_revival();

-- A call that was refused, kept for 90 days.
create table refused_calls (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  surface text not null,
  method text not null,
  -- A pattern such as /topup-transactions/:voucherCode, never a path.
  route text not null,
  reason text not null,
  -- The wrong fields, or the mistake of a signature. Null where nothing more is known.
  detail text,
  -- Null: the call did not say, provably, whose it was.
  company_kind text check (company_kind in ('partner', 'merchant')),
  company_id bigint,
  source_address text not null,
  -- The first characters of the key, by which people recognise it.
  key_prefix text,
  request_id text not null,
  -- So many more like it came at about the same time and were not written.
  left_out integer not null default 0 check (left_out >= 0),
  check (num_nulls(company_kind, company_id) in (0, 2))
);
create index refused_calls_by_company on refused_calls (company_kind, company_id, id)
  where company_id is not null;
create index refused_calls_by_time on refused_calls (at);
create index refused_calls_by_request on refused_calls (request_id);

create function keep_refused_call() returns trigger language plpgsql as $$
begin
  if old.at > now() - interval '90 days' then
    raise exception 'refused calls are kept for 90 days';
  end if;
  return old;
end $$;
create trigger refused_calls_never_change before update on refused_calls
  for each row execute function refuse_change();
create trigger refused_calls_are_kept before delete on refused_calls
  for each row execute function keep_refused_call();
create trigger refused_calls_no_truncate before truncate on refused_calls
  for each statement execute function refuse_change();

-- One of the newest calls of a company; older ones are removed.
create table admitted_calls (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  surface text not null,
  method text not null,
  route text not null,
  status_code integer not null,
  -- Null where nothing more is known.
  detail text,
  company_kind text not null check (company_kind in ('partner', 'merchant')),
  company_id bigint not null,
  source_address text not null,
  key_prefix text,
  request_id text not null
);
create index admitted_calls_by_company on admitted_calls (company_kind, company_id, id);
create index admitted_calls_by_request on admitted_calls (request_id);

-- A count of the rate limits, where several processes share them; losing it only forgets the counts.
create unlogged table rate_limits (
  key text primary key,
  points integer not null default 0,
  expire bigint
);

-- A change that an operator, staff or a person of a company made.
create table audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  actor text not null,
  action text not null,
  subject_kind text not null,
  subject_id bigint not null,
  -- The change, without secrets.
  details jsonb not null
);
create index audit_log_by_subject on audit_log (subject_kind, subject_id, id);
create trigger audit_log_append_only before update or delete on audit_log
  for each row execute function refuse_change();
create trigger audit_log_no_truncate before truncate on audit_log
  for each statement execute function refuse_change();
