import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { compareFile, compareStored } from '../../../activities/compare-statement.ts';
import { closeCase, listCases } from '../../../src/db/positions/cases.ts';
import type { StatementProvider } from '../../../src/db/provider-statements/statements.ts';
import { bookLost } from '../../../src/db/recovery.ts';
import { placingReversal } from '../../../src/db/vouchers/reversals.ts';
import type { Day } from '../../../src/domain/day-report.ts';
import type { ProviderStatementLine } from '../../../src/domain/positions/statement-line.ts';
import { makeVoucher, redemptions, takenBackAndRetried, topUp } from '../../admin/movements.ts';
import {
  type AdminScene,
  type Catalogue,
  makeFundedCatalogue,
  openScene,
} from '../../admin/scene.ts';
import { observe, placementsOf, reverse } from '../../positions/placements.ts';
import { findBrokenInvariants } from '../../support/broken-invariants.ts';
import { moveRows } from './move-rows.ts';

let scene: AdminScene;
let catalogue: Catalogue;
const gsma = { name: 'gsma', kind: 'mobile-money' } as const;
const dtOne = { name: 'dt-one', kind: 'airtime' } as const;
const reloadly = { name: 'reloadly', kind: 'airtime' } as const;
const settings = {
  ...{ providerStatementMarginSeconds: 1_800, patienceDays: 3, maximumDifferences: 20 },
  reversalWatchSeconds: 0,
};
const patient = { ...settings, patienceDays: 100_000 };
const zone = 'Africa/Addis_Ababa';
/** Old, so that nothing is late unless a test makes it so. */
let number = 0;
let day: Day;
let noon: Date;

beforeAll(async () => {
  scene = await openScene();
  catalogue = await makeFundedCatalogue(scene);
});
afterAll(() => scene?.close());

/** Each test has a day of its own. */
beforeEach(() => {
  number += 1;
  noon = new Date(Date.parse('2026-01-01T09:00:00Z') + number * 3 * 86_400_000);
  day = noon.toJSON().slice(0, 10) as Day;
});

const hoursAfter = (hours: number) => new Date(noon.getTime() + hours * 3_600_000);
const dayAfter = (days: number) =>
  hoursAfter(24 * days)
    .toJSON()
    .slice(0, 10) as Day;

/** A payment of 487.50; its reference. */
async function pay(ending: 'post' | 'void' | 'hold' = 'post', at = noon): Promise<string> {
  const redeem = redemptions(scene.database, catalogue);
  const { id } = await makeVoucher(scene.database, catalogue);
  const operationId = await redeem.hold(id);
  if (ending !== 'hold') await redeem[ending](operationId);
  const { rows } = await sql<{ reference: string }>`
    select payment_reference::text as reference from redemptions
    where operation_id = ${operationId}`.execute(scene.database);
  const reference = rows[0]?.reference ?? '';
  await moveRows(scene.database, [reference], { began: at, ended: at });
  return reference;
}

/** A top-up of 50; the reference of its first attempt. */
async function deliver(
  ending: 'SUCCESS' | 'FAILED' | undefined = 'SUCCESS',
  retriedAt?: string,
): Promise<string> {
  const id = await topUp(scene.database, catalogue.partnerId, '50', { ending });
  if (retriedAt !== undefined) await takenBackAndRetried(scene.database, id, retriedAt);
  const { rows } = await sql<{ reference: string }>`
    select reference from topup_attempts where topup_id = ${id} and attempt = 1`.execute(
    scene.database,
  );
  const reference = rows[0]?.reference ?? '';
  await moveRows(scene.database, [reference], { began: noon, ended: noon });
  return reference;
}

let transactions = 0;
function line(
  reference: string | null,
  other: Partial<ProviderStatementLine> = {},
): ProviderStatementLine {
  transactions += 1;
  return {
    kind: 'payment',
    providerReference: `T${transactions}`,
    reference,
    status: 'completed',
    amount: '487.5',
    currency: 'ETB',
    fee: null,
    feeCurrency: null,
    at: noon,
    ...other,
  };
}

const compare = (
  lines: readonly ProviderStatementLine[],
  on = day,
  provider: StatementProvider = gsma,
) => compareFile(scene.database, { provider, day: on, zone }, lines, settings);

