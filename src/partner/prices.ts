import { z } from 'zod';
import { refuse } from '../domain/refusals.ts';
import { endpoint } from '../http/endpoint.ts';
import { reply } from '../http/envelope.ts';
import { idAnswer, moneyAnswer, timeAnswer } from '../http/fields/answer-fields.ts';
import {
  countryField,
  currencyField,
  idField,
  informativeDecimalField,
  positiveDecimalField,
} from '../http/fields/request-fields.ts';
import { setSellingPrice } from '../operations/prices.ts';

const exchangeRate = { description: 'ETB for one USD, as it was used for the sale' };
const currency = { description: 'Currency that the customer paid in (ISO 4217)' };
const originatingCountry = {
  description: 'Country that the customer buys from: ISO 3166-1 code or English name',
};
const foreignCurrencyAmount = { description: 'Price of the sale in USD', examples: ['1.75'] };

/** What every top-up says of its sale (specification 4.1). */
export const saleFields = {
  exchangeRate: informativeDecimalField.meta(exchangeRate),
  currency: currencyField.meta(currency),
  originatingCountry: countryField.meta(originatingCountry),
  foreignCurrencyAmount: informativeDecimalField.nullish().meta(foreignCurrencyAmount),
};

/** The fields of a voucher's sale: all of them are optional at its generation. */
export const optionalSaleFields = {
  exchangeRate: informativeDecimalField.nullish().meta(exchangeRate),
  currency: currencyField.nullish().meta(currency),
  originatingCountry: countryField.nullish().meta(originatingCountry),
  foreignCurrencyAmount: informativeDecimalField.nullish().meta(foreignCurrencyAmount),
};

/** The sale of a top-up as its row holds it. */
export const saleOf = (body: {
  readonly exchangeRate: string;
  readonly currency: string;
  readonly originatingCountry: string;
  readonly foreignCurrencyAmount?: string | null | undefined;
}) => ({
  exchangeRate: body.exchangeRate,
  currency: body.currency,
  originatingCountry: body.originatingCountry,
  foreignCurrencyAmount: body.foreignCurrencyAmount ?? null,
});

/** The record of a selling price, as it is listed and answered when it is set (specification 2.4). */
export const sellingPrice = z
  .object({
    id: idAnswer('selling price'),
    createdAt: timeAnswer('When it was set'),
    denominationId: idAnswer('denomination'),
    merchantId: idAnswer('merchant that the price is for')
      .nullable()
      .meta({
        description: 'The only merchant that the price is for; null where it is for all others',
        examples: [null],
      }),
    sellingPriceUsd: moneyAnswer('Selling price in USD', '9.500000'),
  })
  .meta({ title: 'SellingPrice' });

/** Sets a partner's selling price of a denomination (specification 2.4 and 4.1). */
export const setDenominationPriceEndpoint = endpoint({
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
    const set = await services.database
      .transaction()
      .execute((transaction) => setSellingPrice(transaction, price));
    if (!set.ok)
      return refuse(
        set.missing === 'denomination' ? 'denomination-not-found' : 'merchant-not-found',
      );
    const { stored } = set;
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
