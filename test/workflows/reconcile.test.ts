import { randomUUID } from 'node:crypto';
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import type { ApplicationFailure } from '@temporalio/common';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReconcileResult } from '../../workflows/reconcile.ts';
import { reconcileId } from '../../workflows/workflow-ids.ts';
import { newOwner, REDEEM, repeated, settled } from '../end-to-end/gift/gift-scene.ts';
import { type RedemptionScene, setRedemptionScene } from '../end-to-end/gift/redemption-scene.ts';
import { idOf, newKey, setTopupScene, type TopupScene } from '../end-to-end/topups/topup-scene.ts';
import { settleCase } from '../positions/cases.ts';
import { askAll, askNow } from '../positions/placements.ts';
import { findBrokenInvariants } from '../support/broken-invariants.ts';
import { call } from '../support/clients.ts';
import { nudge } from '../support/nudge.ts';
import type { Stack } from '../support/stack.ts';
import { until } from '../support/until.ts';
import { callsPerson } from './called-person.ts';
import { ended } from './ended.ts';
import { TEST_PAYLOAD_KEYS } from './payload-keys.ts';

let topups: TopupScene;
let gifts: RedemptionScene;
/** Some outcomes stay open, and nobody waits for their answers. */
const quiet = {
  PAYLOAD_KEYS: TEST_PAYLOAD_KEYS,
  PAYMENT_INQUIRY_INTERVAL_SECONDS: '1',
  CALLER_WAIT_SECONDS: '1',
};

beforeAll(async () => {
  [topups, gifts] = await Promise.all([setTopupScene(quiet), setRedemptionScene(quiet)]);
});
afterAll(async () => {
  await topups?.stack.stop();
  await gifts?.stop();
});

const start = ({ temporal, config }: Stack) =>
  temporal.client.workflow.start('reconcile', {
    workflowId: `reconcile-${randomUUID()}`,
    taskQueue: config.temporal.temporalTaskQueue,
  });

const reconcile = async (stack: Stack): Promise<ReconcileResult> =>
  (await start(stack)).result() as Promise<ReconcileResult>;

/** What the reconciliation says when it ends red; cases are found by the saved query, not the run. */
async function alarmOf(stack: Stack): Promise<string> {
  const handle = await start(stack);
  const error = await handle.result().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(WorkflowFailedError);
  expect(await callsPerson(handle)).toBe(false);
  return ((error as WorkflowFailedError).cause as ApplicationFailure).message;
}

const suspense = async ({ database }: Stack): Promise<number> => {
  const { rows } = await sql<{ sum: string }>`
    select coalesce(sum(case when debit_account_id = account.id then amount else -amount end), 0)
      as sum
    from ledger_accounts as account
    join ledger_transfers on account.id in (debit_account_id, credit_account_id)
    where account.kind = 'suspense'`.execute(database);
  return Number(rows[0]?.sum);
};

/**
 * Terminates workflows, reconciles, and returns their next runs. A request that still waits for a workflow may have
 * begun that run, before the reconciliation could count it. Another reconciliation leaves these runs alone.
 */
async function resumedAfter(stack: Stack, workflows: readonly WorkflowHandle[], history?: string) {
  const newest = () => Promise.all(workflows.map((workflow) => workflow.describe()));
  const before = await newest();
  await Promise.all(workflows.map((workflow) => workflow.terminate('by hand')));
  await ended(stack, (await start(stack)).workflowId, history);
  const next = await newest();
  for (const [index, { runId }] of before.entries()) expect(next[index]?.runId).not.toBe(runId);
  expect(await reconcile(stack)).toMatchObject({ resumedPayments: 0, resumedTopups: 0 });
  expect((await newest()).map(({ runId }) => runId)).toEqual(next.map(({ runId }) => runId));
  return next;
}

