import type { Product } from '../dt-one/products.ts';
import { isE164 } from '../phone-number.ts';
import type { ReloadlyErrorCode } from './errors.ts';
import { findOperatorProduct } from './operators.ts';

/** A validated request for a top-up. */
interface TopupRequest {
  readonly reference: string;
  readonly to: string;
  readonly product: Product;
  /** ETB with two decimals. */
  readonly amount: string;
}

/** Validates a request like Reloadly; the first problem ends it. */
export function checkTopupRequest(
  body: Readonly<Record<string, unknown>> | undefined,
): TopupRequest | { readonly error: ReloadlyErrorCode } {
  const { operatorId, amount, useLocalAmount, customIdentifier, recipientPhone } = body ?? {};
  if (typeof customIdentifier !== 'string' || !/^.{1,100}$/.test(customIdentifier))
    return { error: 'INVALID_REQUEST' };
  // The sandbox has no rate of exchange.
  if (useLocalAmount !== true) return { error: 'INVALID_REQUEST' };
  const product = findOperatorProduct(operatorId);
  if (!product) return { error: 'OPERATOR_NOT_FOUND' };
  const to = numberOf(recipientPhone);
  if (to === undefined) return { error: 'INVALID_RECIPIENT_PHONE' };
  if (typeof amount !== 'number' || Number(amount.toFixed(2)) !== amount)
    return { error: 'INVALID_AMOUNT' };
  const { price } = product;
  if (typeof price === 'number' || amount < price.min || amount > price.max)
    return { error: 'INVALID_AMOUNT_FOR_OPERATOR' };
  return { reference: customIdentifier, to, product, amount: amount.toFixed(2) };
}

/** The number with or without its plus sign; its country is Ethiopia. */
function numberOf(phone: unknown): string | undefined {
  if (typeof phone !== 'object' || phone === null) return undefined;
  const { countryCode, number } = phone as Readonly<Record<string, unknown>>;
  if (countryCode !== 'ET' || typeof number !== 'string') return undefined;
  const to = number.startsWith('+') ? number : `+${number}`;
  return isE164(to) && to.startsWith('+251') ? to : undefined;
}
