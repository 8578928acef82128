import { type Expression, sql } from 'kysely';
import { type StoredNumber, sealingKeyOf } from '../domain/phone.ts';
import {
  allRows,
  changedRows,
  type Database,
  type DatabaseTransaction,
  firstValue,
  type Sql,
} from './connection.ts';
import { givenRows } from './given-rows.ts';
import type { RepairRow } from './repairs/repairs.ts';

/** Every column that holds a phone number of a person, those that others are copied from first. */
export const numberColumns = [
  { table: 'vouchers', column: 'owner_msisdn' },
  { table: 'topups', column: 'msisdn' },
  { table: 'topup_attempts', column: 'msisdn' },
  { table: 'topup_retries', column: 'msisdn' },
  { table: 'bulk_lines', column: 'owner_msisdn' },
  { table: 'messages', column: 'msisdn' },
  { table: 'repairs', column: 'former_msisdn' },
] as const;

type NumberColumn = (typeof numberColumns)[number];

/** Pages of a table that one statement reads: a few thousand rows at most. */
const PAGES = 32;
const PAGE_BYTES = 8_192;

interface FoundNumber {
  readonly tupleId: string;
  readonly stored: StoredNumber;
}

/** The numbers of some pages of a table. */
const numbersOfPages = (
  database: Database,
  { table, column }: NumberColumn,
  from: number,
) => allRows<FoundNumber>(database)`
    select ctid::text as "tupleId", ${sql.ref(column)} as stored from ${sql.table(table)}
    where ctid >= ${`(${from},0)`}::tid and ctid < ${`(${from + PAGES},0)`}::tid
      and ${sql.ref(column)} is not null`;

const pagesOf = async (database: Database, { table }: NumberColumn): Promise<number> => {
  const bytes = await firstValue(database, 0)`select pg_relation_size(${table}::regclass)`;
  return bytes / PAGE_BYTES;
};

/**
 * Seals the numbers of a column that are not under the first key, in short transactions.
 * A row that changes meanwhile moves, and is found by the next run. Returns how many were sealed.
 */
export async function resealColumn(
  database: Database,
  numberColumn: NumberColumn,
  /** The number as it is to be stored; undefined where it is so already. */
  resealed: (stored: StoredNumber) => StoredNumber | undefined,
  {
    begin,
    note,
  }: {
    /** Awaited before each change. */
    readonly begin: () => Promise<void>;
    readonly note: (sealed: number) => void;
  },
): Promise<number> {
  const { table, column } = numberColumn;
  let sealed = 0;
  for (let from = 0; from < (await pagesOf(database, numberColumn)); from += PAGES) {
    const outdated = (await numbersOfPages(database, numberColumn, from)).flatMap((found) => {
      const renewed = resealed(found.stored);
      return renewed === undefined ? [] : [{ ...found, renewed }];
    });
    if (outdated.length === 0) continue;
    await begin();
    const changed = await changedRows(database)`
      update ${sql.table(table)} as row set ${sql.ref(column)} = given.renewed
      from ${givenRows({ tupleId: 'text', stored: 'text', renewed: 'text' }, outdated)}
      where row.ctid = given."tupleId"::tid and row.${sql.ref(column)} = given.stored`;
    sealed += changed;
    note(sealed);
  }
  return sealed;
}

