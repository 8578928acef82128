import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reconcileId } from '../../workflows/workflow-ids.js';
import { REDEEM } from '../end-to-end/gift/gift-scene.js';
import { makeMerchant } from '../support/companies.js';
import { until } from '../support/until.js';
import { firingAlerts, type Scrapes } from './firing-alerts.js';
import { type MonitoredScene, setMonitoredScene } from './monitored-scene.js';
import { findPromtool, PROMTOOL_LIMIT_MS } from './promtool.js';

let scene: MonitoredScene;
beforeAll(async () => {
  await findPromtool();
  scene = await setMonitoredScene();
}, PROMTOOL_LIMIT_MS);
afterAll(() => scene?.gifts.stop());

describe('the money', () => {
  test('a payment whose outcome the provider does not tell', async () => {
    const payee = await makeMerchant(scene.gifts.stack, { payoutSuffix: '014' });
    const pending = await scene.during(async () => {
      const { voucherCode } = await scene.gifts.gift({ owner: null, merchant: payee });
      void scene.gifts.asPartner.post(REDEEM, { voucherCode });
      await until(async () => {
        if (!(await scene.value('oldest_hold_seconds', { kind: 'payment' })))
          throw new Error('No hold');
        if (!(await scene.value('needs_action'))) throw new Error('No person is needed');
      });
    });
    // The hold is younger than the first scrape, and so has no earlier age.
    const later = { ...pending, before: pending.after, after: '' };
    await sleep(600);
    later.after = await scene.read();
    const fired = await firingAlerts(later, 70);
    await scene.gifts.settlePayout(payee, 'completed');
    await until(async () => {
      if (await scene.value('needs_action')) throw new Error('A person is needed');
    });
    expect(fired).toEqual(['MoneyOnHoldTooLong', 'PersonNeeded']);
  });

  test('a wallet below its threshold', async () => {
    const setThreshold = (threshold: string | null) =>
      sql`update ledger_accounts set low_balance = ${threshold}::numeric
        where kind = 'gift' and partner_id = ${scene.gifts.partner.id}`.execute(
        scene.gifts.stack.database,
      );
    const low = await scene.during(() => setThreshold('99999999'));
    await setThreshold(null);
    expect(await firingAlerts(low, 10)).toEqual(['WalletsLow']);
  });
});

test('a merchant whose payout account is refused, until it has another one', async () => {
  const refused = await scene.during(() => scene.redeemAt('026'));
  await sql`update merchant_payout_accounts set replaced_at = now()
    where id in (select payout_account_id from payout_account_checks where state = 'closed')`.execute(
    scene.gifts.stack.database,
  );
  const replaced = await scene.during(async () => {});
  expect(await firingAlerts(refused, 10)).toContain('PayoutAccountsRefused');
  expect(await firingAlerts(replaced, 10)).not.toContain('PayoutAccountsRefused');
});

