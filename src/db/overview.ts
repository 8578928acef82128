import { sql } from 'kysely';
import type { PlacementKind } from '../domain/positions/placement.ts';
import { allRows, type Database, onlyRow } from './connection.ts';
import { type Days, isWithin } from './days.ts';
import { hasLowBalance } from './ledger/ledger.ts';
import { companyIds, type Whose } from './ledger/sales.ts';
import { type OutboxKind, undeliveredCounts } from './outbox.ts';
import { unattendedWebhooks } from './webhooks/deliveries.ts';

/** Failures of one reason. */
export interface FailureCount {
  /** The message of the provider or of the service; null where there is none. */
  readonly reason: string | null;
  readonly count: number;
}

/** The most reasons that an overview shows. */
const REASONS = 5;

/** Why the top-ups of some days failed, the most frequent reason first. */
export const topupFailures = (database: Database, sellers: Whose, days: Days) =>
  allRows<FailureCount>(database)`
    select message as reason, count(1) as count from topups
    where partner_id = any(${companyIds('partners', sellers)}) and status = 'FAILED' and ${isWithin(sql`created_at`, days)}
    group by message order by count(1) desc, message limit ${REASONS}`;

/** Why payments to merchants of some days were refused, the most frequent reason first. */
export const paymentFailures = (database: Database, payees: Whose, days: Days) =>
  allRows<FailureCount>(database)`
    select provider_message as reason, count(1) as count from redemptions
    where merchant_id = any(${companyIds('merchants', payees)}) and status = 'VOIDED' and not is_done
      and ${isWithin(sql`settled_at`, days)}
    group by provider_message order by count(1) desc, provider_message limit ${REASONS}`;

/** The open rows of one kind and age. */
interface OpenHolds {
  readonly kind: PlacementKind;
  /** The least of the given upper bounds of age that the rows do not exceed; null if they exceed all. */
  readonly ageLimit: number | null;
  readonly count: number;
  /** ETB */
  readonly amount: number;
  readonly oldestSeconds: number;
}

/** The rows that wait for a worker. */
interface Waiting {
  readonly outbox: string;
  readonly count: number;
  readonly oldestSeconds: number;
}

interface ServiceState {
  readonly holds: readonly OpenHolds[];
  readonly waiting: readonly Waiting[];
  /** Payments and top-ups that were done in the last hour. */
  readonly done: readonly { readonly kind: 'payment' | 'top-up'; readonly count: number }[];
  /** Wallets below their thresholds, by kind. */
  readonly lowWallets: Readonly<Record<string, number>>;
  /** Repairs that wait for a second person. */
  readonly repairsToConfirm: number;
  /** ETB that a provider did otherwise than we booked, and that no side bears yet. */
  readonly suspense: number;
  /** E-mails of the last day that were refused or given up, by kind. */
  readonly undelivered: Readonly<Partial<Record<OutboxKind, number>>>;
}

/** The most rows of one kind that are counted: a greater number would lead to the same action. */
const COUNTED = 10_000;

/** Holds of all kinds, by the partial indexes of what is open. */
const openHolds = sql`
  select 'payment' as kind, created_at, to_merchant + service_fee as amount
  from redemptions where status = 'HELD'
  union all
  select 'top-up', try.created_at, coalesce(topups.amount, 0)
  from topup_attempts as try join topups on topups.id = try.topup_id where try.status = 'HELD'
  union all
  select 'reversal', reversal.created_at, to_merchant + service_fee
  from redemption_reversals as reversal
  join redemptions on redemptions.id = reversal.redemption_id where reversal.status = 'PENDING'`;

/** SQL query: messages to people by their age in the queue. The time when they are due moves with each try. */
const unsettled = (kind: OutboxKind) => sql`
  select created_at as since from outbox where kind = ${sql.lit(kind)} and settled_at is null
  order by channel, due_at`;

