import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { compareFile } from '../../../activities/provider-statements/compare-statement.ts';
import { addTransfers } from '../../../src/db/ledger/ledger.ts';
import { breaksOfDay } from '../../../src/db/provider-statements/breaks.ts';
import type { StoredLine } from '../../../src/db/provider-statements/statement-lines.ts';
import { placeHeld } from '../../../src/db/recovery/known-payments.ts';
import { endAttempt } from '../../../src/db/topups/topup-attempts.ts';
import { parseMoney } from '../../../src/domain/money.ts';
import type { Day } from '../../../src/domain/reports/day-report.ts';
import type { ProviderInquiry } from '../../../src/providers/outcome.ts';
import { redemptions } from '../../admin/movements.ts';
import {
  delivered,
  inAttempt,
  openTwoProviders,
  type TwoProviders,
  unknown,
} from '../providers/two-providers.ts';
import { type FailedOver, failedOverTo } from './failed-over.ts';

/**
 * A provider that certainly did nothing, so that the next one was asked, has done it after all: what it
 * did is asked of it, booked once, and explained.
 */
let two: TwoProviders;
let on: FailedOver;

beforeAll(async () => {
  two = await openTwoProviders();
  on = failedOverTo(two);
});
afterAll(() => two?.scene.close());
beforeEach(() => two.reset());

/** The platform bears what the first provider did. */
const settleAtPlatform = (reference: string) => {
  const bearer = ['--by', 'platform', '--note', 'x'];
  return two.scene.admin(['settle', 'double-delivery', `${reference}:gsma`, ...bearer]);
};

const refusal: ProviderInquiry = {
  kind: 'refused',
  code: 'X',
  message: 'no such account',
  retryCanHelp: false,
};

describe('a payment that both providers made', () => {
  it('stands once in suspense, is a case, and ends when somebody bears it', async () => {
    const { operationId, reference } = await on.failedOver('post');
    two.found.first = delivered;
    await on.calledBack(operationId);
    expect(two.asked).toContain('first ask');
    expect(await on.movedBeside(reference)).toEqual(['suspense → mobile-money-clearing 487.50']);
    expect(await on.casesOf(reference)).toEqual(['double-delivery at gsma: 487.5']);
    // Nothing is booked again, whoever calls back.
    await on.calledBack(operationId);
    expect(await on.movedBeside(reference)).toHaveLength(1);
    expect((await two.scene.admin('check-ledger')).out).toContain('list double-deliveries');

    const [listed] = await two.scene.json('list double-deliveries');
    expect(listed).toMatchObject({ reference, provider: 'gsma', providerReference: 'P-1' });
    const settle = (by: string) =>
      two.scene.admin(['settle', 'double-delivery', listed.name, '--by', by, '--note', 'ticket 1']);
    expect((await settle('provider')).out).toContain('gsma has given it back');
    expect((await settle('provider')).out).toContain('nothing was changed');
    expect((await settle('platform')).err).toContain('cannot be undone');
    expect(await on.movedBeside(reference)).toEqual([
      'suspense → mobile-money-clearing 487.50',
      'mobile-money-clearing → suspense 487.50',
    ]);
    expect(await on.casesOf(reference)).toEqual([]);
  });

  it('is found without a callback, too', async () => {
    const { operationId, reference } = await on.failedOver('post');
    const due = await two.scene.database
      .selectFrom('provider_failovers')
      .select(sql<boolean>`recheck_at > now()`.as('later'))
      .where('operation_id', '=', operationId)
      .executeTakeFirstOrThrow();
    expect(due.later).toBe(true);
    await two.scene.database
      .updateTable('provider_failovers')
      .set({ recheck_at: sql`now()` })
      .where('operation_id', '=', operationId)
      .execute();
    two.found.first = delivered;
    await on.reconcile();
    expect(await on.casesOf(reference)).toEqual(['double-delivery at gsma: 487.5']);
  });

  it('is no break in the statement of the first provider once it is a case', async () => {
    const { reference } = await on.failedOver('post');
    const at = new Date();
    const zone = 'UTC';
    const of = {
      provider: { name: 'gsma', kind: 'mobile-money' },
      day: at.toJSON().slice(0, 10) as Day,
      zone,
    } as const;
    const line: { -readonly [Key in keyof StoredLine]: StoredLine[Key] } = {
      ...({ kind: 'payment', status: 'completed' } as const),
      ...{ providerReference: 'P-1', reference, at },
      ...{ amount: '487.5', currency: 'ETB', fee: null, feeCurrency: null },
    };
    const compare = () =>
      compareFile(two.scene.database, of, [line], {
        ...{ marginSeconds: 1_800, patienceDays: 100_000, maximumBreaks: 1_000 },
      });
    const breaks = async () =>
      (await breaksOfDay(two.scene.database, 'gsma', of.day, { includeEnded: false }))
        .filter((one) => one.reference === reference)
        .map(({ type }) => type);
    await compare();
    expect(await breaks()).toEqual(['missing-here']);
    // The comparison has asked for an inquiry.
    two.found.first = delivered;
    await on.reconcile();
    expect(await on.casesOf(reference)).toEqual(['double-delivery at gsma: 487.5']);
    await compare();
    expect(await breaks()).toEqual([]);
    // What it takes back after somebody else has borne it is in no book.
    expect((await settleAtPlatform(reference)).code).toBe(0);
    await compare();
    expect(await breaks()).toEqual([]);
    line.status = 'reversed';
    await compare();
    expect(await breaks()).toEqual(['reversed']);
    line.status = 'failed';
    await compare();
    expect(await breaks()).toEqual(['missing-there']);
  });
});

