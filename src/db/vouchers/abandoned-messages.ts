import { sql } from 'kysely';
import type { NamedVoucher } from '../../domain/voucher.ts';
import type { Database } from '../connection.ts';
import { OVERDUE } from './claims.ts';

/*
 * SQL expressions about one message. Scalar subqueries run only for the few unsettled messages;
 * joins would scan whole tables.
 */
const claimStatus = sql`(select status from voucher_claims where id = message.claim_id)`;
const redemptionStatus = sql`(select status from redemptions where id = message.redemption_id)`;
const redemptionAge = sql`(
  select now() - coalesce(settled_at, created_at) from redemptions where id = message.redemption_id)`;

/**
 * Cancels up to `batchSize` obsolete queued messages, even if a workflow would still send them:
 * codes of ended claims, confirmations of unpaid redemptions, and confirmations older than
 * `maximumAgeSeconds`. Returns the number.
 */
export async function cancelUselessMessages(
  database: Database,
  maximumAgeSeconds: number,
  batchSize: number,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update messages as message set status = 'CANCELLED', settled_at = now(),
      provider_message = case
        when claim_id is not null then 'Given up: the claim ended before it was sent'
        when ${redemptionStatus} = 'VOIDED' then 'Given up: the redemption was not paid'
        else 'Given up: too old to be sent' end
    where id = any(array(
      select id from messages as message
      where settled_at is null and status = 'QUEUED' and (${claimStatus} <> 'OPEN'
        or ${redemptionStatus} = 'VOIDED'
        or ${redemptionStatus} = 'POSTED'
          and ${redemptionAge} > make_interval(secs => ${maximumAgeSeconds}::float8))
      order by id limit ${batchSize} for update skip locked))`.execute(database);
  return Number(numAffectedRows);
}

/**
 * A message that its workflow may have orphaned, with the data that names that workflow. The merchant is
 * who was paid, or that of the voucher.
 */
export interface UnfinishedMessage extends NamedVoucher {
  readonly id: number;
  /**
   * The claim, redemption or reversal that queued it; of a reminder, what generated the voucher.
   */
  readonly operationId: string;
  readonly generationId: string;
  readonly claimOperationId: string | null;
  readonly claimWorkflowId: string | null;
  /** Ours: of the redemption that it is about, and of its payment or reversal. */
  readonly references: readonly string[];
}

/**
 * Messages without a workflow, a page in the order of their ids: reminders, notices of reversals,
 * confirmations of paid redemptions, and codes in sending whose claims have ended. A running claim or payment finishes its own message.
 */
export async function unfinishedMessages(
  database: Database,
  page: { readonly afterId: number; readonly limit: number },
): Promise<UnfinishedMessage[]> {
  const { rows } = await sql<UnfinishedMessage>`
    with page as materialized (
      select id, voucher_id, claim_id, redemption_id, reversal_id from messages as message
      where settled_at is null and id > ${page.afterId} and created_at < now() - ${OVERDUE}
        and (${redemptionStatus} <> 'HELD' and ${redemptionAge} > ${OVERDUE}
          or status = 'SENDING' and ${claimStatus} <> 'OPEN'
          or kind in ('EXPIRY_REMINDER', 'REVERSAL_NOTICE'))
      order by id limit ${page.limit})
    select page.id, voucher.operation_id as "generationId",
      coalesce(redemption.operation_id, claim.operation_id, reversal.operation_id,
        voucher.operation_id) as "operationId",
      claim.operation_id as "claimOperationId", claim.workflow_id as "claimWorkflowId",
      voucher.partner_id as "partnerId",
      coalesce(redemption.merchant_id, reversal.merchant_id, voucher.merchant_id) as "merchantId",
      voucher.serial_number as "serialNumber", voucher.owner_msisdn as "ownerMsisdn",
      coalesce(redemption.names, reversal.names, '{}') as "references"
    from page
    cross join lateral (
      select operation_id, partner_id, merchant_id, serial_number, owner_msisdn
      from vouchers where id = page.voucher_id limit 1) as voucher
    left join lateral (
      select operation_id, claim_id, merchant_id,
        array[platform_reference::text, payment_reference::text] as names
      from redemptions where id = page.redemption_id limit 1) as redemption on true
    left join lateral (
      select made.operation_id, merchant_id, array[platform_reference::text, made.reference::text] as names
      from redemption_reversals as made
      join redemptions on redemptions.id = redemption_id
      where made.id = page.reversal_id limit 1) as reversal on true
    left join lateral (
      select operation_id, workflow_id from voucher_claims
      where id = coalesce(page.claim_id, redemption.claim_id) limit 1) as claim on true
    order by page.id`.execute(database);
  return rows;
}

/**
 * Records up to `batchSize` messages of ended invitations whose sending was interrupted: their
 * outcome is unknown. Returns the number.
 */
export async function endCutOffInvitationMessages(
  database: Database,
  batchSize: number,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update invitation_messages as message
    set status = 'UNKNOWN', provider_message = 'The invitation ended while it was sent',
      settled_at = now()
    where (invitation_id, channel) in (
      select invitation_id, channel
      from invitation_messages as cut_off
      join merchant_invitations as invitation on invitation.id = invitation_id
      where cut_off.settled_at is null and cut_off.status = 'SENDING' and invitation.settled_at < now() - ${OVERDUE}
      limit ${batchSize} for update of cut_off skip locked)`.execute(database);
  return Number(numAffectedRows);
}
