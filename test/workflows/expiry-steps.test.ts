import { randomUUID } from 'node:crypto';
import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Activities } from '../../activities/index.ts';
import type { TemporalConnection } from '../../src/runtime/temporal/connection.ts';
import { connectTestTemporal, startStepWorker } from '../support/workflow-worker.ts';

const NAMES = [
  'endDueClaims',
  'endDueVouchers',
  'endDueTopups',
  'queueReminders',
  'queueReports',
  'endDueInvitations',
  'resumeBulkOrders',
  'pruneRows',
] as const satisfies readonly (keyof Activities)[];
type Name = (typeof NAMES)[number];
type Steps = Pick<Activities, Name | 'openExpiryCases'>;

let temporal: TemporalConnection;
let worker: Awaited<ReturnType<typeof startStepWorker<Steps>>>;

beforeAll(async () => {
  temporal = await connectTestTemporal();
  const names = [...NAMES, 'openExpiryCases'] as const;
  worker = await startStepWorker<Steps>(temporal, names);
});
afterAll(async () => {
  await worker?.stop();
  await temporal?.connection.close();
});

/** Runs the expiry run on steps that note that they are done, but for those that are changed. */
async function runOn(changed: Partial<Steps>) {
  const done: Name[] = [];
  const noting = NAMES.map((name) => [
    name,
    async () => {
      done.push(name);
      return { count: 1, isDone: true, stuck: [] };
    },
  ]);
  worker.set({ ...Object.fromEntries(noting), ...changed });
  const { taskQueue } = worker;
  const result = await temporal.client.workflow
    .execute('expireVouchers', { workflowId: `expiry-${randomUUID()}`, taskQueue })
    .catch((error: unknown) => (error as { cause: unknown }).cause);
  return { result, done };
}

const breaks = async (): Promise<never> => {
  throw ApplicationFailure.nonRetryable('broken for good');
};

const stuck = (partnerId: number) => ({
  partnerId,
  companyName: 'Short',
  vouchers: 1,
  amount: '1',
  reserved: '0',
  dueUntil: '2026-11-22 00:00:00+00',
  reason: 'reserve-too-small' as const,
});

describe('an expiry run', () => {
  it('does the other steps where one fails, and is red', async () => {
    const { result, done } = await runOn({ endDueClaims: breaks });
    expect(result).toBeInstanceOf(ActivityFailure);
    expect(done).toEqual(NAMES.filter((name) => name !== 'endDueClaims'));
  });

  it('tries every step, and names every failure, where all of them fail', async () => {
    const failing = NAMES.map((name) => [
      name,
      async () => {
        throw ApplicationFailure.nonRetryable(`no right to ${name}`);
      },
    ]);
    const { result } = await runOn(Object.fromEntries(failing));
    expect(result).toMatchObject({
      type: 'StepsFailed',
      message: ['8 steps failed', ...NAMES.map((name) => `${name}: no right to ${name}`)].join(
        '\n',
      ),
    });
  });

  it('asks for a step again while there is more to do', async () => {
    let rounds = 0;
    const { result } = await runOn({
      async pruneRows() {
        rounds += 1;
        return { count: 5, isDone: rounds === 3 };
      },
    });
    expect(result).toMatchObject({ prunedOperations: 15 });
  });

  it('leaves a step that is never done to the next expiry run', async () => {
    const { result, done } = await runOn({
      endDueClaims: async () => ({ count: 1, isDone: false }),
    });
    expect(result).toMatchObject({ expiredClaims: 20 });
    expect(done).toEqual(NAMES.filter((name) => name !== 'endDueClaims'));
  });

  it('leaves out in the next round who was found stuck before, and opens a case for each', async () => {
    const asked: (readonly number[])[] = [];
    const opened: unknown[] = [];
    const { result } = await runOn({
      async endDueVouchers(before) {
        asked.push(before);
        return { count: 0, isDone: asked.length === 2, stuck: [stuck(asked.length)] };
      },
      async openExpiryCases(cases) {
        opened.push(cases);
        return cases.length;
      },
    });
    expect(asked).toEqual([[], [1]]);
    const { dueUntil } = stuck(1);
    expect(opened).toEqual([
      [1, 2].map((partnerId) => ({ kind: 'due-vouchers', partnerId, dueUntil })),
    ]);
    expect(result).toMatchObject({ stuckPartners: 2 });
  });

  it('tries a partner again in the next round of which only single vouchers were refused', async () => {
    const asked: (readonly number[])[] = [];
    const { result } = await runOn({
      async endDueVouchers(before) {
        asked.push(before);
        const refused = { ...stuck(1), reason: 'refused-by-database' as const };
        return { count: 0, isDone: asked.length === 2, stuck: [refused] };
      },
      openExpiryCases: async ({ length }) => length,
    });
    expect(asked).toEqual([[], []]);
    expect(result, 'it is one partner').toMatchObject({ stuckPartners: 1 });
  });

  it('opens one case for each kind of refused rows, whatever rounds found them', async () => {
    let rounds = 0;
    const opened: unknown[] = [];
    const { result } = await runOn({
      async endDueClaims() {
        rounds += 1;
        const ids = rounds === 1 ? ['a', 'b'] : ['b', 'c'];
        return { count: 0, isDone: rounds === 2, refused: [{ rows: 'claim', ids }] };
      },
      queueReminders: async () => ({
        count: 1,
        isDone: true,
        refused: [{ rows: 'reminder', ids: ['7'] }],
      }),
      async openExpiryCases(cases) {
        opened.push(cases);
        return cases.length;
      },
    });
    expect(opened).toEqual([
      [
        { kind: 'refused-rows', rows: 'claim', ids: ['a', 'b', 'c'] },
        { kind: 'refused-rows', rows: 'reminder', ids: ['7'] },
      ],
    ]);
    expect(result).toMatchObject({ refusedRows: 4 });
  });

  it('is red where a case cannot be opened', async () => {
    const { result, done } = await runOn({
      endDueVouchers: async () => ({ count: 0, isDone: true, stuck: [stuck(1)] }),
      openExpiryCases: breaks,
    });
    expect(result).toBeInstanceOf(ActivityFailure);
    expect(done).toEqual(NAMES.filter((name) => name !== 'endDueVouchers'));
  });
});
