import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addUp, restart } from '../../../src/db/books/rollup.ts';
import { compareSums, ledgerSums } from '../../../src/db/books/sums.ts';
import { addPartner } from '../../../src/db/catalogue/companies.ts';
import { connectDatabase, withSettings } from '../../../src/db/connection.ts';
import { balancesOver } from '../../../src/db/figures.ts';
import {
  ALL_LINES,
  findStatementLines,
  readStatementPage,
  readWalletTransactions,
  type Wallet,
  wallets,
} from '../../../src/db/ledger/account-statements.ts';
import { archiveDays, listArchivedMonths, restoreMonth } from '../../../src/db/ledger/archives.ts';
import {
  readLedgerHistory,
  readLedgerTotals,
  serviceFeesBalance,
} from '../../../src/db/ledger/ledger.ts';
import { readPartnerMonth } from '../../../src/db/ledger/monthly-statements.ts';
import { withArchivedPage } from '../../../src/db/ledger/read-archives.ts';
import { readDayReport } from '../../../src/db/reports/day-report.ts';
import type { Day } from '../../../src/domain/day-report.ts';
import type { Month } from '../../../src/domain/statements.ts';
import { failpoints } from '../../../src/runtime/process/failpoint.ts';
import { type OpenDatabase, openDatabase } from '../open-database.ts';
import { book, type Move } from './booked-moves.ts';
import { untilBooksAreChecked } from './checked-books.ts';
import { summedLines } from './summed-lines.ts';

const ZONE = 'Africa/Addis_Ababa';
const MONTHS = ['2025-01', '2025-02', '2025-03', '2025-04'] as Month[];
/** The first three months are archived, and the fourth is not. */
const BEFORE = '2025-04' as Month;

let open: OpenDatabase;
let folder: string;
let partnerIds: number[];

/** One life of each day and partner with six top-ups, and what is unusual: deposits, and an end of a voucher. */
const moves: readonly Move[] = [
  ['deposit', 'funding', 'gift', 'deposit:', 400],
  ['reserve', 'gift', 'reserved', '', 300],
  ['hold', 'reserved', 'gift-hold', '', 200],
  ['post-payment', 'gift-hold', 'mobile-money-clearing', '', 190],
  ['post-service-fee', 'gift-hold', 'service-fees', '', 10],
  ['expire', 'reserved', 'gift', 'expire-voucher:', 100],
  ['deposit', 'funding', 'airtime', 'deposit:airtime ', 300],
  ...[1, 2, 3, 4, 5, 6].flatMap((number): Move[] => [
    ['hold', 'airtime', 'airtime-hold', `top-up ${number} `, 50],
    ['post', 'airtime-hold', 'airtime-clearing', `top-up ${number} `, 50],
  ]),
];

beforeAll(async () => {
  open = await openDatabase();
  folder = await mkdtemp(join(tmpdir(), 'archive-'));
  partnerIds = [await addPartner(open.database, 'One'), await addPartner(open.database, 'Two')];
  // Around midnight in both time zones, so that months of the market begin within days of UTC.
  for (const partnerId of partnerIds)
    await book(
      open.database,
      partnerId,
      moves,
      sql`generate_series(timestamptz '2025-01-05 00:30+00', '2025-04-20', '59 hours 30 minutes')`,
    );
  await untilBooksAreChecked(open.database);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  // The lives have no vouchers.
  await open?.close(['I4']);
});

const archive = (options: Partial<Parameters<typeof archiveDays>[1]> = {}) =>
  archiveDays(open.database, { folder, before: BEFORE, ...options });

/** Makes the restored days due again. */
const forgetRestoring = () =>
  sql`update ledger_archives set restored_at = now() - interval '31 days'
    where restored_at is not null`.execute(open.database);

const restoreAll = async () => {
  for (const month of MONTHS) await restoreMonth(open.database, month);
};