/** The open cases of what a test has made: why, the amount and our reference. */
async function open(...references: readonly (string | null)[]) {
  const cases = await listCases(scene.database, { includeClosed: false, limit: 1_000 });
  return cases
    .filter(({ reference, subject }) =>
      reference === null ? subject.includes(` ${day} `) : references.includes(reference),
    )
    .map(({ why, amount, reference }) => [why, Number(amount), reference]);
}

/** Whether a provider is asked about an order, because the statement does not have it. */
async function isAsked(reference: string): Promise<boolean> {
  const { rows } = await sql`
    select from placements where reference = ${reference} and doubted_at is not null
      and ask_at <= now()`.execute(scene.database);
  return rows.length > 0;
}

const atProvider = (reference: string, provider: string) =>
  sql`update placements set provider = ${provider} where reference = ${reference}`.execute(
    scene.database,
  );

const same = { kind: 'compared', observed: 0, unexplained: 0 };

test('a clean day of payments and top-ups differs in nothing', async () => {
  const [paid, refused, held] = [await pay(), await pay('void'), await pay('hold')];
  expect(
    await compare([
      line(paid),
      // Some providers write references in capitals.
      line((await pay()).toUpperCase()),
      line(refused, { status: 'failed' }),
      line(held, { status: 'pending' }),
    ]),
  ).toEqual(same);
  const [sent, declined] = [await deliver(), await deliver('FAILED')];
  const topUpLine = { kind: 'top-up', amount: '50' } as const;
  const lines = [line(sent, topUpLine), line(declined, { ...topUpLine, status: 'failed' })];
  expect(await compare(lines, day, dtOne)).toEqual(same);
});

