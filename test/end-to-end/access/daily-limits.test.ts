import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findApiKey } from '../../../src/db/access/access.ts';
import { type Answer, partnerClient } from '../../support/clients.ts';
import {
  deposit,
  makeKey,
  makeMerchant,
  makePartner,
  type TestMerchant,
} from '../../support/companies.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { makeTopupProducts } from '../../support/topups.ts';
import { until } from '../../support/until.ts';
import { expectRefusal } from '../bad-input/refusals.ts';
import { sale } from '../topups/topup-scene.ts';

interface Limits {
  readonly daily_amount?: string;
  readonly daily_operations?: number;
}

let stack: Stack;
let merchant: TestMerchant;
beforeAll(async () => {
  // So many at once want their ends in the answers, also on a busy machine.
  stack = await startStack({ CALLER_WAIT_SECONDS: '25' });
  merchant = await makeMerchant(stack);
});
afterAll(() => stack?.stop());

/** A partner with a limit and money, and clients of two keys, the first of which has its own limit. */
async function limitedPartner({ company = {}, key = {} }: { company?: Limits; key?: Limits }) {
  const partner = await makePartner(stack);
  await makeTopupProducts(stack, partner);
  await deposit(stack, partner.id, '100000', 'airtime');
  const found = await findApiKey(stack.database, 'partner', stack.digests.apiKey(partner.apiKey));
  const keyId = found?.id ?? Number.NaN;
  const set = (table: 'partners' | 'api_keys', id: number, limits: Limits) =>
    Object.keys(limits).length > 0 &&
    stack.database.updateTable(table).set(limits).where('id', '=', id).execute();
  await set('partners', partner.id, company);
  await set('api_keys', keyId, key);
  const other = await makeKey(stack, { kind: 'partner', id: partner.id });
  const clients = [
    await partnerClient(stack, partner),
    await partnerClient(stack, { ...partner, apiKey: other }),
  ] as const;
  const generate = (which: 0 | 1 = 0): Promise<Answer> =>
    clients[which].post(
      '/topup-transactions/generate-voucher',
      { denominationId: partner.denominations[100], merchantId: merchant.id, msisdn: null },
      { 'Idempotency-Key': randomUUID() },
    );
  const topup = (which: 0 | 1 = 0, msisdn = '+251911000050'): Promise<Answer> =>
    clients[which].post(
      '/topup-transactions/airtime-topup',
      { amount: 50, msisdn, ...sale },
      { 'Idempotency-Key': randomUUID() },
    );
  const spent = async () =>
    (
      await stack.database
        .selectFrom('daily_spending')
        .select(['subject_kind', 'amount', 'operations'])
        .where((where) =>
          where.or([
            where.and([
              where('subject_kind', '=', 'partner'),
              where('subject_id', '=', partner.id),
            ]),
            where.and([where('subject_kind', '=', 'api-key'), where('subject_id', '=', keyId)]),
          ]),
        )
        .orderBy('subject_kind')
        .execute()
    ).map((row) => [row.subject_kind, Number(row.amount), row.operations]);
  const balance = async (kind: 'gift' | 'airtime') => {
    const row = await stack.database
      .selectFrom('ledger_accounts')
      .select('balance')
      .where('partner_id', '=', partner.id)
      .where('kind', '=', kind)
      .executeTakeFirstOrThrow();
    return Number(row.balance);
  };
  return { partner, keyId, clients, generate, topup, spent, balance };
}

const done = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 200).length;

describe('twenty-four requests at once', () => {
  test('generate no more vouchers than company and key allow', async () => {
    const { generate, spent, balance } = await limitedPartner({
      company: { daily_amount: '1250' },
      key: { daily_operations: 5 },
    });
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, index) => generate(index % 2 === 0 ? 0 : 1)),
    );
    expect(done(answers)).toBe(12);
    for (const answer of answers)
      if (answer.status !== 200)
        expectRefusal(answer, 'partner', 429, { reason: 'daily-limit-reached' });
    expect(await balance('gift')).toBe(100_000 - 1_200);
    const counts = await spent();
    expect(counts.filter(([kind]) => kind === 'partner')).toEqual([['partner', 1_200, 12]]);
    // The other key may have been quicker with all of them.
    for (const [kind, , operations] of counts)
      if (kind === 'api-key') expect(operations).toBeLessThanOrEqual(5);
  });

  test('send no more top-ups, and mix with vouchers', async () => {
    const { generate, topup, spent, balance } = await limitedPartner({
      company: { daily_operations: 9 },
    });
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, index) => (index % 2 === 0 ? topup(0) : generate(1))),
    );
    expect(done(answers)).toBe(9);
    const [[, amount, operations] = []] = await spent();
    expect(operations).toBe(9);
    expect(100_000 - (await balance('gift')) + 100_000 - (await balance('airtime'))).toBe(amount);
  });
});

test('the refusal says what is left and when the limit renews', async () => {
  const { generate, topup } = await limitedPartner({
    company: { daily_amount: '1000' },
    key: { daily_amount: '130', daily_operations: 10 },
  });
  expect((await generate()).status).toBe(200);
  const midnight = new Date(new Date().setUTCHours(24, 0, 0, 0)).toISOString();
  for (const answer of [await generate(), await topup()]) {
    expectRefusal(answer, 'partner', 429, {
      reason: 'daily-limit-reached',
      says:
        'the company has 900.00 of 1000.00 ETB left; the API key has 30.00 of 130.00 ETB and ' +
        `9 of 10 operations left; the day ends at ${midnight}`,
    });
    expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0);
  }
});

test('a failed top-up is not given back, and its retry counts again', async () => {
  const { clients, topup, spent } = await limitedPartner({ key: { daily_operations: 2 } });
  const failed = await topup(0, '+251911000002');
  expect(failed.status).toBe(424);
  const retry = () =>
    clients[0].post(
      '/topup-transactions/retry-topup',
      { transactionId: failed.body.data.transactionId, msisdn: '+251911000002' },
      { 'Idempotency-Key': randomUUID() },
    );
  expect((await retry()).status).toBe(424);
  expect(await spent()).toEqual([['api-key', 100, 2]]);
  expectRefusal(await retry(), 'partner', 429, { reason: 'daily-limit-reached' });
});

test('the day before does not count, and a lifted limit stops nothing', async () => {
  const { keyId, generate, spent } = await limitedPartner({ key: { daily_operations: 1 } });
  expect((await generate()).status).toBe(200);
  expectRefusal(await generate(), 'partner', 429, { reason: 'daily-limit-reached' });
  await stack.database
    .updateTable('daily_spending')
    .set({ day: '2020-01-01' })
    .where('subject_id', '=', keyId)
    .execute();
  expect((await generate()).status).toBe(200);
  await stack.database
    .updateTable('api_keys')
    .set({ daily_operations: null })
    .where('id', '=', keyId)
    .execute();
  await until(async () => expect((await generate()).status).toBe(200));
  expect((await spent()).at(-1)).toEqual(['api-key', 100, 1]);
});

test('who has no limit leaves no trace', async () => {
  const { generate, topup, spent } = await limitedPartner({});
  expect([(await generate()).status, (await topup()).status]).toEqual([200, 200]);
  expect(await spent()).toEqual([]);
});
