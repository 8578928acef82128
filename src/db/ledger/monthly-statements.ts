import { sql } from 'kysely';
import { formatMoney, parseMoney, sumOf } from '../../domain/money.ts';
import {
  type ChangeSum,
  DEPOSIT_CORRECTION,
  GOODWILL,
  type Month,
  type MonthlyStatement,
  type StatementSection,
  type StatementSum,
  statementLines,
  UNDER_WAY,
} from '../../domain/statements.ts';
import type { Company } from '../../domain/vouchers/voucher.ts';
import { paidAt } from '../books/sums.ts';
import {
  allRows,
  type Database,
  firstValue,
  inSnapshot,
  onlyRow,
  type Sql,
} from '../connection.ts';
import { beginOf, endOf } from '../days.ts';
import type { ArchivedTransfer } from './archive-files.ts';
import { ownMovements } from './own-movements.ts';
import { readArchivedEdges } from './read-archives.ts';

/** SQL expressions: the first moment of a month in a time zone (IANA name), and the first one after it. */
function boundsOfMonth(month: Month, zone: string) {
  const first = { day: `${month}-01`, zone };
  return [beginOf(first), endOf(first, sql`interval '1 month'`)] as const;
}

interface MerchantMonthRow {
  readonly name: string;
  readonly redemptions: number;
  readonly amount: string;
  readonly fees: string;
  readonly changes: readonly {
    readonly what: Change;
    readonly count: number;
    readonly amount: string;
  }[];
}

/** The later changes of payments. */
type Change = 'late' | 'taken' | 'reversed';

const changeLabels: Readonly<Record<Change, string>> = {
  late: 'Paid after a refusal',
  taken: 'Taken back by the provider',
  reversed: 'Reversed by you',
};

/**
 * The statement of a merchant for a month of a time zone, in one snapshot. The check of the books compares redemptions
 * with the ledger, so the statement adds up redemptions: their transfers may be archived. A later change of a payment
 * counts in the month of that change. Such transfers are few, and found by the account that they leave.
 */
export async function readMerchantMonth(
  database: Database,
  merchantId: number,
  { month, zone }: { readonly month: Month; readonly zone: string },
): Promise<MonthlyStatement> {
  const [begin, end] = boundsOfMonth(month, zone);
  const paidInMonth = sql`redemptions.merchant_id = ${merchantId} and redemptions.status = 'POSTED'
    and ${paidAt} >= ${begin} and ${paidAt} < ${end}`;
  const row = await onlyRow<MerchantMonthRow>(database, 'A sum has a row')`
    with platform as (
      select kind, id from ledger_accounts where partner_id is null
    ), paid as (
      select count(1) as redemptions, coalesce(sum(to_merchant + service_fee), 0) as amount,
        coalesce(sum(service_fee), 0) as fees
      from redemptions where ${paidInMonth}
    ), changed as (
      select case credit.kind when 'mobile-money-clearing' then 'late' when 'suspense' then 'taken'
        else 'reversed' end as what, amount
      from platform as debit
      join ledger_transfers on debit_account_id = debit.id
      join ledger_accounts as credit on credit.id = credit_account_id
      left join redemption_reversals as reversal using (operation_id)
      join redemptions on redemptions.id = coalesce(reversal.redemption_id, (
        select id from redemptions as own where own.operation_id = ledger_transfers.operation_id))
      where (debit.kind = 'mobile-money-clearing'
          or (debit.kind = 'suspense' and credit.kind = 'mobile-money-clearing'))
        and ledger_transfers.created_at >= ${begin} and ledger_transfers.created_at < ${end}
        and redemptions.merchant_id = ${merchantId}
    )
    select (select merchant_name from merchants where id = ${merchantId}) as name,
      redemptions, amount::numeric(20, 6)::text as amount, fees::numeric(20, 6)::text as fees,
      coalesce((select jsonb_agg(sums) from (
        select what, count(1) as count, sum(amount)::text as amount from changed group by what
      ) as sums), '[]') as changes
    from paid`;
  const lines = linesOf(row);
  const total = sumOf(lines.map(({ amount }) => amount));
  return {
    company: { kind: 'merchant', id: merchantId, name: row.name },
    month,
    zone,
    sections: [{ title: 'Paid to you', opening: undefined, closing: formatMoney(total), lines }],
  };
}

