import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { checkChangedBooks } from '../../src/db/books/check-changes.ts';
import { checkWholeBooks } from '../../src/db/books/check-whole.ts';
import { restart } from '../../src/db/books/rollup.ts';
import { ledgerSums } from '../../src/db/books/sums.ts';
import { archiveDays, firstMonthKept, MINIMUM_MONTHS } from '../../src/db/ledger/archives.ts';
import { untilBooksAreChecked } from '../db/ledger/checked-books.ts';
import { doneLate, takenBack } from '../positions/placements.ts';
import { makeVoucher, redemptions, topup } from './movements.ts';
import { makeOlder } from './older-rows.ts';
import {
  type AdminScene,
  type Catalogue,
  type Commands,
  commandsOn,
  makeCatalogue,
  openScene,
  withoutEntry,
} from './scene.ts';

let scene: AdminScene;
let catalogue: Catalogue;
let folder: string;
let commands: Commands;
let month: string;
let laterMonth: string;
let lateOperation: string;
let voucherId: number;
let topupId: number;

beforeAll(async () => {
  scene = await openScene();
  catalogue = await makeCatalogue(scene);
  folder = await mkdtemp(join(tmpdir(), 'archive-'));
  commands = commandsOn({ ...scene.environment, ARCHIVE_FOLDER: folder });
  const { database } = scene;
  const { partnerId } = catalogue;
  for (const wallet of ['gift', 'airtime'])
    await scene.json(`money deposit --partner ${partnerId} --wallet ${wallet} --amount 10000`);
  voucherId = (await makeVoucher(database, catalogue, { amount: '500' })).id;
  const redeem = redemptions(database, catalogue);
  await redeem.post(await redeem.hold(voucherId, '200'));
  await redeem.void(await redeem.hold(voucherId, '100'));
  topupId = await topup(database, partnerId, '50', { ending: 'SUCCESS' });
  // Two months later another payment ends.
  lateOperation = await redeem.hold(voucherId, '50');
  await makeOlder(database, 2);
  await redeem.post(lateOperation);
  await makeOlder(database, 18);
  [month, laterMonth] = [await monthOf('min'), await monthOf('max')];
  await untilBooksAreChecked(database);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await scene?.close();
});

/** The month of the first or the last transfer. */
async function monthOf(which: 'min' | 'max'): Promise<string> {
  const { rows } = await sql<{ month: string }>`
    select to_char(${sql.raw(which)}(created_at) at time zone 'UTC', 'YYYY-MM') as month
    from ledger_transfers`.execute(scene.database);
  return rows[0]?.month ?? '';
}

const answers = async () => ({
  voucher: await commands.json(`voucher show ${voucherId}`),
  topup: await commands.json(`top-up show ${topupId}`),
  gift: await commands.json(`money statement --partner ${catalogue.partnerId} --wallet gift`),
  reserved: await commands.json(
    `money statement --partner ${catalogue.partnerId} --wallet reserved`,
  ),
  airtime: await commands.json(`money statement --partner ${catalogue.partnerId} --wallet airtime`),
  books: await commands.json('money check-ledger'),
});

const operationOf = async (table: 'redemptions' | 'topup_attempts') => {
  const { operation_id: operationId } = await scene.database
    .selectFrom(table)
    .select('operation_id')
    .where('status', '=', 'POSTED')
    .where('operation_id', '<>', lateOperation)
    .executeTakeFirstOrThrow();
  return operationId;
};

const withoutItsEntry = (words: string) =>
  withoutEntry(scene.database, () => commands.admin(words));

const entriesOf = async (action: string) =>
  (await scene.auditRows()).filter((row) => row.action === action).map(({ details }) => details);

