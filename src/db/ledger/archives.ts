import { access, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { sql } from 'kysely';
import { formatMoney, parseMoney } from '../../domain/money.ts';
import { CLOSED_AFTER_HOURS, type Month } from '../../domain/statements.ts';
import { checkedTo, KEPT_SUMS_LOCK } from '../books/rollup.ts';
import {
  allRows,
  allValues,
  type Database,
  type DatabaseTransaction,
  firstRow,
  firstValue,
  lockName,
  type Sql,
  withSettings,
} from '../connection.ts';
import { columnNames, givenRows } from '../given-rows.ts';
import {
  type ArchivedTransfer,
  ArchiveFileError,
  readArchiveFile,
  sumsOfArchiveFile,
  writeArchiveFile,
} from './archive-files.ts';

/** Transfers that one statement reads or restores. */
const BATCH_SIZE = 20_000;

/** Restored transfers are archived again after this time. */
export const RESTORED_DAYS = 30;

/** SQL condition: a transfer has a step of each sale, redemption or top-up; the text is that of the indexes. */
export const isUsual = sql.raw(
  `step in ('hold', 'reserve', 'post', 'post-payment', 'post-service-fee')`,
);

/** A UTC day of a partner. */
interface PartnerDay {
  readonly partnerId: number;
  /** YYYY-MM-DD */
  readonly day: string;
}

const columns = {
  id: 'bigint',
  created_at: 'text',
  operation_id: 'text',
  step: 'text',
  debit_account_id: 'bigint',
  credit_account_id: 'bigint',
  amount: 'text',
} as const;

/** SQL: the columns of given transfers, as the table has them. */
const givenColumns = sql`given.id, given.created_at::timestamptz, given.operation_id, given.step,
  given.debit_account_id, given.credit_account_id, given.amount::numeric`;

/**
 * SQL expressions behind `from`, each named ledger_transfers: the table, and the transfers of files where there are any. A
 * statement reads them one by one: joined to a union of both, PostgreSQL would read the whole table.
 */
export const transferSources = (archived: readonly ArchivedTransfer[]): readonly Sql[] =>
  archived.length === 0
    ? [sql`ledger_transfers`]
    : [
        sql`ledger_transfers`,
        sql`(select ${givenColumns} from ${givenRows(columns, archived)}) as ledger_transfers`,
      ];

/** SQL condition on `ledger_archives`: the transfers are only in the file. */
export const isInFileOnly = sql`restored_at is null`;

/** SQL query: the time from which on no transfer has been archived; null where none has been. */
export const archivedUntil = sql<Date | null>`(
  select (max(day) + 1)::timestamp at time zone 'UTC' from ledger_archives where ${isInFileOnly})`;

/** SQL query: the daily sums of transfers that are only in files, as entries of both accounts. */
export const archivedEntries = (condition: Sql = isInFileOnly) => sql`
  select archive.day, account_id, change
  from ledger_archives as archive
  join ledger_accounts as debit on debit.partner_id = archive.partner_id
  join ledger_day_sums as sums on sums.debit_account_id = debit.id and sums.day = archive.day
    and ${isUsual}
  cross join lateral (values (sums.credit_account_id, sums.amount), (sums.debit_account_id, -sums.amount))
    as entry (account_id, change)
  where ${condition}`;

/**
 * SQL condition on a transfer or a daily sum: the partner that it debits has a file of a day. `offset 0` makes PostgreSQL
 * look for each by its indexes, instead of reading all files: usually none is looked for.
 */
const hasFile = (day: Sql) => sql`exists (
  select from ledger_archives join ledger_accounts using (partner_id)
  where ledger_accounts.id = debit_account_id and ledger_archives.day = ${day} offset 0)`;

/** SQL condition on a daily sum: its transfers have a file. The sum is kept, because the file was compared with it. */
export const isKeptSum = sql`(${isUsual} and ${hasFile(sql`ledger_day_sums.day`)})`;

/** SQL condition on a transfer: its daily sum is no kept one; new transfers are not looked up. */
export const hasNoKeptSum = sql`(created_at >= now() - interval '13 months' or not ${isUsual}
  or not ${hasFile(sql`(created_at at time zone 'UTC')::date`)})`;

/**
 * SQL expression: when the oldest transfer that is not in the daily sums can have begun; infinity where all are. Transfers
 * have the time of their transaction, which lasts less than CLOSED_AFTER_HOURS.
 */
export const oldestUnsummed = sql`coalesce(
  (select created_at from ledger_transfers where id > ${checkedTo('ledger-sums')} order by id limit 1)
    - make_interval(hours => ${CLOSED_AFTER_HOURS}::int), 'infinity')`;

/** A text that changes with every archiving and restoring. */
export const archiveState = (database: Database) =>
  firstValue<string>(database, '')`
    select concat_ws(' ', count(*), max(archived_at), max(restored_at))
    from ledger_archives`;

interface ArchiveOptions {
  readonly folder: string;
  /** Days before this month are archived. */
  readonly before: Month;
  /** Awaited before each day. */
  readonly begin?: () => Promise<void>;
  /** Called with the number of transfers that were archived so far. */
  readonly note?: (count: number) => void;
  /** Called between the steps of a day. */
  readonly failpoint?: (name: 'archive-written' | 'archive-moved') => Promise<void> | undefined;
}

/** Youngest months that are never archived; a trigger refuses to move younger transfers than those of 13 months. */
export const MINIMUM_MONTHS = 13;

/** The first month that is too young to be archived after so many months. */
export function firstMonthKept(now: Date, months: number): Month {
  const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months));
  return first.toISOString().slice(0, 7) as Month;
}

