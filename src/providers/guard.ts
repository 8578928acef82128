import { AsyncLocalStorage } from 'node:async_hooks';
import {
  BrokenCircuitError,
  CircuitState,
  CountBreaker,
  circuitBreaker,
  handleWhenResult,
} from 'cockatiel';
import { LRUCache } from 'lru-cache';
import type { FairSemaphore } from '../runtime/process/fair-semaphore.ts';
import type { ProviderOutcome } from './outcome.ts';

interface CallHealth {
  isFaulty: boolean;
  isThrottled: boolean;
}

const currentCall = new AsyncLocalStorage<CallHealth>();

/**
 * How the call to a provider that is under way notes that the provider is out of order: no connection,
 * no answer in time, an answer of status 5xx. An outcome alone does not say that: "unknown" is also
 * what a healthy provider answers that has not finished yet.
 */
export function faultNote(): () => void {
  const call = currentCall.getStore();
  return () => {
    if (call) call.isFaulty = true;
  };
}

/** The call that is under way was not sent because the provider takes no more calls now: it works. */
export function noteThrottling(): void {
  const call = currentCall.getStore();
  if (call) call.isThrottled = true;
}

/** Makes a call, and tells what was noted in it. */
async function withHealth<Result>(
  make: () => Promise<Result>,
): Promise<{ readonly result: Result } & Readonly<CallHealth>> {
  const health: CallHealth = { isFaulty: false, isThrottled: false };
  const result = await currentCall.run(health, make);
  return { result, ...health };
}

/** How each provider says that our account with it has too little. */
const codes: Readonly<Record<string, readonly string[]>> = {
  gsma: ['insufficientFunds'],
  mpesa: ['1'],
  'dt-one': ['1006001', 'REJECTED-INSUFFICIENT-BALANCE', 'DECLINED-INSUFFICIENT-BALANCE'],
  reloadly: ['INSUFFICIENT_BALANCE'],
};

type Outcome = { readonly kind: string } | ProviderOutcome;

/** Sendings whose outcome is still open; of those beyond, nothing is learnt. */
const MAX_OPEN = 10_000;

/**
 * Remembers for a while that a provider refused for lack of our money; a delivery forgets it. New
 * operations then prefer providers that have money. Operations that are under way stay where they
 * are.
 *
 * The latest sending that tells anything decides. An inquiry about an older operation, such as the one after a
 * refusal of yesterday, only says what the account had then.
 */
export function createEmptyFloat(
  provider: string,
  pauseMs: number,
  now: () => number = () => performance.now(),
) {
  const openSendings = new LRUCache<string, number>({ max: MAX_OPEN });
  let toldAt = 0;
  let emptyUntil = 0;

  function learn(outcome: Outcome, sentAt: number): void {
    if (sentAt < toldAt) return;
    const isRefused = isForLackOfMoney(provider, outcome);
    if (!isRefused && outcome.kind !== 'delivered') return;
    toldAt = sentAt;
    emptyUntil = isRefused ? sentAt + pauseMs : 0;
  }

  return {
    /** Takes the outcome of a sending of value. */
    noteSending(reference: string, outcome: Outcome): void {
      const sentAt = now();
      if (outcome.kind === 'unknown') openSendings.set(reference, sentAt);
      else learn(outcome, sentAt);
    },
    /** Takes the answer to an inquiry, which counts only where it decides a sending of `noteSending`. */
    noteInquiry(reference: string, answer: Outcome): void {
      const sentAt = openSendings.get(reference);
      if (sentAt === undefined || answer.kind === 'unknown') return;
      openSendings.delete(reference);
      learn(answer, sentAt);
    },
    /** Whether our account seems to be empty, by how its last operations ended. */
    isEmpty: (): boolean => now() < emptyUntil,
  };
}

const isForLackOfMoney = (provider: string, outcome: Outcome): boolean =>
  outcome.kind === 'refused' &&
  'code' in outcome &&
  codes[provider]?.includes(outcome.code) === true;

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

/** A call, and whether the provider is out of order. */
interface Judged<Result> {
  readonly result: Result;
  readonly isFaulty: boolean;
}

const BREAKING_SHARE = 0.5;

/** Keeps a provider that is out of order, or slow, from keeping all others waiting. */
export function createProviderGuard(
  settings: GuardSettings,
  onChange: (state: GuardState) => void = () => undefined,
) {
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
    /**
     * Whether a call would be made now: not while the breaker is open or one call tries, nor while the
     * provider is stuck.
     */
    isAvailable: () => !isBroken() && !isStuck(),
    /** Makes a call, or answers `notSent` without it. */
    async run<Result extends { readonly kind: string }>(
      make: () => Promise<Result>,
      notSent: (message: string) => Result,
      late: (message: string) => Result,
    ): Promise<Result> {
      // Without a wait for a place.
      if (isBroken()) return notSent(BROKEN);
      if (isStuck()) return notSent(FULL);
      const endedBefore = ended;
      const judged = await places.use('', async () => {
        if (isBroken()) return { result: notSent(BROKEN) };
        try {
          return await breaker.execute(() => within(deadlineMs, make, late));
        } catch (error) {
          if (error instanceof BrokenCircuitError) return { result: notSent(BROKEN) };
          throw error;
        } finally {
          ended += 1;
        }
      });
      if (judged !== undefined) return judged.result;
      if (ended === endedBefore) endedWhenStuck = ended;
      return notSent(FULL);
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
  const over = { result: late('The provider did not answer in time.'), isFaulty: true };
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<typeof over & { readonly isThrottled: false }>((resolve) => {
    timer = setTimeout(resolve, deadlineMs, { ...over, isThrottled: false });
  });
  try {
    const { result, isFaulty, isThrottled } = await Promise.race([withHealth(make), limit]);
    const isKnown = result.kind === 'delivered' || result.kind === 'refused';
    const wasInVain = result.kind === 'not-sent' && !isThrottled;
    return { result, isFaulty: wasInVain || (isFaulty && !isKnown) };
  } finally {
    clearTimeout(timer);
  }
}
