import { z } from 'zod';
import { priceSubjects, setPrice } from '../db/catalogue/prices.ts';
import { refuse } from '../domain/refusals.ts';
import { endpoint } from '../http/endpoint.ts';
import { reply } from '../http/envelope.ts';
import { idField, positiveDecimalField } from '../http/fields/request-fields.ts';
import { sellingPrice } from './selling-price.ts';

/** Sets a partner's selling price of a denomination (specification 2.4 and 4.1). */
export const setDenominationPrice = endpoint({
  method: 'POST',
  path: '/partner-gift-denomination-prices',
  aliases: ['/client/partner-gift-denomination-prices'],
  operation: 'set-denomination-price',
  summary: 'Set a selling price',
  description:
    'Sets the price of a denomination in USD: with `merchantId` for that merchant only, without ' +
    'it for every merchant without its own price. The answer is the stored record.',
  access: 'token',
  scope: 'vouchers',
  body: z.object({
    denominationId: idField.meta({ description: 'Identifier of the denomination' }),
    sellingPriceUsd: positiveDecimalField.meta({ description: 'Selling price in USD' }),
    merchantId: idField
      .nullish()
      .meta({ description: 'The only merchant that the price is for; absent: all others' }),
  }),
  answer: sellingPrice,
  reasons: ['denomination-not-found', 'merchant-not-found'],
  async handle({ services, company, body }) {
    const price = { ...body, merchantId: body.merchantId ?? null, partnerId: company.id };
    const { hasDenomination, hasMerchant } = await priceSubjects(services.database, price);
    if (!hasDenomination) return refuse('denomination-not-found');
    if (!hasMerchant) return refuse('merchant-not-found');
    const stored = await setPrice(services.database, price);
    return reply(
      {
        id: stored.id,
        createdAt: stored.created_at.toISOString(),
        denominationId: stored.denomination_id,
        merchantId: stored.merchant_id,
        sellingPriceUsd: stored.selling_price_usd,
      },
      { message: 'Selling price set' },
    );
  },
});
