import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addUp } from '../../src/db/books/rollup.ts';
import { ledgerSums } from '../../src/db/books/sums.ts';
import type { Database } from '../../src/db/connection.ts';
import { addTransfers } from '../../src/db/ledger/ledger.ts';
import { parseMoney } from '../../src/domain/money.ts';
import { cancel, expireAll, makeVoucher, redemptions, topup } from './movements.ts';
import {
  type AdminScene,
  type Catalogue,
  makeCatalogue,
  openScene,
  type StatementJson,
  statementOf,
} from './scene.ts';

let scene: AdminScene;

beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene?.close());

/** A line as "+500.00 = 500.00 explanation". */
const readable = (statement: StatementJson) =>
  statement.lines.map(({ explanation, debit, credit, balance }) => {
    const [sign, amount] = debit === null ? ['+', credit] : ['-', debit];
    return `${sign}${amount} = ${balance} ${explanation}`.replace(/(\.\d\d)0{4}/g, '$1');
  });

describe('every line says what made it', () => {
  let catalogue: Catalogue;
  let serials: Record<'posted' | 'voided' | 'cancelled' | 'expired', string>;
  let references: Record<'posted' | 'voided', string>;
  let topups: number[];

  beforeAll(async () => {
    catalogue = await makeCatalogue(scene);
    const { partnerId } = catalogue;
    const { database } = scene;
    const redeem = redemptions(database, catalogue);
    const referenceOf = async (operationId: string) =>
      (
        await database
          .selectFrom('redemptions')
          .select('platform_reference')
          .where('operation_id', '=', operationId)
          .executeTakeFirstOrThrow()
      ).platform_reference;
    const tag = randomUUID();
    await scene.json(
      `money deposit --partner ${partnerId} --wallet gift --amount 5000 --reference G${tag}`,
    );
    await scene.json(
      `money deposit --partner ${partnerId} --wallet airtime --amount 100 --reference A${tag}`,
    );
    const posted = await makeVoucher(database, catalogue);
    const voided = await makeVoucher(database, catalogue);
    const cancelled = await makeVoucher(database, catalogue);
    const expired = await makeVoucher(database, catalogue, { validityDays: -1 });
    const post = await redeem.hold(posted.id, '200');
    await redeem.post(post);
    const held = await redeem.hold(voided.id);
    await redeem.void(held);
    await cancel(database, cancelled.id);
    await expireAll(database);
    const { id: categoryId } = await scene.json(
      `product category create --name ${randomUUID()} --description Packages`,
    );
    const { id: productId } = await scene.json(
      `product create --name Daily-data --kind PACKAGE --category ${categoryId} ` +
        '--pricing-type COMISSION --operator ETHIO_TELECOM --price 15 --provider-product-id 2001',
    );
    topups = [
      await topup(database, partnerId, '25', { ending: 'SUCCESS' }),
      await topup(database, partnerId, '10', { ending: 'FAILED' }),
      await topup(database, partnerId, '15', { productId }),
    ];
    serials = {
      posted: posted.serialNumber,
      voided: voided.serialNumber,
      cancelled: cancelled.serialNumber,
      expired: expired.serialNumber,
    };
    references = { posted: await referenceOf(post), voided: await referenceOf(held) };
  });

  test('of the gift wallet', async () => {
    const statement = await statementOf(scene, catalogue.partnerId, 'gift');
    expect(
      readable(statement).map((line) => line.replace(/[GA][0-9a-f-]{36}/, 'REFERENCE')),
    ).toEqual([
      '+5000.00 = 5000.00 Deposit REFERENCE',
      `-500.00 = 4500.00 Voucher ${serials.posted} generated`,
      `-500.00 = 4000.00 Voucher ${serials.voided} generated`,
      `-500.00 = 3500.00 Voucher ${serials.cancelled} generated`,
      `-500.00 = 3000.00 Voucher ${serials.expired} generated`,
      `+500.00 = 3500.00 Voucher ${serials.cancelled} cancelled, its rest returned`,
      `+500.00 = 4000.00 Voucher ${serials.expired} expired, its rest returned`,
    ]);
  });

  test('of the reserved wallet', async () => {
    const statement = await statementOf(scene, catalogue.partnerId, 'reserved');
    const { posted } = references;
    expect(readable(statement)).toEqual([
      `+500.00 = 500.00 Voucher ${serials.posted} generated`,
      `+500.00 = 1000.00 Voucher ${serials.voided} generated`,
      `+500.00 = 1500.00 Voucher ${serials.cancelled} generated`,
      `+500.00 = 2000.00 Voucher ${serials.expired} generated`,
      `-200.00 = 1800.00 Voucher ${serials.posted} redeemed: Abyssinia Coffee paid, redemption ${posted}`,
      `-5.00 = 1795.00 Voucher ${serials.posted} redeemed: service fee, redemption ${posted}`,
      `-500.00 = 1295.00 Voucher ${serials.cancelled} cancelled, its rest returned`,
      `-500.00 = 795.00 Voucher ${serials.expired} expired, its rest returned`,
    ]);
    expect(statement.closingBalance).toBe('795.000000');
  });

  test('of the airtime wallet, with masked numbers', async () => {
    const statement = await statementOf(scene, catalogue.partnerId, 'airtime');
    const [delivered, failed, open] = topups;
    expect(readable(statement).slice(1)).toEqual([
      `-25.00 = 75.00 Top-up ${delivered}, airtime for +2519*****333, attempt 1: delivered`,
      `-10.00 = 65.00 Top-up ${failed}, airtime for +2519*****333, attempt 1: failed`,
      `+10.00 = 75.00 Top-up ${failed}, airtime for +2519*****333, attempt 1: failed, money returned`,
      `-15.00 = 60.00 Top-up ${open}, Daily-data for +2519*****333, attempt 1: under way`,
    ]);
  });

  test('even one that nothing here knows', async () => {
    await scene.database.transaction().execute((transaction) =>
      addTransfers(transaction, [
        {
          operationId: 'correction-1',
          partnerId: catalogue.partnerId,
          step: 'correct',
          debit: 'airtime',
          credit: 'funding',
          amount: parseMoney('1'),
        },
      ]),
    );
    const { lines } = await statementOf(scene, catalogue.partnerId, 'airtime');
    expect(lines.at(-1)?.explanation).toBe('To funding: step correct of operation correction-1');
  });

  test('as a table for people, which ends with the balance that the ledger has', async () => {
    const { out, code } = await scene.admin(
      `money statement --partner ${catalogue.partnerId} --wallet reserved`,
    );
    expect(code).toBe(0);
    expect(out).toMatch(/^Reserved wallet of partner \d+ \(Acme Gifts\), in ETB\n/);
    expect(out).toMatch(/Opening balance +0\.00\n/);
    expect(out).toMatch(/Closing balance +795\.00, as the ledger has it\n$/);
    expect(out).toContain(`Voucher ${serials.posted} redeemed: service fee`);
  });
});

