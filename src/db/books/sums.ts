import { sql } from 'kysely';
import { formatMoney, type Money, parseMoney } from '../../domain/money.ts';
import type { CompanyKind, VoucherStatus } from '../../domain/vouchers/voucher.ts';
import { companyColumn, companyTable } from '../catalogue/companies.ts';
import { allRows, allValues, type Database, inSnapshot, type Sql } from '../connection.ts';
import type { RowCountsTable } from '../generated/tables.ts';
import {
  archivedEntries,
  archiveState,
  hasNoKeptSum,
  isInFileOnly,
  isKeptSum,
  oldestUnsummed,
} from '../ledger/archives.ts';
import { unbegunSince } from '../topups/requests.ts';
import { brokenBalances, brokenHoldings, entriesOf } from './invariants.ts';
import {
  type BookSource,
  type BookSpan,
  byHour,
  byId,
  checkedTo,
  type Rollup,
  readCheckedTo,
  spansOf,
  type VerifyOptions,
} from './rollup.ts';

/** Rows that one statement adds up. */
const BATCH_SIZE = 50_000;

/** SQL expression: the last transfer that the sums of accounts and days contain. */
export const ledgerSumsEnd = checkedTo('ledger-sums');

/** SQL expression: the kind of operation by which a transfer ends a voucher; else empty. */
export const endKind = sql`coalesce(substring(operation_id from '^(cancel|expire)-'), '')`;

/**
 * SQL condition behind the id of a transfer: no daily sum contains it. Kept sums contain restored transfers, also
 * while the others are added up again.
 */
export const isUnsummed = sql`> ${ledgerSumsEnd} and ${hasNoKeptSum}`;

/** The balance of each account, and the sum moved between two accounts on a UTC day. */
export const ledgerSums: Rollup = {
  source: 'ledger-sums',
  watermark: byId('ledger_transfers', BATCH_SIZE),
  tables: { checked_balances: {}, ledger_day_sums: { keeps: isKeptSum } },
  begin: [
    sql`
      insert into checked_balances (account_id, amount)
      select account_id, sum(change) from (${archivedEntries(sql`true`)}) as archived
      group by account_id`,
  ],
  add: ({ after, to }) => [
    sql`
      insert into checked_balances as checked (account_id, amount)
      select account_id, sum(amount)
      from (${entriesOf(sql`> ${after} and id <= ${to} and ${hasNoKeptSum}`)}) as entries group by account_id
      on conflict (account_id) do update set amount = checked.amount + excluded.amount`,
    sql`
      insert into ledger_day_sums as sums
        (day, debit_account_id, credit_account_id, step, ended, count, amount)
      select (created_at at time zone 'UTC')::date, debit_account_id, credit_account_id, step,
        ${endKind}, count(1), sum(amount)
      from ledger_transfers where id > ${after} and id <= ${to} and ${hasNoKeptSum}
      group by 1, 2, 3, 4, 5
      on conflict (debit_account_id, day, credit_account_id, step, ended)
      do update set count = sums.count + excluded.count, amount = sums.amount + excluded.amount`,
  ],
  compare: (snapshot) =>
    brokenBalances(
      snapshot,
      sql`select account_id, amount from checked_balances union all ${entriesOf(isUnsummed)}`,
    ),
  async verify(database, options) {
    // Transfers that move to or from files meanwhile would be added up twice, or not at all.
    for (;;) {
      const before = await archiveState(database);
      const faults = await brokenLedgerSums(database, options);
      if ((await archiveState(database)) === before) return faults;
    }
  },
};

async function brokenLedgerSums(
  database: Database,
  { batchSize, note }: VerifyOptions,
): Promise<string[]> {
  const settledTo = await readCheckedTo(database, ledgerSums.source);
  const sums = new Map<number, Money>();
  const batches = spansOf(database, byId('ledger_transfers', batchSize), {
    after: 0,
    to: settledTo,
  });
  for await (const { after, to } of batches) {
    const rows = await inSnapshot(
      database,
      (snapshot) =>
        allRows<{ account_id: number; amount: string }>(snapshot)`
        ${entriesOf(sql`> ${after} and id <= ${to}`)}`,
    );
    for (const { account_id: id, amount } of rows)
      sums.set(id, (sums.get(id) ?? 0n) + parseMoney(amount));
    note(`sums of accounts, transfer ${to} of ${settledTo}`);
  }
  const accounts = [...sums];
  return await inSnapshot(database, async (snapshot) => [
    ...(await brokenBalances(
      snapshot,
      sql`
          select account_id, amount from unnest(${accounts.map(([id]) => id)}::bigint[],
            ${accounts.map(([, amount]) => formatMoney(amount))}::numeric[]) as sums (account_id, amount)
          union all ${entriesOf(sql`> ${settledTo}`)}
          union all select account_id, change from (${archivedEntries()}) as archived`,
    )),
    ...(await brokenDays(snapshot)),
  ]);
}

