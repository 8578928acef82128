import type { ProviderInquiry, ProviderOutcome } from '../outcome.ts';
import type { ProviderAccount } from '../statement.ts';

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

/** The reversal of a completed payment, of its full amount. */
export interface PaymentReversal {
  /** Our reference of the reversal, a UUID, constant for all its repetitions. */
  readonly reference: string;
  readonly payment: Payment;
  /** The provider's reference of the payment. */
  readonly paymentReference: string;
  /** At most 160 characters, without personal data. */
  readonly description: string;
}

/** A provider's answer about an account before money is sent to it. */
export type AccountAnswer =
  | {
      readonly kind: 'open';
      /** The name of its holder; null where the provider tells none. Personal data. */
      readonly holder: string | null;
    }
  /** It does not exist, takes no money, or money to it would wait for its holder to register. */
  | { readonly kind: 'closed' }
  /** The provider does not answer such questions. */
  | { readonly kind: 'not-offered' }
  /** It may answer later. */
  | { readonly kind: 'unknown'; readonly message: string };

/** Takes payments back. Never throws for a provider's answer or timeout. */
export interface PaymentReversals {
  /** Sends the reversal. Repeating it with the same reference never reverses twice. */
  reverse(reversal: PaymentReversal): Promise<ProviderOutcome>;
  /** The outcome of a reversal, by an inquiry with our reference, like `findPayment`. */
  findReversal(reversal: PaymentReversal, takenAs?: string): Promise<ProviderInquiry>;
}

/** Port: pays a merchant. Never throws for a provider's answer or timeout. */
export interface MobileMoney extends ProviderAccount {
  /**
   * `never`: the provider pays a repeated payment again, so nothing is sent a second time after it may
   * have been sent, and no inquiry says `never-seen`.
   */
  readonly repetition: 'safe' | 'never';
  /** Whether this provider can pay the amount exactly; checked before a hold. */
  canCarry(amount: string): boolean;
  /** Whether it pays to accounts of this kind; absent where it pays to all. */
  canPayTo?(party: PartyIdentifier): boolean;
  /**
   * Sends the payment. Repeating it with the same reference never pays twice where `repetition` is
   * safe.
   */
  pay(payment: Payment): Promise<ProviderOutcome>;
  /**
   * The outcome of a payment, by an inquiry with our reference that is compared with what we sent.
   * `never-seen` only when the provider definitely created nothing under it: then it is safe to
   * send the payment again. `takenAs` is the provider's id of a payment that it took before.
   */
  findPayment(payment: Payment, takenAs?: string): Promise<ProviderInquiry>;
  /** Asks for an account and its holder, and moves nothing. Absent where the provider cannot say. */
  checkAccount?(party: PartyIdentifier): Promise<AccountAnswer>;
  /** Absent where the provider cannot reverse a payment. */
  readonly reversals?: PaymentReversals;
}
