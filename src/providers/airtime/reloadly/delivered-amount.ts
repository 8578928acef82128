import type { ReloadlyTopup } from './answers.ts';

/** Amount and currency of a top-up for the phone, as far as the provider says them. */
export interface DeliveredAmount {
  readonly amount: number | null;
  /** ISO 4217 */
  readonly currency: string | null;
}

const CURRENCY = 'ETB';

/**
 * What the phone got. `requestedAmount` is what the account pays, in its own currency, although the
 * order names birr: it counts only where that currency is ETB, and nothing else is said. A top-up that
 * was not delivered may say 0, which is no other amount.
 */
export function deliveredAmount(topup: ReloadlyTopup): DeliveredAmount {
  const { deliveredAmount: amount, deliveredAmountCurrencyCode: currency } = topup;
  if (amount === 0 && topup.status !== 'SUCCESSFUL') return { amount: null, currency: null };
  if (amount != null || currency != null)
    return { amount: amount ?? null, currency: currency ?? null };
  return topup.requestedAmountCurrencyCode?.toUpperCase() === CURRENCY
    ? { amount: topup.requestedAmount ?? null, currency: CURRENCY }
    : { amount: null, currency: null };
}
