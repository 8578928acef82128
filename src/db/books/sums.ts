import { type RawBuilder, sql } from 'kysely';
import { formatMoney, type Money, parseMoney } from '../../domain/money.ts';
import type { Database } from '../connection.ts';
import { type BookSource, inSnapshot, moveCheckpoint, readCheckpoints } from './checkpoints.ts';

/** Transfers that one statement adds up. */
const BATCH_SIZE = 50_000;

/** SQL expression: the last transfer that the daily sums contain. */
export const daySumsEnd = sql`(select checked_to from book_checkpoints where source = 'day-sums')`;

/** SQL expression: the kind of operation by which a transfer ends a voucher; else empty. */
export const endOf = sql`coalesce(substring(operation_id from '^(cancel|expire)-'), '')`;

/**
 * Adds settled transfers to the sums of their UTC days. If the time is up, the next check continues.
 * Readers add later transfers to the sums themselves.
 */
export async function addDaySums(
  database: Database,
  { endsAt, settleSeconds }: { readonly endsAt: number; readonly settleSeconds?: number },
): Promise<void> {
  const { checkedTo, settledTo } = (await readCheckpoints(database, settleSeconds))['day-sums'];
  for (let from = checkedTo; from < settledTo && Date.now() <= endsAt; ) {
    const to = Math.min((await nextTransfer(database, from)) + BATCH_SIZE, settledTo);
    await inSnapshot(database, async (transaction) => {
      await sql`
        insert into ledger_day_sums as sums
          (day, debit_account_id, credit_account_id, step, ended, count, amount)
        select (created_at at time zone 'UTC')::date, debit_account_id, credit_account_id, step,
          ${endOf}, count(1), sum(amount)
        from ledger_transfers where id > ${from} and id <= ${to}
        group by 1, 2, 3, 4, 5
        on conflict (debit_account_id, day, credit_account_id, step, ended)
        do update set count = sums.count + excluded.count, amount = sums.amount + excluded.amount
      `.execute(transaction);
      await moveCheckpoint(transaction, 'day-sums', to);
    });
    from = to;
  }
}

/** The id of the first transfer after an id; after a restore many ids are skipped. Infinite if there is none. */
async function nextTransfer(database: Database, after: number): Promise<number> {
  const { rows } = await sql<{ id: number | null }>`
    select min(id) as id from ledger_transfers where id > ${after}`.execute(database);
  return rows[0]?.id ?? Number.POSITIVE_INFINITY;
}

/**
 * The partners' accounts whose balance differs from their daily sums and the later transfers: one line
 * per fault. The answer is empty until all old transfers are in the sums.
 */
export async function brokenDaySums(snapshot: Database): Promise<string[]> {
  const { rows } = await sql<{ fault: string }>`
    with entry as (
      select debit_account_id as account_id, -amount as amount from ledger_day_sums
      union all
      select credit_account_id, amount from ledger_day_sums
      union all
      select debit_account_id, -amount from ledger_transfers where id > ${daySumsEnd}
      union all
      select credit_account_id, amount from ledger_transfers where id > ${daySumsEnd}
    )
    select 'I2 the daily sums of an account are its balance: ' || kind || ' of partner ' || partner_id
      as fault
    from ledger_accounts as account
    left join (select account_id, sum(amount) as amount from entry group by account_id) as entries
      on account_id = account.id
    where balance <> coalesce(entries.amount, 0)
      and ${daySumsEnd} >= (select checked_to from book_checkpoints where source = 'sums')
    order by account.id`.execute(snapshot);
  return rows.map(({ fault }) => fault);
}

/**
 * A transfer is dated by the start of its transaction, as are all rows and a payment that is settled, and no
 * transaction of the service lasts a minute: an hour that ended before gets no more of them.
 */
const SETTLED_AFTER = sql`interval '5 minutes'`;

/** What is added up by hours of UTC; its checkpoint is in hours since 1970. */
type HourSource = Extract<BookSource, 'hour-sums' | 'row-counts'>;

/** SQL expression: the time before which all is in what is added up by hours. */
export const settledHoursEnd = (source: HourSource) => sql<Date>`to_timestamp((
  select checked_to from book_checkpoints where source = ${source}) * 3600)`;

/** SQL condition: a time is in the hours from one until before another. */
export const isInHours = (time: RawBuilder<unknown>, from: number, before = from + 1) =>
  sql`(${time} >= to_timestamp(${from}::bigint * 3600)
    and ${time} < to_timestamp(${before}::bigint * 3600))`;