describe('what was terminated while nobody knew how it would end is taken up again', () => {
  const endings = [
    { attempt: 1, ending: 'completed', status: 'SUCCESS', returned: 0 },
    { attempt: 1, ending: 'failed', status: 'FAILED', returned: 50 },
    { attempt: 2, ending: 'completed', status: 'SUCCESS', returned: 0 },
  ] as const;

  /** A top-up whose outcome is open, in its first attempt or in its second one. */
  async function openTopupIn(attempt: 1 | 2) {
    const msisdn = topups.number('014');
    const headers = newKey();
    const id = attempt === 1 ? idOf(await topups.topup(msisdn)) : await topups.failedTopup();
    if (attempt === 2) await topups.retry(id, msisdn, headers);
    await topups.untilStatus(id, 'UNKNOWN');
    return { id, msisdn, headers, workflow: await topups.workflowOf(id) };
  }

  it('top-ups: they are sent and charged once', async () => {
    const { stack } = topups;
    const before = await topups.wallet();
    const opened = await Promise.all(
      endings.map(async (one) => ({ ...one, ...(await openTopupIn(one.attempt)) })),
    );
    expect(await topups.wallet()).toBe(before - 50 * opened.length);
    const workflows = opened.map(({ workflow }) => workflow);
    const resumed = await resumedAfter(stack, workflows, 'reconcile');
    expect(resumed.map(({ searchAttributes }) => searchAttributes)).toMatchObject(
      opened.map(({ msisdn }) => ({
        Operation: ['top-up'],
        NumberHash: [stack.digests.numberHash(msisdn)],
      })),
    );
    for (const { id, msisdn, headers, workflow, attempt, ending, status, returned } of opened) {
      const wallet = await topups.wallet();
      await topups.settle(id, ending);
      await nudge(workflow);
      await topups.untilStatus(id, status);
      expect(await topups.wallet()).toBe(wallet + returned);
      expect((await topups.show(id)).attempts).toHaveLength(attempt);
      expect(await topups.delivered(msisdn)).toMatchObject([{ status: ending }]);
      if (status === 'FAILED') continue;
      const history = attempt === 1 ? 'top-up-taken-over' : undefined;
      expect(await ended(stack, workflow.workflowId, history)).toMatchObject({
        ended: 'delivered',
      });
      if (attempt === 2)
        expect((await topups.retry(id, msisdn, headers)).body.data.status).toBe('SUCCESS');
    }
    expect(await reconcile(stack)).toMatchObject({ resumedTopups: 0 });
  });

  it('payments: they are paid exactly once, and the requests give their answers', async () => {
    const opened = await Promise.all(
      [newOwner(), null].map(async (owner) => {
        const { merchant, client } = await gifts.payee('merchant', { payoutSuffix: '014' });
        const gift = await gifts.gift({ merchant, owner });
        const { voucherCode } = gift;
        const verificationCode = owner === null ? undefined : await gifts.claimed(client, gift);
        const body = { voucherCode, verificationCode, idempotencyKey: randomUUID() };
        expect((await client.post(REDEEM, body)).body.statusCode).toBe(4092);
        await gifts.untilPaidTo(merchant);
        return { merchant, client, gift, body, workflow: await redemptionWorkflow(gift.id) };
      }),
    );
    const workflows = opened.map(({ workflow }) => workflow);
    await resumedAfter(gifts.stack, workflows);
    for (const { merchant, client, gift, body, workflow } of opened) {
      await gifts.settlePayout(merchant, 'completed');
      await nudge(workflow);
      await gifts.untilStatus(gift, 'REDEEMED');
      expect((await client.post(REDEEM, body)).body.statusCode).toBe(200);
      expect(gifts.amountsPaidTo(merchant)).toEqual(['97.50 completed']);
    }
    expect(await reconcile(gifts.stack)).toMatchObject({ resumedPayments: 0 });
  });

  async function redemptionWorkflow(voucherId: number) {
    const { database, temporal } = gifts.stack;
    const row = await database
      .selectFrom('vouchers')
      .leftJoin('voucher_claims', 'voucher_claims.id', 'vouchers.current_claim_id')
      .select(['vouchers.operation_id', 'voucher_claims.workflow_id as claim'])
      .where('vouchers.id', '=', voucherId)
      .executeTakeFirstOrThrow();
    const id = row.claim ?? `redeem-voucher:unclaimed-${row.operation_id}`;
    return temporal.client.workflow.getHandle(id);
  }
});