describe('a date range', () => {
  test('begins with the balance before it and ends with the balance after it', async () => {
    const { id: partnerId } = await scene.json('partner create --name Dated');
    await scene.json(`money deposit --partner ${partnerId} --wallet gift --amount 100`);
    const today = new Date().toISOString().slice(0, 10);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    const rows = await Promise.all([
      statementOf(scene, partnerId, 'gift', ` --from ${yesterday} --to ${today}`),
      statementOf(scene, partnerId, 'gift', ` --to ${yesterday}`),
      statementOf(scene, partnerId, 'gift', ` --from ${tomorrow}`),
    ]);
    expect(
      rows.map((row) => [
        row.openingBalance,
        row.lines.length,
        row.closingBalance,
        row.ledgerBalance,
      ]),
    ).toEqual([
      ['0.000000', 1, '100.000000', '100.000000'],
      ['0.000000', 0, '0.000000', '100.000000'],
      ['100.000000', 0, '100.000000', '100.000000'],
    ]);
  });

  test.each([
    ['--from 2026-02-30', '--from'],
    ['--to yesterday', '--to'],
    ['--from 2026-03-01 --to 2026-02-01', '--from'],
  ])('%s is refused', async (range, option) => {
    const refused = await scene.admin(`money statement --partner 1 --wallet gift ${range}`);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(new RegExp(`^${option} .*\n$`));
  });
});