/** What is over is settled, so the checkpoint has no end to reach. */
export const moveHours = (database: Database, source: HourSource, to: number) =>
  database
    .updateTable('book_checkpoints')
    .set({ checked_to: to, next_to: to })
    .where('source', '=', source)
    .where('checked_to', '<', to)
    .execute();

/**
 * The hour before that of the first transfer or voucher, since one with a later id may have begun there; and the
 * one that is not over yet.
 */
export async function readHours(database: Database): Promise<{ first: number; end: number }> {
  const { rows } = await sql<{ first: number | null; end: number }>`
    select floor(extract(epoch from least(
        (select created_at from ledger_transfers order by id limit 1),
        (select created_at from vouchers order by id limit 1))) / 3600)::bigint - 1 as first,
      floor(extract(epoch from now() - ${SETTLED_AFTER}) / 3600)::bigint as end`.execute(database);
  const { first = null, end = 0 } = rows[0] ?? {};
  return { first: first ?? end, end };
}

type Sql = RawBuilder<unknown>;

const hourSumsEnd = settledHoursEnd('hour-sums');

/** The beginning of the hour that a time is in; hours are those of UTC, which the sums are of. */
const hourOf = (time: Sql) => sql`date_bin('1 hour', ${time}, to_timestamp(0))`;

/**
 * SQL query: `begin` and `end` of the whole hours of a time that are summed up. Where there are none, the end is not
 * after the begin.
 */
export const summedHours = (from: Sql, before: Sql) => sql`
  select ${hourOf(sql`${from} + interval '1 hour' - interval '1 microsecond'`)} as begin,
    least(${hourOf(before)}, ${hourSumsEnd}) as "end"`;

/** SQL condition: a time is of one of the hours between `from` and `before` that are not summed up. */
export const besideHours = {
  /** Before the first whole hour. */
  first: (time: Sql, from: Sql, before: Sql) =>
    sql`(${time} >= ${from} and ${time} < least(hours.begin, ${before}))`,
  /** After the last one. */
  last: (time: Sql, before: Sql) =>
    sql`(${time} >= greatest(hours.begin, hours."end") and ${time} < ${before})`,
};

/**
 * Adds up what each merchant was paid and each partner sold in the hours that are over, one hour after another. If
 * the time is up, the next check continues. Rows are found by the indexes of payments and of accounts, so that an hour
 * costs a look-up for each company and what happened in it.
 */
export async function addHourSums(
  database: Database,
  { endsAt }: { readonly endsAt: number },
): Promise<void> {
  const { checkedTo } = (await readCheckpoints(database))['hour-sums'];
  const { first, end } = await readHours(database);
  let hour = Math.max(checkedTo, Math.min(first, end));
  await moveHours(database, 'hour-sums', hour);
  for (; hour < end && Date.now() <= endsAt; hour += 1)
    await inSnapshot(database, async (transaction) => {
      for (const sums of [payoutSums(hour), saleSums(hour)]) await sums.execute(transaction);
      await moveHours(transaction, 'hour-sums', hour + 1);
    });
}

/** What was paid at once: it never changes, also where it is reversed later. */
const payoutSums = (hour: number) => sql`
  insert into payout_hour_sums (merchant_id, hour, payouts, paid, service_fees)
  select merchants.id, to_timestamp(${hour}::bigint * 3600), payouts, paid, fees
  from merchants cross join lateral (
    select count(1) as payouts, sum(to_merchant) as paid, sum(service_fee) as fees
    from redemptions
    where merchant_id = merchants.id and status = 'POSTED' and ${isInHours(
      sql`(case when status = 'POSTED' then settled_at else changed_at end)`,
      hour,
    )}
  ) as sums
  where payouts > 0
  on conflict (merchant_id, hour) do update set payouts = excluded.payouts,
    paid = excluded.paid, service_fees = excluded.service_fees`;