describe('accounts at providers', () => {
  test('an entry of a statement that differs from the books', async () => {
    const { database } = scene.gifts.stack;
    const broken = await scene.during(() =>
      sql`insert into provider_breaks (provider, day, type, kind, subject)
        values ('gsma', '2026-11-22', 'late', 'payment', 'one'),
          ('gsma', '2026-11-22', 'amount', 'payment', 'other')`.execute(database),
    );
    await sql`delete from provider_breaks where type = 'amount'`.execute(database);
    const late = await scene.during(async () => {});
    await sql`delete from provider_breaks`.execute(database);
    expect(await firingAlerts(broken, 10)).toEqual(['ProviderBreaksOpen']);
    expect(await firingAlerts(late, 10)).toEqual([]);
  });

  test('a balance below its minimum', async () => {
    const setBalance = (amount: string) =>
      sql`insert into provider_balances (provider, currency, amount, read_at)
        values ('gsma', 'ETB', ${amount}, now() + interval '1 day')
        on conflict (provider) do update set amount = excluded.amount`.execute(
        scene.gifts.stack.database,
      );
    const low = await scene.during(() => setBalance('99.99'));
    expect(await firingAlerts(low, 10)).toEqual(['ProviderBalanceLow']);
    expect(await firingAlerts(await scene.during(() => setBalance('100')), 10)).toEqual([]);
  });

  test('a balance that nobody has read for long', async () => {
    const setReading = (age: string) =>
      sql`insert into provider_balances (provider, currency, amount, read_at)
        values ('gsma', 'ETB', 1000, now() - ${age}::interval),
          -- M-Pesa cannot say it: this reading is of another configuration.
          ('mpesa', 'ETB', 1, now() - interval '1 year')
        on conflict (provider) do update
        set amount = excluded.amount, read_at = excluded.read_at`.execute(
        scene.gifts.stack.database,
      );
    const stale = await scene.during(() => setReading('25 hours'));
    expect(await firingAlerts(stale, 10)).toEqual(['ProviderBalanceStale']);
    const fresh = await scene.during(() => setReading('20 hours'));
    expect(await firingAlerts(fresh, 10)).toEqual([]);
    expect(await scene.value('provider_balance', { provider: 'mpesa' })).toBeUndefined();
    const never = { provider: 'reloadly' };
    const since = (await scene.value('provider_balance_read_timestamp_seconds', never)) ?? 0;
    expect(Date.now() / 1_000 - since).toBeLessThan(600);
  });
});

describe('providers and outboxes', () => {
  test('a provider that drops connections', async () => {
    const dropping = await scene.during(() => scene.redeemAt('008'));
    expect(await firingAlerts(dropping, 15)).toEqual(['ProviderOutcomesUnknown']);
  });

  test('a provider that nobody reaches', async () => {
    const { faults } = scene.gifts.stack.sandbox;
    const openBreaker = () => scene.value('provider_breaker', { provider: 'gsma', state: 'open' });
    faults.set('gsma', { ...faults.of('gsma'), down: true });
    const unreached = await scene.during(async () => {
      await Promise.all(Array.from({ length: 4 }, () => scene.redeemAt('000')));
      await until(async () => expect(await openBreaker()).toBe(1));
    });
    faults.clear();
    expect(await firingAlerts(unreached, 10)).toContain('ProviderBreakerOpen');
    // The inquiries of the payments close it again, and nobody is needed any more.
    await until(async () => {
      expect(await openBreaker()).toBe(0);
      expect(await scene.value('needs_action')).toBe(0);
    });
  });

  test('events that no worker numbers', async () => {
    let stuck: Scrapes | undefined;
    // As a session does that holds the lock and does nothing.
    await scene.whileLocked('select pg_advisory_xact_lock(4127061110::bigint)', async () => {
      await scene.gifts.gift();
      await sleep(600);
      stuck = await scene.during(async () => {});
    });
    expect(stuck && (await firingAlerts(stuck, 20))).toEqual(['OutboxStuck']);
  });
});

// The last one: its case stays open until the books are checked again.
test('books that do not agree, and a Schedule that is paused', async () => {
  const schedule = scene.gifts.stack.temporal.client.schedule.getHandle(
    reconcileId(scene.gifts.stack.config.TEMPORAL_TASK_QUEUE),
  );
  const runTo = async (result: 0 | 1) => {
    await schedule.trigger();
    await until(async () => {
      const last = await scene.value('schedule_last_run_succeeded', { schedule: 'reconciliation' });
      if (last !== result) throw new Error(`The last run is ${last}`);
    });
  };
  const gift = await scene.gifts.gift();
  const setAmount = (amount: string) =>
    sql`update vouchers set remaining = ${amount} where id = ${gift.id}`.execute(
      scene.gifts.stack.database,
    );
  await setAmount('99');
  const broken = await scene.during(() => runTo(0));
  await setAmount('100');
  await runTo(1);
  expect(await firingAlerts(broken, 5)).toContain('BooksDoNotAgree');
  await schedule.pause();
  expect(await firingAlerts(await scene.during(async () => {}), 180)).toContain('ScheduleLate');
  await schedule.unpause();
});
