import { type CompanyAuthority, refusePartner } from './access.ts';
import { formatAmount, type Money } from './money.ts';
import type { Operator } from './phone.ts';
import { type Refusal, refuse } from './refusals.ts';

export const topupKinds = ['AIRTIME', 'PACKAGE'] as const;
export type TopupKind = (typeof topupKinds)[number];

export const topupStatuses = ['PENDING', 'PROCESSING', 'UNKNOWN', 'SUCCESS', 'FAILED'] as const;
export type TopupStatus = (typeof topupStatuses)[number];

/** Range of one top-up of a mobile operator, in ETB. */
export interface AmountRange {
  readonly minimum: Money;
  readonly maximum: Money;
}

/** Facts read for a top-up. */
export interface TopupFacts extends CompanyAuthority {
  readonly kind: TopupKind;
  /** Null where the partner has no access to the product. */
  readonly product: {
    /** Null: every mobile operator. */
    readonly operator: Operator | null;
    /** Price of a package; airtime costs its amount. */
    readonly price: Money | null;
    readonly providerProductId: number | null;
  } | null;
  /** For airtime only. */
  readonly requestedAmount: Money | null;
  /** Mobile operator of the number; undefined where the service does not serve it. */
  readonly operator: Operator | undefined;
  readonly walletBalance: Money;
  /** Whether a provider can send an amount exactly. */
  readonly canCarry: (amount: Money) => boolean;
}

/** Amount and mobile operator of a top-up. */
export interface TopupTerms {
  readonly ok: true;
  readonly amount: Money;
  readonly operator: Operator;
}

/**
 * Checks and prices a top-up: the first failing rule is the refusal. After the last rule nothing
 * may refuse.
 */
export function priceTopup(
  facts: TopupFacts,
  ranges: Readonly<Record<Operator, AmountRange>>,
): TopupTerms | Refusal {
  const { product, operator } = facts;
  const refusal = refusePartner(facts);
  if (refusal) return refusal;
  if (!product) return refuse('product-not-accessible');
  if (!operator) return refuse('number-not-served');
  if (product.operator !== null && product.operator !== operator)
    return refuse('operator-mismatch');
  const amount = facts.kind === 'AIRTIME' ? facts.requestedAmount : product.price;
  if (amount === null) return refuse('product-not-accessible');
  if (facts.kind === 'PACKAGE' && product.providerProductId === null)
    return refuse('product-not-accessible');
  if (facts.kind === 'PACKAGE' && !facts.canCarry(amount))
    return refuse('product-not-accessible', { detail: 'no provider sells this package' });
  const { minimum, maximum } = ranges[operator];
  if (facts.kind === 'AIRTIME' && (amount < minimum || amount > maximum)) {
    const detail = `from ${formatAmount(minimum)} to ${formatAmount(maximum)} ETB`;
    return refuse('amount-out-of-range', { detail });
  }
  if (facts.walletBalance < amount) return refuse('money-insufficient');
  if (facts.kind === 'AIRTIME' && !facts.canCarry(amount)) return refuse('amount-out-of-range');
  return { ok: true, amount, operator };
}

/**
 * Our reference of an attempt towards the provider: at most 40 characters. The operation id is a
 * keyed digest, so an identical request has the same reference even after a restore.
 */
export const topupReference = (operationId: string, attempt: number): string =>
  `${operationId}-${attempt}`;

/** Whether a reference is one of a top-up, and not of a payment, which is a UUID. */
export const isTopupReference = (reference: string): boolean =>
  /^[0-9a-f]{32}-[0-9]+$/.test(reference);

/** The refusal of a retry of a top-up that has not failed. */
export const refuseUnfailed = (status: TopupStatus): Refusal =>
  refuse('topup-not-failed', { detail: `it is ${status}` });

/** The refusal of a retry whose attempt another request has made. */
export const forestalled: Refusal = refuse('topup-not-failed', {
  detail: 'another request has retried it first',
});
