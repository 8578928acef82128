import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outboxes } from '../../../src/runtime/metrics/definitions.ts';
import { type CollectedMetrics, createMetrics } from '../../../src/runtime/metrics/metrics.ts';
import { reconcileId } from '../../../workflows/workflow-ids.ts';
import { makeMerchant } from '../../support/companies.ts';
import { until } from '../../support/until.ts';
import { type GiftScene, REDEEM, setGiftScene } from '../gift/gift-scene.ts';
import { requestSeries, samplesOf, sampleValue } from './samples.ts';

const PREFIX = 'voucher_service_';

let scene: GiftScene;
let metrics: CollectedMetrics;

beforeAll(async () => {
  metrics = createMetrics();
  // The text is read without the port, which is that of a process.
  const settings = { METRICS_PORT: '0', METRICS_READ_SECONDS: '0.1' };
  scene = await setGiftScene(settings, { metrics });
});
afterAll(() => scene?.stop());

const value = async (name: string, labels: Readonly<Record<string, string>> = {}) =>
  sampleValue(samplesOf(await metrics.read()), PREFIX + name, labels);

/** Waits until a worker has read the state and a metric has a value. */
const untilValue = (
  name: string,
  labels: Readonly<Record<string, string>>,
  fits: (value: number) => boolean,
) =>
  until(async () => {
    const found = await value(name, labels);
    if (found !== undefined && fits(found)) return;
    const read = await value('state_read_timestamp_seconds', { source: 'database' });
    const age = Math.round(Date.now() / 1_000 - (read ?? 0));
    throw new Error(`${name} is ${found}; the database was read ${age} s ago`);
  });

describe('requests', () => {
  it('are counted by template, status and reason, never by what was sent', async () => {
    const { voucherCode, owner } = await scene.gift();
    await scene.asPartner.post(REDEEM, { voucherCode: 'ZZZZ-ZZZZ-ZZZZ-ZZZZ' });
    const text = await metrics.read();
    const requests = samplesOf(text).filter(({ name }) => name === `${PREFIX}http_requests_total`);
    const of = (path: string) => requests.find(({ labels }) => labels.route?.endsWith(path));
    expect(of('/generate-voucher')).toMatchObject({
      labels: { surface: 'partner', method: 'POST', status: '200', reason: 'none' },
      value: 1,
    });
    expect(of('/redeem-gift')).toMatchObject({ labels: { reason: 'voucher-not-found' }, value: 1 });
    for (const secret of [voucherCode, owner?.slice(1) ?? '', 'ZZZZ'])
      expect(text).not.toContain(secret);
  });

  it.each(['/.well-known/jwks.json', '/callbacks/airtime'])(
    '%s is called by others than partners and merchants',
    async (route) => {
      await fetch(scene.stack.url + route, { method: route.endsWith('json') ? 'GET' : 'POST' });
      expect(await value('http_requests_total', { route, surface: 'other' })).toBeGreaterThan(0);
      expect(await value('http_requests_total', { route, surface: 'partner' })).toBeUndefined();
    },
  );

  it('make no series where paths, methods and keys are unknown', async () => {
    const { url } = scene.stack;
    const flood = async (count: number) => {
      for (let index = 0; index < count; index += 1) {
        const path = `${url}/api/v1/client/${randomUUID()}/${index}?q=${randomUUID()}`;
        await fetch(path, { method: index % 2 ? 'PATCH' : 'GET' });
        for (const method of ['PURGE', 'REPORT', 'PROPFIND', 'LOCK']) await fetch(path, { method });
        await fetch(`${url}/api/v1/client/topup-transactions/${randomUUID()}`, {
          headers: { 'x-api-token': randomUUID() },
        });
      }
    };
    await flood(20);
    const before = requestSeries(await metrics.read());
    await flood(20);
    expect(requestSeries(await metrics.read())).toBe(before);
    expect(await value('http_requests_total', { route: 'other' })).toBeGreaterThan(100);
  });

  it('show how the pools of connections are used', async () => {
    for (const pool of ['api', 'lists', 'worker'])
      expect(await value('database_pool_connections', { pool, state: 'limit' })).toBeGreaterThan(0);
  });
});

it('tell how far the clocks of the process and of the database are apart', async () => {
  await untilValue('clock_offset_seconds', {}, (seconds) => Math.abs(seconds) < 0.6);
});

