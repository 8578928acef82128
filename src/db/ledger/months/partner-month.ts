import { sql } from 'kysely';
import {
  type ChangeSum,
  type Month,
  type MonthlyStatement,
  type StatementSection,
  statementLines,
  UNDER_WAY,
} from '../../../domain/statements/monthly-statement.ts';
import { DEPOSIT_REVERSAL } from '../../../domain/statements/statement-labels.ts';
import type { Database } from '../../connection.ts';
import { ownMovements } from '../own-movements.ts';
import { beginningOfMonth, endOfMonth } from './month-bounds.ts';

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

/**
 * The statement of a partner for a month of a time zone, in one snapshot. Balances are computed
 * backwards from those of the ledger.
 */
export async function readPartnerMonth(
  database: Database,
  partnerId: number,
  { month, zone }: { readonly month: Month; readonly zone: string },
): Promise<MonthlyStatement> {
  const [begin, end] = [beginningOfMonth(month, zone), endOfMonth(month, zone)];
  const { rows } = await sql<Row>`
    with ${ownMovements({ partnerId, wallets: Object.keys(titles) }, begin, end)}, sums as (
      select wallet, sum(change) as since_begin,
        coalesce(sum(change) filter (where created_at >= ${end}), 0) as since_end
      from own group by wallet
    ), change as (
      select wallet, other.kind as other_account,
        case when step = ${DEPOSIT_REVERSAL} then step else '' end as step,
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

const sectionOf = (rows: readonly Row[], wallet: string): StatementSection[] =>
  rows
    .filter((row) => row.wallet === wallet)
    .map(({ opening, closing, changes }) => ({
      title: titles[wallet] ?? wallet,
      opening,
      closing,
      lines: statementLines(wallet, changes),
    }));
