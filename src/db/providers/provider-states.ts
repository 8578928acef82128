import { sql } from 'kysely';
import type { Database } from '../connection.ts';
import type { ProviderStatesTable } from '../schema/providers.ts';

/** What a worker knows of a provider now. */
export interface ProviderState {
  readonly provider: string;
  /** Of its circuit breaker. */
  readonly state: ProviderStatesTable['state'];
  /** Whether a call would be made: the breaker lets it through, and the provider is not stuck. */
  readonly takesCalls: boolean;
  /** It refused nothing lately for lack of our money. */
  readonly hasMoney: boolean;
}

/** The same with the worker, and times. */
export interface SeenProviderState extends ProviderState {
  readonly worker: string;
  readonly since: Date;
  readonly seenAt: Date;
}

/** Records the states that a worker knows; they are forgotten after some time without a further record. */
export async function recordProviderStates(
  database: Database,
  worker: string,
  states: readonly ProviderState[],
  lifetimeSeconds: number,
): Promise<void> {
  await sql`
    insert into provider_states as old (worker, provider, state, takes_calls, has_money, expires_at)
    select ${worker}, provider, state, takes_calls, has_money,
      now() + make_interval(secs => ${lifetimeSeconds}::float8)
    from unnest(${states.map(({ provider }) => provider)}::text[],
        ${states.map(({ state }) => state)}::text[],
        ${states.map(({ takesCalls }) => takesCalls)}::boolean[],
        ${states.map(({ hasMoney }) => hasMoney)}::boolean[])
      as now_known (provider, state, takes_calls, has_money)
    on conflict (worker, provider) do update
    set state = excluded.state, takes_calls = excluded.takes_calls, has_money = excluded.has_money,
      since = case when old.state = excluded.state then old.since else now() end,
      seen_at = now(), expires_at = excluded.expires_at`.execute(database);
}

/** Deletes those of a worker that stops, and of others that no longer run. */
export async function forgetProviderStates(database: Database, worker: string): Promise<void> {
  await sql`
    delete from provider_states where worker = ${worker} or expires_at < now()`.execute(database);
}

/** What the running workers know, by provider. */
export async function listProviderStates(database: Database): Promise<SeenProviderState[]> {
  const { rows } = await sql<SeenProviderState>`
    select provider, state, takes_calls as "takesCalls", has_money as "hasMoney", worker, since,
      seen_at as "seenAt"
    from provider_states where expires_at >= now() order by provider, worker`.execute(database);
  return rows;
}
