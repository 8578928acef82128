import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { compareBooks, type ListedProviders } from '../../../src/admin/recovery/compare-books.ts';
import { requestFailoverInquiry } from '../../../src/db/providers/failover-inquiries.ts';
import { findOpenCase } from '../../../src/db/reconciliation/cases.ts';
import { bookReversal } from '../../../src/db/reconciliation/reversals.ts';
import { recheckPayments } from '../../../src/db/recovery/known-payments.ts';
import { disagreement, type ProviderInquiry } from '../../../src/providers/outcome.ts';
import type { ProviderTransaction } from '../../../src/providers/transaction-list.ts';
import { redemptions } from '../../admin/movements.ts';
import {
  delivered,
  inAttempt,
  openTwoProviders,
  type TwoProviders,
  unknown,
} from '../providers/two-providers.ts';
import { type FailedOver, failedOverTo } from './failed-over.ts';

/** What a provider says that was asked before another one: what it has otherwise, and when it is asked again. */
let two: TwoProviders;
let on: FailedOver;

beforeAll(async () => {
  two = await openTwoProviders();
  on = failedOverTo(two);
});
afterAll(() => two?.scene.close());
beforeEach(() => {
  two.reset();
  on.logged.length = 0;
});

const otherWords = (field: string) =>
  disagreement(`The provider knows a payment with another ${field}.`);
const other = otherWords('amount');

const switchOf = (operationId: string) =>
  two.scene.database
    .selectFrom('provider_failovers')
    .select(['recheck_at', 'done_at', sql<boolean>`recheck_at > now()`.as('later')])
    .where('operation_id', '=', operationId)
    .executeTakeFirstOrThrow();

const changeSwitch = (operationId: string, change: string) =>
  sql`update provider_failovers set ${sql.raw(change)} where operation_id = ${operationId}`.execute(
    two.scene.database,
  );

const paymentOf = (operationId: string) =>
  two.scene.database
    .selectFrom('redemptions')
    .select(['disagreement', 'recheck_at', sql<boolean>`recheck_at <= now()`.as('isDue')])
    .where('operation_id', '=', operationId)
    .executeTakeFirstOrThrow();

/** Has the provider of the row asked, too, as after its callback. */
const askSecond = (operationId: string) =>
  two.scene.database
    .updateTable('redemptions')
    .set({ recheck_at: sql<Date>`now()` })
    .where('operation_id', '=', operationId)
    .execute();

const settle = (name: string) =>
  two.scene.admin(['settle', 'disagreement', name, '--note', 'their ticket 4711']);

const listed = async (reference: string) =>
  (await two.scene.json('list double-deliveries')).filter(
    (one: { reference: string }) => one.reference === reference,
  );

const lineOf = async (reference: string, ...options: string[]) =>
  (await two.scene.admin(['list', 'double-deliveries', ...options])).out
    .split('\n')
    .find((line) => line.includes(reference));

