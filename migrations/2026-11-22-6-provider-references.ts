import { type Kysely, sql } from 'kysely';

/**
 * What a provider took back after it had done it, what it says otherwise than we do, and what it did
 * and the database could not book.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const table of ['redemptions', 'topup_attempts']) {
    await sql`
      alter table ${sql.table(table)}
        -- When the provider was found to have taken back what was posted.
        add column reversed_at timestamptz,
        -- Who has borne a late success, or has got what was taken back. Null: nobody yet.
        add column settled_by text check (settled_by in ('partner', 'platform', 'provider')),
        -- What the provider says otherwise than we do, in words. Null: nothing.
        add column disagreement text,
        -- Since when what the provider has decided cannot be booked.
        add column unbooked_since timestamptz
    `.execute(database);
    await sql`
      create index ${sql.id(`${table}_disagreeing`)} on ${sql.table(table)} (created_at)
        where disagreement is not null
    `.execute(database);
    // Suspense has few transfers, and the index of its credits finds the settlements among them.
    await sql`
      update ${sql.table(table)} as done set settled_by = case bearer.kind
        when 'service-fees' then 'platform'
        when 'mobile-money-clearing' then 'provider'
        when 'airtime-clearing' then 'provider'
        else 'partner' end
      from ledger_transfers as settlement
      join ledger_accounts as bearer on bearer.id = settlement.debit_account_id
      where settlement.credit_account_id
          = (select id from ledger_accounts where kind = 'suspense')
        and settlement.step = 'settle-late-success'
        and settlement.operation_id = done.operation_id
    `.execute(database);
  }
  await sql`
    create or replace function check_topup_status() returns trigger language plpgsql as $$
    begin
      if not (old.status, new.status) in (
        ('PENDING', 'PROCESSING'), ('PENDING', 'FAILED'),
        ('PROCESSING', 'UNKNOWN'), ('PROCESSING', 'SUCCESS'), ('PROCESSING', 'FAILED'),
        ('UNKNOWN', 'SUCCESS'), ('UNKNOWN', 'FAILED'),
        ('FAILED', 'PROCESSING'),
        -- Delivered late, and taken back.
        ('FAILED', 'SUCCESS'), ('SUCCESS', 'FAILED')
      ) then
        raise exception 'a top-up cannot go from % to %', old.status, new.status
          using errcode = 'check_violation', constraint = 'topups_status_moves';
      end if;
      return new;
    end $$;
    -- What was delivered late is delivered.
    update topups set status = 'SUCCESS', updated_at = now()
    from ledger_transfers as late
    join topup_attempts as attempt on attempt.operation_id = late.operation_id
    where late.debit_account_id = (select id from ledger_accounts where kind = 'suspense')
      and late.step = 'late-success' and attempt.contradicted_at is not null
      and topups.id = attempt.topup_id and topups.status = 'FAILED'
  `.execute(database);
}
