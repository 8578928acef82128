import { type RawBuilder, sql } from 'kysely';
import {
  DEPOSIT_REVERSAL,
  FEE_REVERSAL,
  LATE_SUCCESS_SETTLEMENT,
  PAYMENT_REVERSAL,
  REVERSAL_SETTLEMENT,
} from '../../domain/statements/statement-labels.ts';
import { voucherMoves } from '../../domain/voucher.ts';
import type { Database } from '../connection.ts';
import type { BookSubject } from '../schema/all-tables.ts';
import { hasDelivery, isChargedAtOnce } from '../topups/topup-state.ts';

/** A fault, and the row that it is about. */
export interface BookFault {
  /** For people. */
  readonly line: string;
  readonly subject: BookSubject;
  readonly id: number;
}

/** Which rows are checked: what stands behind the column of their id, like `= any($1)`. */
export type SubjectIds = Readonly<Partial<Record<BookSubject, RawBuilder<unknown>>>>;

type Invariant = readonly [
  name: string,
  /** Rows of `fault`, which names the faulty row for people, and its `id`. */
  query: (ids: RawBuilder<unknown>) => RawBuilder<{ fault: string; id: number }>,
];

/** A reversal that a merchant asked for has returned the value of the redemption. */
const isReversed = sql`exists (select from redemption_reversals as reversal
  where reversal.redemption_id = redemptions.id and reversal.status = 'SUCCESS')`;

const TAKEN_BACK = 'I6 what was taken back is what was done before, once';

/**
 * Transfers by their ids. `offset 0` keeps their steps out of the search: PostgreSQL would else look for a
 * batch of ids through the whole index of the rare steps, which grows with history.
 */
const transfersWith = (ids: RawBuilder<unknown>) => sql`(
  select id, operation_id, step, debit_account_id, credit_account_id, amount
  from ledger_transfers where id ${ids} offset 0)`;

const ofTransfers: readonly Invariant[] = [
  [
    'I1 a transfer moves one amount from one account to another',
    (ids) => sql`
      select 'transfer ' || id as fault, id from ledger_transfers
      where id ${ids} and (amount <= 0 or debit_account_id = credit_account_id)`,
  ],
  [
    'I6 what was settled is what was done late, once',
    (ids) => sql`
      select 'operation ' || settlement.operation_id as fault, settlement.id
      from ${transfersWith(ids)} as settlement
      join ledger_accounts as suspense
        on suspense.id = settlement.credit_account_id and suspense.kind = 'suspense'
      where settlement.step = ${LATE_SUCCESS_SETTLEMENT} and not exists (
        select from ledger_transfers as late
        where late.operation_id = settlement.operation_id and late.step = 'late-success'
          and late.debit_account_id = suspense.id and late.amount = settlement.amount)`,
  ],
  [
    'I6 what was reversed is what was deposited, once',
    (ids) => sql`
      select 'operation ' || reversal.operation_id as fault, reversal.id
      from ${transfersWith(ids)} as reversal
      where reversal.step = ${DEPOSIT_REVERSAL} and not exists (
        select from ledger_transfers as deposit
        where deposit.operation_id = reversal.operation_id and deposit.step = 'deposit'
          and deposit.credit_account_id = reversal.debit_account_id
          and deposit.debit_account_id = reversal.credit_account_id
          and deposit.amount = reversal.amount)`,
  ],
  [
    TAKEN_BACK,
    (ids) => sql`
      select 'operation ' || reversal.operation_id as fault, reversal.id
      from ${transfersWith(ids)} as reversal
      where reversal.step = 'reversal' and not exists (
        select from ledger_transfers as posted
        where posted.operation_id = reversal.operation_id
          and posted.step in ('post', 'post-payment') and posted.amount = reversal.amount
          and posted.credit_account_id = reversal.debit_account_id)
      union all
      select 'settlement of operation ' || settlement.operation_id, settlement.id
      from ${transfersWith(ids)} as settlement
      where settlement.step = ${REVERSAL_SETTLEMENT} and not exists (
        select from ledger_transfers as reversal
        where reversal.operation_id = settlement.operation_id and reversal.step = 'reversal'
          and reversal.credit_account_id = settlement.debit_account_id
          and reversal.amount = settlement.amount)`,
  ],
  [
    'I6 what a merchant reversed is what was paid, once',
    (ids) => sql`
      select 'operation ' || moved.operation_id as fault, moved.id
      from ${transfersWith(ids)} as moved
      where moved.step in (${PAYMENT_REVERSAL}, ${FEE_REVERSAL}) and not exists (
        select from redemption_reversals as reversal
        where reversal.operation_id = moved.operation_id and reversal.status = 'SUCCESS')`,
  ],
];

const ofVouchers: readonly Invariant[] = [
  [
    'I3 nothing is below zero',
    (ids) => sql`
      select 'voucher ' || id as fault, id from vouchers
      where id ${ids} and (remaining < 0 or held < 0 or returned < 0)`,
  ],
  [
    'I5 a voucher is what remains, is held, was redeemed and was returned',
    (ids) => sql`
      select case when is_hold then 'hold of voucher ' else 'voucher ' end || id as fault, id
      from vouchers cross join lateral (
        select coalesce(sum(to_merchant + service_fee)
            filter (where status = 'POSTED' and not ${isReversed}), 0) as spent,
          coalesce(sum(to_merchant + service_fee) filter (where status = 'HELD'), 0) as holds
        from redemptions where redemptions.voucher_id = vouchers.id) as redeemed
      cross join lateral (values
        (false, amount <> remaining + held + returned + spent),
        (true, held <> holds)) as test (is_hold, is_broken)
      where id ${ids} and is_broken`,
  ],
  [
    'I10 a voucher moves only along the allowed graph',
    (ids) => sql`
      select 'voucher ' || voucher_id || ': ' || from_status || ' to ' || to_status as fault,
        voucher_id as id
      from (
        select voucher_id, from_status, to_status,
          lag(to_status, 1, 'ACTIVE') over (partition by voucher_id order by id) as previous
        from voucher_status_changes where voucher_id ${ids}) as changes
      where from_status <> previous or not ${sql.lit(JSON.stringify(voucherMoves))}::jsonb
        -> from_status ? to_status
      union all
      select 'voucher ' || vouchers.id || ' is ' || status || ' without a move to it', vouchers.id
      from vouchers
      where vouchers.id ${ids} and status <> coalesce((
        select to_status from voucher_status_changes
        where voucher_id = vouchers.id order by id desc limit 1), 'ACTIVE')`,
  ],
];