const saleSums = (hour: number) => sql`
  insert into sale_hour_sums (partner_id, hour, vouchers, voucher_amount, topups, topup_amount)
  select debit.partner_id, to_timestamp(${hour}::bigint * 3600),
    coalesce(sum(count) filter (where kind = 'gift'), 0),
    coalesce(sum(amount) filter (where kind = 'gift'), 0),
    coalesce(sum(count) filter (where kind = 'airtime-hold'), 0),
    coalesce(sum(amount) filter (where kind = 'airtime-hold'), 0)
  from ledger_accounts as debit cross join lateral (
    select count(1) as count, sum(amount) as amount
    from ledger_transfers
    where debit_account_id = debit.id and ${isInHours(sql`created_at`, hour)}
      and credit_account_id = (
        select id from ledger_accounts as credit
        where debit.kind = 'gift' and credit.kind = 'reserved' and credit.partner_id = debit.partner_id
          or debit.kind = 'airtime-hold' and credit.kind = 'airtime-clearing')
  ) as sums
  where debit.kind in ('gift', 'airtime-hold') and count > 0
  group by debit.partner_id
  on conflict (partner_id, hour) do update set vouchers = excluded.vouchers,
    voucher_amount = excluded.voucher_amount, topups = excluded.topups,
    topup_amount = excluded.topup_amount`;

/** What the ledger's days have of sales and payouts, by the kinds of accounts. */
const ledgerDays = sql`
  select day, sum(amount) filter (where is_payout) as paid,
    sum(count) filter (where is_payout) as payouts,
    sum(amount) filter (where credit.kind = 'service-fees') as fees,
    sum(amount) filter (where debit.kind = 'gift') as voucher_amount,
    sum(amount) filter (where debit.kind = 'airtime-hold') as topup_amount
  from ledger_day_sums
  join ledger_accounts as debit on debit.id = debit_account_id
  join ledger_accounts as credit on credit.id = credit_account_id
  cross join lateral (select credit.kind = 'mobile-money-clearing' as is_payout) as what
  where (debit.kind, credit.kind) in (('gift-hold', 'mobile-money-clearing'),
    ('gift-hold', 'service-fees'), ('gift', 'reserved'), ('airtime-hold', 'airtime-clearing'))
  group by day`;

/**
 * The days whose sums by hour differ from the ledger: one line per fault. A transfer that pays a merchant has the
 * time of its redemption, and the sums of days have it; the newest of these days may lack some.
 */
export async function brokenHourSums(snapshot: Database): Promise<string[]> {
  const { rows } = await sql<{ fault: string }>`
    with whole(day) as (
      select least((select max(day) - 1 from ledger_day_sums), (${hourSumsEnd} at time zone 'UTC')::date)
      where ${daySumsEnd} >= (select checked_to from book_checkpoints where source = 'sums')
    ), of_hours as (
      select (hour at time zone 'UTC')::date as day, sum(payouts) as payouts, sum(paid) as paid,
        sum(service_fees) as fees, 0 as voucher_amount, 0 as topup_amount
      from payout_hour_sums group by 1
      union all
      select (hour at time zone 'UTC')::date, 0, 0, 0, sum(voucher_amount), sum(topup_amount)
      from sale_hour_sums group by 1
      union all
      select day, -coalesce(payouts, 0), -coalesce(paid, 0), -coalesce(fees, 0),
        -coalesce(voucher_amount, 0), -coalesce(topup_amount, 0)
      from (${ledgerDays}) as days
    )
    select 'I2 the hourly sums of sales and payouts are the ledger''s: ' || day as fault
    from of_hours where day < (select day from whole)
    group by day
    having sum(payouts) <> 0 or sum(paid) <> 0 or sum(fees) <> 0
      or sum(voucher_amount) <> 0 or sum(topup_amount) <> 0
    order by day limit 100`.execute(snapshot);
  return rows.map(({ fault }) => fault);
}

/** What the vouchers of a partner hold. */
interface Holding {
  readonly partner_id: number;
  readonly remaining: string;
  readonly held: string;
}

/** The sums of vouchers with nearby ids, by their block: the first id is block × `size` + 1. */
export interface HoldingSums {
  readonly size: number;
  readonly blocks: Map<number, readonly Holding[]>;
  /** The last voucher of the blocks: all with lower ids are committed, or will never come. */
  readonly settledTo: number;
  /** SQL query: the vouchers that may hold something else since the sums were begun. */
  readonly changed: RawBuilder<{ id: number }>;
}

/** Passes over what has changed in the meantime: each is much shorter than the one before. */
const PASSES = 3;

/**
 * SQL query: the vouchers whose value moved since now. Each move is a change of status, a reversal that a merchant
 * asked for, which makes a live voucher grow, or the settling of a case. All are looked for from before what is not
 * settled yet.
 */
