import { formatAmount, type Money } from '../../domain/money.ts';
import { isErased, type Operator } from '../../domain/phone.ts';
import { internationalDigits } from '../../domain/providers.ts';
import type { TopupKind } from '../../domain/topup.ts';
import {
  agree,
  disagreement,
  exactAmount,
  type ProviderInquiry,
  type ProviderOutcome,
  takenUnder,
} from '../outcome.ts';
import type { ProviderAccount } from '../statement.ts';

/** Airtime of any amount, or a package with its own price and content. */
type AirtimeProduct =
  | {
      readonly kind: 'airtime';
      readonly operator: Operator;
      /** Decimal string in ETB, e.g. "97.50". */
      readonly amount: string;
    }
  | { readonly kind: 'package'; readonly providerProductId: number };

/** An amount as an exact JSON number, in which providers take airtime; undefined where there is none. */
export function exactNumber(amount: string): number | undefined {
  const exact = exactAmount(amount, { wholeDigits: 13, decimals: 2 });
  return exact === undefined ? undefined : Number(exact);
}

/** Whether a number has the form that a provider takes. An erased one is never sent, and an inquiry needs none. */
export const hasForm = (msisdn: string, form: RegExp): boolean =>
  isErased(msisdn) || form.test(msisdn);

/** Whether a provider names the number that we sent; an erased number contradicts nothing. */
export const agreeOnNumber = (theirs: string | null | undefined, ours: string): boolean =>
  isErased(ours) || agree(theirs, ours, internationalDigits);

/** The provider lists several top-ups under our reference, which can be value given twice. `id` is that of one. */
export const severalTopups = (id: string): ProviderOutcome => ({
  ...disagreement('The provider knows several top-ups by our reference.'),
  ...takenUnder(id),
});

export interface AirtimeOrder {
  /** Our reference of this attempt, at most 40 characters, constant for all its repetitions. */
  readonly reference: string;
  /** E.164, or the text of an erased number. */
  readonly msisdn: string;
  readonly product: AirtimeProduct;
}

/** Port: sends airtime and packages. Never throws for a provider's answer or timeout. */
export interface Airtime extends ProviderAccount {
  /**
   * `later`: two sendings that are under way together could both be made. So an interrupted sending
   * is repeated only after an inquiry says `never-seen`.
   */
  readonly repetition: 'safe' | 'later';
  /** Whether this provider can send the amount exactly; checked before a hold. */
  canCarry(amount: string): boolean;
  /**
   * Whether this provider sells the product. The id of a package is that of one provider, so the
   * others must not be sent it.
   */
  canSend(product: AirtimeProduct): boolean;
  /**
   * Sends the order. Repeating it with its reference never sends twice. A refusal, or `not-sent`,
   * concerns this call alone: it proves nothing about an earlier unanswered one.
   */
  send(order: AirtimeOrder): Promise<ProviderOutcome>;
  /**
   * The outcome of an order, by an inquiry with our reference that is compared with what we sent.
   * `never-seen` only when the provider definitely created nothing under it: then it is safe to
   * send the order again. `lastSentAt` is the end of our last sending, where it is known: a provider
   * whose list may be late says `never-seen` only some time after it. `takenAs` is the provider's id of an order that
   * it took before.
   */
  findOrder(order: AirtimeOrder, lastSentAt?: Date, takenAs?: string): Promise<ProviderInquiry>;
}

/** Whether a provider sells what a top-up is of. A fact that is not known yet is checked elsewhere. */
export const canSendTopup =
  (kind: TopupKind, providerProductId: number | null, operator: Operator | undefined) =>
  (port: Pick<Airtime, 'canSend'>, amount: Money): boolean => {
    if (kind === 'PACKAGE')
      return providerProductId === null || port.canSend({ kind: 'package', providerProductId });
    return (
      operator === undefined ||
      port.canSend({ kind: 'airtime', operator, amount: formatAmount(amount) })
    );
  };
