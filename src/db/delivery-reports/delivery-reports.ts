import { type RawBuilder, sql } from 'kysely';
import type { DeliveryReport, ReportedCode } from '../../domain/vouchers/delivery.js';
import type { Database } from '../connection.js';
import { hasNumber } from '../number-key.js';

/**
 * Records what a provider reports of a message, by the provider's id. Reports may come twice and in any
 * order: delivered stays, and a message that was first reported as not delivered may still be. One
 * that comes before its message has the provider's id is kept until then, while a message is being
 * sent: to a number with one of these keys, where anybody could have written the report. Every other report is
 * about no message of ours, costs a query and leaves nothing behind.
 *
 * @returns the code that the report says something new about
 */
export async function recordDeliveryReport(
  database: Database,
  report: DeliveryReport,
  numberKeys?: () => readonly string[],
): Promise<ReportedCode | undefined> {
  if (report.state === 'under-way' || report.reference === '') return undefined;
  const messageId =
    (await messageOf(database, report)) ?? (await keepEarlyReport(database, report, numberKeys));
  return messageId === undefined ? undefined : recordDelivery(database, messageId, report);
}

const deliveryOf = ({ state }: DeliveryReport) =>
  state === 'delivered' ? 'DELIVERED' : 'NOT_DELIVERED';

/** The message; one without a provider is older than the choice between providers. */
const messageOf = async (
  database: Database,
  { provider, reference }: DeliveryReport,
): Promise<number | undefined> =>
  (
    await database
      .selectFrom('messages')
      .select('id')
      .where('provider_reference', '=', reference)
      .where('provider_reference', '<>', '')
      .where((where) => where.or([where('provider', '=', provider), where('provider', 'is', null)]))
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst()
  )?.id;

/** Keeps a report; returns the message instead where it has got the provider's id meanwhile. */
async function keepEarlyReport(
  database: Database,
  report: DeliveryReport,
  numberKeys: (() => readonly string[]) | undefined,
): Promise<number | undefined> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from messages where settled_at is null and status = 'SENDING'
      and ${numberKeys === undefined ? sql`true` : hasNumber('msisdn', numberKeys())}) as found
  `.execute(database);
  if (!rows[0]?.found) return messageOf(database, report);
  return database.transaction().execute(async (transaction) => {
    // The trigger that writes the id takes the same lock.
    await sql`select pg_advisory_xact_lock(hashtextextended(${report.reference}, 0))::text`.execute(
      transaction,
    );
    const messageId = await messageOf(transaction, report);
    if (messageId === undefined)
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
    return messageId;
  });
}

/** Records it where it says more than the row; returns the code of a claim that is open. */
async function recordDelivery(
  database: Database,
  messageId: number,
  report: DeliveryReport,
): Promise<ReportedCode | undefined> {
  const { rows } = await sql<{ operationId: string; workflowId: string | null }>`
    with told as (
      update messages set delivery = ${deliveryOf(report)}, delivery_at = clock_timestamp(),
        delivery_reason = ${report.reason}
      where id = ${messageId}
        and (delivery is null or delivery = 'NOT_DELIVERED' and ${deliveryOf(report)} = 'DELIVERED')
      returning id, claim_id
    )
    ${claimOf(sql`told`)}`.execute(database);
  const [claim] = rows;
  return claim && { claim, isDelivered: report.state === 'delivered', reason: report.reason };
}

/** SQL query: the open claim whose code a message has, also one that was sent again. */
const claimOf = (message: RawBuilder<unknown>) => sql`
  select claim.operation_id as "operationId", claim.workflow_id as "workflowId"
  from ${message} as message
  left join message_resends as resend on resend.message_id = message.id
  left join messages as original on original.id = resend.original_id
  join voucher_claims as claim on claim.id = coalesce(message.claim_id, original.claim_id)
  where claim.status = 'OPEN'`;

/** What was reported about the code of an open claim before the message had the provider's id. */
export async function earlyReportOf(
  database: Database,
  messageId: number,
): Promise<ReportedCode | undefined> {
  const { rows } = await sql<{
    operationId: string;
    workflowId: string | null;
    delivery: 'DELIVERED' | 'NOT_DELIVERED';
    reason: string | null;
  }>`
    select claim.*, told.delivery, told.delivery_reason as reason
    from messages as told
    cross join lateral (${claimOf(sql`(select told.id, told.claim_id)`)}) as claim
    where told.id = ${messageId} and told.delivery is not null`.execute(database);
  const [found] = rows;
  if (!found) return undefined;
  const { delivery, reason, ...claim } = found;
  return { claim, isDelivered: delivery === 'DELIVERED', reason };
}
