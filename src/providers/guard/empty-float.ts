import type { ProviderOutcome } from '../outcome.js';

/** How each provider says that our account with it has too little. */
const codes: Readonly<Record<string, readonly string[]>> = {
  gsma: ['insufficientFunds'],
  mpesa: ['1'],
  'dt-one': ['1006001', 'REJECTED-INSUFFICIENT-BALANCE', 'DECLINED-INSUFFICIENT-BALANCE'],
  reloadly: ['INSUFFICIENT_BALANCE'],
};

/** Whether our account with a provider seems to be empty, by how its last operations ended. */
export interface EmptyFloat {
  /** Takes the outcome of a sending of value, or of an inquiry about one. */
  note(outcome: { readonly kind: string } | ProviderOutcome): void;
  isEmpty(): boolean;
}

/**
 * Remembers for a while that a provider refused for lack of our money; a delivery forgets it. New
 * operations then prefer providers that have money. What is under way stays where it is.
 */
export function createEmptyFloat(
  provider: string,
  pauseMs: number,
  now: () => number = () => performance.now(),
): EmptyFloat {
  let emptyUntil = 0;
  return {
    note(outcome) {
      if (outcome.kind === 'delivered') emptyUntil = 0;
      if (outcome.kind !== 'refused' || !('code' in outcome)) return;
      if (codes[provider]?.includes(outcome.code)) emptyUntil = now() + pauseMs;
    },
    isEmpty: () => now() < emptyUntil,
  };
}
