import { sql } from 'kysely';
import type { Database } from '../../../src/db/connection.ts';
import type { Wallet } from '../../../src/db/ledger/account-statements.ts';

/**
 * The lines of a wallet with the balances after them, added up from its first transfer. The service computes them backwards
 * from the balance of the ledger.
 */
export async function summedLines(database: Database, partnerId: number, wallet: Wallet) {
  const kinds = wallet === 'reserved' ? ['reserved', 'gift-hold'] : [wallet];
  const accounts = sql`select id from ledger_accounts
    where partner_id = ${partnerId} and kind = any(${kinds}::text[])`;
  const { rows } = await sql<{ id: number; balance: string }>`
    select id, sum(case when is_credit then amount else -amount end)
      over (order by created_at, id)::numeric(20, 6) as balance
    from (
      select *, credit_account_id in (${accounts}) as is_credit,
        debit_account_id in (${accounts}) as is_debit
      from ledger_transfers
    ) as transfer
    where is_credit <> is_debit
    order by created_at, id`.execute(database);
  return rows;
}
