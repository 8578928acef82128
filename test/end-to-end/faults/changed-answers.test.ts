import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readMargins, salesPerDay } from '../../../src/db/ledger/sales.ts';
import { readListPage } from '../../../src/db/lists/list-page.ts';
import { topupList } from '../../../src/db/lists/topups.ts';
import { commandsOn, statementOf } from '../../admin/scene.ts';
import { caseOf, settleCase, shownFacts, untilCase } from '../../positions/cases.ts';
import { askNow, doneLate } from '../../positions/placements.ts';
import { findBrokenInvariants } from '../../support/broken-invariants.ts';
import { call } from '../../support/clients.ts';
import { breakStatement } from '../../support/database-faults.ts';
import { nudge } from '../../support/nudge.ts';
import type { Stack } from '../../support/stack.ts';
import { until } from '../../support/until.ts';
import { callsPerson } from '../../workflows/called-person.ts';
import { detailsOf } from '../../workflows/details-of.ts';
import { type RedemptionScene, redeem, setRedemptionScene } from '../gift/redemption-scene.ts';
import { isNumber } from '../privacy/stored-numbers.ts';
import { idOf, newKey, setTopupScene, type TopupScene } from '../topups/topup-scene.ts';
import { pauseReconciliation, reconciled } from './reconciled.ts';

/** Providers whose later word is another than their first: what callers and support staff are told. */
let topups: TopupScene;
let gifts: RedemptionScene;
// Open cases are looked at as often as the books are reconciled.
const settings = { RECONCILE_INTERVAL_SECONDS: '1', PAYMENT_ALARM_SECONDS: '2' };

beforeAll(async () => {
  [topups, gifts] = await Promise.all([
    setTopupScene(settings),
    // The outcome of one request stays open.
    setRedemptionScene({ ...settings, CALLER_WAIT_SECONDS: '5' }),
  ]);
  await Promise.all([topups, gifts].map(({ stack }) => pauseReconciliation(stack)));
});
afterAll(async () => {
  await topups?.stack.stop();
  await gifts?.stop();
});

const operatorOf = (stack: Stack) => commandsOn({ DATABASE_URL: stack.urlFor('operator') });

const callBack = (reference: string, stack = topups.stack) =>
  call(`${stack.url}/callbacks/airtime`, { body: { external_id: reference } });

const setStatus = async (stack: Stack, what: string, reference: string, status: string) => {
  const answer = await call(`${stack.sandbox.url}/books/${what}/${reference}`, {
    body: { status },
  });
  expect(answer.status).toBe(200);
};

const referenceOf = async (id: number): Promise<string> =>
  (await topups.show(id)).attempts.at(-1).ourReference;

/** When a top-up has changed for the last time, as its partner is told. */
const changedAt = async (id: number): Promise<number> =>
  Date.parse((await topups.show(id)).updatedAt);