describe('what a provider did although it had refused it', () => {
  it('is booked against suspense once, and raises an alarm: a top-up, by its callback', async () => {
    const { stack } = topups;
    const msisdn = topups.number('002');
    const id = idOf(await topups.topup(msisdn));
    await topups.untilStatus(id, 'FAILED');
    const { ourReference } = (await topups.show(id)).attempts[0];
    const [before, wallet] = [await suspense(stack), await topups.wallet()];
    const taken = stack.sandbox.books.findTopup({ reference: ourReference });
    if (!taken) throw new Error('The provider did not take it');
    stack.sandbox.books.settle(taken, 'completed');
    const callback = { body: { external_id: ourReference } };
    expect((await call(`${stack.url}/callbacks/airtime`, callback)).status).toBe(200);

    const alarm = await alarmOf(stack);
    expect(alarm).toContain('A provider did an order after all, ETB 50.00, at dt-one');
    expect(await suspense(stack)).toBe(before + 50);
    expect(await topups.wallet()).toBe(wallet);
    // It was delivered, so nobody may send it again.
    expect((await topups.retry(id, msisdn, newKey())).status).toBe(409);
    // It is asked once more, says the same, and nothing is booked twice.
    await call(`${stack.url}/callbacks/airtime`, callback);
    expect(await reconcile(stack)).toMatchObject({ rechecked: 1 });
    expect(await suspense(stack)).toBe(before + 50);

    stack.sandbox.books.settle(taken, 'reversed');
    await settleCase(stack, ourReference, 'provider');
    expect(await suspense(stack)).toBe(before);
    // It is told again, which changes nothing any more; and who wants it may try again.
    await call(`${stack.url}/callbacks/airtime`, callback);
    expect(await reconcile(stack)).toMatchObject({ rechecked: 1 });
    expect(await reconcile(stack)).toMatchObject({ rechecked: 0 });
    expect(await suspense(stack)).toBe(before);
    expect(await topups.wallet()).toBe(wallet);
    const again = newKey();
    expect((await repeated(() => topups.retry(id, msisdn, again))).status).toBe(424);
    expect(await findBrokenInvariants(stack.database)).toEqual([]);
  });

  it('is booked against suspense once, and raises an alarm: a payment, when it is due', async () => {
    const { stack } = gifts;
    const { merchant, client } = await gifts.payee('merchant', { payoutSuffix: '004' });
    const gift = await gifts.gift({ merchant });
    const verificationCode = await gifts.claimed(client, gift);
    const { voucherCode } = gift;
    expect((await settled(client, REDEEM, { voucherCode, verificationCode })).status).toBe(503);
    const [payout] = gifts.payoutsTo(merchant);
    const taken = stack.sandbox.books.findPayout('reference', payout?.reference ?? '');
    if (!taken) throw new Error('The provider did not take it');
    await askNow(stack.database, taken.reference);
    expect(await reconcile(stack)).toMatchObject({ rechecked: 1 });
    const before = await suspense(stack);
    stack.sandbox.books.settle(taken, 'completed');
    await askNow(stack.database, taken.reference);

    expect(await alarmOf(stack)).toContain('ETB 97.50');
    expect(await suspense(stack)).toBe(before + 97.5);
    expect(await gifts.voucher(gift)).toMatchObject({ status: 'ACTIVE', remaining: '100.000000' });
    expect(await reconcile(stack)).toMatchObject({ rechecked: 0 });
  });

  it('leaves a top-up to its attempt on hold, whether the first attempt was delivered late or not', async () => {
    const { stack } = topups;
    const openRetry = async () => {
      const id = await topups.failedTopup();
      const { ourReference } = (await topups.show(id)).attempts[0];
      await topups.retry(id, topups.number('014'), newKey());
      await topups.untilStatus(id, 'UNKNOWN');
      return { id, ourReference, workflow: await topups.workflowOf(id) };
    };
    const [refused, late] = await Promise.all([openRetry(), openRetry()]);
    const taken = stack.sandbox.books.findTopup({ reference: late.ourReference });
    if (!taken) throw new Error('The provider did not take it');
    stack.sandbox.books.settle(taken, 'completed');
    await askAll(stack.database);
    const alarm = await alarmOf(stack);
    expect(alarm).toContain('A provider did an order after all');
    expect(alarm).toContain(late.ourReference);
    expect(alarm).not.toContain(refused.ourReference);
    for (const [{ id, workflow }, end] of [
      [refused, 'FAILED'],
      [late, 'SUCCESS'],
    ] as const) {
      expect((await topups.show(id)).status).toBe('UNKNOWN');
      expect(await findBrokenInvariants(stack.database)).toEqual([]);
      await topups.settle(id, 'failed');
      await nudge(workflow);
      await topups.untilStatus(id, end);
    }
    await settleCase(stack, late.ourReference, 'partner');
    expect(await findBrokenInvariants(stack.database)).toEqual([]);
  });

  it('is asked about 10 minutes and 24 hours after it was given back, and then no more', async () => {
    const { database } = topups.stack;
    const id = await topups.failedTopup();
    const rest = async () => {
      const { rows } = await sql<{ hours: number | null }>`
        select extract(epoch from ask_at - settled_at)::float8 / 3600 as hours
        from topup_attempts join placements using (operation_id)
        where topup_id = ${id}`.execute(database);
      return rows[0]?.hours ?? null;
    };
    const restAfter = async (age: string) => {
      await sql`update topup_attempts set settled_at = now() - ${age}::interval
        where topup_id = ${id}`.execute(database);
      await askAll(database);
      await reconcile(topups.stack);
      return rest();
    };
    expect(await rest()).toBeCloseTo(1 / 6, 3);
    expect(await restAfter('10 minutes')).toBeCloseTo(24, 3);
    expect(await restAfter('24 hours')).toBeNull();
  });
});

it('is started by a Schedule', async () => {
  const { temporal, config } = topups.stack;
  const schedule = temporal.client.schedule.getHandle(
    reconcileId(config.temporal.temporalTaskQueue),
  );
  await schedule.trigger();
  await until(async () => expect((await schedule.describe()).info.numActionsTaken).toBe(1));
});
