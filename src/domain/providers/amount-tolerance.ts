/** By how much a delivered amount may differ from the ordered one. */
export interface AmountTolerance {
  /** ETB */
  readonly fixed: number;
  /** Of the ordered amount. */
  readonly share: number;
}

const exact: AmountTolerance = { fixed: 0, share: 0 };

/**
 * Reloadly converts birr into the account's currency and back, so that the delivered amount is rounded
 * twice: half a cent of an account in dollars, euros or pounds is about a birr, and a public sample has
 * 4.9985 delivered for 5. A larger difference is another order.
 */
const tolerances: Readonly<Record<string, AmountTolerance>> = {
  reloadly: { fixed: 1, share: 0.001 },
};

/** The tolerance of a provider, by its name; most deliver exactly what was ordered. */
export const amountTolerance = (provider: string): AmountTolerance => tolerances[provider] ?? exact;

/** Whether an amount in ETB is the ordered one, within the tolerance of the provider. */
export function isAmountDelivered(provider: string, ordered: number, delivered: number): boolean {
  const { fixed, share } = amountTolerance(provider);
  return Math.abs(delivered - ordered) <= fixed + share * ordered;
}
