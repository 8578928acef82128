import { type RawBuilder, sql } from 'kysely';
import { type Database, inSnapshot } from '../connection.ts';
import type { ArchivedTransfer } from './archive-files.ts';
import { archivedUntil, type DayFile, isInFileOnly, readArchived } from './archives.ts';
import { accountsWithWallets } from './own-movements.ts';

/** SQL expression: the UTC day of a moment. */
const dayOf = (moment: RawBuilder<unknown>) => sql`(${moment} at time zone 'UTC')::date`;

/** The files of a partner, the oldest first, whose `day` meets a condition. */
async function listFiles(
  snapshot: Database,
  partnerId: number,
  condition: RawBuilder<unknown>,
): Promise<DayFile[]> {
  const { rows } = await sql<DayFile>`
    select day::text as day, file, sha256 from ledger_archives as archive
    where partner_id = ${partnerId} and ${isInFileOnly} and ${condition} order by day`.execute(
    snapshot,
  );
  return rows;
}

async function readFiles(
  files: readonly DayFile[],
  isWanted?: (transfer: ArchivedTransfer) => boolean,
): Promise<ArchivedTransfer[]> {
  const transfers: ArchivedTransfer[] = [];
  for (const file of files) transfers.push(...(await readArchived(file, isWanted)));
  return transfers;
}

/** The archived transfers of a partner on the UTC days in which a range begins and ends. */
export const readArchivedEdges = async (
  snapshot: Database,
  partnerId: number,
  begin: RawBuilder<unknown>,
  end: RawBuilder<unknown>,
): Promise<ArchivedTransfer[]> =>
  readFiles(await listFiles(snapshot, partnerId, sql`day in (${dayOf(begin)}, ${dayOf(end)})`));

/** The archived transfers of a partner on the UTC days of a range. */
export const readArchivedRange = async (
  snapshot: Database,
  partnerId: number,
  range: RawBuilder<unknown>,
): Promise<ArchivedTransfer[]> => readFiles(await listFiles(snapshot, partnerId, range));

/** SQL condition: an archived day is one of those of a range, from and before a moment; undefined has no end. */
export const isDayBetween = (from: Date | string | undefined, before: Date | string | undefined) =>
  sql`(archive.day >= ${dayOf(sql`coalesce(${from ?? null}::timestamptz, '-infinity')`)}
    and archive.day <= ${dayOf(sql`coalesce(${before ?? null}::timestamptz, 'infinity')`)})`;

/**
 * The archived transfers of operations of a partner. Each operation says by its voucher, redemption or attempt on which
 * days it moved money.
 */
export async function readArchivedOperations(
  snapshot: Database,
  partnerId: number,
  operationIds: readonly string[],
): Promise<ArchivedTransfer[]> {
  const wanted = new Set(operationIds);
  const files = await listFiles(
    snapshot,
    partnerId,
    sql`day in (
      select ${dayOf(sql`at`)} from (
        select created_at, null::timestamptz, operation_id from vouchers
        union all select created_at, settled_at, operation_id from redemptions
        union all select created_at, settled_at, operation_id from topup_attempts
      ) as moved (begun_at, ended_at, operation_id)
      cross join lateral (values (begun_at), (ended_at)) as moment (at)
      where operation_id = any(${operationIds}::text[]))`,
  );
  return readFiles(files, ({ operation_id: operation }) => wanted.has(operation));
}

/** A page of the changes of wallets. */
export interface ArchivedPage {
  readonly partnerId: number;
  readonly from: Date | string | undefined;
  readonly to: Date | string | undefined;
  readonly order: 'oldest' | 'newest';
  /** Microseconds since 1970: where the page before ended. */
  readonly afterMicros: number | undefined;
  readonly limit: number;
}

/**
 * Reads a page of changes of wallets: from the table, and from as many files as the page needs.
 *
 * @param read reads the page from the table and from the given transfers of files
 */
export async function withArchivedPage<Line extends { readonly at: Date }>(
  database: Database,
  page: ArchivedPage,
  read: (snapshot: Database, archived: readonly ArchivedTransfer[]) => Promise<Line[]>,
): Promise<Line[]> {
  const { partnerId, order, afterMicros, limit } = page;
  const range = isDayBetween(page.from, page.to);
  if ((await listFiles(database, partnerId, range)).length === 0) return read(database, []);
  return inSnapshot(database, async (snapshot) => {
    const files = await listFiles(snapshot, partnerId, range);
    const newest = files.at(-1);
    if (order === 'newest' && newest) {
      const lines = await read(snapshot, []);
      const last = lines[limit - 1];
      if (last && last.at.toISOString().slice(0, 10) > newest.day) return lines;
    }
    const isWanted = isOnPage(page, await walletsOf(snapshot, partnerId));
    const after = afterMicros === undefined ? undefined : textOf(afterMicros).slice(0, 10);
    const transfers: ArchivedTransfer[] = [];
    for (const file of order === 'oldest' ? files : files.toReversed()) {
      if (transfers.length > limit) break;
      const isPassed = order === 'oldest' ? file.day < (after ?? '') : file.day > (after ?? '9999');
      if (!isPassed) transfers.push(...(await readFiles([file], isWanted)));
    }
    return read(snapshot, transfers);
  });
}

/** The wallet of each account of a partner. */
async function walletsOf(
  snapshot: Database,
  partnerId: number,
): Promise<ReadonlyMap<number, string>> {
  const { rows } = await sql<{ id: number; wallet: string }>`
    select id, wallet from (${accountsWithWallets(partnerId)}) as accounts`.execute(snapshot);
  return new Map(rows.map(({ id, wallet }) => [id, wallet]));
}

/** A moment as files have it; texts are in the order of their moments. */
const textOf = (micros: number): string => {
  const iso = new Date(Math.floor(micros / 1_000)).toISOString();
  return `${iso.slice(0, -1).replace('T', ' ')}${String(micros % 1_000).padStart(3, '0')}+00`;
};

/** Whether a transfer changes a wallet within the range, and after the page before. */
function isOnPage(
  { from, to, order, afterMicros }: ArchivedPage,
  walletOf: ReadonlyMap<number, string>,
): (transfer: ArchivedTransfer) => boolean {
  const micros = (moment: Date | string) => new Date(moment).getTime() * 1_000;
  const first = from === undefined ? '' : textOf(micros(from));
  const end = to === undefined ? '9999' : textOf(micros(to) + 1_000);
  const after = afterMicros === undefined ? undefined : textOf(afterMicros);
  return ({ created_at: at, debit_account_id: debit, credit_account_id: credit }) =>
    walletOf.get(debit) !== walletOf.get(credit) &&
    at >= first &&
    at < end &&
    (after === undefined || (order === 'oldest' ? at >= after : at <= after));
}

/** Transfers of a time are only in files, where a report of all partners does not look for them. */
class ArchivedError extends Error {
  override readonly name = 'ArchivedError';

  constructor(month: string) {
    super(
      `The transfers of ${month} are archived: bring them back with "money archive restore ${month}" first`,
    );
  }
}

/** @throws {ArchivedError} where transfers from a moment on are archived */
export async function requireInLedger(
  snapshot: Database,
  from: RawBuilder<unknown>,
): Promise<void> {
  const { rows } = await sql<{ month: string }>`
    select to_char(${from} at time zone 'UTC', 'YYYY-MM') as month
    where ${from} < ${archivedUntil}`.execute(snapshot);
  if (rows[0]) throw new ArchivedError(rows[0].month);
}
