import { grantAccess, listPartnerPrices, revokeAccess } from '../../db/catalogue/prices.ts';
import { amountText } from '../../domain/money.ts';
import { setSellingPrice } from '../../operations/prices.ts';
import { type AdminCommand, changeCommand, lookCommand } from '../command.ts';
import { AdminError, id, optional, priceUsd, required } from '../fields.ts';
import { partnerField, requireSubject } from '../record-names.ts';
import { amounts, column, tableReport } from '../tables.ts';

/** A command that changes whether a partner may sell a product. */
const accessCommand = ({
  change,
  may,
  ...named
}: Pick<AdminCommand, 'details'> & {
  readonly action: string;
  /** False where nothing changed. */
  readonly change: typeof grantAccess;
  readonly may: string;
}): AdminCommand =>
  changeCommand({
    ...named,
    fields: { ...partnerField, product: required(id, 'The id of the product') },
    examples: ['--partner 1 --product 2'],
    async change(transaction, { partner: partnerId, product: productId }) {
      const partner = await requireSubject(transaction, 'partner', partnerId);
      const product = await requireSubject(transaction, 'product', productId);
      const sentence = `Partner ${partnerId} (${partner.name}) ${may} product ${productId} (${product.name})`;
      if (!(await change(transaction, { partnerId, productId })))
        return { unchanged: `No change: ${sentence}.` };
      return {
        subject: partner.subject,
        details: { productId, product: product.name },
        text: `${sentence} from now on.`,
      };
    },
  });

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
        'denominationId',
        amounts('amount'),
        'status',
        amounts('sellingPriceUsd'),
        column('merchant', (row) =>
          row.merchantId === null
            ? row.sellingPriceUsd && 'all'
            : `${row.merchant} (${row.merchantId})`,
        ),
        'since',
      ]);
    },
  }),

  'partner product grant': accessCommand({
    action: 'grant access',
    change: grantAccess,
    may: 'may sell',
  }),

  'partner product revoke': accessCommand({
    action: 'revoke access',
    details: 'Its generated vouchers stay valid.',
    change: revokeAccess,
    may: 'may not sell',
  }),
};