/**
 * Archives the days before a month, each partner's day in a transaction, the oldest first. Days that were restored wait
 * for `RESTORED_DAYS`. Returns the number of transfers.
 *
 * @throws {ArchiveFileError} where a file does not have what the daily sums have, or the earlier files are gone
 */
export async function archiveDays(database: Database, options: ArchiveOptions): Promise<number> {
  const patient = withoutLimits(database);
  // The sums of all days are looked through, and only a transaction has no limit.
  const dueDays = await patient
    .transaction()
    .execute((transaction) =>
      listDueDays(transaction, sql`sums.day < ${`${options.before}-01`}::date`),
    );
  if (dueDays.length > 0) await requireEarlierFiles(database);
  let count = 0;
  for (const [index, due] of dueDays.entries()) {
    await options.begin?.();
    count += await patient.transaction().execute(async (transaction) => {
      const archived = await archiveDay(transaction, due, options);
      // The manifest is written before the last day of the month, so that a crash leaves no month without it.
      const month = due.day.slice(0, 7);
      if (!dueDays[index + 1]?.day.startsWith(month))
        await writeManifest(transaction, options.folder, month);
      return archived;
    });
    options.note?.(count);
  }
  return count;
}

/** How many of the newest files are looked for: a single file may be lost. */
const LOOKED_FOR = 20;

/** @throws {ArchiveFileError} where no earlier file is there: the files of a folder that is not mounted are lost with it */
async function requireEarlierFiles(database: Database): Promise<void> {
  const files = await allValues<string>(database)`
    select file from ledger_archives order by archived_at desc limit ${LOOKED_FOR}`;
  if (files.length === 0) return;
  await Promise.any(files.map((file) => access(file))).catch(() => {
    throw new ArchiveFileError(
      `${files[0]} is not there: ARCHIVE_FOLDER is not mounted, or is another folder`,
    );
  });
}

/** Writes next to the files of a month what they have: for those who read the files without the database. */
async function writeManifest(database: Database, folder: string, month: string): Promise<void> {
  const isOfMonth = sql`to_char(archive.day, 'YYYY-MM') = ${month}`;
  const files = await allRows<{ file: string }>(database)`
    select file, sha256, transfers, amount from ledger_archives as archive where ${isOfMonth}
    order by file`;
  if (files.length === 0) return;
  const accounts = await allRows(database)`
    select account_id as id, kind, partner_id as "partnerId", sum(change) as change
    from (${archivedEntries(isOfMonth)}) as entry join ledger_accounts as account on account.id = account_id
    group by account_id, kind, partner_id order by account_id`;
  const path = join(folder, `ledger-${month}`);
  const listed = files.map((one) => ({ ...one, file: relative(path, one.file) }));
  await writeFile(
    join(path, 'manifest.json'),
    `${JSON.stringify({ month, files: listed, accounts }, null, 2)}\n`,
  );
}

