import { randomUUID } from 'node:crypto';
import { defineUpdate } from '@temporalio/workflow';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sdkMetrics } from '../../../docs/generate/sdk-metrics.ts';
import type { TemporalConnection } from '../../../src/runtime/temporal/connection.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../../runtime/tracing/otlp-receiver.ts';
import type { Stack } from '../../support/stack.ts';
import { until } from '../../support/until.ts';
import { connectTestTemporal } from '../../support/workflow-worker.ts';
import { type Sample, samplesOf, sampleValue } from '../observation/samples.ts';
import { type Canary, createCanary, createClaimControl, createControl } from './canary.ts';
import { type ProcessGifts, sellGifts, untilAnswered } from './process-gifts.ts';
import { type ProcessScene, setProcessScene } from './process-scene.ts';

let scene: ProcessScene;
let canary: Canary;
let gifts: ProcessGifts;
let stack: Stack;
let receiver: OtlpReceiver;
let readWorker: () => Promise<string>;
const scrapes: Record<'api' | 'worker', string> = { api: '', worker: '' };

beforeAll(async () => {
  scene = await setProcessScene();
  canary = createCanary();
  scene.start('sandbox');
  expect(await scene.start('migrate').ended).toBe(0);
  gifts = await sellGifts(scene, canary, () => stack);
  receiver = await startOtlpReceiver();
  const observed = {
    METRICS_PORT: '0',
    METRICS_READ_SECONDS: '0.2',
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
    OTEL_BSP_SCHEDULE_DELAY: '50',
  };
  const worker = await scene.start('worker', observed).logged('Worker is running');
  const api = await scene.start('api', observed).logged('API is listening');
  stack = scene.stackAt(api.port);
  const redeem = await gifts.claim(await gifts.makeShop('000'));
  expect((await untilAnswered(redeem)).body.success).toBe(true);
  const read = async (port: unknown) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  readWorker = () => read(worker.metricsPort);
  await until(async () => {
    scrapes.worker = await read(worker.metricsPort);
    const ends = sampleValue(samplesOf(scrapes.worker), 'voucher_service_workflow_ends_total', {
      workflow_type: 'redeemVoucher',
    });
    if (ends !== 1) throw new Error(`${ends} redemptions have ended`);
  });
  scrapes.api = await read(api.metricsPort);
  expect((await fetch(`http://127.0.0.1:${api.metricsPort}/`)).status).toBe(404);
});
afterAll(async () => {
  await scene?.stop();
  await receiver?.close();
});

const value = (process: 'api' | 'worker', name: string, labels = {}) =>
  sampleValue(samplesOf(scrapes[process]), name, labels);

test('workflows are counted by type and outcome, and their answers', () => {
  const starts = 'voucher_service_workflow_starts_total';
  expect(value('worker', starts, { workflow_type: 'redeemVoucher' })).toBe(1);
  expect(value('worker', starts, { workflow_type: 'generateVoucher' })).toBe(1);
  const ends = 'voucher_service_workflow_ends_total';
  expect(value('worker', ends, { workflow_type: 'redeemVoucher', outcome: 'done' })).toBe(1);
  for (const update of ['claim', 'redeem'])
    expect(
      value('worker', 'voucher_service_workflow_updates_total', { update, outcome: 'done' }),
    ).toBe(1);
});