describe('a top-up that was delivered and taken back', () => {
  async function reversed() {
    const id = idOf(await topups.topup(topups.number('000')));
    const reference = await referenceOf(id);
    await setStatus(topups.stack, 'topups', reference, 'reversed');
    // The sandbox does not know where to call.
    expect((await callBack(reference)).status).toBe(200);
    return { id, reference };
  }

  test('is a case although its number was erased meanwhile', async () => {
    const { stack } = topups;
    const { id, reference } = await reversed();
    for (const [table, column] of [
      ['topups', 'id'],
      ['topup_attempts', 'topup_id'],
    ] as const)
      await sql`update ${sql.table(table)} set msisdn = 'erased' where ${sql.ref(column)} = ${id}`.execute(
        stack.database,
      );
    expect(await reconciled(stack)).toMatch(/took it back, ETB 50\.00, .*our reference /);
    await settleCase(stack, reference, 'partner');
  });

  test('is a case until it is settled, and told truthfully', async () => {
    const { stack } = topups;
    const wallet = await topups.wallet();
    const { id, reference } = await reversed();
    const delivered = await changedAt(id);
    expect(await reconciled(stack)).toMatch(/took it back, ETB 50\.00, .*our reference /);
    const takenBack = await changedAt(id);
    expect(takenBack).toBeGreaterThan(delivered);
    await untilCase(stack, reference, 'RUNNING');
    expect(await reconciled(stack)).toBe('in order');
    const shown = await topups.show(id);
    expect(shown).toMatchObject({
      status: 'SUCCESS',
      charged: true,
      reversal: { reversedAt: expect.any(String), credited: false },
      lateDelivery: null,
    });
    expect((await topups.retry(id, topups.number('000'), newKey())).status).toBe(409);
    expect(await topups.wallet()).toBe(wallet - 50);
    const operator = operatorOf(stack);
    const listed = await operator.json('cases list');
    expect(listed).toContainEqual(
      expect.objectContaining({ reference, topupId: id, amount: '-50.000000' }),
    );

    const { out } = await operator.admin(`top-up show ${id}`);
    expect(out).toContain('took it back');
    expect(out).toContain(`${new Date(takenBack).toISOString().slice(11, 16)} UTC)`);
    await settleCase(stack, reference, 'partner');
    await untilCase(stack, reference, 'COMPLETED');
    expect(await changedAt(id)).toBeGreaterThan(takenBack);
    expect(await topups.wallet()).toBe(wallet);
    expect(await topups.show(id)).toMatchObject({
      status: 'FAILED',
      charged: false,
      reversal: { credited: true },
    });
    expect(await findBrokenInvariants(stack.database)).toEqual([]);
    const { lines } = await statementOf(operator, topups.partner.id, 'airtime');
    expect(lines.at(-1)?.explanation).toBe(
      `Top-up ${id}, attempt 1: not done in the end, money returned`,
    );
    const again = await topups.retry(id, topups.number('000'), newKey());
    expect(again.body.data.status).toBe('SUCCESS');
    expect(await topups.show(id)).toMatchObject({
      status: 'SUCCESS',
      charged: true,
      reversal: null,
    });
    expect(await topups.wallet()).toBe(wallet - 50);
    expect(await findBrokenInvariants(stack.database)).toEqual([]);
  });

  test.each(['platform', 'provider'] as const)('settled by the %s stays delivered', async (by) => {
    const { stack } = topups;
    const { id, reference } = await reversed();
    await reconciled(stack);
    const takenBackAt = await changedAt(id);
    // It does it again, as it has promised.
    if (by === 'provider') await setStatus(stack, 'topups', reference, 'completed');
    await settleCase(stack, reference, by);
    expect(await changedAt(id)).toBeGreaterThan(takenBackAt);
    const { id: settled } = await caseOf(stack.database, reference);
    const operator = operatorOf(stack);
    const again = `cases settle ${settled} --by ${by} ${await shownFacts(operator, settled)} --why agreed`;
    expect((await operator.admin(again)).err).toContain('The case is closed');
    expect(await topups.show(id)).toMatchObject({ status: 'SUCCESS', charged: true });
    await callBack(reference);
    await reconciled(stack);
    expect((await caseOf(stack.database, reference)).id).toBe(settled);
    expect(await findBrokenInvariants(stack.database)).toEqual([]);
  });

  test('opens its case again where the provider has not put it right', async () => {
    const { stack } = topups;
    const { reference } = await reversed();
    await reconciled(stack);
    await settleCase(stack, reference, 'provider');
    await callBack(reference);
    expect(await reconciled(stack)).toContain(reference);
    await untilCase(stack, reference, 'RUNNING');
    await settleCase(stack, reference, 'platform');
    expect(await findBrokenInvariants(stack.database)).toEqual([]);
  });

  test('is found without a callback, when it is due', async () => {
    const { stack } = topups;
    const id = idOf(await topups.topup(topups.number('015')));
    const reference = await referenceOf(id);
    await until(() =>
      expect(stack.sandbox.books.topups({ reference })[0]?.status).toBe('reversed'),
    );
    await askNow(stack.database, reference);
    expect(await reconciled(stack)).toContain(reference);
    expect(await topups.show(id)).toMatchObject({ reversal: { credited: false } });
  });

  test('before its answer was read is delivered first', async () => {
    const { stack } = topups;
    const id = await topups.openTopup();
    const reference = await referenceOf(id);
    const { faults } = stack.sandbox;
    // No inquiry is answered between the two.
    faults.set('dt-one', { ...faults.of('dt-one'), down: true });
    await setStatus(stack, 'topups', reference, 'completed');
    await setStatus(stack, 'topups', reference, 'reversed');
    faults.clear();
    await topups.untilStatus(id, 'SUCCESS');
    expect(await reconciled(stack)).toContain(reference);
    expect(await topups.show(id)).toMatchObject({ charged: true, reversal: { credited: false } });
  });

  test('is asked about three times within a week, and no more', async () => {
    const { stack } = topups;
    const id = idOf(await topups.topup(topups.number('000')));
    const reference = await referenceOf(id);
    const hoursAt = async (age: string) => {
      await sql`update topup_attempts set settled_at = now() - ${age}::interval
        where topup_id = ${id}`.execute(stack.database);
      await askNow(stack.database, reference);
      await reconciled(stack);
      const { rows } = await sql<{ hours: number | null }>`
        select extract(epoch from ask_at - settled_at)::float8 / 3600 as hours
        from topup_attempts join placements using (operation_id)
        where topup_id = ${id}`.execute(stack.database);
      return rows[0]?.hours ?? null;
    };
    expect(await hoursAt('10 minutes')).toBeCloseTo(24, 3);
    expect(await hoursAt('24 hours')).toBeCloseTo(168, 3);
    expect(await hoursAt('7 days')).toBeNull();
  });
});

