import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../../src/db/connection.ts';
import { numberColumns, numberErasures } from '../../../src/db/phone-numbers.ts';
import { prune } from '../../db/prune.ts';
import { deposit } from '../../support/companies.ts';
import { makeTopupProducts } from '../../support/topups.ts';
import { until } from '../../support/until.ts';
import { expectRefusal } from '../bad-input/refusals.ts';
import { done, type GiftScene, setGiftScene } from '../gift/gift-scene.ts';
import { createCanary, secretsInDatabase, secretsInHistories } from '../processes/canary.ts';

const SALE = { exchangeRate: 57.2, currency: 'USD', originatingCountry: 'US' };

let scene: GiftScene;
const canary = createCanary();
const numbers: string[] = [];
const noted = (msisdn: string): string => {
  numbers.push(msisdn);
  canary.add('number', msisdn);
  return msisdn;
};

beforeAll(async () => {
  scene = await setGiftScene();
  const { stack, partner } = scene;
  await makeTopupProducts(stack, partner);
  await deposit(stack, partner.id, '100000', 'airtime');
});
afterAll(() => scene?.stop());

test('all kinds of traffic leave no number in clear, in the database or in histories', async () => {
  const { stack, asPartner, asMerchant } = scene;
  const gift = await scene.gift({ owner: noted('+251933441000') });
  canary.add('voucher code', gift.voucherCode);
  const verificationCode = await scene.claimed(asMerchant, gift);
  canary.add('verification code', verificationCode);
  const { voucherCode, owner } = gift;
  done(
    await asMerchant.post('/topup-transactions/redeem-gift', {
      voucherCode,
      verificationCode,
      msisdn: owner,
    }),
  );
  const anonymous = await scene.gift({ owner: null });
  done(
    await asMerchant.post('/topup-transactions/redeem-gift', {
      voucherCode: anonymous.voucherCode,
      msisdn: noted('+251933442000'),
      amount: 10,
    }),
  );
  const topup = (msisdn: string) =>
    asPartner.post('/topup-transactions/airtime-topup', { amount: 50, msisdn, ...SALE });
  done(await topup(noted('+251911777000')));
  const failed = await topup(noted('+251911778002'));
  const { transactionId } = failed.body.data.topupTransaction ?? failed.body.data;
  done(
    await asPartner.post('/topup-transactions/retry-topup', {
      transactionId,
      msisdn: noted('+251911779000'),
    }),
  );
  const ordered = done(
    await asPartner.post('/vouchers/bulk', {
      lines: ['1', '2'].map((digit) => ({
        reference: randomUUID(),
        denominationId: scene.partner.denominations[100],
        merchantId: scene.merchant.id,
        msisdn: noted(`+25191188000${digit}`),
      })),
    }),
  );
  await until(async () => {
    const { id } = ordered.body.data.bulkOrder;
    const shown = await asPartner.get(`/bulk-orders/${id}`);
    expect(shown.body.data.bulkOrder.generated).toBe(2);
  });
  expect(await rowsWithNumbers()).toEqual({
    vouchers: 3,
    messages: 3,
    topups: 2,
    topup_attempts: 3,
    topup_retries: 1,
    bulk_lines: 2,
  });
  expect(await secretsInDatabase(stack.database, canary)).toEqual([]);
  const { temporalAddress: address, temporalTaskQueue: taskQueue } = stack.config.temporal;
  expect((await secretsInHistories({ address, taskQueue }, canary)).found).toEqual([]);
});

/** As if everything had ended three years ago. */
const age = (database: Database) =>
  database.transaction().execute(async (transaction) => {
    await sql`set local session_replication_role = replica`.execute(transaction);
    for (const [table, ...columns] of [
      ['vouchers', 'expires_at'],
      ['messages', 'created_at', 'settled_at'],
      ['topups', 'created_at', 'updated_at'],
      ['bulk_lines', 'settled_at'],
      ['repairs', 'changed_at'],
    ] as const) {
      const past = columns.map((column) => sql`${sql.ref(column)} = now() - interval '1096 days'`);
      await sql`update ${sql.table(table)} set ${sql.join(past)}`.execute(transaction);
    }
    await sql`update placements set ask_at = null`.execute(transaction);
  });

test('after the retention the numbers of every kind are gone, and what finds them', async () => {
  const { stack, asPartner } = scene;
  const { database } = stack;
  const live = await database
    .selectFrom('vouchers')
    .select('id')
    .where('status', '=', 'ACTIVE')
    .execute();
  for (const { id } of live) done(await asPartner.post(`/vouchers/${id}/cancel`, undefined));
  await sql`insert into repairs (operation_id, request_key, kind, subject_kind, subject_id,
      company_kind, company_id, arguments, sealed_arguments, former_msisdn, amount, moves_value, why, asked_by,
      needs_confirmation, confirm_until, state, result, changed_at)
    values ('old', 'old', 'correct-number', 'voucher', '1', 'partner', ${scene.partner.id}, '{}',
      'k1.box', (select owner_msisdn from vouchers where owner_msisdn like '%.%' limit 1), 0,
      false, 'TICKET-1', 'hanna', false, now(), 'DONE', 'It was corrected.', now())`.execute(
    database,
  );
  const hashes = createCanary();
  for (const msisdn of numbers) hashes.add('hash', stack.digests.numberHash(msisdn));
  const places = numberColumns.map(({ table, column }) => `${table}.${column}: hash`);
  const before = await secretsInDatabase(database, hashes);
  expect(before.sort()).toEqual(places.sort());

  const kinds = Object.keys(numberErasures) as (keyof typeof numberErasures)[];
  for (const kind of kinds)
    expect(await prune(database, kind, { numberRetentionDays: 1_095 }), kind).toBe(0);
  await age(database);
  for (const kind of kinds)
    expect(await prune(database, kind, { numberRetentionDays: 1_095 }), kind).toBeGreaterThan(0);
  expect(await secretsInDatabase(database, hashes)).toEqual([]);
  const { rows } = await sql`select from repairs where sealed_arguments is not null`.execute(
    database,
  );
  expect(rows).toEqual([]);
});

test('a retry of a top-up whose number was erased is told so, and asks for the number', async () => {
  const { stack, asPartner } = scene;
  const order = { amount: 50, msisdn: '+251911781002', ...SALE };
  const failed = await asPartner.post('/topup-transactions/airtime-topup', order);
  const { transactionId } = failed.body.data;
  await age(stack.database);
  expect(
    await prune(stack.database, 'numbers of top-ups', { numberRetentionDays: 1_095 }),
  ).toBeGreaterThan(0);
  const retry = (fields: object) =>
    asPartner.post('/topup-transactions/retry-topup', { transactionId, ...fields });
  expectRefusal(await retry({}), 'partner', 400, { reason: 'number-erased', says: 'msisdn' });
  expect(done(await retry({ msisdn: '+251911781050' })).body.data.status).toBe('SUCCESS');
});

const rowsWithNumbers = async () => {
  const { rows } = await sql<Record<string, number>>`select
    (select count(*)::int from vouchers where owner_msisdn is not null) as vouchers,
    (select count(*)::int from messages) as messages,
    (select count(*)::int from topups) as topups,
    (select count(*)::int from topup_attempts) as topup_attempts,
    (select count(*)::int from topup_retries where msisdn is not null) as topup_retries,
    (select count(*)::int from bulk_lines where owner_msisdn is not null) as bulk_lines
  `.execute(scene.stack.database);
  return rows[0];
};
