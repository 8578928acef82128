import { sql } from 'kysely';
import { formatMoney, parseMoney } from '../../../domain/money.ts';
import type {
  Month,
  MonthlyStatement,
  StatementSum,
} from '../../../domain/statements/monthly-statement.ts';
import type { Database } from '../../connection.ts';
import { beginningOfMonth, endOfMonth } from './month-bounds.ts';

interface Row {
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

/** What became of payments later. */
type Change = 'late' | 'taken' | 'reversed';

const changeLabels: Readonly<Record<Change, string>> = {
  late: 'Paid after a refusal',
  taken: 'Taken back by the provider',
  reversed: 'Reversed by you',
};

/**
 * The statement of a merchant for a month of a time zone: what its redemptions moved in the ledger,
 * in one snapshot. What became of a payment later counts in the month of that change; such transfers
 * are few, and found by the account that they leave.
 */
export async function readMerchantMonth(
  database: Database,
  merchantId: number,
  { month, zone }: { readonly month: Month; readonly zone: string },
): Promise<MonthlyStatement> {
  const [begin, end] = [beginningOfMonth(month, zone), endOfMonth(month, zone)];
  const paidInMonth = sql`redemptions.merchant_id = ${merchantId} and redemptions.status = 'POSTED'
    and (case when redemptions.status = 'POSTED' then settled_at else changed_at end) >= ${begin}
    and (case when redemptions.status = 'POSTED' then settled_at else changed_at end) < ${end}`;
  const { rows } = await sql<Row>`
    with platform as (
      select kind, id from ledger_accounts where partner_id is null
    ), paid as (
      select count(1) filter (where credit.kind = 'mobile-money-clearing') as redemptions,
        coalesce(sum(amount), 0) as amount,
        coalesce(sum(amount) filter (where credit.kind = 'service-fees'), 0) as fees
      from redemptions
      join ledger_transfers using (operation_id)
      join platform as credit on credit.id = credit_account_id
      join ledger_accounts as debit on debit.id = debit_account_id and debit.kind = 'gift-hold'
      where ${paidInMonth}
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
    from paid`.execute(database);
  const [row] = rows;
  if (!row) throw new Error('A sum has a row');
  const lines = linesOf(row);
  const total = lines.reduce((sum, { amount }) => sum + parseMoney(amount), 0n);
  return {
    company: { kind: 'merchant', id: merchantId, name: row.name },
    month,
    zone,
    sections: [{ title: 'Paid to you', opening: undefined, closing: formatMoney(total), lines }],
  };
}

const linesOf = (row: Row): StatementSum[] =>
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
