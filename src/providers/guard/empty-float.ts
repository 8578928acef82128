import { LRUCache } from 'lru-cache';
import type { ProviderOutcome } from '../outcome.ts';

/** How each provider says that our account with it has too little. */
const codes: Readonly<Record<string, readonly string[]>> = {
  gsma: ['insufficientFunds'],
  mpesa: ['1'],
  'dt-one': ['1006001', 'REJECTED-INSUFFICIENT-BALANCE', 'DECLINED-INSUFFICIENT-BALANCE'],
  reloadly: ['INSUFFICIENT_BALANCE'],
};

/** Whether our account with a provider seems to be empty, by how its last operations ended. */
export interface EmptyFloat {
  /** Takes the outcome of a sending of value. */
  noteSending(reference: string, outcome: Outcome): void;
  /** Takes the answer to an inquiry, which counts only where it decides a sending of `noteSending`. */
  noteInquiry(reference: string, answer: Outcome): void;
  isEmpty(): boolean;
}

type Outcome = { readonly kind: string } | ProviderOutcome;

/** Sendings whose outcome is still open; of those beyond, nothing is learnt. */
const MAX_OPEN = 10_000;

/**
 * Remembers for a while that a provider refused for lack of our money; a delivery forgets it. New
 * operations then prefer providers that have money. What is under way stays where it is.
 *
 * The latest sending that tells anything decides. An inquiry about an older operation, such as the one after a
 * refusal of yesterday, only says what the account had then.
 */
export function createEmptyFloat(
  provider: string,
  pauseMs: number,
  now: () => number = () => performance.now(),
): EmptyFloat {
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
    noteSending(reference, outcome) {
      const sentAt = now();
      if (outcome.kind === 'unknown') openSendings.set(reference, sentAt);
      else learn(outcome, sentAt);
    },
    noteInquiry(reference, answer) {
      const sentAt = openSendings.get(reference);
      if (sentAt === undefined || answer.kind === 'unknown') return;
      openSendings.delete(reference);
      learn(answer, sentAt);
    },
    isEmpty: () => now() < emptyUntil,
  };
}

const isForLackOfMoney = (provider: string, outcome: Outcome): boolean =>
  outcome.kind === 'refused' &&
  'code' in outcome &&
  codes[provider]?.includes(outcome.code) === true;
