import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { listCases } from '../../../src/db/positions/cases.ts';
import { placingReversal } from '../../../src/db/vouchers/reversals.ts';
import type { ProviderStatementLine } from '../../../src/domain/positions/statement-line.ts';
import { observe, placementsOf, reverse } from '../../positions/placements.ts';
import { findBrokenInvariants } from '../../support/broken-invariants.ts';
import { same, statementScene } from './statement-scene.ts';

/** Reversals in provider statements, also those that our books do not have. */
const given = statementScene();
const { compare, hoursAfter, line, open, pay } = given;

describe.each([
  ['of the same day', 0],
  ['of a day before', -24],
])('a reversal without our reference, of a payment %s,', (_, hours) => {
  test.each([
    ['completed', 'takes it back', 'difference', -487.5],
    ['failed', 'says nothing', undefined, 0],
    ['pending', 'is a line of nobody', 'foreign', 487.5],
    ['reversed', 'is a line of nobody', 'foreign', 487.5],
  ] as const)('that is %s %s', async (status, _effect, why, amount) => {
    const paid = await pay('post', hoursAfter(hours));
    const reversal = await reversalOf(paid, { status });
    const lines = [...(hours === 0 ? [line(paid)] : []), reversal];
    const unexplained = why === 'foreign' ? 1 : 0;
    const observed = why === 'difference' ? 1 : 0;
    expect(await compare(lines)).toEqual({ ...same, observed, unexplained });
    const found = why && [why, amount, why === 'difference' ? paid : null];
    expect(await open(paid)).toEqual(found ? [found] : []);
    expect(await compare(lines)).toEqual({ ...same, unexplained });
    expect(await findBrokenInvariants(given.database)).toEqual([]);
  });

  test('of a part is a difference, which no answer about the payment ends', async () => {
    const paid = await pay('post', hoursAfter(hours));
    const part = await reversalOf(paid, { amount: '40' });
    const lines = [...(hours === 0 ? [line(paid)] : []), part];
    expect(await compare(lines)).toEqual({ ...same, observed: 1 });
    await sayDone(paid);
    expect(await compare(lines)).toEqual(same);
    expect(await open(paid)).toEqual([['difference', -40, paid]]);
    expect(await findBrokenInvariants(given.database)).toEqual([]);
  });

  test.each([
    ['is empty', null],
    // M-Pesa says what a row has withdrawn, and a reversal withdraws nothing.
    ['is zero', '0.00'],
  ])('takes the whole back where its amount %s', async (_amount, amount) => {
    const paid = await pay('post', hoursAfter(hours));
    const reversal = await reversalOf(paid, { amount });
    const lines = [...(hours === 0 ? [line(paid)] : []), reversal];
    expect(await compare(lines)).toEqual({ ...same, observed: 1 });
    expect(await open(paid)).toEqual([['difference', -487.5, paid]]);
  });
});

test.each([
  ['another amount, of which a part is taken back', 'post', '500', '40', -27.5],
  ['a late payment, of which a part is taken back', 'void', '487.5', '40', 447.5],
  ['another amount, which is taken back', 'post', '400', '400', -487.5],
] as const)('%s, in one statement', async (_, ending, amount, taken, difference) => {
  const paid = await pay(ending);
  const reversal = await reversalOf(paid, { amount: taken });
  const providerReference = reversal.originalReference ?? '';
  const lines = [line(paid, { amount, providerReference }), reversal];
  expect(await compare(lines)).toEqual({ ...same, observed: 2 });
  expect(await open(paid)).toEqual([['difference', difference, paid]]);
  expect(await compare(lines)).toEqual(same);
  expect(await open(paid)).toEqual([['difference', difference, paid]]);
  expect(await findBrokenInvariants(given.database)).toEqual([]);
});

test.each([
  ['of its own, as of a request that a restore lost', () => randomUUID()],
  ['of the payment', (paid: string) => paid],
])('a reversal with a reference %s takes the payment back', async (_, referenceOf) => {
  const paid = await pay();
  const reversal = await reversalOf(paid, { reference: referenceOf(paid) });
  const lines = [line(paid), reversal];
  expect(await compare(lines)).toEqual({ ...same, observed: 1 });
  // Some providers say that a payment is done, whatever they have taken back.
  await sayDone(paid);
  expect(await compare(lines)).toEqual(same);
  expect(await open(paid)).toEqual([['difference', -487.5, paid]]);
  const [found] = await listCases(given.database, { includeClosed: false, limit: 1_000 }).then(
    (cases) => cases.filter(({ reference }) => reference === paid),
  );
  expect(found).toMatchObject({ difference: 'taken-back' });
  expect(await findBrokenInvariants(given.database)).toEqual([]);
});

