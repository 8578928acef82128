import { sql } from 'kysely';
import type { DatabaseTransaction } from '../connection.ts';
import type { RepairRow } from '../repairs/audit-repair.ts';
import { numberColumns } from './number-columns.ts';
import { FORMER_ERASED, isSettledTopup } from './number-erasures.ts';
import { hasNumber } from './number-key.ts';

/** What a number is still needed for. */
export interface LiveUse {
  readonly kind: 'voucher' | 'top-up' | 'bulk order' | 'message' | 'repair';
  readonly id: number;
}

/** A number to erase, as rows have it. */
export interface SoughtNumber {
  /** Of `NumberBox.hashOf`. */
  readonly hash: string;
  /** The repairs that somebody gave it to. */
  readonly repairIds: readonly number[];
}

/** SQL condition on `repairs`: about a voucher or a top-up with the number, or given the number. */
const namesNumber = ({ hash, repairIds }: SoughtNumber) => sql`(
  id = any(${repairIds}::bigint[]) or voucher_id in (select id from vouchers
    where ${hasNumber('owner_msisdn', hash)} and owner_msisdn is not null)
  or topup_id in (select topup_id from topup_attempts where ${hasNumber('msisdn', hash)}))`;

const REPAIRS_AT_ONCE = 1_000;

/** A repair that somebody gave a number to: which one, only the keys of the process tell. */
interface NumberedRepair
  extends Pick<RepairRow, 'id' | 'arguments' | 'sealed_arguments' | 'operation_id'> {
  /** As PostgreSQL writes it: a Date has no microseconds. */
  readonly changedAt: string;
}

/**
 * The repairs that were given a number and still have it, batch by batch along their index; a retention ends them.
 * One that changes meanwhile comes again, later.
 */
export async function* repairsWithNumbers(
  transaction: DatabaseTransaction,
  batchSize = REPAIRS_AT_ONCE,
): AsyncGenerator<readonly NumberedRepair[]> {
  let last: Pick<NumberedRepair, 'id' | 'changedAt'> | undefined = {
    id: 0,
    changedAt: '-infinity',
  };
  while (last) {
    const { rows }: { rows: NumberedRepair[] } = await sql<NumberedRepair>`
      select id, changed_at::text as "changedAt", arguments, sealed_arguments, operation_id
      from repairs
      where sealed_arguments is not null and changed_at >= ${last.changedAt}::timestamptz
        and (changed_at, id) > (${last.changedAt}::timestamptz, ${last.id}::bigint)
      order by changed_at, id limit ${batchSize}`.execute(transaction);
    if (rows.length > 0) yield rows;
    last = rows.length < batchSize ? undefined : rows.at(-1);
  }
}

/** Up to ten uses that forbid to erase a number; their rows are locked until the transaction ends. */
export async function liveUses(
  transaction: DatabaseTransaction,
  sought: SoughtNumber,
): Promise<LiveUse[]> {
  const { hash } = sought;
  const queries = [
    sql<LiveUse>`select 'voucher' as kind, id from vouchers
      where ${hasNumber('owner_msisdn', hash)} and owner_msisdn is not null
        and (status in ('ACTIVE', 'REDEEM_INITIATED', 'REDEEM_PROCESSING')
          -- its value comes back, to be claimed again
          or exists (select from redemption_reversals as reversal
            join redemptions on redemptions.id = reversal.redemption_id
            where redemptions.voucher_id = vouchers.id and reversal.status = 'PENDING'))
      order by id limit 10 for update`,
    sql<LiveUse>`select 'top-up' as kind, id from topups
      where (${hasNumber('msisdn', hash)} or id in (
          select topup_id from topup_attempts where ${hasNumber('msisdn', hash)}))
        and not (${isSettledTopup})
      order by id limit 10 for update`,
    sql<LiveUse>`select 'bulk order' as kind, bulk_order_id as id from bulk_lines
      where ${hasNumber('owner_msisdn', hash)} and status = 'PENDING' order by 2 limit 10`,
    sql<LiveUse>`select 'message' as kind, id from messages
      where ${hasNumber('msisdn', hash)} and status in ('QUEUED', 'SENDING')
      order by id limit 10 for update`,
    sql<LiveUse>`select 'repair' as kind, id from repairs
      where ${namesNumber(sought)} and state in ('ASKED', 'READY', 'RUNNING')
      order by id limit 10 for update`,
  ];
  const uses: LiveUse[] = [];
  for (const query of queries) uses.push(...(await query.execute(transaction)).rows);
  return uses;
}

/** Replaces a number by "erased" wherever it is; returns the rows of each table. */
export async function eraseNumber(
  transaction: DatabaseTransaction,
  sought: SoughtNumber,
  digest: Buffer,
): Promise<Record<string, number>> {
  const { hash, repairIds } = sought;
  const erased: Record<string, number> = {};
  // Those about its vouchers and top-ups may hold it under a key that is gone.
  await sql`update repairs set sealed_arguments = null, ${FORMER_ERASED}
    where ${namesNumber(sought)} and sealed_arguments is not null`.execute(transaction);
  for (const { table, column } of numberColumns) {
    const { numAffectedRows = 0n } = await sql`
      update ${sql.table(table)} set ${sql.ref(column)} = 'erased'
      where ${hasNumber(column, hash)} and ${sql.ref(column)} is not null`.execute(transaction);
    erased[table] = Number(numAffectedRows);
  }
  // Those that it was given to, and those that corrected it.
  erased.repairs = (erased.repairs ?? 0) + repairIds.length;
  await sql`delete from number_daily_counts where number_digest = ${digest}`.execute(transaction);
  return erased;
}
