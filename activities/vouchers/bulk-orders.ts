import { heartbeat } from '@temporalio/activity';
import {
  type DatabaseTransaction,
  isDefiniteDatabaseError,
  violates,
} from '../../src/db/connection.ts';
import { balanceConstraint } from '../../src/db/ledger/ledger.ts';
import { dailyLimitConstraint, refusalByDailyLimits } from '../../src/db/limits/daily-limits.ts';
import { storedOutcome } from '../../src/db/operations.ts';
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
import { insertVouchers } from '../../src/db/vouchers/generation.ts';
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
  const generateLine = createLineGeneration(dependencies);

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
      if (!(error instanceof RefusedError || isDefiniteDatabaseError(error))) throw error;
      return settleNextLine(id);
    }
  }

  /** A refusal stays with its line: another run may have settled that one meanwhile. */
  async function settleNextLine(id: number): Promise<BulkOrder> {
    let failed: number | undefined;
    try {
      return await settleLines(id, 1, (transaction, order, line) => {
        failed = line.line;
        return generateLine(transaction, order, line);
      });
    } catch (error) {
      // A concurrent order generated the voucher of this reference: the next look sees it.
      if (violates(error, 'vouchers_operation_id_key')) return settleLines(id, 1);
      return settleLines(id, 1, async (transaction, order, line) =>
        line.line === failed
          ? { refusal: await refusalOfLine(order, error) }
          : generateLine(transaction, order, line),
      );
    }
  }

  async function refusalOfLine(order: BulkOrder, error: unknown): Promise<Refusal> {
    if (error instanceof RefusedError) return error.refusal;
    if (violates(error, balanceConstraint)) return moneyInsufficient;
    if (violates(error, dailyLimitConstraint))
      return refusalByDailyLimits(database, callerOf(order));
    return definiteRefusal(error);
  }

  const settleLines = (id: number, limit: number, settle = generateLine): Promise<BulkOrder> =>
    database.transaction().execute(async (transaction) => {
      const order = await lockBulkOrder(transaction, id);
      if (order.ended_at) return order;
      if (order.cancel_requested_at) {
        const CANCELLED = await cancelBulkLines(transaction, id, CANCELLED_PER_TRANSACTION);
        return countBulkLines(transaction, id, { CANCELLED });
      }
      await failpoint('bulk-begun');
      const settled: SettledLine[] = [];
      for (const line of await pendingBulkLines(transaction, id, limit))
        settled.push({ line: line.line, ...(await settle(transaction, order, line)) });
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

/** Generates the voucher of a line, or finds the voucher that its reference generated before. */
function createLineGeneration(dependencies: ActivityDependencies) {
  const { settings, numbers } = dependencies;
  return async function generateLine(
    transaction: DatabaseTransaction,
    order: BulkOrder,
    line: BulkLine,
  ): Promise<WithoutLine<SettledLine>> {
    const country = refuseCountry(
      numbers.openIfAny(line.owner_msisdn),
      settings.market.servedCountries,
    );
    if (country) return { refusal: country };
    const command = commandOf(order, line, numbers);
    const request = generationRequest(dependencies, command);
    const [generation] = await withinNumberLimit(request.numberCount, command.company, () =>
      insertVouchers(transaction, [request]),
    );
    if (!generation) throw new Error('A generation without a result');
    const { voucherId, ...facts } = generation;
    if (voucherId !== null) return { voucherId };
    if (facts.operation) {
      const { requestDigest, result } = storedOutcome<GeneratedVoucher>(facts.operation);
      if (requestDigest !== command.requestDigest) return { refusal: keyReused };
      return result.ok ? { voucherId: result.voucherId } : { refusal: result };
    }
    return { refusal: await refusalOfGeneration(transaction, facts, command.company) };
  };
}

/** The reference is the idempotency key of its line. */
const keyReused = refuse('key-reused', {
  detail: 'the reference was used for a voucher with other content',
});

type WithoutLine<Line> = Line extends unknown ? Omit<Line, 'line'> : never;

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
