import { type BulkLineWithVoucher, bulkLinesAfter } from '../../../db/bulk/bulk-lines.ts';
import { type BulkOrder, findBulkOrder } from '../../../db/bulk/bulk-orders.ts';
import { messageOf } from '../../../domain/refusals.ts';
import type { BulkLineStatus } from '../../../domain/vouchers/bulk-order.ts';
import { formatVoucherCode } from '../../../domain/vouchers/voucher-code.ts';
import { csv } from '../../../rendering/csv.ts';
import { html } from '../../../rendering/html.ts';
import { plainAmount } from '../../layout/money.ts';
import { recordOperation } from '../../operate.ts';
import { type AccountPage, type AccountRequest, idOf } from '../../page.ts';
import { problems } from '../../problem-page.ts';

const LINES_AT_ONCE = 1_000;

const words: Readonly<Record<BulkLineStatus, string>> = {
  PENDING: 'Not generated yet',
  GENERATED: 'Generated',
  REFUSED: 'Refused',
  CANCELLED: 'Left out',
};

const orderOf = (request: AccountRequest) =>
  findBulkOrder(request.services.database, request.session.company.id, idOf(request));

/**
 * The lines of an order as a file. Codes are money, so the file needs `operate`, each download is in
 * the audit log, and only orders of the portal have them: the API answers the codes of its own.
 */
export const downloadBulkResult: AccountPage = {
  method: 'POST',
  path: '/bulk-orders/:id/result',
  access: 'account',
  needs: 'operate',
  confirmation: async (request) => {
    const order = await orderOf(request);
    return order && html`You are about to download the voucher codes of bulk order ${order.id}.`;
  },
  kind: 'partner',
  async handle(request) {
    const { services } = request;
    const order = await orderOf(request);
    if (!order) return problems.notFound;
    await recordOperation(request, 'download voucher-codes', { bulkOrderId: order.id });
    const rows: (string | number | null)[][] = [];
    for (let after = 0; ; ) {
      const page = { after, limit: LINES_AT_ONCE, status: undefined };
      const lines = await bulkLinesAfter(services.database, order.id, page);
      rows.push(...lines.map((line) => rowOf(request, order, line)));
      after = lines.at(-1)?.line ?? 0;
      if (lines.length < LINES_AT_ONCE) break;
    }
    const titles = ['Line', 'Reference', 'State', 'Voucher code', 'Serial number', 'Amount (ETB)'];
    return {
      kind: 'file',
      name: `bulk-order-${order.id}.csv`,
      type: 'text/csv',
      content: csv([[...titles, 'Why it was refused'], ...rows]),
    };
  },
};

function rowOf(
  { services }: AccountRequest,
  order: BulkOrder,
  line: BulkLineWithVoucher,
): (string | number | null)[] {
  const { refusal, code_ciphertext, generation_id } = line;
  const code =
    code_ciphertext === null || order.portal_account_id === null
      ? null
      : formatVoucherCode(services.secretBox.open(code_ciphertext, `voucher ${generation_id}`));
  return [
    line.line,
    line.reference,
    words[line.status],
    code,
    line.serial_number,
    line.amount && plainAmount(line.amount),
    refusal && messageOf(refusal.reason, refusal.detail),
  ];
}
