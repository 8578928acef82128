import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Config } from '../../../src/config/config.ts';
import type { Ending } from '../../../src/domain/providers.ts';
import type { TemporalConnection } from '../../../src/runtime/temporal/connection.ts';
import { workflowTiming } from '../../../src/runtime/temporal/workflow-timing.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { withWorkflowWorker } from '../../support/workflow-worker.ts';
import { callsPerson } from '../../workflows/called-person.ts';

/**
 * Results that are encrypted by the service, but belong to another operation or to another call of the
 * same one: copied by whoever reaches Temporal. They must not end anything.
 */
let stack: Stack;
let config: Config;
let temporal: TemporalConnection;

beforeAll(async () => {
  stack = await startStack();
  ({ config, temporal } = stack);
});
afterAll(() => stack?.stop());

const OPERATION = 'a'.repeat(32);
const request = {
  operationId: OPERATION,
  requestId: randomUUID(),
  requestDigest: 'digest',
  company: { kind: 'partner', id: 1 },
};
const delivered = { kind: 'delivered', providerReference: 'COPIED' };
const outcome = (result: unknown) => ({ requestId: '', requestDigest: '', result });

/** Steps of a top-up whose provider answers are changed; which of its ends it came to. */
async function topupOn(changed: Record<string, (...given: never[]) => Promise<unknown>>) {
  const ends: string[] = [];
  const activities = {
    holdTopup: async ({ operationId }: { operationId: string }) => ({
      kind: 'held',
      operationId,
      isResumed: false,
      attempt: 1,
      msisdn: '',
      amount: '50.00',
      product: 'Airtime',
      reference: 'R',
    }),
    sendTopup: async (operationId: string, call: number) => ({
      kind: 'unknown',
      message: 'no answer',
      of: { operationId, call },
    }),
    inquireTopup: async (operationId: string, call: number) => ({
      kind: 'refused',
      code: '1',
      message: 'refused',
      retryCanHelp: false,
      of: { operationId, call },
    }),
    markTopupUnknown: async () => undefined,
    endTopup: async (_operationId: string, { kind }: Ending) => {
      ends.push(kind);
      return kind === 'done'
        ? outcome({ ok: true, transactionId: 1, referenceNumber: '' })
        : outcome({ ok: false, reason: 'topup-failed' });
    },
    ...changed,
  };
  return withWorkflowWorker(temporal, activities, async (taskQueue) => {
    const handle = await temporal.client.workflow.start('topup', {
      workflowId: randomUUID(),
      taskQueue,
      args: [
        {
          begin: { kind: 'create', command: { ...request, transactionId: 1 } },
          timing: { ...workflowTiming(config), inquiryIntervalMs: 50, retryWindowMs: 100 },
        },
      ],
    });
    const result: unknown = await handle.result().catch((error: unknown) => error);
    return { result, ends, needsAction: await callsPerson(handle) };
  });
}

it.each([
  ['another operation', () => ({ operationId: 'b'.repeat(32), call: 1 })],
  ['another call', () => ({ operationId: OPERATION, call: 7 })],
  ['nothing', () => undefined],
])('a delivery of %s is not known', async (_name, of) => {
  const copied = async () => ({ ...delivered, of: of() });
  const { result, ends } = await topupOn({ sendTopup: copied });
  expect(ends).toEqual(['not-done']);
  expect(result).toMatchObject({ ended: 'failed' });
});

it('a refusal that was copied is not known, nor is what is no result at all', async () => {
  let inquiries = 0;
  const { ends } = await topupOn({
    sendTopup: async () => ({ kind: 'refused', message: 'copied' }),
    inquireTopup: async (...[operationId, call]: [string, number]) => {
      inquiries += 1;
      if (inquiries === 1) return 'an operation';
      if (inquiries === 2) return { kind: 'refused', message: 'copied', of: { operationId: 'b' } };
      return { ...delivered, of: { operationId, call } };
    },
  });
  expect(inquiries).toBe(3);
  expect(ends).toEqual(['done']);
});

it('nothing is sent on a hold of another operation, and a person is told', async () => {
  let sendings = 0;
  const { result, needsAction } = await topupOn({
    holdTopup: async () => ({ kind: 'held', operationId: 'b'.repeat(32), attempt: 1 }),
    sendTopup: async () => {
      sendings += 1;
      return delivered;
    },
  });
  expect(sendings).toBe(0);
  expect(result).toMatchObject({ cause: { type: 'NeedsAction' } });
  expect(needsAction).toBe(true);
});