const withoutTriggers = (work: (database: Database) => Promise<unknown>) =>
  scene.database.connection().execute(async (connection) => {
    await sql`set session_replication_role = replica`.execute(connection);
    await work(connection);
    await sql`set session_replication_role = origin`.execute(connection);
  });

test('a balance that does not add up is told, with exit code 2', async () => {
  const { id: partnerId } = await scene.json('partner create --name Broken');
  await scene.json(`money deposit --partner ${partnerId} --wallet gift --amount 100`);
  const change = (balance: string) =>
    withoutTriggers((database) =>
      database
        .updateTable('ledger_accounts')
        .set({ balance })
        .where('partner_id', '=', partnerId)
        .where('kind', '=', 'gift')
        .execute(),
    );
  await change('99');
  const statement = await scene.admin(`money statement --partner ${partnerId} --wallet gift`);
  const check = await scene.admin('money check-ledger');
  await change('100');
  expect(statement.code).toBe(2);
  expect(statement.out).toContain('but the ledger has 99.00: run "money check-ledger"');
  expect(check.code).toBe(2);
  expect(check.out).toContain(`gift of partner ${partnerId}`);
});

/** Adds all transfers to the daily sums; whatever was written so far is settled. */
async function sumAll(): Promise<void> {
  await sql`update book_checkpoints set next_to = (select max(id) from ledger_transfers),
    next_xid = pg_snapshot_xmin(pg_current_snapshot()), next_at = now() - interval '1 hour'
    where source = 'ledger-sums'`.execute(scene.database);
  await addUp(scene.database, ledgerSums);
}

test('some hours of a day add up, also after the day was summed', async () => {
  const { id: partnerId } = await scene.json('partner create --name Hours');
  await scene.json(`money deposit --partner ${partnerId} --wallet gift --amount 100`);
  const created = await sql<{ day: string }>`
    select to_char(max(created_at) at time zone 'UTC', 'YYYY-MM-DD') as day from ledger_transfers`.execute(
    scene.database,
  );
  const day = created.rows[0]?.day ?? '';
  const midday = `${day}T12:00:00Z`;
  const readings = () =>
    Promise.all(
      [
        ` --from ${day}T00:00:01Z --to ${midday}`,
        ` --from ${midday} --to ${day}T23:59:59Z`,
        ` --from ${day}T00:00:01Z --to ${day}T23:59:59Z`,
      ].map((range) => statementOf(scene, partnerId, 'gift', range)),
    );
  const before = await readings();
  expect(before.map(({ lines }) => lines.length).toSorted()).toEqual([0, 1, 1]);
  await sumAll();
  expect(await readings()).toEqual(before);
});

test('lines that do not add up are told, also after their days were summed', async () => {
  const { id: partnerId } = await scene.json('partner create --name Changed');
  await scene.json(`money deposit --partner ${partnerId} --wallet gift --amount 100`);
  await scene.json(`money deposit --partner ${partnerId} --wallet gift --amount 20`);
  const [line] = (await statementOf(scene, partnerId, 'gift')).lines;
  await sumAll();
  const change = (amount: string) =>
    withoutTriggers((database) =>
      database
        .updateTable('ledger_transfers')
        .set({ amount })
        .where('id', '=', line?.id ?? 0)
        .execute(),
    );
  const statement = () => scene.admin(`money statement --partner ${partnerId} --wallet gift`);
  expect((await statement()).code).toBe(0);
  await change('90');
  const changed = await statement();
  await change('100');
  expect(changed.code).toBe(2);
  expect(changed.out).toContain('All lines add up to 110.00, but the ledger has 120.00');
});
