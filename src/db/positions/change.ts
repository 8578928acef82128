import { type RawBuilder, sql } from 'kysely';
import {
  fold,
  type Observation,
  type ObservationSource,
} from '../../domain/positions/placement.ts';
import { netDone, type Position } from '../../domain/positions/position.ts';
import type { EndedBy } from '../../domain/providers.ts';
import type { DatabaseTransaction, Sql } from '../connection.ts';
import type { LockedOrder, PlacementRow } from './orders.ts';

/** The settings that decide about bookings. */
export interface BookSettings {
  /** Seconds for which a paid payment is watched for a reversal; 0: it is not watched. */
  readonly reversalWatchSeconds: number;
}

/** How an order came to its end: its first answer, which never changes. */
export interface FirstAnswer {
  readonly message: string | null;
  readonly notDoneBy: EndedBy | null;
}

/** The cause of a change of a position, and the kept details. */
export interface PositionChange {
  readonly source: ObservationSource;
  /** The end of a hold; absent for every later change. */
  readonly ending?: FirstAnswer;
  /** The placement that is asked about at once, such as after a reversal that came with its answer. */
  readonly askNow?: number;
  /** When the provider was taken up to be asked: news that came meanwhile lets it be asked again. */
  readonly takenAt?: string;
}

/** A position with the rows of its placements. */
export type AfterPosition = Position<PlacementRow>;

/** The position after an observation of one placement. */
export const observed = (
  position: AfterPosition,
  placementId: number,
  seen: Observation,
): AfterPosition => ({
  ...position,
  placements: position.placements.map((one) =>
    one.id === placementId ? { ...one, ...fold(one, seen) } : one,
  ),
});

/** The state of an order by what its providers did. */
export async function writeOrder(
  transaction: DatabaseTransaction,
  before: LockedOrder,
  position: AfterPosition,
  { ending }: PositionChange,
): Promise<void> {
  const { kind, isLost, operationId } = before;
  if (isLost) return;
  const { isCharged, creditedTo } = position.order;
  const isDone = netDone(position) > 0n;
  const table = sql.table(kind === 'payment' ? 'redemptions' : 'topup_attempts');
  const credited =
    kind === 'payment'
      ? sql`, credited_to = ${creditedTo === 'partner' ? 'gift' : 'voucher'}`
      : sql``;
  const set = ending
    ? sql`status = ${isCharged ? 'POSTED' : 'VOIDED'}, settled_at = now(),
        provider_message = ${ending.message}, not_done_by = ${isCharged ? null : ending.notDoneBy}`
    : sql`changed_at = case when is_done <> ${isDone} then now() else changed_at end`;
  await sql`
    update ${table} set ${set}, is_done = ${isDone}, charged = ${isCharged}${credited}
    where operation_id = ${operationId}`.execute(transaction);
  if (before.topupId !== null) await writeTopup(transaction, before.topupId, position, ending);
}

/**
 * SQL condition on an attempt: it counts as delivered. A paid amount counts until a person
 * has settled it.
 */
export const isDelivered = (attempt: Sql) =>
  sql<boolean>`(${attempt}.is_done or ${attempt}.charged)`;

/** SQL condition on `topups`: one of its attempts counts as delivered. */
export const hasDelivery: RawBuilder<boolean> = sql<boolean>`coalesce((
  select true from topup_attempts as try where try.topup_id = topups.id and ${isDelivered(sql`try`)}
  limit 1), false)`;

/**
 * The state of a top-up by its attempts. While an attempt is on hold, the top-up is open: the end of that hold
 * also counts what an earlier attempt did meanwhile.
 */
async function writeTopup(
  transaction: DatabaseTransaction,
  topupId: number,
  position: AfterPosition,
  ending: FirstAnswer | undefined,
): Promise<void> {
  const done = position.placements.findLast(({ done: amount }) => amount > 0n);
  const status = sql`case when ${hasDelivery} then 'SUCCESS' else 'FAILED' end`;
  const isDone = done !== undefined;
  const message = ending
    ? ending.message
    : isDone
      ? 'The provider delivered it after it had said that it failed'
      : 'The provider took it back after it had been delivered; the money was returned';
  // A top-up whose status stays keeps its message; an earlier attempt may have been delivered
  // meanwhile.
  const isOther = ending ? sql`true` : sql`status <> ${status}`;
  const isEarlier = sql`${hasDelivery} and not ${isDone}`;
  await sql`
    update topups set status = ${status}, updated_at = now(),
      message = case when not ${isOther} then message when ${isEarlier}
        then 'An earlier attempt was delivered after it had failed' else ${message} end,
      provider_reference = case when not ${isOther} then provider_reference
        else ${done?.providerReference ?? null} end
    where id = ${topupId} and not exists (
      select from topup_attempts as try where try.topup_id = topups.id and try.status = 'HELD')`.execute(
    transaction,
  );
}