/** The partners' accounts whose balance differs from the sums of their days and the later transfers. */
const brokenDays = (snapshot: Database) =>
  allValues<string>(snapshot)`
    with entry as (
      select debit_account_id as account_id, -amount as amount from ledger_day_sums
      union all
      select credit_account_id, amount from ledger_day_sums
      union all
      ${entriesOf(isUnsummed)}
    )
    select 'I2 the daily sums of an account are its balance: ' || kind || ' of partner ' || partner_id
      as fault
    from ledger_accounts as account
    left join (select account_id, sum(amount) as amount from entry group by account_id) as entries
      on account_id = account.id
    where balance <> coalesce(entries.amount, 0)
    order by account.id`;

/**
 * The holdings of each partner's vouchers: their amounts, and the changes that triggers report. A
 * check that takes these changes adds them (faults.ts).
 */
const holdings: Rollup = {
  source: 'holdings',
  watermark: byId('vouchers', BATCH_SIZE),
  tables: { checked_holdings: {} },
  begin: [
    // The changes so far, but for those that are not visible yet.
    sql`
      with counted as (delete from unchecked_changes returning subject, id), again as (
        insert into unchecked_changes (subject, id) select distinct subject, id from counted)
      insert into checked_holdings (partner_id, remaining, held)
      select partner_id, sum(remaining - amount), sum(held) from vouchers group by partner_id`,
  ],
  add: ({ after, to }) => [
    sql`
      insert into checked_holdings as holding (partner_id, remaining, held)
      select partner_id, sum(amount), 0 from vouchers
      where id > ${after} and id <= ${to} group by partner_id
      on conflict (partner_id) do update set remaining = holding.remaining + excluded.remaining`,
  ],
  compare: (snapshot) =>
    brokenHoldings(
      snapshot,
      sql`
        select partner_id, remaining, held from checked_holdings
        union all
        select partner_id, amount, 0 from vouchers where id > ${checkedTo('holdings')}
        union all
        select partner_id, remaining, held from unchecked_changes where partner_id is not null`,
    ),
  // A second for some millions of vouchers.
  verify: (database) =>
    inSnapshot(database, (snapshot) =>
      brokenHoldings(snapshot, sql`select partner_id, remaining, held from vouchers`),
    ),
};

/** SQL expression: the time before which all is in what is added up by hours. */
export const hoursEnd = (source: BookSource) =>
  sql<Date>`to_timestamp(${checkedTo(source)} * 3600)`;

/** SQL condition: a time is in the hours of a span. */
const isInHours = (time: Sql, { after, to }: BookSpan) =>
  sql`(${time} >= to_timestamp(${after}::bigint * 3600)
    and ${time} < to_timestamp(${to}::bigint * 3600))`;

/** The beginning of the hour that a time is in; hours are those of UTC, which the sums are of. */
const hourOf = (time: Sql) => sql`date_bin('1 hour', ${time}, to_timestamp(0))`;

/**
 * SQL query: `begin` and `end` of the whole hours of a time that are summed up. Where there are none, the end is not
 * after the begin.
 */
export const summedHours = (from: Sql, before: Sql) => sql`
  select ${hourOf(sql`${from} + interval '1 hour' - interval '1 microsecond'`)} as begin,
    least(${hourOf(before)}, ${hoursEnd('hour-sums')}) as "end"`;

/** SQL conditions: a time between `from` and `before` is in an hour without a sum. */
export const unsummedHours = {
  /** Before the first whole hour. */
  first: (time: Sql, from: Sql, before: Sql) =>
    sql`(${time} >= ${from} and ${time} < least(hours.begin, ${before}))`,
  /** After the last one. */
  last: (time: Sql, before: Sql) =>
    sql`(${time} >= greatest(hours.begin, hours."end") and ${time} < ${before})`,
};