describe.each([
  ['without a reference', () => null],
  ['with one reference', () => randomUUID()],
  ['with the reference of the payment', (paid: string) => paid],
])('two parts that a provider takes back %s', (_, referenceOf) => {
  test.each([
    ['in one statement', 0],
    ['on two days', 1],
  ])('count both, %s', async (_when, days) => {
    const paid = await pay();
    const reference = referenceOf(paid);
    const first = await reversalOf(paid, { reference, amount: '40' });
    const second = { ...first, providerReference: `${first.providerReference}-2`, amount: '50' };
    const statements =
      days === 0
        ? [{ on: given.day, lines: [line(paid), first, second] }]
        : [
            { on: given.day, lines: [line(paid), first] },
            { on: given.dayAfter(days), lines: [{ ...second, at: given.hoursAfter(24 * days) }] },
          ];
    for (const { on, lines } of statements) await compare(lines, on);
    expect(await open(paid)).toEqual([['difference', -90, paid]]);
    for (const { on, lines } of statements) expect(await compare(lines, on)).toEqual(same);
    // The provider gives the first part again.
    const [{ on, lines } = { on: given.day, lines: [] }] = statements;
    const later = lines.map((one) => (one === first ? { ...one, status: 'failed' as const } : one));
    expect(await compare(later, on)).toEqual({ ...same, observed: 1 });
    expect(await open(paid)).toEqual([['difference', -50, paid]]);
    expect(await findBrokenInvariants(given.database)).toEqual([]);
  });
});

test.each(['reversed', 'failed'] as const)(
  'a reversal that is %s later gives it again',
  async (status) => {
    const paid = await pay();
    const reversal = await reversalOf(paid, {});
    await compare([line(paid), reversal]);
    expect(await open(paid)).toEqual([['difference', -487.5, paid]]);
    const found = { ...same, observed: 1 };
    expect(await compare([line(paid), { ...reversal, status }])).toEqual(found);
    expect(await open(paid)).toEqual([]);
    expect(await findBrokenInvariants(given.database)).toEqual([]);
  },
);

test('a reversal of a payment on hold is a case when the hold has ended', async () => {
  const held = await pay('hold');
  const reversal = await reversalOf(held, {});
  const { originalReference: providerReference = '' } = reversal;
  expect(await compare([line(held, { providerReference }), reversal])).toMatchObject({
    observed: 2,
  });
  expect(await open(held)).toEqual([]);
  const operationId = await operationOf(held);
  await given.redeem.post(operationId);
  expect(await open(held)).toEqual([['difference', -487.5, held]]);
  const { rows } = await sql`
    select status, charged, is_done from redemptions where operation_id = ${operationId}`.execute(
    given.database,
  );
  expect(rows).toEqual([{ status: 'POSTED', charged: true, is_done: false }]);
  expect(await findBrokenInvariants(given.database)).toEqual([]);
});

test('a reversal that two rows say otherwise is placed once', async () => {
  const paid = await pay();
  const part = await reversalOf(paid, { amount: '40' });
  const lines = [line(paid), part, { ...part, amount: '50' }];
  expect(await compare(lines)).toEqual({ ...same, observed: 1, unexplained: 1 });
  expect(await compare(lines.slice(0, 2))).toEqual(same);
  expect(await open(paid)).toEqual([['difference', -40, paid]]);
});

describe("a merchant's own reversal without our reference", () => {
  const ownReversal = async (paid: string, reference: string) => {
    const payment = sql`(select * from placements where reference = ${paid})`;
    await placingReversal(reference, payment).execute(given.database);
    return operationOf(paid);
  };

  test('is known by that of its provider', async () => {
    const [paid, reference] = [await pay(), randomUUID()];
    const reversal = await reversalOf(paid, {});
    const operationId = await ownReversal(paid, reference);
    await reverse(given.database, operationId, reversal.providerReference);
    await sql`
      insert into redemption_reversals (redemption_id, operation_id, request_digest, reference, status,
        credited_to, created_at, settled_at)
      select id, ${reference}, 'digest', ${reference}::uuid, 'SUCCESS', 'voucher', ${hoursAfter(0)},
        ${hoursAfter(0)}
      from redemptions where operation_id = ${operationId}`.execute(given.database);
    expect(await compare([line(paid), reversal])).toEqual(same);
    expect(await placementsOf(given.database, operationId)).toHaveLength(2);
  });

  test('may be answered after a statement has told of it', async () => {
    const paid = await pay();
    const reversal = await reversalOf(paid, {});
    const operationId = await ownReversal(paid, randomUUID());
    const lines = [line(paid), reversal];
    expect(await compare(lines)).toEqual({ ...same, observed: 1 });
    expect(await open(paid)).toEqual([['difference', -487.5, paid]]);
    await reverse(given.database, operationId, reversal.providerReference);
    expect(await compare(lines)).toEqual(same);
    expect(await open(paid)).toEqual([]);
    expect(await findBrokenInvariants(given.database)).toEqual([]);
  });
});

/** The provider is asked about a payment, and says that it did it. */
const sayDone = async (reference: string) => {
  const operationId = await operationOf(reference);
  await given.database
    .transaction()
    .execute((transaction) => observe(transaction, operationId, { said: 'done' }));
};

const operationOf = async (reference: string): Promise<string> => {
  const { rows } = await sql<{ operationId: string }>`
    select operation_id as "operationId" from placements where reference = ${reference}`.execute(
    given.database,
  );
  return rows[0]?.operationId ?? '';
};

/** The line of the provider's own reversal of a payment. */
async function reversalOf(
  reference: string,
  other: Partial<ProviderStatementLine>,
): Promise<ProviderStatementLine> {
  const originalReference = `MM-${given.number}`;
  await sql`update placements set provider_reference = ${originalReference}
    where reference = ${reference}`.execute(given.database);
  return line(null, { kind: 'reversal', originalReference, ...other });
}
