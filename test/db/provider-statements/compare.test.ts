import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { compareFile, compareStored } from '../../../activities/compare-statement.ts';
import { closeCase, listCases } from '../../../src/db/positions/cases.ts';
import { bookLost } from '../../../src/db/recovery.ts';
import type { ProviderStatementLine } from '../../../src/domain/positions/statement-line.ts';
import { findBrokenInvariants } from '../../support/broken-invariants.ts';
import {
  dtOne,
  gsma,
  type PaymentEnding,
  patient,
  reloadly,
  same,
  settings,
  statementScene,
  zone,
} from './statement-scene.ts';

const given = statementScene();
const { compare, dayAfter, deliver, hoursAfter, line, open, pay } = given;

/** Whether a provider is asked about an order, because the statement does not have it. */
async function isAsked(reference: string): Promise<boolean> {
  const { rows } = await sql`
    select from placements where reference = ${reference} and doubted_at is not null
      and ask_at <= now()`.execute(given.database);
  return rows.length > 0;
}

const atProvider = (reference: string, provider: string) =>
  sql`update placements set provider = ${provider} where reference = ${reference}`.execute(
    given.database,
  );

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
  const topupLine = { kind: 'top-up', amount: '50' } as const;
  const lines = [line(sent, topupLine), line(declined, { ...topupLine, status: 'failed' })];
  expect(await compare(lines, given.day, dtOne)).toEqual(same);
});

