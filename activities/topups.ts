import { type DatabaseTransaction, violates } from '../src/db/connection.js';
import { addTransfers, balanceConstraint } from '../src/db/ledger/ledger.js';
import {
  beginRecorded,
  refuseOperation,
  settledOutcome,
  settleOperation,
} from '../src/db/operations/operations.js';
import type { TopupStatus } from '../src/db/schema/all-tables.js';
import { closeRetry, RETRY_KIND } from '../src/db/topups/retry-requests.js';
import {
  endAttempt,
  findAttempt,
  markTopupUnknown,
  topupStatus,
} from '../src/db/topups/topup-attempts.js';
import { dropRequest } from '../src/db/topups/topup-requests.js';
import { lockTopup } from '../src/db/topups/topups.js';
import { type Refusal, refuse } from '../src/domain/errors.js';
import { parseMoney } from '../src/domain/money.js';
import type {
  OperationOutcome,
  RetryCommand,
  TopUpCommand,
  TopUpMade,
} from '../workflows/messages.js';
import { definiteRefusal } from './database-step.js';
import type { ActivityDependencies } from './dependencies.js';
import { holdOrAnswer, type TopUpAnswered, type TopUpHeld } from './topup-holds.js';
import { type FoundAttempt, subjectOf } from './topup-orders.js';
import { refuseAfterError, retryOf } from './topup-refusals.js';

export function createTopupActivities(dependencies: ActivityDependencies) {
  const { database, failpoint } = dependencies;

  /**
   * The first phase of an attempt: airtime → airtime-hold and the attempt's row, in one transaction.
   * Only a PENDING top-up is begun and only a FAILED one retried, and that attempt only once.
   * Repeated with the same operation it changes nothing.
   */
  async function holdTopUp(
    command: TopUpCommand | RetryCommand,
  ): Promise<TopUpHeld | TopUpAnswered> {
    const subject = retryOf(command) ? 'retry' : 'topup';
    try {
      const held = await database
        .transaction()
        .execute((transaction) => holdOrAnswer(transaction, { command, subject, dependencies }));
      await failpoint(`${subject}-hold-committed`);
      return held;
    } catch (error) {
      // Another top-up took the money in this moment; nothing of this one stays.
      const isShort = violates(error, balanceConstraint);
      const refusal = isShort ? refuse('money-insufficient') : definiteRefusal(error);
      const outcome = await refuseAfterError(database, command, refusal, error);
      return { kind: 'answered', outcome };
    }
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
    ending: TopUpEnding,
  ): Promise<OperationOutcome<TopUpMade>> {
    const attempt = await findAttempt(database, operationId);
    const outcome = await database
      .transaction()
      .execute((transaction) =>
        endTopUp(transaction, { operationId, attempt, ending, dependencies }),
      );
    await failpoint(`${subjectOf(attempt)}-end-committed`);
    return outcome;
  }

  /** Keeps the answer of an attempt for a request that joined it, so that its repetition gets it too. */
  const recordSharedAnswer = (
    command: TopUpCommand,
    result: TopUpMade | Refusal,
  ): Promise<OperationOutcome<TopUpMade>> =>
    database.transaction().execute((transaction) => settleShared(transaction, command, result));

  return {
    holdTopUp,
    markTopUpUnknown,
    readTopUpStatus,
    postTopUp,
    voidTopUp,
    recordSharedAnswer,
  };
}

/** How an attempt on hold ended. */
type TopUpEnding =
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
    };

interface EndedTopUp {
  readonly operationId: string;
  /** Read before its top-up is locked: while it is on hold nothing of this changes. */
  readonly attempt: Pick<FoundAttempt, 'topup_id' | 'attempt' | 'partner_id' | 'amount'>;
  readonly ending: TopUpEnding;
  readonly dependencies: ActivityDependencies;
}

/** Posts or voids a hold and settles its operation; one that has ended keeps its first answer. */
async function endTopUp(
  transaction: DatabaseTransaction,
  { operationId, attempt, ending, dependencies }: EndedTopUp,
): Promise<OperationOutcome<TopUpMade>> {
  const { limits, failpoint } = dependencies;
  const { topup_id: topupId } = attempt;
  await lockTopup(transaction, { id: topupId, operationId });
  const identity = { operationId, topupId };
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
  await failpoint(`${subjectOf(attempt)}-ended`);
  if (delivered) {
    return settleOperation<TopUpMade>(transaction, operationId, 'SUCCEEDED', {
      ok: true,
      transactionId: topupId,
      referenceNumber: ending.providerReference,
    });
  }
  const refusal = refuse('topup-failed', { detail: ending.message, transactionId: topupId });
  return settleOperation<TopUpMade>(transaction, operationId, 'FAILED', refusal);
}

/** Settles the operation of a request that joined an attempt with the attempt's own result. */
async function settleShared(
  transaction: DatabaseTransaction,
  command: TopUpCommand,
  result: TopUpMade | Refusal,
): Promise<OperationOutcome<TopUpMade>> {
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
}