describe('somebody who reaches Temporal', () => {
  // A Schedule may begin in between, and has series of its own.
  const seriesOf = (samples: readonly Sample[]) =>
    samples.filter(({ labels }) => (labels.workflow_type ?? labels.update) === 'other').length;
  const samples = async () => samplesOf(await readWorker());
  let temporal: TemporalConnection;
  beforeAll(async () => {
    temporal = await connectTestTemporal();
  });
  afterAll(() => temporal?.connection.close());

  /** Starts workflows whose names nobody knows; workers fail their tasks. */
  async function startUnknown(): Promise<void> {
    const { temporalTaskQueue: taskQueue } = stack.config.temporal;
    const start = () =>
      temporal.client.workflow.start(`made-up-${randomUUID()}`, {
        taskQueue,
        workflowId: randomUUID(),
      });
    const handles = await Promise.all(Array.from({ length: 5 }, start));
    for (const handle of handles) {
      await until(async () => {
        const { events } = await handle.fetchHistory();
        expect(events?.some((event) => event.workflowTaskFailedEventAttributes)).toBe(true);
      });
      await handle.terminate();
    }
  }

  /** Updates a claim that waits, by names that nobody knows. */
  async function updateUnknown(): Promise<void> {
    await gifts.claim(await gifts.makeShop('000'));
    const { temporalTaskQueue: taskQueue } = stack.config.temporal;
    const query = `WorkflowType = 'redeemVoucher' AND TaskQueue = '${taskQueue}'`;
    const workflowId = await until(async () => {
      for await (const found of temporal.client.workflow.list({ query }))
        if (found.status.name === 'RUNNING') return found.workflowId;
      throw new Error('No claim waits');
    });
    const handle = temporal.client.workflow.getHandle(workflowId);
    for (let turn = 0; turn < 5; turn += 1) {
      const unknown = defineUpdate<unknown, []>(`made-up-${randomUUID()}`);
      await expect(handle.executeUpdate(unknown)).rejects.toThrow();
    }
  }

  test('makes one series, whatever names workflows and updates have', async () => {
    const flood = () => startUnknown().then(updateUnknown);
    await flood();
    const before = seriesOf(await samples());
    expect(before).toBeGreaterThan(0);
    await flood();
    expect(seriesOf(await samples())).toBe(before);
    expect(await readWorker()).not.toContain('made-up');
    const failed = 'temporal_workflow_task_execution_failed_total';
    const count = sampleValue(await samples(), failed, { workflow_type: 'other' });
    expect(count).toBeGreaterThanOrEqual(10);
  });
});

test("the SDK's metrics are on the same port, under the names of the documents", () => {
  for (const [name, { kind }] of Object.entries(sdkMetrics)) {
    // What has not failed or missed has not been counted.
    if (/_(failed|failure|miss|hit)_total$/.test(name)) continue;
    const sample = kind === 'histogram' ? `${name}_count` : name;
    expect(value('worker', sample), name).toBeDefined();
  }
  expect(value('api', 'temporal_request_latency_seconds_count')).toBeGreaterThan(0);
});

test('the metrics of Node.js tell of the event loop, and those of the API of its requests', () => {
  for (const process of ['api', 'worker'] as const)
    expect(value(process, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
  expect(value('api', 'voucher_service_http_requests_total', { status: '200' })).toBeGreaterThan(2);
});

test('the standard variables switch traces on, and both processes tell of one redemption', async () => {
  await until(() => {
    const payment = receiver.spans().find(({ name }) => name.endsWith(' pay'));
    const request = receiver.spans().find(({ name }) => name.endsWith('/redeem-gift'));
    expect(payment?.process).toBe('worker');
    expect(request?.process).toBe('api');
    expect(payment?.traceId).toBe(request?.traceId);
  });
});

test('no secret and no number of a person is in them', async () => {
  const texts = [scrapes.api, scrapes.worker, receiver.text()];
  expect(canary.foundIn(texts.join('\n'))).toEqual([]);
  expect(receiver.text()).toContain('db.query.text');
  // What the same search must find in each of them.
  const planted = [
    createControl('route', '/topup-transactions/redeem-gift').foundIn(scrapes.api),
    createControl('task queue', stack.config.temporal.temporalTaskQueue).foundIn(scrapes.worker),
  ];
  expect(planted.flat()).toEqual(['route', 'task queue']);
  const control = await createClaimControl(scene.database);
  await until(() => expect(control.foundIn(receiver.text())).toHaveLength(1));
});