/** SQL expression: the time of a payment, as the index `redemptions_paid` has it. */
export const paidAt = sql`(case when redemptions.status = 'POSTED' then settled_at else changed_at end)`;

/** SQL condition on an hourly sum: the table lacks its top-ups. It is kept, because only voids would be added up. */
const isArchivedSale = sql`(sale_hour_sums.kind = 'topups' and exists (
  select from ledger_archives as archive where archive.partner_id = sale_hour_sums.partner_id
    and day = (sale_hour_sums.hour at time zone 'UTC')::date and ${isInFileOnly}))`;

/**
 * The payouts of each merchant and the sales of each partner in an hour. Rows are found by the
 * indexes of payments and of accounts, so that an hour costs a look-up for each company and what
 * happened in it.
 */
export const hourSums: Rollup = {
  source: 'hour-sums',
  watermark: byHour(),
  tables: { payout_hour_sums: {}, sale_hour_sums: { keeps: isArchivedSale } },
  add: (hours) => [payoutSums(hours), saleSums(hours)],
  verify: (database) => inSnapshot(database, brokenHours),
};

/** Payments by their first answers: these sums never change, also where a payment is reversed or made later. */
const payoutSums = (hours: BookSpan) => sql`
  insert into payout_hour_sums
    (merchant_id, partner_id, hour, payouts, paid, service_fees, refused)
  select merchants.id, partner_id, hour, count(1) filter (where is_paid),
    coalesce(sum(to_merchant) filter (where is_paid), 0),
    coalesce(sum(service_fee) filter (where is_paid), 0), count(1) filter (where not is_paid)
  from merchants cross join lateral (
    select ${hourOf(paidAt)} as hour, true as is_paid, voucher_id, to_merchant, service_fee
    from redemptions
    where merchant_id = merchants.id and status = 'POSTED' and ${isInHours(paidAt, hours)}
    union all
    select ${hourOf(sql`settled_at`)}, false, voucher_id, to_merchant, service_fee
    from redemptions
    where merchant_id = merchants.id and status = 'VOIDED' and ${isInHours(sql`settled_at`, hours)}
  ) as payment
  cross join lateral (
    select partner_id from vouchers where vouchers.id = payment.voucher_id offset 0) as voucher
  group by merchants.id, partner_id, hour
  on conflict (merchant_id, hour, partner_id) do update set payouts = excluded.payouts,
    paid = excluded.paid, service_fees = excluded.service_fees, refused = excluded.refused`;

/** SQL expression: a decimal that was sent with a sale; null where none was. */
const decimalOf = (column: Sql) =>
  sql`case when ${column} ~ '^[0-9]+([.][0-9]+)?$' then nullif(${column}::numeric, 0) end`;

/** SQL expressions: the price of a top-up for its customer, and the exchange rate of the sale. */
export const priceOfTopup = {
  price: decimalOf(sql`topups.foreign_currency_amount`),
  rate: decimalOf(sql`topups.exchange_rate`),
};

/**
 * SQL query: a row for each voucher that partners generated in a time, and for each attempt of a top-up that ended
 * then. `change` is the number of sales. The row never changes, whatever becomes of the attempt later: see
 * db/ledger/sales.ts.
 *
 * @param partners an array of their ids
 */
export const soldAtOnce = (partners: Sql, when: (time: Sql) => Sql) => sql`
  select 'vouchers' as kind, created_at as at, amount, 1 as change, 0 as failed,
    selling_price_usd as price, ${decimalOf(sql`exchange_rate`)} as rate
  from vouchers where partner_id = any(${partners}) and ${when(sql`created_at`)}
  union all
  select 'topups', transfer.created_at, transfer.amount, (not is_void)::int, is_void::int, sold.price,
    sold.rate
  from ledger_accounts as debit
  join ledger_transfers as transfer on transfer.debit_account_id = debit.id
  join ledger_accounts as credit on credit.id = transfer.credit_account_id
  cross join lateral (select credit.kind = 'airtime' as is_void) as what
  left join lateral (
    select ${priceOfTopup.price} as price, ${priceOfTopup.rate} as rate
    from topup_attempts as try join topups on topups.id = try.topup_id
    where not is_void and try.operation_id = transfer.operation_id
    offset 0
  ) as sold on true
  where debit.partner_id = any(${partners}) and debit.kind = 'airtime-hold'
    and credit.kind in ('airtime-clearing', 'airtime') and ${when(sql`transfer.created_at`)}`;