/** A transaction waits for its file, and a day may have millions of transfers. */
const withoutLimits = (database: Database): Database =>
  withSettings(database, { statement_timeout: 0, idle_in_transaction_session_timeout: 0 });

/**
 * The days of a condition on daily sums, `sums`, and accounts, `debit`, with usual transfers in the table. Days whose
 * sums or hours are not added up wait: a file is compared with the sums, and sales by hour need the transfers.
 */
const listDueDays = (database: Database, condition: Sql) =>
  allRows<PartnerDay>(database)`
    select distinct debit.partner_id as "partnerId", sums.day::text as day
    from ledger_day_sums as sums join ledger_accounts as debit on debit.id = sums.debit_account_id
    left join ledger_archives as archive
      on archive.partner_id = debit.partner_id and archive.day = sums.day
    where ${condition} and ${isUsual}
      and sums.day < (${oldestUnsummed} at time zone 'UTC')::date
      and extract(epoch from sums.day + 1) <= ${checkedTo('hour-sums')} * 3600 and (archive.day is null
      or restored_at < now() - make_interval(days => ${RESTORED_DAYS}))
    order by day, "partnerId"`;

const fileOf = (folder: string, { partnerId, day }: PartnerDay): string =>
  join(folder, `ledger-${day.slice(0, 7)}`, `partner-${partnerId}`, `${day}.csv.gz`);

/**
 * Moves the usual transfers of a day to a file. The file is read back and compared with the daily sums. Then the row of
 * the file takes them out of the table, by a trigger that compares both.
 */
async function archiveDay(
  transaction: DatabaseTransaction,
  due: PartnerDay,
  { folder, failpoint }: ArchiveOptions,
): Promise<number> {
  await lockName(transaction, KEPT_SUMS_LOCK);
  // Another process may have archived the day, and its file is the only place of the transfers then.
  const isOfDay = sql`debit.partner_id = ${due.partnerId} and sums.day = ${due.day}::date`;
  if ((await listDueDays(transaction, isOfDay)).length === 0) return 0;
  const file = fileOf(folder, due);
  await writeArchiveFile(folder, file, transfersOfDay(transaction, due));
  await failpoint?.('archive-written');
  const { sha256, transfers, amount, moved } = await sumsOfArchiveFile(file);
  const kept = await daySums(transaction, due);
  const isEqual =
    moved.size === kept.length &&
    kept.every((sum) => {
      const written = moved.get(sum.moved);
      return written?.count === sum.count && written.amount === parseMoney(sum.amount);
    });
  if (!isEqual)
    throw new ArchiveFileError(`${file} differs from the daily sums: see "money check-ledger"`);
  await sql`
    insert into ledger_archives (partner_id, day, file, sha256, transfers, amount)
    values (${due.partnerId}, ${due.day}, ${file}, ${sha256}, ${transfers}, ${formatMoney(amount)})
    on conflict (partner_id, day) do update set file = excluded.file, sha256 = excluded.sha256,
      transfers = excluded.transfers, amount = excluded.amount, archived_at = now(),
      restored_at = null`.execute(transaction);
  await failpoint?.('archive-moved');
  return transfers;
}

/** The usual transfers of a day in the table, account by account along an index. */
async function* transfersOfDay(
  database: Database,
  due: PartnerDay,
): AsyncGenerator<ArchivedTransfer[]> {
  const accounts = await allValues<number>(database)`
    select id from ledger_accounts where partner_id = ${due.partnerId} order by id`;
  for (const account of accounts) {
    let after: ArchivedTransfer | undefined;
    do {
      const rows = await allRows<ArchivedTransfer>(database)`
        select id, to_char(transfer.created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US+00') as created_at,
          operation_id, step, debit_account_id, credit_account_id, amount::text as amount
        from usual_transfers(${due.partnerId}, ${due.day}::date) as transfer
        where debit_account_id = ${account} and (transfer.created_at, id) >
          (${after?.created_at ?? '-infinity'}::timestamptz, ${after?.id ?? 0}::bigint)
        order by transfer.created_at, id limit ${BATCH_SIZE}`;
      if (rows.length > 0) yield rows;
      after = rows.length === BATCH_SIZE ? rows.at(-1) : undefined;
    } while (after);
  }
}