test('a payment that was taken back is a case, and its voucher gets the value back', async () => {
  const { stack, partner } = gifts;
  const { merchant, client } = await gifts.payee('merchant', { payoutSuffix: '015' });
  const gift = await gifts.gift({ merchant });
  await gifts.redeemed(client, gift);
  const { reference } = await gifts.untilPaidTo(merchant);
  await until(() => expect(gifts.amountsPaidTo(merchant)).toEqual(['97.50 reversed']));
  await askNow(stack.database, reference);
  expect(await reconciled(stack)).toContain(reference);
  await untilCase(stack, reference, 'RUNNING');
  await settleCase(stack, reference, 'payer');
  await untilCase(stack, reference, 'COMPLETED');
  // It is asked whether it says the same.
  expect(await reconciled(stack)).toBe('in order');
  expect(await gifts.voucher(gift)).toMatchObject({ status: 'ACTIVE', remaining: '100.000000' });
  expect(await findBrokenInvariants(stack.database)).toEqual([]);
  const { lines } = await statementOf(operatorOf(stack), partner.id, 'reserved');
  expect(lines.slice(-2).map(({ explanation }) => explanation.replace(/^.*, /, ''))).toEqual([
    'service fee returned',
    'money returned',
  ]);
});

describe('a top-up that was delivered late', () => {
  async function late() {
    const id = await topups.failedTopup();
    const reference = await referenceOf(id);
    await setStatus(topups.stack, 'topups', reference, 'completed');
    await callBack(reference);
    expect(await reconciled(topups.stack)).toContain(reference);
    return { id, reference };
  }

  /** The sales of the partner in the list of top-ups, in the chart and in the margin. */
  async function sold() {
    const { database } = topups.stack;
    const partnerId = topups.partner.id;
    const day = (offset: number) =>
      new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
    const days = { first: day(-1), last: day(1), zone: 'UTC' };
    const listed = await readListPage(database, topupList, partnerId, {
      page: 1,
      limit: 1,
      sortBy: topupList.sortBy,
      isUsual: false,
      conditions: [
        { column: 'status', operator: 'eq', isNegated: false, values: ['SUCCESS'] as const },
      ],
    });
    const charted = await salesPerDay(database, partnerId, days);
    const margins = await readMargins(database, partnerId, days);
    return {
      list: listed.totalItems,
      chart: charted.reduce((sum, { topups: count }) => sum + count, 0),
      margin: margins.find(({ kind }) => kind === 'topups')?.sales ?? 0,
    };
  }

  /** Its workflow has ended, and its page no longer invites to a retry. */
  async function endsDelivered(id: number, attempts: number): Promise<void> {
    const workflow = await topups.workflowOf(id);
    expect(await workflow.result()).toEqual({ ended: 'delivered', attempts });
    const details = await detailsOf(workflow);
    expect(details).toContain('**Delivered late**');
    expect(details).not.toContain('retry');
  }

  test.each([
    ['partner', { status: 'SUCCESS', charged: true }, 1],
    ['platform', { status: 'SUCCESS', charged: false }, 1],
    ['provider', { status: 'FAILED', charged: false, lateDelivery: null }, 0],
  ] as const)('is SUCCESS and sold at once, and settled by the %s', async (by, settled, sales) => {
    const { stack } = topups;
    const wallet = await topups.wallet();
    const before = await sold();
    expect(before).toEqual({ list: before.list, chart: before.list, margin: before.list });
    const more = (count: number) => ({
      list: before.list + count,
      chart: before.list + count,
      margin: before.list + count,
    });
    const { id, reference } = await late();
    expect(await topups.show(id)).toMatchObject({
      status: 'SUCCESS',
      charged: false,
      referenceNumber: expect.stringMatching(/^OP/),
      lateDelivery: { deliveredAt: expect.any(String), settled: false },
      attempts: [{ status: 'SUCCESS' }],
    });
    expect(await sold()).toEqual(more(1));
    await endsDelivered(id, 1);
    expect((await topups.retry(id, topups.number('000'), newKey())).status).toBe(409);
    await untilCase(stack, reference, 'RUNNING');
    const deliveredLate = await changedAt(id);
    await settleCase(stack, reference, by);
    await untilCase(stack, reference, 'COMPLETED');
    expect(await topups.show(id)).toMatchObject(settled);
    expect(await changedAt(id)).toBeGreaterThan(deliveredLate);
    expect(await topups.wallet()).toBe(wallet - (by === 'partner' ? 50 : 0));
    expect(await sold()).toEqual(more(sales));
    expect(await findBrokenInvariants(stack.database)).toEqual([]);
  });

  /** Booked, and its workflow not told: the worker stopped between the books and the signal. */
  async function untoldLate(): Promise<number> {
    const id = await topups.failedTopup();
    const operationId = await topups.operationOf(id);
    await doneLate(topups.stack.database, operationId);
    return id;
  }

  test('and whose workflow was not told so ends when a retry is refused for it', async () => {
    const id = await untoldLate();
    await (await topups.workflowOf(id)).signal('retry');
    await endsDelivered(id, 1);
  });

  test('and whose workflow was not told so is told by the next reconciliation', async () => {
    const id = await untoldLate();
    await reconciled(topups.stack);
    await endsDelivered(id, 1);
  });

  test('while its retry runs stays delivered when that fails', async () => {
    const id = await topups.failedTopup();
    const reference = await referenceOf(id);
    const retried = topups.retry(id, topups.number('014'), newKey());
    await topups.untilStatus(id, 'UNKNOWN');
    await setStatus(topups.stack, 'topups', reference, 'completed');
    await callBack(reference);
    expect(await reconciled(topups.stack)).toContain(reference);
    await topups.settle(id, 'failed');
    await topups.untilStatus(id, 'SUCCESS');
    await retried;
    await endsDelivered(id, 2);
    expect(await topups.show(id)).toMatchObject({
      charged: false,
      lateDelivery: { settled: false },
    });
    expect(await findBrokenInvariants(topups.stack.database)).toEqual([]);
  });
});

