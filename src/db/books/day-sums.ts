import { sql } from 'kysely';
import type { Database } from '../connection.ts';
import { moveCheckpoint, readCheckpoints } from './checkpoints.ts';
import { inSnapshot } from './in-snapshot.ts';

/** Transfers that one statement adds up. */
const BATCH_SIZE = 50_000;

/** SQL expression: the last transfer that the daily sums contain. */
export const daySumsEnd = sql`(select checked_to from book_checkpoints where source = 'day-sums')`;

/** SQL expression: the kind of operation by which a transfer ends a voucher; else empty. */
export const endOf = sql`coalesce(substring(operation_id from '^(cancel|expire)-'), '')`;

/**
 * Adds settled transfers to the sums of their UTC days. If the time is up, the next check continues.
 * Readers add later transfers to the sums themselves.
 */
export async function addDaySums(
  database: Database,
  { endsAt, settleSeconds }: { readonly endsAt: number; readonly settleSeconds?: number },
): Promise<void> {
  const { checkedTo, settledTo } = (await readCheckpoints(database, settleSeconds))['day-sums'];
  for (let from = checkedTo; from < settledTo && Date.now() <= endsAt; ) {
    const to = Math.min((await nextTransfer(database, from)) + BATCH_SIZE, settledTo);
    await inSnapshot(database, async (transaction) => {
      await sql`
        insert into ledger_day_sums as sums
          (day, debit_account_id, credit_account_id, step, ended, count, amount)
        select (created_at at time zone 'UTC')::date, debit_account_id, credit_account_id, step,
          ${endOf}, count(1), sum(amount)
        from ledger_transfers where id > ${from} and id <= ${to}
        group by 1, 2, 3, 4, 5
        on conflict (debit_account_id, day, credit_account_id, step, ended)
        do update set count = sums.count + excluded.count, amount = sums.amount + excluded.amount
      `.execute(transaction);
      await moveCheckpoint(transaction, 'day-sums', to);
    });
    from = to;
  }
}

/** The id of the first transfer after an id; after a restore many ids are skipped. Infinite if there is none. */
async function nextTransfer(database: Database, after: number): Promise<number> {
  const { rows } = await sql<{ id: number | null }>`
    select min(id) as id from ledger_transfers where id > ${after}`.execute(database);
  return rows[0]?.id ?? Number.POSITIVE_INFINITY;
}

/**
 * The partners' accounts whose balance differs from their daily sums and the later transfers: one line
 * per fault. The answer is empty until all old transfers are in the sums.
 */
export async function brokenDaySums(snapshot: Database): Promise<string[]> {
  const { rows } = await sql<{ fault: string }>`
    with entry as (
      select debit_account_id as account_id, -amount as amount from ledger_day_sums
      union all
      select credit_account_id, amount from ledger_day_sums
      union all
      select debit_account_id, -amount from ledger_transfers where id > ${daySumsEnd}
      union all
      select credit_account_id, amount from ledger_transfers where id > ${daySumsEnd}
    )
    select 'I2 the daily sums of an account are its balance: ' || kind || ' of partner ' || partner_id
      as fault
    from ledger_accounts as account
    left join (select account_id, sum(amount) as amount from entry group by account_id) as entries
      on account_id = account.id
    where balance <> coalesce(entries.amount, 0)
      and ${daySumsEnd} >= (select checked_to from book_checkpoints where source = 'sums')
    order by account.id`.execute(snapshot);
  return rows.map(({ fault }) => fault);
}
