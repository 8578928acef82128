import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  compareFile,
  compareStored,
} from '../../../activities/provider-statements/compare-statement.ts';
import { breaksOfDay } from '../../../src/db/provider-statements/breaks.ts';
import { settleBreak } from '../../../src/db/provider-statements/settle-break.ts';
import type {
  StatementProvider,
  StoredLine,
} from '../../../src/db/provider-statements/statement-lines.ts';
import { bookRecovered } from '../../../src/db/recovery/recovered-payments.ts';
import type { Day } from '../../../src/domain/reports/day-report.ts';
import { makeVoucher, redemptions, takenBackAndRetried, topUp } from '../../admin/movements.ts';
import { type AdminScene, type Catalogue, makeCatalogue, openScene } from '../../admin/scene.ts';
import { moveRows } from './move-rows.ts';

let scene: AdminScene;
let catalogue: Catalogue;
const gsma = { name: 'gsma', kind: 'mobile-money' } as const;
const dtOne = { name: 'dt-one', kind: 'airtime' } as const;
const reloadly = { name: 'reloadly', kind: 'airtime' } as const;
const settings = { marginSeconds: 1_800, patienceDays: 3, maximumBreaks: 20 };
const patient = { ...settings, patienceDays: 100_000 };
const zone = 'Africa/Addis_Ababa';
/** Old, so that nothing is late unless a test makes it so. */
let number = 0;
let day: Day;
let noon: Date;

