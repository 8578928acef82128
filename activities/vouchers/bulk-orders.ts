import {
  type DatabaseTransaction,
  isDefiniteDatabaseError,
  violates,
} from '../../src/db/connection.ts';
import { type StoredOperation, storedOutcome } from '../../src/db/operations.ts';
import {
  type BulkLine,
  type BulkOrder,
  cancelBulkLines,
  countBulkLines,
  lockBulkOrder,
  partnerOfBulkOrder,
  pendingBulkLines,
  type SettledLine,
  settleBulkLines,
} from '../../src/db/vouchers/bulk-orders.ts';
import { type GenerationRequest, insertVouchers } from '../../src/db/vouchers/generation.ts';
import { type NumberBox, refuseCountry } from '../../src/domain/phone.ts';
import { type Refusal, refuse } from '../../src/domain/refusals.ts';
import type { Caller } from '../../src/domain/vouchers/voucher.ts';
import type { GeneratedVoucher, GenerateVoucherCommand } from '../../workflows/contracts.ts';
import { refusalAfterSpending, withinNumberLimit } from '../budgets.ts';
import { RefusedError } from '../database-step.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { createGroups } from '../groups.ts';
import { withHeartbeat } from '../provider-call.ts';
import { generationRequest, refusalOfGeneration } from './vouchers.ts';

/** Vouchers of one transaction: it keeps the partner's wallet locked. */
const LINES_PER_TRANSACTION = 20;
const CANCELLED_PER_TRANSACTION = 500;

/** Time limit of a step; the workflow repeats it for the rest. */
const STEP_MS = 15_000;

/** The progress of a bulk order. */
type BulkProgress = Pick<BulkOrder, 'lines' | 'generated' | 'refused' | 'cancelled'> & {
  readonly isEnded: boolean;
};

/** The next lines of an order, at most `size`. */
interface Batch {
  readonly id: number;
  readonly size: number;
}

interface SettledBatch {
  readonly order: BulkOrder;
  readonly nextSize: number;
}

export function createBulkOrderActivities(dependencies: ActivityDependencies) {
  const { database, failpoint } = dependencies;

  /**
   * Generates the vouchers of an order, batch by batch, until it has ended or the time of the step
   * is up. Lines that an earlier run committed stay: a line is settled in the transaction of its
   * voucher.
   */
  const generateBulkLines = (bulkOrderId: number): Promise<BulkProgress> =>
    withHeartbeat(async () => {
      const endsAt = Date.now() + STEP_MS;
      const partnerId = await partnerOfBulkOrder(database, bulkOrderId);
      for (let size = LINES_PER_TRANSACTION; ; ) {
        const settled = await settleInTurn(String(partnerId), { id: bulkOrderId, size });
        size = settled.nextSize;
        const progress = progressOf(settled.order);
        if (progress.isEnded || Date.now() > endsAt) return progress;
      }
    });

  /** One batch of a partner at a time: concurrent batches would wait for its wallet, each with a connection. */
  const settleInTurn = createGroups<Batch, SettledBatch>({
    maximum: 1,
    carryOut: (batches) => Promise.allSettled(batches.map(settleBatch)),
  });

  /**
   * A line that the database refuses rolls back its batch, and must not stop the others. So the next line is settled
   * alone, and the batches after it grow while nothing is refused.
   */
  async function settleBatch({ id, size }: Batch): Promise<SettledBatch> {
    const [next] = size === 1 ? await pendingBulkLines(database, id, 1) : [];
    try {
      const order = await settleLines(id, size);
      return { order, nextSize: Math.min(2 * size, LINES_PER_TRANSACTION) };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (size > 1) return settleBatch({ id, size: 1 });
      // A concurrent order generated the voucher of this reference: the next look sees it.
      const isGenerated = next === undefined || violates(error, 'vouchers_operation_id_key');
      const refused = isGenerated ? undefined : { line: next.line, error };
      return { order: await settleLines(id, 1, refused), nextSize: 1 };
    }
  }

  /** Settles the next lines. A refusal stays with its line: another run may have settled it meanwhile. */
  const settleLines = (
    id: number,
    limit: number,
    refused?: { readonly line: number; readonly error: unknown },
  ): Promise<BulkOrder> =>
    database.transaction().execute(async (transaction) => {
      const order = await lockBulkOrder(transaction, id);
      if (order.ended_at) return order;
      if (order.cancel_requested_at) {
        const CANCELLED = await cancelBulkLines(transaction, id, CANCELLED_PER_TRANSACTION);
        return countBulkLines(transaction, id, { CANCELLED });
      }
      await failpoint('bulk-begun');
      const lines = await pendingBulkLines(transaction, id, limit);
      const settled =
        refused !== undefined && lines[0]?.line === refused.line
          ? [
              {
                line: refused.line,
                refusal: await refusalAfterSpending(database, callerOf(order), refused.error),
              },
            ]
          : await generateLines(dependencies, transaction, { order, lines });
      await settleBulkLines(transaction, id, settled);
      const REFUSED = settled.filter((line) => 'refusal' in line).length;
      const counted = await countBulkLines(transaction, id, {
        GENERATED: settled.length - REFUSED,
        REFUSED,
      });
      await failpoint('bulk-settled');
      return counted;
    });

  return { generateBulkLines };
}

