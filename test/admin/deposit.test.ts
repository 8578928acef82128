import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { partnerBalances } from '../../src/db/ledger.js';
import { openScene, type Scene } from './scene.js';

let scene: Scene;
let partnerId: number;

beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene?.close());

beforeEach(async () => {
  partnerId = (await scene.json('create partner --name Acme')).id;
});

const transfersOf = (operationId: string) =>
  scene.database
    .selectFrom('ledger_transfers')
    .select(['step', 'amount'])
    .where('operation_id', '=', operationId)
    .execute();

test.each(['gift', 'airtime'] as const)(
  'a deposit is credited to the %s wallet',
  async (wallet) => {
    const reference = `slip-${partnerId}`;
    const { out, code } = await scene.admin(
      `deposit --partner ${partnerId} --wallet ${wallet} --amount 1500.5 --reference ${reference}`,
    );
    expect(code).toBe(0);
    expect(out).toContain(`Deposited ETB 1500.50 to the ${wallet} wallet of partner ${partnerId}`);
    const untouched = { airtime: '0.000000', gift: '0.000000', reserved: '0.000000' };
    expect(await partnerBalances(scene.database, partnerId)).toEqual({
      ...untouched,
      [wallet]: '1500.500000',
    });
    expect(await transfersOf(`deposit:${reference}`)).toEqual([
      { step: 'deposit', amount: '1500.500000' },
    ]);
  },
);

describe('with the reference of an earlier deposit', () => {
  const deposit = (reference: string, words = '--wallet gift --amount 200') =>
    scene.admin(`deposit --partner ${partnerId} ${words} --reference ${reference}`);

  test('the same deposit changes nothing and says so', async () => {
    const reference = `again-${partnerId}`;
    await deposit(reference);
    const again = await deposit(reference);
    expect(again).toMatchObject({ code: 0, err: '' });
    expect(again.out).toContain('was deposited before');
    expect((await partnerBalances(scene.database, partnerId)).gift).toBe('200.000000');
    const audited = (await scene.auditRows()).filter(({ action, details }) =>
      JSON.stringify([action, details]).includes(reference),
    );
    expect(audited).toHaveLength(1);
  });

  test('ten at the same moment are one', async () => {
    const reference = `race-${partnerId}`;
    const results = await Promise.all(Array.from({ length: 10 }, () => deposit(reference)));
    expect(results.map(({ code }) => code)).toEqual(Array(10).fill(0));
    const fresh = results.filter(({ out }) => !out.includes('before'));
    expect(fresh).toHaveLength(1);
    expect((await partnerBalances(scene.database, partnerId)).gift).toBe('200.000000');
  });

  test.each([
    ['amount', '--wallet gift --amount 200.01'],
    ['wallet', '--wallet airtime --amount 200'],
  ])('another %s is refused', async (_what, words) => {
    const reference = `other-${partnerId}`;
    await deposit(reference);
    const other = await deposit(reference, words);
    expect(other).toMatchObject({ code: 1, out: '' });
    expect(other.err).toMatch(
      new RegExp(`reference ${reference} .* ETB 200\\.00 .* gift wallet of partner ${partnerId}`),
    );
    expect(await partnerBalances(scene.database, partnerId)).toMatchObject({
      gift: '200.000000',
      airtime: '0.000000',
    });
  });

  test('another partner is refused', async () => {
    const reference = `partner-${partnerId}`;
    await deposit(reference);
    const { id } = await scene.json('create partner --name Other');
    const other = await scene.admin(
      `deposit --partner ${id} --wallet gift --amount 200 --reference ${reference}`,
    );
    expect(other.code).toBe(1);
    expect((await partnerBalances(scene.database, id)).gift).toBe('0.000000');
  });
});

test('without a reference each deposit gets one of its own, and is another', async () => {
  const words = `deposit --partner ${partnerId} --wallet gift --amount 10`;
  const first = await scene.json(words);
  const second = await scene.json(words);
  expect(first.reference).not.toBe(second.reference);
  expect((await partnerBalances(scene.database, partnerId)).gift).toBe('20.000000');
});

test.each(['0', '-5', '1.001', '1e3', 'much', '', '1,000', '123456789012345', '0.00'])(
  'the amount "%s" is refused',
  async (amount) => {
    const words = ['deposit', '--partner', `${partnerId}`, '--wallet', 'gift', '--amount', amount];
    const refused = await scene.admin(words);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(/^--amount must be an amount in ETB .*\n$/);
    expect((await partnerBalances(scene.database, partnerId)).gift).toBe('0.000000');
  },
);

test('a partner that does not exist is refused', async () => {
  const refused = await scene.admin('deposit --partner 999999 --wallet gift --amount 1');
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toBe('There is no partner 999999: see "list partners".\n');
});

test('a deposit that cannot be audited is not made', async () => {
  await sql`alter table audit_log add constraint audit_broken check (false) not valid`.execute(
    scene.database,
  );
  try {
    const failed = await scene.admin(`deposit --partner ${partnerId} --wallet gift --amount 10`);
    expect(failed.code).toBe(1);
    expect((await partnerBalances(scene.database, partnerId)).gift).toBe('0.000000');
  } finally {
    await sql`alter table audit_log drop constraint audit_broken`.execute(scene.database);
  }
});
