import { sql } from 'kysely';
import {
  DEPOSIT_REVERSAL,
  LATE_SUCCESS_SETTLEMENT,
  REVERSAL_SETTLEMENT,
} from '../../domain/statement-labels.js';
import { voucherMoves } from '../../domain/voucher.js';
import type { Database } from '../connection.js';
import { hasDelivery, isChargedAtOnce } from '../topups/topup-state.js';

/** One query per invariant; each result row is a fault, described by `fault`. */
const invariants: Readonly<Record<string, ReturnType<typeof sql<{ fault: string }>>>> = {
  'I1 a transfer moves one amount from one account to another': sql`
    select 'transfer ' || id as fault from ledger_transfers
    where amount <= 0 or debit_account_id = credit_account_id`,

  'I2 a cached balance is the sum of its transfers': sql`
    select kind || ' of partner ' || partner_id as fault from ledger_accounts as account
    where balance is not null and balance <> (
      select coalesce(sum(amount) filter (where credit_account_id = account.id), 0)
        - coalesce(sum(amount) filter (where debit_account_id = account.id), 0)
      from ledger_transfers
      where account.id in (debit_account_id, credit_account_id))`,

  'I2 all balances sum to zero': sql`
    select 'sum ' || total as fault from (
      select sum(case when account.balance is not null then account.balance else (
          select coalesce(sum(amount) filter (where credit_account_id = account.id), 0)
            - coalesce(sum(amount) filter (where debit_account_id = account.id), 0)
          from ledger_transfers
          where account.id in (debit_account_id, credit_account_id)) end) as total
      from ledger_accounts as account) as totals
    where total <> 0`,

  'I3 nothing is below zero': sql`
    select kind || ' of partner ' || partner_id as fault from ledger_accounts where balance < 0
    union all
    select 'voucher ' || id from vouchers where remaining < 0 or held < 0 or returned < 0`,

  'I4 what is reserved is what the vouchers still hold': sql`
    select kind || ' of partner ' || account.partner_id as fault
    from ledger_accounts as account
    where kind in ('reserved', 'gift-hold') and balance <> (
      select coalesce(sum(case when account.kind = 'reserved' then remaining else held end), 0)
      from vouchers where vouchers.partner_id = account.partner_id)`,

  'I5 a voucher is what remains, is held, was redeemed and was returned': sql`
    select 'voucher ' || id as fault from vouchers
    where amount <> remaining + held + returned + (
      select coalesce(sum(to_merchant + service_fee), 0) from redemptions
      where redemptions.voucher_id = vouchers.id and status = 'POSTED')
    union all
    select 'hold of voucher ' || id from vouchers
    where held <> (
      select coalesce(sum(to_merchant + service_fee), 0) from redemptions
      where redemptions.voucher_id = vouchers.id and status = 'HELD')`,

  'I5 what was redeemed is what the ledger paid out': sql`
    select distinct 'redemption ' || redemptions.id as fault from redemptions
    cross join lateral (values
      ('post-payment', 'mobile-money-clearing', to_merchant),
      ('post-service-fee', 'service-fees', service_fee)) as leg (step, kind, booked)
    where status = 'POSTED' and booked <> (
      select coalesce(sum(amount), 0) from ledger_transfers
      join ledger_accounts as credit on credit.id = credit_account_id
      where ledger_transfers.operation_id = redemptions.operation_id
        and ledger_transfers.step = leg.step and credit.kind = leg.kind)`,

  'I4 airtime on hold is what open top-ups hold': sql`
    select 'airtime-hold of partner ' || account.partner_id as fault
    from ledger_accounts as account
    where kind = 'airtime-hold' and balance <> (
      select coalesce(sum(topups.amount), 0) from topups
      join topup_attempts on topup_attempts.topup_id = topups.id
      where topup_attempts.status = 'HELD' and topups.partner_id = account.partner_id)`,

  'I5 a top-up is charged once when it was delivered, and else not': sql`
    select 'top-up ' || topups.id as fault from topups
    where case when status = 'SUCCESS' and ${isChargedAtOnce} then amount else 0 end <> (
      select coalesce(sum(case step when 'post' then moved.amount else -moved.amount end), 0)
      from ledger_transfers as moved
      join ledger_accounts as credit on credit.id = credit_account_id
      join topup_attempts on topup_attempts.operation_id = moved.operation_id
      where topup_attempts.topup_id = topups.id
        and (step = 'post' or step = ${REVERSAL_SETTLEMENT} and credit.kind = 'airtime'))
    union all
    select 'state of top-up ' || topups.id from topups
    where status in ('SUCCESS', 'FAILED') and (status = 'SUCCESS') <> ${hasDelivery}
    union all
    select 'open attempt of top-up ' || topups.id from topups
    where (status in ('PROCESSING', 'UNKNOWN')) <> exists (
      select from topup_attempts
      where topup_attempts.topup_id = topups.id and topup_attempts.status = 'HELD')`,

  'I6 what was settled is what was done late, once': sql`
    select 'operation ' || settlement.operation_id as fault
    from ledger_transfers as settlement
    join ledger_accounts as suspense
      on suspense.id = settlement.credit_account_id and suspense.kind = 'suspense'
    where settlement.step = ${LATE_SUCCESS_SETTLEMENT} and not exists (
      select from ledger_transfers as late
      where late.operation_id = settlement.operation_id and late.step = 'late-success'
        and late.debit_account_id = suspense.id and late.amount = settlement.amount)`,

  'I6 what was reversed is what was deposited, once': sql`
    select 'operation ' || reversal.operation_id as fault
    from ledger_transfers as reversal
    where reversal.step = ${DEPOSIT_REVERSAL} and not exists (
      select from ledger_transfers as deposit
      where deposit.operation_id = reversal.operation_id and deposit.step = 'deposit'
        and deposit.credit_account_id = reversal.debit_account_id
        and deposit.debit_account_id = reversal.credit_account_id
        and deposit.amount = reversal.amount)`,

  'I6 what was taken back is what was done before, once': sql`
    select 'operation ' || reversal.operation_id as fault from ledger_transfers as reversal
    where reversal.step = 'reversal' and not exists (
      select from ledger_transfers as posted
      where posted.operation_id = reversal.operation_id
        and posted.step in ('post', 'post-payment') and posted.amount = reversal.amount
        and posted.credit_account_id = reversal.debit_account_id)
    union all
    select 'settlement of operation ' || settlement.operation_id
    from ledger_transfers as settlement
    where settlement.step = ${REVERSAL_SETTLEMENT} and not exists (
      select from ledger_transfers as reversal
      where reversal.operation_id = settlement.operation_id and reversal.step = 'reversal'
        and reversal.credit_account_id = settlement.debit_account_id
        and reversal.amount = settlement.amount)
    union all
    select 'row of operation ' || operation_id from (
      select operation_id from redemptions where reversed_at is not null
      union all select operation_id from topup_attempts where reversed_at is not null
    ) as reversed
    where not exists (
      select from ledger_transfers
      where ledger_transfers.operation_id = reversed.operation_id and step = 'reversal')`,

  'I10 a voucher moves only along the allowed graph': sql`
    select 'voucher ' || voucher_id || ': ' || from_status || ' to ' || to_status as fault
    from (
      select voucher_id, from_status, to_status,
        lag(to_status, 1, 'ACTIVE') over (partition by voucher_id order by id) as previous
      from voucher_status_changes) as changes
    where from_status <> previous or not ${sql.lit(JSON.stringify(voucherMoves))}::jsonb
      -> from_status ? to_status
    union all
    select 'voucher ' || vouchers.id || ' is ' || status || ' without a move to it'
    from vouchers
    where status <> coalesce((
      select to_status from voucher_status_changes
      where voucher_id = vouchers.id order by id desc limit 1), 'ACTIVE')`,
};

/** One line per fault that a transaction sees, none when all is well. */
export async function brokenInvariantsIn(transaction: Database): Promise<string[]> {
  const faults: string[] = [];
  for (const [name, query] of Object.entries(invariants)) {
    const { rows } = await query.execute(transaction);
    faults.push(...rows.map(({ fault }) => `${name}: ${fault}`));
  }
  return faults;
}

/**
 * Checks the invariants of money and state (I1–I6 and I10) for tests, operators and the scheduled
 * reconciliation. Returns one line per fault. It reads in one snapshot, so it may run during live
 * traffic.
 */
export const findBrokenInvariants = (database: Database): Promise<string[]> =>
  database
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(brokenInvariantsIn);
