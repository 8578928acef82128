import { sql } from 'kysely';
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
  type LedgerAccountKind,
  lastClosedDay,
  ledgerAccountKinds,
  movementLabel,
  movementRank,
} from '../../domain/day-report.ts';
import { formatMoney, parseMoney, sumOf } from '../../domain/money.ts';
import type { Operator } from '../../domain/phone.ts';
import { caseTitle } from '../../domain/positions/case-texts.ts';
import { type KnownFaults, readKnownFaults } from '../books/faults.ts';
import { ledgerSumsEnd } from '../books/sums.ts';
import { allRows, type Database, onlyRow } from '../connection.ts';
import { beginOf, endOf, isWithin } from '../days.ts';
import { hasNoKeptSum } from '../ledger/archives.ts';
import { requireInLedger } from '../ledger/read-archives.ts';
import { countOpenCases, reportedCases } from '../positions/cases.ts';
import { orderedOf } from '../positions/placements.ts';

/** A day of a time zone (IANA name). */
interface ZonedDay {
  readonly day: Day;
  readonly zone: string;
}

const daysOf = ({ day, zone }: ZonedDay) => ({ first: day, last: day, zone });

/**
 * The transfers of a day with the kinds of their accounts. Each account is read along its index; the
 * fence of `offset` keeps PostgreSQL from reading all transfers instead.
 */
const transfersOf = (day: ZonedDay) => sql`
  select transfer.*, debit.kind as from_kind, credit.kind as to_kind
  from ledger_accounts as debit
  cross join lateral (
    select created_at, operation_id, step, credit_account_id, amount from ledger_transfers
    where debit_account_id = debit.id and ${isWithin(sql`created_at`, daysOf(day))}
    offset 0
  ) as transfer
  join ledger_accounts as credit on credit.id = transfer.credit_account_id`;

/** Movements of a day between two kinds of accounts; amounts are decimal strings. */
interface MovementSum extends CountedSum {
  readonly from: LedgerAccountKind;
  readonly to: LedgerAccountKind;
  readonly ended: 'cancel' | 'expire' | null;
  /** 00:00 to 23:00 */
  readonly hour: string;
}

/** The movements of a day, by hour. */
const readMovements = (snapshot: Database, day: ZonedDay) =>
  allRows<MovementSum>(snapshot)`
    select from_kind as "from", to_kind as "to",
      substring(operation_id from '^(cancel|expire)-') as ended,
      to_char(created_at at time zone ${day.zone}::text, 'HH24:00') as hour,
      count(1) as count, sum(amount)::numeric(20, 6)::text as amount
    from (${transfersOf(day)}) as transfer
    group by 1, 2, 3, 4`;

/** Top-ups of a day that moved from one account to another, by mobile operator. */
interface TopupSum extends CountedSum, Pick<MovementSum, 'from' | 'to'> {
  readonly operator: Operator | null;
}

/** The top-ups of a day, by their movements and mobile operators. */
const readTopupSums = (snapshot: Database, day: ZonedDay) =>
  allRows<TopupSum>(snapshot)`
    select topup.operator, from_kind as "from", to_kind as "to", count(1) as count,
      sum(transfer.amount)::numeric(20, 6)::text as amount
    from (${transfersOf(day)}) as transfer
    left join lateral (
      select operator from topup_attempts join topups on topups.id = topup_id
      where topup_attempts.operation_id = transfer.operation_id
      offset 0
    ) as topup on true
    where 'airtime-hold' in (from_kind, to_kind)
    group by 1, 2, 3`;

/** A kind of movement, in the ledger and in the records of the same operations. */
interface RecordedSum {
  readonly what: string;
  /** Decimal strings. */
  readonly booked: string;
  readonly recorded: string;
}