describe('a line of ours is what the provider says', () => {
  const cases: Record<
    string,
    readonly [
      Parameters<typeof pay>[0],
      Partial<ProviderStatementLine>,
      readonly [string, number] | undefined,
    ]
  > = {
    'paid after a refusal': ['void', {}, ['difference', 487.5]],
    'failed after all': ['post', { status: 'failed' }, ['difference', -487.5]],
    'taken back': ['post', { status: 'reversed' }, ['difference', -487.5]],
    'another amount': ['post', { amount: '487.51' }, ['difference', 0.01]],
    'another currency': ['post', { currency: 'USD' }, ['unclear', 0]],
    'under way after it was done': ['post', { status: 'pending' }, undefined],
    'taken back of a refusal': ['void', { status: 'reversed' }, undefined],
  };
  test.each(Object.entries(cases))('%s', async (_, [ending, other, expected]) => {
    const paid = await pay(ending);
    const lines = [line(paid, other)];
    const found = expected ? [[...expected, paid]] : [];
    expect(await compare(lines)).toEqual({ ...same, observed: found.length });
    expect(await open(paid)).toEqual(found);
    // A day that is compared again says nothing new, and a right statement ends it.
    expect(await compare(lines)).toEqual(same);
    expect(await open(paid)).toEqual(found);
    await compare([{ ...(lines[0] as ProviderStatementLine), ...rightOf(ending) }]);
    expect(await open(paid)).toEqual([]);
    expect(await findBrokenInvariants(scene.database)).toEqual([]);
  });

  const rightOf = (ending: Parameters<typeof pay>[0]) =>
    ({
      status: ending === 'void' ? 'failed' : 'completed',
      amount: '487.5',
      currency: 'ETB',
    }) as const;

  test('of a top-up, by what this attempt held, though a later one has another price', async () => {
    const reference = await deliver('SUCCESS', '60');
    const of50 = line(reference, { kind: 'top-up', amount: '50' });
    expect(await compare([of50], day, dtOne)).toMatchObject({ observed: 1 });
    expect(await open(reference)).toEqual([['difference', 50, reference]]);
  });

  test('of a provider that converts amounts it is rounded, and no more', async () => {
    const of = { kind: 'top-up' } as const;
    const [rounded, less, exact] = [await deliver(), await deliver(), await deliver()];
    for (const reference of [rounded, less]) await atProvider(reference, 'reloadly');
    const lines = [
      line(rounded, { ...of, amount: '49.2231' }),
      line(less, { ...of, amount: '48.9' }),
    ];
    await compare(lines, day, reloadly);
    // Another provider delivers what was ordered.
    await compare([line(exact, { ...of, amount: '49.99' })], day, dtOne);
    expect(await open(rounded, less, exact)).toEqual([
      ['difference', -1.1, less],
      ['difference', -0.01, exact],
    ]);
  });

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
      expect(await findBrokenInvariants(scene.database)).toEqual([]);
    });

    test('of a part is a difference, which no answer about the payment ends', async () => {
      const paid = await pay('post', hoursAfter(hours));
      const part = await reversalOf(paid, { amount: '40' });
      const lines = [...(hours === 0 ? [line(paid)] : []), part];
      expect(await compare(lines)).toEqual({ ...same, observed: 1 });
      await sayDone(paid);
      expect(await compare(lines)).toEqual(same);
      expect(await open(paid)).toEqual([['difference', -40, paid]]);
      expect(await findBrokenInvariants(scene.database)).toEqual([]);
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
    expect(await findBrokenInvariants(scene.database)).toEqual([]);
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
    const [found] = await listCases(scene.database, { includeClosed: false, limit: 1_000 }).then(
      (cases) => cases.filter(({ reference }) => reference === paid),
    );
    expect(found).toMatchObject({ difference: 'taken-back' });
    expect(await findBrokenInvariants(scene.database)).toEqual([]);
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
      expect(await findBrokenInvariants(scene.database)).toEqual([]);
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
    await redemptions(scene.database, catalogue).post(operationId);
    expect(await open(held)).toEqual([['difference', -487.5, held]]);
    const { rows } = await sql`
      select status, charged, is_done from redemptions where operation_id = ${operationId}`.execute(
      scene.database,
    );
    expect(rows).toEqual([{ status: 'POSTED', charged: true, is_done: false }]);
    expect(await findBrokenInvariants(scene.database)).toEqual([]);
  });

  test('a reversal that two rows say otherwise is placed once', async () => {
    const paid = await pay();
    const part = await reversalOf(paid, { amount: '40' });
    const lines = [line(paid), part, { ...part, amount: '50' }];
    expect(await compare(lines)).toEqual({ ...same, observed: 1, unexplained: 1 });
    expect(await compare(lines.slice(0, 2))).toEqual(same);
    expect(await open(paid)).toEqual([['difference', -40, paid]]);
  });

  test("a merchant's own reversal without our reference is known by that of its provider", async () => {
    const paid = await pay();
    const reversal = await reversalOf(paid, {});
    const payment = sql`(select * from placements where reference = ${paid})`;
    await placingReversal(randomUUID(), payment).execute(scene.database);
    const operationId = await operationOf(paid);
    await reverse(scene.database, operationId, reversal.providerReference);
    expect(await compare([line(paid), reversal])).toEqual(same);
    expect(await placementsOf(scene.database, operationId)).toHaveLength(2);
  });

  /** The provider is asked about a payment, and says that it did it. */
  const sayDone = async (reference: string) => {
    const operationId = await operationOf(reference);
    await scene.database
      .transaction()
      .execute((transaction) => observe(transaction, operationId, { said: 'done' }));
  };

  const operationOf = async (reference: string): Promise<string> => {
    const { rows } = await sql<{ operationId: string }>`
      select operation_id as "operationId" from placements where reference = ${reference}`.execute(
      scene.database,
    );
    return rows[0]?.operationId ?? '';
  };

  /** The line of the provider's own reversal of a payment. */
  async function reversalOf(
    reference: string,
    other: Partial<ProviderStatementLine>,
  ): Promise<ProviderStatementLine> {
    const originalReference = `MM-${number}`;
    await sql`update placements set provider_reference = ${originalReference}
      where reference = ${reference}`.execute(scene.database);
    return line(null, { kind: 'reversal', originalReference, ...other });
  }

  test('without an amount it is the ordered one, unless it is known to be done', async () => {
    const of = { kind: 'top-up', amount: null, currency: null } as const;
    const less = await deliver();
    await compare([line(less, { ...of, amount: '40', currency: 'ETB' })], day, dtOne);
    const [late, exact] = [await deliver('FAILED'), await deliver()];
    const lines = [line(late, of), line(exact, of), line(less, of)];
    expect(await compare(lines, day, dtOne)).toEqual({ ...same, observed: 1 });
    expect(await compare(lines, day, dtOne)).toEqual(same);
    expect(await open(late, exact, less)).toEqual([
      ['difference', -10, less],
      ['difference', 50, late],
    ]);
    expect(await findBrokenInvariants(scene.database)).toEqual([]);
  });

  test('without our reference it is that of its provider, whatever reference others gave', async () => {
    const [ofReloadly, ofDtOne] = [await deliver(), await deliver()];
    await atProvider(ofReloadly, 'reloadly');
    await sql`update placements set provider_reference = ${`SAME-${number}`}
      where reference in (${ofReloadly}, ${ofDtOne})`.execute(scene.database);
    const alike = () =>
      line(null, { kind: 'top-up', amount: '50', providerReference: `SAME-${number}` });
    expect(await compare([alike()], day, reloadly)).toEqual(same);
    expect(await compare([alike()], day, dtOne)).toEqual(same);
  });

  test('older than what the provider has said since, it says nothing', async () => {
    const paid = await pay('void');
    await sql`update placements set said_at = now() where reference = ${paid}`.execute(
      scene.database,
    );
    expect(await compare([line(paid)])).toEqual(same);
  });

  test('of what a restore lost it is an observation as well, and of another provider a foreign line', async () => {
    const reference = `lost-${number}`;
    await scene.database.transaction().execute((transaction) =>
      bookLost(
        transaction,
        {
          ...{ kind: 'top-up', provider: 'dt-one', reference, providerReference: 'T-1' },
          ...{ madeAt: noon, amount: '50', party: null, serialNumber: null },
        },
        settings,
      ),
    );
    const lines = [line(reference, { kind: 'top-up', amount: '50' })];
    expect(await compare(lines, day, dtOne)).toEqual(same);
    await compare(lines, day, reloadly);
    expect(await open(reference)).toEqual([
      ['difference', 50, reference],
      ['foreign', 50, reference],
    ]);
    await compare([{ ...(lines[0] as ProviderStatementLine), status: 'reversed' }], day, dtOne);
    expect(await open(reference)).toEqual([['foreign', 50, reference]]);
    expect(await findBrokenInvariants(scene.database)).toEqual([]);
  });
});

