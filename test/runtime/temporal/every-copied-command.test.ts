import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import {
  defaultPayloadConverter,
  type Payload,
  type SerializationContext,
} from '@temporalio/common';
import { msToTs } from '@temporalio/common/lib/time.js';
import proto from '@temporalio/proto';
import { Runtime } from '@temporalio/worker';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { readPayloadKeys } from '../../../src/config/config.ts';
import type { TemporalConnection } from '../../../src/runtime/temporal/connection.ts';
import { createPayloadCodec } from '../../../src/runtime/temporal/payload-codec.ts';
import { type Address, addressed } from '../../../workflows/addressed-input.ts';
import * as workflows from '../../../workflows/index.ts';
import { connectTestTemporal, withWorkflowWorker } from '../../support/workflow-worker.ts';
import { TEST_PAYLOAD_KEYS } from '../../workflows/payload-keys.ts';

/**
 * Every start, update and signal of the service, with the valid data of others. The service encrypted all of it;
 * whoever reaches Temporal's port copied it. Workflows and messages are those that the workflows themselves have,
 * so that a new one is tried, too. The comparison is one of equality, so that each target needs few of the others.
 */
const types = Object.keys(workflows);
const codec = createPayloadCodec(readPayloadKeys(TEST_PAYLOAD_KEYS));

let temporal: TemporalConnection;
beforeAll(async () => {
  temporal = await connectTestTemporal();
});
afterAll(() => temporal?.connection.close());

/** Data that all workflows and messages can read. */
function commandOf(operationId: string) {
  const request = {
    operationId,
    requestId: randomUUID(),
    requestDigest: 'digest',
    company: { kind: 'partner', id: 1, credential: { apiKeyId: 1, tokenVersion: 1 } },
    voucherId: 1,
    transactionId: 1,
    redemptionId: 1,
    denominationId: 1,
    merchantId: 1,
    hasKey: true,
    attempt: 2,
    amount: null,
    msisdn: null,
    reason: null,
  };
  const timing = { maximumNudges: 1, claimLifetimeMs: 60_000, messageWaitMs: 1_000 };
  return {
    ...request,
    begin: { kind: 'redeem', redeem: request, claim: request, command: request },
    timing: { ...timing, sendingStepMs: 500, inquiryIntervalMs: 60_000, alarmAfterMs: 60_000 },
    command: request,
    name: { kind: 'books' },
    bulkOrderId: 1,
    messageId: 1,
    repairId: 1,
    endpointId: 1,
    auditId: 1,
    invitationId: '1',
    intervalMs: 60_000,
    lifetimeMs: 60_000,
    isDelivered: false,
  };
}

/** As the service encrypts it for a workflow. */
async function payloadOf(to: Address, workflowId: string): Promise<Payload> {
  const context: SerializationContext = {
    type: 'workflow',
    namespace: temporal.namespace,
    workflowId,
  };
  const plain = addressed(to, [commandOf('copied')]).map((argument) =>
    defaultPayloadConverter.toPayload(argument),
  );
  const [payload] = await codec.encode(plain, context);
  if (!payload) throw new Error('Nothing was encrypted');
  return payload;
}

interface Target {
  readonly to: Address;
  readonly workflowId: string;
}

/** Another start, another update and another signal than a target, in turn. */
const othersThan = (to: Address, addresses: readonly Address[]): Address[] =>
  ['start', 'update', 'signal'].flatMap((kind) => {
    const others = addresses.filter((other) => other !== to && other.startsWith(kind));
    return others[addresses.indexOf(to) % others.length] ?? [];
  });

/** What is not for a target: the data of others, and its own for another workflow. */
const copiesFor = ({ to, workflowId }: Target, addresses: readonly Address[]) => [
  ...othersThan(to, addresses).map((other) => payloadOf(other, workflowId)),
  payloadOf(to, randomUUID()),
];

/** Starts every workflow as the service does; each is kept from its first step. The messages that they take. */
async function startAll(taskQueue: string): Promise<Target[]> {
  const running = types.map(async (type) => {
    const workflowId = `${type}-${randomUUID()}`;
    const handle = await temporal.client.workflow.start(type, {
      workflowId,
      taskQueue,
      args: [commandOf('valid')],
    });
    const { definition } = await handle.query<{ definition: Definition }>(
      '__temporal_workflow_metadata',
    );
    const { updateDefinitions = [], signalDefinitions = [] } = definition;
    return [
      ...updateDefinitions.map(({ name }) => ({ to: `update ${name}` as const, workflowId })),
      ...signalDefinitions.map(({ name }) => ({ to: `signal ${name}` as const, workflowId })),
    ];
  });
  return (await Promise.all(running)).flat();
}

