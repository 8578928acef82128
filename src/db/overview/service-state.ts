import { sql } from 'kysely';
import type { PlacementKind } from '../../domain/positions/placement.ts';
import type { Database } from '../connection.ts';
import { isUndelivered } from '../reports/undelivered-emails.ts';

/** What has not come to its end, of one kind and age. */
interface OpenHolds {
  readonly kind: PlacementKind;
  /** The first of the given ages that is greater; null beyond the last. */
  readonly ageLimit: number | null;
  readonly count: number;
  /** ETB */
  readonly amount: number;
  readonly oldestSeconds: number;
}

/** What waits for a worker. */
interface Waiting {
  readonly outbox: string;
  readonly count: number;
  readonly oldestSeconds: number;
}

export interface ServiceState {
  readonly holds: readonly OpenHolds[];
  readonly waiting: readonly Waiting[];
  /** Wallets below their thresholds, by kind. */
  readonly lowWallets: Readonly<Record<string, number>>;
  /** Repairs that wait for a second person. */
  readonly repairsToConfirm: number;
  /** E-mails of the last day that were refused or given up, by queue. */
  readonly undelivered: Readonly<Record<'statements' | 'day-reports', number>>;
}

/** The most rows of an outbox that are counted: a number beyond says nothing more. */
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

/** Each reads the beginning of a partial index, so that its cost does not grow with history. */
const waiting = {
  events: sql`select created_at as since from events where number is null order by id`,
  webhooks: sql`select wake_at as since from webhook_endpoints
    where wake_at <= now() order by wake_at`,
  messages: sql`select created_at as since from messages where settled_at is null order by id`,
  'invitation-messages': sql`select created_at as since from invitation_messages
    where settled_at is null`,
  invitations: sql`select created_at as since from merchant_invitations
    where status = 'REQUESTED' order by created_at`,
  'top-up-retries': sql`select created_at as since from topup_retries
    where is_open order by created_at`,
  'operator-retries': sql`select created_at as since from operator_commands
    where taken_at is null`,
  repairs: sql`select changed_at as since from repairs where state = 'READY' order by id`,
  'access-notices': sql`select created_at as since from access_notices
    where sent_at is null order by audit_id`,
  // Since they were queued: each try that fails makes them due later.
  statements: sql`select created_at as since from statement_emails
    where settled_at is null order by due_at`,
  'day-reports': sql`select created_at as since from report_emails
    where settled_at is null order by due_at`,
};

/** SQL query: how many e-mails of a queue were refused or given up within the last day. */
const undeliveredOf = (table: 'statement_emails' | 'report_emails') => sql`
  (select count(*)::int from ${sql.table(table)} where ${isUndelivered})`;

/**
 * What operators must know of the state of the service, in one statement whose cost grows with what is
 * open, not with history.
 *
 * @param ages upper bounds in seconds, ascending
 */
export async function readServiceState(
  database: Database,
  ages: readonly number[],
): Promise<ServiceState> {
  const outboxes = Object.entries(waiting).map(
    ([outbox, rows]) => sql`
      select ${sql.lit(outbox)} as outbox, count(*)::int as count,
        coalesce(extract(epoch from now() - min(since)), 0)::float8 as "oldestSeconds"
      from (${rows} limit ${sql.lit(COUNTED)}) as waiting`,
  );
  const { rows } = await sql<ServiceState>`
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
      select kind, count(*)::int as count from ledger_accounts
      where low_balance is not null and balance < low_balance group by kind
    )
    select coalesce((select json_agg(holds) from holds), '[]') as holds,
      (select json_agg(waiting) from waiting) as waiting,
      coalesce((select json_object_agg(kind, count) from low), '{}') as "lowWallets",
      (select count(*)::int from repairs where state = 'ASKED') as "repairsToConfirm",
      json_build_object('statements', ${undeliveredOf('statement_emails')},
        'day-reports', ${undeliveredOf('report_emails')}) as undelivered
  `.execute(database);
  const [state] = rows;
  if (!state) throw new Error('The state of the service has no row');
  return state;
}
