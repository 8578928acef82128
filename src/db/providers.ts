import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Route, RouteKind } from '../domain/providers.ts';
import {
  addRow,
  type Database,
  type DatabaseTransaction,
  now,
  type Sql,
  updateRow,
} from './connection.ts';
import type { ProviderRoutesTable, ProviderStatesTable } from './generated/tables.ts';
import { givenRows } from './given-rows.ts';

/** The company of the operation; each is a column or a value. */
interface RouteSubject {
  readonly partnerId: Sql | number | null;
  readonly merchantId: Sql | number | null;
}

/** SQL expression: the routes of a kind for a partner and a merchant. */
export const routesFor = (
  kind: RouteKind,
  { partnerId, merchantId }: RouteSubject,
): RawBuilder<readonly Route[]> => sql`(
  select coalesce(jsonb_agg(jsonb_build_object('id', route.id, 'position', route.position,
    'provider', route.provider, 'weight', route.weight, 'operator', route.operator,
    'amountFrom', route.amount_from::text, 'amountTo', route.amount_to::text)), '[]')
  from provider_routes as route
  where route.kind = ${kind} and route.is_enabled
    and (route.partner_id is null or route.partner_id = ${partnerId}::bigint)
    and (route.merchant_id is null or route.merchant_id = ${merchantId}::bigint))`;

const ofTopup = { partnerId: sql`topups.partner_id`, merchantId: null };

/** SQL expression: the routes of a row of `topups`, by its kind and partner. */
export const routesOfTopup: RawBuilder<readonly Route[]> = sql`
  case topups.kind when 'PACKAGE' then ${routesFor('topup-package', ofTopup)}
    else ${routesFor('topup-airtime', ofTopup)} end`;

export type RouteRow = Selectable<ProviderRoutesTable>;

/** All routes, in the order in which they are asked. */
export const listRoutes = (database: Database) =>
  database
    .selectFrom('provider_routes')
    .selectAll()
    .orderBy('kind')
    .orderBy('position')
    .orderBy('id')
    .execute();

/** Adds a route; returns its id. */
export const addRoute = (
  transaction: DatabaseTransaction,
  route: Insertable<ProviderRoutesTable>,
) => addRow(transaction, 'provider_routes', route);

/** Removes a route; undefined where there is none. */
export const removeRoute = (transaction: DatabaseTransaction, id: number) =>
  transaction.deleteFrom('provider_routes').where('id', '=', id).returningAll().executeTakeFirst();

/** Enables or disables a route; undefined where there is none. */
export async function switchRoute(
  transaction: DatabaseTransaction,
  id: number,
  isEnabled: boolean,
) {
  const route = await transaction
    .selectFrom('provider_routes')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (!route) return undefined;
  await updateRow(transaction, 'provider_routes', id, { is_enabled: isEnabled });
  return { route, isChanged: route.is_enabled !== isEnabled };
}

/** What a worker knows of a provider now. */
export interface ProviderState {
  readonly provider: string;
  /** The state of the circuit breaker. */
  readonly state: ProviderStatesTable['state'];
  /** Whether a call would be made: the breaker lets it through, and the provider is not stuck. */
  readonly takesCalls: boolean;
  /** Whether our account has money: the provider refused nothing lately for lack of it. */
  readonly hasMoney: boolean;
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
    select ${worker}, provider, state, "takesCalls", "hasMoney",
      now() + make_interval(secs => ${lifetimeSeconds}::float8)
    from ${givenRows({ provider: 'text', state: 'text', takesCalls: 'boolean', hasMoney: 'boolean' }, states)}
    on conflict (worker, provider) do update
    set state = excluded.state, takes_calls = excluded.takes_calls, has_money = excluded.has_money,
      since = case when old.takes_calls = excluded.takes_calls then old.since else now() end,
      seen_at = now(), expires_at = excluded.expires_at`.execute(database);
}

/** Deletes those of a worker that stops, and of others that no longer run. */
export async function forgetProviderStates(database: Database, worker: string): Promise<void> {
  await sql`
    delete from provider_states where worker = ${worker} or expires_at < now()`.execute(database);
}

/** What the running workers know, by provider. */
export const listProviderStates = (database: Database) =>
  database
    .selectFrom('provider_states')
    .select(['provider', 'state', 'takes_calls as takesCalls', 'has_money as hasMoney', 'worker'])
    // Since when it takes calls, or takes none.
    .select(['since', 'seen_at as seenAt'])
    .where('expires_at', '>=', now)
    .orderBy('provider')
    .orderBy('worker')
    .execute();