const hasReversalTransfer = (operationId: string) => sql`exists (
  select from ledger_transfers where operation_id = ${sql.ref(operationId)} and step = 'reversal')`;

const ofRedemptions: readonly Invariant[] = [
  [
    'I5 what was redeemed is what the ledger paid out',
    (ids) => sql`
      select distinct 'redemption ' || redemptions.id as fault, redemptions.id from redemptions
      cross join lateral (values
        ('post-payment', 'mobile-money-clearing', to_merchant),
        ('post-service-fee', 'service-fees', service_fee)) as leg (step, kind, booked)
      where redemptions.id ${ids} and status = 'POSTED' and booked <> (
        select coalesce(sum(amount), 0) from ledger_transfers
        join ledger_accounts as credit on credit.id = credit_account_id
        where ledger_transfers.operation_id = redemptions.operation_id
          and ledger_transfers.step = leg.step and credit.kind = leg.kind)`,
  ],
  [
    TAKEN_BACK,
    (ids) => sql`
      select 'row of operation ' || operation_id as fault, id from redemptions
      where id ${ids} and reversed_at is not null and not ${isReversed}
        and not ${hasReversalTransfer('redemptions.operation_id')}`,
  ],
];

const ofReversals: readonly Invariant[] = [
  [
    'I6 what a merchant reversed is what was paid, once',
    (ids) => sql`
      select distinct 'reversal ' || reversal.id as fault, reversal.id
      from redemption_reversals as reversal
      join redemptions on redemptions.id = reversal.redemption_id
      cross join lateral (values
        (${PAYMENT_REVERSAL}, 'mobile-money-clearing', to_merchant),
        (${FEE_REVERSAL}, 'service-fees', service_fee)) as leg (step, kind, paid)
      where reversal.id ${ids} and (redemptions.status <> 'POSTED'
        or reversal.status = 'SUCCESS' and redemptions.reversed_at is null
        or (case reversal.status when 'SUCCESS' then paid else 0 end) <> (
          select coalesce(sum(moved.amount), 0) from ledger_transfers as moved
          join ledger_accounts as debit on debit.id = debit_account_id and debit.kind = leg.kind
          join ledger_accounts as credit on credit.id = credit_account_id
            and credit.kind = case reversal.credited_to when 'gift' then 'gift' else 'reserved' end
          where moved.operation_id = reversal.operation_id and moved.step = leg.step))`,
  ],
];

const ofTopUps: readonly Invariant[] = [
  [
    'I5 a top-up is charged once when it was delivered, and else not',
    (ids) => sql`
      select 'top-up ' || topups.id as fault, topups.id from topups
      where topups.id ${ids}
        and case when status = 'SUCCESS' and ${isChargedAtOnce} then amount else 0 end <> (
        select coalesce(sum(case step when 'post' then moved.amount else -moved.amount end), 0)
        from ledger_transfers as moved
        join ledger_accounts as credit on credit.id = credit_account_id
        join topup_attempts on topup_attempts.operation_id = moved.operation_id
        where topup_attempts.topup_id = topups.id
          and (step = 'post' or step = ${REVERSAL_SETTLEMENT} and credit.kind = 'airtime'))
      union all
      select 'state of top-up ' || topups.id, topups.id from topups
      where topups.id ${ids} and status in ('SUCCESS', 'FAILED')
        and (status = 'SUCCESS') <> ${hasDelivery}
      union all
      select 'open attempt of top-up ' || topups.id, topups.id from topups
      where topups.id ${ids} and (status in ('PROCESSING', 'UNKNOWN')) <> coalesce((
        select true from topup_attempts
        where topup_attempts.topup_id = topups.id and topup_attempts.status = 'HELD' limit 1), false)`,
  ],
  [
    TAKEN_BACK,
    (ids) => sql`
      select 'row of operation ' || operation_id as fault, topup_id as id from topup_attempts
      where topup_id ${ids} and reversed_at is not null
        and not ${hasReversalTransfer('topup_attempts.operation_id')}`,
  ],
];

const invariants: Readonly<Record<BookSubject, readonly Invariant[]>> = {
  transfer: ofTransfers,
  voucher: ofVouchers,
  redemption: ofRedemptions,
  reversal: ofReversals,
  'top-up': ofTopUps,
};

/** The faults of the given rows, as a transaction sees them; none when all is well. */
export async function brokenSubjects(
  transaction: Database,
  subjects: SubjectIds,
): Promise<BookFault[]> {
  const faults: BookFault[] = [];
  for (const [subject, ids] of Object.entries(subjects) as [BookSubject, RawBuilder<unknown>][])
    for (const [name, query] of invariants[subject]) {
      const { rows } = await query(ids).execute(transaction);
      faults.push(...rows.map(({ fault, id }) => ({ line: `${name}: ${fault}`, subject, id })));
    }
  return faults;
}