const countTransfers = async (): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*) from ledger_transfers where created_at < ${`${BEFORE}-01`}::date and step <> 'deposit'
      and step <> 'expire'`.execute(open.database);
  return rows[0]?.count ?? 0;
};

/** The first one is the whole history; the next two begin and end on archived days. */
const RANGES = [
  [undefined, undefined],
  [new Date('2025-01-07T00:00:00Z'), new Date('2025-02-06T00:00:00Z')],
  [new Date('2025-01-07T06:00:00Z'), new Date('2025-02-06T06:00:00Z')],
  [new Date('2025-02-10T12:00:00Z'), new Date('2025-03-10T12:00:00Z')],
  [new Date('2025-03-20T00:00:00Z'), new Date('2025-04-10T00:00:00Z')],
] as const;

/** All that companies, staff and the books read of the ledger. */
async function readEverything() {
  const { database } = open;
  const partnerId = partnerIds[0] ?? 0;
  const { rows: operations } = await sql<{ id: string }>`
    select distinct operation_id as id from ledger_transfers where created_at > '2025-04-10'`.execute(
    database,
  );
  return {
    months: await Promise.all(
      [ZONE, 'UTC'].flatMap((zone) =>
        MONTHS.map((month) => readPartnerMonth(database, partnerId, { month, zone })),
      ),
    ),
    statements: await Promise.all(
      wallets.flatMap((wallet) =>
        RANGES.map(([from, before]) =>
          readStatementPage(
            database,
            { partnerId, wallet, from, before },
            { limit: ALL_LINES, offset: 0 },
          ),
        ),
      ),
    ),
    pages: await Promise.all(
      wallets.flatMap((wallet) =>
        RANGES.flatMap(([from, before]) =>
          [0, 7, 40].map((offset) =>
            readStatementPage(database, { partnerId, wallet, from, before }, { limit: 7, offset }),
          ),
        ),
      ),
    ),
    transactions: await Promise.all(
      (['oldest', 'newest'] as const).flatMap((order) =>
        [wallets, ['airtime'] as const].flatMap((of) =>
          RANGES.map(([from, to]) => readAllTransactions(partnerId, of, order, from, to)),
        ),
      ),
    ),
    history: await readLedgerHistory(
      database,
      partnerId,
      operations.map(({ id }) => id),
    ),
    totals: await readLedgerTotals(database),
    fees: await serviceFeesBalance(database),
    report: (await readDayReport(database, { day: '2025-04-10' as Day, zone: ZONE })).accounts,
    found: await findStatementLines(database, { partnerId, wallet: 'gift' }, {
      reference: 'none',
    } as never),
    balances: (
      await balancesOver(database, partnerId, wallets, {
        first: '2025-01-10',
        last: '2025-04-30',
        zone: ZONE,
      })
    ).filter(({ at }) => at < new Date('2025-05-01')),
    faults: [
      ...(await ledgerSums.verify(database, { batchSize: 50, note: () => {} })),
      ...((await compareSums(database, [ledgerSums])) ?? []),
    ],
  };
}

/** All pages, one after another. */
async function readAllTransactions(
  partnerId: number,
  of: readonly Wallet[],
  order: 'oldest' | 'newest',
  from: Date | undefined,
  to: Date | undefined,
) {
  const pages = [];
  let after: Awaited<ReturnType<typeof readWalletTransactions>>[number] | undefined;
  for (;;) {
    const lines = await readWalletTransactions(open.database, {
      partnerId,
      wallets: of,
      from,
      to,
      order,
      after,
      limit: 25,
    });
    pages.push(lines);
    after = lines.at(-1);
    if (lines.length < 25) return pages;
  }
}

describe('an archive', () => {
  test('answers as the table did, and gives back what it took', async () => {
    const before = await readEverything();
    expect(before.faults).toEqual([]);
    for (const [number, wallet] of wallets.entries()) {
      const lines = before.statements[number * RANGES.length]?.lines.toReversed();
      expect(lines?.map(({ id, balance }) => ({ id, balance }))).toEqual(
        await summedLines(open.database, partnerIds[0] ?? 0, wallet),
      );
    }
    const rows = await countTransfers();
    const archived = await archive();
    expect(archived).toBe(rows);
    expect(await countTransfers()).toBe(0);
    expect(await readEverything()).toEqual(before);
    await untilBooksAreChecked(open.database);
    expect(await archive()).toBe(0);
    const months = await listArchivedMonths(open.database);
    expect(months.map(({ month, partners, restored }) => [month, partners, restored])).toEqual(
      MONTHS.slice(0, 3).map((month) => [month, 2, 0]),
    );
    expect(months.reduce((sum, { transfers }) => sum + transfers, 0)).toBe(rows);

    await restoreMonth(open.database, MONTHS[1] as Month);
    expect(await readEverything()).toEqual(before);
    await restoreAll();
    expect(await countTransfers()).toBe(rows);
    expect(await readEverything()).toEqual(before);
    // Whoever restored them still reads them.
    expect(await archive()).toBe(0);
    await forgetRestoring();
    expect(await archive()).toBe(rows);
    expect(await readEverything()).toEqual(before);
    await restoreAll();
  });

  test('keeps the daily sums when all others are added up again', async () => {
    await forgetRestoring();
    await archive();
    const before = await readEverything();
    await restart(open.database, ledgerSums);
    await untilBooksAreChecked(open.database);
    expect(await readEverything()).toEqual(before);
    await restoreAll();
    await restart(open.database, ledgerSums);
    await untilBooksAreChecked(open.database);
    expect(await readEverything()).toEqual(before);
  });

  test.each([
    ['archived', []],
    ['partly restored', MONTHS.slice(1, 2)],
    ['restored', MONTHS],
  ])('answers the same while sums are added up again, %s', async (_name, restored) => {
    const { database } = open;
    await forgetRestoring();
    await archive();
    const before = await readEverything();
    for (const month of restored) await restoreMonth(database, month);
    await restart(database, ledgerSums);
    expect(await readEverything(), 'begun').toEqual(before);
    for (const share of [0, 0.1, 0.2, 0.5, 0.9]) {
      await sql`
        update book_checkpoints set next_to = (select round(max(id) * ${share}::numeric) from ledger_transfers)
        where source = 'ledger-sums'`.execute(database);
      await addUp(database, ledgerSums, { settleSeconds: 0 });
      expect(await readEverything(), `${share} of the transfers`).toEqual(before);
    }
    await untilBooksAreChecked(database);
    expect(await readEverything()).toEqual(before);
    await restoreAll();
  });

  test.each(failpoints.archive)('loses and doubles nothing by a crash at %s', async (crashed) => {
    await forgetRestoring();
    const before = await readEverything();
    const rows = await countTransfers();
    let reached = 0;
    const crash = archive({
      async failpoint(name) {
        if (name === crashed) reached += 1;
        if (reached === 5) throw new Error('crash');
      },
    });
    await expect(crash).rejects.toThrow('crash');
    const left = await countTransfers();
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(rows);
    expect(await readEverything()).toEqual(before);
    expect(await archive()).toBe(left);
    expect(await readEverything()).toEqual(before);
    await restoreAll();
  });

  test('describes each finished month, whatever breaks off later', async () => {
    await forgetRestoring();
    const manifest = join(folder, 'ledger-2025-01', 'manifest.json');
    await rm(manifest);
    let days = 0;
    const crash = archive({
      async begin() {
        days += 1;
        if (days === 30) throw new Error('crash');
      },
    });
    await expect(crash).rejects.toThrow('crash');
    const { rows } = await sql<{ files: number }>`
      select count(*) as files from ledger_archives where day < '2025-02-01'`.execute(
      open.database,
    );
    const { files } = JSON.parse(await readFile(manifest, 'utf8')) as { files: unknown[] };
    expect(files).toHaveLength(rows[0]?.files ?? 0);
    await archive();
    await restoreAll();
  });

  test('waits for sums that are begun again, and they for it', async () => {
    const { database } = open;
    const before = await readEverything();
    const restarted: Promise<void>[] = [];
    const archiveApril = () =>
      archive({
        before: '2025-05' as Month,
        async failpoint(name) {
          if (name !== 'archive-moved' || restarted.length > 0) return;
          restarted.push(restart(database, ledgerSums));
          await Promise.race([...restarted, sleep(300)]);
        },
      });
    await archiveApril();
    await Promise.all(restarted);
    // Half of a day of one partner is added up.
    await sql`
      update book_checkpoints set next_to = (select min(id) + 9 from ledger_transfers
        where created_at >= '2025-04-15' and id > (select max(id) / 2 from ledger_transfers))
      where source = 'ledger-sums'`.execute(database);
    await addUp(database, ledgerSums, { settleSeconds: 0 });
    await archiveApril();
    await untilBooksAreChecked(database);
    await restoreAll();
    expect(await readEverything()).toEqual(before);
    await archiveApril();
    await restoreAll();
    expect(await readEverything()).toEqual(before);
  });

  test('finds its days, however long that takes', async () => {
    await forgetRestoring();
    const impatient = connectDatabase(open.url, { poolSize: 2, statementTimeoutMs: 1_000 });
    const archiving = await open.database.transaction().execute(async (transaction) => {
      await sql`lock table ledger_day_sums`.execute(transaction);
      const found = archiveDays(impatient, { folder, before: BEFORE });
      await Promise.race([found, sleep(2_000)]);
      return { found };
    });
    expect(await archiving.found).toBeGreaterThan(0);
    await impatient.destroy();
    await restoreAll();
  });

  test('moves nothing into a folder that lacks the earlier files', async () => {
    await forgetRestoring();
    const before = await countTransfers();
    const mounted = `${folder}-mounted`;
    await rename(folder, mounted);
    await mkdir(folder);
    await expect(archive()).rejects.toThrow('ARCHIVE_FOLDER');
    expect(await countTransfers()).toBe(before);
    await rm(folder, { recursive: true });
    await rename(mounted, folder);
    expect(await archive()).toBeGreaterThan(0);
    await restoreAll();
  });

  test.each(['archived', 'restored'])('is read by a page during which it is %s', async (what) => {
    await forgetRestoring();
    if (what === 'restored') await archive();
    const page = { partnerId: partnerIds[0] ?? 0, wallets, order: 'oldest' } as const;
    const range = { from: undefined, to: undefined, after: undefined, limit: 25 };
    let readings = 0;
    const lines = await withArchivedPage(
      open.database,
      { ...page, ...range },
      async (at, files) => {
        const { rows } = await sql<{ at: Date }>`
          select created_at as at from ledger_transfers
          where created_at < '2025-02-01' and step = 'reserve'`.execute(at);
        readings += 1;
        if (readings === 1) await (what === 'archived' ? archive() : restoreAll());
        return [...rows, ...files.map((transfer) => ({ at: new Date(transfer.created_at) }))];
      },
    );
    expect(lines.length).toBeGreaterThan(0);
    await restoreAll();
  });

  test('is read in one transaction, however long a file takes', async () => {
    await forgetRestoring();
    await archive();
    const partnerId = partnerIds[0] ?? 0;
    const month = { month: MONTHS[1] as Month, zone: 'UTC' };
    const before = await readPartnerMonth(open.database, partnerId, month);
    const { file } = await open.database
      .selectFrom('ledger_archives')
      .select('file')
      .where('partner_id', '=', partnerId)
      .where(sql<boolean>`day in ('2025-02-01', '2025-03-01')`)
      .executeTakeFirstOrThrow();
    const bytes = await readFile(file);
    await rm(file);
    // A pipe has its reader wait for its writer.
    await promisify(execFile)('mkfifo', [file]);
    const impatient = withSettings(open.database, { idle_in_transaction_session_timeout: 2_000 });
    const read = readPartnerMonth(impatient, partnerId, month);
    await Promise.all([read, sleep(3_000).then(() => writeFile(file, bytes))]);
    expect(await read).toEqual(before);
    await rm(file);
    await writeFile(file, bytes);
    await restoreAll();
  });

  test('lets no report pass over archived transfers, and stops at a damaged file', async () => {
    await forgetRestoring();
    await archive();
    const report = () => readDayReport(open.database, { day: '2025-02-10' as Day, zone: ZONE });
    await expect(report()).rejects.toThrow('money archive restore 2025-02');
    const [archived] = await open.database
      .selectFrom('ledger_archives')
      .select(['file', 'transfers', sql<string>`day::text`.as('day')])
      .where(sql<boolean>`day >= '2025-02-01'`)
      .orderBy('day')
      .execute();
    const file = archived?.file ?? '';
    const bytes = await readFile(file);
    await writeFile(file, bytes.subarray(0, -9));
    await expect(restoreMonth(open.database, '2025-02' as Month)).rejects.toThrow(file);
    await writeFile(file, bytes);
    // A report adds up all since its day, and names the next month that it lacks.
    await restoreMonth(open.database, '2025-02' as Month);
    await expect(report()).rejects.toThrow('money archive restore 2025-03');
    await restoreMonth(open.database, '2025-03' as Month);
    expect(await report()).toMatchObject({ day: '2025-02-10' });
    await restoreAll();
  });
});

describe('the database refuses', () => {
  test.each([
    ['a transfer that no file has', sql`delete from ledger_transfers where step = 'reserve'`],
    ['a deposit', sql`delete from ledger_transfers where step = 'deposit'`],
    ['an archive without a file', sql`delete from ledger_archives`],
    [
      'an archive whose transfers are in the table',
      sql`update ledger_archives set restored_at = null`,
    ],
  ])('to lose %s', async (_what, statement) => {
    await archive();
    await restoreAll();
    await expect(statement.execute(open.database)).rejects.toThrow();
  });
});
