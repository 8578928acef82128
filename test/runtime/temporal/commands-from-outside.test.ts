import { randomBytes, randomUUID } from 'node:crypto';
import {
  Client,
  Connection,
  WithStartWorkflowOperation,
  type WorkflowHandle,
} from '@temporalio/client';
import { defineUpdate } from '@temporalio/workflow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDataConverter } from '../../../src/runtime/temporal/connection.ts';
import { workflowTiming } from '../../../src/runtime/temporal/workflow-timing.ts';
import { topupId } from '../../../workflows/workflow-ids.ts';
import { setTopupScene, type TopupScene } from '../../end-to-end/topups/topup-scene.ts';
import { partnerClient } from '../../support/clients.ts';
import { makeMerchant, type TestMerchant } from '../../support/companies.ts';
import type { Stack } from '../../support/stack.ts';
import { recordedTopup } from '../../support/topups.ts';

/**
 * Whoever reaches Temporal's port, with a client of its own and without the keys of the service,
 * moves no money and stops none that moves.
 */
let scene: TopupScene;
let stack: Stack;
let merchant: TestMerchant;
let connection: Connection;
/** Its payloads are plain JSON. */
let outsider: Client;
/** Its payloads are encrypted with a key that is not the service's. */
let stranger: Client;

beforeAll(async () => {
  scene = await setTopupScene();
  ({ stack } = scene);
  merchant = await makeMerchant(stack);
  connection = await Connection.connect({ address: stack.config.temporal.temporalAddress });
  outsider = new Client({ connection });
  const key = { id: 'k1', key: randomBytes(32) };
  stranger = new Client({ connection, dataConverter: createDataConverter([key]) });
});
afterAll(async () => {
  await connection?.close();
  await stack?.stop();
});

/** As the API makes it; the key's number and the token's version can be guessed. */
const requestOf = (company: { kind: 'partner' | 'merchant'; id: number }) => ({
  operationId: randomBytes(16).toString('hex'),
  requestId: randomUUID(),
  requestDigest: 'guessed',
  company: { ...company, credential: { apiKeyId: 1, tokenVersion: 1 } },
});

const generation = () => ({
  ...requestOf({ kind: 'partner', id: scene.partner.id }),
  denominationId: scene.partner.denominations[100],
  merchant: { id: merchant.id },
  ownerMsisdn: '+251911000050',
  isRestricted: false,
  sale: {
    exchangeRate: null,
    currency: null,
    originatingCountry: null,
    foreignCurrencyAmount: null,
  },
});

const start = (client: Client, type: string, input: unknown[], workflowId = randomUUID()) =>
  client.workflow.start(type, {
    taskQueue: stack.config.temporal.temporalTaskQueue,
    workflowId,
    args: input,
  });

const update = (handle: WorkflowHandle, name: string, args: unknown[]) =>
  handle.executeUpdate(defineUpdate<unknown, [unknown]>(name), { args: args as [unknown] });

const refused = expect.objectContaining({
  cause: expect.objectContaining({ type: 'CommandFromOutside', nonRetryable: true }),
});

const endOf = async (workflowId: string): Promise<unknown> =>
  stack.temporal.client.workflow
    .getHandle(workflowId)
    .result()
    .catch((error: unknown) => error);

