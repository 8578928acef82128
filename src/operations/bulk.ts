import { setImmediate as yieldToOthers } from 'node:timers/promises';
import {
  BULK_ORDER_KIND,
  type BulkOrder,
  type BulkOrdered,
  findBulkOrder,
  type NewBulkLine,
  operationsWithVoucher,
  recordBulkOrder,
} from '../db/vouchers/bulk-orders.ts';
import type { Refusal } from '../domain/refusals.ts';
import type { Caller, Company } from '../domain/vouchers/voucher.ts';
import { describeError } from '../runtime/process/logger.ts';
import { digestRequest, identify, type OperationServices, runOnce } from './run-once.ts';

/** A line as it was sent: its number is in clear, and it has neither operation id nor digest yet. */
export type OrderedLine = Omit<NewBulkLine, 'operation_id' | 'request_digest' | 'owner_msisdn'> & {
  /** E.164 */
  readonly owner_msisdn: string | null;
};

/** The number of lines that get their digests before other requests get their turn. */
const LINES_AT_ONCE = 200;

/**
 * Records an order of many vouchers once, and starts its workflow. If Temporal is not reachable, the order is
 * accepted all the same: the next expiry run starts the workflow (`resumeBulkOrders`).
 */
export async function orderVouchersOnce(
  services: OperationServices,
  request: {
    readonly company: Caller;
    readonly key: string | undefined;
    readonly lines: readonly OrderedLine[];
  },
): Promise<{ readonly result: BulkOrder | Refusal; readonly replayed: boolean }> {
  const { company, key } = request;
  const lines = await namedLines(services, company, request.lines);
  // The digests of the lines stand for their fields: one digest of all fields would delay other requests.
  const content = lines.map(({ operation_id, request_digest }) => [operation_id, request_digest]);
  const identity = identify(services, { company, kind: BULK_ORDER_KIND, key, content });
  const { result, replayed } = await runOnce<BulkOrdered>(services, identity, (as) =>
    recordBulkOrder(services.database, as, lines),
  );
  if (!result.ok) return { result, replayed };
  const order = await findBulkOrder(services.database, company.id, result.bulkOrderId);
  if (!order) throw new Error('The order is gone');
  // A repetition starts the workflow that an earlier request could not start.
  if (!order.ended_at) await begin(services, order);
  return { result: order, replayed };
}

/** Each line is an operation: its reference is its idempotency key. */
async function namedLines(
  { digests, numbers }: OperationServices,
  company: Caller,
  lines: readonly OrderedLine[],
): Promise<NewBulkLine[]> {
  const named: NewBulkLine[] = [];
  for (const line of lines) {
    if (named.length % LINES_AT_ONCE === 0) await yieldToOthers();
    const { reference, ...content } = line;
    named.push({
      ...line,
      owner_msisdn: numbers.storeIfAny(line.owner_msisdn),
      operation_id: operationOf(digests, company, reference),
      request_digest: digestRequest(digests, 'bulk-line', content),
    });
  }
  return named;
}

const operationOf = (digests: OperationServices['digests'], company: Company, reference: string) =>
  digests.operation({ company, kind: 'bulk-line', key: reference });

/** The lines whose references have not generated a voucher yet. The other lines cost nothing. */
export async function newLines<Line extends { readonly ordered: OrderedLine }>(
  { database, digests }: Pick<OperationServices, 'database' | 'digests'>,
  company: Company,
  lines: readonly Line[],
): Promise<readonly Line[]> {
  const ids: string[] = [];
  for (const { ordered } of lines) {
    if (ids.length % LINES_AT_ONCE === 0) await yieldToOthers();
    ids.push(operationOf(digests, company, ordered.reference));
  }
  const before = await operationsWithVoucher(database, ids);
  return lines.filter((_, index) => !before.has(ids[index] ?? ''));
}

async function begin({ workflows, logger }: OperationServices, order: BulkOrder): Promise<void> {
  try {
    await workflows.beginBulkOrder({
      id: order.id,
      operationId: order.operation_id,
      partnerId: order.partner_id,
    });
  } catch (error) {
    logger.warn(
      { ...describeError(error), bulkOrderId: order.id },
      'Could not start a bulk order; the next expiry run starts it',
    );
  }
}
