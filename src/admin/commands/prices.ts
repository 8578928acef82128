import { grantAccess, listPartnerPrices, revokeAccess } from '../../db/catalogue/prices.ts';
import type { DatabaseTransaction } from '../../db/connection.ts';
import { setSellingPrice } from '../../operations/prices.ts';
import { changeCommand, lookCommand } from '../command.ts';
import { AdminError, id, optional, priceUsd, required } from '../fields.ts';
import { requireSubject } from '../record-names.ts';
import { column, moneyText, numbers, textTable, timeText } from '../tables.ts';

export const setPriceCommand = changeCommand({
  name: 'partner price set',
  action: 'set price',
  details:
    'Equals the endpoint of the partner API: with --merchant for vouchers of that merchant only, ' +
    'without it for every merchant without its own price. The previous price stays as history.',
  fields: {
    partner: required(id, 'The id of the partner'),
    denomination: required(id, 'The id of the denomination: see product denomination list'),
    priceUsd: required(priceUsd, 'In USD, with at most 6 decimals'),
    merchant: optional(id, 'The id of the merchant'),
  },
  examples: [
    'partner price set --partner 1 --denomination 3 --price-usd 4.75',
    'partner price set --partner 1 --denomination 3 --merchant 7 --price-usd 4.60',
  ],
  async change(transaction, input) {
    await requireSubject(transaction, 'partner', input.partner);
    const price = {
      partnerId: input.partner,
      denominationId: input.denomination,
      merchantId: input.merchant ?? null,
    };
    const set = await setSellingPrice(transaction, { ...price, sellingPriceUsd: input.priceUsd });
    if (!set.ok)
      throw new AdminError(
        set.missing === 'denomination'
          ? `There is no active denomination ${input.denomination}: see "product denomination list".`
          : `There is no active merchant ${input.merchant}: see "merchant list".`,
      );
    const { before } = set;
    const whose =
      `of denomination ${input.denomination} for partner ${input.partner}` +
      (input.merchant === undefined ? '' : ` at merchant ${input.merchant}`);
    if (!set.isChanged)
      return { unchanged: `No change: the price ${whose} already has this value.` };
    const { denominationId, merchantId } = price;
    const to = set.stored.selling_price_usd;
    return {
      subject: { kind: 'partner', id: input.partner },
      details: { denominationId, merchantId, sellingPriceUsd: { from: before, to } },
      text:
        `Set the price ${whose} to USD ${moneyText(to)}` +
        `${before === null ? '' : `; it was USD ${moneyText(before)}`}.`,
    };
  },
});

export const listPricesCommand = lookCommand({
  name: 'partner price list',
  details:
    'Without a price the partner cannot generate vouchers of the denomination. The price for one ' +
    'merchant takes precedence over the general price.',
  fields: { partner: required(id, 'The id of the partner') },
  examples: ['partner price list --partner 1'],
  async look(database, input) {
    await requireSubject(database, 'partner', input.partner);
    const prices = await listPartnerPrices(database, input.partner);
    return {
      json: prices,
      text: textTable(prices, [
        numbers('denomination', (row) => row.denominationId),
        numbers('etb', (row) => moneyText(row.amount)),
        column('status', (row) => row.status),
        numbers('usd', (row) => row.sellingPriceUsd && moneyText(row.sellingPriceUsd)),
        column('merchant', (row) =>
          row.merchantId === null
            ? row.sellingPriceUsd && 'all'
            : `${row.merchant} (${row.merchantId})`,
        ),
        column('since', (row) => row.since && timeText(row.since)),
      ]),
    };
  },
});

const fields = {
  partner: required(id, 'The id of the partner'),
  product: required(id, 'The id of the product'),
};

async function namesOf(
  transaction: DatabaseTransaction,
  input: { readonly partner: number; readonly product: number },
) {
  const partner = await requireSubject(transaction, 'partner', input.partner);
  const product = await requireSubject(transaction, 'product', input.product);
  return {
    access: { partnerId: input.partner, productId: input.product },
    partner: `Partner ${input.partner} (${partner.name})`,
    product: `product ${input.product} (${product.name})`,
    subject: { kind: 'partner', id: input.partner },
    details: { productId: input.product, product: product.name },
  };
}

export const grantAccessCommand = changeCommand({
  name: 'partner product grant',
  action: 'grant access',
  fields,
  examples: ['partner product grant --partner 1 --product 2'],
  async change(transaction, input) {
    const { access, partner, product, subject, details } = await namesOf(transaction, input);
    return (await grantAccess(transaction, access))
      ? { subject, details, text: `${partner} may sell ${product} from now on.` }
      : { unchanged: `No change: ${partner} may already sell ${product}.` };
  },
});

export const revokeAccessCommand = changeCommand({
  name: 'partner product revoke',
  action: 'revoke access',
  details: 'Its generated vouchers stay valid.',
  fields,
  examples: ['partner product revoke --partner 1 --product 2'],
  async change(transaction, input) {
    const { access, partner, product, subject, details } = await namesOf(transaction, input);
    return (await revokeAccess(transaction, access))
      ? { subject, details, text: `${partner} may no longer sell ${product}.` }
      : { unchanged: `No change: ${partner} has no access to ${product}.` };
  },
});
