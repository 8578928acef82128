import { expect, test } from 'vitest';
import { firingAlerts, type Scrapes } from './firing-alerts.js';

/** The alerts whose causes each file of tests makes; together they are all (rules.test.ts). */
export const provenAlerts = {
  'alerts-of-service': [
    'AvailabilityBudgetBurns',
    'AvailabilityBudgetBurnsFast',
    'DatabasePoolExhausted',
    'EventLoopBlocked',
    'LatencyBudgetBurns',
    'LatencyBudgetBurnsFast',
    'NoWorker',
    'ProcessDown',
    'RedemptionBudgetBurns',
    'RedemptionBudgetBurnsFast',
    'StateNotRead',
  ],
  'alerts-of-money': [
    'BooksDoNotAgree',
    'MoneyOnHoldTooLong',
    'PayoutAccountsRefused',
    'PersonNeeded',
    'WalletsLow',
  ],
  'alerts-of-providers': [
    'ProviderBalanceLow',
    'ProviderBalanceStale',
    'ProviderBreakerOpen',
    'ProviderBreaksOpen',
    'ProviderOutcomesUnknown',
  ],
  'alerts-of-outboxes': ['OutboxStuck', 'RepairsToConfirm'],
  'alerts-of-schedules': ['EmailsUndelivered', 'PersonNeeded', 'ScheduleFailed', 'ScheduleLate'],
  'alerts-of-workflows': ['ClockWrong', 'WorkflowTasksFail'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

const OF_SLOW_CALLS: readonly string[] = ['LatencyBudgetBurns', 'LatencyBudgetBurnsFast'];

type ProofFile = keyof typeof provenAlerts;
type AlertName = (typeof provenAlerts)[ProofFile][number];

/**
 * The only way in which a file of tests asks what fires: what was expected and has fired is noted.
 */
export function alertProofs(file: ProofFile) {
  const fired = new Set<string>();
  return {
    /** Exactly these fire after some minutes in which the service goes on as between the scrapes. */
    async expectAlerts(
      scrapes: Scrapes,
      minutes: number,
      expected: readonly AlertName[],
    ): Promise<void> {
      expect(await firingAlerts(scrapes, minutes)).toEqual([...expected].sort());
      for (const alert of expected) fired.add(alert);
    },

    /** The same, but on a busy machine calls are slow, which may fire as well. */
    async expectAlertsOfSlowCalls(
      scrapes: Scrapes,
      minutes: number,
      expected: readonly AlertName[],
    ): Promise<void> {
      const firing = await firingAlerts(scrapes, minutes);
      const ofTheirOwn = firing.filter((alert) => !OF_SLOW_CALLS.includes(alert));
      expect(ofTheirOwn).toEqual([...expected].sort());
      for (const alert of expected) fired.add(alert);
    },

    /** This one fires, whatever else does. */
    async expectAlert(scrapes: Scrapes, minutes: number, alert: AlertName): Promise<void> {
      expect(await firingAlerts(scrapes, minutes)).toContain(alert);
      fired.add(alert);
    },

    /** This one does not fire, whatever else does. */
    async expectNoAlert(scrapes: Scrapes, minutes: number, alert: AlertName): Promise<void> {
      expect(await firingAlerts(scrapes, minutes)).not.toContain(alert);
    },

    /** The last test of the file: each alert that the table promises of it has fired in this run. */
    allHaveFired(): void {
      test('each alert of this file has fired', () => {
        expect(provenAlerts[file].filter((alert) => !fired.has(alert))).toEqual([]);
      });
    },
  };
}
