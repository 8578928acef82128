import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { readPayloadKeys } from '../../../src/config/config.ts';
import { createDataConverter } from '../../../src/runtime/temporal/connection.ts';
import { traceSinks } from '../../../src/runtime/temporal/interceptors.ts';
import { startTracing } from '../../../src/runtime/tracing/tracer.ts';
import { done, type GiftScene, REDEEM, setGiftScene } from '../../end-to-end/gift/gift-scene.ts';
import { until } from '../../support/until.ts';
import { ended } from '../../workflows/ended.ts';
import { TEST_PAYLOAD_KEYS } from '../../workflows/payload-keys.ts';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from './otlp-receiver.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';
const PATH = '/api/v1/merchant/client';

let receiver: OtlpReceiver;
let stopTracing: () => Promise<void>;
let scene: GiftScene;
/** The workflow of the traced redemption. */
let workflowId: string;

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  stopTracing = startTracing({
    url: `${receiver.endpoint}/v1/traces`,
    headers: { authorization: 'Bearer collector' },
    resource: { 'process.type': 'test' },
    sampler: 'parentbased_always_off',
    ratio: 1,
    delayMs: 50,
    warn: () => {},
  });
  scene = await setGiftScene({ PAYLOAD_KEYS: TEST_PAYLOAD_KEYS });
  const gift = await scene.gift();
  const traced = {
    post: (path: string, body: Record<string, unknown>) =>
      scene.asMerchant.post(path, body, {
        traceparent: `00-${TRACE}-${CALLER}-01`,
        baggage: 'customer=somebody',
      }),
  };
  const verificationCode = await scene.claimed(traced, gift);
  done(await traced.post(REDEEM, { voucherCode: gift.voucherCode, verificationCode }));
  const row = await scene.stack.database
    .selectFrom('voucher_claims')
    .select('workflow_id')
    .where('voucher_id', '=', gift.id)
    .executeTakeFirstOrThrow();
  workflowId = row.workflow_id ?? '';
  await ended(scene.stack, workflowId, 'traced-redemption');
  await until(() => expect(named('RunWorkflow redeemVoucher')).toHaveLength(1));
});
afterAll(async () => {
  await scene?.stop();
  await stopTracing?.();
  await receiver?.close();
});

const named = (name: string) => receiver.spans().filter((span) => span.name === name);

/** The names of the spans above one, nearest first, up to the caller. */
function pathOf(span: ReceivedSpan): string[] {
  if (span.parentSpanId === CALLER) return [span.name, 'the caller'];
  const parent = receiver.spans().find(({ spanId }) => spanId === span.parentSpanId);
  return parent ? [span.name, ...pathOf(parent)] : [span.name, 'nothing'];
}

test('a trace leads from the request through workflow and activity to the provider and SQL', async () => {
  await until(() => expect(named(`POST ${PATH}${REDEEM}`)).toHaveLength(1));
  expect(new Set(receiver.spans().map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
  const [pay] = named('gsma pay');
  expect(pay && pathOf(pay)).toEqual([
    'gsma pay',
    'RunActivity payMerchant',
    'UpdateWithStart redeemVoucher redeem',
    `POST ${PATH}${REDEEM}`,
    'the caller',
  ]);
  // A span comes after those below it.
  const paths = await until(() => {
    const statements = receiver.spans().filter((span) => span.attributes['db.query.text']);
    const found = new Set(statements.map((span) => pathOf(span).slice(1).join(' < ')));
    expect([...found].filter((path) => path.endsWith('nothing'))).toEqual([]);
    return found;
  });
  expect(
    [...paths].some((path) => /^RunActivity \w+ < UpdateWithStart redeemVoucher redeem/.test(path)),
  ).toBe(true);
  expect([...paths].some((path) => /^POST .*initiate-claim < the caller/.test(path))).toBe(true);
  for (const { startTimeUnixNano, endTimeUnixNano } of receiver.spans())
    expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
  expect(receiver.authorizations).toEqual(new Set(['Bearer collector']));
});

test('what is replayed tells nothing, and replays without traces, too', async () => {
  const history = await scene.stack.temporal.client.workflow.getHandle(workflowId).fetchHistory();
  const headers = (history.events ?? []).filter(
    (event) => event.activityTaskScheduledEventAttributes?.header?.fields?.traceparent,
  );
  expect(headers.length).toBeGreaterThan(0);
  const before = named('RunWorkflow redeemVoucher').length;
  const results = Worker.runReplayHistories(
    {
      workflowBundle: { codePath: inject('workflowBundlePath') },
      dataConverter: createDataConverter(readPayloadKeys(TEST_PAYLOAD_KEYS)),
      sinks: traceSinks,
    },
    [{ workflowId, history }],
  );
  for await (const { error } of results) expect(error).toBeUndefined();
  expect(named('RunWorkflow redeemVoucher')).toHaveLength(before);
});

test('a request without a sampled trace is not recorded, where the sampler follows callers', async () => {
  // Spans of the requests before may still come.
  const beganAt = BigInt(Date.now()) * 1_000_000n;
  await scene.redeemed(scene.asMerchant, await scene.gift());
  await new Promise((resolve) => setTimeout(resolve, 200));
  const began = receiver.spans().filter((span) => BigInt(span.startTimeUnixNano) >= beganAt);
  expect(began.map(({ name }) => name)).toEqual([]);
});

test('nothing of a caller but the ids of its trace goes anywhere', () => {
  expect(receiver.text()).not.toContain('somebody');
  expect(receiver.text()).not.toContain('customer=');
});
