import { heartbeat } from '@temporalio/activity';
import {
  type DatabaseTransaction,
  isDefiniteDatabaseError,
  violates,
} from '../../src/db/connection.ts';
import { balanceConstraint } from '../../src/db/ledger/ledger.ts';
import { dailyLimitConstraint, refusalByDailyLimits } from '../../src/db/limits/daily-limits.ts';
import { type StoredOperation, storedOutcome } from '../../src/db/operations.ts';
import {
  type BulkLine,
  type BulkOrder,
  cancelBulkLines,
  countBulkLines,
  lockBulkOrder,
  pendingBulkLines,
  type SettledLine,
  settleBulkLines,
} from '../../src/db/vouchers/bulk-orders.ts';
import { type GenerationRequest, insertVouchers } from '../../src/db/vouchers/generation.ts';
import { type NumberBox, refuseCountry } from '../../src/domain/phone.ts';
import { type Refusal, refuse } from '../../src/domain/refusals.ts';
import type { Caller } from '../../src/domain/vouchers/voucher.ts';
import type { GeneratedVoucher, GenerateVoucherCommand } from '../../workflows/contracts.ts';
import { withinNumberLimit } from '../budgets.ts';
import { definiteRefusal, RefusedError } from '../database-step.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { generationRequest, moneyInsufficient, refusalOfGeneration } from './vouchers.ts';

/** Vouchers of one transaction: it keeps the partner's wallet locked. */
const LINES_PER_TRANSACTION = 20;
const CANCELLED_PER_TRANSACTION = 500;

/** Time limit of a step; the workflow repeats it for the rest. */
const STEP_MS = 15_000;

/** How far an order is. */
export type BulkProgress = Pick<BulkOrder, 'lines' | 'generated' | 'refused' | 'cancelled'> & {
  readonly isEnded: boolean;
};

export function createBulkOrderActivities(dependencies: ActivityDependencies) {
  const { database, failpoint } = dependencies;

  /**
   * Generates the vouchers of an order, batch by batch, until it has ended or the time of the step
   * is up. Lines that an earlier run committed stay: a line is settled in the transaction of its
   * voucher.
   */
  async function generateBulkLines(bulkOrderId: number): Promise<BulkProgress> {
    for (const endsAt = Date.now() + STEP_MS; ; ) {
      const progress = progressOf(await settleBatch(bulkOrderId));
      heartbeat();
      if (progress.isEnded || Date.now() > endsAt) return progress;
    }
  }

  /** One line that the database refuses keeps none of the others from being generated. */
  async function settleBatch(id: number): Promise<BulkOrder> {
    try {
      return await settleLines(id, LINES_PER_TRANSACTION);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return settleNextLine(id);
    }
  }

  async function settleNextLine(id: number): Promise<BulkOrder> {
    const [next] = await pendingBulkLines(database, id, 1);
    try {
      return await settleLines(id, 1);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // A concurrent order generated the voucher of this reference: the next look sees it.
      if (next === undefined || violates(error, 'vouchers_operation_id_key'))
        return settleLines(id, 1);
      return settleLines(id, 1, { line: next.line, error });
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
          ? [{ line: refused.line, refusal: await refusalOfLine(order, refused.error) }]
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

  async function refusalOfLine(order: BulkOrder, error: unknown): Promise<Refusal> {
    if (error instanceof RefusedError) return error.refusal;
    if (violates(error, balanceConstraint)) return moneyInsufficient;
    if (violates(error, dailyLimitConstraint))
      return refusalByDailyLimits(database, callerOf(order));
    return definiteRefusal(error);
  }

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
    if (!generation) throw new Error('A line without a result');
    const { voucherId, ...facts } = generation;
    if (voucherId !== null) settled.push({ line, voucherId });
    else if (facts.operation) settled.push({ line, ...earlierResult(request, facts.operation) });
    else settled.push({ line, refusal: await refusalOfGeneration(transaction, facts, caller) });
  }
  return settled;
}

/** What the reference of a line generated before. */
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

/** Whether the key has a daily limit is looked up with each line. */
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
