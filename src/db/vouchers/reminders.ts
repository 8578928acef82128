import { sql } from 'kysely';
import type { Database } from '../connection.ts';
import { numberKey } from '../numbers/number-key.ts';
import { isAmong, type RowStep, type Rows } from '../refused-rows.ts';

/** When owners are told that their vouchers expire. */
export interface ReminderTimes {
  /** Days before the expiry; 0 tells nobody. */
  readonly days: number;
  /** Hours of the day in the zone between which messages are queued; the second is not included. */
  readonly hours: readonly [number, number];
  readonly zone: string;
}

const ownerKey = numberKey(sql.ref('owner_msisdn'));

const dueReminders = (
  { days, hours: [from, until], zone }: ReminderTimes,
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
    and extract(hour from now() at time zone ${zone}::text) >= ${from}::integer
    and extract(hour from now() at time zone ${zone}::text) < ${until}::integer
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
    if (times.days === 0) return 0;
    const { rows } = await sql`
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
      select id from marked`.execute(database);
    return rows.length;
  },
  async listDue(among) {
    const { rows } = await sql<{ id: number }>`${dueReminders(times, batchSize, among)}`.execute(
      database,
    );
    return rows.map(({ id }) => id);
  },
});

/** What the message says; undefined where the voucher cannot be redeemed any more. */
export const voucherToRemindOf = (database: Database, messageId: number) =>
  database
    .selectFrom('messages')
    .innerJoin('vouchers', 'vouchers.id', 'messages.voucher_id')
    .innerJoin('merchants', 'merchants.id', 'vouchers.merchant_id')
    .select(['vouchers.remaining', 'vouchers.expires_at', 'is_restricted', 'merchant_name'])
    .where('messages.id', '=', messageId)
    .where('vouchers.status', 'in', ['ACTIVE', 'REDEEM_INITIATED'])
    .where('vouchers.expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