beforeAll(async () => {
  scene = await openScene();
  catalogue = await makeCatalogue(scene);
  for (const wallet of ['gift', 'airtime'])
    await scene.json(`deposit --partner ${catalogue.partnerId} --wallet ${wallet} --amount 100000`);
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
  // The name of the provider in these tests is none.
  await sql`update redemptions set provider = 'gsma'
    where payment_reference = ${reference}`.execute(scene.database);
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
function line(reference: string | null, other: Partial<StoredLine> = {}): StoredLine {
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

const compare = (lines: readonly StoredLine[], on = day, provider: StatementProvider = gsma) =>
  compareFile(scene.database, { provider, day: on, zone }, lines, settings);

/** The open breaks of a day: type and our reference. */
const open = async (on = day, provider = 'gsma') =>
  (await breaksOfDay(scene.database, provider, on, { includeEnded: false })).map((one) => [
    one.type,
    one.reference,
  ]);

test('a clean day of payments and top-ups has no break', async () => {
  const [paid, refused, held] = [await pay(), await pay('void'), await pay('hold')];
  expect(
    await compare([
      line(paid),
      // Some providers write references in capitals.
      line((await pay()).toUpperCase()),
      line(refused, { status: 'failed' }),
      line(held, { status: 'pending' }),
    ]),
  ).toEqual({ kind: 'compared', opened: 0, closed: 0, open: 0 });
  const [sent, declined] = [await deliver(), await deliver('FAILED')];
  const topUpLine = { kind: 'top-up', amount: '50' } as const;
  expect(
    await compare(
      [line(sent, topUpLine), line(declined, { ...topUpLine, status: 'failed' })],
      day,
      dtOne,
    ),
  ).toEqual({ kind: 'compared', opened: 0, closed: 0, open: 0 });
});

test('a row with the id of another one is a break where it differs, and never dropped', async () => {
  const [alike, amount, failed, other] = [await pay(), await pay(), await pay(), await pay()];
  const pairs = (
    [
      [alike, {}],
      [amount, { amount: '5' }],
      [failed, { status: 'failed' }],
      [other, { reference: null, amount: '5', at: hoursAfter(1) }],
    ] as const
  ).flatMap(([reference, difference]) => {
    const first = line(reference);
    return [first, { ...first, ...difference }];
  });
  const found = [
    ['amount', amount],
    ['duplicate', amount],
    ['missing-here', null],
    ['missing-there', failed],
  ];
  expect(await compare(pairs)).toMatchObject({ opened: 4 });
  expect(await open()).toEqual(found);
  // The same breaks in another order of rows, and none more.
  expect(await compare(pairs.toReversed())).toMatchObject({ opened: 0, open: 4 });
});

/** A top-up of 50 at DT One that a restore has lost; its reference. */
async function lostTopUp(): Promise<string> {
  const reference = `lost-${number}`;
  await scene.database.transaction().execute(async (transaction) => {
    const { id } = await transaction
      .insertInto('maintenance_fences')
      .values({ restored_to: noon, state: 'LIFTED', lifted_at: noon })
      .returning('id')
      .executeTakeFirstOrThrow();
    await bookRecovered(transaction, id, {
      ...{ kind: 'top-up', provider: 'dt-one', reference, providerReference: 'T-1' },
      ...{ providerStatus: 'completed', madeAt: noon, amount: '50' },
      ...{ party: null, serialNumber: null, payee: null },
    });
  });
  return reference;
}

const settle = async (reference: string, by: string) =>
  scene.json(`settle recovered-payment ${reference} --by ${by} --note agreed`);

test('what a restore lost is a case at the provider that did it, and a break at another one', async () => {
  const reference = await lostTopUp();
  const lines = [line(reference, { kind: 'top-up', amount: '50' })];
  await compare(lines, day, dtOne);
  expect(await open(day, 'dt-one')).toEqual([]);
  await compare(lines, day, reloadly);
  expect(await open(day, 'reloadly')).toEqual([['missing-here', reference]]);

  // Somebody has borne it, and its provider has not done it.
  await settle(reference, 'platform');
  await compare(lines, day, dtOne);
  expect(await open(day, 'dt-one')).toEqual([]);
  for (const [status, type] of [
    ['reversed', 'reversed'],
    ['failed', 'missing-there'],
  ] as const) {
    await compare([{ ...(lines[0] as StoredLine), status }], day, dtOne);
    expect(await open(day, 'dt-one')).toEqual([[type, reference]]);
  }
});

test('what a restore lost, and its provider was said to have taken back, is a break where it has it', async () => {
  const reference = await lostTopUp();
  const lost = (status: StoredLine['status']) => [
    line(reference, { kind: 'top-up', amount: '50', status }),
  ];
  await compare(lost('reversed'), day, dtOne);
  expect(await open(day, 'dt-one')).toEqual([]);
  await settle(reference, 'provider');
  await compare(lost('reversed'), day, dtOne);
  expect(await open(day, 'dt-one')).toEqual([]);
  await compare(lost('completed'), day, dtOne);
  expect(await open(day, 'dt-one')).toEqual([['missing-here', reference]]);
});

test('an attempt is compared by what it held, though a later one has another price', async () => {
  const reference = await deliver('SUCCESS', '60');
  await compare([], day, dtOne);
  const breaks = await breaksOfDay(scene.database, 'dt-one', day, { includeEnded: false });
  expect(breaks.map((one) => [one.type, one.reference, one.ourAmount])).toEqual([
    ['missing-there', reference, '50.000000'],
  ]);
  const line50 = line(reference, { kind: 'top-up', amount: '50' });
  expect(await compare([line50], day, dtOne)).toMatchObject({ kind: 'compared', open: 0 });
});

describe('each type of break is found, once', () => {
  const cases: Record<string, () => Promise<[StoredLine[], string[]]>> = {
    'missing-here, by a reference that nobody knows': async () => [
      [line('8f0e6c1e-0000-4000-8000-000000000000')],
      ['missing-here'],
    ],
    'missing-here, without a reference': async () => [[line(null)], ['missing-here']],
    'unordered, of another type': async () => [[line(null, { isOther: true })], ['unordered']],
    'missing-here, by a reference that is none of ours': async () => [
      [line("'; drop table")],
      ['missing-here'],
    ],
    'missing-here, of a payment that was refused': async () => [
      [line(await pay('void'))],
      ['missing-here'],
    ],
    'missing-there': async () => {
      await pay();
      return [[], ['missing-there']];
    },
    'missing-there, where the provider says that it failed': async () => [
      [line(await pay(), { status: 'failed' })],
      ['missing-there'],
    ],
    amount: async () => [[line(await pay(), { amount: '487.51' })], ['amount']],
    currency: async () => [[line(await pay(), { currency: 'USD' })], ['currency']],
    duplicate: async () => {
      const paid = await pay();
      return [[line(paid), line(paid)], ['duplicate']];
    },
    reversed: async () => [[line(await pay(), { status: 'reversed' })], ['reversed']],
    'missing-here, of a row that another provider served': async () => {
      const paid = await pay();
      await sql`update redemptions set provider = 'mpesa' where payment_reference = ${paid}`.execute(
        scene.database,
      );
      return [[line(paid)], ['missing-here']];
    },
  };
  test.each(Object.entries(cases))('%s', async (_, make) => {
    const [lines, types] = await make();
    expect(await compare(lines)).toMatchObject({ opened: 1, open: 1 });
    expect((await open()).map(([type]) => type)).toEqual(types);
    // A day that is compared again makes no second break.
    expect(await compare(lines)).toMatchObject({ opened: 0, closed: 0, open: 1 });
  });

  test('of a top-up', async () => {
    const [sent, twice] = [await deliver(), await deliver()];
    const of = { kind: 'top-up', amount: '50' } as const;
    await compare(
      [line(sent, { ...of, amount: '5' }), line(twice, of), line(twice, of)],
      day,
      dtOne,
    );
    expect(await open(day, 'dt-one')).toEqual([
      ['amount', sent],
      ['duplicate', twice],
    ]);
  });
});

test('a provider that converts amounts may round them, and no more', async () => {
  const of = { kind: 'top-up' } as const;
  const [rounded, less] = [await deliver(), await deliver()];
  await sql`update topup_attempts set provider = 'reloadly'
    where reference in (${rounded}, ${less})`.execute(scene.database);
  const lines = [
    line(rounded, { ...of, amount: '49.2231' }),
    line(less, { ...of, amount: '48.9' }),
  ];
  await compare(lines, day, reloadly);
  expect(await open(day, 'reloadly')).toEqual([['amount', less]]);
  // Another provider delivers what was ordered.
  const exact = await deliver();
  await compare([line(exact, { ...of, amount: '49.99' })], day, dtOne);
  expect(await open(day, 'dt-one')).toEqual([['amount', exact]]);
});

test('a reversal by the provider stands for its payment, by the reference of the provider', async () => {
  const paid = await pay();
  await sql`update redemptions set provider_reference = ${`MM-${number}`}
    where payment_reference = ${paid}`.execute(scene.database);
  const reversal = line(null, { kind: 'reversal', originalReference: `MM-${number}` });
  await compare([line(paid), reversal]);
  expect(await open()).toEqual([['reversed', paid]]);
  // The reconciliation asks the provider about it.
  const { rows } = await sql`select from redemptions
    where payment_reference = ${paid} and recheck_at <= now()`.execute(scene.database);
  expect(rows).toHaveLength(1);
  await sql`update redemptions set reversed_at = now() where payment_reference = ${paid}`.execute(
    scene.database,
  );
  expect(await compare([line(paid), reversal])).toMatchObject({ closed: 1, open: 0 });
  // Nothing was booked for it.
  await sql`update redemptions set reversed_at = null where payment_reference = ${paid}`.execute(
    scene.database,
  );
});

test('a reversal of what we do not know is a break', async () => {
  const reversal = line(null, { kind: 'reversal', originalReference: 'of-nobody' });
  await compare([reversal]);
  expect(await breaksOfDay(scene.database, 'gsma', day, { includeEnded: false })).toMatchObject([
    { type: 'reversed', ourStatus: null, providerReference: reversal.providerReference },
  ]);
});

test('a transaction without our reference is that of its provider, whatever reference others gave', async () => {
  const [ofReloadly, ofDtOne] = [await deliver(), await deliver()];
  await sql`update topup_attempts set provider_reference = ${`SAME-${number}`},
    provider = case reference when ${ofReloadly} then 'reloadly' else 'dt-one' end
    where reference in (${ofReloadly}, ${ofDtOne})`.execute(scene.database);
  const same = () =>
    line(null, { kind: 'top-up', amount: '50', providerReference: `SAME-${number}` });
  expect(await compare([same()], day, reloadly)).toMatchObject({ open: 0 });
  expect(await compare([same()], day, dtOne)).toMatchObject({ open: 0 });
});

test('what is near midnight is late until the statement of the next day has it', async () => {
  const midnight = hoursAfter(12 - 0.2);
  const [there, nowhere] = [await pay('post', midnight), await pay('post', midnight)];
  await compare([], dayAfter(-1));
  await compare([]);
  // Old ones would be for a person at once.
  expect((await open()).map(([type]) => type)).toEqual(['missing-there', 'missing-there']);
  const of = { provider: gsma, day, zone } as const;
  await compareStored(scene.database, of, patient);
  expect((await open()).map(([type]) => type)).toEqual(['late', 'late']);
  await compare([line(there, { at: hoursAfter(12.1) })], dayAfter(1));
  expect(await open(dayAfter(1))).toEqual([]);
  await compareStored(scene.database, of, patient);
  expect(await open()).toEqual([['missing-there', nowhere]]);
});

test('an operation without an outcome is late for some days, and becomes what its outcome says', async () => {
  const redeem = redemptions(scene.database, catalogue);
  const held = await pay('hold');
  const lines = [line(held)];
  // Days of these tests are old: money that left our account is for a person then.
  await compare(lines);
  expect(await open()).toEqual([['missing-here', held]]);
  await compareStored(scene.database, { provider: gsma, day, zone }, patient);
  expect(await open()).toEqual([['late', held]]);
  const { rows } = await sql<{ id: string }>`
    select operation_id as id from redemptions where payment_reference = ${held}`.execute(
    scene.database,
  );
  await redeem.post(rows[0]?.id ?? '');
  expect(await compare(lines)).toMatchObject({ closed: 1, open: 0 });
});

test('a settled break stays settled, and a closed one that is found again opens again', async () => {
  const lines = [line(await pay(), { amount: '1' })];
  await compare(lines);
  const [found] = await breaksOfDay(scene.database, 'gsma', day, { includeEnded: false });
  const corrected = lines.map((one) => ({ ...one, amount: '487.5' }));
  expect(await compare(corrected)).toMatchObject({ closed: 1, open: 0 });
  expect(await compare(lines)).toMatchObject({ opened: 1, open: 1 });
  await scene.database
    .transaction()
    .execute((transaction) =>
      settleBreak(transaction, found?.id ?? 0, { by: 'hanna', note: 'Paid back' }),
    );
  expect(await compare(lines)).toMatchObject({ opened: 0, closed: 0, open: 0 });
});

test('too many breaks open none', async () => {
  const lines = Array.from({ length: 21 }, () => line(null));
  expect(await compare(lines)).toMatchObject({ kind: 'too-many' });
  expect(await open()).toEqual([]);
  const of = { provider: gsma, day, zone } as const;
  const allowed = { ...settings, maximumBreaks: 100 };
  expect(await compareFile(scene.database, of, lines, allowed)).toMatchObject({ opened: 21 });
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

test('a load that breaks off leaves the statement and its breaks as they were', async () => {
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
  expect(await open()).toEqual([]);
});