const isRefusal = (error: unknown): boolean =>
  error instanceof RefusedError || isDefiniteDatabaseError(error);

/** Generates the vouchers of lines in one statement, or finds those that their references generated before. */
async function generateLines(
  dependencies: ActivityDependencies,
  transaction: DatabaseTransaction,
  { order, lines }: { readonly order: BulkOrder; readonly lines: readonly BulkLine[] },
): Promise<SettledLine[]> {
  const { settings, numbers } = dependencies;
  const caller = callerOf(order);
  const settled: SettledLine[] = [];
  const asked: { readonly line: number; readonly request: GenerationRequest }[] = [];
  for (const row of lines) {
    const { line } = row;
    const refusal = refuseCountry(
      numbers.openIfAny(row.owner_msisdn),
      settings.market.servedCountries,
    );
    if (refusal) settled.push({ line, refusal });
    else
      asked.push({
        line,
        request: generationRequest(dependencies, commandOf(order, row, numbers)),
      });
  }
  const [first, ...others] = asked.map(({ request }) => request);
  const generations = first
    ? await withinNumberLimit(others.length === 0 ? first.numberCount : undefined, caller, () =>
        insertVouchers(transaction, [first, ...others]),
      )
    : [];
  for (const [index, { line, request }] of asked.entries()) {
    const generation = generations[index];
    if (!generation) throw new Error('The line has no result');
    const { voucherId, ...facts } = generation;
    if (voucherId !== null) settled.push({ line, voucherId });
    else if (facts.operation) settled.push({ line, ...earlierResult(request, facts.operation) });
    else settled.push({ line, refusal: await refusalOfGeneration(transaction, facts, caller) });
  }
  return settled;
}

/** The result of an earlier line or request with the same reference. */
function earlierResult(
  request: GenerationRequest,
  operation: StoredOperation,
): { readonly voucherId: number } | { readonly refusal: Refusal } {
  const { requestDigest, result } = storedOutcome<GeneratedVoucher>(operation);
  if (requestDigest !== request.requestDigest) return { refusal: keyReused };
  return result.ok ? { voucherId: result.voucherId } : { refusal: result };
}

/** The reference is the idempotency key of its line. */
const keyReused = refuse('key-reused', {
  detail: 'the reference was used for a voucher with other content',
});

/** The caller of an order's lines. A daily limit of its key is looked up with each line. */
const callerOf = (order: BulkOrder): Caller => ({
  kind: 'partner',
  id: order.partner_id,
  credential:
    order.portal_account_id === null
      ? {
          apiKeyId: order.api_key_id ?? 0,
          tokenVersion: order.token_version ?? 0,
          isLimited: true,
        }
      : { portalAccountId: order.portal_account_id },
});

const commandOf = (
  order: BulkOrder,
  line: BulkLine,
  numbers: NumberBox,
): GenerateVoucherCommand => ({
  operationId: line.operation_id,
  requestId: order.request_id,
  requestDigest: line.request_digest,
  company: callerOf(order),
  merchant:
    line.merchant_id === null
      ? { identifier: line.merchant_identifier ?? '' }
      : { id: line.merchant_id },
  denominationId: line.denomination_id,
  ownerMsisdn: numbers.openIfAny(line.owner_msisdn),
  isRestricted: line.is_restricted,
  sale: {
    exchangeRate: line.exchange_rate,
    currency: line.currency,
    originatingCountry: line.originating_country,
    foreignCurrencyAmount: line.foreign_currency_amount,
  },
});

const progressOf = ({ lines, generated, refused, cancelled, ended_at }: BulkOrder) => ({
  lines,
  generated,
  refused,
  cancelled,
  isEnded: ended_at !== null,
});
