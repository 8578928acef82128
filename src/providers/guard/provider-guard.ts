import { setTimeout as sleep } from 'node:timers/promises';
import {
  BrokenCircuitError,
  CircuitState,
  CountBreaker,
  circuitBreaker,
  handleWhenResult,
} from 'cockatiel';
import type { FairSemaphore } from '../../process/fair-semaphore.ts';
import { withHealth } from './call-health.ts';

export interface GuardSettings {
  /** The concurrent calls to the provider. */
  readonly places: FairSemaphore;
  /** The longest call; an adapter's own time limit is shorter. */
  readonly deadlineMs: number;
  /** Calls whose faults are counted: the breaker opens where half of them had one. */
  readonly breakerCalls: number;
  /** Time after which an open breaker lets one call try. */
  readonly breakerMs: number;
}

export const guardStates = ['closed', 'half-open', 'open'] as const;
export type GuardState = (typeof guardStates)[number];

/** Keeps a provider that is out of order, or slow, from keeping all others waiting. */
export interface ProviderGuard {
  /** Makes a call, or answers `refused` without it: nothing was sent. */
  run<Result extends { readonly kind: string }>(
    make: () => Promise<Result>,
    refused: (message: string) => Result,
    late: (message: string) => Result,
  ): Promise<Result>;
  readState(): GuardState;
  /**
   * Whether a call would be made now: not while the breaker is open or one call tries, nor while the
   * provider is stuck.
   */
  isAvailable(): boolean;
}

/** A call, and whether the provider is out of order. */
interface Judged<Result> {
  readonly result: Result;
  readonly isFaulty: boolean;
}

const BREAKING_SHARE = 0.5;

export function createProviderGuard(
  settings: GuardSettings,
  onChange: (state: GuardState) => void = () => undefined,
): ProviderGuard {
  const { places, deadlineMs, breakerCalls, breakerMs } = settings;
  const breaker = circuitBreaker(
    handleWhenResult((judged) => (judged as Judged<unknown>).isFaulty),
    {
      halfOpenAfter: breakerMs,
      breaker: new CountBreaker({
        threshold: BREAKING_SHARE,
        size: breakerCalls,
        minimumNumberOfCalls: Math.ceil(breakerCalls / 2),
      }),
    },
  );
  let openUntil = 0;
  breaker.onBreak(() => {
    openUntil = performance.now() + breakerMs;
  });
  const readState = (): GuardState => {
    if (breaker.state === CircuitState.HalfOpen) return 'half-open';
    if (breaker.state !== CircuitState.Open) return 'closed';
    return performance.now() < openUntil ? 'open' : 'half-open';
  };
  breaker.onStateChange(() => onChange(readState()));
  let ended = 0;
  /** The calls that had ended when one waited in vain, and none ended during its wait. */
  let endedWhenStuck: number | undefined;
  // A provider that is merely slow ends calls meanwhile, and has the next ones wait for their turn.
  const isStuck = () => endedWhenStuck === ended;
  // The library has the others wait for the one call that tries: as long as the provider hangs.
  const isBroken = () => breaker.state === CircuitState.HalfOpen || readState() === 'open';

  return {
    readState,
    isAvailable: () => !isBroken() && !isStuck(),
    async run(make, refused, late) {
      // Without a wait for a place.
      if (isBroken()) return refused(BROKEN);
      if (isStuck()) return refused(FULL);
      const endedBefore = ended;
      const judged = await places.use('', async () => {
        if (isBroken()) return { result: refused(BROKEN) };
        try {
          return await breaker.execute(() => within(deadlineMs, make, late));
        } catch (error) {
          if (error instanceof BrokenCircuitError) return { result: refused(BROKEN) };
          throw error;
        } finally {
          ended += 1;
        }
      });
      if (judged !== undefined) return judged.result;
      if (ended === endedBefore) endedWhenStuck = ended;
      return refused(FULL);
    },
  };
}

const BROKEN = 'The provider is out of order: its circuit breaker is open.';
const FULL = 'The provider is slow: too many calls to it are under way.';

/** The call within a deadline; afterwards nothing is known of it. */
async function within<Result extends { readonly kind: string }>(
  deadlineMs: number,
  make: () => Promise<Result>,
  late: (message: string) => Result,
): Promise<Judged<Result>> {
  const over = new AbortController();
  const limit = sleep(deadlineMs, undefined, { signal: over.signal }).then(() => ({
    result: late('The provider did not answer in time.'),
    isFaulty: true,
    isThrottled: false,
  }));
  // Ended by the call that was in time.
  limit.catch(() => undefined);
  try {
    const { result, isFaulty, isThrottled } = await Promise.race([withHealth(make), limit]);
    const isKnown = result.kind === 'delivered' || result.kind === 'refused';
    const wasInVain = result.kind === 'not-sent' && !isThrottled;
    return { result, isFaulty: wasInVain || (isFaulty && !isKnown) };
  } finally {
    over.abort();
  }
}
