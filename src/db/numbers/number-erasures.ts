import { type RawBuilder, sql } from 'kysely';

/** Ended for longer than the retention; none where it is 0. */
const isOlder = (column: RawBuilder<unknown>, days: number) =>
  sql`${days}::int > 0 and ${column} < now() - make_interval(days => ${days}::int)`;

const ENDED_VOUCHER = sql`status in ('REDEEMED', 'EXPIRED', 'CANCELLED')`;

/**
 * SQL condition on `topups`: nothing will be sent, asked or reversed. The open retries are counted for each
 * row, because an anti-join would read all of them.
 */
export const isSettledTopup = sql`topups.status in ('SUCCESS', 'FAILED')
  and not exists (select from topup_attempts as attempt where attempt.topup_id = topups.id
    and (attempt.status = 'HELD'
      -- a provider is asked again by the number
      or exists (select from placements where placements.operation_id = attempt.operation_id
        and placements.ask_at is not null)))
  and (select count(*) from topup_retries as retry where retry.topup_id = topups.id
    and retry.is_open) = 0
  and not exists (select from operator_commands as command where command.topup_id = topups.id
    and command.taken_at is null)`;

/** SQL assignment: a correction has the number before it, too. */
export const FORMER_ERASED = sql`former_msisdn = case when former_msisdn is not null then 'erased' end`;

/**
 * Erases the numbers of what ended before the retention; the rows stay, and with them all amounts.
 * Rows that another process has locked wait for the next run.
 */
export const numberErasures = {
  'numbers of vouchers': ({ numberDays }: NumberRetention, batchSize: number) => sql`
    update vouchers set owner_msisdn = 'erased' where id = any(array(
      select id from vouchers
      where owner_msisdn <> 'erased' and ${ENDED_VOUCHER}
        and ${isOlder(sql`expires_at`, numberDays)}
      order by expires_at limit ${batchSize} for update skip locked))`,

  'numbers of messages': ({ numberDays }: NumberRetention, batchSize: number) => sql`
    update messages set msisdn = 'erased' where id = any(array(
      select messages.id from messages
      join vouchers on vouchers.id = messages.voucher_id and vouchers.${ENDED_VOUCHER}
      where messages.msisdn <> 'erased' and ${isOlder(sql`messages.created_at`, numberDays)}
        and ${isOlder(sql`vouchers.expires_at`, numberDays)} and settled_at is not null
      order by messages.created_at limit ${batchSize} for update of messages skip locked))`,

  'numbers of top-ups': ({ numberDays }: NumberRetention, batchSize: number) => sql`
    with due as (
      select id from topups
      where msisdn <> 'erased' and ${isOlder(sql`created_at`, numberDays)}
        and ${isOlder(sql`updated_at`, numberDays)} and ${isSettledTopup}
      order by created_at limit ${batchSize} for update skip locked
    ), attempts as (
      update topup_attempts set msisdn = 'erased'
      where topup_id = any(array(select id from due))
    ), retries as (
      update topup_retries set msisdn = 'erased'
      where topup_id = any(array(select id from due)) and msisdn is not null
    ), commands as (
      update operator_commands set msisdn = 'erased'
      where topup_id = any(array(select id from due)) and msisdn is not null
    )
    update topups set msisdn = 'erased' where id = any(array(select id from due))`,

  'numbers of repairs': ({ numberDays }: NumberRetention, batchSize: number) => sql`
    update repairs set sealed_arguments = null, ${FORMER_ERASED} where id = any(array(
      select id from repairs
      where sealed_arguments is not null and state in ('DONE', 'REFUSED', 'EXPIRED')
        and ${isOlder(sql`changed_at`, numberDays)}
      order by id limit ${batchSize} for update skip locked))`,

  'numbers of bulk lines': ({ numberDays }: NumberRetention, batchSize: number) => sql`
    update bulk_lines set owner_msisdn = 'erased' where ctid = any(array(
      select ctid from bulk_lines
      where owner_msisdn <> 'erased' and ${isOlder(sql`settled_at`, numberDays)}
      order by settled_at limit ${batchSize} for update skip locked))`,
};

interface NumberRetention {
  readonly numberDays: number;
}
