import type { Placement, Said } from './placement.ts';
import { PATIENCE_MS } from './position.ts';

const MINUTE_MS = 60_000;
const FIRST_LOOK_MS = 10 * MINUTE_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** The provider has not said what became of the order. */
const openAnswers: readonly Said[] = ['none', 'pending', 'other'];

/** The facts that decide the next question to a provider. Times are in milliseconds since 1970. */
export interface AskClock {
  readonly now: number;
  /** When the order ended, or its reversal began; null while the workflow of the order asks. */
  readonly decidedAt: number | null;
  /** Milliseconds for which a paid payment is watched for a reversal; 0: it is not watched. */
  readonly watchMs: number;
  /** Whether a person is needed for the order. */
  readonly hasCase: boolean;
  /** The workflow of an open order asks this placement itself. */
  readonly isCurrent: boolean;
  /** The provider is to be asked by now, as after a callback, and has not answered since. */
  readonly isDue: boolean;
}

/**
 * When a provider is asked next; null: not again. An unexplained placement is asked about until it
 * is explained, in pauses that grow to a day. An explained placement is asked about a few times
 * more: the provider may change it. Only an answer of the provider puts off a question that is due.
 */
export function nextAsk(placement: Placement, clock: AskClock): number | null {
  const { said, done, doubtedAt, silentSince } = placement;
  const { now, decidedAt, hasCase, isCurrent, isDue } = clock;
  if (decidedAt === null && isCurrent) return null;
  if (isDue) return now;
  const silence = silentSince === null ? 0 : now - silentSince;
  const afterPause = now + Math.min(DAY_MS, Math.max(FIRST_LOOK_MS, silence));
  const isUnexplained = doubtedAt !== null || openAnswers.includes(said);
  if (hasCase || isUnexplained) return afterPause;
  if (silentSince !== null && silence < PATIENCE_MS) return afterPause;
  const since = decidedAt ?? placement.saidAt ?? now;
  return (
    looksAt(done > 0n ? clock.watchMs : DAY_MS)
      .map((age) => since + age)
      .find((at) => at > now) ?? null
  );
}

/** The ages at which an order that has ended is looked at once more. */
const looksAt = (watchMs: number): number[] =>
  watchMs === 0
    ? []
    : [Math.min(FIRST_LOOK_MS, watchMs), DAY_MS, watchMs].filter((age) => age <= watchMs);