it('a payment that the second one refused is a late success of the first one', async () => {
  const { operationId, reference } = await on.failedOver('void');
  two.found.first = delivered;
  await on.calledBack(operationId);
  expect(await on.movedBeside(reference)).toEqual(['suspense → mobile-money-clearing 487.50']);
  expect(await on.casesOf(reference)).toEqual(['late-success at gsma: 487.5']);
  expect(await two.providerOf(operationId)).toBe('gsma');
  // The second one may have done it, too.
  two.found.second = delivered;
  await on.calledBack(operationId, 'mpesa');
  expect(await on.movedBeside(reference)).toEqual([
    'suspense → mobile-money-clearing 487.50',
    'suspense → mobile-money-clearing 487.50',
  ]);
  expect((await on.casesOf(reference)).sort()).toEqual([
    'double-delivery at mpesa: 487.5',
    'late-success at gsma: 487.5',
  ]);
});

it('a payment on hold is noted at once, and booked by its outcome', async () => {
  const { operationId, reference } = await on.failedOver();
  two.found.first = delivered;
  await on.calledBack(operationId);
  expect(await on.movedBeside(reference)).toEqual([]);
  expect(await on.casesOf(reference)).toEqual(['double-delivery at gsma: 487.5']);
  expect((await settleAtPlatform(reference)).err).toContain('still on hold');
  await redemptions(two.scene.database, two.catalogue).post(operationId);
  await on.calledBack(operationId);
  expect(await on.movedBeside(reference)).toEqual(['suspense → mobile-money-clearing 487.50']);
});

it('a payment on hold that the first one did, and the second one refuses, is booked as it ends', async () => {
  const { operationId, reference } = await on.failedOver();
  two.found.first = delivered;
  await on.calledBack(operationId);
  // A list that is shorter than our wait takes nothing back.
  two.found.first = { kind: 'never-seen' };
  await on.calledBack(operationId);
  expect(await on.casesOf(reference)).toEqual(['double-delivery at gsma: 487.5']);
  await redemptions(two.scene.database, two.catalogue).void(operationId);
  expect(await on.movedBeside(reference)).toEqual(['suspense → mobile-money-clearing 487.50']);
  expect(await on.casesOf(reference)).toEqual(['late-success at gsma: 487.5']);
});

