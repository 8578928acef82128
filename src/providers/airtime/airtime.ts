import type { Operator } from '../../domain/operator.js';
import type { ProviderInquiry, ProviderOutcome } from '../outcome.js';

/** What is sent: airtime of any amount, or a package, which has a price and content of its own. */
type AirtimeProduct =
  | {
      readonly kind: 'airtime';
      readonly operator: Operator;
      /** Decimal string in ETB, e.g. "97.50". */
      readonly amount: string;
    }
  | { readonly kind: 'package'; readonly providerProductId: number };

export interface AirtimeOrder {
  /** Our reference of this business attempt, at most 40 characters; the same when repeated. */
  readonly reference: string;
  /** E.164 */
  readonly msisdn: string;
  readonly product: AirtimeProduct;
}

/** Port: sends airtime and packages. Never throws for a provider's answer or silence. */
export interface Airtime {
  /** Whether the amount can be carried exactly by this provider; asked before anything is held. */
  canCarry(amount: string): boolean;
  /**
   * Sends the order. Repeating it with the same reference never sends twice. A refusal, or that it
   * was not sent, tells of this call alone: it says nothing of an earlier one without an answer.
   */
  send(order: AirtimeOrder): Promise<ProviderOutcome>;
  /**
   * What became of an order, asked by our reference and held against what we sent. `never-seen` only
   * when the provider says definitely that nothing was created under it: then it is safe to send the
   * order again.
   */
  findOrder(order: AirtimeOrder): Promise<ProviderInquiry>;
}
