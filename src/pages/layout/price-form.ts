import { findPrice, type NewPrice } from '../../db/catalogue/prices.ts';
import type { Database } from '../../db/connection.ts';
import { findNamedMerchants, type NamedMerchant } from '../../db/vouchers/bulk-orders.ts';
import { parseMoney } from '../../domain/money.ts';
import { type Html, html } from '../../rendering/html.ts';
import { sentence } from '../language/language.ts';
import type { Form, PublicRequest } from '../page.ts';
import { usd } from './company-parts.ts';
import { asSent, field, type WrongFields } from './parts.ts';

/** The fields of a selling price, for all merchants or for one. */
export function priceFields(
  request: Pick<PublicRequest, 'form'>,
  { label, now, wrong }: { label: string; now: string; wrong: WrongFields | undefined },
): Html {
  const sent = asSent(request, wrong);
  return html`${field({
    ...sent('price', now),
    label,
    question: wrong?.[SURE],
    maximumLength: 20,
  })}
${field({
  ...sent('merchant'),
  label: 'Only for this merchant',
  hint: 'Such as MER-0001. Leave it empty to set the price for all other merchants.',
  isOptional: true,
})}
${wrong?.[SURE] && html`<input type="hidden" name="${SURE}" value="${sureOf(request.form)}">`}`;
}

/**
 * Has the price and the merchant of a form whose price is far from the price in force. The person is asked about it, and
 * sends the form once more as it is.
 */
const SURE = 'sure';
const sureOf = (form: Form): string => `${form.text('price')} ${form.text('merchant')}`;

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
  | { readonly ok: false; readonly wrong: WrongFields }
> {
  const [price, merchant] = [form.text('price').trim(), form.text('merchant').trim()];
  const refused = (wrong: WrongFields) => ({ ok: false, wrong }) as const;
  if (!isPrice(price))
    return refused({ price: 'Enter an amount above 0 with at most 6 decimals, such as 9.50.' });
  const [named] = await findNamedMerchants(database, { ids: [], identifiers: [merchant] });
  if (merchant !== '' && !named)
    return refused({ merchant: 'There is no active merchant with this identifier.' });
  const inForce =
    (await findPrice(database, { ...of, merchantId: named?.id ?? null })) ??
    (await findPrice(database, { ...of, merchantId: null }));
  const question = inForce && farFrom(inForce.selling_price_usd, price);
  if (question !== undefined && form.text(SURE) !== sureOf(form))
    return refused({ [SURE]: question });
  return { ok: true, price, merchant: named ?? null };
}
