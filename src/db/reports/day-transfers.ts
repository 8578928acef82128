import { sql } from 'kysely';
import type { Day } from '../../domain/reports/day-report.ts';
import type { LedgerAccountKind } from '../../domain/reports/movement-labels.ts';
import type { Database } from '../connection.ts';
import { isWithin } from '../days.ts';
import { amountOfAttempt } from '../topups/topup-state.ts';

/** A day of a time zone (IANA name). */
export interface ZonedDay {
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
export interface MovementSum {
  readonly from: LedgerAccountKind;
  readonly to: LedgerAccountKind;
  readonly ended: 'cancel' | 'expire' | null;
  /** 00:00 to 23:00 */
  readonly hour: string;
  readonly count: number;
  readonly amount: string;
}

/** What moved on a day, by hour. */
export async function readMovements(snapshot: Database, day: ZonedDay): Promise<MovementSum[]> {
  const { rows } = await sql<MovementSum>`
    select from_kind as "from", to_kind as "to",
      substring(operation_id from '^(cancel|expire)-') as ended,
      to_char(created_at at time zone ${day.zone}::text, 'HH24:00') as hour,
      count(1) as count, sum(amount)::numeric(20, 6)::text as amount
    from (${transfersOf(day)}) as transfer
    group by 1, 2, 3, 4`.execute(snapshot);
  return rows;
}

/** Top-ups of a day that moved from one account to another, by mobile operator. */
export interface TopupSum {
  readonly operator: 'ETHIO_TELECOM' | 'SAFARICOM_ETHIOPIA' | null;
  readonly from: LedgerAccountKind;
  readonly to: LedgerAccountKind;
  readonly count: number;
  readonly amount: string;
}

/** The top-ups of a day by what became of them. */
export async function readTopupSums(snapshot: Database, day: ZonedDay): Promise<TopupSum[]> {
  const { rows } = await sql<TopupSum>`
    select topup.operator, from_kind as "from", to_kind as "to", count(1) as count,
      sum(transfer.amount)::numeric(20, 6)::text as amount
    from (${transfersOf(day)}) as transfer
    left join lateral (
      select operator from topup_attempts join topups on topups.id = topup_id
      where topup_attempts.operation_id = transfer.operation_id
      offset 0
    ) as topup on true
    where 'airtime-hold' in (from_kind, to_kind)
    group by 1, 2, 3`.execute(snapshot);
  return rows;
}

/** A kind of movement, in the ledger and in the records of the same operations. */
export interface RecordedSum {
  readonly what: string;
  /** Decimal strings. */
  readonly booked: string;
  readonly recorded: string;
}

/** What the ledger booked on a day, beside what vouchers, redemptions and top-ups say. */
export async function readRecordedSums(snapshot: Database, day: ZonedDay): Promise<RecordedSum[]> {
  const { rows } = await sql<RecordedSum>`
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
      select ${amountOfAttempt} from topup_attempts as try join topups on topups.id = topup_id
      where what = 'top-ups delivered' and try.operation_id = transfer.operation_id
      offset 0
    ) as record on true
    where what is not null
    group by what order by what`.execute(snapshot);
  return rows;
}