/** The sums that the ledger booked on a day, next to those of vouchers, redemptions and top-ups. */
const readRecordedSums = (snapshot: Database, day: ZonedDay) =>
  allRows<RecordedSum>(snapshot)`
    select what, sum(transfer.amount)::numeric(20, 6)::text as booked,
      coalesce(sum(record.amount), 0)::numeric(20, 6)::text as recorded
    from (
      select operation_id, amount, case from_kind || ' ' || to_kind
        when 'gift reserved' then 'vouchers generated'
        when 'gift-hold mobile-money-clearing' then 'payouts'
        when 'gift-hold service-fees' then 'service fees'
        when 'airtime-hold airtime-clearing' then 'top-ups delivered' end as what
      from (${transfersOf(day)}) as of_day
      offset 0
    ) as transfer
    left join lateral (
      select amount from vouchers
      where what = 'vouchers generated' and operation_id = transfer.operation_id
      union all
      select case what when 'payouts' then to_merchant else service_fee end from redemptions
      where what in ('payouts', 'service fees') and operation_id = transfer.operation_id
      union all
      select ${orderedOf(sql`try.operation_id`)} from topup_attempts as try
      where what = 'top-ups delivered' and try.operation_id = transfer.operation_id
      offset 0
    ) as record on true
    where what is not null
    group by what order by what`;

/** An account over a day. */
interface AccountDay extends DayBalance {
  readonly kind: LedgerAccountKind;
  /** Null for an account of the platform. */
  readonly partnerId: number | null;
  readonly partner: string | null;
}

/**
 * All accounts over a day. The balances are computed backwards from those of now, so that only
 * transfers since the day began are read. An account of the platform has no balance: its sum is that
 * of the last check of the books, and of what is newer.
 */
function readAccountDays(snapshot: Database, day: ZonedDay) {
  const [begin, end] = [beginOf(day), endOf(day)];
  return allRows<AccountDay>(snapshot)`
    with moved as materialized (
      select debit.id as debit_id, transfer.*
      from ledger_accounts as debit cross join lateral (
        select credit_account_id as credit_id, created_at < ${end} as is_of_day,
          sum(amount) as amount
        from ledger_transfers
        where debit_account_id = debit.id and created_at >= ${begin}
        group by 1, 2
      ) as transfer
    ), entry as (
      select account_id,
        coalesce(sum(amount) filter (where is_of_day and is_credit), 0) as credited,
        coalesce(sum(amount) filter (where is_of_day and not is_credit), 0) as debited,
        coalesce(sum(case when is_credit then amount else -amount end)
          filter (where not is_of_day), 0) as since
      from (
        select credit_id as account_id, is_of_day, true as is_credit, amount from moved
        union all
        select debit_id, is_of_day, false, amount from moved
      ) as sides
      group by account_id
    ), newer as materialized (
      select created_at, step, debit_account_id, credit_account_id, amount from ledger_transfers
      where id > ${ledgerSumsEnd}
    ), summed as (
      select account_id, sum(amount) as amount from (
        select account_id, amount from checked_balances
        union all
        select credit_account_id, amount from newer where ${hasNoKeptSum}
        union all
        select debit_account_id, -amount from newer where ${hasNoKeptSum}
      ) as sums group by account_id
    ), account as (
      select account.id, kind, partner_id, company_name,
        coalesce(balance, summed.amount, 0) - coalesce(since, 0) as closing,
        coalesce(credited, 0) as credited, coalesce(debited, 0) as debited
      from ledger_accounts as account
      left join partners on partners.id = partner_id
      left join entry on entry.account_id = account.id
      left join summed on summed.account_id = account.id
    )
    select kind, partner_id as "partnerId", company_name as partner,
      (closing - credited + debited)::numeric(30, 6)::text as opening,
      credited::numeric(30, 6)::text as credited, debited::numeric(30, 6)::text as debited,
      closing::numeric(30, 6)::text as closing
    from account order by partner_id nulls last, id`;
}

/**
 * The time up to which a snapshot has all that was written: now, or the last commit that a replica has got. A replica
 * that has got none since its start has all from before the checkpoint that it started from.
 */
async function readDataTime(snapshot: Database): Promise<Date> {
  const { at } = await onlyRow<{ at: Date }>(snapshot, 'PostgreSQL has no time')`
    select case when pg_is_in_recovery() then coalesce(
        pg_last_xact_replay_timestamp(), (select checkpoint_time from pg_control_checkpoint()))
      else now() end as at`;
  return at;
}

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
      const madeAt = await readDataTime(snapshot);
      await requireInLedger(snapshot, beginOf(day));
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
        cases: cases.map(({ why, difference, ...one }) => ({
          ...one,
          what: caseTitle({ why, difference }),
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
