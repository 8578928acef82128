import { type RawBuilder, sql } from 'kysely';
import type { DeliveryReport, ReportedCode } from '../../domain/vouchers/messages.ts';
import { type Database, firstRow, firstValue, lockName, type Sql } from '../connection.ts';
import { hasNumber } from '../phone-numbers.ts';

/** The message that a report is about: to the owner of a voucher, or of the outbox. */
interface Reported {
  readonly table: 'messages' | 'outbox';
  readonly id: number;
}

/** The receiver of the message, as the provider names it. */
interface Receiver {
  readonly numberHash: string;
  /** E.164. */
  readonly msisdn: string;
}

/**
 * Records what a provider reports of a message, by the provider's id. Reports may come twice and in
 * any order: delivered stays, and a message that was first reported as not delivered may still be.
 * A report may come before its message has the provider's id. It is kept until then, while a
 * message is being sent to this number; anybody could have written the report. Every other report
 * is about no message of ours, and leaves nothing behind.
 *
 * @returns the code that the report says something new about
 */
export async function recordDeliveryReport(
  database: Database,
  report: DeliveryReport,
  receiver?: Receiver,
): Promise<ReportedCode | undefined> {
  if (report.state === 'under-way' || report.reference === '') return undefined;
  const reported =
    (await messageOf(database, report)) ?? (await keepEarlyReport(database, report, receiver));
  if (!reported) return undefined;
  if (reported.table === 'messages') return recordDelivery(database, reported.id, report);
  const { set, isNew } = newsOf(report);
  await sql`update outbox set ${set} where id = ${reported.id} and ${isNew}`.execute(database);
  return undefined;
}

const deliveryOf = ({ state }: DeliveryReport) =>
  state === 'delivered' ? 'DELIVERED' : 'NOT_DELIVERED';

function messageOf(database: Database, { provider, reference }: DeliveryReport) {
  const isIt = sql`provider_reference = ${reference} and provider_reference <> ''
    and provider = ${provider}`;
  return firstRow<Reported>(database)`
    (select 'messages' as table, id from messages where ${isIt} order by id desc limit 1)
    union all
    (select 'outbox', id from outbox where ${isIt} and channel = 'SMS' limit 1)
    limit 1`;
}

/** Keeps a report; returns the message instead where it has got the provider's id meanwhile. */
async function keepEarlyReport(
  database: Database,
  report: DeliveryReport,
  receiver: Receiver | undefined,
): Promise<Reported | undefined> {
  const isToReceiver = receiver ? hasNumber('msisdn', receiver.numberHash) : sql`true`;
  // The number of a merchant is no person's, and so not sealed.
  const isInvited = receiver ? sql`msisdn = ${receiver.msisdn}` : sql`true`;
  const isSending = await firstValue<boolean>(database)`
    select exists (select from messages
        where settled_at is null and status = 'SENDING' and ${isToReceiver})
      or exists (select from outbox
        join merchant_invitations as invitation
          on invitation.id = (case when kind = 'invitations' then subject end)::uuid
        where kind = 'invitations' and channel = 'SMS' and outbox.settled_at is null
          and state = 'SENDING' and ${isInvited})`;
  if (!isSending) return messageOf(database, report);
  return database.transaction().execute(async (transaction) => {
    // The triggers that write the id take the same lock.
    await lockName(transaction, report.reference);
    const reported = await messageOf(transaction, report);
    if (reported === undefined)
      await transaction
        .insertInto('early_delivery_reports')
        .values({
          provider: report.provider,
          provider_reference: report.reference,
          delivery: deliveryOf(report),
          reason: report.reason,
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    return reported;
  });
}

/** SQL: the assignments and the condition of a report that says more than the row of its message. */
const newsOf = (report: DeliveryReport) => ({
  set: sql`delivery = ${deliveryOf(report)}, delivery_at = clock_timestamp(),
    delivery_reason = ${report.reason}`,
  isNew: sql`(delivery is null or delivery = 'NOT_DELIVERED' and ${deliveryOf(report)} = 'DELIVERED')`,
});

/** Records a report that says more than the row; returns the code of an open claim. */
async function recordDelivery(
  database: Database,
  messageId: number,
  report: DeliveryReport,
): Promise<ReportedCode | undefined> {
  const { set, isNew } = newsOf(report);
  const claim = await firstRow<{ workflowId: string }>(database)`
    with told as (
      update messages set ${set} where id = ${messageId} and ${isNew}
      returning id, claim_id
    )
    ${claimOf(sql`told`)}`;
  return claim && { ...claim, isDelivered: report.state === 'delivered', reason: report.reason };
}

/** SQL query: the open claim whose code a message has, also a message that was sent again. */
const claimOf = (message: Sql) => sql`
  select claim.workflow_id as "workflowId"
  from ${message} as message
  left join message_resends as resend on resend.message_id = message.id
  left join messages as original on original.id = resend.original_id
  join voucher_claims as claim on claim.id = coalesce(message.claim_id, original.claim_id)
  where claim.status = 'OPEN'`;

/** A report about the code of an open claim that arrived before the message had the provider's id. */
export async function earlyReportOf(
  database: Database,
  messageId: number,
): Promise<ReportedCode | undefined> {
  const found = await firstRow<{
    workflowId: string;
    delivery: 'DELIVERED' | 'NOT_DELIVERED';
    reason: string | null;
  }>(database)`
    select claim.*, told.delivery, told.delivery_reason as reason
    from messages as told
    cross join lateral (${claimOf(sql`(select told.id, told.claim_id)`)}) as claim
    where told.id = ${messageId} and told.delivery is not null`;
  if (!found) return undefined;
  const { workflowId, delivery, reason } = found;
  return { workflowId, isDelivered: delivery === 'DELIVERED', reason };
}

/** A provider that certainly did not send a message, and who was asked next. */
export interface MessageFailover {
  readonly from: string;
  readonly to: string;
  readonly message: string;
  /** ISO 8601 */
  readonly at: string;
}

/** SQL expression: the failovers of a message, in their order. */
export const messageFailovers = (messageId: Sql): RawBuilder<readonly MessageFailover[]> => sql`(
  select coalesce(json_agg(json_build_object('from', from_provider, 'to', to_provider,
    'message', failover.message, 'at', failover.at) order by failover.id), '[]')
  from message_failovers as failover where failover.message_id = ${messageId})`;

/** Records that another provider is asked to send a message: its sending begins again. */
export async function addMessageFailover(
  database: Database,
  { messageId, from, to, message }: Omit<MessageFailover, 'at'> & { readonly messageId: number },
): Promise<void> {
  await sql`
    with renewed as (
      update messages set sending_since = clock_timestamp()
      where id = ${messageId} and status = 'SENDING'
    )
    insert into message_failovers (message_id, from_provider, to_provider, message)
    values (${messageId}, ${from}, ${to}, ${message})`.execute(database);
}