const linesOf = (row: MerchantMonthRow): StatementSum[] =>
  [
    { label: 'Redemptions', count: row.redemptions, amount: row.amount },
    { label: 'Service fees', count: row.redemptions, amount: negative(row.fees) },
    ...row.changes.map(({ what, count, amount }) => ({
      label: changeLabels[what],
      count,
      amount: what === 'late' ? amount : negative(amount),
    })),
  ].filter(({ count, amount }) => count > 0 && parseMoney(amount) !== 0n);

const negative = (amount: string): string => formatMoney(-parseMoney(amount));

/** The wallets of a statement, with the accounts of each; they are all of a partner's accounts. */
const titles: Readonly<Record<string, string>> = {
  gift: 'Gift wallet',
  airtime: 'Airtime wallet',
  reserved: 'Unused vouchers',
  [UNDER_WAY]: 'Top-ups under way',
};

interface PartnerMonthRow {
  readonly name: string;
  readonly wallet: string;
  readonly opening: string;
  readonly closing: string;
  readonly changes: readonly ChangeSum[];
}

/**
 * The statement of a partner for a month of a time zone, in one snapshot. Balances are computed
 * backwards from those of the ledger.
 */
export async function readPartnerMonth(
  database: Database,
  partnerId: number,
  { month, zone }: { readonly month: Month; readonly zone: string },
): Promise<MonthlyStatement> {
  const [begin, end] = boundsOfMonth(month, zone);
  const rows = await inSnapshot(database, async (snapshot) => {
    const archived = await readArchivedEdges(snapshot, partnerId, begin, end);
    return allRows<PartnerMonthRow>(snapshot)`${partnerMonth(partnerId, begin, end, archived)}`;
  });
  const [first] = rows;
  if (!first) throw new Error('The partner has no accounts');
  return {
    company: { kind: 'partner', id: partnerId, name: first.name },
    month,
    zone,
    sections: Object.keys(titles).flatMap((wallet) => sectionOf(rows, wallet)),
  };
}

const partnerMonth = (
  partnerId: number,
  begin: Sql,
  end: Sql,
  archived: readonly ArchivedTransfer[],
) => sql`
    with ${ownMovements({ partnerId, wallets: Object.keys(titles) }, begin, end, archived)}, sums as (
      select wallet, sum(change) as since_begin,
        coalesce(sum(change) filter (where created_at >= ${end}), 0) as since_end
      from own group by wallet
    ), change as (
      select wallet, other.kind as other_account,
        case when starts_with(step, ${DEPOSIT_CORRECTION}) then ${DEPOSIT_CORRECTION}::text
          when step = ${GOODWILL} then step else '' end as step,
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
    left join sums using (wallet)`;

const sectionOf = (rows: readonly PartnerMonthRow[], wallet: string): StatementSection[] =>
  rows
    .filter((row) => row.wallet === wallet)
    .map(({ opening, closing, changes }) => ({
      title: titles[wallet] ?? wallet,
      opening,
      closing,
      lines: statementLines(wallet, changes),
    }));

/** The statement of a company for a month of a time zone (IANA name). */
export const readCompanyMonth = (
  database: Database,
  { kind, id }: Company,
  month: { readonly month: Month; readonly zone: string },
): Promise<MonthlyStatement> =>
  kind === 'partner'
    ? readPartnerMonth(database, id, month)
    : readMerchantMonth(database, id, month);

/** The month of a company's first movement in a time zone (IANA name); undefined before it. */
export async function firstMonth(
  database: Database,
  { kind, id }: Company,
  zone: string,
): Promise<Month | undefined> {
  const first =
    kind === 'partner'
      ? sql`select min(created_at) as at from ledger_accounts cross join lateral (
          (select created_at from ledger_transfers where credit_account_id = ledger_accounts.id
            order by created_at limit 1)
        ) as first where partner_id = ${id}`
      : sql`select created_at as at from redemptions where merchant_id = ${id}
          order by redemptions.id limit 1`;
  return await firstValue<Month>(database)`
    select to_char(at at time zone ${zone}::text, 'YYYY-MM') from (${first}) as first`;
}
