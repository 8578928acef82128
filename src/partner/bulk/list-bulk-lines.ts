import { z } from 'zod';
import { type BulkLineWithVoucher, bulkLinesAfter } from '../../db/bulk/bulk-lines.ts';
import { findBulkOrder } from '../../db/bulk/bulk-orders.ts';
import { messageOf, refuse, statusCodeOf } from '../../domain/refusals.ts';
import { bulkLineStatuses } from '../../domain/vouchers/bulk-order.ts';
import { formatVoucherCode } from '../../domain/vouchers/voucher-code.ts';
import { endpoint } from '../../http/endpoint.ts';
import { REASON_HEADER, reply } from '../../http/envelope.ts';
import { moneyAnswer, textAnswer } from '../../http/fields/answer-fields.ts';
import { numberParameter } from '../../http/fields/number-parameter.ts';
import type { Services } from '../../http/services.ts';
import { bulkOrderParams } from './bulk-order-view.ts';

const DEFAULT_LIMIT = 100;
const MAXIMUM_LIMIT = 1_000;

const lineSchema = z
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
export const listBulkLines = endpoint({
  method: 'GET',
  path: '/bulk-orders/:bulkOrderId/lines',
  operation: 'list-bulk-lines',
  summary: 'List the lines of a bulk order',
  description:
    'The lines of an order in their order, with the codes of generated vouchers and the refusals. `next` ' +
    'is the `after` of the next page; null after the last line.',
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
    lines: z.array(lineSchema).meta({ description: 'The lines' }),
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
): z.input<typeof lineSchema> {
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
