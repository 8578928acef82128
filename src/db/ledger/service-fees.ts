import { sql } from 'kysely';
import { type Money, parseMoney } from '../../domain/money.ts';
import type { Database } from '../connection.ts';

/** Transfers that are added to the checked sum: more than come between two checks of the books. */
const MOST_NEW = 1_000_000;

/**
 * The balance of the service fees: the sum that the check of the books keeps, and the transfers after its
 * checkpoint. An account of the platform has no balance of its own, which every redemption would lock.
 * Undefined where more is new than may be read, as after the sums were begun again.
 */
export async function serviceFeesBalance(
  database: Database,
  mostNew = MOST_NEW,
): Promise<Money | undefined> {
  // One statement, because the check moves sum and checkpoint together.
  const { rows } = await sql<{ balance: string; count: number }>`
    with account as (
      select id from ledger_accounts where kind = 'service-fees' and partner_id is null)
    select count(*) as count,
      (coalesce((select amount from checked_balances
          where account_id = (select id from account)), 0)
        + coalesce(sum(amount) filter (where credit_account_id = (select id from account)), 0)
        - coalesce(sum(amount) filter (where debit_account_id = (select id from account)), 0)
      )::text as balance
    from (
      select debit_account_id, credit_account_id, amount from ledger_transfers
      where id > (select checked_to from book_checkpoints where source = 'sums')
      order by id limit ${mostNew + 1}) as newer`.execute(database);
  const [row] = rows;
  return row && row.count <= mostNew ? parseMoney(row.balance) : undefined;
}
