import { type RawBuilder, sql } from 'kysely';
import { DEPOSIT_REVERSAL } from '../../domain/statements/statement-labels.ts';
import { voucherMoves } from '../../domain/voucher.ts';
import type { Database } from '../connection.ts';
import { hasDelivery } from '../positions/write-order.ts';
import type { BookSubject } from '../schema/all-tables.ts';
import {
  type CheckedOrders,
  lostOrders,
  orderInvariants,
  ordersOfRedemptions,
  ordersOfTopups,
} from './order-invariants.ts';

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

/** The invariants of orders, for the orders of rows. */
const ofOrders = (orders: (ids: RawBuilder<unknown>) => CheckedOrders): readonly Invariant[] =>
  orderInvariants.map(([name, query]) => [name, (ids) => query(orders(ids))]);

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
    'B suspense has what nobody bears',
    (ids) => sql`
      select 'operation ' || moved.operation_id || ' of no order' as fault, moved.id
      from ${transfersWith(ids)} as moved
      join ledger_accounts as suspense on suspense.kind = 'suspense'
        and suspense.id in (debit_account_id, credit_account_id)
      where not exists (select from redemptions where operation_id = moved.operation_id)
        and not exists (select from topup_attempts where operation_id = moved.operation_id)
        and not exists (select from placements
          where moved.operation_id = 'recovered:' || reference
            and reference = substring(moved.operation_id from '^recovered:(.+)$'))`,
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
    'I5 a voucher is what remains, is held, pays for redemptions and was returned',
    (ids) => sql`
      select case when is_hold then 'hold of voucher ' else 'voucher ' end || id as fault, id
      from vouchers cross join lateral (
        select coalesce(sum(to_merchant + service_fee)
            filter (where charged), 0) as spent,
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

const ofPlacements: readonly Invariant[] = [
  ...ofOrders(lostOrders),
  [
    'E a placement says what was observed last',
    (ids) => sql`
      select 'placement ' || placement.id as fault, placement.id from placements as placement
      join lateral (
        select word, done from observations where placement_id = placement.id
        order by id desc limit 1) as seen on true
      where placement.id ${ids} and (placement.word, placement.done) <> (seen.word, seen.done)`,
  ],
];

const ofTopUps: readonly Invariant[] = [
  [
    'I5 the state of a top-up is that of its attempts',
    (ids) => sql`
      select 'state of top-up ' || topups.id as fault, topups.id from topups
      where topups.id ${ids} and status in ('SUCCESS', 'FAILED')
        and (status = 'SUCCESS') <> ${hasDelivery}
      union all
      select 'open attempt of top-up ' || topups.id, topups.id from topups
      where topups.id ${ids} and (status in ('PROCESSING', 'UNKNOWN')) <> coalesce((
        select true from topup_attempts
        where topup_attempts.topup_id = topups.id and topup_attempts.status = 'HELD' limit 1), false)`,
  ],
  [
    'I5 the newest attempt holds the price of its top-up',
    (ids) => sql`
      select 'top-up ' || id as fault, id from topups
      where id ${ids} and amount <> (
        select hold.amount from topup_attempts as try
        join ledger_transfers as hold on hold.operation_id = try.operation_id and step = 'hold'
        where try.topup_id = topups.id and try.attempt = topups.attempt)`,
  ],
  ...ofOrders(ordersOfTopups),
];

const invariants: Readonly<Record<BookSubject, readonly Invariant[]>> = {
  transfer: ofTransfers,
  voucher: ofVouchers,
  redemption: ofOrders(ordersOfRedemptions),
  placement: ofPlacements,
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
