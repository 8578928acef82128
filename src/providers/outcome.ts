/**
 * How a call to a provider ended (design 7, providers.md). Only `refused` and `not-sent` say that
 * nothing happened on the far side; `unknown` says that nobody knows yet, so money stays on hold.
 */
export type ProviderOutcome =
  | {
      readonly kind: 'delivered';
      readonly providerReference: string;
      /** That it was taken back by the provider after it had been done, in words. */
      readonly reversal?: string;
    }
  | {
      readonly kind: 'refused';
      /** The provider's own code, for support staff. */
      readonly code: string;
      /** The provider's own words, safe to show: adapters mask numbers and secrets. */
      readonly message: string;
      readonly retryCanHelp: boolean;
    }
  | NotSent
  | {
      readonly kind: 'unknown';
      readonly message: string;
      /** The provider knows our reference with another content: a person must look at once. */
      readonly disagrees?: true;
    };

/** What an inquiry finds: how the call ended, or that the provider never saw it. */
export type ProviderInquiry = ProviderOutcome | { readonly kind: 'never-seen' };

/** Nothing reached the provider, or nothing of it was taken. */
export interface NotSent {
  readonly kind: 'not-sent';
  readonly message: string;
  /** How long the provider asks to be left alone, where it says so. */
  readonly retryAfterSeconds?: number;
}

/**
 * Nobody knows yet. So ends a failed inquiry as well: it tells nothing of what was asked about, not
 * even that it was not sent.
 */
export const unknown = (message: string): ProviderOutcome => ({ kind: 'unknown', message });

/** What is known under our reference is not what we sent: it says nothing of ours. */
export const disagreement = (message: string): ProviderOutcome => ({
  kind: 'unknown',
  message,
  disagrees: true,
});
