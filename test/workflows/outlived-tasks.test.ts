import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Activities } from '../../activities/index.ts';
import type { TemporalConnection } from '../../src/runtime/temporal/connection.ts';
import type { RedeemVoucherInput } from '../../workflows/contracts.ts';
import { until } from '../support/until.ts';
import { connectTestTemporal, startStepWorker } from '../support/workflow-worker.ts';
import { callsPerson } from './called-person.ts';
import { detailsOf } from './details-of.ts';

const NAMES = [
  'holdRedemption',
  'payMerchant',
  'endRedemption',
  'noteUnbookedPayment',
] as const satisfies readonly (keyof Activities)[];

let temporal: TemporalConnection;
let worker: Awaited<ReturnType<typeof startStepWorker>>;

beforeAll(async () => {
  temporal = await connectTestTemporal();
  worker = await startStepWorker(temporal, NAMES);
});
afterAll(async () => {
  await worker?.stop();
  await temporal?.connection.close();
});

/**
 * A step that outlives its workflow task, right after a task without commands: a replay gives the steps of both
 * another time than their first run.
 */
it('calls the same person in a replay, whatever time its steps have there', async () => {
  const operationId = randomUUID();
  let isPaying = false;
  let isPaid = false;
  let isMended = false;
  worker.set({
    holdRedemption: async () => ({
      kind: 'held',
      operationId,
      isResumed: false,
      messageId: null,
      platformReference: 'P1',
      paymentReference: 'R1',
      merchantName: 'Cafe',
      payoutAccount: '+251*****00',
      serialNumber: 'S1',
      provider: 'gsma',
      toMerchant: '40.00',
      serviceFee: '0.00',
    }),
    async payMerchant(_operationId: string, call: number) {
      isPaying = true;
      await until(() => expect(isPaid).toBe(true));
      return { kind: 'delivered', providerReference: 'G1', of: { operationId, call } };
    },
    async endRedemption() {
      if (!isMended) await sleep(1_000);
      if (!isMended) throw new Error('broken by a test');
      return { requestId: 'r', result: { ok: true } };
    },
    noteUnbookedPayment: async () => undefined,
  });
  const { taskQueue } = worker;
  const handle = await temporal.client.workflow.start('redeemVoucher', {
    workflowId: `redeem-${operationId}`,
    taskQueue,
    workflowTaskTimeout: '5s',
    args: [inputOf(operationId)],
  });
  await until(() => expect(isPaying).toBe(true));
  const before = await completedTasks(handle);
  await handle.signal('providerNudge');
  await until(async () => expect(await completedTasks(handle)).toBeGreaterThan(before));
  isPaid = true;
  await until(async () => expect(await callsPerson(handle)).toBe(true));
  isMended = true;
  expect(await handle.result()).toEqual({ ended: 'redeemed' });
  // An ended workflow is replayed for its page.
  expect(await detailsOf(handle)).toContain('**Paid**');
});

const inputOf = (operationId: string): RedeemVoucherInput => ({
  begin: {
    kind: 'redeem',
    redeem: {
      operationId,
      requestId: 'r',
      requestDigest: 'd',
      company: { kind: 'partner', id: 1 },
      voucherId: 1,
      hasKey: true,
      merchantId: null,
      amount: null,
      verificationCodeDigest: null,
      msisdn: null,
    },
  },
  timing: {
    claimLifetimeMs: 60_000,
    messageWaitMs: 1_000,
    sendingStepMs: 1_000,
    inquiryIntervalMs: 1_000,
    alarmAfterMs: 2_000,
    maximumNudges: 5,
  },
});

async function completedTasks(
  handle: Awaited<ReturnType<TemporalConnection['client']['workflow']['start']>>,
): Promise<number> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes).length;
}
