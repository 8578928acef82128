import type { ProviderInquiry, ProviderOutcome } from '../outcome.js';

/** One identifier of a party, key and value as in GSMA's `creditParty` (e.g. msisdn, accountid). */
export interface PartyIdentifier {
  readonly key: string;
  readonly value: string;
}

export interface Payment {
  /** Our reference of this attempt, a UUID, constant for all its repetitions. */
  readonly reference: string;
  /** Decimal string, e.g. "97.50". */
  readonly amount: string;
  /** ISO 4217 */
  readonly currency: string;
  readonly payee: readonly PartyIdentifier[];
  /** At most 160 characters, without personal data. */
  readonly description: string;
}

/** Port: pays a merchant. Never throws for a provider's answer or timeout. */
export interface MobileMoney {
  /** Whether this provider can pay the amount exactly; checked before a hold. */
  canCarry(amount: string): boolean;
  /** Sends the payment. Repeating it with the same reference never pays twice. */
  pay(payment: Payment): Promise<ProviderOutcome>;
  /**
   * The outcome of a payment, by an inquiry with our reference that is compared with what we sent.
   * `never-seen` only when the provider definitely created nothing under it: then it is safe to
   * send the payment again.
   */
  findPayment(payment: Payment): Promise<ProviderInquiry>;
}