/** The daily sums of the usual transfers of a day, named as those of a file. */
const daySums = (database: Database, { partnerId, day }: PartnerDay) =>
  allRows<{ moved: string; count: number; amount: string }>(database)`
    select concat_ws(' ', debit_account_id, credit_account_id, step) as moved,
      sum(count)::bigint as count, sum(amount)::text as amount
    from ledger_day_sums join ledger_accounts as debit on debit.id = debit_account_id
    where debit.partner_id = ${partnerId} and day = ${day}::date and ${isUsual}
    group by 1`;

/** The file of a partner's day. */
export interface DayFile {
  readonly day: string;
  readonly file: string;
  readonly sha256: string;
}

/**
 * Brings the transfers of a month back from its files, each partner's day in a transaction. Returns their number. The
 * files stay.
 *
 * @throws {ArchiveFileError} where a file is missing or damaged; its day stays archived
 */
export async function restoreMonth(
  database: Database,
  month: Month,
  { begin, note }: Pick<ArchiveOptions, 'begin' | 'note'> = {},
): Promise<number> {
  const patient = withoutLimits(database);
  const first = `${month}-01`;
  const days = await allRows<PartnerDay>(patient)`
    select partner_id as "partnerId", day::text as day from ledger_archives
    where ${isInFileOnly} and day >= ${first}::date and day < ${first}::date + interval '1 month'
    order by day, partner_id`;
  let count = 0;
  for (const day of days) {
    await begin?.();
    count += await patient.transaction().execute((transaction) => restoreDay(transaction, day));
    note?.(count);
  }
  return count;
}

async function restoreDay(
  transaction: DatabaseTransaction,
  { partnerId, day }: PartnerDay,
): Promise<number> {
  await lockName(transaction, KEPT_SUMS_LOCK);
  const row = await firstRow<DayFile>(transaction)`
    update ledger_archives set restored_at = now()
    where partner_id = ${partnerId} and day = ${day}::date and ${isInFileOnly}
    returning day::text as day, file, sha256`;
  const transfers = row ? await readArchived(row) : [];
  for (let from = 0; from < transfers.length; from += BATCH_SIZE)
    await sql`
      insert into ledger_transfers (${columnNames(columns)}) overriding system value
      select ${givenColumns} from ${givenRows(columns, transfers.slice(from, from + BATCH_SIZE))}
    `.execute(transaction);
  return transfers.length;
}

/** The transfers of a file. @throws {ArchiveFileError} where it is missing or damaged */
export async function readArchived(
  { file, sha256 }: DayFile,
  isWanted: (transfer: ArchivedTransfer) => boolean = () => true,
): Promise<ArchivedTransfer[]> {
  const transfers: ArchivedTransfer[] = [];
  const found = await readArchiveFile(file, (transfer) => {
    if (isWanted(transfer)) transfers.push(transfer);
  });
  if (found !== sha256) throw new ArchiveFileError(`${file} is not the file that was archived`);
  return transfers;
}

/** A month with archived days. */
interface ArchivedMonth {
  readonly month: Month;
  readonly partners: number;
  readonly days: number;
  readonly transfers: number;
  /** Decimal string: the sum of all transfers. */
  readonly amount: string;
  /** The number of transfers that are in the table as well, until they are archived again. */
  readonly restored: number;
}

/** The archived months, the oldest first. */
export const listArchivedMonths = (database: Database) =>
  allRows<ArchivedMonth>(database)`
    select to_char(day, 'YYYY-MM') as month, count(distinct partner_id) as partners,
      count(distinct day) as days, sum(transfers)::bigint as transfers, sum(amount)::text as amount,
      coalesce(sum(transfers) filter (where restored_at is not null), 0)::bigint as restored
    from ledger_archives group by 1 order by 1`;
