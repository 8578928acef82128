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
   * The first phase of an attempt: airtime → airtime-hold and the attempt's row, in one
   * transaction. Only a PENDING top-up is begun and only a FAILED one retried, each attempt once.
   * Idempotent by operation.
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
      // A concurrent top-up took the money; the transaction rolled back.
      const isShort = violates(error, balanceConstraint);
      const refusal = isShort ? refuse('money-insufficient') : definiteRefusal(error);
      const outcome = await refuseAfterError(database, command, refusal, error);
      return { kind: 'answered', outcome };
    }
  }

  /** The outcome of the attempt is unknown; the hold stays. */
  async function markTopUpUnknown(operationId: string, message: string): Promise<void> {
    const { topup_id } = await findAttempt(database, operationId);
    await markTopupUnknown(database, topup_id, message);
  }

  /** The status of a top-up in the database, which other processes change as well. */
  const readTopUpStatus = (topupId: number): Promise<TopupStatus> => topupStatus(database, topupId);

  /** The second phase after delivery: airtime-hold → airtime clearing. */
  const postTopUp = (
    operationId: string,
    delivery: {
      readonly providerReference: string;
      readonly message: string;
      /** The provider reversed it in the meantime; the reversal is booked next. */
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

  /** Stores the answer of an attempt for a request that joined it, for its repetitions. */
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

/** The outcome of a held attempt. */
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
  /** Read before the lock of the top-up: during a hold these columns do not change. */
  readonly attempt: Pick<FoundAttempt, 'topup_id' | 'attempt' | 'partner_id' | 'amount'>;
  readonly ending: TopUpEnding;
  readonly dependencies: ActivityDependencies;
}

/** Posts or voids a hold and settles its operation; a completed one keeps its first answer. */
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

/** Settles the operation of a request that joined an attempt with the attempt's result. */
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
