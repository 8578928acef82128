import { z } from 'zod';
import { BULK_LINES } from '../../domain/vouchers/bulk-order.ts';
import type { OrderedLine } from '../../operations/order-vouchers.ts';
import { voucherFields, withMerchant } from '../vouchers/voucher-fields.ts';

/** One line of a bulk order, as the API and files of the portal send it. */
export const lineSchema = withMerchant(
  z.object({
    reference: z
      .string('must be text')
      .regex(/^[\x21-\x7e]{1,100}$/, 'must have 1 to 100 printable characters without spaces')
      .meta({
        description:
          'Your own name of this voucher: a reference that generated a voucher never generates another',
        examples: ['order-417/1'],
        pattern: '^[!-~]{1,100}$',
      }),
    ...voucherFields,
  }),
).meta({ title: 'OrderedLine' });

/** The lines of an order. */
export const orderSchema = z.object({
  lines: z
    .array(lineSchema)
    .min(1, 'must have at least 1 line')
    .max(BULK_LINES)
    .meta({ description: `1 to ${BULK_LINES} vouchers` }),
});

/** A line as the order stores it. */
export const orderedLine = (line: z.output<typeof lineSchema>): OrderedLine => ({
  reference: line.reference,
  denomination_id: line.denominationId,
  merchant_id: line.merchantId ?? null,
  merchant_identifier:
    typeof line.merchantId === 'number' ? null : (line.merchantIdentifier ?? null),
  owner_msisdn: line.msisdn,
  is_restricted: line.isRestricted,
  exchange_rate: line.exchangeRate ?? null,
  currency: line.currency ?? null,
  originating_country: line.originatingCountry ?? null,
  foreign_currency_amount: line.foreignCurrencyAmount ?? null,
});