/** SQL expressions: the sums of rows of sales, named as in sale_hour_sums. */
export const sumsOfSales = sql`sum(change) as sold, sum(change * amount) as amount, sum(failed) as failed,
  coalesce(sum(change) filter (where price * rate is not null), 0) as priced,
  coalesce(sum(change * price) filter (where rate is not null), 0) as sold_usd,
  coalesce(sum(change * amount / rate) filter (where price is not null), 0) as cost_usd,
  coalesce(sum(change * (price * rate - amount)), 0) as margin_etb`;

const saleSums = (hours: BookSpan) => sql`
  insert into sale_hour_sums
    (partner_id, hour, kind, sold, amount, failed, priced, sold_usd, cost_usd, margin_etb)
  select partners.id, sums.*
  from partners cross join lateral (
    select ${hourOf(sql`at`)} as hour, kind, ${sumsOfSales}
    from (${soldAtOnce(sql`array[partners.id]`, (time) => isInHours(time, hours))}) as sale
    group by 1, 2
  ) as sums
  on conflict (partner_id, hour, kind) do update set sold = excluded.sold,
    amount = excluded.amount, failed = excluded.failed, priced = excluded.priced,
    sold_usd = excluded.sold_usd, cost_usd = excluded.cost_usd, margin_etb = excluded.margin_etb
    where not ${isArchivedSale}`;

/** The sales and payouts in the ledger's days, by the kinds of accounts. */
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
 * The days whose sums by hour differ from the ledger. A transfer that pays a merchant has the time of its redemption,
 * and the sums of days have it; the days that these sums may lack are left out.
 */
const brokenHours = (database: Database) =>
  allValues<string>(database)`
    with whole(day) as (
      select least((${oldestUnsummed} at time zone 'UTC')::date,
        (${hoursEnd('hour-sums')} at time zone 'UTC')::date)
    ), of_hours as (
      select (hour at time zone 'UTC')::date as day, sum(payouts) as payouts, sum(paid) as paid,
        sum(service_fees) as fees, 0 as voucher_amount, 0 as topup_amount
      from payout_hour_sums group by 1
      union all
      select (hour at time zone 'UTC')::date, 0, 0, 0,
        coalesce(sum(amount) filter (where kind = 'vouchers'), 0),
        coalesce(sum(amount) filter (where kind = 'topups'), 0)
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
    order by day limit 100`;

/** SQL condition: a change of a voucher's status `change` from one to another. */
const isChange = (from: VoucherStatus, to: VoucherStatus) =>
  sql`(change.from_status = ${sql.lit(from)} and change.to_status = ${sql.lit(to)})`;
const isClaim = isChange('ACTIVE', 'REDEEM_INITIATED');
const isCode = isChange('REDEEM_INITIATED', 'REDEEM_PROCESSING');

/** The claims of each partner's vouchers in an hour, the right codes, and the payments of claims. */
const claimSums: Rollup = {
  source: 'claim-sums',
  watermark: byId('voucher_status_changes', BATCH_SIZE),
  tables: { claim_hour_sums: {} },
  // A payment that ends at once has the time of the change of its voucher.
  add: ({ after, to }) => [
    sql`
      insert into claim_hour_sums as sums (partner_id, hour, claims, codes, payments)
      select partner_id, ${hourOf(sql`change.changed_at`)}, count(1) filter (where ${isClaim}),
        count(1) filter (where ${isCode}), count(1) filter (where is_paid)
      from voucher_status_changes as change
      join vouchers on vouchers.id = change.voucher_id
      left join lateral (
        select true as is_paid from redemptions
        where change.from_status = 'REDEEM_PROCESSING' and redemptions.voucher_id = change.voucher_id
          and settled_at = change.changed_at and redemptions.status = 'POSTED' and claim_id is not null
        offset 0
      ) as payment on true
      where change.id > ${after} and change.id <= ${to} and (${isClaim} or ${isCode} or is_paid)
      group by 1, 2
      on conflict (partner_id, hour) do update set claims = sums.claims + excluded.claims,
        codes = sums.codes + excluded.codes, payments = sums.payments + excluded.payments`,
  ],
  verify: (database) => inSnapshot(database, brokenClaims),
};

