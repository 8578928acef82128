import { sql } from 'kysely';
import { formatMoney } from '../../domain/money.ts';
import { hasChanged, type ObservationSource } from '../../domain/positions/placement.ts';
import { nextAsk } from '../../domain/positions/schedule.ts';
import type { DatabaseTransaction } from '../connection.ts';
import type { AfterPosition, BookSettings, PositionChange } from './change.ts';
import { currentOf, type LockedOrder, type PlacementRow } from './orders.ts';

/** Writes the placements that have changed, and keeps each later change of what they did. */
export async function writePlacements(
  transaction: DatabaseTransaction,
  before: LockedOrder,
  after: AfterPosition,
  {
    change,
    settings,
    hasCase,
  }: {
    readonly change: PositionChange;
    readonly settings: BookSettings;
    readonly hasCase: boolean;
  },
): Promise<void> {
  const {
    now,
    position: { placements },
  } = before;
  const isOpen = after.order.state === 'open';
  const decidedAt = isOpen ? null : (before.settledAt ?? now);
  const current = currentOf({ position: after });
  for (const [index, placement] of after.placements.entries()) {
    const old = placements[index];
    if (!old || old.id !== placement.id)
      throw new Error('A placement is neither made nor removed by booking');
    const hasEnded = before.position.order.state === 'open' && !isOpen;
    if (placement === old && !hasEnded && placement.id !== change.askNow) continue;
    const isNews = change.takenAt !== undefined && old.askAt !== change.takenAt;
    const next = before.isLost
      ? null
      : change.askNow === placement.id
        ? now
        : nextAsk(placement, {
            now,
            decidedAt,
            watchMs: settings.reversalWatchSeconds * 1_000,
            hasCase,
            isCurrent: placement.id === current.id,
          });
    await updatePlacement(transaction, old, placement, { next: isNews ? now : next, isNews });
    if (old.word !== 'none' && hasChanged(old, placement)) {
      await addObservation(transaction, old, 'answer', { now, isFirst: true });
      await addObservation(transaction, placement, change.source, { now, isFirst: false });
    }
  }
}

const time = (milliseconds: number | null) => sql`to_timestamp(${milliseconds}::float8 / 1000)`;

/** A callback that came since the row was read has changed when the provider is asked: it stays so. */
async function updatePlacement(
  transaction: DatabaseTransaction,
  old: PlacementRow,
  {
    id,
    word,
    done,
    providerReference,
    saidAt,
    words,
    cleared,
    doubtedAt,
    silentSince,
  }: PlacementRow,
  { next, isNews }: { readonly next: number | null; readonly isNews: boolean },
): Promise<void> {
  const isUntouched = sql`ask_at is not distinct from ${old.askAt}::timestamptz`;
  const doubted = isNews ? sql`coalesce(doubted_at, now())` : time(doubtedAt);
  await sql`
    update placements set word = ${word}, done = ${formatMoney(done)}::numeric,
      provider_reference = ${providerReference}, said_at = ${time(saidAt)}, words = ${words},
      cleared = ${cleared}, silent_since = ${time(silentSince)},
      doubted_at = case when ${isUntouched} then ${doubted} else coalesce(doubted_at, now()) end,
      ask_at = case when ${isUntouched} then ${time(next)} else ask_at end
    where id = ${id}`.execute(transaction);
}

/** A first answer is kept once a later word differs from it. */
const addObservation = (
  transaction: DatabaseTransaction,
  { id, saidAt, word, done, providerReference, words }: PlacementRow,
  source: ObservationSource,
  { now, isFirst }: { readonly now: number; readonly isFirst: boolean },
) =>
  sql`
  insert into observations (placement_id, at, source, word, done, provider_reference, words)
  select ${id}::bigint, ${time(saidAt ?? now)}, ${source}, ${word}, ${formatMoney(done)}::numeric,
    ${providerReference}, ${words}
  where not ${isFirst} or not exists (select from observations where placement_id = ${id})`.execute(
    transaction,
  );
