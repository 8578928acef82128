import { sql } from 'kysely';
import type { DatabaseTransaction } from '../connection.js';
import { numberColumns } from './number-columns.js';
import { isSettledTopup } from './number-erasures.js';
import { hasNumber } from './number-key.js';

/** What a number is still needed for. */
export interface LiveUse {
  readonly kind: 'voucher' | 'top-up' | 'bulk order' | 'message' | 'repair';
  readonly id: number;
}

/** SQL condition on `repairs`: about a voucher or a top-up with the number. */
const aboutNumber = (keys: readonly string[]) => sql`(
  voucher_id in (select id from vouchers
    where ${hasNumber('owner_msisdn', keys)} and owner_msisdn is not null)
  or topup_id in (select topup_id from topup_attempts where ${hasNumber('msisdn', keys)}))`;

/** Up to ten uses that forbid to erase a number; their rows are locked until the transaction ends. */
export async function liveUses(
  transaction: DatabaseTransaction,
  keys: readonly string[],
): Promise<LiveUse[]> {
  const queries = [
    sql<LiveUse>`select 'voucher' as kind, id from vouchers
      where ${hasNumber('owner_msisdn', keys)} and owner_msisdn is not null
        and status in ('ACTIVE', 'REDEEM_INITIATED', 'REDEEM_PROCESSING')
      order by id limit 10 for update`,
    sql<LiveUse>`select 'top-up' as kind, id from topups
      where (${hasNumber('msisdn', keys)} or id in (
          select topup_id from topup_attempts where ${hasNumber('msisdn', keys)}))
        and not (${isSettledTopup})
      order by id limit 10 for update`,
    sql<LiveUse>`select 'bulk order' as kind, bulk_order_id as id from bulk_lines
      where ${hasNumber('owner_msisdn', keys)} and status = 'PENDING' order by 2 limit 10`,
    sql<LiveUse>`select 'message' as kind, id from messages
      where ${hasNumber('msisdn', keys)} and status in ('QUEUED', 'SENDING')
      order by id limit 10 for update`,
    sql<LiveUse>`select 'repair' as kind, id from repairs
      where ${aboutNumber(keys)} and state in ('ASKED', 'READY', 'RUNNING')
      order by id limit 10 for update`,
  ];
  const uses: LiveUse[] = [];
  for (const query of queries) uses.push(...(await query.execute(transaction)).rows);
  return uses;
}

/** Replaces a number by "erased" wherever it is; returns the rows of each table. */
export async function eraseNumber(
  transaction: DatabaseTransaction,
  keys: readonly string[],
  digest: Buffer,
): Promise<Record<string, number>> {
  const erased: Record<string, number> = {};
  // They may name the number, too.
  await sql`update repairs set sealed_arguments = null
    where ${aboutNumber(keys)} and sealed_arguments is not null`.execute(transaction);
  for (const { table, column } of numberColumns) {
    const { numAffectedRows = 0n } = await sql`
      update ${sql.table(table)} set ${sql.ref(column)} = 'erased'
      where ${hasNumber(column, keys)} and ${sql.ref(column)} is not null`.execute(transaction);
    erased[table] = Number(numAffectedRows);
  }
  await sql`delete from number_daily_counts where number_digest = ${digest}`.execute(transaction);
  return erased;
}