/** The numbers of a column by how they are stored: a key's id, or "erased". */
export async function countNumbers(
  database: Database,
  numberColumn: NumberColumn,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (let from = 0; from < (await pagesOf(database, numberColumn)); from += PAGES)
    for (const { stored } of await numbersOfPages(database, numberColumn, from)) {
      const kind = sealingKeyOf(stored) ?? 'erased';
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
  return counts;
}

/** SQL condition: the row has ended for longer than the retention; no row where the retention is 0. */
const isOlder = (column: Sql, days: number) =>
  sql`${days}::int > 0 and ${column} < now() - make_interval(days => ${days}::int)`;

const ENDED_VOUCHER = sql`status in ('REDEEMED', 'EXPIRED', 'CANCELLED')`;

/**
 * SQL condition on `topups`: nothing will be sent, asked or reversed. The open retries are counted for each
 * row, because an anti-join would read all of them.
 */
const isSettledTopup = sql`topups.status in ('SUCCESS', 'FAILED')
  and not exists (select from topup_attempts as attempt where attempt.topup_id = topups.id
    and (attempt.status = 'HELD'
      -- a provider is asked again by the number
      or exists (select from placements where placements.operation_id = attempt.operation_id
        and placements.ask_at is not null)))
  and (select count(*) from topup_retries as retry where retry.topup_id = topups.id
    and retry.is_open) = 0
  and not exists (select from repairs where repairs.topup_id = topups.id
    and repairs.state in ('ASKED', 'READY', 'RUNNING'))`;

/** SQL assignment: a correction has the number before it, too. */
const FORMER_ERASED = sql`former_msisdn = case when former_msisdn is not null then 'erased' end`;

/**
 * Erases the numbers of what ended before the retention; the rows stay, and with them all amounts.
 * Rows that another process has locked wait for the next run.
 */
export const numberErasures = {
  'numbers of vouchers': ({ numberRetentionDays }, batchSize) => sql`
    update vouchers set owner_msisdn = 'erased' where id = any(array(
      select id from vouchers
      where owner_msisdn <> 'erased' and ${ENDED_VOUCHER}
        and ${isOlder(sql`expires_at`, numberRetentionDays)}
      order by expires_at limit ${batchSize} for update skip locked))`,

  'numbers of messages': ({ numberRetentionDays }, batchSize) => sql`
    update messages set msisdn = 'erased' where id = any(array(
      select messages.id from messages
      join vouchers on vouchers.id = messages.voucher_id and vouchers.${ENDED_VOUCHER}
      where messages.msisdn <> 'erased' and ${isOlder(sql`messages.created_at`, numberRetentionDays)}
        and ${isOlder(sql`vouchers.expires_at`, numberRetentionDays)} and settled_at is not null
      order by messages.created_at limit ${batchSize} for update of messages skip locked))`,

  'numbers of top-ups': ({ numberRetentionDays }, batchSize) => sql`
    with due as (
      select id from topups
      where msisdn <> 'erased' and ${isOlder(sql`created_at`, numberRetentionDays)}
        and ${isOlder(sql`updated_at`, numberRetentionDays)} and ${isSettledTopup}
      order by created_at limit ${batchSize} for update skip locked
    ), attempts as (
      update topup_attempts set msisdn = 'erased'
      where topup_id = any(array(select id from due))
    ), retries as (
      update topup_retries set msisdn = 'erased'
      where topup_id = any(array(select id from due)) and msisdn is not null
    )
    update topups set msisdn = 'erased' where id = any(array(select id from due))`,

  'numbers of repairs': ({ numberRetentionDays }, batchSize) => sql`
    update repairs set sealed_arguments = null, ${FORMER_ERASED} where id = any(array(
      select id from repairs
      where sealed_arguments is not null and state in ('DONE', 'REFUSED', 'EXPIRED')
        and ${isOlder(sql`changed_at`, numberRetentionDays)}
      order by id limit ${batchSize} for update skip locked))`,

  'numbers of bulk lines': ({ numberRetentionDays }, batchSize) => sql`
    update bulk_lines set owner_msisdn = 'erased' where ctid = any(array(
      select ctid from bulk_lines
      where owner_msisdn <> 'erased' and ${isOlder(sql`settled_at`, numberRetentionDays)}
      order by settled_at limit ${batchSize} for update skip locked))`,
} satisfies Record<string, (retention: NumberRetention, batchSize: number) => Sql>;

interface NumberRetention {
  readonly numberRetentionDays: number;
}

/**
 * SQL expression: the part of a stored number by which it is found and compared. The indexes have the
 * same expression.
 */
export const numberKey = (column: Expression<unknown>) =>
  sql<string>`split_part(${column}, '.', 1)`;

/** SQL condition: a column has the number of this hash (`NumberBox.hashOf`); none has undefined. */
export const hasNumber = (column: string, hash: string | undefined) =>
  sql<boolean>`${numberKey(sql.ref(column))} = ${hash ?? null}`;

/** A use that still needs a number. */
export interface LiveUse {
  readonly kind: 'voucher' | 'top-up' | 'bulk order' | 'message' | 'repair';
  readonly id: number;
}

/** A number to erase, as rows have it. */
interface SoughtNumber {
  /** The keyed hash of the number (`NumberBox.hashOf`). */
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
 * The repairs that were given a number and still have it, batch by batch along their index; a
 * retention ends them. A repair that changes meanwhile comes again, later.
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
    const rows: readonly NumberedRepair[] = await allRows<NumberedRepair>(transaction)`
      select id, changed_at::text as "changedAt", arguments, sealed_arguments, operation_id
      from repairs
      where sealed_arguments is not null and changed_at >= ${last.changedAt}::timestamptz
        and (changed_at, id) > (${last.changedAt}::timestamptz, ${last.id}::bigint)
      order by changed_at, id limit ${batchSize}`;
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
  // Repairs of vouchers and top-ups with the number may hold it under a key that is gone.
  await sql`update repairs set sealed_arguments = null, ${FORMER_ERASED}
    where ${namesNumber(sought)} and sealed_arguments is not null`.execute(transaction);
  for (const { table, column } of numberColumns) {
    const changed = await changedRows(transaction)`
      update ${sql.table(table)} set ${sql.ref(column)} = 'erased'
      where ${hasNumber(column, hash)} and ${sql.ref(column)} is not null`;
    erased[table] = changed;
  }
  // Repairs that were given the number, and repairs that corrected it.
  erased.repairs = (erased.repairs ?? 0) + repairIds.length;
  await sql`delete from number_daily_counts where number_digest = ${digest}`.execute(transaction);
  return erased;
}
