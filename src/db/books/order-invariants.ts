import { type RawBuilder, sql } from 'kysely';

/**
 * SQL: orders to be checked, with the columns `name` for people, `id` of the checked row, `operation_id`, `reference`,
 * `is_payment`, `status`, `charged`, `is_with_partner`, `price` and `fee`.
 */
export type CheckedOrders = RawBuilder<unknown>;

export const ordersOfRedemptions = (ids: RawBuilder<unknown>): CheckedOrders => sql`
  select 'redemption ' || id as name, id, operation_id, payment_reference::text as reference,
    true as is_payment, status, charged, credited_to = 'gift' as is_with_partner,
    to_merchant as price, service_fee as fee
  from redemptions where id ${ids}`;

export const ordersOfTopups = (ids: RawBuilder<unknown>): CheckedOrders => sql`
  select 'top-up ' || topup_id || ', attempt ' || attempt as name, topup_id as id, operation_id,
    reference, false as is_payment, status, charged, false as is_with_partner,
    coalesce((select amount from ledger_transfers as hold
      where hold.operation_id = try.operation_id and hold.step = 'hold'), 0) as price,
    0::numeric as fee
  from topup_attempts as try where topup_id ${ids}`;

/** What a restore lost, by one of its placements. */
export const lostOrders = (ids: RawBuilder<unknown>): CheckedOrders => sql`
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
    select coalesce(sum(case when taken.is_under_way and placement.word = 'undone' then placement.ordered
        else greatest(placement.done - taken.done, 0) end), 0) as done
    from placements as placement
    cross join lateral (
      select coalesce(sum(reversal.done), 0) as done,
        coalesce(bool_or(reversal.word in ('none', 'pending')), false) as is_under_way
      from placements as reversal
      where reversal.operation_id = placement.operation_id and reversal.kind = 'reversal'
        and reversal.provider = placement.provider
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

/** SQL: the accounts of an order, with what they are to have and what the ledger moved. */
const accountsOf = (orders: CheckedOrders) => sql`
  select ended.name, ended.id, account.kind, account.goal, account.booked
  from (${withSums(orders)}) as ended
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
    -- What a restore lost is booked apart until the order has ended.
    where moved.operation_id = ended.operation_id
      or status <> 'HELD' and moved.operation_id = 'recovered:' || ended.reference
  ) as booked
  cross join lateral (
    select price + fee as whole, status = 'HELD' as is_open,
      status <> 'HELD' and not charged and is_with_partner as is_returned
  ) as state
  cross join lateral (values
    ('clearing', case when is_open then 0 else done end, booked.clearing),
    ('suspense', -open, booked.suspense),
    ('hold', case when is_open then whole else 0 end, booked.hold),
    ('payer', case when is_open or charged or is_returned then -whole else 0 end
      - case when is_open or is_payment then 0 else partner end, booked.payer),
    ('gift', case when is_open or not is_payment then 0
      else case when is_returned then whole else 0 end - partner end, booked.gift),
    ('fees', case when is_open then 0 else case when charged then fee else 0 end - platform end,
      booked.fees)
  ) as account (kind, goal, booked)
  where account.goal <> account.booked`;

/** The names of the invariants by the accounts that break them. */
const names = {
  clearing: 'A clearing has what providers did',
  suspense: 'B suspense has what nobody bears',
  payer: 'C payer and fees pay exactly for what is charged',
} as const;

type Query = (orders: CheckedOrders) => RawBuilder<{ fault: string; id: number }>;

const ofAccounts =
  (condition: RawBuilder<unknown>): Query =>
  (orders) =>
    sql`
    select distinct name as fault, id from (${accountsOf(orders)}) as accounts where ${condition}`;

/**
 * A case is open exactly where something is in suspense, or a provider has other content. Silence is a matter of time:
 * a doubt is asked about once a day, so that its case is open after a day more.
 */
const cases: Query = (orders) => sql`
  select name as fault, id from (${withSums(orders)}) as ended
  cross join lateral (
    select exists (select from cases where subject_kind = 'order' and closed_at is null
        and subject = ended.operation_id and why = 'difference' and amount = ended.open) as has_difference,
      exists (select from cases where subject_kind = 'order' and closed_at is null
        and subject = ended.operation_id and why <> 'unbooked') as has_any
  ) as found
  cross join lateral (
    select coalesce(bool_or(is_unclear), false) as has_words,
      coalesce(min(doubted_at) < now() - interval '5 days', false) as has_silence,
      count(doubted_at) > 0 as has_doubt
    from placements where placements.operation_id = ended.operation_id
  ) as news
  where status <> 'HELD' and (
    (open <> 0) <> has_difference
    or (has_words or has_silence) and not has_any
    or has_any and not (open <> 0 or has_words or has_doubt))`;

/** The invariants of orders: positions.ts says what the accounts are to have. */
export const orderInvariants: readonly (readonly [name: string, query: Query])[] = [
  [names.clearing, ofAccounts(sql`kind = 'clearing'`)],
  [names.suspense, ofAccounts(sql`kind = 'suspense'`)],
  [names.payer, ofAccounts(sql`kind in ('hold', 'payer', 'gift', 'fees')`)],
  ['D a case is open exactly where a person is needed', cases],
];
