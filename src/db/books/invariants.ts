import { type RawBuilder, sql } from 'kysely';
import { DEPOSIT_CORRECTION } from '../../domain/statements.ts';
import { voucherMoves } from '../../domain/vouchers/voucher.ts';
import { allRows, allValues, type Database, type Sql } from '../connection.ts';
import type { UncheckedChangesTable } from '../generated/tables.ts';
import { archivedUntil } from '../ledger/archives.ts';
import { hasDelivery } from '../positions/change.ts';
import { orderedOf } from '../positions/placements.ts';

/** The subject of an invariant. */
export type BookSubject = UncheckedChangesTable['subject'];

/** Entries of the transfers with these ids, by account. `ids` stands behind the column, like `> 7`. */
export const entriesOf = (ids: Sql) => sql`
  select credit_account_id as account_id, sum(amount) as amount
  from ledger_transfers where id ${ids} group by credit_account_id
  union all
  select debit_account_id, -sum(amount) from ledger_transfers where id ${ids}
  group by debit_account_id`;

/**
 * The invariants of balances (I2, I3): one line per fault. The entries and the balances must be of one snapshot.
 *
 * @param entries SQL query: `account_id` and `amount`, credits minus debits; rows of one account are added up
 */
export const brokenBalances = (transaction: Database, entries: Sql) =>
  allValues<string>(transaction)`
    with account as (
      select id, kind, partner_id, balance, coalesce(amount, 0) as booked
      from ledger_accounts left join (
        select account_id, sum(amount) as amount from (${entries}) as entries group by account_id
      ) as entry on account_id = id)
    select 'I2 a cached balance is the sum of its transfers: ' || kind || ' of partner ' || partner_id
      as fault from account where balance <> booked
    union all
    select 'I2 all balances sum to zero: sum ' || total from (
      select sum(coalesce(balance, booked)) as total from account) as totals where total <> 0
    union all
    select 'I3 nothing is below zero: ' || kind || ' of partner ' || partner_id from account
      where balance < 0`;

/**
 * The invariant of what is reserved or on hold (I4): one line per fault. The holdings and the balances must be of one
 * snapshot.
 *
 * @param holdings SQL query: `partner_id`, `remaining` and `held`; rows of one partner are added up
 */
export const brokenHoldings = (transaction: Database, holdings: Sql) =>
  allValues<string>(transaction)`
    with holding as (
      select partner_id, sum(remaining) as remaining, sum(held) as held
      from (${holdings}) as holdings group by partner_id
    ), airtime as (
      select partner_id, sum(topups.amount) as held from topup_attempts
      join topups on topups.id = topup_id where topup_attempts.status = 'HELD' group by partner_id)
    select case kind when 'airtime-hold' then 'I4 airtime on hold is what open top-ups hold'
        else 'I4 what is reserved is what the vouchers still hold' end
      || ': ' || kind || ' of partner ' || partner_id as fault
    from ledger_accounts
    left join holding using (partner_id)
    left join airtime using (partner_id)
    where balance <> case kind when 'reserved' then coalesce(remaining, 0)
      when 'gift-hold' then coalesce(holding.held, 0)
      when 'airtime-hold' then coalesce(airtime.held, 0) end
    order by ledger_accounts.id`;

/**
 * SQL: orders to be checked, with the columns `name` for people, `id` of the checked row, `operation_id`, `reference`,
 * `is_payment`, `status`, `charged`, `is_with_partner`, `price` and `fee`.
 */
type CheckedOrders = Sql;

/** SQL condition on a redemption or an attempt: all its transfers are in the table. */
const isInLedger = sql`(created_at >= coalesce(${archivedUntil}, '-infinity'::timestamptz))`;

const ordersOfRedemptions = (ids: Sql): CheckedOrders => sql`
  select 'redemption ' || id as name, id, operation_id, payment_reference::text as reference,
    true as is_payment, status, charged, credited_to = 'gift' as is_with_partner,
    to_merchant as price, service_fee as fee
  from redemptions where id ${ids} and ${isInLedger}`;

const ordersOfTopups = (ids: Sql): CheckedOrders => sql`
  select 'top-up ' || topup_id || ', attempt ' || attempt as name, topup_id as id, operation_id,
    reference, false as is_payment, status, charged, false as is_with_partner,
    ${orderedOf(sql`try.operation_id`)} as price, 0::numeric as fee
  from topup_attempts as try where topup_id ${ids} and ${isInLedger}`;

/** What a restore lost, by one of its placements. */
const lostOrders = (ids: Sql): CheckedOrders => sql`
  select 'lost order ' || reference as name, id, 'recovered:' || reference as operation_id,
    reference, kind = 'payment' as is_payment, 'VOIDED' as status, false as charged,
    false as is_with_partner, 0::numeric as price, 0::numeric as fee
  from placements where id ${ids} and operation_id is null`;

