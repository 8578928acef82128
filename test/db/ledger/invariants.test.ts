import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkChangedBooks, noteWholeFaults } from '../../../src/db/books/check-changes.ts';
import {
  checkWholeBooks,
  checkWholePart,
  type WholeCursor,
  type WholePart,
  wholeStart,
} from '../../../src/db/books/check-whole.ts';
import { connectDatabase, type Database } from '../../../src/db/connection.ts';
import { expireDueVouchers } from '../../../src/db/vouchers/expiry.ts';
import { CLAIM, done, GENERATE, REDEEM, settled } from '../../end-to-end/gift/gift-scene.ts';
import { brokenInvariantsIn, findBrokenInvariants } from '../../support/broken-invariants.ts';
import { merchantClient, newestCode, partnerClient } from '../../support/clients.ts';
import { makeMerchant, makePartner } from '../../support/companies.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { breakages } from './broken-on-purpose.ts';
import { untilBooksAreChecked } from './checked-books.ts';

/** The database that real requests have filled; every case breaks it and is rolled back. */
let original: TestDatabase;

beforeAll(async () => {
  original = await createTestDatabase();
});
afterAll(() => original?.drop());

/** Generates vouchers and leaves one in every state but CANCELLED, which no request leads to. */
async function giftPath(stack: Stack): Promise<void> {
  const partner = await makePartner(stack);
  const asPartner = await partnerClient(stack, partner);
  const generate = async (merchantId: number, msisdn: string | null) => {
    const body = { denominationId: partner.denominations[100], merchantId, msisdn };
    const { voucher } = done(await settled(asPartner, GENERATE, body)).body.data;
    return { id: Number(voucher.id), voucherCode: String(voucher.voucherCode) };
  };
  /** Claims a new voucher at a merchant whose payments end as the suffix says. */
  const claim = async (payoutSuffix: string, msisdn: string, amount: number) => {
    const merchant = await makeMerchant(stack, { payoutSuffix });
    const client = await merchantClient(stack, merchant);
    const { voucherCode } = await generate(merchant.id, msisdn);
    done(await settled(client, CLAIM, { voucherCode, amount }));
    return { client, voucherCode, verificationCode: await newestCode(stack, msisdn) };
  };
  const redeem = ({ client, ...body }: Awaited<ReturnType<typeof claim>>) =>
    settled(client, REDEEM, body);
  done(await redeem(await claim('000', '+251922000000', 100)));
  done(await redeem(await claim('000', '+251922001000', 40)));
  const refused = await redeem(await claim('006', '+251922002000', 100));
  expect(refused.body.statusCode).toBe(5031);
  const { client, ...body } = await claim('014', '+251922003000', 100);
  expect((await client.post(REDEEM, body)).body.statusCode).toBe(4092);
  await claim('000', '+251922004000', 100);
  const merchant = await makeMerchant(stack);
  await generate(merchant.id, null);
  const due = await generate(merchant.id, null);
  await stack.database
    .updateTable('vouchers')
    .set({ expires_at: sql<Date>`now()` })
    .where('id', '=', due.id)
    .execute();
  await stack.database.transaction().execute((transaction) => expireDueVouchers(transaction, 10));
}

const statuses = async (database: Database) => {
  const rows = await database.selectFrom('vouchers').select('status').orderBy('id').execute();
  return rows.map(({ status }) => status);
};

describe('findBrokenInvariants', () => {
  it('finds nothing on a live database after the gift path', async () => {
    const stack = await startStack({ DATABASE_URL: original.url, CALLER_WAIT_SECONDS: '1' });
    try {
      await giftPath(stack);
      expect(await statuses(stack.database)).toEqual([
        'REDEEMED',
        'ACTIVE',
        'ACTIVE',
        'REDEEM_PROCESSING',
        'REDEEM_INITIATED',
        'ACTIVE',
        'EXPIRED',
      ]);
      expect(await findBrokenInvariants(stack.database)).toEqual([]);
    } finally {
      await stack.stop();
    }
  });
});

/** The reason for which a case's transaction is rolled back. */
class Undone extends Error {}

/** Breakages that change rows which nobody changes: once they are checked, only the whole check looks at them again. */
const ofOldRows = [
  'I1, an amount of zero',
  'I1, from an account to itself',
  'A, a payment that is not in the ledger',
  'C, a fee that went to the merchant',
  'I10, a history that was deleted',
];

let database: Database;
beforeAll(() => {
  database = connectDatabase(original.url, { poolSize: 2 });
});
afterAll(() => database?.destroy());

/** Breaks the books, looks at them, and rolls back. */
async function breaking(
  statements: readonly string[],
  look: (transaction: Database) => Promise<void>,
): Promise<void> {
  const undone = database.transaction().execute(async (transaction) => {
    for (const statement of statements) await sql.raw(statement).execute(transaction);
    await look(transaction);
    throw new Undone();
  });
  await expect(undone).rejects.toThrow(Undone);
}

describe('while nothing has been checked, all rows are new', () => {
  it.each(breakages.filter(([name]) => ofOldRows.includes(name)))(
    '%s: the first check finds it',
    (_name, line, ...statements) =>
      breaking(statements, async (transaction) => {
        expect((await checkChangedBooks(transaction)).faults).toContain(line);
      }),
  );
});

describe('once all has been checked', () => {
  beforeAll(async () => {
    await untilBooksAreChecked(database, 3);
    const ends = await database.selectFrom('book_checkpoints').select('checked_to').execute();
    for (const { checked_to: checkedTo } of ends) expect(checkedTo).toBeGreaterThan(0);
    expect(await database.selectFrom('unchecked_changes').selectAll().execute()).toEqual([]);
  });

  it.each(breakages)('%s is found', (name, line, ...statements) =>
    breaking(statements, async (transaction) => {
      expect(await brokenInvariantsIn(transaction)).toContain(line);
      const { faults } = await checkChangedBooks(transaction);
      if (ofOldRows.includes(name)) expect(faults).not.toContain(line);
      else {
        expect(faults).toContain(line);
        expect((await checkChangedBooks(transaction)).faults, 'it is found again').toContain(line);
      }
      expect(await checkWholeBooks(transaction, { batchSize: 3 })).toContain(line);
    }),
  );

  it.each([
    ['the sums of accounts', 'update checked_balances set amount = amount + 1'],
    ['the sums of days', 'update ledger_day_sums set amount = amount + 1'],
    ['the holdings', 'update checked_holdings set remaining = remaining + 1'],
  ])('%s that differ from the rows are added up again', (_name, statement) =>
    breaking([statement], async (transaction) => {
      for (let cursor: WholeCursor | null = wholeStart; cursor; ) {
        const part: WholePart = await checkWholePart(transaction, cursor);
        await noteWholeFaults(transaction, part);
        cursor = part.next;
      }
      const { rows } = await sql`select from book_checkpoints where checked_to = 0`.execute(
        transaction,
      );
      expect(rows).toHaveLength(1);
      const options = { settleSeconds: 0 };
      expect(await checkChangedBooks(transaction, options)).toEqual({
        faults: [],
        isComplete: true,
      });
      expect(await checkWholeBooks(transaction)).toEqual([]);
    }),
  );
});