describe('providers', () => {
  it('are counted by call and outcome, with their time', async () => {
    await scene.redeemed(scene.asPartner, await scene.gift());
    const call = { provider: 'gsma', call: 'pay' };
    expect(await value('provider_calls_total', { ...call, outcome: 'delivered' })).toBe(1);
    expect(await value('provider_call_duration_seconds_count', call)).toBe(1);
    const asked = { provider: 'gsma', call: 'check account' };
    expect(await value('provider_calls_total', { ...asked, outcome: 'open' })).toBe(1);
    expect(await metrics.read()).not.toMatch(/provider_calls_total\{[^}]*"other"/);
    const sms = { provider: 'africas-talking', call: 'send', outcome: 'delivered' };
    await untilValue('provider_calls_total', sms, (count) => count >= 1);
  });
});

describe('the state of the service', () => {
  it('has the money on hold by kind and age', async () => {
    const payee = await makeMerchant(scene.stack, { payoutSuffix: '014' });
    const gift = await scene.gift({ owner: null, merchant: payee });
    const redeeming = scene.redeemed(scene.asPartner, gift);
    // A redemption that is refused says why.
    await Promise.race([
      scene.untilPaidTo(payee),
      redeeming.then(({ body }) => expect(body).toBe('an answer after the hold')),
    ]);
    const heldSince = (age: string) =>
      sql`update redemptions set created_at = now() - ${age}::interval where status = 'HELD'`.execute(
        scene.stack.database,
      );
    await heldSince('1 second');
    await untilValue('holds', { kind: 'payment', age: 'under 1m' }, (count) => count === 1);
    expect(await value('money_on_hold_birr', { kind: 'payment' })).toBe(100);
    await heldSince('2 hours');
    await untilValue('holds', { kind: 'payment', age: '1h to 1d' }, (count) => count === 1);
    expect(await value('holds', { kind: 'payment', age: 'under 1m' })).toBe(0);
    expect(await value('oldest_hold_seconds', { kind: 'payment' })).toBeGreaterThan(7_000);
    await scene.settlePayout(payee, 'completed');
    await redeeming;
    await untilValue('holds', { kind: 'payment' }, (count) => count === 0);
    expect(await value('oldest_hold_seconds', { kind: 'payment' })).toBe(0);
  });

  it('has the wallets below their thresholds, without their owners', async () => {
    const { database } = scene.stack;
    await untilValue('wallets_below_threshold', { wallet: 'gift' }, (count) => count === 0);
    await sql`update ledger_accounts set low_balance = balance + 1
      where kind = 'gift' and partner_id = ${scene.partner.id}`.execute(database);
    await untilValue('wallets_below_threshold', { wallet: 'gift' }, (count) => count === 1);
  });

  it('has what waits for a worker, and for how long', async () => {
    for (const outbox of Object.keys(outboxes))
      expect(await value('outbox_waiting', { outbox })).toBeGreaterThanOrEqual(0);
    const outbox = 'events';
    await scene.stack.database.transaction().execute(async (transaction) => {
      // As another worker does that numbers them.
      await sql`select pg_advisory_xact_lock(4127061110::bigint)`.execute(transaction);
      await scene.gift();
      await untilValue('outbox_waiting', { outbox }, (count) => count > 0);
      await untilValue('outbox_oldest_seconds', { outbox }, (age) => age > 0.2);
    });
    await untilValue('outbox_waiting', { outbox }, (count) => count === 0);
    expect(await value('outbox_oldest_seconds', { outbox })).toBe(0);
  });

  it('has the runs of the Schedules, and their results', async () => {
    await untilValue(
      'schedule_last_run_timestamp_seconds',
      { schedule: 'reconciliation' },
      Boolean,
    );
    expect(await value('schedule_interval_seconds', { schedule: 'reconciliation' })).toBe(
      scene.stack.config.schedules.reconcileIntervalSeconds,
    );
    const handle = scene.stack.temporal.client.schedule.getHandle(
      reconcileId(scene.stack.config.temporal.temporalTaskQueue),
    );
    await handle.trigger();
    const succeeded = { schedule: 'reconciliation' };
    await untilValue('schedule_last_run_succeeded', succeeded, (result) => result === 1);
    expect(await value('needs_action')).toBe(0);
  });

  it('says when it was last read', async () => {
    for (const source of ['database', 'temporal'])
      await untilValue(
        'state_read_timestamp_seconds',
        { source },
        (time) => Date.now() / 1_000 - time < 60,
      );
  });
});