test('another content at the provider is a case until a person has seen to it', async () => {
  const { stack } = topups;
  const id = idOf(await topups.topup(topups.number('000')));
  const reference = await referenceOf(id);
  const taken = stack.sandbox.books.findTopup({ reference });
  if (!taken) throw new Error('The provider did not take it');
  Object.assign(taken, { currency: 'USD' });
  await callBack(reference);
  expect(await reconciled(stack)).toContain(reference);
  await untilCase(stack, reference, 'RUNNING');
  expect(await topups.show(id)).toMatchObject({ status: 'SUCCESS', charged: true });
  await settleCase(stack, reference);
  await untilCase(stack, reference, 'COMPLETED');
});

test('another amount at the provider is a case of the difference, and ends with the amount', async () => {
  const { stack } = topups;
  const id = idOf(await topups.topup(topups.number('000')));
  const wallet = await topups.wallet();
  const reference = await referenceOf(id);
  const taken = stack.sandbox.books.findTopup({ reference });
  if (!taken) throw new Error('The provider did not take it');
  Object.assign(taken, { amount: '55.00' });
  await callBack(reference);
  expect(await reconciled(stack)).toContain(reference);
  expect(await caseOf(stack.database, reference)).toMatchObject({
    why: 'difference',
    difference: 'amount',
    amount: '5.000000',
  });
  await settleCase(stack, reference, 'partner');
  expect(await topups.wallet()).toBe(wallet - 5);
  expect(await findBrokenInvariants(stack.database)).toEqual([]);
  Object.assign(taken, { amount: '50.00' });
  await callBack(reference);
  expect(await reconciled(stack)).toContain(reference);
  expect(await caseOf(stack.database, reference)).toMatchObject({ amount: '-5.000000' });
  Object.assign(taken, { amount: '55.00' });
  await callBack(reference);
  await reconciled(stack);
  expect((await caseOf(stack.database, reference)).closed_at).not.toBeNull();
});

