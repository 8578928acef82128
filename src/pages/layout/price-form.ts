import { findPrice, type NewPrice } from '../../db/catalogue/prices.ts';
import type { Database } from '../../db/connection.ts';
import { findNamedMerchants, type NamedMerchant } from '../../db/vouchers/bulk-orders.ts';
import { parseMoney } from '../../domain/money.ts';
import { type Html, html } from '../../rendering/html.ts';
import { sentence } from '../language/language.ts';
import type { Form } from '../page.ts';
import { usd } from './company-parts.ts';
import { field } from './parts.ts';

/** A sent form of a selling price, with the problem of its fields. */
export interface WrongPrice {
  readonly price: string;
  readonly merchant: string;
  readonly priceProblem?: string;
  readonly merchantProblem?: string;
  /** The price is far from the price in force: the form is sent once more as it is. */
  readonly question?: string;
}

/** The fields of a selling price, for all merchants or for one. */
export const priceFields = (label: string, now: string, wrong: WrongPrice | undefined): Html =>
  html`${field({
    name: 'price',
    label,
    value: wrong?.price ?? now,
    error: wrong?.priceProblem,
    question: wrong?.question,
    maximumLength: 20,
  })}
${field({
  name: 'merchant',
  label: 'Only for this merchant',
  hint: 'Such as MER-0001. Leave it empty to set the price for all other merchants.',
  value: wrong?.merchant ?? '',
  error: wrong?.merchantProblem,
  isOptional: true,
})}
${wrong?.question && html`<input type="hidden" name="${SURE}" value="${sureOf(wrong)}">`}`;

/** Has the price and the merchant that the person was asked about. */
const SURE = 'sure';
const sureOf = ({ price, merchant }: Pick<WrongPrice, 'price' | 'merchant'>): string =>
  `${price} ${merchant}`;

/** A price that many times more or less than the price in force is asked about. */
const FAR = 10n;

/** The question about a price that is far from the price in force, such as one without its decimal point. */
function farFrom(inForce: string, price: string): string | undefined {
  const [before, after] = [parseMoney(inForce), parseMoney(price)];
  const times = (larger: bigint, smaller: bigint) =>
    Math.round(Number(larger) / Number(smaller)).toLocaleString('en');
  if (after >= before * FAR)
    return sentence(
      'USD {1} is {2} times USD {3}. If it is right, press “Set the price” again.',
      ...[price, times(after, before), usd(inForce)],
    );
  if (after * FAR <= before)
    return sentence(
      'USD {1} is 1/{2} of USD {3}. If it is right, press “Set the price” again.',
      ...[price, times(before, after), usd(inForce)],
    );
}

/** As the API accepts it (positiveDecimalField), with cents or finer. */
const isPrice = (text: string): boolean =>
  /^(?:0|[1-9][0-9]{0,11})(?:\.[0-9]{1,6})?$/.test(text) && /[1-9]/.test(text);

/**
 * The price and the merchant that a form names; null is all other merchants. A price that is far from the price in force
 * is asked about once.
 */
export async function readPriceForm(
  database: Database,
  form: Form,
  of: Pick<NewPrice, 'partnerId' | 'denominationId'>,
): Promise<
  | { readonly ok: true; readonly price: string; readonly merchant: NamedMerchant | null }
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
  const inForce =
    (await findPrice(database, { ...of, merchantId: named?.id ?? null })) ??
    (await findPrice(database, { ...of, merchantId: null }));
  const question = inForce && farFrom(inForce.selling_price_usd, price);
  if (question !== undefined && form.text(SURE) !== sureOf({ price, merchant }))
    return refused({ question });
  return { ok: true, price, merchant: named ?? null };
}