describe('a line of ours is what the provider says', () => {
  const cases: Record<
    string,
    readonly [PaymentEnding, Partial<ProviderStatementLine>, readonly [string, number] | undefined]
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
    expect(await findBrokenInvariants(given.database)).toEqual([]);
  });

  const rightOf = (ending: PaymentEnding) =>
    ({
      status: ending === 'void' ? 'failed' : 'completed',
      amount: '487.5',
      currency: 'ETB',
    }) as const;

  test('of a top-up, by what this attempt held, though a later one has another price', async () => {
    const reference = await deliver('SUCCESS', '60');
    const of50 = line(reference, { kind: 'top-up', amount: '50' });
    expect(await compare([of50], given.day, dtOne)).toMatchObject({ observed: 1 });
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
    await compare(lines, given.day, reloadly);
    // Another provider delivers what was ordered.
    await compare([line(exact, { ...of, amount: '49.99' })], given.day, dtOne);
    expect(await open(rounded, less, exact)).toEqual([
      ['difference', -1.1, less],
      ['difference', -0.01, exact],
    ]);
  });

  test('without an amount it is the ordered one, unless it is known to be done', async () => {
    const of = { kind: 'top-up', amount: null, currency: null } as const;
    const less = await deliver();
    await compare([line(less, { ...of, amount: '40', currency: 'ETB' })], given.day, dtOne);
    const [late, exact] = [await deliver('FAILED'), await deliver()];
    const lines = [line(late, of), line(exact, of), line(less, of)];
    expect(await compare(lines, given.day, dtOne)).toEqual({ ...same, observed: 1 });
    expect(await compare(lines, given.day, dtOne)).toEqual(same);
    expect(await open(late, exact, less)).toEqual([
      ['difference', -10, less],
      ['difference', 50, late],
    ]);
    expect(await findBrokenInvariants(given.database)).toEqual([]);
  });

  test('without our reference it is that of its provider, whatever reference others gave', async () => {
    const [ofReloadly, ofDtOne] = [await deliver(), await deliver()];
    await atProvider(ofReloadly, 'reloadly');
    await sql`update placements set provider_reference = ${`SAME-${given.number}`}
      where reference in (${ofReloadly}, ${ofDtOne})`.execute(given.database);
    const alike = () =>
      line(null, { kind: 'top-up', amount: '50', providerReference: `SAME-${given.number}` });
    expect(await compare([alike()], given.day, reloadly)).toEqual(same);
    expect(await compare([alike()], given.day, dtOne)).toEqual(same);
  });

  test('older than what the provider has said since, it is a doubt where that is the contrary', async () => {
    const [refused, paid, alike] = [await pay('void'), await pay(), await pay()];
    await sql`
      update placements set said_at = now() where reference in (${refused}, ${paid}, ${alike})`.execute(
      given.database,
    );
    const lines = [line(refused), line(paid, { status: 'failed' }), line(alike)];
    expect(await compare(lines)).toEqual({ ...same, observed: 2 });
    // The doubt begins now, also for a day long ago: the provider is asked before a person.
    expect(await open(refused, paid)).toEqual([]);
    const { rows } = await sql`
      select from placements where reference in (${refused}, ${paid}) and ask_at is not null
        and doubted_at > now() - interval '1 minute'`.execute(given.database);
    expect(rows).toHaveLength(2);
    // A day that is compared again says nothing new.
    expect(await compare(lines)).toEqual(same);
    expect(await open(alike)).toEqual([]);
    expect(await findBrokenInvariants(given.database)).toEqual([]);
  });

  test('of what a restore lost it is an observation as well, and of another provider a foreign line', async () => {
    const reference = `lost-${given.number}`;
    await given.database.transaction().execute((transaction) =>
      bookLost(
        transaction,
        {
          kind: 'top-up',
          provider: 'dt-one',
          reference,
          providerReference: 'T-1',
          at: hoursAfter(0),
          amount: '50',
          party: null,
          serialNumber: null,
        },
        settings,
      ),
    );
    const lines = [line(reference, { kind: 'top-up', amount: '50' })];
    expect(await compare(lines, given.day, dtOne)).toEqual(same);
    await compare(lines, given.day, reloadly);
    expect(await open(reference)).toEqual([
      ['difference', 50, reference],
      ['foreign', 50, reference],
    ]);
    await compare(
      [{ ...(lines[0] as ProviderStatementLine), status: 'reversed' }],
      given.day,
      dtOne,
    );
    expect(await open(reference)).toEqual([['foreign', 50, reference]]);
    expect(await findBrokenInvariants(given.database)).toEqual([]);
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
    const [found] = await listCases(given.database, { includeClosed: false, limit: 1_000 }).then(
      (found) => found.filter(({ subject }) => subject.includes(` ${given.day} `)),
    );
    await closeCase(given.database, found?.id ?? 0, {
      actor: 'hanna',
      note: 'Paid back',
      borneBy: null,
    });
    // Neither does it count as unexplained any more, unless its amount is another one by now.
    expect(await compare(lines)).toEqual(same);
    expect(await open(reference)).not.toContainEqual(['foreign', 487.5, reference]);
    const changed = lines.map((one, index) =>
      index === lines.length - 1 ? { ...one, amount: '9750' } : one,
    );
    expect(await compare(changed)).toEqual({ ...same, unexplained: 1 });
    expect(await open(reference)).toContainEqual(['foreign', 9750, reference]);
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
    expect(await countLines()).toBe(0);
    const of = { provider: gsma, day: given.day, zone } as const;
    const allowed = { ...settings, maximumDifferences: 100 };
    expect(await compareFile(given.database, of, lines, allowed)).toMatchObject({
      unexplained: 21,
    });
  });
});

test('an order without a line is asked about; an old one is a case', async () => {
  const paid = await pay();
  const of = { provider: gsma, day: given.day, zone } as const;
  await compareFile(given.database, of, [], patient);
  expect([await isAsked(paid), await open(paid)]).toEqual([true, []]);
  await compare([]);
  expect(await open(paid)).toEqual([['foreign', 487.5, paid]]);
  await compare([line(paid)]);
  expect(await open(paid)).toEqual([]);
});