async function changesFromNow(database: Database): Promise<RawBuilder<{ id: number }>> {
  const { rows } = await sql<{ change: number; time: Date }>`
    select checked_to as change, now() - interval '1 hour' as time
    from book_checkpoints where source = 'status-changes'`.execute(database);
  const { change = 0, time = new Date(0) } = rows[0] ?? {};
  return sql`
    select voucher_id as id from voucher_status_changes where id > ${change}
    union
    select redemptions.voucher_id from redemption_reversals as reversal
    join redemptions on redemptions.id = reversal.redemption_id
    where reversal.status = 'SUCCESS' and reversal.settled_at >= ${time}
    union
    select voucher_id from cases where voucher_id is not null and closed_at >= ${time}`;
}

/** Adds up vouchers in blocks, each with a short snapshot of its own, and those again that have changed. */
export async function addUpHoldings(
  database: Database,
  size: number,
  note: (progress: string) => void,
): Promise<HoldingSums> {
  const blocks = new Map<number, readonly Holding[]>();
  let changed = await changesFromNow(database);
  const { checked_to: settledTo } = await database
    .selectFrom('book_checkpoints')
    .select('checked_to')
    .where('source', '=', 'vouchers')
    .executeTakeFirstOrThrow();
  for (let block = 0; ; block += 1) {
    // After a restore many ids are skipped.
    const next = await nextVoucher(database, block * size);
    if (next > settledTo) break;
    block = Math.floor((next - 1) / size);
    blocks.set(block, await sumOfBlock(database, { block, size, settledTo }));
    note(`holdings, voucher ${Math.min((block + 1) * size, settledTo)} of ${settledTo}`);
  }
  for (let pass = 1; pass < PASSES; pass += 1) {
    const next = await changesFromNow(database);
    for (const block of await changedBlocks(database, { size, settledTo, changed }))
      blocks.set(block, await sumOfBlock(database, { block, size, settledTo }));
    changed = next;
  }
  return { size, blocks, settledTo, changed };
}

/**
 * SQL query: `partner_id`, `remaining` and `held` of all vouchers as a snapshot sees them. The snapshot reads
 * the blocks that have changed since they were added up, and the vouchers after the last block.
 */
export async function holdingsIn(
  snapshot: Database,
  sums: HoldingSums,
): Promise<RawBuilder<unknown>> {
  const blocks = new Map(sums.blocks);
  for (const block of await changedBlocks(snapshot, sums))
    blocks.set(block, await sumOfBlock(snapshot, { block, ...sums }));
  const totals = new Map<number, { remaining: Money; held: Money }>();
  for (const { partner_id: id, remaining, held } of [...blocks.values()].flat()) {
    const known = totals.get(id) ?? { remaining: 0n, held: 0n };
    totals.set(id, {
      remaining: known.remaining + parseMoney(remaining),
      held: known.held + parseMoney(held),
    });
  }
  const all = [...totals];
  return sql`
    select * from unnest(${all.map(([id]) => id)}::bigint[],
      ${all.map(([, { remaining }]) => formatMoney(remaining))}::numeric[],
      ${all.map(([, { held }]) => formatMoney(held))}::numeric[])
      as summed (partner_id, remaining, held)
    union all
    select partner_id, remaining, held from vouchers where id > ${sums.settledTo}`;
}

/** The id of the first voucher after an id; infinite if there is none. */
async function nextVoucher(database: Database, after: number): Promise<number> {
  const { rows } = await sql<{ id: number | null }>`
    select min(id) as id from vouchers where id > ${after}`.execute(database);
  return rows[0]?.id ?? Number.POSITIVE_INFINITY;
}

async function sumOfBlock(
  database: Database,
  { block, size, settledTo }: Pick<HoldingSums, 'size' | 'settledTo'> & { readonly block: number },
): Promise<Holding[]> {
  const { rows } = await sql<Holding>`
    select partner_id, sum(remaining) as remaining, sum(held) as held from vouchers
    where id > ${block * size} and id <= ${Math.min((block + 1) * size, settledTo)}
    group by partner_id`.execute(database);
  return rows;
}

async function changedBlocks(
  database: Database,
  { size, settledTo, changed }: Pick<HoldingSums, 'size' | 'settledTo' | 'changed'>,
): Promise<number[]> {
  const { rows } = await sql<{ block: number }>`
    select distinct (id - 1) / ${size}::bigint as block from (${changed}) as changes
    where id <= ${settledTo}`.execute(database);
  return rows.map(({ block }) => block);
}