/** SQL: `order` with what its providers did, less what reversals took back, and what others bear of it. */
const withSums = (orders: CheckedOrders) => sql`
  select orders.*, net.done, borne.partner, borne.platform,
    case when status = 'HELD' then 0
      else net.done - case when charged then price else 0 end - borne.partner - borne.platform
      end as open
  from (${orders}) as orders
  cross join lateral (
    select coalesce(sum(case when taken.is_under_way and placement.said = 'undone' then placement.ordered
        when placement.done > 0 then placement.done - taken.done
        else least(placement.ordered - taken.done, 0) end), 0) as done
    from placements as placement
    cross join lateral (
      select coalesce(sum(reversal.done), 0) as done,
        coalesce(bool_or(reversal.is_under_way), false) as is_under_way
      from (
        -- A statement may have told of one before its own answer came: it is placed twice.
        select max(done) as done, bool_or(said in ('none', 'pending')) as is_under_way
        from placements as part
        where part.operation_id = placement.operation_id and part.kind = 'reversal'
          and part.provider = placement.provider
        group by coalesce(nullif(part.provider_reference, ''), part.id::text)
      ) as reversal
    ) as taken
    where placement.kind <> 'reversal' and (placement.operation_id = orders.operation_id
      or placement.operation_id is null and placement.reference = orders.reference
        and starts_with(orders.operation_id, 'recovered:'))
  ) as net
  cross join lateral (
    select coalesce(sum(amount) filter (where party = 'partner'), 0) as partner,
      coalesce(sum(amount) filter (where party = 'platform'), 0) as platform
    from settlements
    where settlements.operation_id in (orders.operation_id, 'recovered:' || orders.reference)
  ) as borne`;

/** Rows of `fault`, which names the invariant and the faulty row for people, and its `id`. */
type Faults = RawBuilder<{ fault: string; id: number }>;

const names = {
  clearing: 'A clearing has what providers did',
  suspense: 'B suspense has what nobody bears',
  payer: 'C payer and fees pay exactly for what is charged',
  cases: 'D a case is open exactly where a person is needed',
} as const;

/**
 * The faults of orders: positions.ts says what their accounts are to have. A case is open exactly where something is in
 * suspense, or a provider has other content. Silence is a matter of time: a doubt is asked about once a day, so that
 * its case is open after a day more.
 */
const faultsOf = (orders: CheckedOrders): Faults => sql`
  with ended as materialized (${withSums(orders)})
  select invariant || ': ' || ended.name as fault, ended.id
  from ended
  cross join lateral (
    select coalesce(sum(change) filter (where kind in ('gift-hold', 'airtime-hold')), 0) as hold,
      coalesce(sum(change) filter (where kind in ('mobile-money-clearing', 'airtime-clearing')), 0)
        as clearing,
      coalesce(sum(change) filter (where kind in ('reserved', 'airtime')), 0) as payer,
      coalesce(sum(change) filter (where kind = 'gift'), 0) as gift,
      coalesce(sum(change) filter (where kind = 'service-fees'), 0) as fees,
      coalesce(sum(change) filter (where kind = 'suspense'), 0) as suspense
    from ledger_transfers as moved
    cross join lateral (values (credit_account_id, amount), (debit_account_id, -amount))
      as entry (account_id, change)
    join ledger_accounts on ledger_accounts.id = entry.account_id
    -- A lost operation is booked apart until the order has ended.
    where moved.operation_id = ended.operation_id
      or status <> 'HELD' and moved.operation_id = 'recovered:' || ended.reference
  ) as booked
  cross join lateral (
    select price + fee as whole, status = 'HELD' as is_open,
      status <> 'HELD' and not charged and is_with_partner as is_returned
  ) as state
  cross join lateral (values
    (${names.clearing}, case when is_open then 0 else done end, booked.clearing),
    (${names.suspense}, -open, booked.suspense),
    (${names.payer}, case when is_open then whole else 0 end, booked.hold),
    (${names.payer}, case when is_open or charged or is_returned then -whole else 0 end
      - case when is_open or is_payment then 0 else partner end, booked.payer),
    (${names.payer}, case when is_open or not is_payment then 0
      else case when is_returned then whole else 0 end - partner end, booked.gift),
    (${names.payer}, case when is_open then 0 else case when charged then fee else 0 end - platform end,
      booked.fees)
  ) as account (invariant, goal, booked)
  where account.goal <> account.booked
  union
  select ${names.cases} || ': ' || name, id from ended
  cross join lateral (
    select exists (select from cases where subject_kind = 'order' and closed_at is null
        and subject = ended.operation_id and why = 'difference' and amount = ended.open) as has_difference,
      exists (select from cases where subject_kind = 'order' and closed_at is null
        and subject = ended.operation_id and why <> 'unbooked') as has_any
  ) as found
  cross join lateral (
    select coalesce(bool_or(is_unclear), false) as has_unclear,
      coalesce(min(doubted_at) < now() - interval '5 days', false) as has_silence,
      count(doubted_at) > 0 as has_doubt
    from placements where placements.operation_id = ended.operation_id
  ) as news
  where status <> 'HELD' and (
    (open <> 0) <> has_difference
    or (has_unclear or has_silence) and not has_any
    or has_any and not (open <> 0 or has_unclear or has_doubt))`;