describe('a line of nobody is a case', () => {
  const cases: Record<string, () => Promise<[ProviderStatementLine[], string | null]>> = {
    'by a reference that nobody knows': async () => {
      const reference = '8f0e6c1e-0000-4000-8000-000000000000';
      return [[line(reference)], reference];
    },
    'without a reference': async () => [[line(null)], null],
    'of another type': async () => [[line(null, { isOther: true })], null],
    'by a reference that is none of ours': async () => [[line("'; drop table")], "'; drop table"],
    'of an order of another provider': async () => {
      const paid = await pay();
      await atProvider(paid, 'mpesa');
      return [[line(paid)], paid];
    },
    'a second one of the same order': async () => {
      const paid = await pay();
      return [[line(paid), line(paid)], paid];
    },
    'a reversal of what we do not know': async () => [
      [line(null, { kind: 'reversal', originalReference: 'of-nobody' })],
      null,
    ],
  };
  test.each(Object.entries(cases))('%s', async (_, make) => {
    const [lines, reference] = await make();
    for (const _time of ['first', 'again'])
      expect(await compare(lines)).toEqual({ ...same, unexplained: 1 });
    expect(await open(reference)).toEqual([['foreign', 487.5, reference]]);
    // It ends where a later statement does not have it; one that was settled stays so.
    await compare(lines.slice(0, -1));
    expect(await open(reference)).not.toContainEqual(['foreign', 487.5, reference]);
    await compare(lines);
    const [found] = await listCases(scene.database, { includeClosed: false, limit: 1_000 }).then(
      (found) => found.filter(({ subject }) => subject.includes(` ${day} `)),
    );
    await closeCase(scene.database, found?.id ?? 0, {
      actor: 'hanna',
      note: 'Paid back',
      borneBy: null,
    });
    await compare(lines);
    expect(await open(reference)).not.toContainEqual(['foreign', 487.5, reference]);
  });

  test('and a row with the id of another one that differs is never dropped', async () => {
    const [alike, other] = [await pay(), await pay()];
    const pairs = [
      [alike, {}],
      [other, { reference: null, amount: '5', at: hoursAfter(1) }],
    ] as const;
    const lines = pairs.flatMap(([reference, difference]) => {
      const first = line(reference);
      return [first, { ...first, ...difference }];
    });
    for (const rows of [lines, lines.toReversed()])
      expect(await compare(rows)).toEqual({ ...same, unexplained: 1 });
    expect(await open(null)).toEqual([['foreign', 5, null]]);
  });

  test('too many of them open none, unless an operator allows it', async () => {
    const lines = Array.from({ length: 21 }, () => line(null));
    expect(await compare(lines)).toMatchObject({ kind: 'too-many' });
    expect((await open(null)).map(([why]) => why)).toEqual([]);
    const of = { provider: gsma, day, zone } as const;
    const allowed = { ...settings, maximumDifferences: 100 };
    expect(await compareFile(scene.database, of, lines, allowed)).toMatchObject({
      unexplained: 21,
    });
  });
});

