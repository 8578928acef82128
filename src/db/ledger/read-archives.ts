import { sql } from 'kysely';
import {
  allRows,
  type Database,
  firstValue,
  inSnapshot,
  onlyRow,
  type Sql,
} from '../connection.ts';
import type { ArchivedTransfer } from './archive-files.ts';
import { type DayFile, isInFileOnly, isUsual, readArchived } from './archives.ts';
import { accountsWithWallets } from './own-movements.ts';

/** SQL expression: the UTC day of a moment. */
const dayOf = (moment: Sql) => sql`(${moment} at time zone 'UTC')::date`;

/** The files of a partner, the oldest first, whose `day` meets a condition. The transaction may wait for them. */
async function listFiles(
  snapshot: Database,
  partnerId: number,
  condition: Sql,
): Promise<DayFile[]> {
  const files = await allRows<DayFile>(snapshot)`
    select day::text as day, file, sha256 from ledger_archives as archive
    where partner_id = ${partnerId} and ${isInFileOnly} and ${condition} order by day`;
  // Years of files take longer than a transaction may be idle.
  if (files.length > 0)
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(snapshot);
  return files;
}

/** The newest day of a partner with a file, YYYY-MM-DD, that meets a condition; also one that was restored. */
const newestDay = (database: Database, partnerId: number, condition: Sql) =>
  firstValue<string>(database)`
    select day::text as day from ledger_archives as archive
    where partner_id = ${partnerId} and ${condition} order by archive.day desc limit 1`;

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
  begin: Sql,
  end: Sql,
): Promise<ArchivedTransfer[]> =>
  readFiles(await listFiles(snapshot, partnerId, sql`day in (${dayOf(begin)}, ${dayOf(end)})`));

/** SQL condition: an archived day is one of those of a range, from and before a moment; undefined has no end. */
const isDayBetween = (from: Date | string | undefined, before: Date | string | undefined) =>
  sql`(archive.day >= ${dayOf(sql`coalesce(${from ?? null}::timestamptz, '-infinity')`)}
    and archive.day <= ${dayOf(sql`coalesce(${before ?? null}::timestamptz, 'infinity')`)})`;

/**
 * SQL condition on an archived day: operations moved money on it. Each operation says by its voucher, redemption or
 * attempt on which days it did.
 */
const isDayOf = (operationIds: readonly string[]) => sql`day in (
  select ${dayOf(sql`at`)} from (
    select created_at, null::timestamptz, operation_id from vouchers
    union all select created_at, settled_at, operation_id from redemptions
    union all select created_at, settled_at, operation_id from topup_attempts
  ) as moved (begun_at, ended_at, operation_id)
  cross join lateral (values (begun_at), (ended_at)) as moment (at)
  where operation_id = any(${operationIds}::text[]))`;

/** The archived transfers of operations of a partner. */
export async function readArchivedOperations(
  snapshot: Database,
  partnerId: number,
  operationIds: readonly string[],
): Promise<ArchivedTransfer[]> {
  const wanted = new Set(operationIds);
  const files = await listFiles(snapshot, partnerId, isDayOf(operationIds));
  return readFiles(files, ({ operation_id: operation }) => wanted.has(operation));
}

/** SQL expression: the moment of a cursor. */
export const cursorMoment = (micros: number) =>
  sql`(timestamptz 'epoch' + ${micros}::bigint * interval '1 microsecond')`;

/** A page of the changes of wallets. */
export interface ArchivedPage {
  readonly partnerId: number;
  readonly wallets: readonly string[];
  /** The first moment, inclusive. */
  readonly from: Date | string | undefined;
  /** The last moment, exclusive. */
  readonly to: Date | string | undefined;
  readonly order: 'oldest' | 'newest';
  /** Where the page before ended: microseconds since 1970, and a transfer of then. */
  readonly after: { readonly micros: number; readonly id: number } | undefined;
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
  const { partnerId, order, limit, after: cursor } = page;
  const range = isDayBetween(page.from, page.to);
  const inTable = await read(database, []);
  // Read after the lines, because a day may be archived meanwhile, or restored.
  const newest = await newestDay(database, partnerId, range);
  const oldest =
    order === 'newest' ? inTable[limit - 1]?.at : cursor && new Date(cursor.micros / 1_000);
  const isNewer = oldest && newest && oldest.toISOString().slice(0, 10) > newest;
  if (!newest || isNewer) return inTable;
  return inSnapshot(database, async (snapshot) => {
    const walletOf = await walletsOf(snapshot, page);
    const files = await listFiles(snapshot, partnerId, sql`${range} and ${hasLines(walletOf)}`);
    const edges = await edgesOf(snapshot, page);
    const isWanted = isOnPage(page, edges, walletOf);
    const after = edges.after.slice(0, 10);
    const transfers: ArchivedTransfer[] = [];
    for (const file of order === 'oldest' ? files : files.toReversed()) {
      // One of them may be that of the cursor, which the page before had.
      if (transfers.length > limit) break;
      const isPassed = order === 'oldest' ? file.day < after : file.day > after;
      if (!isPassed) transfers.push(...(await readFiles([file], isWanted)));
    }
    return read(snapshot, transfers);
  });
}

