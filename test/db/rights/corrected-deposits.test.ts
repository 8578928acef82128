import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addPartner } from '../../../src/db/catalogue/companies.ts';
import { connectDatabase, type Database } from '../../../src/db/connection.ts';
import { addDeposit, findDeposit } from '../../../src/db/ledger/deposits.ts';
import { formatMoney, parseMoney } from '../../../src/domain/money.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { correctedTo } from '../../support/deposits.ts';

/** Money comes in and goes out by the login of a worker only as a repair says that stands in the database. */
let database: TestDatabase;
let owner: Database;
let worker: Database;
let partnerId: number;

beforeAll(async () => {
  database = await createTestDatabase();
  owner = connectDatabase(database.url, { poolSize: 1 });
  worker = connectDatabase(database.urlFor('worker'), { poolSize: 1 });
  partnerId = await addPartner(owner, 'Acme');
});
afterAll(async () => {
  await worker?.destroy();
  await owner?.destroy();
  await database?.drop();
});

const DEPOSITED = parseMoney('3000');

interface Written {
  readonly kind: string;
  readonly state: string;
  /** What the deposit is to be. */
  readonly amount: string;
  readonly confirmedBy: string | null;
}

/** A deposit, and a repair of it as its row stands in the database; the reference of the deposit. */
async function written(repair: Written, subjectId?: string): Promise<string> {
  const reference = randomUUID();
  await owner
    .transaction()
    .execute((transaction) =>
      addDeposit(transaction, { partnerId, wallet: 'gift', amount: DEPOSITED, reference }),
    );
  const result = repair.state === 'DONE' ? 'It is done.' : null;
  await sql`
    insert into repairs (operation_id, request_key, kind, subject_kind, subject_id, arguments, amount,
      moves_value, why, asked_by, needs_confirmation, confirm_until, confirmed_by, state, result)
    values (${randomUUID()}, ${randomUUID()}, ${repair.kind}, 'deposit', ${subjectId ?? reference},
      ${JSON.stringify({ amount: repair.amount })}, 1, true, 'Ticket 4711', 'staff:1', false, now(),
      ${repair.confirmedBy}, ${repair.state}, ${result})`.execute(owner);
  return reference;
}

const corrected = (reference: string, amount: string) =>
  correctedTo(worker, reference, parseMoney(amount));

const presentOf = async (reference: string) =>
  formatMoney((await findDeposit(owner, reference))?.present ?? -1n);

const raise: Written = {
  kind: 'correct-deposit',
  state: 'READY',
  amount: '4500.000000',
  confirmedBy: 'staff:2',
};
const lower: Written = { ...raise, amount: '300.000000', confirmedBy: null };

describe('a worker books', () => {
  test.each([
    ['a larger amount that a second person confirmed', raise],
    ['a smaller amount that one person asked for', lower],
    ['that nothing came in', { ...lower, amount: '0.000000' }],
  ])('%s', async (_what, repair) => {
    const reference = await written(repair);
    await corrected(reference, repair.amount);
    expect(await presentOf(reference)).toBe(repair.amount);
  });

  test('the amount of each repair, one after another', async () => {
    const reference = await written(raise);
    await corrected(reference, raise.amount);
    await sql`update repairs set state = 'DONE', result = 'It is done.' where subject_id = ${reference}`.execute(
      owner,
    );
    await written(lower, reference);
    await corrected(reference, lower.amount);
    expect(await presentOf(reference)).toBe(lower.amount);
  });
});

describe('a worker does not book', () => {
  test.each<[string, Written, string]>([
    ['a larger amount that nobody confirmed', { ...raise, confirmedBy: null }, raise.amount],
    ['more than was confirmed', raise, '4500.01'],
    ['less than was asked for', lower, '299.99'],
    ['less where more was confirmed', raise, '300'],
    ['by a repair that waits', { ...lower, state: 'ASKED' }, lower.amount],
    ['by a repair that has ended', { ...raise, state: 'DONE' }, raise.amount],
    ['by another kind of repair', { ...raise, kind: 'credit-goodwill' }, raise.amount],
  ])('%s', async (_what, repair, amount) => {
    const reference = await written(repair);
    await expect(corrected(reference, amount)).rejects.toThrow('row-level security');
    expect(await presentOf(reference)).toBe(formatMoney(DEPOSITED));
  });

  test('another deposit than that of the repair', async () => {
    await written(raise);
    const other = await written({ ...raise, state: 'DONE' });
    await expect(corrected(other, raise.amount)).rejects.toThrow('row-level security');
  });
});