test('what is near midnight is late until the statement of the next day has it', async () => {
  const midnight = hoursAfter(12 - 0.2);
  const [there, nowhere] = [await pay('post', midnight), await pay('post', midnight)];
  const of = { provider: gsma, day: given.day, zone } as const;
  await compare([], dayAfter(-1));
  expect(await compareFile(given.database, of, [], patient)).toEqual({ ...same, unexplained: 2 });
  expect([await isAsked(there), await isAsked(nowhere)]).toEqual([false, false]);
  expect(await compare([line(there, { at: hoursAfter(12.1) })], dayAfter(1))).toEqual(same);
  expect(await compareStored(given.database, of, patient)).toEqual({ ...same, unexplained: 1 });
  expect([await isAsked(there), await isAsked(nowhere)]).toEqual([false, true]);
});

test('an order on hold whose line is complete ends as that says', async () => {
  const redeem = given.redeem;
  const held = await pay('hold');
  expect(await compare([line(held)])).toMatchObject({ observed: 1 });
  expect(await open(held)).toEqual([]);
  const { rows } = await sql<{ id: string }>`
    select operation_id as id from redemptions where payment_reference = ${held}`.execute(
    given.database,
  );
  await redeem.void(rows[0]?.id ?? '');
  // The worker heard a refusal; the statement is younger than the hold and says that it was paid.
  await compare([line(held)]);
  expect(await findBrokenInvariants(given.database)).toEqual([]);
});

describe('the fee of a day', () => {
  const fee = (amount: string) => ({ fee: amount, feeCurrency: 'ETB' });
  const booked = async (on = given.day) => {
    const { rows } = await sql<{ amount: string; step: string; from: string; to: string }>`
      select step, amount::float8::text as amount, debit.kind as "from", credit.kind as "to"
      from ledger_transfers
      join ledger_accounts as debit on debit.id = debit_account_id
      join ledger_accounts as credit on credit.id = credit_account_id
      where operation_id = ${`provider-fee:gsma:${on}`} order by ledger_transfers.id`.execute(
      given.database,
    );
    return rows.map(({ step, amount, from, to }) => [step, amount, from, to]);
  };
  const first = ['provider-fee', '1.5', 'service-fees', 'mobile-money-clearing'];

  test('is booked once, and corrected by the difference', async () => {
    const [one, other] = [await pay(), await pay()];
    const lines = [line(one, fee('1.5')), line(other, { ...fee('2'), feeCurrency: 'USD' })];
    await compare(lines);
    await compare(lines);
    expect(await booked()).toEqual([first]);
    await compare([line(one, fee('1')), line(other, fee('3'))]);
    await compare([line(one, fee('1')), line(other)]);
    expect(await booked()).toEqual([
      first,
      ['provider-fee-2', '2.5', 'service-fees', 'mobile-money-clearing'],
      ['provider-fee-3', '3', 'mobile-money-clearing', 'service-fees'],
    ]);
  });

  test.each([0, 1])('stays booked where lines of day %s are no longer kept', async (days) => {
    const near = line(await pay('post', hoursAfter(12.1)), fee('1.5'));
    const [on, after] = [dayAfter(days), dayAfter(days + 1)];
    for (const one of [on, after]) await compare([near], one);
    const before = [await booked(on), await booked(after)];
    expect(before).toEqual([[first], []]);
    await sql`delete from provider_statement_lines where day = ${on}`.execute(given.database);
    await compare([], dayAfter(days - 1));
    await compare([near], after);
    expect([await booked(on), await booked(after)]).toEqual(before);
  });
});

test('a load that breaks off leaves the statement and its cases as they were', async () => {
  const paid = await pay();
  await compare([line(paid)]);
  const broken = async function* () {
    yield* Array.from({ length: 600 }, () => line(null));
    throw new Error('line 601 has no amount');
  };
  await expect(
    compareFile(given.database, { provider: gsma, day: given.day, zone }, broken(), settings),
  ).rejects.toThrow('line 601');
  expect(await countLines()).toBe(1);
  expect(await open(paid)).toEqual([]);
});

/** The stored lines of the day, also of loads that were not taken. */
async function countLines(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from provider_statement_lines where day = ${given.day}`.execute(
    given.database,
  );
  return rows[0]?.count ?? 0;
}
