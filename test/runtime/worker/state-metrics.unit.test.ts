import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Config } from '../../../src/config/config.ts';
import type { Database } from '../../../src/db/connection.ts';
import { createMetrics } from '../../../src/runtime/metrics/metrics.ts';
import { stateMetrics } from '../../../src/runtime/worker/state-metrics.ts';
import { samplesOf, sampleValue } from '../../end-to-end/observation/samples.ts';

test('a source that was never read has the time of the start, so that an alert sees it get old', async () => {
  const metrics = createMetrics();
  const startedAt = Date.now() / 1_000;
  const readings = stateMetrics({
    settings: { observation: { metricsPort: 0, metricsReadSeconds: 60 } } as Config,
    metrics,
    database: {} as Database,
    client: { withDeadline: () => Promise.reject(new Error('away')) } as unknown as Client,
    logger: pino({ enabled: false }),
    balanceAccounts: [],
  });
  const samples = samplesOf(await metrics.read());
  for (const source of ['database', 'temporal'])
    expect(
      sampleValue(samples, 'voucher_service_state_read_timestamp_seconds', { source }),
    ).toBeGreaterThanOrEqual(startedAt);
  for (const reading of readings) await reading.stop();
});

const takenAt = new Date('2026-10-01T00:30:00Z');
const continuedAt = new Date('2026-10-01T00:55:00Z');

test.each([
  {
    what: 'that Temporal has forgotten by now keeps no other metric from being read',
    describe: async () => {
      throw new WorkflowNotFoundError('Forgotten', 'check-books', 'run');
    },
    begun: takenAt,
  },
  {
    what: 'that has continued as new began then',
    describe: async () => ({ status: { name: 'RUNNING' }, startTime: continuedAt }),
    begun: continuedAt,
  },
])('a run $what', async ({ describe, begun }) => {
  const metrics = createMetrics();
  const action = { workflow: { workflowId: 'check-books', firstExecutionRunId: 'run' } };
  const client = {
    withDeadline: (_at: number, work: () => Promise<void>) => work(),
    workflow: {
      count: async () => ({ groups: [] }),
      getHandle: () => ({ describe }),
    },
    schedule: {
      getHandle: () => ({
        describe: async () => ({ info: { recentActions: [{ takenAt, action }] } }),
      }),
    },
  };
  const [, temporal] = stateMetrics({
    settings: {
      observation: { metricsPort: 0, metricsReadSeconds: 60 },
      temporal: { temporalTaskQueue: 'queue' },
      schedules: { expiryRunIntervalSeconds: 300, reconcileIntervalSeconds: 300 },
    } as Config,
    metrics,
    database: {} as Database,
    client: client as unknown as Client,
    logger: pino({ enabled: false }),
    balanceAccounts: [],
  });
  await temporal?.stop();
  const samples = samplesOf(await metrics.read());
  for (const schedule of ['expiry', 'statements'])
    expect(
      sampleValue(samples, 'voucher_service_schedule_last_run_timestamp_seconds', { schedule }),
    ).toBe(begun.getTime() / 1_000);
});
