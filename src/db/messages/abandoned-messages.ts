import { sql } from 'kysely';
import type { NamedVoucher } from '../../domain/vouchers/voucher.ts';
import { allRows, allValues, changedRows, type Database, now } from '../connection.ts';
import { numberKey } from '../phone-numbers.ts';
import { isAmong, type RowStep, type Rows } from '../refused-rows.ts';
import { OVERDUE } from '../vouchers/claims.ts';

/*
 * SQL expressions about one message. Scalar subqueries run only for the few unsettled messages;
 * joins would scan whole tables.
 */
const claimStatus = sql`(select status from voucher_claims where id = message.claim_id)`;
const redemptionStatus = sql`(select status from redemptions where id = message.redemption_id)`;
/** Since the payment ended; of a message without a payment, since it was queued. */
const age = sql`(now() - coalesce(
  (select coalesce(settled_at, created_at) from redemptions where id = message.redemption_id),
  message.created_at))`;

/**
 * Cancels up to `batchSize` obsolete queued messages, even if a workflow would still send them.
 * They are codes of ended claims, confirmations of unpaid redemptions, and messages without a claim that are
 * older than `maximumAgeSeconds`. Returns the number.
 */
export const cancelUselessMessages = (
  database: Database,
  maximumAgeSeconds: number,
  batchSize: number,
) =>
  changedRows(database)`
    update messages as message set status = 'CANCELLED', settled_at = now(),
      provider_message = case
        when claim_id is not null then 'Given up: the claim ended before it was sent'
        when ${redemptionStatus} = 'VOIDED' then 'Given up: the redemption was not paid'
        else 'Given up: too old to be sent' end
    where id = any(array(
      select id from messages as message
      where settled_at is null and status = 'QUEUED' and (${claimStatus} <> 'OPEN'
        or ${redemptionStatus} = 'VOIDED'
        or claim_id is null and ${redemptionStatus} is distinct from 'HELD'
          and ${age} > make_interval(secs => ${maximumAgeSeconds}::float8))
      order by id limit ${batchSize} for update skip locked))`;

/**
 * A message that its workflow may have orphaned, with the data that names that workflow. The merchant is
 * who was paid, or that of the voucher.
 */
interface UnfinishedMessage extends NamedVoucher {
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
 * Messages without a workflow, a page in the order of their ids. They are reminders, notices of
 * reversals, confirmations of paid redemptions, and codes in sending whose claims have ended. A
 * running claim or payment finishes its own message. A reminder waits for its hours.
 */
export const unfinishedMessages = (
  database: Database,
  times: ReminderHours,
  page: { readonly afterId: number; readonly limit: number },
) =>
  allRows<UnfinishedMessage>(database)`
    with page as materialized (
      select id, voucher_id, claim_id, redemption_id, reversal_id from messages as message
      where settled_at is null and id > ${page.afterId} and created_at < now() - ${OVERDUE}
        and (${redemptionStatus} <> 'HELD' and ${age} > ${OVERDUE}
          or status = 'SENDING' and ${claimStatus} <> 'OPEN'
          or kind = 'REVERSAL_NOTICE' or kind = 'EXPIRY_REMINDER' and ${isReminderHour(times)})
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
    order by page.id`;

/** When owners are told that their vouchers expire. */
interface ReminderTimes extends ReminderHours {
  /** Days before the expiry; 0 sends none. */
  readonly expiryReminderDays: number;
}

interface ReminderHours {
  /** Hours of the day in the zone between which messages are sent; the second is not included. */
  readonly expiryReminderHours: readonly [number, number];
  readonly marketTimeZone: string;
}

const isReminderHour = ({
  expiryReminderHours: [from, until],
  marketTimeZone,
}: ReminderHours) => sql`(
  extract(hour from now() at time zone ${marketTimeZone}::text) >= ${from}::integer
  and extract(hour from now() at time zone ${marketTimeZone}::text) < ${until}::integer)`;

const ownerKey = numberKey(sql.ref('owner_msisdn'));

const dueReminders = (
  { expiryReminderDays: days, ...hours }: ReminderTimes,
  batchSize: number,
  rows: Rows<number>,
) => sql`
  select vouchers.id, owner_msisdn,
    vouchers.expires_at - vouchers.created_at > make_interval(days => ${days * 2}::integer)
      as is_told,
    row_number() over (partition by ${ownerKey} order by vouchers.expires_at, vouchers.id)
      as place
  from vouchers
  where status = 'ACTIVE' and owner_msisdn is not null and reminded_at is null
    and expires_at between now() and now() + make_interval(days => ${days}::integer)
    and ${isReminderHour(hours)}
    and exists (
      select from partners where partners.id = vouchers.partner_id and partners.status = 'ACTIVE')
    and not exists (
      select from messages
      where ${numberKey(sql.ref('messages.msisdn'))} = ${ownerKey} and messages.kind = 'EXPIRY_REMINDER'
        and messages.created_at > now() - interval '1 day')
    and ${isAmong('vouchers.id', rows, 'bigint')}
  order by expires_at limit ${batchSize}`;

/**
 * Queues one message for each of up to `batchSize` owners whose vouchers expire soon, one a day for a
 * number. A voucher that was generated with little more time than that gets none: its owner has just
 * heard of it. The step counts the vouchers that are dealt with.
 */
export const remindersStep = (
  database: Database,
  times: ReminderTimes,
  batchSize: number,
): RowStep<number> => ({
  async end(among) {
    if (times.expiryReminderDays === 0) return 0;
    const rows = await allRows(database)`
      with due as (${dueReminders(times, batchSize, among)}), marked as (
        update vouchers set reminded_at = now()
        from due
        where vouchers.id = due.id and (due.place = 1 or not due.is_told)
          and vouchers.status = 'ACTIVE' and vouchers.reminded_at is null
        returning vouchers.id, vouchers.owner_msisdn, due.is_told
      ), queued as (
        insert into messages (kind, msisdn, voucher_id)
        select 'EXPIRY_REMINDER', owner_msisdn, id from marked where is_told
      )
      select id from marked`;
    return rows.length;
  },
  listDue: (among) => allValues<number>(database)`${dueReminders(times, batchSize, among)}`,
});

/** The content of the message; undefined where the voucher cannot be redeemed any more. */
export const voucherToRemindOf = (database: Database, messageId: number) =>
  database
    .selectFrom('messages')
    .innerJoin('vouchers', 'vouchers.id', 'messages.voucher_id')
    .innerJoin('merchants', 'merchants.id', 'vouchers.merchant_id')
    .select(['vouchers.remaining', 'vouchers.expires_at', 'is_restricted', 'merchant_name'])
    .where('messages.id', '=', messageId)
    .where('vouchers.status', 'in', ['ACTIVE', 'REDEEM_INITIATED'])
    .where('vouchers.expires_at', '>', now)
    .executeTakeFirst();