test('an order without a line is asked about; an old one is a case', async () => {
  const paid = await pay();
  const of = { provider: gsma, day, zone } as const;
  await compareFile(scene.database, of, [], patient);
  expect([await isAsked(paid), await open(paid)]).toEqual([true, []]);
  await compare([]);
  expect(await open(paid)).toEqual([['foreign', 487.5, paid]]);
  await compare([line(paid)]);
  expect(await open(paid)).toEqual([]);
});

test('what is near midnight is late until the statement of the next day has it', async () => {
  const midnight = hoursAfter(12 - 0.2);
  const [there, nowhere] = [await pay('post', midnight), await pay('post', midnight)];
  const of = { provider: gsma, day, zone } as const;
  await compare([], dayAfter(-1));
  expect(await compareFile(scene.database, of, [], patient)).toEqual({ ...same, unexplained: 2 });
  expect([await isAsked(there), await isAsked(nowhere)]).toEqual([false, false]);
  expect(await compare([line(there, { at: hoursAfter(12.1) })], dayAfter(1))).toEqual(same);
  expect(await compareStored(scene.database, of, patient)).toEqual({ ...same, unexplained: 1 });
  expect([await isAsked(there), await isAsked(nowhere)]).toEqual([false, true]);
});

test('an order on hold whose line is complete ends as that says', async () => {
  const redeem = redemptions(scene.database, catalogue);
  const held = await pay('hold');
  expect(await compare([line(held)])).toMatchObject({ observed: 1 });
  expect(await open(held)).toEqual([]);
  const { rows } = await sql<{ id: string }>`
    select operation_id as id from redemptions where payment_reference = ${held}`.execute(
    scene.database,
  );
  await redeem.void(rows[0]?.id ?? '');
  // The worker heard a refusal; the statement is younger than the hold and says that it was paid.
  await compare([line(held)]);
  expect(await findBrokenInvariants(scene.database)).toEqual([]);
});

test('the fee of a day is booked once, and corrected by the difference', async () => {
  const fee = (amount: string) => ({ fee: amount, feeCurrency: 'ETB' });
  const [one, other] = [await pay(), await pay()];
  const booked = async () => {
    const { rows } = await sql<{ amount: string; step: string; from: string; to: string }>`
      select step, amount::float8::text as amount, debit.kind as "from", credit.kind as "to"
      from ledger_transfers
      join ledger_accounts as debit on debit.id = debit_account_id
      join ledger_accounts as credit on credit.id = credit_account_id
      where operation_id = ${`provider-fee:gsma:${day}`} order by ledger_transfers.id`.execute(
      scene.database,
    );
    return rows.map(({ step, amount, from, to }) => [step, amount, from, to]);
  };
  const lines = [line(one, fee('1.5')), line(other, { ...fee('2'), feeCurrency: 'USD' })];
  await compare(lines);
  await compare(lines);
  const first = ['provider-fee', '1.5', 'service-fees', 'mobile-money-clearing'];
  expect(await booked()).toEqual([first]);
  await compare([line(one, fee('1')), line(other, fee('3'))]);
  await compare([line(one, fee('1')), line(other)]);
  expect(await booked()).toEqual([
    first,
    ['provider-fee-2', '2.5', 'service-fees', 'mobile-money-clearing'],
    ['provider-fee-3', '3', 'mobile-money-clearing', 'service-fees'],
  ]);
});

test('a load that breaks off leaves the statement and its cases as they were', async () => {
  const paid = await pay();
  await compare([line(paid)]);
  const broken = async function* () {
    yield* Array.from({ length: 600 }, () => line(null));
    throw new Error('line 601 has no amount');
  };
  await expect(
    compareFile(scene.database, { provider: gsma, day, zone }, broken(), settings),
  ).rejects.toThrow('line 601');
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from provider_statement_lines where day = ${day}`.execute(
    scene.database,
  );
  expect(rows).toEqual([{ count: 1 }]);
  expect(await open(paid)).toEqual([]);
});
