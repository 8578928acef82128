import { type Kysely, sql } from 'kysely';

/** Indexes for what companies look at: statements and sales by time, and a merchant's payments. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    -- Instead of those by id: a range of time is read without all that was before it.
    create index ledger_transfers_debited on ledger_transfers (debit_account_id, created_at, id);
    create index ledger_transfers_credited on ledger_transfers (credit_account_id, created_at, id);
    drop index ledger_transfers_by_debit;
    drop index ledger_transfers_by_credit;

    create index redemptions_by_merchant on redemptions (merchant_id, id);
    -- When a merchant was paid.
    create index redemptions_paid on redemptions (merchant_id,
      (case when status = 'POSTED' then settled_at else contradicted_at end));
    create index redemptions_by_provider_reference on redemptions (provider_reference);
  `.execute(database);
}