it('a payment that a restore has moved back to the first one is no double of itself', async () => {
  const { operationId, reference } = await on.failedOver();
  await two.scene.database
    .transaction()
    .execute((transaction) =>
      placeHeld(transaction, { kind: 'payment', provider: 'gsma', reference }),
    );
  await redemptions(two.scene.database, two.catalogue).post(operationId);
  two.found.first = delivered;
  await on.calledBack(operationId);
  expect(await on.movedBeside(reference)).toEqual([]);
  expect(await on.casesOf(reference)).toEqual([]);
  // The one that had it may have done it, too.
  two.found.second = delivered;
  await on.calledBack(operationId, 'mpesa');
  expect(await on.casesOf(reference)).toEqual(['double-delivery at mpesa: 487.5']);
});

it.each([
  ['did nothing', { kind: 'never-seen' }],
  ['refuses it', refusal],
  ['says nothing', unknown],
  ['has taken it back', { ...delivered, reversal: 'taken back' }],
] as const)(
  'a first provider that %s changes nothing, and is asked later',
  async (_what, answer) => {
    const { operationId, reference } = await on.failedOver('post');
    two.found.first = answer;
    await on.calledBack(operationId);
    expect(two.asked).toContain('first ask');
    expect(await on.movedBeside(reference)).toEqual([]);
    expect(await on.casesOf(reference)).toEqual([]);
    const { later } = await two.scene.database
      .selectFrom('provider_failovers')
      .select(sql<boolean>`recheck_at > now()`.as('later'))
      .where('operation_id', '=', operationId)
      .executeTakeFirstOrThrow();
    expect(later).toBe(true);
  },
);

it('a top-up that the second one did not deliver is a late success of the first one', async () => {
  const { topupId, operationId, reference } = await on.failedOverTopUp();
  await two.scene.database.transaction().execute(async (transaction) => {
    const move = { operationId, partnerId: two.catalogue.partnerId, amount: parseMoney('50') };
    await addTransfers(transaction, [
      { ...move, step: 'void', debit: 'airtime-hold', credit: 'airtime' },
    ]);
    const ending = { message: 'no', notDoneBy: null, providerReference: null, isReversed: false };
    await endAttempt(transaction, { operationId, topupId }, { status: 'FAILED', ...ending }, 0);
  });
  two.found.first = delivered;
  await on.calledBack(operationId, 'dt-one');
  expect(await on.movedBeside(reference)).toEqual(['suspense → airtime-clearing 50.00']);
  expect(await on.casesOf(reference)).toEqual(['late-success at dt-one: 50']);
  const row = await two.scene.database
    .selectFrom('topups')
    .innerJoin('topup_attempts', 'topup_attempts.topup_id', 'topups.id')
    .select(['topups.status', 'provider'])
    .where('topups.id', '=', topupId)
    .executeTakeFirstOrThrow();
  expect(row).toEqual({ status: 'SUCCESS', provider: 'dt-one' });
});

it('a top-up on hold that the first one did, and the second one refuses, is delivered as it ends', async () => {
  const { topupId, operationId, reference } = await on.failedOverTopUp();
  two.found.first = delivered;
  await on.calledBack(operationId, 'dt-one');
  await inAttempt(1, () => two.activities().voidTopUp(operationId, 'no', 'provider'));
  expect(await on.movedBeside(reference)).toEqual(['suspense → airtime-clearing 50.00']);
  expect(await on.casesOf(reference)).toEqual(['late-success at dt-one: 50']);
  const { status } = await two.scene.database
    .selectFrom('topups')
    .select('status')
    .where('id', '=', topupId)
    .executeTakeFirstOrThrow();
  expect(status).toBe('SUCCESS');
});
