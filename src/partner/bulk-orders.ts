import { z } from 'zod';
import {
  type BulkLineWithVoucher,
  type BulkOrder,
  bulkLinesAfter,
  findBulkOrder,
  requestBulkCancellation,
} from '../db/vouchers/bulk-orders.ts';
import { soughtText } from '../domain/copied-text.ts';
import { messageOf, refuse, statusCodeOf } from '../domain/refusals.ts';
import {
  BULK_LINES,
  bulkLineStatuses,
  bulkOrderStatus,
  bulkOrderStatuses,
  formatVoucherCode,
} from '../domain/vouchers/voucher.ts';
import { endpoint } from '../http/endpoint.ts';
import { REASON_HEADER, reply } from '../http/envelope.ts';
import { idAnswer, moneyAnswer, textAnswer, timeAnswer } from '../http/fields/answer-fields.ts';
import { idField, numberParameter } from '../http/fields/request-fields.ts';
import type { Services } from '../http/services.ts';
import { type OrderedLine, orderVouchersOnce } from '../operations/bulk.ts';
import { voucherFields, withMerchant } from './voucher-view.ts';

/** One line of a bulk order, as the API and files of the portal send it. */
export const lineSchema = withMerchant(
  z.object({
    reference: z
      .string('must be text')
      .transform(soughtText)
      .refine(
        (reference) => /^[\x21-\x7e]{1,100}$/.test(reference),
        'must have 1 to 100 printable characters without spaces',
      )
      .meta({
        description:
          'Your own name of this voucher, 1 to 100 printable ASCII characters without spaces: a reference ' +
          'that generated a voucher never generates another',
        examples: ['order-417/1'],
        minLength: 1,
      }),
    ...voucherFields,
  }),
).meta({ title: 'OrderedLine' });

