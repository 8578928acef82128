import { sql } from 'kysely';
import { changedRows, type Database, hasRows } from '../connection.ts';
import { currentPlacement, isOnHold } from './placements.ts';

/** Why an outcome is open, for people, and the id under which the provider took the order; each where there is one. */
interface OpenOutcome {
  readonly message?: string | undefined;
  readonly takenAs?: string | undefined;
}

/** Notes that the present provider left the outcome of an order on hold open. */
export async function noteUnknown(
  database: Database,
  operationId: string,
  open: OpenOutcome = {},
): Promise<void> {
  const words = sql`coalesce(${open.message ?? null}, placements.message)`;
  const reference = sql`coalesce(placements.provider_reference, ${open.takenAs ?? null})`;
  await sql`
    update placements set silent_since = coalesce(placements.silent_since, now()), message = ${words},
      provider_reference = ${reference}
    from ${currentPlacement(sql`${operationId}`)} as placed
    where placements.id = placed.id and ${isOnHold(sql`${operationId}`)}
      and (placements.silent_since is null or placements.message is distinct from ${words}
        or placements.provider_reference is distinct from ${reference})`.execute(database);
}

/** Keeps the id under which a provider has taken a reversal. */
export async function noteReversalTaken(
  database: Database,
  reference: string,
  id: string,
): Promise<void> {
  await sql`
    update placements set provider_reference = ${id}
    where reference = ${reference} and kind = 'reversal' and said = 'none'
      and provider_reference is null`.execute(database);
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