describe('a first provider that has another amount', () => {
  it('is a case of its own, which the second one does not clear', async () => {
    const { operationId, reference } = await on.failedOver('post');
    two.found = { first: other, second: delivered };
    await on.calledBack(operationId);
    expect(await on.casesOf(reference)).toEqual(['disagreement at gsma: 487.5']);
    expect(await on.movedBeside(reference)).toEqual([]);
    const name = { kind: 'disagreement', reference: `${reference}:gsma` } as const;
    expect(await findOpenCase(two.scene.database, name)).toMatchObject({
      provider: 'gsma',
      words: expect.stringContaining('another amount'),
    });
    await askSecond(operationId);
    await on.reconcile();
    expect(two.asked).toContain('second ask');
    expect(await on.casesOf(reference)).toEqual(['disagreement at gsma: 487.5']);
    expect(await paymentOf(operationId)).toMatchObject({ disagreement: null });
  });

  it('is listed and settled alone; other words of it are another case', async () => {
    const { operationId, reference } = await on.failedOver('post');
    two.found.first = other;
    await on.calledBack(operationId);
    expect(await listed(reference)).toMatchObject([
      { difference: expect.stringContaining('another amount') },
    ]);
    expect(await lineOf(reference)).toContain('another content');
    const booking = `settle double-delivery ${reference}:gsma --by platform --note x`;
    expect((await two.scene.admin(booking)).err).toContain('settle disagreement');

    await askSecond(operationId);
    expect((await settle(reference)).err).toContain('There is no disagreement');
    expect((await settle(`${reference}:gsma`)).out).toContain('is settled');
    expect(await on.casesOf(reference)).toEqual([]);
    expect((await paymentOf(operationId)).recheck_at).not.toBeNull();
    expect(await listed(reference)).toEqual([]);
    expect(await lineOf(reference, '--all')).toContain('cleared');
    expect((await settle(`${reference}:gsma`)).err).toContain('There is no disagreement');

    await on.calledBack(operationId);
    expect(await on.casesOf(reference)).toEqual([]);
    expect((await switchOf(operationId)).recheck_at).toBeNull();
    two.found.first = otherWords('payee');
    await on.calledBack(operationId);
    expect(await on.casesOf(reference)).toEqual(['disagreement at gsma: 487.5']);
  });

  it.each([
    ['says that it did what was ordered', delivered, ['double-delivery at gsma: 487.5']],
    ['has taken it back', { ...delivered, reversal: 'taken back' }, []],
    ['does not list it any more', { kind: 'never-seen' }, ['disagreement at gsma: 487.5']],
    ['says nothing', unknown, ['disagreement at gsma: 487.5']],
  ] as const)('and then %s is booked by that', async (_what, answer, cases) => {
    const { operationId, reference } = await on.failedOver('post');
    two.found.first = other;
    await on.calledBack(operationId);
    two.found.first = answer as ProviderInquiry;
    await on.calledBack(operationId);
    expect(await on.casesOf(reference)).toEqual(cases);
  });

  it('after it had done what is on hold is not booked as the hold ends', async () => {
    const { operationId, reference } = await on.failedOver();
    two.found.first = delivered;
    await on.calledBack(operationId);
    two.found.first = other;
    await on.calledBack(operationId);
    await redemptions(two.scene.database, two.catalogue).void(operationId);
    expect(await on.movedBeside(reference)).toEqual([]);
    expect(await on.casesOf(reference)).toEqual(['disagreement at gsma: 487.5']);
  });

  it('is logged once', async () => {
    const { operationId } = await on.failedOver('post');
    two.found.first = other;
    await on.calledBack(operationId);
    await on.calledBack(operationId);
    expect(on.logged).toEqual(['The content of our reference differs at a provider']);
  });
});

it('a payment on hold that the first one did is logged once, however often it says so', async () => {
  const { operationId } = await on.failedOver();
  two.found.first = delivered;
  await on.calledBack(operationId);
  await on.calledBack(operationId);
  expect(on.logged).toEqual([
    'A provider has done what another one was asked for since, and whose outcome is unknown',
  ]);
});

it('what was noted too late for the end of the hold is booked although the first one says no more', async () => {
  const { operationId, reference } = await on.failedOver();
  two.found.first = delivered;
  await on.calledBack(operationId);
  const { done_at } = await switchOf(operationId);
  await changeSwitch(operationId, 'done_at = null');
  await redemptions(two.scene.database, two.catalogue).post(operationId);
  await changeSwitch(operationId, `done_at = '${done_at?.toJSON()}'`);
  two.found.first = unknown;
  await on.calledBack(operationId);
  expect(await on.movedBeside(reference)).toEqual(['suspense → mobile-money-clearing 487.50']);
});

it('a top-up is asked about by the amount that this attempt held', async () => {
  const { topupId, operationId } = await on.failedOverTopUp();
  // A later attempt has another price.
  await two.scene.database
    .updateTable('topups')
    .set({ amount: '60' })
    .where('id', '=', topupId)
    .execute();
  await on.calledBack(operationId, 'dt-one');
  expect(two.inquiries.at(-1)).toMatchObject({ product: { amount: '50.00' } });
  await two.scene.database
    .updateTable('topups')
    .set({ amount: '50' })
    .where('id', '=', topupId)
    .execute();
});

it('a failed top-up of which it has another amount is not retried until that is cleared', async () => {
  const { topupId, operationId, reference } = await on.failedOverTopUp();
  await inAttempt(1, () => two.activities().voidTopUp(operationId, 'no', 'provider'));
  two.found.first = other;
  await on.calledBack(operationId, 'dt-one');
  const retry = () => two.scene.admin(['retry', 'top-up', String(topupId), '--note', 'x']);
  expect((await retry()).err).toContain('settle disagreement');
  expect((await settle(`${reference}:dt-one`)).out).toContain('is settled');
  expect((await retry()).out).toContain('is queued');
});

