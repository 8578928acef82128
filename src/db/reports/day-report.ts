import { formatMoney, type Money, parseMoney } from '../../domain/money.ts';
import { caseTitle } from '../../domain/positions/words.ts';
import {
  type CountedSum,
  type Day,
  type DayAccount,
  type DayBalance,
  type DayCheck,
  type DayHour,
  type DayMovement,
  type DayReport,
  type DayTopups,
  type DayWallet,
  lastClosedDay,
} from '../../domain/reports/day-report.ts';
import {
  ledgerAccountKinds,
  movementLabel,
  movementRank,
} from '../../domain/reports/movement-labels.ts';
import { type KnownFaults, readKnownFaults } from '../books/known-faults.ts';
import type { Database } from '../connection.ts';
import { countOpenCases, reportedCases } from '../positions/cases.ts';
import { type AccountDay, readAccountDays } from './day-balances.ts';
import {
  type MovementSum,
  type RecordedSum,
  readMovements,
  readRecordedSums,
  readTopupSums,
  type TopupSum,
  type ZonedDay,
} from './day-transfers.ts';

/** Open cases, and faults of a check, that a report names; it counts all. */
const NAMED = 50;

/**
 * The report of a day of a time zone, in one snapshot. It reads the ledger along its indexes: the
 * transfers of the day for what moved, and those since for the balances.
 */
export const readDayReport = (database: Database, day: ZonedDay): Promise<DayReport> =>
  database
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (snapshot) => {
      const madeAt = new Date();
      const movements = await readMovements(snapshot, day);
      const accounts = await readAccountDays(snapshot, day);
      const cases = await reportedCases(snapshot, NAMED);
      const counts = await countOpenCases(snapshot);
      const between = (from: string, to: string, hour?: string) =>
        total(
          movements.filter(
            (sum) =>
              sum.from === from && sum.to === to && (hour === undefined || sum.hour === hour),
          ),
        );
      const figures = (hour?: string) => {
        const payouts = between('gift-hold', 'mobile-money-clearing', hour);
        const fees = between('gift-hold', 'service-fees', hour);
        return {
          vouchers: between('gift', 'reserved', hour),
          topups: between('airtime-hold', 'airtime-clearing', hour),
          payouts,
          fees,
          redemptions: { count: payouts.count, amount: total([payouts, fees]).amount },
        };
      };
      const { vouchers, topups, payouts, fees, redemptions } = figures();
      return {
        ...day,
        madeAt,
        isClosed: day.day <= lastClosedDay(madeAt, day.zone),
        sales: { vouchers, topups },
        redemptions,
        payouts,
        fees,
        topups: (await readTopupSums(snapshot, day)).map(topupsOf).toSorted(byOperator),
        movements: movementsOf(movements),
        accounts: kindsOf(accounts),
        wallets: walletsOf(accounts),
        hours: hoursOf(figures),
        cases: cases.map(({ id, why, provider, reference, amount }) => ({
          id,
          what: caseTitle(why, parseMoney(amount)),
          ...{ provider, reference, amount },
        })),
        caseCount: counts.reduce((sum, { count }) => sum + count, 0),
        checks: [
          checkBalances(accounts),
          checkRecords(await readRecordedSums(snapshot, day)),
          checkBooks(await readKnownFaults(snapshot)),
        ],
      };
    });

/** The day of a text in a time zone, or the last closed one. */
export const zonedDay = (day: Day | undefined, zone: string): ZonedDay => ({
  day: day ?? lastClosedDay(new Date(), zone),
  zone,
});

const sumOf = (amounts: readonly string[]): Money =>
  amounts.reduce((sum, amount) => sum + parseMoney(amount), 0n);

const total = (sums: readonly CountedSum[]): CountedSum => ({
  count: sums.reduce((count, sum) => count + sum.count, 0),
  amount: formatMoney(sumOf(sums.map(({ amount }) => amount))),
});

/** Sums of one name between the same kinds of accounts are added up. */
function movementsOf(sums: readonly MovementSum[]): DayMovement[] {
  const found = new Map<string, DayMovement>();
  for (const sum of sums) {
    const { from, to } = sum;
    const label = movementLabel(sum);
    const name = `${label}|${from}|${to}`;
    found.set(name, { label, from, to, ...total([sum, ...some(found.get(name))]) });
  }
  return [...found.values()].toSorted(
    (one, other) => movementRank(one) - movementRank(other) || one.label.localeCompare(other.label),
  );
}

const some = <Value>(value: Value | undefined): Value[] => (value === undefined ? [] : [value]);

const outcomes = { airtime: 'failed', 'airtime-clearing': 'delivered' } as const;

const topupsOf = ({ operator, from, to, count, amount }: TopupSum): DayTopups => ({
  operator,
  outcome: from === 'airtime' ? 'begun' : (outcomes[to as keyof typeof outcomes] ?? 'failed'),
  count,
  amount,
});

const byOperator = (one: DayTopups, other: DayTopups): number =>
  `${one.operator} ${one.outcome}`.localeCompare(`${other.operator} ${other.outcome}`);

/** The balances of all partners together; the platform has one account of a kind. */
const kindsOf = (accounts: readonly AccountDay[]): DayAccount[] =>
  ledgerAccountKinds.map((kind) => {
    const ofKind = accounts.filter((account) => account.kind === kind);
    const sum = (field: keyof DayBalance) => formatMoney(sumOf(ofKind.map((one) => one[field])));
    return {
      kind,
      opening: sum('opening'),
      credited: sum('credited'),
      debited: sum('debited'),
      closing: sum('closing'),
    };
  });

const walletsOf = (accounts: readonly AccountDay[]): DayWallet[] =>
  accounts.flatMap(({ partnerId, partner, ...account }) =>
    partnerId === null || partner === null || isEmpty(account)
      ? []
      : { ...account, partnerId, partner },
  );

const isEmpty = ({ opening, credited, debited, closing }: DayBalance): boolean =>
  [opening, credited, debited, closing].every((amount) => parseMoney(amount) === 0n);

const hoursOf = (
  figures: (hour: string) => Pick<DayHour, 'vouchers' | 'topups' | 'redemptions'>,
): DayHour[] =>
  Array.from({ length: 24 }, (_, number) => {
    const hour = `${String(number).padStart(2, '0')}:00`;
    const { vouchers, topups, redemptions } = figures(hour);
    return { hour, vouchers, topups, redemptions };
  });

const check = (name: string, faults: readonly string[]): DayCheck => ({
  name,
  result: faults.length === 0 ? 'in order' : 'faulty',
  faults: faults.slice(0, NAMED),
});

/** All accounts together have nothing: what one has, another lacks. */
const checkBalances = (accounts: readonly AccountDay[]): DayCheck =>
  check(
    'All balances sum to zero',
    (['opening', 'closing'] as const).flatMap((when) => {
      const rest = sumOf(accounts.map((account) => account[when]));
      return rest === 0n ? [] : `The ${when} balances sum to ${formatMoney(rest)}`;
    }),
  );

const checkRecords = (sums: readonly RecordedSum[]): DayCheck =>
  check(
    'Vouchers, redemptions and top-ups agree with the ledger',
    sums
      .filter(({ booked, recorded }) => parseMoney(booked) !== parseMoney(recorded))
      .map(({ what, booked, recorded }) => `${what}: ledger ${booked}, records ${recorded}`),
  );

function checkBooks({ faults, areBalancesCompared }: KnownFaults): DayCheck {
  const found = check('The checks of the books know of no fault', faults);
  return areBalancesCompared || found.result === 'faulty'
    ? found
    : { ...found, result: 'not made yet' };
}
