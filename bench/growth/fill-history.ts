import { sql } from 'kysely';
import type pg from 'pg';
import { EVENT_DAYS, OPERATION_DAYS } from '../../activities/expiry.ts';
import type { Digests } from '../../src/crypto/digests.ts';
import { checkChangedBooks } from '../../src/db/books/check-changes.ts';
import { checkWholeBooks } from '../../src/db/books/check-whole.ts';
import { connectDatabase, type Database } from '../../src/db/connection.ts';
import { archiveDays, firstMonthKept } from '../../src/db/ledger/archives.ts';
import { pruneInTurns } from '../../src/db/pruning.ts';
import type { NumberBox } from '../../src/domain/phone.ts';
import { withSession } from '../../src/local/postgres.ts';
import { ownerOf, voucherCodeOf } from './history.ts';
import { type HistoryCompanies, historyRows, someRows } from './history-rows.ts';

/** Vouchers whose rows one round of statements writes. */
const CHUNK = 50_000;

/** The time of a history. */
export interface HistorySpan {
  readonly days: number;
  /** Transfers that are older than `ARCHIVED_MONTHS` are in files of this folder. */
  readonly archiveFolder?: string;
}

/** ARCHIVE_AFTER_MONTHS of the service. */
const ARCHIVED_MONTHS = 18;

interface HistoryOptions {
  /** Of a superuser; the database has companies and deposits, and no vouchers. */
  readonly databaseUrl: string;
  readonly digests: Pick<Digests, 'voucherCode'>;
  readonly numbers: Pick<NumberBox, 'store'>;
  readonly companies: HistoryCompanies;
  readonly vouchers: number;
  readonly span: HistorySpan;
  readonly signal: AbortSignal;
  /** Told how far it is. */
  readonly note: (detail: string) => void;
}

/**
 * Fills an otherwise idle database with vouchers and all that the service would have written about
 * them, checks the books, and leaves the database as after a quiet night: analyzed, with nothing left
 * to write, and in the memory of PostgreSQL.
 *
 * @throws when the books are not in order
 */
export async function fillHistory(options: HistoryOptions): Promise<void> {
  await withSession(options.databaseUrl, async (client) => {
    await writeRows(client, options);
    await closeAccounts(client, options);
    const database = connectDatabase(options.databaseUrl, { poolSize: 2, statementTimeoutMs: 0 });
    try {
      await requireBooks(database, options);
      await ageHistory(database, options);
    } finally {
      await database.destroy();
    }
    options.note('vacuum');
    await client.query('vacuum (freeze, analyze)');
    await client.query('checkpoint');
    options.note('into memory');
    await client.query('create extension if not exists pg_prewarm');
    await client.query(`
      select pg_prewarm(oid) from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'i', 'm', 't')`);
  });
}

/** Without triggers and foreign keys, and with the indexes built at the end: both take ten times as long. */
async function writeRows(client: pg.Client, options: HistoryOptions): Promise<void> {
  const { companies, vouchers, digests, numbers, signal, note } = options;
  const rows = historyRows(companies);
  const tables = Object.keys(rows);
  await client.query('set session_replication_role = replica');
  await client.query('set synchronous_commit = off');
  await client.query(`set maintenance_work_mem = '512MB'`);
  // What is not ready is neither read nor maintained, until the table's indexes are built again.
  await client.query(
    `update pg_index set indisready = false where indrelid = any($1::regclass[])`,
    [tables],
  );
  for (let from = 1; from <= vouchers; from += CHUNK) {
    const to = Math.min(from + CHUNK - 1, vouchers);
    const codes: string[] = [];
    const owners: string[] = [];
    for (let number = from; number <= to; number += 1) {
      codes.push(digests.voucherCode(voucherCodeOf(number)).toString('hex'));
      owners.push(String(numbers.store(ownerOf(number))));
    }
    const [drop = '', makeVouchers = '', makeRedemptions = ''] = someRows(
      companies,
      options.span.days,
    );
    await client.query(drop);
    await client.query(makeVouchers, [from, to, vouchers, codes, owners]);
    await client.query(makeRedemptions);
    await client.query('analyze some_vouchers, some_redemptions');
    for (const [table, statements] of Object.entries(rows)) {
      signal.throwIfAborted();
      note(`${to} of ${vouchers} vouchers, ${table}`);
      for (const statement of statements) await client.query(statement);
    }
  }
  for (const table of tables) {
    signal.throwIfAborted();
    note(`indexes of ${table}`);
    await client.query(`reindex table ${table}`);
  }
  for (const table of ['vouchers', 'redemptions'])
    await client.query(
      `select setval(pg_get_serial_sequence('${table}', 'id'), (select max(id) from ${table}))`,
    );
}

/** Sets the balances, and the checkpoints of the books as an upgrade of a grown database does. */
async function closeAccounts(client: pg.Client, { note }: HistoryOptions): Promise<void> {
  note('balances');
  await client.query(`
    update ledger_accounts set balance = coalesce((
      select sum(amount) from (
        select credit_account_id as account_id, sum(amount) as amount
        from ledger_transfers group by credit_account_id
        union all
        select debit_account_id, -sum(amount) from ledger_transfers group by debit_account_id
      ) as entries where account_id = ledger_accounts.id), 0)
    where balance is not null`);
  await client.query(`
    update book_checkpoints set checked_to = newest, next_to = newest from (values
      ('transfers', (select max(id) from ledger_transfers)),
      ('vouchers', (select max(id) from vouchers)),
      ('redemptions', (select max(id) from redemptions)),
      ('status-changes', (select max(id) from voucher_status_changes))) as ends (name, newest)
    where name = source`);
  await client.query('reset session_replication_role');
  await client.query('analyze');
}

/** Removes what retention has removed by now, and archives old transfers. */
async function ageHistory(database: Database, { span, note }: HistoryOptions): Promise<void> {
  note('retention');
  await pruneInTurns(
    database,
    {
      operationDays: OPERATION_DAYS,
      eventDays: EVENT_DAYS,
      signInSeconds: 900,
      sessionSeconds: 43_200,
      messageRetentionDays: 400,
      numberRetentionDays: 1_095,
    },
    { batchSize: 20_000, endsAt: Number.POSITIVE_INFINITY, note: () => {} },
  );
  const { archiveFolder: folder } = span;
  if (folder === undefined) return;
  await archiveDays(database, {
    folder,
    before: firstMonthKept(new Date(), ARCHIVED_MONTHS),
    note: (count) => note(`archive, ${count} transfers`),
  });
  requireNone(await checkWholeBooks(database));
}

/** Adds up the sums of the incremental check, and checks everything once. */
async function requireBooks(database: Database, { note, signal }: HistoryOptions): Promise<void> {
  const faults = await checkWholeBooks(database, {
    note(progress) {
      signal.throwIfAborted();
      note(`check of the books, ${progress}`);
    },
  });
  note('check of the books, sums');
  // The first notes the ends, the second adds up to them.
  for (let round = 1; round <= 2; round += 1) {
    const checked = await checkChangedBooks(database, { settleSeconds: 0 });
    faults.push(...checked.faults);
  }
  await sql`delete from unchecked_changes`.execute(database);
  requireNone(faults);
}

function requireNone(faults: readonly string[]): void {
  if (faults.length > 0) throw new Error(`Broken invariants:\n${faults.slice(0, 20).join('\n')}`);
}
