import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Route, RouteKind } from '../../domain/providers/routes.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import type { ProviderRoutesTable } from '../schema/all-tables.ts';

/** Whose operation it is; each is a column or a value. */
interface RouteSubject {
  readonly partnerId: RawBuilder<unknown> | number | null;
  readonly merchantId: RawBuilder<unknown> | number | null;
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
export const listRoutes = (database: Database): Promise<RouteRow[]> =>
  database
    .selectFrom('provider_routes')
    .selectAll()
    .orderBy('kind')
    .orderBy('position')
    .orderBy('id')
    .execute();

/** Adds a route; returns its id. */
export async function addRoute(
  transaction: DatabaseTransaction,
  route: Insertable<ProviderRoutesTable>,
): Promise<number> {
  const { id } = await transaction
    .insertInto('provider_routes')
    .values(route)
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Removes a route; undefined where there is none. */
export const removeRoute = (
  transaction: DatabaseTransaction,
  id: number,
): Promise<RouteRow | undefined> =>
  transaction.deleteFrom('provider_routes').where('id', '=', id).returningAll().executeTakeFirst();

/** Enables or disables a route; undefined where there is none. */
export async function switchRoute(
  transaction: DatabaseTransaction,
  id: number,
  isEnabled: boolean,
): Promise<{ readonly route: RouteRow; readonly isChanged: boolean } | undefined> {
  const route = await transaction
    .selectFrom('provider_routes')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (!route) return undefined;
  await transaction
    .updateTable('provider_routes')
    .set({ is_enabled: isEnabled })
    .where('id', '=', id)
    .execute();
  return { route, isChanged: route.is_enabled !== isEnabled };
}
