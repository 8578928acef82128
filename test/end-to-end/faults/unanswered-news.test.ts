import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { caseOf, caseWorkflow, settleCase, untilCase } from '../../positions/cases.ts';
import { call } from '../../support/clients.ts';
import type { Stack } from '../../support/stack.ts';
import { detailsOf } from '../../workflows/details-of.ts';
import { type RedemptionScene, redeem, setRedemptionScene } from '../gift/redemption-scene.ts';
import { idOf, newKey, setTopupScene, type TopupScene } from '../topups/topup-scene.ts';
import { pauseReconciliation, reconciled } from './reconciled.ts';

/** Callbacks of a provider about what it had refused, and which it does not explain when it is asked. */
let topups: TopupScene;
let gifts: RedemptionScene;
// Open cases are looked at as often as the books are reconciled.
const settings = { RECONCILE_INTERVAL_SECONDS: '1' };

beforeAll(async () => {
  [topups, gifts] = await Promise.all([setTopupScene(settings), setRedemptionScene(settings)]);
  await Promise.all([topups, gifts].map(({ stack }) => pauseReconciliation(stack)));
});
afterAll(async () => {
  await topups?.stack.stop();
  await gifts?.stop();
});

interface Ended {
  readonly stack: Stack;
  readonly reference: string;
  /** What its provider says of it from now on. */
  says(status: 'pending' | 'failed' | 'completed'): void;
  callBack(): Promise<unknown>;
  /** Whether value is given once more for it. */
  again(): Promise<number>;
}

async function endedTopup(id: number): Promise<Ended> {
  const { stack } = topups;
  const { ourReference: reference } = (await topups.show(id)).attempts.at(-1);
  const taken = stack.sandbox.books.findTopup({ reference });
  if (!taken) throw new Error('The provider did not take it');
  return {
    stack,
    reference,
    says: (status) => stack.sandbox.books.settle(taken, status),
    callBack: () => call(`${stack.url}/callbacks/airtime`, { body: { external_id: reference } }),
    again: async () => (await topups.retry(id, topups.number('000'), newKey())).status,
  };
}

const refusedTopup = async () => endedTopup(await topups.failedTopup());

async function refusedPayment(): Promise<Ended> {
  const { stack } = gifts;
  const { merchant, client } = await gifts.payee('merchant', { payoutSuffix: '007' });
  const gift = await gifts.gift({ merchant, owner: null, isRestricted: false });
  expect((await redeem(client, gift)).status).toBe(503);
  const { reference } = await gifts.untilPaidTo(merchant);
  const taken = stack.sandbox.books.findPayout('reference', reference);
  if (!taken) throw new Error('The provider did not take it');
  const { client: another } = await gifts.payee('merchant');
  return {
    stack,
    reference,
    says: (status) => stack.sandbox.books.settle(taken, status),
    callBack: () =>
      call(`${stack.url}/callbacks/gsma`, {
        method: 'PUT',
        headers: { 'X-CorrelationID': reference },
        body: {},
      }),
    again: async () => (await redeem(another, gift)).status,
  };
}

/** Lets the time pass for one of them. */
function timesOf({ stack, reference }: Ended) {
  const change = async (interval: string) => {
    const since = (time: string) =>
      sql`${sql.ref(time)} = ${sql.ref(time)} - ${interval}::interval`;
    await sql`
      with placed as (
        update placements set ${since('said_at')}, ${since('doubted_at')}, ${since('silent_since')},
          ${since('ask_at')}
        where reference = ${reference} returning operation_id
      ), payment as (
        update redemptions set ${since('settled_at')} from placed
        where redemptions.operation_id = placed.operation_id
      )
      update topup_attempts set ${since('settled_at')} from placed
      where topup_attempts.operation_id = placed.operation_id`.execute(stack.database);
  };
  return {
    change,
    reconcile: () => reconciled(stack),
    /** It is asked if the time has come for it by then. */
    async later(interval: string) {
      await change(interval);
      return reconciled(stack);
    },
  };
}

describe.each([
  ['top-up', refusedTopup],
  ['payment', refusedPayment],
] as const)(
  'a %s that was refused days ago, and that its provider calls back about',
  (_kind, make) => {
    async function calledBack() {
      const one = await make();
      const { change, reconcile, later } = timesOf(one);
      // Its own inquiries are over.
      await change('5 days');
      await sql`update placements set ask_at = null where reference = ${one.reference}`.execute(
        one.stack.database,
      );
      one.says('pending');
      await one.callBack();
      return { ...one, reconcile, later };
    }

    /** It says nothing for longer than the service waits. */
    async function neverExplained() {
      const one = await calledBack();
      expect(await one.reconcile()).toBe('in order');
      expect(await one.later('2 days')).toBe('in order');
      expect(await one.later('2 days')).toContain(one.reference);
      await untilCase(one.stack, one.reference, 'RUNNING');
      return one;
    }

    it('calls a person when it is not explained, and nothing is given again meanwhile', async () => {
      const one = await neverExplained();
      const details = await detailsOf(await caseWorkflow(one.stack, one.reference));
      expect(details).toContain('The provider does not explain its news');
      expect(await one.again()).toBe(409);
      // A person settles it, and it is not asked about again.
      await settleCase(one.stack, one.reference);
      await untilCase(one.stack, one.reference, 'COMPLETED');
      expect(await one.later('2 days')).toBe('in order');
      expect(await one.again()).toBe(200);
    });

    it('is asked on while the case is open: an answer is booked, and ends it', async () => {
      const one = await neverExplained();
      one.says('completed');
      const before = await caseOf(one.stack.database, one.reference);
      expect(await one.later('1 day')).toContain('A provider did an order after all');
      const now = await caseOf(one.stack.database, one.reference);
      expect([before.why, now.why]).toEqual(['silence', 'difference']);
      await untilCase(one.stack, one.reference, 'RUNNING');
    });

    it('is no case where the answer comes in time, and the next callback begins anew', async () => {
      const one = await calledBack();
      expect(await one.reconcile()).toBe('in order');
      one.says('failed');
      expect(await one.later('2 days')).toBe('in order');
      one.says('pending');
      await one.callBack();
      expect(await one.reconcile()).toBe('in order');
      expect(await one.later('2 days')).toBe('in order');
      expect(await one.later('2 days')).toContain(one.reference);
    });
  },
);

it('a delivered top-up that its provider calls back about, and does not explain, calls a person', async () => {
  const one = await endedTopup(idOf(await topups.topup(topups.number('000'))));
  const { reconcile, later } = timesOf(one);
  one.says('pending');
  await one.callBack();
  expect(await reconcile()).toBe('in order');
  expect(await later('2 days')).toBe('in order');
  expect(await later('2 days')).toContain(one.reference);
  one.says('completed');
  expect(await later('1 day')).toBe('in order');
  expect((await caseOf(one.stack.database, one.reference)).closed_at).toBeInstanceOf(Date);
});