test('commands answer as before, and a change of an archived order waits for its month', async () => {
  const { database } = scene;
  const before = await answers();
  expect((await scene.admin(`money archive create ${month}`)).err).toContain('ARCHIVE_FOLDER');
  expect((await withoutItsEntry(`money archive create ${month}`)).code).toBe(1);
  expect(await commands.json('money archive list')).toEqual([]);
  const created = await commands.json(`money archive create ${month}`);
  // The reserve, three holds with one payment and one fee, and a top-up.
  expect(created).toMatchObject({ changed: true, month, transfers: 8 });
  expect(await commands.json(`money archive create ${month}`)).toMatchObject({ changed: false });
  expect(await answers()).toEqual(before);
  await commands.json(`money archive create ${laterMonth}`);
  expect(await answers()).toEqual(before);
  const months = await commands.json('money archive list');
  expect(months.map((one: { month: string }) => one.month)).toEqual([month, laterMonth]);

  const report = await commands.admin(`money report --day ${month}-15`);
  expect(report.err).toMatch(
    /^The transfers of .+ are archived: bring them back with .+ first\.\n$/,
  );
  for (const table of ['redemptions', 'topup_attempts'] as const) {
    const change = takenBack(database, await operationOf(table));
    await expect(change).rejects.toThrow(`money archive restore ${month}`);
  }
  const late = () => takenBack(database, lateOperation);
  await expect(late()).rejects.toThrow(`money archive restore ${month}`);
  // A row that changes is looked at by every check, with or without its transfers.
  await sql`update redemptions set credited_to = 'gift'`.execute(database);
  await sql`update redemptions set credited_to = 'voucher'`.execute(database);
  expect((await checkChangedBooks(database, { settleSeconds: 0 })).faults).toEqual([]);

  expect((await withoutItsEntry(`money archive restore ${month}`)).code).toBe(1);
  expect(await commands.json(`money archive restore ${month}`)).toMatchObject({ transfers: 8 });
  expect(await answers()).toEqual(before);
  await restart(database, ledgerSums);
  expect(await answers()).toEqual(before);
  await untilBooksAreChecked(database);
  expect(await answers()).toEqual(before);
  // A later month that is archived concerns only the payment that ended in it.
  for (const table of ['redemptions', 'topup_attempts'] as const)
    await takenBack(database, await operationOf(table));
  await expect(late()).rejects.toThrow(`money archive restore ${laterMonth}`);
  expect(await commands.json(`money archive restore ${laterMonth}`)).toMatchObject({
    transfers: 2,
  });
  await late();
  expect(await checkWholeBooks(database)).toEqual([]);
  // The run that changed nothing has no entry.
  expect(await entriesOf('archive transfers')).toEqual([
    { begun: true },
    { month, transfers: 8, folder },
    { begun: true },
    { month: laterMonth, transfers: 2, folder },
  ]);
  expect(await entriesOf('restore transfers')).toEqual([
    { begun: true },
    { month, transfers: 8 },
    { begun: true },
    { month: laterMonth, transfers: 2 },
  ]);
});

test('a folder that is not what it was is told in one line', async () => {
  await sql`update ledger_archives set restored_at = now() - interval '31 days'`.execute(
    scene.database,
  );
  const create = `money archive create ${month}`;
  const ofMonth = join(folder, `ledger-${month}`);
  await rename(ofMonth, `${ofMonth}.kept`);
  await writeFile(ofMonth, 'no folder');
  expect((await commands.admin(create)).err).toMatch(/^E\w+: .*\.\n$/);
  await rm(ofMonth);
  await rename(`${ofMonth}.kept`, ofMonth);
  await commands.json(create);
  await rename(ofMonth, `${ofMonth}.kept`);
  const { err } = await commands.admin(`money archive restore ${month}`);
  expect(err).toMatch(/^The archived transfers in .+ cannot be read\.\n$/);
  await rename(`${ofMonth}.kept`, ofMonth);
  await commands.json(`money archive restore ${month}`);
});

test('an old payment changes in the moment in which its day is archived', async () => {
  const { database } = scene;
  await sql`update ledger_archives set restored_at = now() - interval '31 days'`.execute(database);
  const operationId = await operationOf('redemptions');
  let isArchived = false;
  const query = pg.Client.prototype.query as (...parameters: unknown[]) => Promise<unknown>;
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(async function (
    this: pg.Client,
    ...parameters: unknown[]
  ) {
    const found = await query.apply(this, parameters);
    if (!isArchived && JSON.stringify(parameters[0]).includes('ledger_archives as archive')) {
      isArchived = true;
      expect(
        await archiveDays(database, { folder, before: firstMonthKept(new Date(), MINIMUM_MONTHS) }),
      ).toBeGreaterThan(0);
    }
    return found;
  } as never);
  try {
    await doneLate(database, operationId);
  } finally {
    spy.mockRestore();
  }
  expect(isArchived).toBe(true);
  for (const one of [month, laterMonth]) await commands.json(`money archive restore ${one}`);
  expect(await checkWholeBooks(database)).toEqual([]);
});

test.each(['2099-01', 'soon'])('the command refuses the month %s', async (wrong) => {
  const { code, err } = await commands.admin(`money archive create ${wrong}`);
  expect(code).not.toBe(0);
  expect(err).toContain('month');
});
