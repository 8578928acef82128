import { type Refusal, refuse } from './errors.js';
import { formatAmount, type Money } from './money.js';
import type { Operator } from './operator.js';

export type TopupKind = 'AIRTIME' | 'PACKAGE';

/** What may be sent to the numbers of an operator in one top-up, in ETB. */
export interface AmountRange {
  readonly minimum: Money;
  readonly maximum: Money;
}

/** What the database says at the moment of a top-up. */
export interface TopupFacts {
  /** Whether the caller's key and token still hold. */
  readonly isAdmitted: boolean;
  readonly kind: TopupKind;
  readonly partnerIsActive: boolean;
  /** The product that the partner has access to; undefined where it has none. */
  readonly product:
    | {
        /** Null: of every operator. */
        readonly operator: Operator | null;
        /** Of a package; airtime costs its amount. */
        readonly price: Money | null;
        readonly providerProductId: number | null;
      }
    | undefined;
  /** Of airtime. */
  readonly requestedAmount: Money | null;
  /** Of the number, undefined where nobody serves it. */
  readonly operator: Operator | undefined;
  readonly walletBalance: Money;
}

/** What a top-up costs and where it goes. */
export interface TopupTerms {
  readonly ok: true;
  readonly amount: Money;
  readonly operator: Operator;
}

/** The ladder of a top-up: the first rung that fails is the answer; after the last none may refuse. */
export function priceTopup(
  facts: TopupFacts,
  ranges: Readonly<Record<Operator, AmountRange>>,
): TopupTerms | Refusal {
  const { product, operator } = facts;
  if (!facts.isAdmitted) return refuse('token-invalid');
  if (!facts.partnerIsActive) return refuse('account-suspended');
  if (!product) return refuse('product-not-accessible');
  if (!operator) return refuse('number-not-served');
  if (product.operator !== null && product.operator !== operator)
    return refuse('operator-mismatch');
  const amount = facts.kind === 'AIRTIME' ? facts.requestedAmount : product.price;
  if (amount === null) return refuse('product-not-accessible');
  if (facts.kind === 'PACKAGE' && product.providerProductId === null)
    return refuse('product-not-accessible');
  const { minimum, maximum } = ranges[operator];
  if (facts.kind === 'AIRTIME' && (amount < minimum || amount > maximum)) {
    const detail = `from ${formatAmount(minimum)} to ${formatAmount(maximum)} ETB`;
    return refuse('amount-out-of-range', { detail });
  }
  if (facts.walletBalance < amount) return refuse('money-insufficient');
  return { ok: true, amount, operator };
}

/**
 * Our reference of an attempt towards the provider: at most 40 characters. The operation that made the
 * top-up is a keyed digest, so the same request has the same reference even after a restore.
 */
export const topupReference = (operationId: string, attempt: number): string =>
  `${operationId}-${attempt}`;
