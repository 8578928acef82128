import { z } from 'zod';
import { idAnswer, moneyAnswer, timeAnswer } from '../http/fields/answer-fields.ts';

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
