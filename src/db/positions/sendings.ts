import { sql } from 'kysely';
import { changedRows, type Database, hasRows } from '../connection.ts';
import { currentPlacement, isOnHold, learntId } from './placements.ts';

/** Notes that the present provider left the outcome of an order on hold open; the message says why, for people. */
export async function noteUnknown(
  database: Database,
  operationId: string,
  message?: string,
): Promise<void> {
  const words = sql`coalesce(${message ?? null}, placements.message)`;
  await sql`
    update placements set silent_since = coalesce(placements.silent_since, now()), message = ${words}
    from ${currentPlacement(sql`${operationId}`)} as placed
    where placements.id = placed.id and ${isOnHold(sql`${operationId}`)}
      and (placements.silent_since is null or placements.message is distinct from ${words})`.execute(
    database,
  );
}

/** An order or a reversal at one provider, by our reference. */
export interface OrderAtProvider {
  readonly reference: string;
  readonly provider: string;
}

/** Notes that a provider left the outcome of an order open, and the id under which it has taken the order. */
export async function noteOpen(
  database: Database,
  { reference, provider }: OrderAtProvider,
  { message, takenAs }: { readonly message: string; readonly takenAs?: string },
): Promise<void> {
  await sql`
    update placements set silent_since = coalesce(silent_since, now()), message = ${message},
      provider_reference = ${learntId(takenAs ?? null)}
    where reference = ${reference} and provider = ${provider} and said in ('none', 'pending')`.execute(
    database,
  );
}

/**
 * SQL condition on `placements`: no mark says that it may have been sent. A restore can lose marks, so a row that is
 * older than the restore counts as marked.
 */
const isUnmarked = sql<boolean>`(placements.said = 'none' and placements.sent_at is null and not exists (
  select from maintenance_fences where raised_at > placements.placed_at))`;

const ofCurrent = (operationId: string) =>
  sql`placements.id = (select id from ${currentPlacement(sql`${operationId}`)} as placed)`;

/** Marks an order before it is sent; false where it may have been sent before. */
export async function markSending(database: Database, operationId: string): Promise<boolean> {
  const changed = await changedRows(database)`
    update placements set sent_at = now()
    where ${ofCurrent(operationId)} and ${isUnmarked}`;
  return changed === 1;
}

/** Whether the mark that precedes each sending proves that nothing was sent. */
export const wasNeverSent = (database: Database, operationId: string): Promise<boolean> =>
  hasRows(database)`
    select from placements where ${ofCurrent(operationId)} and ${isUnmarked}`;

/** Removes the mark of an order that was provably not sent, or refused at once. */
export async function forgetSending(database: Database, operationId: string): Promise<void> {
  await sql`
    update placements set sent_at = null
    where ${ofCurrent(operationId)} and said = 'none'`.execute(database);
}
