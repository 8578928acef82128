import { sql } from 'kysely';
import type { DayBalance } from '../../domain/reports/day-report.ts';
import type { LedgerAccountKind } from '../../domain/reports/movement-labels.ts';
import { entriesOf } from '../books/account-invariants.ts';
import type { Database } from '../connection.ts';
import type { ZonedDay } from './day-transfers.ts';

/** An account over a day. */
export interface AccountDay extends DayBalance {
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
export async function readAccountDays(
  snapshot: Database,
  { day, zone }: ZonedDay,
): Promise<AccountDay[]> {
  const begin = sql`(${day}::timestamp at time zone ${zone}::text)`;
  const end = sql`((${day}::timestamp + interval '1 day') at time zone ${zone}::text)`;
  const summedTo = sql`(select checked_to from book_checkpoints where source = 'sums')`;
  const { rows } = await sql<AccountDay>`
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
    ), summed as (
      select account_id, sum(amount) as amount from (
        select account_id, amount from checked_balances
        union all
        select account_id, amount from (${entriesOf(sql`> ${summedTo}`)}) as newer
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
    from account order by partner_id nulls last, id`.execute(snapshot);
  return rows;
}
