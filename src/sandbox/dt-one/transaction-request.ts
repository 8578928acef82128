import { isE164 } from '../phone-number.ts';
import type { DtOneErrorName } from './errors.ts';
import { findProduct, type Product } from './products.ts';

/** A validated request for a transaction. */
interface TransactionRequest {
  readonly reference: string;
  readonly to: string;
  readonly product: Product;
  /** ETB with two decimals: the amount of airtime, or the price of the package. */
  readonly amount: string;
  readonly callbackUrl: string | undefined;
}

interface Rejection {
  readonly error: DtOneErrorName;
  readonly field?: string;
}

const bad = (field: string): Rejection => ({ error: 'badRequest', field });

/** Validates a request like DT One; the first problem ends it. */
export function checkTransactionRequest(
  body: Readonly<Record<string, unknown>> | undefined,
  { isSynchronous }: { readonly isSynchronous: boolean },
): TransactionRequest | Rejection {
  if (!body) return bad('body');
  const { external_id: reference, product_id: productId, callback_url: callbackUrl } = body;
  if (typeof reference !== 'string' || !/^.{1,40}$/.test(reference)) return bad('external_id');
  if (!Number.isSafeInteger(productId)) return bad('product_id');
  const product = findProduct(productId);
  if (!product) return { error: 'productNotAvailable' };
  // The sandbox has no endpoint to confirm a transaction later.
  if (body.auto_confirm !== true) return bad('auto_confirm');
  const to = fieldOf(body.credit_party_identifier, 'mobile_number');
  if (typeof to !== 'string' || !isE164(to)) return { error: 'numberInvalid' };
  if (callbackUrl !== undefined && (isSynchronous || !isWebAddress(callbackUrl))) {
    return bad('callback_url');
  }
  const amount = amountOf(product, body);
  if (typeof amount !== 'number') return amount;
  return { reference, to, product, amount: amount.toFixed(2), callbackUrl };
}

function amountOf(product: Product, body: Readonly<Record<string, unknown>>): number | Rejection {
  const { calculation_mode: mode, destination } = body;
  if (typeof product.price === 'number') {
    const isPlain = mode === undefined && destination === undefined;
    return isPlain ? product.price : bad('calculation_mode');
  }
  if (mode !== 'DESTINATION_AMOUNT') return bad('calculation_mode');
  if (fieldOf(destination, 'unit_type') !== 'CURRENCY' || fieldOf(destination, 'unit') !== 'ETB') {
    return { error: 'unitInvalid' };
  }
  const amount = fieldOf(destination, 'amount');
  if (typeof amount !== 'number' || Number(amount.toFixed(2)) !== amount) {
    return bad('destination.amount');
  }
  const { min, max } = product.price;
  return amount >= min && amount <= max ? amount : { error: 'amountOutOfRange' };
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Object(value)[name] : undefined;

function isWebAddress(value: unknown): value is string {
  return typeof value === 'string' && URL.canParse(value) && /^https?:/i.test(value);
}
