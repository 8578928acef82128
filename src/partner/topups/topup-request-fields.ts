import { amountField, idField, msisdnField } from '../../http/fields/request-fields.ts';
import { saleFields } from '../sale-fields.ts';

/** What describes a top-up of airtime (specification 4.1). */
export const airtimeFields = { amount: amountField, msisdn: msisdnField, ...saleFields };

/** What describes the purchase of a package (specification 4.1). */
export const packageFields = {
  productId: idField.meta({ description: 'Identifier of a package of the product list' }),
  msisdn: msisdnField,
  ...saleFields,
};