/** The accounts of a partner, each with its wallet where a page is about that wallet. */
type Wallets = ReadonlyMap<number, string | undefined>;

async function walletsOf(
  snapshot: Database,
  { partnerId, wallets }: ArchivedPage,
): Promise<Wallets> {
  const rows = await allRows<{ id: number; wallet: string }>(snapshot)`
    select id, wallet from (${accountsWithWallets(partnerId)}) as accounts`;
  return new Map(rows.map(({ id, wallet }) => [id, wallets.includes(wallet) ? wallet : undefined]));
}

/**
 * SQL condition on an archived day: a transfer of it is a line of a wallet. The sums of the day say so without its file.
 * `offset 0` keeps the steps out of the search, so that PostgreSQL looks for an account and a day along the primary key.
 */
function hasLines(walletOf: Wallets): Sql {
  const ids = [...walletOf.keys()];
  const wallets = [...new Set(walletOf.values())].filter((wallet) => wallet !== undefined);
  const isLine = wallets.map((wallet) => {
    const own = ids.filter((id) => walletOf.get(id) === wallet);
    return sql`(debit_account_id = any(${own}::bigint[])) <> (credit_account_id = any(${own}::bigint[]))`;
  });
  return sql`exists (
    select from unnest(${ids}::bigint[]) as debit (id) cross join lateral (
      select debit_account_id, credit_account_id, step from ledger_day_sums
      where debit_account_id = debit.id and ledger_day_sums.day = archive.day offset 0) as sums
    where ${isUsual} and (${sql.join(isLine, sql` or `)}))`;
}

/** The moments between which the transfers of a page are, and its cursor. */
type Edges = Readonly<Record<'first' | 'before' | 'after', string>>;

/** The edges of a page as files have moments; texts are in the order of their moments. */
function edgesOf(snapshot: Database, { from, to, order, after }: ArchivedPage) {
  const text = (moment: Sql) => sql`to_char(
    least(greatest(${moment}, '0001-01-01'), '9999-12-31') at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US+00')`;
  const begin = order === 'oldest' ? '-infinity' : 'infinity';
  return onlyRow<Edges>(snapshot, 'A page always has its edges')`
    select ${text(sql`coalesce(${from ?? null}::timestamptz, '-infinity')`)} as first,
      ${text(sql`coalesce(${to ?? null}::timestamptz, 'infinity')`)} as before,
      ${text(after ? cursorMoment(after.micros) : sql`${begin}::timestamptz`)} as after`;
}

/** Whether a transfer is a line of a wallet within the range, and not before the cursor. */
function isOnPage(
  { order, after }: ArchivedPage,
  edges: Edges,
  walletOf: Wallets,
): (transfer: ArchivedTransfer) => boolean {
  return ({ id, created_at: at, debit_account_id: debit, credit_account_id: credit }) => {
    if (walletOf.get(debit) === walletOf.get(credit)) return false;
    if (at < edges.first || at >= edges.before) return false;
    const ahead = at === edges.after ? id - (after?.id ?? id) : at > edges.after ? 1 : -1;
    return order === 'oldest' ? ahead >= 0 : ahead <= 0;
  };
}

/** Transfers are only in files, where a report of all partners and a change of an order do not look for them. */
export class ArchivedError extends Error {
  override readonly name = 'ArchivedError';

  constructor({ day }: { readonly day: string }) {
    const month = day.slice(0, 7);
    super(
      `The transfers of ${month} are archived: bring them back with "money archive restore ${month}" first`,
    );
  }
}

/** @throws {ArchivedError} names the first month from a moment on with archived transfers */
export async function requireInLedger(snapshot: Database, from: Sql): Promise<void> {
  const day = await firstValue<string>(snapshot)`
    select archive.day::text from ledger_archives as archive
    where ${isInFileOnly} and archive.day >= ${dayOf(from)} order by archive.day limit 1`;
  if (day !== undefined) throw new ArchivedError({ day });
}

/**
 * SQL expression: the first day with archived transfers of an operation of a partner, YYYY-MM-DD; null where there is
 * none, as without a partner.
 */
export const archivedDayOf = (operation: {
  readonly partnerId: number | null;
  readonly operationId: string;
}) => sql<string | null>`(
  select min(day)::text from ledger_archives as archive
  where partner_id = ${operation.partnerId}::bigint and ${isInFileOnly}
    and ${isDayOf([operation.operationId])})`;