it('a top-up that both did is one in the statement of the partner that pays it', async () => {
  const { operationId, reference } = await on.failedOverTopUp();
  const delivery = { providerReference: 'P-2', message: 'delivered', isReversed: false };
  await inAttempt(1, () => two.activities().postTopUp(operationId, delivery));
  two.found.first = delivered;
  await on.calledBack(operationId, 'dt-one');
  const by = ['--by', 'partner', '--note', 'x'];
  await two.scene.json(['settle', 'double-delivery', `${reference}:dt-one`, ...by]);
  const statement = `statement --partner ${two.catalogue.partnerId} --wallet airtime`;
  const { lines } = await two.scene.json(statement);
  expect(lines.at(-1).explanation).toBe(
    `Top-up ${reference}: done a second time, charged as agreed`,
  );
});

describe('a callback while its provider is asked', () => {
  it('has the first provider asked again', async () => {
    const { operationId } = await on.failedOver('post');
    two.whileAsked = () => requestFailoverInquiry(two.scene.database, operationId, 'gsma');
    await on.calledBack(operationId);
    expect((await switchOf(operationId)).later).toBe(false);
  });

  it('has the provider of the row asked again', async () => {
    const { operationId } = await on.failedOver('post');
    two.found.second = delivered;
    two.whileAsked = () => askSecond(operationId);
    await askSecond(operationId);
    await on.reconcile();
    expect((await paymentOf(operationId)).isDue).toBe(true);
  });
});

it('a first provider that says nothing is asked for three days since it was asked', async () => {
  const { operationId } = await on.failedOver('post');
  two.found.first = unknown;
  await changeSwitch(operationId, "at = now() - interval '5 days'");
  await on.calledBack(operationId);
  expect((await switchOf(operationId)).later).toBe(true);
  const wait =
    "recheck_at = now(), doubted_since = null, unanswered_since = now() - interval '73 hours'";
  await changeSwitch(operationId, wait);
  await on.reconcile();
  expect((await switchOf(operationId)).recheck_at).toBeNull();
  // Its callback begins this anew.
  await on.calledBack(operationId);
  expect((await switchOf(operationId)).later).toBe(true);
});

describe('a callback of a first provider that it does not explain for three days', () => {
  const wait = `recheck_at = now(), doubted_since = doubted_since - interval '73 hours',
    unanswered_since = unanswered_since - interval '73 hours'`;

  /** Its case, and what the errors say. */
  async function unexplained() {
    const { operationId, reference } = await on.failedOver('post');
    two.found.first = unknown;
    await on.calledBack(operationId);
    expect(await on.casesOf(reference)).toEqual([]);
    await changeSwitch(operationId, wait);
    await on.reconcile();
    return { operationId, reference };
  }

  it('is a case until a person has settled it, and is asked about meanwhile', async () => {
    const { operationId, reference } = await unexplained();
    expect(await on.casesOf(reference)).toEqual(['disagreement at gsma: 487.5']);
    expect(on.logged).toEqual(['A provider does not explain its news of an operation']);
    expect((await switchOf(operationId)).later).toBe(true);
    await changeSwitch(operationId, wait);
    await on.reconcile();
    expect(on.logged).toHaveLength(1);
    expect((await settle(`${reference}:gsma`)).out).toContain('is settled');
    expect((await switchOf(operationId)).recheck_at).toBeNull();
    // More news of it begins anew.
    await on.calledBack(operationId);
    expect(await on.casesOf(reference)).toEqual([]);
    await changeSwitch(operationId, wait);
    await on.reconcile();
    expect(await on.casesOf(reference)).toEqual(['disagreement at gsma: 487.5']);
  });

  it.each([
    ['did it', delivered, ['double-delivery at gsma: 487.5']],
    ['did nothing', { kind: 'refused', code: '1', message: 'no', retryCanHelp: false }, []],
    ['does not know it', { kind: 'never-seen' }, []],
    ['has another amount', other, ['disagreement at gsma: 487.5']],
  ] as const)('ends with the answer: it %s', async (_what, answer, cases) => {
    const { operationId, reference } = await unexplained();
    two.found.first = answer as ProviderInquiry;
    await changeSwitch(operationId, wait);
    await on.reconcile();
    expect(await on.casesOf(reference)).toEqual(cases);
    const name = { kind: 'disagreement', reference: `${reference}:gsma` } as const;
    const words = (await findOpenCase(two.scene.database, name))?.words ?? '';
    expect(words).not.toContain('has not said since');
  });
});