/** A fault, and the row that it is about. */
export interface BookFault {
  /** For people. */
  readonly line: string;
  readonly subject: BookSubject;
  readonly id: number;
}

/** Which rows are checked: what stands behind the column of their id, like `= any($1)`. */
export type SubjectIds = Readonly<Partial<Record<BookSubject, Sql>>>;

/** The faults of rows with these ids. */
type Invariant = (ids: Sql) => Faults;

/** An invariant whose query names only the faulty row. */
const named =
  (name: string, query: Invariant): Invariant =>
  (ids) =>
    sql`select ${name} || ': ' || fault as fault, id from (${query(ids)}) as faulty`;

/**
 * Transfers by their ids. `offset 0` keeps their steps out of the search. Otherwise PostgreSQL
 * would look for a batch of ids through the whole index of the rare steps, which grows with
 * history.
 */
const transfersWith = (ids: Sql) => sql`(
  select id, operation_id, step, debit_account_id, credit_account_id, amount
  from ledger_transfers where id ${ids} offset 0)`;

const ofTransfers: readonly Invariant[] = [
  named(
    'I1 a transfer moves one amount from one account to another',
    (ids) => sql`
      select 'transfer ' || id as fault, id from ledger_transfers
      where id ${ids} and (amount <= 0 or debit_account_id = credit_account_id)`,
  ),
  named(
    'I6 a deposit is corrected in its own wallet, and not below zero',
    (ids) => sql`
      select 'operation ' || correction.operation_id as fault, correction.id
      from ${transfersWith(ids)} as correction
      where starts_with(correction.step, ${DEPOSIT_CORRECTION}) and not exists (
        select from ledger_transfers as deposit
        where deposit.operation_id = correction.operation_id and deposit.step = 'deposit'
          and (correction.debit_account_id, correction.credit_account_id) in (
            (deposit.debit_account_id, deposit.credit_account_id),
            (deposit.credit_account_id, deposit.debit_account_id))
          and 0 <= (
            select sum(case when debit_account_id = deposit.debit_account_id then amount else -amount end)
            from ledger_transfers as part where part.operation_id = deposit.operation_id))`,
  ),
  named(
    names.suspense,
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
  ),
];

const ofVouchers: readonly Invariant[] = [
  named(
    'I3 nothing is below zero',
    (ids) => sql`
      select 'voucher ' || id as fault, id from vouchers
      where id ${ids} and (remaining < 0 or held < 0 or returned < 0)`,
  ),
  named(
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
  ),
  named(
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
  ),
];

const ofPlacements: readonly Invariant[] = [
  (ids) => faultsOf(lostOrders(ids)),
  named(
    'E a placement says what was observed last',
    (ids) => sql`
      select 'placement ' || placement.id as fault, placement.id from placements as placement
      join lateral (
        select said, done from observations where placement_id = placement.id
        order by id desc limit 1) as seen on true
      where placement.id ${ids} and (placement.said, placement.done) <> (seen.said, seen.done)`,
  ),
];

const ofTopups: readonly Invariant[] = [
  named(
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
  ),
  named(
    'I5 the newest attempt holds the price of its top-up',
    (ids) => sql`
      select 'top-up ' || id as fault, id from topups
      where id ${ids} and amount <> (
        select ${orderedOf(sql`try.operation_id`)} from topup_attempts as try
        where try.topup_id = topups.id and try.attempt = topups.attempt)`,
  ),
  named(
    'I5 an attempt holds the amount of its placement',
    (ids) => sql`
      select 'top-up ' || topup_id || ', attempt ' || attempt as fault, topup_id as id
      from topup_attempts as try
      where topup_id ${ids} and ${isInLedger}
        and ${orderedOf(sql`try.operation_id`)} is distinct from (
          select amount from ledger_transfers as hold
          where hold.operation_id = try.operation_id and step = 'hold')`,
  ),
  (ids) => faultsOf(ordersOfTopups(ids)),
];

const invariants: Readonly<Record<BookSubject, readonly Invariant[]>> = {
  transfer: ofTransfers,
  voucher: ofVouchers,
  redemption: [(ids) => faultsOf(ordersOfRedemptions(ids))],
  placement: ofPlacements,
  'top-up': ofTopups,
};

/** The faults of the given rows, as a transaction sees them; none when all is well. */
export async function brokenSubjects(
  transaction: Database,
  subjects: SubjectIds,
): Promise<BookFault[]> {
  const faults: BookFault[] = [];
  for (const [subject, ids] of Object.entries(subjects) as [BookSubject, Sql][])
    for (const faultsAmong of invariants[subject]) {
      const rows = await allRows<{ fault: string; id: number }>(transaction)`${faultsAmong(ids)}`;
      faults.push(...rows.map(({ fault: line, id }) => ({ line, subject, id })));
    }
  return faults;
}
