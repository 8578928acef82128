import { afterAll, beforeAll, expect, test } from 'vitest';
import { sdkMetrics } from '../../../src/process/metrics/sdk-metric-names.js';
import type { Stack } from '../../support/stack.js';
import { until } from '../../support/until.js';
import { type OtlpReceiver, startOtlpReceiver } from '../../tracing/otlp-receiver.js';
import { samplesOf, sampleValue } from '../observation/samples.js';
import { type Canary, createCanary } from './canary.js';
import { type ProcessGifts, sellGifts, untilAnswered } from './process-gifts.js';
import { type ProcessScene, setProcessScene } from './process-scene.js';

let scene: ProcessScene;
let canary: Canary;
let gifts: ProcessGifts;
let stack: Stack;
let receiver: OtlpReceiver;
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

test('no secret and no number of a person is in them', () => {
  const texts = [scrapes.api, scrapes.worker, receiver.text()];
  expect(canary.foundIn(texts.join('\n'))).toEqual([]);
  expect(receiver.text()).toContain('db.query.text');
});
