import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addRow, type Database } from '../../../src/db/connection.ts';
import { partnerBalances } from '../../../src/db/ledger/ledger.ts';
import { expireDueVouchers } from '../../../src/db/vouchers/expiry.ts';
import { lockVoucher } from '../../../src/db/vouchers/vouchers.ts';
import { untilBlockedBy } from '../../support/database-locks.ts';
import { addGiftSeller, addVoucher, type GiftSeller } from '../gift-rows.ts';
import { type OpenDatabase, openDatabase } from '../open-database.ts';

/** A validity that is over when the statement that generates the voucher is. */
const OVER = 0;

let open: OpenDatabase;
let database: Database;
let seller: GiftSeller;

beforeAll(async () => {
  open = await openDatabase();
  database = open.database;
});
afterAll(() => open?.close());
beforeEach(async () => {
  seller = await addGiftSeller(database);
});

const runExpiry = (batchSize = 100): Promise<number> =>
  database.transaction().execute((transaction) => expireDueVouchers(transaction, batchSize));

const voucherOf = (id: number) =>
  database
    .selectFrom('vouchers')
    .select(['status', 'remaining', 'returned'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();

const untouched = { status: 'ACTIVE', remaining: '100.000000', returned: '0.000000' };
const expired = { status: 'EXPIRED', remaining: '0.000000', returned: '100.000000' };

/** A payment of the voucher could be made twice. */
const addBlockingCase = (voucherId: number) =>
  addRow(database, 'cases', {
    subject_kind: 'order',
    subject: `order of ${voucherId}`,
    why: 'unclear',
    amount: '0',
    voucher_id: voucherId,
    is_blocking: true,
  });

const balancesOf = ({ partnerId }: GiftSeller) => partnerBalances(database, partnerId);

describe('expireVouchers', () => {
  it('gives the vouchers of several partners back in one batch', async () => {
    const other = await addGiftSeller(database);
    const due = [
      await addVoucher(database, seller, OVER),
      await addVoucher(database, other, OVER),
      await addVoucher(database, seller, OVER),
    ];
    expect(await runExpiry()).toBe(3);
    for (const id of due) expect(await voucherOf(id)).toEqual(expired);
    for (const partner of [seller, other])
      expect(await balancesOf(partner)).toMatchObject({
        gift: '1000.000000',
        reserved: '0.000000',
      });
  });

  it('leaves a voucher with a case that was opened after it had begun', async () => {
    const id = await addVoucher(database, seller, OVER);
    // A clock that waits, so that the statement has begun and has locked nothing yet.
    await sql`create schema slow`.execute(database);
    await sql`
      create function slow.clock_timestamp() returns timestamptz language sql volatile as
        'select pg_advisory_xact_lock(1); select pg_catalog.clock_timestamp()'`.execute(database);
    const { expiring } = await database.transaction().execute(async (transaction) => {
      await sql`select pg_advisory_xact_lock(1)`.execute(transaction);
      const run = database.transaction().execute(async (slow) => {
        await sql`set local search_path = slow, pg_catalog, public`.execute(slow);
        return expireDueVouchers(slow, 100);
      });
      await untilBlockedBy(transaction, database, 1);
      await addBlockingCase(id);
      return { expiring: run };
    });
    expect(await expiring).toBe(0);
    expect(await voucherOf(id)).toEqual(untouched);
  });

  it('leaves a voucher whose date has not come', async () => {
    const id = await addVoucher(database, seller);
    expect(await runExpiry()).toBe(0);
    expect(await voucherOf(id)).toEqual(untouched);
    expect(await balancesOf(seller)).toMatchObject({ gift: '900.000000', reserved: '100.000000' });
  });

  it('does not expire a voucher twice', async () => {
    await addVoucher(database, seller, OVER);
    expect(await runExpiry()).toBe(1);
    expect(await runExpiry()).toBe(0);
    expect(await balancesOf(seller)).toMatchObject({ gift: '1000.000000' });
  });

  it('takes no more than a batch, the oldest first', async () => {
    const oldest = await addVoucher(database, seller, -1);
    const younger = await addVoucher(database, seller, OVER);
    expect(await runExpiry(1)).toBe(1);
    expect(await voucherOf(oldest)).toEqual(expired);
    expect(await voucherOf(younger)).toEqual(untouched);
    expect(await runExpiry(1)).toBe(1);
  });

  it('leaves a voucher alone that somebody holds locked, without waiting for it', async () => {
    const locked = await addVoucher(database, seller, OVER);
    const free = await addVoucher(database, seller, OVER);
    await database.transaction().execute(async (transaction) => {
      await lockVoucher(transaction, locked);
      expect(await runExpiry()).toBe(1);
    });
    expect(await voucherOf(free)).toEqual(expired);
    expect(await voucherOf(locked)).toEqual(untouched);
    expect(await runExpiry()).toBe(1);
    expect(await voucherOf(locked)).toEqual(expired);
  });

  it('shares what is due among expiry runs that run at once', async () => {
    for (let count = 0; count < 8; count += 1) await addVoucher(database, seller, OVER);
    const counts = await Promise.all([runExpiry(3), runExpiry(3), runExpiry(3), runExpiry(3)]);
    const rest = await runExpiry();
    expect(counts.reduce((sum, count) => sum + count, rest)).toBe(8);
    expect(await balancesOf(seller)).toMatchObject({ gift: '1000.000000', reserved: '0.000000' });
  });
});
