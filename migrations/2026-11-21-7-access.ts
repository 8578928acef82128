import { type Kysely, sql } from 'kysely';

/** Keys that end, and which calls were let in or refused. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    -- Null: until it is revoked. A rotation gives the old key an end.
    alter table api_keys add column expires_at timestamptz;
    alter table api_keys add column last_used_at timestamptz;
    alter table api_keys add column last_used_address text;

    create table refused_calls (
      id bigint generated always as identity primary key,
      at timestamptz not null,
      surface text not null,
      method text not null,
      -- A pattern such as /topup-transactions/:voucherCode, never a path.
      route text not null,
      reason text not null,
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

    -- The newest few of each company; older ones are removed.
    create table admitted_calls (
      id bigint generated always as identity primary key,
      at timestamptz not null,
      surface text not null,
      method text not null,
      route text not null,
      status_code integer not null,
      company_kind text not null check (company_kind in ('partner', 'merchant')),
      company_id bigint not null,
      source_address text not null,
      key_prefix text,
      request_id text not null
    );
    -- Of the rate limits, where several processes share them; losing it only forgets the counts.
    create unlogged table rate_limits (
      key text primary key,
      points integer not null default 0,
      expire bigint
    );

    create index admitted_calls_by_company on admitted_calls (company_kind, company_id, id);
  `.execute(database);
}
