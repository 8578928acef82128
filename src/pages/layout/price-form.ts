import type { Database } from '../../db/connection.ts';
import { findNamedMerchants } from '../../db/vouchers/bulk-orders.ts';
import { type Html, html } from '../../rendering/html.ts';
import type { Form } from '../page.ts';
import { field } from './parts.ts';

/** A sent form of a selling price, with the problem of its fields. */
export interface WrongPrice {
  readonly price: string;
  readonly merchant: string;
  readonly priceProblem?: string;
  readonly merchantProblem?: string;
}

/** The fields of a selling price, for all merchants or for one. */
export const priceFields = (label: string, now: string, wrong: WrongPrice | undefined): Html =>
  html`${field({
    name: 'price',
    label,
    value: wrong?.price ?? now,
    error: wrong?.priceProblem,
    maximumLength: 20,
  })}
${field({
  name: 'merchant',
  label: 'Only for this merchant',
  hint: 'Its identifier, such as MER-0001. Empty: all merchants without their own price.',
  value: wrong?.merchant ?? '',
  error: wrong?.merchantProblem,
  isOptional: true,
})}`;

/** As the API accepts it (positiveDecimalField), with cents or finer. */
const isPrice = (text: string): boolean =>
  /^(?:0|[1-9][0-9]{0,11})(?:\.[0-9]{1,6})?$/.test(text) && /[1-9]/.test(text);

/** The price and the merchant that a form names; null is all merchants. */
export async function readPriceForm(
  database: Database,
  form: Form,
): Promise<
  | { readonly ok: true; readonly price: string; readonly merchantId: number | null }
  | { readonly ok: false; readonly wrong: WrongPrice }
> {
  const [price, merchant] = [form.text('price').trim(), form.text('merchant').trim()];
  const refused = (problem: Partial<WrongPrice>) =>
    ({ ok: false, wrong: { price, merchant, ...problem } }) as const;
  if (!isPrice(price))
    return refused({
      priceProblem: 'Enter an amount above 0 with at most 6 decimals, such as 9.50.',
    });
  const [named] = await findNamedMerchants(database, { ids: [], identifiers: [merchant] });
  if (merchant !== '' && !named)
    return refused({ merchantProblem: 'There is no active merchant with this identifier.' });
  return { ok: true, price, merchantId: named?.id ?? null };
}
