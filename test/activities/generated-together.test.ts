import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { generateTogether } from '../../activities/vouchers/vouchers.ts';
import { type Database, violates } from '../../src/db/connection.ts';
import { dailyLimitConstraint, numberLimitConstraint } from '../../src/db/limits/daily-limits.ts';
import {
  type GenerationRequest,
  type GenerationSubject,
  insertVouchers,
} from '../../src/db/vouchers/generation.ts';
import { credentialOf } from '../admin/movements.ts';
import { addGiftSeller, type GiftSeller, giftRequest, priceGift } from '../db/gift-rows.ts';
import { type OpenDatabase, openDatabase } from '../db/open-database.ts';
import { findBrokenInvariants } from '../support/broken-invariants.ts';
import { untilBlocked } from '../support/database-locks.ts';

/** Vouchers of one caller that one statement generates: each has the result that it would have alone. */
let open: OpenDatabase;
let database: Database;
let seller: GiftSeller;
let subject: GenerationSubject;

beforeAll(async () => {
  open = await openDatabase();
  database = open.database;
});
afterAll(() => open?.close());
beforeEach(async () => {
  seller = await addGiftSeller(database);
  await priceGift(database, seller, '1');
  const { partnerId: id, merchantId, denominationId } = seller;
  const credential = await credentialOf(database, 'partner', id);
  const partner = { kind: 'partner', id, credential } as const;
  subject = { partner, merchant: { id: merchantId }, denominationId };
});

type Changes = Partial<GenerationRequest>;

/** What became of each request, in words. */
async function generated(...requests: readonly Changes[]): Promise<string[]> {
  const results = await generateTogether(
    database,
    requests.map((changes) => giftRequest(subject, changes)),
  );
  return results.map((result) => {
    if (result.status === 'rejected')
      return violates(result.reason, numberLimitConstraint)
        ? 'number limit'
        : violates(result.reason, dailyLimitConstraint)
          ? 'daily limit'
          : violates(result.reason, 'vouchers_operation_id_key')
            ? 'duplicate'
            : String(result.reason);
    const { voucherId, operation, merchantId, giftBalance } = result.value;
    if (voucherId !== null) return 'generated';
    if (operation) return `earlier: ${operation.status}`;
    return merchantId === null ? 'no merchant' : `balance ${giftBalance}`;
  });
}

const times = <Item>(count: number, item: Item): Item[] =>
  Array.from({ length: count }, () => item);

/** The sum of what is reserved, which is that of the vouchers that exist. */
async function reserved(): Promise<string> {
  const { partnerId } = seller;
  const { balance } = await database
    .selectFrom('ledger_accounts')
    .select('balance')
    .where('partner_id', '=', partnerId)
    .where('kind', '=', 'reserved')
    .executeTakeFirstOrThrow();
  const vouchers = await database
    .selectFrom('vouchers')
    .select('amount')
    .where('partner_id', '=', partnerId)
    .execute();
  expect(Number(balance)).toBe(100 * vouchers.length);
  expect(await findBrokenInvariants(database)).toEqual([]);
  return String(balance);
}

it('all of them', async () => {
  expect(await generated({}, {}, {})).toEqual(times(3, 'generated'));
  expect(await reserved()).toBe('300.000000');
});

it('those whose facts allow it', async () => {
  const merchant = { identifier: 'nobody' };
  expect(await generated({}, { merchant }, {})).toEqual(['generated', 'no merchant', 'generated']);
  expect(await reserved()).toBe('200.000000');
});

it('those that the balance suffices for, the first ones first', async () => {
  expect(await generated(...times(12, {}))).toEqual([
    ...times(10, 'generated'),
    ...times(2, 'balance 0.000000'),
  ]);
  expect(await reserved()).toBe('1000.000000');
});

it('none again, neither an earlier one nor one of the same group', async () => {
  const operationId = 'one';
  expect(await generated({ operationId })).toEqual(['generated']);
  expect(await generated({}, { operationId })).toEqual(['generated', 'earlier: SUCCEEDED']);
  const other = { operationId: 'other' };
  expect(await generated(other, other)).toEqual(['generated', 'earlier: SUCCEEDED']);
  expect(await reserved()).toBe('300.000000');
});

it('as many for a number as a day may have', async () => {
  const numberCount = { digest: randomBytes(32), event: 'vouchers', limit: 2 } as const;
  const other = { ...numberCount, digest: randomBytes(32) };
  expect(
    await generated(...times(3, { numberCount }), { numberCount: other }, { numberCount: other }),
  ).toEqual(['generated', 'generated', 'number limit', 'generated', 'generated']);
  expect(await generated({ numberCount }, {})).toEqual(['number limit', 'generated']);
  expect(await reserved()).toBe('500.000000');
});

/** Limits the amount that the partner may spend in a day. */
async function limitAmount(daily_amount: string): Promise<void> {
  await database
    .updateTable('partners')
    .set({ daily_amount })
    .where('id', '=', seller.partnerId)
    .execute();
  const { kind, id, credential } = subject.partner;
  if (!credential || !('apiKeyId' in credential)) throw new Error('The partner has no API key');
  subject = { ...subject, partner: { kind, id, credential: { ...credential, isLimited: true } } };
}

it('as many as the daily limit of the partner leaves', async () => {
  await limitAmount('250');
  expect(await generated({}, {}, {})).toEqual(['generated', 'generated', 'daily limit']);
  expect(await reserved()).toBe('200.000000');
});

it('none of a request that another worker carries out, whose limits the first one reaches', async () => {
  await limitAmount('100');
  const numberCount = { digest: randomBytes(32), event: 'vouchers', limit: 1 } as const;
  const changes = { operationId: 'twice', numberCount };
  const { second } = await database.transaction().execute(async (transaction) => {
    await insertVouchers(transaction, [giftRequest(subject, changes)]);
    const results = generated(changes);
    await untilBlocked(database);
    // In an object, so that the results are not awaited before the commit.
    return { second: results };
  });
  expect(await second).toEqual(['duplicate']);
  expect(await generated(changes)).toEqual(['earlier: SUCCEEDED']);
  expect(await reserved()).toBe('100.000000');
});
