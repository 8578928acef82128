/**
 * How a call to a provider ended (design 7, providers.md). Only `refused` and `not-sent` say that
 * nothing happened on the far side; `unknown` says that nobody knows yet, so money stays on hold.
 */
export type ProviderOutcome =
  | { readonly kind: 'delivered'; readonly providerReference: string }
  | {
      readonly kind: 'refused';
      /** The provider's own code, for support staff. */
      readonly code: string;
      /** The provider's own words, safe to show: adapters mask numbers and secrets. */
      readonly message: string;
      readonly retryCanHelp: boolean;
    }
  | { readonly kind: 'not-sent'; readonly message: string }
  | { readonly kind: 'unknown'; readonly message: string };
