import { type Selectable, sql } from 'kysely';
import type { SmsProviderName } from '../domain/providers.ts';
import {
  allRows,
  type Database,
  type DatabaseTransaction,
  firstRow,
  firstValue,
  type Sql,
} from './connection.ts';
import type { OutboxTable } from './generated/tables.ts';

export type OutboxKind = OutboxTable['kind'];
export type OutboxChannel = OutboxTable['channel'];
export type OutboxState = Selectable<OutboxTable>['state'];

/**
 * SQL statement: queues messages, one for each recipient. The query has the kind, the subject, the
 * channel, the recipient and the key of each; a message whose key is there already is left out.
 */
export const queueMessages = (messages: Sql): Sql => sql`
  insert into outbox (kind, subject, channel, recipient, dedupe_key) ${messages}
  on conflict (dedupe_key) do nothing`;

/** Messages that are sent one after another. */
export interface Lane {
  readonly kind: OutboxKind;
  readonly channel: OutboxChannel;
  /** Time from its first attempt after which a message is given up; null: never. */
  readonly patienceSeconds: number | null;
  /** A sending that takes longer was interrupted. */
  readonly longestSeconds: number;
}

/** SQL condition: a message of a lane that can be sent now, or whose sending was interrupted. */
const isDue = ({ kind, channel, longestSeconds }: Lane) => sql`
  kind = ${kind} and channel = ${channel} and settled_at is null
  and (state = 'QUEUED' and due_at <= now() or state = 'SENDING'
    and sending_since < clock_timestamp() - make_interval(secs => ${longestSeconds}::float8))`;

/** SQL query: the due messages of a lane. */
export const dueInLane = (lane: Lane): Sql => sql`select id from outbox where ${isDue(lane)}`;

/** Those with a due message, by one statement. */
export async function withDueMessages<One extends { readonly due: Sql }>(
  database: Database,
  senders: readonly One[],
): Promise<One[]> {
  const haveDue = senders.map(({ due }) => sql`exists (${due})`);
  const found = await firstValue<readonly boolean[]>(database)`select array[${sql.join(haveDue)}]`;
  return senders.filter((_, index) => found?.[index]);
}

/** The subject whose messages have waited longest, apart from some; undefined where none is due. */
export const nextDueSubject = (database: Database, lane: Lane, except: readonly string[]) =>
  firstValue<string>(database)`
    select subject from outbox where ${isDue(lane)} and subject <> all(${except}::text[])
    order by due_at, id limit 1`;

/** A message that this process sends. */
export interface OutboxMessage {
  readonly id: number;
  readonly recipient: number;
  readonly dedupeKey: string;
  /** Tells this sending from a later one. */
  readonly attempts: number;
  /** Whether an earlier sending was interrupted. */
  readonly wasInterrupted: boolean;
}

/**
 * Takes a due message about a subject for sending; undefined where there is none. A text message whose
 * sending was interrupted is not sent again: it keeps the number of that attempt, which may still record.
 */
export const takeFromOutbox = (database: Database, lane: Lane, subject: string) =>
  firstRow<OutboxMessage>(database)`
    update outbox set state = 'SENDING', sending_since = clock_timestamp(),
      attempts = attempts + (case when channel = 'SMS' and was_interrupted then 0 else 1 end),
      give_up_at = coalesce(give_up_at, now() + make_interval(secs => ${lane.patienceSeconds}::float8))
    from (
      select id as due_id, state = 'SENDING' as was_interrupted
      from outbox where ${isDue(lane)} and subject = ${subject}
      order by due_at, id limit 1 for update skip locked) as due
    where id = due_id
    returning id, recipient, dedupe_key as "dedupeKey", attempts, was_interrupted as "wasInterrupted"`;

/** The result of an attempt. QUEUED: the message was not sent, and is tried again. */
export interface OutboxEnd {
  readonly state: Extract<OutboxState, 'QUEUED' | 'SENT' | 'REFUSED' | 'UNKNOWN' | 'CANCELLED'>;
  readonly problem?: string;
  /** The provider that was asked to send a text message. */
  readonly provider?: SmsProviderName;
  readonly providerReference?: string;
}

const LONGEST_PAUSE_SECONDS = 300;

/** SQL assignments: a message waits, each time longer, until it is given up. */
const postponed = sql`
  state = case when give_up_at < now() then 'GIVEN_UP' else 'QUEUED' end,
  settled_at = case when give_up_at < now() then now() end,
  due_at = now() + make_interval(
    secs => least(power(2, least(attempts, 20) - 1), ${LONGEST_PAUSE_SECONDS}::float8))`;

