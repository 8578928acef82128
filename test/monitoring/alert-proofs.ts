import { expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { firingAlerts, type Scrapes } from './firing-alerts.ts';

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
    'CasesOpen',
    'ProviderOutcomesUnknown',
  ],
  'alerts-of-outboxes': ['OutboxStuck', 'RepairsToConfirm'],
  'alerts-of-schedules': ['EmailsUndelivered', 'ScheduleFailed', 'ScheduleLate'],
  'alerts-of-workflows': ['ClockWrong', 'WorkflowTasksFail'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** They fire as well where the machine holds up calls, or the process, for a moment. */
const OF_A_BUSY_MACHINE: readonly string[] = [
  'EventLoopBlocked',
  'LatencyBudgetBurns',
  'LatencyBudgetBurnsFast',
];

type ProofFile = keyof typeof provenAlerts;
type AlertName = (typeof provenAlerts)[ProofFile][number];

/**
 * The only way in which a file of tests asks what fires: what was expected and has fired is noted.
 */
export function alertProofs(file: ProofFile) {
  const fired = new Set<string>();
  return {
    /** These fire, and no other one, after some minutes in which the service goes on as between the scrapes. */
    async expectAlerts(
      scrapes: Scrapes,
      minutes: number,
      expected: readonly AlertName[],
    ): Promise<void> {
      const firing = await firingAlerts(scrapes, minutes);
      const isByItself = (alert: string) =>
        OF_A_BUSY_MACHINE.includes(alert) && !expected.some((one) => one === alert);
      expect(firing.filter((alert) => !isByItself(alert))).toEqual([...expected].sort());
      for (const alert of expected) fired.add(alert);
    },

    /** The same without any allowance: a busy machine is given several tries. */
    expectNoOther: (
      makeScrapes: () => Promise<Scrapes>,
      minutes: number,
      expected: readonly AlertName[],
    ): Promise<void> =>
      until(async () => {
        expect(await firingAlerts(await makeScrapes(), minutes)).toEqual([...expected].sort());
        for (const alert of expected) fired.add(alert);
      }),

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
