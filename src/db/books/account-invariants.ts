import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../connection.ts';

/** What the balances are compared with; several rows of one account or partner are added up. */
export interface BookSums {
  /** Rows of `account_id`, `amount`: credits minus debits. */
  readonly entries: RawBuilder<unknown>;
  /** Rows of `partner_id`, `remaining`, `held`: what vouchers hold. */
  readonly holdings: RawBuilder<unknown>;
}

/** Entries of the transfers with these ids, by account. `ids` stands behind the column, like `> 7`. */
export const entriesOf = (ids: RawBuilder<unknown>) => sql`
  select credit_account_id as account_id, sum(amount) as amount
  from ledger_transfers where id ${ids} group by credit_account_id
  union all
  select debit_account_id, -sum(amount) from ledger_transfers where id ${ids}
  group by debit_account_id`;

/**
 * The invariants of the accounts (I2, I3, I4): one line per fault. The sums and the balances must be of one snapshot.
 */
export async function brokenAccounts(
  transaction: Database,
  { entries, holdings }: BookSums,
): Promise<string[]> {
  const { rows } = await sql<{ fault: string }>`
    with entry as (select account_id, sum(amount) as amount from (${entries}) as entries
      group by account_id),
    holding as (select partner_id, sum(remaining) as remaining, sum(held) as held
      from (${holdings}) as holdings group by partner_id),
    airtime as (select partner_id, sum(topups.amount) as held from topup_attempts
      join topups on topups.id = topup_id where topup_attempts.status = 'HELD' group by partner_id),
    account as (
      select id, kind, account.partner_id, balance, coalesce(entry.amount, 0) as booked,
        case kind when 'reserved' then coalesce(remaining, 0)
          when 'gift-hold' then coalesce(holding.held, 0)
          when 'airtime-hold' then coalesce(airtime.held, 0) end as expected
      from ledger_accounts as account
      left join entry on entry.account_id = account.id
      left join holding on holding.partner_id = account.partner_id and kind in ('reserved', 'gift-hold')
      left join airtime on airtime.partner_id = account.partner_id and kind = 'airtime-hold')
    select 'I2 a cached balance is the sum of its transfers: ' || kind || ' of partner ' || partner_id
      as fault from account where balance <> booked
    union all
    select 'I2 all balances sum to zero: sum ' || total from (
      select sum(coalesce(balance, booked)) as total from account) as totals where total <> 0
    union all
    select 'I3 nothing is below zero: ' || kind || ' of partner ' || partner_id from account
      where balance < 0
    union all
    select case kind when 'airtime-hold' then 'I4 airtime on hold is what open top-ups hold'
        else 'I4 what is reserved is what the vouchers still hold' end
      || ': ' || kind || ' of partner ' || partner_id
    from account where balance <> expected`.execute(transaction);
  return rows.map(({ fault }) => fault);
}
