import { sql } from 'kysely';
import { parseMoney } from '../../domain/money.ts';
import { PROVIDER_FEE } from '../../domain/statements/statement-labels.ts';
import type { DatabaseTransaction } from '../connection.ts';
import { addTransfers } from '../ledger/ledger.ts';
import { lockStatement } from './provider-statements.ts';
import type { StatementDay } from './statement-lines.ts';

/** The currency of our books. */
const CURRENCY = 'ETB';

/** A row of a statement is at most a day away from its day, so that two statements this far apart can share it. */
const SHARED_DAYS = 2;

/**
 * Books the fees of a day, and corrects those of the next days, which may share lines with it: what stands in the
 * statements of several days was charged once, and counts on the first of them. The statement must be locked.
 */
export async function bookProviderFees(
  transaction: DatabaseTransaction,
  of: StatementDay,
): Promise<void> {
  await bookProviderFee(transaction, of);
  const { rows } = await sql<Pick<StatementDay, 'day'>>`
    select day from provider_statements
    where provider = ${of.provider.name} and load_id is not null and day > ${of.day}
      and day <= to_char(${of.day}::date + ${sql.lit(SHARED_DAYS)}, 'YYYY-MM-DD')
    order by day`.execute(transaction);
  for (const { day } of rows) {
    await lockStatement(transaction, { ...of, day });
    await bookProviderFee(transaction, { ...of, day });
  }
}

/**
 * Books what a provider charged for a day: service-fees → its clearing account, because the platform
 * bears it and owes it to the provider. A day whose fee a later statement changes is corrected by the
 * difference. The statement must be locked. Fees in other currencies are recorded and not booked.
 */
async function bookProviderFee(
  transaction: DatabaseTransaction,
  { provider, day }: StatementDay,
): Promise<void> {
  const { rows } = await sql<{ fee: string; booked: string; transfers: number }>`
    with sums as (
      select fee_currency, sum(fee)::numeric(20, 6) as fee
      from provider_statement_lines as line
      join provider_statements as statement using (provider, day, load_id)
      where provider = ${provider.name} and day = ${day} and fee > 0
        and fee_currency is not null and status in ('completed', 'reversed')
        -- No "exists", which PostgreSQL may answer by reading all lines once.
        and coalesce((
          select false from provider_statement_lines as same
          where same.load_id = any(array(
              select earlier.load_id from provider_statements as earlier
              where earlier.provider = ${provider.name} and earlier.day < ${day}
                and earlier.day >= to_char(${day}::date - ${sql.lit(SHARED_DAYS)}, 'YYYY-MM-DD')))
            and same.kind = line.kind and same.provider_reference = line.provider_reference
            and same.fee > 0 and same.fee_currency is not null
            and same.status in ('completed', 'reversed') limit 1), true)
      group by fee_currency
    ), fee as (
      select coalesce(sum(fee) filter (where fee_currency = ${CURRENCY}), 0)::numeric(20, 6) as own
      from sums
    ), before as (
      select booked_fee, fee_transfers from provider_statements
      where provider = ${provider.name} and day = ${day}
    ), noted as (
      update provider_statements set booked_fee = fee.own,
        fee_transfers = fee_transfers + case when booked_fee = fee.own then 0 else 1 end,
        fees = coalesce((select jsonb_object_agg(fee_currency, sums.fee::text) from sums), '{}')
      from fee where provider = ${provider.name} and day = ${day}
    )
    select fee.own::text as fee, booked_fee::text as booked, fee_transfers as transfers
    from fee cross join before`.execute(transaction);
  const [row] = rows;
  if (!row) return;
  const change = parseMoney(row.fee) - parseMoney(row.booked);
  if (change === 0n) return;
  const clearing = provider.kind === 'airtime' ? 'airtime-clearing' : 'mobile-money-clearing';
  const [debit, credit] =
    change > 0n ? (['service-fees', clearing] as const) : ([clearing, 'service-fees'] as const);
  await addTransfers(transaction, [
    {
      operationId: `provider-fee:${provider.name}:${day}`,
      partnerId: 0,
      step: row.transfers === 0 ? PROVIDER_FEE : `${PROVIDER_FEE}-${row.transfers + 1}`,
      debit,
      credit,
      amount: change > 0n ? change : -change,
    },
  ]);
}
