import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi } from '../../src/api.ts';
import { createMetrics } from '../../src/runtime/metrics/metrics.ts';
import { startMetricsServer } from '../../src/runtime/metrics/sdk-metrics.ts';
import { createLogger } from '../../src/runtime/process/logger.ts';
import { hideTable } from '../support/database-faults.ts';
import { untilBlocked } from '../support/database-locks.ts';
import { until } from '../support/until.ts';
import { alertProofs } from './alert-proofs.ts';
import { type MonitoredScene, setMonitoredScene } from './monitored-scene.ts';
import { findPromtool, PROMTOOL_LIMIT_MS } from './promtool.ts';

const { allHaveFired, expectAlert, expectAlerts, expectNoOther } = alertProofs('alerts-of-service');

let scene: MonitoredScene;
beforeAll(async () => {
  await findPromtool();
  // A redemption that is not answered in time counts as an error of its own.
  scene = await setMonitoredScene({ CALLER_WAIT_SECONDS: '25' });
}, PROMTOOL_LIMIT_MS);
afterAll(() => scene?.gifts.stop());

test('a service in order fires none', async () => {
  const calm = () =>
    scene.during(async () => scene.gifts.redeemed(scene.gifts.asPartner, await scene.gifts.gift()));
  await expectNoOther(calm, 60, []);
});

describe('the objectives', () => {
  test('a database that refuses statements burns the budget of availability', async () => {
    const failing = await scene.during(async () => {
      const mend = await hideTable(scene.gifts.stack.database, 'gift_denominations');
      const answers = await Promise.all(
        [1, 2, 3].map(() => scene.gifts.asPartner.get('/gift-denominations')),
      );
      await mend();
      expect(answers.map(({ status }) => status)).toEqual([500, 500, 500]);
    });
    await expectAlerts(failing, 60, ['AvailabilityBudgetBurns', 'AvailabilityBudgetBurnsFast']);
  });

  test('a few calls that fail once wake nobody, and many do', async () => {
    const failing = (calls: number) =>
      scene.during(async () => {
        const mend = await hideTable(scene.gifts.stack.database, 'gift_denominations');
        for (let call = 0; call < calls; call += 1)
          await scene.gifts.asPartner.get('/gift-denominations');
        await mend();
      });
    await expectAlerts({ ...(await failing(3)), isOver: true }, 4, []);
    await expectAlerts({ ...(await failing(15)), isOver: true }, 4, [
      'AvailabilityBudgetBurnsFast',
    ]);
  });

  /** A call that waits for a lock for more than a second. */
  async function slowCall(): Promise<void> {
    const call = () => scene.gifts.asPartner.get('/gift-denominations');
    let answering: Promise<unknown> | undefined;
    await scene.whileLocked('lock table gift_denominations in access exclusive mode', async () => {
      answering = call();
      await untilBlocked(scene.gifts.stack.database);
      await sleep(1_200);
    });
    await answering;
    await call();
  }

  test('calls that wait for a lock burn the budget of latency', async () => {
    await expectAlerts(await scene.during(slowCall), 60, [
      'LatencyBudgetBurns',
      'LatencyBudgetBurnsFast',
    ]);
  });

  test('one slow call of a dozen burns it slowly', async () => {
    const slow = () =>
      scene.during(async () => {
        await slowCall();
        for (let call = 0; call < 10; call += 1)
          await scene.gifts.asPartner.get('/gift-denominations');
      });
    await expectNoOther(slow, 60, ['LatencyBudgetBurns']);
  });

  test('payments that the provider refuses burn the budget of redemptions', async () => {
    const refused = await scene.during(() => scene.redeemAt('006'));
    await expectAlerts(refused, 60, ['RedemptionBudgetBurns', 'RedemptionBudgetBurnsFast']);
  });

  test('one refused payment of twenty burns it slowly', async () => {
    const refused = await scene.during(async () => {
      await scene.redeemAt('006');
      await Promise.all(Array.from({ length: 19 }, () => scene.redeemAt('000')));
    });
    await expectAlerts(refused, 60, ['RedemptionBudgetBurns']);
  });
});

describe('the processes', () => {
  test('a process that does not answer a scrape', async () => {
    const server = await startMetricsServer(
      scene.metrics,
      { exporter: {} as never, read: async () => '' },
      { host: '127.0.0.1', port: 0, logger: createLogger('silent', 'test') },
    );
    const scrape = async () => {
      const answer = await fetch(`http://127.0.0.1:${server.port}/metrics`).catch(() => undefined);
      return answer?.ok ? `up 1\n${await answer.text()}` : 'up 0';
    };
    const gone = { at: new Date(), before: await scrape(), after: '' };
    expect(gone.before).toMatch(/^up 1/);
    await server.stop();
    gone.after = await scrape();
    // Prometheus has no values of it any more: those that workers alone have are missing, too.
    await expectAlerts(gone, 10, ['NoWorker', 'ProcessDown']);
  });

  test('an API without a worker', async () => {
    const own = createMetrics();
    const api = await startApi(scene.gifts.stack.config, scene.gifts.stack.temporal, {
      logger: createLogger('silent', 'test'),
      metrics: own,
      eager: false,
    });
    const text = `up 1\n${await own.read()}`;
    await api.stop();
    const alone = { at: new Date(), before: text, after: text };
    await expectAlerts(alone, 10, ['NoWorker']);
  });

  test('a database that workers cannot read', async () => {
    const mend = await hideTable(scene.gifts.stack.database, 'outbox');
    // A reading that had begun before ends first.
    const blind = await until(async () => {
      const readAt = () => scene.value('state_read_timestamp_seconds', { source: 'database' });
      const before = await readAt();
      const scrapes = await scene.during(async () => {}, ['temporal']);
      expect(await readAt()).toBe(before);
      return scrapes;
    });
    await mend();
    await expectAlerts(blind, 10, ['StateNotRead']);
  });

  test('a pool whose connections all wait for a lock', async () => {
    const scrapes = { at: new Date(), before: await scene.read(), after: '' };
    const { voucherCode } = await scene.gifts.gift();
    const path = `/topup-transactions/${encodeURIComponent(voucherCode)}`;
    const reading: Promise<unknown>[] = [];
    await scene.whileLocked('lock table vouchers in access exclusive mode', async () => {
      for (let index = 0; index < 60; index += 1) reading.push(scene.gifts.asMerchant.get(path));
      await until(async () => {
        const waiting = await scene.value('database_pool_connections', { state: 'waiting' });
        if (!waiting) throw new Error('Nothing waits');
      });
      scrapes.after = await scene.read();
    });
    await Promise.all(reading);
    await expectAlert(scrapes, 10, 'DatabasePoolExhausted');
  });

  test('an event loop that is kept busy', async () => {
    const scrapes = { at: new Date(), before: await scene.read(), after: '' };
    for (let turn = 0; turn < 5; turn += 1) {
      const end = performance.now() + 500;
      while (performance.now() < end);
      await sleep(1);
    }
    // Each scrape tells the delay since the last one.
    scrapes.after = await scene.read();
    await expectAlert(scrapes, 15, 'EventLoopBlocked');
  });
});

allHaveFired();