describe('what a provider has decided and the database refuses to book', () => {
  test('top-ups that were delivered or refused call a person, and their histories stay short', async () => {
    const { stack } = topups;
    const refuse = async (suffix: string, attemptStatus: 'POSTED' | 'VOIDED') => {
      const mend = await breakStatement(stack.database, {
        table: 'topup_attempts',
        on: 'update',
        when: `old.status = 'HELD' and new.status = '${attemptStatus}'`,
      });
      const msisdn = topups.number(suffix);
      const answer = topups.topup(msisdn);
      const { id } = await until(() =>
        stack.database
          .selectFrom('topups')
          .select('id')
          .where(isNumber(stack, 'msisdn', msisdn))
          .executeTakeFirstOrThrow(),
      );
      return { mend, answer, id, workflow: await topups.workflowOf(id) };
    };
    const delivered = { ...(await refuse('000', 'POSTED')), status: 'SUCCESS' };
    const refused = { ...(await refuse('006', 'VOIDED')), status: 'FAILED' };
    const both = [delivered, refused];
    for (const { workflow } of both)
      await until(async () => expect(await callsPerson(workflow)).toBe(true));
    const opened = await reconciled(stack);
    for (const { id, mend, workflow, answer, status } of both) {
      const reference = await referenceOf(id);
      expect(opened).toContain(reference);
      await untilCase(stack, reference, 'RUNNING');
      expect((await topups.eventsOf(id)).length).toBeLessThan(100);
      await mend();
      await nudge(workflow);
      await topups.untilStatus(id, status);
      await untilCase(stack, reference, 'COMPLETED');
      await until(async () => expect(await callsPerson(workflow)).toBe(false));
      await answer;
    }
  });

  test('a payment that was made calls a person, and is booked once', async () => {
    const { stack } = gifts;
    const { merchant } = await gifts.payee('partner');
    const gift = await gifts.gift({ merchant, owner: null });
    const mend = await breakStatement(stack.database, {
      table: 'redemptions',
      on: 'update',
      // What came to its end before is asked about as ever.
      when: "old.status = 'HELD' and new.status = 'POSTED'",
    });
    const answer = redeem(gifts.asPartner, gift);
    const { reference } = await gifts.untilPaidTo(merchant);
    const { operation_id: operationId } = await stack.database
      .selectFrom('vouchers')
      .select('operation_id')
      .where('id', '=', gift.id)
      .executeTakeFirstOrThrow();
    const workflow = stack.temporal.client.workflow.getHandle(
      `redeem-voucher:unclaimed-${operationId}`,
    );
    await until(async () => expect(await callsPerson(workflow)).toBe(true));
    await until(async () => expect(await reconciled(stack)).toContain(reference));
    await untilCase(stack, reference, 'RUNNING');
    expect(await gifts.transfersOf(gift)).toEqual(['hold 100.00']);
    // The caller is told nothing that is not so.
    expect((await answer).body).toMatchObject({ success: false, statusCode: 409 });

    await mend();
    await nudge(workflow);
    await gifts.untilStatus(gift, 'REDEEMED');
    await untilCase(stack, reference, 'COMPLETED');
    await until(async () => expect(await callsPerson(workflow)).toBe(false));
    expect(gifts.amountsPaidTo(merchant)).toEqual(['97.50 completed']);
    expect(await gifts.transfersOf(gift)).toEqual([
      'hold 100.00',
      'post-payment 97.50',
      'post-service-fee 2.50',
    ]);
  });
});
