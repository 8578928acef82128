import type { Metrics } from './metrics.ts';

/** Shows how a pool of connections is used. */
export function showPoolUse(
  metrics: Metrics,
  pool: string,
  use: Readonly<Record<'busy' | 'idle' | 'waiting' | 'limit', number>>,
): void {
  for (const [state, value] of Object.entries(use))
    metrics.set('database_pool_connections', { pool, state }, value);
}