/**
 * Records the outcome of a message, by the sending attempt. The outcome counts where no later attempt has begun, also
 * where the attempt was recorded as interrupted. An accepted message counts as sent in any case.
 *
 * @param conclude the step that follows in the same transaction
 * @returns whether the message is given up now
 */
export const recordOutboxMessage = (
  database: Database,
  { id, attempts }: OutboxMessage,
  { state, problem, provider, providerReference }: OutboxEnd,
  conclude: (transaction: DatabaseTransaction) => Promise<void> = async () => {},
): Promise<boolean> =>
  database.transaction().execute(async (transaction) => {
    const row = await firstRow<{ state: OutboxState }>(transaction)`
      update outbox set ${state === 'QUEUED' ? postponed : sql`state = ${state}, settled_at = now()`},
        sending_since = null, problem = ${problem ?? null},
        provider = coalesce(${provider ?? null}, provider),
        provider_reference = ${providerReference ?? null}
      where id = ${id} and (attempts = ${attempts} and state in ('SENDING', 'UNKNOWN')
        or ${state} = 'SENT' and state <> 'SENT')
      returning state`;
    await conclude(transaction);
    return row?.state === 'GIVEN_UP';
  });

/** The sending of a text message begins again, at another provider. */
export async function renewOutboxSending(
  database: Database,
  { id, attempts }: OutboxMessage,
  provider: SmsProviderName,
): Promise<void> {
  await sql`
    update outbox set sending_since = clock_timestamp(), provider = ${provider}
    where id = ${id} and attempts = ${attempts} and state = 'SENDING'`.execute(database);
}

/** An e-mail that did not arrive. */
interface UndeliveredEmail {
  readonly queue: OutboxKind;
  /** The day of the report, or the month of the statement; null of other e-mails. */
  readonly period: string | null;
  readonly email: string;
  /** Null where the address belongs to no company. */
  readonly companyKind: 'partner' | 'merchant' | null;
  readonly companyId: number | null;
  readonly outcome: Extract<OutboxState, 'REFUSED' | 'GIVEN_UP' | 'UNKNOWN'>;
  readonly at: Date;
}

/** SQL expression: the invitation that a message is of; null for other messages. */
const invitationId = sql`(case when outbox.kind = 'invitations' then outbox.subject end)::uuid`;

/**
 * SQL condition: an e-mail was refused or given up within the last day. That of an invitation counts while
 * nothing of it is known to have arrived, since a link is nowhere else.
 */
const isUndelivered = sql<boolean>`
  state in ('REFUSED', 'GIVEN_UP', 'UNKNOWN') and settled_at > now() - interval '1 day'
  and channel = 'EMAIL' and case when kind <> 'invitations' then state <> 'UNKNOWN'
    else (select status in ('OPEN', 'UNDELIVERED') from merchant_invitations where id = ${invitationId})
      and not exists (
        select from outbox as other where other.kind = 'invitations'
          and other.subject = outbox.subject and other.state in ('QUEUED', 'SENDING', 'SENT')) end`;

/** SQL query: how many e-mails were not delivered, by kind. */
export const undeliveredCounts = sql`
  select kind, count(*)::int as count from outbox where ${isUndelivered} group by kind`;

/** The e-mails that the metric `emails_undelivered` counts, newest first. */
export const listUndeliveredEmails = (database: Database, limit: number) =>
  allRows<UndeliveredEmail>(database)`
    with undelivered as (
      select kind, subject, recipient, state, settled_at from outbox
      where ${isUndelivered} order by settled_at desc limit ${limit}
    )
    select kind as queue,
      case kind when 'statements' then split_part(subject, ' ', 3)
        when 'day-reports' then subject end as period,
      coalesce(report.email, invitation.email, account.email) as email,
      case when account.partner_id is not null then 'partner'
        when coalesce(account.merchant_id, invitation.merchant_id) is not null then 'merchant'
        end as "companyKind",
      coalesce(account.partner_id, account.merchant_id, invitation.merchant_id) as "companyId",
      state as outcome, outbox.settled_at as at
    from undelivered as outbox
    left join report_recipients as report on kind = 'day-reports' and report.id = recipient
    left join merchant_invitations as invitation on invitation.id = ${invitationId}
    left join portal_accounts as account
      on kind not in ('day-reports', 'invitations') and account.id = recipient
    order by outbox.settled_at desc`;