/** The counts of waiting rows. Each reads the beginning of an index, so that its cost does not grow with history. */
const waiting = {
  events: sql`select created_at as since from events where number is null order by id`,
  webhooks: unattendedWebhooks,
  codes: sql`select created_at as since from messages
    where settled_at is null and kind = 'VERIFICATION_CODE' order by due_at`,
  // The confirmation of a payment waits for its end first, and a reminder for its hours.
  messages: sql`
    select coalesce(redemption.settled_at, message.created_at) as since
    from messages as message left join redemptions as redemption on redemption.id = redemption_id
    where message.settled_at is null and redemption.status is distinct from 'HELD'
      and message.kind not in ('VERIFICATION_CODE', 'EXPIRY_REMINDER')
    order by message.due_at`,
  'top-up-retries': sql`select created_at as since from topup_retries
    where is_open order by created_at`,
  repairs: sql`select changed_at as since from repairs where state = 'READY' order by id`,
  'access-notices': unsettled('access-notices'),
  invitations: unsettled('invitations'),
  statements: unsettled('statements'),
  'day-reports': unsettled('day-reports'),
  'switched-off-webhooks': unsettled('switched-off-webhooks'),
};

/** SQL query: how many orders of a kind were done in the last hour, by the index of their ends. */
const doneOf = (kind: 'payment' | 'top-up') => sql`
  select ${sql.lit(kind)} as kind, count(*)::int as count from (
    select from ${sql.table(kind === 'payment' ? 'redemptions' : 'topup_attempts')}
    where status = 'POSTED' and settled_at > now() - interval '1 hour'
    limit ${sql.lit(COUNTED)}) as ended`;

/**
 * The state of the service for operators, in one statement whose cost grows with open rows, not
 * with history.
 *
 * @param ages upper bounds in seconds, ascending
 */
export function readServiceState(database: Database, ages: readonly number[]) {
  const outboxes = Object.entries(waiting).map(
    ([outbox, rows]) => sql`
      select ${sql.lit(outbox)} as outbox, count(*)::int as count,
        coalesce(extract(epoch from now() - min(since)), 0)::float8 as "oldestSeconds"
      from (${rows} limit ${sql.lit(COUNTED)}) as waiting`,
  );
  return onlyRow<ServiceState>(database, 'The state of the service has no row')`
    with holds as (
      select kind, limits.seconds as "ageLimit", count(*)::int as count,
        sum(amount)::float8 as amount,
        extract(epoch from now() - min(created_at))::float8 as "oldestSeconds"
      from (${openHolds}) as open
      left join lateral (
        select min(seconds) as seconds from unnest(${ages}::float8[]) as seconds
        where make_interval(secs => seconds) > now() - open.created_at) as limits on true
      group by kind, limits.seconds
    ), waiting as (${sql.join(outboxes, sql` union all `)}),
    low as (
      select kind, count(*)::int as count from ledger_accounts where ${hasLowBalance} group by kind
    )
    select coalesce((select json_agg(holds) from holds), '[]') as holds,
      (select json_agg(waiting) from waiting) as waiting,
      (select json_agg(done) from (${doneOf('payment')} union all ${doneOf('top-up')}) as done)
        as done,
      coalesce((select json_object_agg(kind, count) from low), '{}') as "lowWallets",
      (select count(*)::int from repairs where state = 'ASKED') as "repairsToConfirm",
      (select coalesce(sum(abs(amount)), 0)::float8 from cases
        where why = 'difference' and closed_at is null) as suspense,
      coalesce((select json_object_agg(kind, count) from (${undeliveredCounts}) as counts), '{}')
        as undelivered
  `;
}

/** Payments or top-ups whose outcome is not known yet. */
export interface Underway {
  readonly count: number;
  /** Decimal string of ETB, on hold. */
  readonly amount: string;
}

/** A partner's top-ups on hold, by the index of held attempts. */
export const topupsUnderway = (database: Database, partnerId: number) =>
  onlyRow<Underway>(database)`
    select count(1) as count, coalesce(sum(topups.amount), 0)::numeric(20, 6) as amount
    from topup_attempts as try join topups on topups.id = try.topup_id
    where try.status = 'HELD' and topups.partner_id = ${partnerId}`;

/** Payments on hold, of the vouchers of a partner or to a merchant, by the index of held ones. */
export function paymentsUnderway(
  database: Database,
  company: { readonly kind: 'partner' | 'merchant'; readonly id: number },
) {
  const whose =
    company.kind === 'merchant'
      ? sql`redemptions.merchant_id = ${company.id}`
      : sql`(select partner_id from vouchers where vouchers.id = voucher_id) = ${company.id}`;
  return onlyRow<Underway>(database)`
    select count(1) as count, coalesce(sum(to_merchant), 0)::numeric(20, 6) as amount
    from redemptions where status = 'HELD' and ${whose}`;
}