async function moved() {
  const { database } = stack;
  const count = (table: 'vouchers' | 'redemptions' | 'topup_attempts') =>
    database
      .selectFrom(table)
      .select((row) => row.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
  return {
    balances: await database
      .selectFrom('ledger_accounts')
      .select(['id', 'balance'])
      .orderBy('id')
      .execute(),
    vouchers: await count('vouchers'),
    redemptions: await count('redemptions'),
    attempts: await count('topup_attempts'),
  };
}

async function anonymousVoucher(): Promise<number> {
  const asPartner = await partnerClient(stack, scene.partner);
  const answer = await asPartner.post('/topup-transactions/generate-voucher', {
    denominationId: scene.partner.denominations[100],
    merchantId: merchant.id,
    msisdn: null,
    isRestricted: false,
  });
  expect(answer.status).toBe(200);
  return Number(answer.body.data.voucher.id);
}

async function numberedTopup(): Promise<{
  id: number;
  operationId: string;
  requestDigest: string;
}> {
  const operationId = randomBytes(16).toString('hex');
  const requestDigest = 'guessed';
  const topup = { partnerId: scene.partner.id, amount: '50', msisdn: scene.number('000') };
  const id = await recordedTopup(stack.api.services, { operationId, requestDigest }, topup);
  return { id, operationId, requestDigest };
}

describe('a start in clear', () => {
  it('of generateVoucher makes no voucher', async () => {
    const before = await moved();
    const { workflowId } = await start(outsider, 'generateVoucher', [generation()]);
    expect(await endOf(workflowId)).toEqual(refused);
    expect(await moved()).toEqual(before);
  });

  it('of redeemVoucher pays nobody', async () => {
    const voucherId = await anonymousVoucher();
    const before = await moved();
    const redeem = {
      ...requestOf({ kind: 'merchant', id: merchant.id }),
      voucherId,
      hasKey: true,
      merchantId: null,
      amount: null,
      verificationCodeDigest: null,
      msisdn: null,
    };
    const input = { begin: { kind: 'redeem', redeem }, timing: workflowTiming(stack.config) };
    const { workflowId } = await start(outsider, 'redeemVoucher', [input]);
    expect(await endOf(workflowId)).toEqual(refused);
    expect(await moved()).toEqual(before);
  });

  it('of topup sends nothing', async () => {
    const { id, operationId, requestDigest } = await numberedTopup();
    const before = await moved();
    const request = requestOf({ kind: 'partner', id: scene.partner.id });
    const command = { ...request, operationId, requestDigest, transactionId: id };
    const input = { begin: { kind: 'create', command }, timing: workflowTiming(stack.config) };
    const { workflowId } = await start(outsider, 'topup', [input]);
    expect(await endOf(workflowId)).toEqual(refused);
    expect(await moved()).toEqual(before);
  });
});

it.each([
  'generateVoucher',
  'cancelVoucher',
  'generateBulk',
  'resendMessage',
  'redeemVoucher',
  'reverseRedemption',
  'repair',
  'topup',
])('a start of %s without data ends at once', async (type) => {
  const { workflowId } = await start(outsider, type, []);
  expect(await endOf(workflowId)).toEqual(refused);
});

describe('a top-up whose money is on hold', () => {
  async function held() {
    const id = await scene.openTopup();
    const workflowId = await scene.workflowIdOf(id);
    return { id, workflowId };
  }

  async function finishes(id: number, workflowId: string): Promise<void> {
    await stack.temporal.client.workflow.getHandle(workflowId).signal('providerNudge');
    await scene.settle(id, 'completed');
    expect(await endOf(workflowId)).toEqual({ ended: 'delivered', attempts: 1 });
    expect((await scene.show(id)).status).toBe('SUCCESS');
  }

  async function failedTasks(workflowId: string): Promise<number> {
    const handle = stack.temporal.client.workflow.getHandle(workflowId);
    const { events } = await handle.fetchHistory();
    return (events ?? []).filter((event) => event.workflowTaskFailedEventAttributes).length;
  }

  /** Those that are in the history. */
  const acceptedUpdates = async (id: number): Promise<number> =>
    (await scene.eventsOf(id)).filter(
      (event) => event.workflowExecutionUpdateAcceptedEventAttributes,
    ).length;

  it('drops signals with data of another key and goes on', async () => {
    const { id, workflowId } = await held();
    const before = await moved();
    const handle = stranger.workflow.getHandle(workflowId);
    for (const signal of ['retry', 'providerNudge', 'superseded', 'anything'])
      await handle.signal(signal, { data: 'from outside' });
    // Later than the signals, which come in their order.
    await stack.temporal.client.workflow.getHandle(workflowId).signal('providerNudge');
    await expect.poll(async () => (await scene.eventsOf(id)).length).toBeGreaterThan(20);
    expect(await moved()).toEqual(before);
    await finishes(id, workflowId);
    expect(await failedTasks(workflowId)).toBe(0);
  });

  it('is not stopped by what cannot even be read', async () => {
    const { id, workflowId } = await held();
    const { workflowService } = connection;
    const encodings = ['json/plain', 'binary/encrypted', 'json/protobuf', 'no/such'];
    for (const encoding of encodings)
      await workflowService.signalWorkflowExecution({
        namespace: 'default',
        workflowExecution: { workflowId },
        signalName: 'providerNudge',
        input: {
          payloads: [{ metadata: { encoding: Buffer.from(encoding) }, data: Buffer.from('{') }],
        },
      });
    await finishes(id, workflowId);
    expect(await failedTasks(workflowId)).toBe(0);
  });

  it('rejects updates in clear and goes on', async () => {
    const { id, workflowId } = await held();
    const accepted = await acceptedUpdates(id);
    const handle = outsider.workflow.getHandle(workflowId);
    const retry = {
      ...requestOf({ kind: 'partner', id: scene.partner.id }),
      transactionId: id,
      attempt: 2,
      msisdn: null,
    };
    const updates: [string, unknown[]][] = [
      ['retryTopup', [retry]],
      ['topupResult', [{}]],
    ];
    for (const [name, args] of updates) await expect(update(handle, name, args)).rejects.toThrow();
    expect(await acceptedUpdates(id)).toBe(accepted);
    await finishes(id, workflowId);
    expect(await failedTasks(workflowId)).toBe(0);
  });

  it('rejects updates without data, and of another top-up', async () => {
    const { id, workflowId } = await held();
    const accepted = await acceptedUpdates(id);
    const handle = stack.temporal.client.workflow.getHandle(workflowId);
    const retry = {
      ...requestOf({ kind: 'partner', id: scene.partner.id }),
      transactionId: id + 1,
      attempt: 2,
      msisdn: null,
    };
    await expect(
      update(outsider.workflow.getHandle(workflowId), 'retryTopup', []),
    ).rejects.toThrow();
    await expect(update(handle, 'retryTopup', [retry])).rejects.toThrow();
    expect(await acceptedUpdates(id)).toBe(accepted);
    await finishes(id, workflowId);
    expect(await failedTasks(workflowId)).toBe(0);
  });
});

it('an update that starts its workflow in clear starts nothing', async () => {
  const { id, operationId, requestDigest } = await numberedTopup();
  const before = await moved();
  const request = requestOf({ kind: 'partner', id: scene.partner.id });
  const command = { ...request, operationId, requestDigest, transactionId: id };
  await expect(
    outsider.workflow.executeUpdateWithStart('topupResult', {
      startWorkflowOperation: new WithStartWorkflowOperation('topup', {
        workflowId: topupId(id, operationId),
        taskQueue: stack.config.temporal.temporalTaskQueue,
        workflowIdConflictPolicy: 'USE_EXISTING',
        args: [{ begin: { kind: 'create', command }, timing: workflowTiming(stack.config) }],
      }),
    }),
  ).rejects.toThrow();
  expect(await endOf(topupId(id, operationId))).toEqual(refused);
  expect(await moved()).toEqual(before);
});
