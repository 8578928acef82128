import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dayOfTime, lastClosedDay } from '../../src/domain/day-report.ts';
import type { GuardState } from '../../src/providers/guard.ts';
import { compareStatementsId, watchBalancesId } from '../../workflows/workflow-ids.ts';
import { moveRows } from '../db/provider-statements/move-rows.ts';
import { samplesOf, sampleValue } from '../end-to-end/observation/samples.ts';
import { settleCase } from '../positions/cases.ts';
import { makeMerchant } from '../support/companies.ts';
import { until } from '../support/until.ts';
import { alertProofs } from './alert-proofs.ts';
import { type MonitoredScene, setMonitoredScene } from './monitored-scene.ts';
import { findPromtool, PROMTOOL_LIMIT_MS } from './promtool.ts';

const { allHaveFired, expectAlert, expectAlerts, expectNoAlert } =
  alertProofs('alerts-of-providers');

/** Balances are read all the time, so that one that is silent is noticed within minutes. */
const settings = { PROVIDER_BALANCE_INTERVAL_SECONDS: '1' };

let scene: MonitoredScene;
beforeAll(async () => {
  await findPromtool();
  scene = await setMonitoredScene(settings);
}, PROMTOOL_LIMIT_MS);
afterAll(() => scene?.gifts.stop());

const sandbox = () => scene.gifts.stack.sandbox;
const balanceAt = (provider: string) => scene.value('provider_balance', { provider });
const readAt = async (provider: string) =>
  (await scene.value('provider_balance_read_timestamp_seconds', { provider })) ?? 0;

/** Waits until a provider has said our balance after this moment, and workers have shown it. */
async function untilAsked(provider: string): Promise<void> {
  const now = Date.now() / 1_000;
  await until(async () => expect(await readAt(provider)).toBeGreaterThan(now));
}

/** Our books at the provider, as money that goes out changes them. */
async function setBalance(amount: number): Promise<void> {
  sandbox().books.setBalance('gsma', amount);
  await until(async () => expect(await balanceAt('gsma')).toBe(amount));
}

describe('our balance at a provider', () => {
  test('is below its minimum', async () => {
    const low = await scene.during(() => setBalance(99.99));
    await expectAlerts(low, 10, ['ProviderBalanceLow']);
    await expectAlerts(await scene.during(() => setBalance(100)), 10, []);
  });

  test('is not known, since the provider does not answer; other providers do', async () => {
    const { faults } = sandbox();
    faults.set('gsma', { ...faults.of('gsma'), down: true });
    // A call that was under way ends first.
    await untilAsked('dt-one');
    await untilAsked('dt-one');
    const silent = await scene.during(() => untilAsked('dt-one'));
    await expectAlerts(silent, 20, ['ProviderBalanceStale']);
    faults.clear();
    const back = await scene.during(async () => {
      await untilAsked('gsma');
      await untilAsked('reloadly');
    });
    await expectAlerts(back, 20, []);
    // M-Pesa cannot say it.
    expect(await balanceAt('mpesa')).toBeUndefined();
  });

  test('is not known, since the Schedule is paused', async () => {
    const schedule = scene.gifts.stack.temporal.client.schedule.getHandle(
      watchBalancesId(scene.gifts.stack.config.temporal.temporalTaskQueue),
    );
    await schedule.pause();
    // A run that was under way still asks.
    await until(async () => {
      const before = await readAt('dt-one');
      await expectAlert(await scene.during(async () => {}), 20, 'ProviderBalanceStale');
      expect(await readAt('dt-one')).toBe(before);
    });
    await schedule.unpause();
    await untilAsked('dt-one');
  });
});