interface Definition {
  readonly updateDefinitions?: readonly { readonly name: string }[];
  readonly signalDefinitions?: readonly { readonly name: string }[];
}

const refused = expect.objectContaining({
  cause: expect.objectContaining({ type: 'CommandFromOutside', nonRetryable: true }),
});

async function start(type: string, taskQueue: string, source: Address | undefined) {
  const workflowId = `copied-${type}-${randomUUID()}`;
  const to = `start ${type}` as const;
  const payload = await (source ? payloadOf(source, workflowId) : payloadOf(to, randomUUID()));
  await temporal.connection.workflowService.startWorkflowExecution({
    namespace: temporal.namespace,
    workflowId,
    workflowType: { name: type },
    taskQueue: { name: taskQueue },
    input: { payloads: [payload] },
    // One that is accepted would wait for its first step for ever.
    workflowRunTimeout: msToTs('5 minutes'),
    requestId: randomUUID(),
  });
  const ended = temporal.client.workflow.getHandle(workflowId).result();
  await expect(ended, `${source ?? 'itself elsewhere'} to ${to}`).rejects.toEqual(refused);
}

async function update({ to, workflowId }: Target, payload: Payload) {
  const { outcome } = await temporal.connection.workflowService.updateWorkflowExecution({
    namespace: temporal.namespace,
    workflowExecution: { workflowId },
    request: {
      meta: { updateId: randomUUID() },
      input: { name: nameIn(to), args: { payloads: [payload] } },
    },
    waitPolicy: {
      lifecycleStage:
        proto.temporal.api.enums.v1.UpdateWorkflowExecutionLifecycleStage
          .UPDATE_WORKFLOW_EXECUTION_LIFECYCLE_STAGE_COMPLETED,
    },
  });
  expect(outcome?.failure?.applicationFailureInfo?.type, to).toBe('CommandFromOutside');
}

const signal = ({ to, workflowId }: Target, payload: Payload) =>
  temporal.connection.workflowService.signalWorkflowExecution({
    namespace: temporal.namespace,
    workflowExecution: { workflowId },
    signalName: nameIn(to),
    input: { payloads: [payload] },
  });

const nameIn = (to: Address): string => to.slice(to.indexOf(' ') + 1);

/** The updates that are in the history of a workflow. */
async function acceptedBy(workflowId: string) {
  const { events } = await temporal.client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).filter((event) => event.workflowExecutionUpdateAcceptedEventAttributes);
}

/** What the workers log of refused commands. */
function watchLog() {
  const logged: string[] = [];
  vi.spyOn(Runtime.instance().logger, 'log').mockImplementation((level, message, meta) => {
    if (message === 'A command from outside was refused')
      logged.push(`${level} ${JSON.stringify(meta)}`);
  });
  return logged;
}

/** Some at a time: the server of the tests has others to serve. */
async function severalAtOnce(tasks: readonly (() => Promise<unknown>)[]): Promise<void> {
  const waiting = tasks.values();
  const runners = Array.from({ length: 20 }, async () => {
    for (const task of waiting) await task();
  });
  await Promise.all(runners);
}

it('moves nothing, and is logged', async () => {
  const logged = watchLog();
  const steps: string[] = [];
  const activities = {
    // The SDK calls it for every name.
    default: async (...input: unknown[]) => {
      steps.push(`${Context.current().info.activityType} ${JSON.stringify(input)}`);
      throw new Error('Nothing is done here');
    },
  };
  await withWorkflowWorker(temporal, activities, async (taskQueue) => {
    const messages = await startAll(taskQueue);
    const addresses: Address[] = [
      ...types.map((type) => `start ${type}` as const),
      ...new Set(messages.map(({ to }) => to)),
    ];
    await severalAtOnce([
      ...types.flatMap((type) =>
        [undefined, ...othersThan(`start ${type}`, addresses)].map(
          (source) => () => start(type, taskQueue, source),
        ),
      ),
      ...messages.flatMap((target) =>
        copiesFor(target, addresses).map((copy) => async () => {
          const send = target.to.startsWith('update') ? update : signal;
          await send(target, await copy);
        }),
      ),
    ]);
    const tried = (types.length + messages.length) * 4;
    expect(tried).toBeGreaterThan(120);
    await expect.poll(() => logged.length).toBe(tried);
    for (const { workflowId } of messages) expect(await acceptedBy(workflowId)).toEqual([]);
  });
  expect(logged.filter((line) => !line.startsWith('WARN') || line.includes('copied"'))).toEqual([]);
  expect(steps.some((step) => step.startsWith('cancelVoucher') && step.includes('valid'))).toBe(
    true,
  );
  expect(steps.filter((step) => step.includes('copied'))).toEqual([]);
});
