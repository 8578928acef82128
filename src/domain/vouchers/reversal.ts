import { type Refusal, refuse } from '../refusals.ts';

/** The states of a reversal for people: NEEDS_ACTION is pending, and a person must look at it. */
export const reversalStates = ['PENDING', 'NEEDS_ACTION', 'SUCCESS', 'FAILED'] as const;
export type ReversalState = (typeof reversalStates)[number];

/** Facts read for a merchant's reversal, with the rows of voucher and redemption locked. */
export interface ReversalFacts {
  /** Whether the caller's API key and token are still valid. */
  readonly isAdmitted: boolean;
  readonly merchantIsActive: boolean;
  /** Undefined where the merchant was paid for no such redemption. */
  readonly redemption:
    | {
        readonly status: 'HELD' | 'POSTED' | 'VOIDED';
        readonly secondsSincePayment: number;
        /** The provider took it back by itself, or a reversal succeeded. */
        readonly isReversed: boolean;
        readonly hasPendingReversal: boolean;
        /** A person must settle what the provider says of the payment first. */
        readonly hasCase: boolean;
      }
    | undefined;
  readonly providerCanReverse: boolean;
}

/**
 * Checks a reversal: the first failing rule is the refusal. `windowSeconds` is the time after the
 * payment within which it may be asked for; 0 allows none.
 */
export function refuseReversal(facts: ReversalFacts, windowSeconds: number): Refusal | undefined {
  const { redemption } = facts;
  if (!facts.isAdmitted) return refuse('token-invalid');
  if (!facts.merchantIsActive) return refuse('merchant-not-found');
  if (!redemption) return refuse('redemption-not-found');
  if (redemption.hasPendingReversal) return refuse('reversal-in-progress');
  if (redemption.isReversed) return refuse('redemption-reversed');
  if (redemption.hasCase)
    return refuse('reversal-in-progress', {
      detail: 'support settles what the provider says of it',
    });
  if (redemption.status !== 'POSTED') return refuse('redemption-not-paid');
  if (!facts.providerCanReverse || windowSeconds === 0) return refuse('reversal-not-supported');
  return redemption.secondsSincePayment > windowSeconds ? refuse('reversal-too-late') : undefined;
}
