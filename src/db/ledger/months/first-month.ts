import { sql } from 'kysely';
import type { Month } from '../../../domain/statements/monthly-statement.ts';
import type { Company } from '../../../domain/voucher.ts';
import type { Database } from '../../connection.ts';

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
  const { rows } = await sql<{ month: Month | null }>`
    select to_char(at at time zone ${zone}::text, 'YYYY-MM') as month from (${first}) as first`.execute(
    database,
  );
  return rows[0]?.month ?? undefined;
}
