import type { ProviderInquiry, ProviderOutcome } from '../outcome.js';

/** One identifier of a party, key and value as in GSMA's `creditParty` (e.g. msisdn, accountid). */
export interface PartyIdentifier {
  readonly key: string;
  readonly value: string;
}

export interface Payment {
  /** Our reference of this business attempt, a UUID; the same for every repetition of it. */
  readonly reference: string;
  /** Decimal string, e.g. "97.50". */
  readonly amount: string;
  /** ISO 4217 */
  readonly currency: string;
  readonly payee: readonly PartyIdentifier[];
  /** At most 160 characters, without personal data. */
  readonly description: string;
}

/** Port: pays a merchant. Never throws for a provider's answer or silence. */
export interface MobileMoney {
  /** Whether the amount can be carried exactly by this provider; asked before anything is held. */
  canCarry(amount: string): boolean;
  /** Sends the payment. Repeating it with the same reference never pays twice. */
  pay(payment: Payment): Promise<ProviderOutcome>;
  /**
   * What became of a payment, asked by our reference and held against what we sent. `never-seen` only
   * when the provider says definitely that nothing was created under it: then it is safe to send the
   * payment again.
   */
  findPayment(payment: Payment): Promise<ProviderInquiry>;
}
