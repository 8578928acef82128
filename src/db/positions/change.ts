import {
  fold,
  type Observation,
  type ObservationSource,
} from '../../domain/positions/placement.ts';
import type { Position } from '../../domain/positions/position.ts';
import type { PlacementRow } from './orders.ts';

/** What the books of a worker depend on. */
export interface BookSettings {
  /** How long a payment that was made is watched for a reversal. 0: it is not. */
  readonly reversalWatchSeconds: number;
}

/** How an order came to its end: its first answer, which never changes. */
export interface FirstAnswer {
  readonly message: string | null;
  readonly notDoneBy: 'provider' | 'service' | 'staff' | null;
}

/** What changes a position, and what is kept of that. */
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
