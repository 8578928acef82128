import { grantAccess, listPartnerPrices, revokeAccess } from '../../db/catalogue/prices.ts';
import type { DatabaseTransaction } from '../../db/connection.ts';
import { amountText } from '../../domain/money.ts';
import { setSellingPrice } from '../../operations/prices.ts';
import { changeCommand, lookCommand } from '../command.ts';
import { AdminError, id, optional, priceUsd, required } from '../fields.ts';
import { partnerField, requireSubject } from '../record-names.ts';
import { amounts, column, numbers, tableReport } from '../tables.ts';

const fields = {
  ...partnerField,
  product: required(id, 'The id of the product'),
};

export const commands = {
  'partner price set': changeCommand({
    action: 'set selling-price',
    details:
      'With --merchant the price is for vouchers of that merchant alone. Without it the price is ' +
      'for every merchant without a price of its own. The partner API sets the same prices. The ' +
      'previous price stays as history.',
    fields: {
      ...partnerField,
      denomination: required(id, 'The id of the denomination: see product denomination list'),
      priceUsd: required(priceUsd, 'In USD, with at most 6 decimals'),
      merchant: optional(id, 'The id of the merchant'),
    },
    examples: [
      '--partner 1 --denomination 3 --price-usd 4.75',
      '--partner 1 --denomination 3 --merchant 7 --price-usd 4.60',
    ],
    async change(transaction, input) {
      const { subject } = await requireSubject(transaction, 'partner', input.partner);
      const set = await setSellingPrice(transaction, {
        partnerId: input.partner,
        denominationId: input.denomination,
        merchantId: input.merchant ?? null,
        sellingPriceUsd: input.priceUsd,
      });
      if (!set.ok)
        throw new AdminError(
          set.missing === 'denomination'
            ? `There is no active denomination ${input.denomination}: see "product denomination list".`
            : `There is no active merchant ${input.merchant}: see "merchant list".`,
        );
      const whose =
        `of denomination ${input.denomination} for partner ${input.partner}` +
        (input.merchant === undefined ? '' : ` at merchant ${input.merchant}`);
      const { details } = set;
      if (!details) return { unchanged: `No change: the price ${whose} already has this value.` };
      const { before, after } = details;
      return {
        subject,
        details,
        text:
          `Set the price ${whose} to USD ${amountText(after)}` +
          `${before === null ? '' : `; it was USD ${amountText(before)}`}.`,
      };
    },
  }),

  'partner price list': lookCommand({
    details:
      'Without a price the partner cannot generate vouchers of the denomination. The price for one ' +
      'merchant takes precedence over the general price.',
    fields: partnerField,
    async look(database, input) {
      await requireSubject(database, 'partner', input.partner);
      return tableReport(await listPartnerPrices(database, input.partner), [
        numbers('denomination', 'denominationId'),
        amounts('etb', 'amount'),
        column('status'),
        amounts('usd', 'sellingPriceUsd'),
        column('merchant', (row) =>
          row.merchantId === null
            ? row.sellingPriceUsd && 'all'
            : `${row.merchant} (${row.merchantId})`,
        ),
        column('since'),
      ]);
    },
  }),

  'partner product grant': changeCommand({
    action: 'grant access',
    fields,
    examples: ['--partner 1 --product 2'],
    async change(transaction, input) {
      const { access, partner, product, subject, details } = await namesOf(transaction, input);
      return (await grantAccess(transaction, access))
        ? { subject, details, text: `${partner} may sell ${product} from now on.` }
        : { unchanged: `No change: ${partner} may already sell ${product}.` };
    },
  }),

  'partner product revoke': changeCommand({
    action: 'revoke access',
    details: 'Its generated vouchers stay valid.',
    fields,
    examples: ['--partner 1 --product 2'],
    async change(transaction, input) {
      const { access, partner, product, subject, details } = await namesOf(transaction, input);
      return (await revokeAccess(transaction, access))
        ? { subject, details, text: `${partner} may no longer sell ${product}.` }
        : { unchanged: `No change: ${partner} has no access to ${product}.` };
    },
  }),
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
    subject: partner.subject,
    details: { productId: input.product, product: product.name },
  };
}