/** The partners whose claims by hour differ from the changes of their vouchers. */
const brokenClaims = (database: Database) =>
  allValues<string>(database)`
    select 'I2 the sums of claims are the changes of vouchers: partner ' || partner_id as fault
    from (
      select partner_id, count(1) filter (where ${isClaim}) as claims,
        count(1) filter (where ${isCode}) as codes
      from voucher_status_changes as change join vouchers on vouchers.id = change.voucher_id
      where change.id <= ${checkedTo('claim-sums')} and (${isClaim} or ${isCode})
      group by partner_id
    ) as counted
    full join (
      select partner_id, sum(claims) as claims, sum(codes) as codes from claim_hour_sums
      group by partner_id having sum(claims) + sum(codes) > 0
    ) as kept using (partner_id)
    where (counted.claims, counted.codes) is distinct from (kept.claims, kept.codes)
    order by partner_id`;

/** Lists whose rows are only added, but for what never began, and the kind of the companies that have them. */
const countedLists = Object.entries({
  vouchers: 'partner',
  topups: 'partner',
  redemptions: 'merchant',
} as const satisfies Record<RowCountsTable['list'], CompanyKind>);

/**
 * How many rows the lists of each company have, so that no process counts all of them
 * ([decision 24](../../../docs/decisions/0024-lists-apart.md)). A top-up that is refused before it began is deleted:
 * no hour is counted before each of its top-ups has begun or failed.
 */
export const rowCounts: Rollup = {
  source: 'row-counts',
  watermark: byHour(unbegunSince),
  tables: { row_counts: {} },
  add: (hours) =>
    countedLists.map(
      ([list, kind]) => sql`
        insert into row_counts as known (list, company_id, total)
        select ${list}, companies.id, added
        from ${sql.table(companyTable({ kind }))} as companies cross join lateral (
          select count(1) as added from ${sql.table(list)}
          where ${sql.ref(companyColumn({ kind }))} = companies.id
            and ${isInHours(sql`created_at`, hours)}) as counted
        where added > 0
        on conflict (list, company_id) do update set total = known.total + excluded.total`,
    ),
  verify: (database) => inSnapshot(database, brokenCounts),
};

/**
 * How many rows of a company's list were created before a moment, as PostgreSQL writes it: a value that the
 * planner knows, so that only rows since then are read.
 */
export const readRowCount = (database: Database, list: string, companyId: number) =>
  database
    .selectNoFrom([
      sql<number>`coalesce((select total from row_counts
        where list = ${list} and company_id = ${companyId}::bigint), 0)`.as('totalItems'),
      sql<string>`(${hoursEnd('row-counts')})::text`.as('mark'),
    ])
    .executeTakeFirstOrThrow();

/** The lists of companies whose number of rows differs from what is kept. */
async function brokenCounts(database: Database): Promise<string[]> {
  const faults: string[] = [];
  for (const [list, kind] of countedLists) {
    const broken = await allValues<string>(database)`
      select 'I2 the kept count of a list is that of its rows: ' || ${list}::text || ' of company '
        || company_id as fault
      from (
        select ${sql.ref(companyColumn({ kind }))} as company_id, count(1) as counted
        from ${sql.table(list)} where created_at < ${hoursEnd('row-counts')} group by 1
      ) as counts
      full join (select company_id, total from row_counts where list = ${list}) as kept using (company_id)
      where counted is distinct from total
      order by company_id`;
    faults.push(...broken);
  }
  return faults;
}

/**
 * All sums of the books, in the order in which a check adds them up. Those with `compare` come first: every check
 * compares them, and hours that take too long must not keep it from that.
 */
export const allSums: readonly Rollup[] = [ledgerSums, holdings, hourSums, claimSums, rowCounts];

export const comparedSums = allSums.filter(({ compare }) => compare);

/** The faults of sums, compared with the balances; undefined while one of them is to be begun. */
export async function compareSums(
  snapshot: Database,
  sums = comparedSums,
): Promise<string[] | undefined> {
  const faults: string[] = [];
  for (const { source, compare } of sums) {
    if ((await readCheckedTo(snapshot, source)) < 0) return undefined;
    faults.push(...((await compare?.(snapshot)) ?? []));
  }
  return faults;
}
