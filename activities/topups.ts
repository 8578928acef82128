import { addTransfers } from '../src/db/ledger/ledger.js';
import {
  beginRecorded,
  refuseOperation,
  settledOutcome,
  settleOperation,
} from '../src/db/operations/operations.js';
import type { TopupStatus } from '../src/db/schema/all-tables.js';
import {
  endAttempt,
  findAttempt,
  markTopupUnknown,
  topupStatus,
} from '../src/db/topups/topup-attempts.js';
import { closeRetry, dropRequest, RETRY_KIND } from '../src/db/topups/topup-requests.js';
import { lockTopup } from '../src/db/topups/topups.js';
import { type Refusal, refuse } from '../src/domain/errors.js';
import { formatAmount, parseMoney } from '../src/domain/money.js';
import type { AirtimeOrder } from '../src/providers/airtime/airtime.js';
import type { ProviderInquiry, ProviderOutcome } from '../src/providers/outcome.js';
import type { OperationOutcome, TopUpCommand, TopUpMade } from '../workflows/messages.js';
import type { Named } from '../workflows/named-results.js';
import type { ActivityDependencies } from './dependencies.js';
import { sendValue, withHeartbeat } from './provider-call.js';

export function createTopupActivities(dependencies: ActivityDependencies) {
  const { database, airtime, limits, failpoint } = dependencies;

  /** Sends a held attempt; the reference is the same at every repetition. */
  async function sendTopUp(operationId: string, call = 0): Promise<Named<ProviderOutcome>> {
    const attempt = await findAttempt(database, operationId);
    const order = orderOf(attempt);
    await failpoint(`${subjectOf(attempt)}-sending`);
    const outcome = await sendValue(() => airtime.send(order));
    await failpoint(`${subjectOf(attempt)}-sent`);
    return { ...outcome, of: { operationId, call } };
  }

  /** Asks the provider by our own reference what became of the attempt. */
  async function inquireTopUp(operationId: string, call = 0): Promise<Named<ProviderInquiry>> {
    const order = orderOf(await findAttempt(database, operationId));
    const found = await withHeartbeat(() => airtime.findOrder(order));
    return { ...found, of: { operationId, call } };
  }

  /** Nobody knows what became of the attempt; the hold stays. */
  async function markTopUpUnknown(operationId: string, message: string): Promise<void> {
    const { topup_id } = await findAttempt(database, operationId);
    await markTopupUnknown(database, topup_id, message);
  }

  /** Where a top-up stands by the database, which other processes change, too. */
  const readTopUpStatus = (topupId: number): Promise<TopupStatus> => topupStatus(database, topupId);

  /** The second phase after delivery: airtime-hold → airtime clearing. */
  const postTopUp = (
    operationId: string,
    delivery: {
      readonly providerReference: string;
      readonly message: string;
      /** The provider took it back in the meantime: that is booked next. */
      readonly isReversed?: boolean;
    },
  ): Promise<OperationOutcome<TopUpMade>> =>
    end(operationId, { status: 'SUCCESS', isReversed: false, ...delivery });

  /** The second phase after a definite failure: airtime-hold → airtime, at once. */
  const voidTopUp = (operationId: string, message: string): Promise<OperationOutcome<TopUpMade>> =>
    end(operationId, { status: 'FAILED', providerReference: null, message, isReversed: false });

  async function end(
    operationId: string,
    ending:
      | {
          readonly status: 'SUCCESS';
          readonly providerReference: string;
          readonly message: string;
          readonly isReversed: boolean;
        }
      | {
          readonly status: 'FAILED';
          readonly providerReference: null;
          readonly message: string;
          readonly isReversed: false;
        },
  ): Promise<OperationOutcome<TopUpMade>> {
    const { topup_id, ...found } = await findAttempt(database, operationId);
    const subject = subjectOf(found);
    const outcome = await database.transaction().execute(async (transaction) => {
      await lockTopup(transaction, { id: topup_id, operationId });
      const attempt = await findAttempt(transaction, operationId);
      const identity = { operationId, topupId: topup_id };
      if (!(await endAttempt(transaction, identity, ending, limits.reversalWatchSeconds)))
        return settledOutcome<TopUpMade>(transaction, operationId);
      const delivered = ending.status === 'SUCCESS';
      await addTransfers(transaction, [
        {
          operationId,
          partnerId: attempt.partner_id,
          step: delivered ? 'post' : 'void',
          debit: 'airtime-hold',
          credit: delivered ? 'airtime-clearing' : 'airtime',
          amount: parseMoney(attempt.amount ?? '0'),
        },
      ]);
      await failpoint(`${subject}-ended`);
      if (ending.status === 'SUCCESS') {
        return settleOperation<TopUpMade>(transaction, operationId, 'SUCCEEDED', {
          ok: true,
          transactionId: topup_id,
          referenceNumber: ending.providerReference,
        });
      }
      const refusal = refuse('topup-failed', {
        detail: ending.message,
        transactionId: topup_id,
      });
      return settleOperation<TopUpMade>(transaction, operationId, 'FAILED', refusal);
    });
    await failpoint(`${subject}-end-committed`);
    return outcome;
  }

  /** Keeps the answer of an attempt for a request that joined it, so that its repetition gets it too. */
  const recordSharedAnswer = (
    command: TopUpCommand,
    result: TopUpMade | Refusal,
  ): Promise<OperationOutcome<TopUpMade>> =>
    database.transaction().execute(async (transaction) => {
      const { operationId } = command;
      const begun = await beginRecorded<TopUpMade>(transaction, command, RETRY_KIND);
      if (begun.kind === 'answered') return begun.outcome;
      if (!result.ok && result.reason !== 'topup-failed') {
        await dropRequest(transaction, operationId);
        return refuseOperation<TopUpMade>(transaction, command, result);
      }
      await closeRetry(transaction, operationId);
      const status = result.ok ? 'SUCCEEDED' : 'FAILED';
      return settleOperation<TopUpMade>(transaction, operationId, status, result);
    });

  return {
    sendTopUp,
    inquireTopUp,
    markTopUpUnknown,
    readTopUpStatus,
    postTopUp,
    voidTopUp,
    recordSharedAnswer,
  };
}

type FoundAttempt = Awaited<ReturnType<typeof findAttempt>>;

/** Whose failpoints an attempt comes by. */
const subjectOf = ({ attempt }: Pick<FoundAttempt, 'attempt'>): 'topup' | 'retry' =>
  attempt === 1 ? 'topup' : 'retry';

/** What the provider is told of an attempt, and what its answers are held against. */
export function orderOf(attempt: FoundAttempt): AirtimeOrder {
  const { reference, msisdn, operator, amount, provider_product_id } = attempt;
  if (attempt.kind === 'PACKAGE') {
    if (provider_product_id === null) throw new Error('The package has no provider product');
    return {
      reference,
      msisdn,
      product: { kind: 'package', providerProductId: provider_product_id },
    };
  }
  if (operator === null || amount === null) throw new Error('The attempt was never held');
  return {
    reference,
    msisdn,
    product: { kind: 'airtime', operator, amount: formatAmount(parseMoney(amount)) },
  };
}
