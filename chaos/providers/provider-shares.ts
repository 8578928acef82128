import { sql } from 'kysely';
import { allProviders } from '../../src/domain/providers.ts';
import { readBooks } from '../settle-pending.ts';
import type { ThrowawayStack } from '../throwaway-stack.ts';

/** What each provider took, and how often the next one was asked, in one line. */
export async function describeShares({
  database,
  services,
}: Pick<ThrowawayStack, 'database' | 'services'>): Promise<string> {
  const { payouts, topups, messages } = await readBooks(services.sandboxUrl);
  const taken = [...payouts, ...topups, ...messages];
  const shares = allProviders.map(
    (name) => `${name} ${taken.filter(({ provider }) => provider === name).length}`,
  );
  const { rows } = await sql<{ switched: string }>`
    with failover as (
      select from_provider, to_provider from message_failovers
      union all
      select earlier.provider, later.provider from placements as earlier
      join placements as later on later.operation_id = earlier.operation_id
        and later.position = earlier.position + 1 and later.kind = earlier.kind
    )
    select from_provider || ' to ' || to_provider || ' ' || count(*) as switched
    from failover group by from_provider, to_provider order by 1`.execute(database);
  const switched = rows.map((row) => row.switched).join(', ');
  return `${shares.join(', ')}; failovers: ${switched || 'none'}`;
}
