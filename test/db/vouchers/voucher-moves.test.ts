import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectDatabase, type Database, violates } from '../../../src/db/connection.ts';
import { type VoucherStatus, voucherMoves } from '../../../src/domain/vouchers/voucher.ts';
import { testNumbers } from '../../end-to-end/privacy/stored-numbers.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { addGiftSeller } from '../gift-rows.ts';

/** The database's own table of moves, held against the domain's, pair by pair. */
let testDatabase: TestDatabase;
let database: Database;
let owners: { partner_id: number; merchant_id: number; denomination_id: number };

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = connectDatabase(testDatabase.url, { poolSize: 2 });
  const { partnerId, merchantId, denominationId } = await addGiftSeller(database);
  owners = { partner_id: partnerId, merchant_id: merchantId, denomination_id: denominationId };
});
afterAll(async () => {
  await database?.destroy();
  await testDatabase?.drop();
});

/** Values that fit a state, so that nothing but the trigger has a reason to refuse it. */
function valuesOf(status: VoucherStatus) {
  if (status === 'REDEEM_PROCESSING') return { remaining: '60', held: '40', returned: '0' };
  if (status === 'ACTIVE' || status === 'REDEEM_INITIATED')
    return { remaining: '100', held: '0', returned: '0' };
  return { remaining: '0', held: '0', returned: status === 'REDEEMED' ? '0' : '100' };
}

async function voucherIn(status: VoucherStatus, owner: string | null = null): Promise<number> {
  const { id } = await database
    .insertInto('vouchers')
    .values({
      ...owners,
      ...valuesOf(status),
      operation_id: randomUUID(),
      request_digest: 'digest',
      serial_number: randomUUID(),
      code_digest: Buffer.from(randomUUID()),
      code_ciphertext: 'sealed',
      owner_msisdn: testNumbers.storeIfAny(owner),
      is_restricted: true,
      amount: '100',
      status,
      expires_at: sql<Date>`now() + interval '1 day'`,
      selling_price_usd: '1',
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

const move = (id: number, status: VoucherStatus) =>
  database
    .updateTable('vouchers')
    .set({ status, ...valuesOf(status) })
    .where('id', '=', id)
    .execute();

const statusOf = async (id: number) =>
  (
    await database
      .selectFrom('vouchers')
      .select('status')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  ).status;

const changesOf = (id: number) =>
  database
    .selectFrom('voucher_status_changes')
    .select(['from_status', 'to_status'])
    .where('voucher_id', '=', id)
    .execute();

const statuses = Object.keys(voucherMoves) as VoucherStatus[];
const pairs = statuses.flatMap((from) =>
  statuses.filter((to) => to !== from).map((to) => [from, to] as const),
);
const isAllowed = ([from, to]: readonly [VoucherStatus, VoucherStatus]) =>
  voucherMoves[from].includes(to);

describe('a voucher goes', () => {
  test.each(pairs.filter(isAllowed))('from %s to %s, and its history says so', async (from, to) => {
    const id = await voucherIn(from);
    await move(id, to);
    expect(await statusOf(id)).toBe(to);
    expect(await changesOf(id)).toEqual([{ from_status: from, to_status: to }]);
  });
});

describe('a voucher never goes', () => {
  test.each(pairs.filter((pair) => !isAllowed(pair)))('from %s to %s', async (from, to) => {
    const id = await voucherIn(from);
    const refusal = await move(id, to).catch((error: unknown) => error);
    expect(violates(refusal, 'vouchers_status_moves')).toBe(true);
    expect(await statusOf(id)).toBe(from);
    expect(await changesOf(id)).toEqual([]);
  });

  test('from ACTIVE to REDEEM_PROCESSING while it has an owner: that needs a claim', async () => {
    const id = await voucherIn('ACTIVE', '+251911000050');
    const refusal = await move(id, 'REDEEM_PROCESSING').catch((error: unknown) => error);
    expect(violates(refusal, 'vouchers_status_moves')).toBe(true);
    await move(id, 'REDEEM_INITIATED');
    await move(id, 'REDEEM_PROCESSING');
    expect(await statusOf(id)).toBe('REDEEM_PROCESSING');
  });
});

describe('the history of a voucher', () => {
  test('says nothing where the status stays', async () => {
    const id = await voucherIn('REDEEM_INITIATED');
    await move(id, 'REDEEM_INITIATED');
    expect(await changesOf(id)).toEqual([]);
  });

  test.each([
    [
      'altered',
      (id: number) =>
        database
          .updateTable('voucher_status_changes')
          .set({ to_status: 'ACTIVE' })
          .where('voucher_id', '=', id)
          .execute(),
    ],
    [
      'deleted',
      (id: number) =>
        database.deleteFrom('voucher_status_changes').where('voucher_id', '=', id).execute(),
    ],
  ])('is not %s', async (_what, change) => {
    const id = await voucherIn('ACTIVE');
    await move(id, 'EXPIRED');
    await expect(change(id)).rejects.toThrow('only ever added');
    expect(await changesOf(id)).toHaveLength(1);
  });
});