describe('the statement of a provider', () => {
  const ZONE = 'Africa/Addis_Ababa';
  const day = lastClosedDay(new Date(), ZONE);

  /** A payment on the last closed day whose statement differs; its reference. */
  async function wronglyListed(fault: 'amount' | 'late'): Promise<string> {
    const { gifts } = scene;
    const payee = await makeMerchant(gifts.stack);
    const gift = await gifts.gift({ owner: null, merchant: payee });
    await gifts.redeemed(gifts.asPartner, gift);
    const paid = await gifts.untilPaidTo(payee);
    // What is near midnight may be listed on the next day.
    const at = new Date(`${day}T${fault === 'late' ? '20:59:50' : '09:00:00'}Z`);
    expect(dayOfTime(at, ZONE)).toBe(day);
    const [taken] = sandbox()
      .books.allPayouts('gsma')
      .filter(({ reference }) => reference === paid.reference);
    Object.assign(taken ?? {}, { takenAt: at });
    await moveRows(gifts.stack.database, [paid.reference], { began: at, ended: at });
    sandbox().books.statementFaults.set(paid.reference, fault);
    return paid.reference;
  }

  const casesOf = (why: string) => scene.value('open_cases', { why });

  test('differs from the books, until a person has settled it; what is late does not count', async () => {
    const { stack } = scene.gifts;
    const reference = await wronglyListed('amount');
    await wronglyListed('late');
    const differing = await scene.during(async () => {
      await stack.temporal.client.schedule
        .getHandle(compareStatementsId(stack.config.temporal.temporalTaskQueue))
        .trigger();
      await until(async () => expect(await casesOf('difference')).toBe(1));
    });
    expect(await scene.value('suspense_birr', {})).toBeGreaterThan(0);
    await expectAlert(differing, 10, 'CasesOpen');
    await settleCase(stack, reference, 'platform');
    const settled = await scene.during(() =>
      until(async () => expect(await casesOf('difference')).toBe(0)),
    );
    await expectNoAlert(settled, 10, 'CasesOpen');
  });
});

describe('calls', () => {
  test('a provider that drops connections, unless it is one call now and then', async () => {
    const labels = { provider: 'gsma', call: 'pay', outcome: 'unknown' };
    const dropped = async () => (await scene.value('provider_calls_total', labels)) ?? 0;
    const before = await dropped();
    const dropping = await scene.during(async () => {
      await scene.redeemAt('008');
      // Its caller need not have waited so long.
      await until(async () => expect(await dropped()).toBeGreaterThan(before));
    });
    await expectAlert(dropping, 15, 'ProviderOutcomesUnknown');
    // One in two and a half minutes, and nothing else.
    await expectAlert({ ...dropping, everyScrapes: 5 }, 30, 'ProviderOutcomesUnknown');
    // Reloadly says no outcome of an order that it has taken.
    const ofReloadly = (scrape: string) =>
      scrape.replace(/(provider_calls_total\{[^}]*provider=")gsma"/g, '$1reloadly"');
    const usual = { before: ofReloadly(dropping.before), after: ofReloadly(dropping.after) };
    await expectNoAlert({ ...dropping, ...usual }, 15, 'ProviderOutcomesUnknown');
    // One in twenty minutes.
    await expectNoAlert({ ...dropping, everyScrapes: 40 }, 70, 'ProviderOutcomesUnknown');
  });

  test('a provider that nobody reaches', async () => {
    const { faults } = sandbox();
    const openBreaker = () => scene.value('provider_breaker', { provider: 'gsma', state: 'open' });
    /** What is scraped while the breaker is in a state. */
    const scrapedIn = (state: GuardState) =>
      until(async () => {
        const text = await scene.read();
        const labels = { provider: 'gsma', state };
        expect(sampleValue(samplesOf(text), 'voucher_service_provider_breaker', labels)).toBe(1);
        return text;
      });
    faults.set('gsma', { ...faults.of('gsma'), down: true });
    const unreached = {
      at: new Date(),
      before: await scene.read(),
      after: (
        await Promise.all([
          scrapedIn('open'),
          ...Array.from({ length: 4 }, () => scene.redeemAt('000')),
        ])
      )[0],
    };
    await expectAlert(unreached, 10, 'ProviderBreakerOpen');
    // Each call that tries is in vain. In between it is half-open, and is scraped so as well.
    const at = new Date();
    const before = await scrapedIn('half-open');
    const [after] = await Promise.all([scrapedIn('open'), scene.redeemAt('000')]);
    await expectAlert({ at, before, after, alternates: true }, 10, 'ProviderBreakerOpen');
    faults.clear();
    // The inquiries of the payments close it again.
    await until(async () => expect(await openBreaker()).toBe(0));
  });
});

allHaveFired();