/** The lines of an order. */
const orderSchema = z.object({
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

/** The path of one bulk order. */
const bulkOrderParams = z.object({
  bulkOrderId: idField.meta({ description: '`id` of the bulk order' }),
});

const count = (description: string, example: number) =>
  z.int().meta({ description, examples: [example] });

const bulkOrderSchema = z
  .object({
    id: idAnswer('bulk order'),
    status: z.enum(bulkOrderStatuses).meta({
      description:
        'RUNNING until each line is generated or refused; CANCELLED where lines were left out',
      examples: ['COMPLETED'],
    }),
    lines: count('Lines of the order', 2),
    generated: count('Lines whose vouchers exist', 1),
    refused: count('Lines that were refused; the others are not affected', 1),
    cancelled: count('Lines that the cancellation left out', 0),
    createdAt: timeAnswer('When it was accepted'),
    endedAt: timeAnswer('When the last line was settled').nullable(),
  })
  .meta({ title: 'BulkOrder', description: 'The bulk order and its progress' });

/** `data` of each answer about one order. */
const bulkOrderAnswer = z.object({ bulkOrder: bulkOrderSchema }).meta({ title: 'BulkOrderResult' });

const presentBulkOrder = (order: BulkOrder): z.input<typeof bulkOrderSchema> => ({
  id: order.id,
  status: bulkOrderStatus(order),
  lines: order.lines,
  generated: order.generated,
  refused: order.refused,
  cancelled: order.cancelled,
  createdAt: order.created_at.toISOString(),
  endedAt: order.ended_at?.toISOString() ?? null,
});

/** Cancels what a bulk order has not generated yet (beyond the specification). */
export const cancelBulkOrderEndpoint = endpoint({
  method: 'POST',
  path: '/bulk-orders/:bulkOrderId/cancel',
  operation: 'cancel-bulk-order',
  summary: 'Cancel a bulk order',
  description:
    'No further voucher of the order is generated; vouchers that exist stay, and can be cancelled one by ' +
    'one. An ended order stays as it is.',
  access: 'token',
  scope: 'vouchers',
  params: bulkOrderParams,
  answer: bulkOrderAnswer,
  reasons: ['bulk-order-not-found'],
  async handle({ services, company, params }) {
    const order = await requestBulkCancellation(services.database, company.id, params.bulkOrderId);
    if (!order) return refuse('bulk-order-not-found');
    return reply({ bulkOrder: presentBulkOrder(order) }, { message: 'Cancellation requested' });
  },
});

const DEFAULT_LIMIT = 100;
const MAXIMUM_LIMIT = 1_000;

const listedLineSchema = z
  .object({
    line: z.int().meta({ description: 'Its place in the order, from 1', examples: [1] }),
    reference: textAnswer('Your reference', 'order-417/1'),
    status: z.enum(bulkLineStatuses).meta({
      title: 'BulkLineStatus',
      description: 'PENDING until its turn comes',
      examples: ['GENERATED'],
    }),
    voucher: z
      .object({
        id: textAnswer('Identifier of the voucher, as text', '17'),
        voucherCode: textAnswer('Code of the voucher: give it to its owner', '7H3K-9M2P-QX4R-T6WV'),
        serialNumber: textAnswer('Serial number, which support asks for', '482193756041827305'),
        amount: moneyAnswer('Value of the voucher in ETB'),
      })
      .meta({ title: 'VoucherOfLine' })
      .nullable()
      .meta({ description: 'The voucher of a generated line' }),
    refusal: z
      .object({
        statusCode: z.int().meta({
          description: 'Code that "Generate a voucher" answers in this case',
          examples: [405],
        }),
        reason: textAnswer(`\`${REASON_HEADER}\` of that answer`, 'money-insufficient'),
        message: textAnswer('What is wrong and what to do', 'Not enough money in the wallet'),
      })
      .meta({ title: 'RefusalOfLine' })
      .nullable()
      .meta({ description: 'Why the line was refused; after a correction, order it again' }),
  })
  .meta({ title: 'BulkLine' });

/** Lists the lines of a bulk order with their vouchers (beyond the specification). */
export const listBulkLinesEndpoint = endpoint({
  method: 'GET',
  path: '/bulk-orders/:bulkOrderId/lines',
  operation: 'list-bulk-lines',
  summary: 'List the lines of a bulk order',
  description:
    'The lines of a bulk order as they were sent, with the codes of generated vouchers and the refusals. ' +
    'The field `next` is the `after` of the next page; null after the last line.',
  access: 'token',
  scope: 'vouchers',
  params: bulkOrderParams,
  query: z.object({
    after: numberParameter('Lines after this one', [0, 10_000]).default(0),
    limit: numberParameter('Most lines of the answer', [1, MAXIMUM_LIMIT]).default(DEFAULT_LIMIT),
    status: z
      .enum(bulkLineStatuses, `must be one of ${bulkLineStatuses.join(', ')}`)
      .meta({
        title: 'BulkLineStatus',
        description: 'Lines of this state only',
        examples: ['REFUSED'],
      })
      .optional(),
  }),
  answer: z.object({
    lines: z.array(listedLineSchema).meta({ description: 'The lines' }),
    next: z
      .int()
      .nullable()
      .meta({ description: '`after` of the next page; null after the last line', examples: [100] }),
  }),
  reasons: ['bulk-order-not-found'],
  async handle({ services, company, params, query }) {
    const order = await findBulkOrder(services.database, company.id, params.bulkOrderId);
    if (!order) return refuse('bulk-order-not-found');
    const { after, limit, status } = query;
    const page = { after, limit: limit + 1, status };
    const lines = await bulkLinesAfter(services.database, order.id, page);
    const shown = lines.slice(0, limit);
    return reply(
      {
        lines: shown.map((line) => presentLine(services, line)),
        next: lines.length > limit ? (shown.at(-1)?.line ?? null) : null,
      },
      { message: 'Lines found' },
    );
  },
});

function presentLine(
  { secretBox }: Services,
  line: BulkLineWithVoucher,
): z.input<typeof listedLineSchema> {
  const { refusal, voucher_id, code_ciphertext } = line;
  return {
    line: line.line,
    reference: line.reference,
    status: line.status,
    voucher:
      voucher_id === null || code_ciphertext === null
        ? null
        : {
            id: String(voucher_id),
            voucherCode: formatVoucherCode(
              secretBox.open(code_ciphertext, `voucher ${line.generation_id}`),
            ),
            serialNumber: line.serial_number ?? '',
            amount: line.amount ?? '',
          },
    refusal: refusal && {
      statusCode: statusCodeOf(refusal.reason, 'partner', 'generate-voucher'),
      reason: refusal.reason,
      message: messageOf(refusal.reason, refusal.detail),
    },
  };
}

/** For the most lines, each with all its fields. */
const BODY_LIMIT_BYTES = 6 * 1024 * 1024;

/** Orders many vouchers at once (beyond the specification). */
export const orderVouchersEndpoint = endpoint({
  method: 'POST',
  path: '/vouchers/bulk',
  operation: 'order-vouchers',
  summary: 'Order vouchers in bulk',
  description:
    `Accepts up to ${BULK_LINES} vouchers, which are generated one after the other; each line pays when ` +
    'its turn comes. A line that is refused, for example because the gift balance is spent, affects no ' +
    'other line. Ask for the progress with the order’s id. A wrong field refuses the whole order, and ' +
    'nothing is recorded.',
  access: 'token',
  scope: 'vouchers',
  idempotency: 'header',
  bodyLimitBytes: BODY_LIMIT_BYTES,
  body: orderSchema,
  longArray: {
    field: 'lines',
    item: lineSchema,
    itemName: 'line',
    maximumItems: BULK_LINES,
    uniqueField: 'reference',
  },
  answer: bulkOrderAnswer,
  reasons: ['account-suspended', 'database-failed', 'key-reused', 'still-processing'],
  async handle({ services, company, body, key }) {
    const lines = body.lines.map(orderedLine);
    const { result, replayed } = await orderVouchersOnce(services, { company, key, lines });
    if ('ok' in result) return { ...result, replayed };
    return reply({ bulkOrder: presentBulkOrder(result) }, { message: 'Order accepted', replayed });
  },
});

/** Shows how far a bulk order is (beyond the specification). */
export const showBulkOrderEndpoint = endpoint({
  method: 'GET',
  path: '/bulk-orders/:bulkOrderId',
  operation: 'show-bulk-order',
  summary: 'Show a bulk order',
  description: 'Progress of a bulk order: how many lines are generated, refused and cancelled.',
  access: 'token',
  scope: 'read',
  params: bulkOrderParams,
  answer: bulkOrderAnswer,
  reasons: ['bulk-order-not-found'],
  async handle({ services, company, params }) {
    const order = await findBulkOrder(services.database, company.id, params.bulkOrderId);
    if (!order) return refuse('bulk-order-not-found');
    return reply({ bulkOrder: presentBulkOrder(order) }, { message: 'Bulk order found' });
  },
});
