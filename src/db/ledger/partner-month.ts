import { type RawBuilder, sql } from 'kysely';
import {
  type ChangeSum,
  CLOSED_AFTER_HOURS,
  type Month,
  type MonthlyStatement,
  type StatementSection,
  statementLines,
  UNDER_WAY,
} from '../../domain/statements/monthly-statement.js';
import {
  DEPOSIT_REVERSAL,
  LATE_SUCCESS_SETTLEMENT,
  REVERSAL_FEE,
  REVERSAL_SETTLEMENT,
} from '../../domain/statements/statement-labels.js';
import { daySumsEnd, endOf } from '../books/day-sums.js';
import type { Database } from '../connection.js';
import { beginningOfMonth, endOfMonth } from './month-bounds.js';

/** The wallets of a statement, with the accounts of each; they are all of a partner's accounts. */
const titles: Readonly<Record<string, string>> = {
  gift: 'Gift wallet',
  airtime: 'Airtime wallet',
  reserved: 'Unused vouchers',
  [UNDER_WAY]: 'Top-ups under way',
};

interface Row {
  readonly name: string;
  readonly wallet: string;
  readonly opening: string;
  readonly closing: string;
  readonly changes: readonly ChangeSum[];
}

/** The steps that tell kinds of transactions apart; others are one. */
const telling = [LATE_SUCCESS_SETTLEMENT, REVERSAL_SETTLEMENT, REVERSAL_FEE, DEPOSIT_REVERSAL];

/** SQL expressions: the UTC midnights around a moment; both are the moment itself if it is one. */
const midnightBefore = (moment: RawBuilder<unknown>) => sql`date_trunc('day', ${moment}, 'UTC')`;
const midnightAfter = (moment: RawBuilder<unknown>) =>
  midnightBefore(sql`${moment} + interval '1 day' - interval '1 microsecond'`);

/**
 * The statement of a partner for a month of a time zone, in one snapshot. Balances are computed
 * backwards from those of the ledger. Whole UTC days since the month began come from the daily sums;
 * transfers are read for the rest of its first and last day, and if they are newer than the sums.
 */
export async function readPartnerMonth(
  database: Database,
  partnerId: number,
  { month, zone }: { readonly month: Month; readonly zone: string },
): Promise<MonthlyStatement> {
  const [begin, end] = [beginningOfMonth(month, zone), endOfMonth(month, zone)];
  const { rows } = await sql<Row>`
    with account as (
      select id, balance, case kind when 'gift-hold' then 'reserved' else kind end as wallet
      from ledger_accounts where partner_id = ${partnerId}
    ), span (first, before, after_id, to_id) as (values
      (${begin}, ${midnightAfter(begin)}, 0, ${daySumsEnd}),
      (${midnightBefore(end)}, ${midnightAfter(end)}, 0, ${daySumsEnd}),
      (greatest(${begin}, ${oldestUnsummed}), 'infinity', ${daySumsEnd}, ${Number.MAX_SAFE_INTEGER}::bigint)
    ), movement as (
      ${movements('credit')} union all ${movements('debit')}
      union all ${summedMovements('credit', begin, end)}
      union all ${summedMovements('debit', begin, end)}
    ), own as (
      select * from movement where not exists (
        select from account as sibling
        where sibling.id = movement.other_id and sibling.wallet = movement.wallet)
    ), sums as (
      select wallet, sum(change) as since_begin,
        coalesce(sum(change) filter (where created_at >= ${end}), 0) as since_end
      from own group by wallet
    ), change as (
      select wallet, other.kind as other_account,
        case when step = any(${telling}::text[]) then step else '' end as step,
        ended || '-' as operation_id, sum(count) as count, sum(change) as change
      from own join ledger_accounts as other on other.id = own.other_id
      where created_at < ${end}
      group by 1, 2, 3, 4, change > 0
    )
    select (select company_name from partners where id = ${partnerId}) as name, wallet,
      (balance - coalesce(since_begin, 0))::numeric(20, 6)::text as opening,
      (balance - coalesce(since_end, 0))::numeric(20, 6)::text as closing,
      coalesce((select jsonb_agg(jsonb_build_object('other_account', other_account, 'step', step,
          'operation_id', operation_id, 'count', count, 'change', change::text))
        from change where change.wallet = whole.wallet), '[]') as changes
    from (select wallet, sum(balance) as balance from account group by wallet) as whole
    left join sums using (wallet)`.execute(database);
  const [first] = rows;
  if (!first) throw new Error('The partner has no accounts');
  return {
    company: { kind: 'partner', id: partnerId, name: first.name },
    month,
    zone,
    sections: Object.keys(titles).flatMap((wallet) => sectionOf(rows, wallet)),
  };
}

/**
 * SQL expression: when the oldest transfer that is not in the sums can have begun. Transfers have the time
 * of their transaction, which lasts less than CLOSED_AFTER_HOURS.
 */
const oldestUnsummed = sql`coalesce(
  (select created_at from ledger_transfers where id > ${daySumsEnd} order by id limit 1)
    - make_interval(hours => ${CLOSED_AFTER_HOURS}::int), 'infinity')`;

type Side = 'credit' | 'debit';

/** SQL expressions: a side's account, its sign and the other account. */
const sides = {
  credit: { own: sql`credit_account_id`, sign: sql`+`, other: sql`debit_account_id` },
  debit: { own: sql`debit_account_id`, sign: sql`-`, other: sql`credit_account_id` },
} as const satisfies Record<Side, unknown>;

/** SQL query: the transfers of the spans on one side of the accounts. */
const movements = (side: Side) => {
  const { own, sign, other } = sides[side];
  return sql`
    select account.wallet, created_at, step,
      ${endOf} as ended, 1 as count,
      ${sign}amount as change, ${other} as other_id
    from account cross join span
    join ledger_transfers on ${own} = account.id and created_at >= span.first
      and created_at < span.before and ledger_transfers.id > after_id
      and ledger_transfers.id <= to_id`;
};

/** SQL query: the sums of whole days since a month began, except for the day on which it ends. */
const summedMovements = (side: Side, begin: RawBuilder<unknown>, end: RawBuilder<unknown>) => {
  const { own, sign, other } = sides[side];
  const dateOf = (moment: RawBuilder<unknown>) => sql`(${moment} at time zone 'UTC')::date`;
  return sql`
    select account.wallet, day::timestamp at time zone 'UTC', step, ended, count, ${sign}amount, ${other}
    from account join ledger_day_sums on ${own} = account.id
    where day >= ${dateOf(midnightAfter(begin))}
      and (day < ${dateOf(midnightBefore(end))} or day >= ${dateOf(midnightAfter(end))})`;
};

const sectionOf = (rows: readonly Row[], wallet: string): StatementSection[] =>
  rows
    .filter((row) => row.wallet === wallet)
    .map(({ opening, closing, changes }) => ({
      title: titles[wallet] ?? wallet,
      opening,
      closing,
      lines: statementLines(wallet, changes),
    }));
