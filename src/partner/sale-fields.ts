import {
  countryField,
  currencyField,
  informativeDecimalField,
} from '../http/fields/request-fields.ts';

const exchangeRate = { description: 'ETB for one USD, as it was used for the sale' };
const currency = { description: 'Currency that the customer paid in (ISO 4217)' };
const originatingCountry = {
  description: 'Country that the customer buys from: ISO 3166-1 code or English name',
};
const foreignCurrencyAmount = { description: 'Price of the sale in USD', examples: ['1.75'] };

/** What every top-up says of its sale (specification 4.1, design 3). */
export const saleFields = {
  exchangeRate: informativeDecimalField.meta(exchangeRate),
  currency: currencyField.meta(currency),
  originatingCountry: countryField.meta(originatingCountry),
  foreignCurrencyAmount: informativeDecimalField.nullish().meta(foreignCurrencyAmount),
};

/** What the generation of a voucher may say of its sale: all of it is optional there. */
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
