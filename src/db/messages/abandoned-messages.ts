import { sql } from 'kysely';
import { allRows, allValues, changedRows, type Database, type Sql } from '../connection.ts';
import { numberKey } from '../phone-numbers.ts';
import { isAmong, type RowStep, type Rows } from '../refused-rows.ts';

/*
 * SQL expressions about one message. Scalar subqueries run only for the few unsettled messages;
 * joins would scan whole tables.
 */
const claimStatus = sql`(select status from voucher_claims where id = message.claim_id)`;
const redemptionStatus = sql`(select status from redemptions where id = message.redemption_id)`;
const paymentEndedAt = sql`(
  select coalesce(settled_at, created_at) from redemptions where id = message.redemption_id)`;

/** Age at which an unsent reminder or notice is given up. That of a message sent again tells that its workflow is lost. */
const patience = sql`case when kind in ('EXPIRY_REMINDER', 'REVERSAL_NOTICE')
  then interval '1 day' else interval '5 minutes' end`;

/** SQL condition: a queued message is of no use any more. A message sent again has neither a claim nor a payment. */
const isUseless = sql`(status = 'QUEUED' and case
  when claim_id is not null then ${claimStatus} <> 'OPEN'
  when redemption_id is null then now() - created_at > ${patience}
  else ${redemptionStatus} = 'VOIDED'
    or ${redemptionStatus} <> 'HELD' and now() - ${paymentEndedAt} > interval '1 day' end)`;

/** SQL condition: the outbox looks after a message, because it is not sent yet. */
const isDue = sql`settled_at is null and due_at <= now()`;

/** Cancels up to `limit` useless messages, even if a workflow would still send them. */
export const cancelUselessMessages = (database: Database, limit: number) =>
  changedRows(database)`
    update messages as message set status = 'CANCELLED', settled_at = now(),
      provider_message = case
        when claim_id is not null then 'Given up: the claim ended before it was sent'
        when ${redemptionStatus} = 'VOIDED' then 'Given up: the redemption was not paid'
        else 'Given up: too old to be sent' end
    where id = any(array(
      select id from messages as message
      where ${isDue} and ${isUseless}
      order by due_at limit ${limit} for update skip locked))`;

/**
 * SQL condition: reminders within their hours, and messages that their workflows left behind: confirmations of paid
 * redemptions, notices of reversals, and interrupted sendings.
 */
const isLeft = (times: ReminderHours, longestSendingSeconds: number) => sql`(case
  when status = 'SENDING' then coalesce(sending_since, created_at)
    < clock_timestamp() - make_interval(secs => ${longestSendingSeconds}::float8)
  when kind = 'EXPIRY_REMINDER' then ${isReminderHour(times)}
  else kind = 'REVERSAL_NOTICE' or ${redemptionStatus} = 'POSTED' end)`;

/** SQL query: the messages that the outbox looks after. */
export const leftMessages = (...times: Parameters<typeof isLeft>): Sql => sql`
  select from messages as message where ${isDue} and (${isLeft(...times)} or ${isUseless})`;

/**
 * Takes up to `limit` messages for one worker, which sends them. If it does not, they are due again a minute later.
 * Returns their ids.
 */
export const takeLeftMessages = (
  database: Database,
  limit: number,
  ...times: Parameters<typeof isLeft>
) =>
  allValues<number>(database)`
    update messages set due_at = now() + interval '1 minute'
    where id = any(array(
      select id from messages as message
      where ${isDue} and ${isLeft(...times)} and not ${isUseless}
      order by due_at limit ${limit} for update skip locked))
    returning id`;

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
