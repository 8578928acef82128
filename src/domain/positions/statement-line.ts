import type { PlacementKind } from './placement.ts';

/** A line of a provider statement: what a provider did, as its books say it. */
export interface ProviderStatementLine {
  readonly kind: PlacementKind;
  /** The line is of a type that we never order, such as a transfer. */
  readonly isOther?: true;
  /** Our reference; null where the provider has none. */
  readonly reference: string | null;
  /** Identifies the transaction at the provider. */
  readonly providerReference: string;
  /** For a reversal without a reference of ours: the provider's reference of the reversed transaction. */
  readonly originalReference?: string | undefined;
  /** A transaction whose status is not final, or not known to us, is pending. */
  readonly status: 'completed' | 'pending' | 'failed' | 'reversed';
  /** Decimal string; null where the provider does not say it, and '0' where the line is a fee alone. */
  readonly amount: string | null;
  /** ISO 4217 */
  readonly currency: string | null;
  /** Decimal string; null where the provider says none. */
  readonly fee: string | null;
  /** ISO 4217 */
  readonly feeCurrency: string | null;
  readonly at: Date;
  /** The receiver, for the recovery: personal data. */
  readonly party?: string | null;
  /** Our text for people at the sending, for the recovery. */
  readonly description?: string | null;
  /** The provider's id of a package, for the recovery. */
  readonly productId?: string | null;
}
