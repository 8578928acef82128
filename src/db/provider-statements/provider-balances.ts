import { sql } from 'kysely';
import type { Database } from '../connection.ts';

/** The last reading of our balance at a provider. */
export interface BalanceReading {
  readonly provider: string;
  readonly currency: string;
  /** Decimal string. */
  readonly amount: string;
  readonly readAt: Date;
}

/** A reading that was asked for so long ago. Its time is the database's: workers' clocks may differ. */
interface NewBalanceReading extends Omit<BalanceReading, 'readAt'> {
  readonly ageSeconds: number;
}

/** Records a reading; a later one of another worker stays. */
export async function recordBalance(
  database: Database,
  { provider, currency, amount, ageSeconds }: NewBalanceReading,
): Promise<void> {
  await sql`
    insert into provider_balances as old (provider, currency, amount, read_at)
    values (${provider}, ${currency}, ${amount}::numeric,
      clock_timestamp() - make_interval(secs => ${ageSeconds}::float8))
    on conflict (provider) do update
    set currency = excluded.currency, amount = excluded.amount, read_at = excluded.read_at
    where old.read_at < excluded.read_at`.execute(database);
}

/** The last readings, by provider. */
export async function listBalances(database: Database): Promise<BalanceReading[]> {
  const { rows } = await sql<BalanceReading>`
    select provider, currency, amount::text as amount, read_at as "readAt"
    from provider_balances order by provider`.execute(database);
  return rows;
}