/** Our books and those of two providers that both list the payment so. */
async function compared(reference: string, status: ProviderTransaction['status'] = 'completed') {
  const at = new Date();
  const transaction: ProviderTransaction = {
    ...{ reference, providerReference: 'P-1', status, at },
    ...{ amount: '487.50', currency: 'ETB', party: null, description: null, productId: null },
  };
  const port = {
    listTransactions: async () => ({ kind: 'listed', transactions: [transaction] }),
  };
  const none = { names: [], named: () => port, defaultName: 'dt-one' };
  const both = { names: ['gsma', 'mpesa'], named: () => port, defaultName: 'gsma' };
  const providers = { mobileMoney: both, airtime: none } as unknown as ListedProviders;
  return compareBooks(two.scene.database, providers, { since: at });
}

/** How it stands in our books. */
async function verdicts(reference: string, status: ProviderTransaction['status'] = 'completed') {
  const { comparisons } = await compared(reference, status);
  return Object.fromEntries(comparisons.map(({ provider, verdict }) => [provider, verdict]));
}

describe('after a restore', () => {
  it('a payment whose changed word is booked agrees with what its provider lists', async () => {
    const { operationId, reference } = await on.failedOver('void');
    two.found.first = delivered;
    expect(await requestFailoverInquiry(two.scene.database, operationId, 'gsma')).toBe(true);
    await on.reconcile();
    expect(await on.casesOf(reference)).toEqual(['late-success at gsma: 487.5']);
    expect(await verdicts(reference)).toMatchObject({ gsma: 'agrees' });
    expect(await verdicts(reference, 'reversed')).toMatchObject({ gsma: 'differs' });

    const paid = await on.failedOver('post');
    const inquiry = { kind: 'redemption', operationId: paid.operationId } as const;
    await two.scene.database
      .transaction()
      .execute((transaction) => bookReversal(transaction, inquiry));
    expect(await verdicts(paid.reference, 'reversed')).toMatchObject({ mpesa: 'agrees' });
    expect(await verdicts(paid.reference)).toMatchObject({ mpesa: 'differs' });
  });

  it('a payment that another provider made, too, is asked of that one', async () => {
    const { operationId, reference } = await on.failedOver('post');
    await two.scene.database
      .deleteFrom('provider_failovers')
      .where('operation_id', '=', operationId)
      .execute();
    const recheck = () =>
      two.scene.database
        .transaction()
        .execute((transaction) =>
          recheckPayments(transaction, 'payment', [{ reference, provider: 'gsma' }]),
        );
    expect(await verdicts(reference)).toEqual({ gsma: 'differs', mpesa: 'agrees' });
    await recheck();
    await recheck();
    two.found.first = delivered;
    await on.reconcile();
    expect(two.asked).toContain('first ask');
    expect(await on.casesOf(reference)).toEqual(['double-delivery at gsma: 487.5']);
    expect(await verdicts(reference)).toEqual({ gsma: 'agrees', mpesa: 'agrees' });
  });

  it('a payment that both made and that is lost is named, since it is booked once', async () => {
    const reference = randomUUID();
    expect(await verdicts(reference)).toEqual({ gsma: 'lost', mpesa: 'lost' });
    expect((await compared(reference)).gaps).toEqual([
      expect.stringContaining(`The payment ${reference} was done by gsma and mpesa`),
    ]);
  });

  it('a payment is asked of the provider that has it', async () => {
    const { operationId, reference } = await on.failedOver('post');
    await two.scene.database
      .transaction()
      .execute((transaction) =>
        recheckPayments(transaction, 'payment', [{ reference, provider: 'mpesa' }]),
      );
    expect((await paymentOf(operationId)).isDue).toBe(true);
    expect((await switchOf(operationId)).later).toBe(true);
  });
});
