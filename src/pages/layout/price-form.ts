import { findPrice, type NewPrice } from '../../db/catalogue/prices.ts';
import type { DatabaseTransaction } from '../../db/connection.ts';
import { findNamedMerchants, type NamedMerchant } from '../../db/vouchers/bulk-orders.ts';
import { parseMoney } from '../../domain/money.ts';
import { setSellingPrice } from '../../operations/prices.ts';
import { type Html, html } from '../../rendering/html.ts';
import { sentence } from '../language/language.ts';
import type { Form, PublicRequest } from '../page.ts';
import { usd } from './company-parts.ts';
import { asSent, field, type ReadForm, type WrongFields } from './parts.ts';

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

/** The price that a form names, with its merchant; undefined is all other merchants. */
interface NamedPrice extends NewPrice {
  readonly merchant: NamedMerchant | undefined;
}

/** The problem of a merchant that a form names, also where it was deactivated while the form waited. */
const NO_MERCHANT = { merchant: 'There is no active merchant with this identifier.' };

/** Reads the form of a price. A price that is far from the price in force is asked about once. */
export async function readPriceForm(
  { services: { database }, form }: Pick<PublicRequest, 'services' | 'form'>,
  of: Pick<NewPrice, 'partnerId' | 'denominationId'>,
): Promise<ReadForm<NamedPrice>> {
  const [price, merchant] = [form.text('price').trim(), form.text('merchant').trim()];
  const refused = (wrong: WrongFields) => ({ wrong });
  if (!isPrice(price))
    return refused({ price: 'Enter an amount above 0 with at most 6 decimals, such as 9.50.' });
  const [named] = await findNamedMerchants(database, { ids: [], identifiers: [merchant] });
  if (merchant !== '' && !named) return refused(NO_MERCHANT);
  const merchantId = named?.id ?? null;
  const inForce =
    (await findPrice(database, { ...of, merchantId })) ??
    (await findPrice(database, { ...of, merchantId: null }));
  const question = inForce && farFrom(inForce.selling_price_usd, price);
  if (question !== undefined && form.text(SURE) !== sureOf(form))
    return refused({ [SURE]: question });
  return { value: { ...of, merchantId, sellingPriceUsd: price, merchant: named } };
}

/** Sets the price of a form, as the command line and the API do; whether it is another one than before. */
export async function setNamedPrice(
  transaction: DatabaseTransaction,
  price: NewPrice,
  further: Readonly<Record<string, string>> = {},
) {
  const set = await setSellingPrice(transaction, price);
  if (!set.ok) return set.missing === 'merchant' ? { wrong: NO_MERCHANT } : undefined;
  const { details } = set;
  return { result: details !== undefined, details: details && { ...details, ...further } };
}
