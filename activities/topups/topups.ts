import { type DatabaseTransaction, sendTogether } from '../../src/db/connection.ts';
import {
  beginRecorded,
  refuseOperation,
  settledOutcome,
  settleOperation,
} from '../../src/db/operations.ts';
import { endOrder, referenceOf } from '../../src/db/positions/book.ts';
import { readLockedOrder } from '../../src/db/positions/orders.ts';
import {
  findAttempt,
  lockAttempt,
  markAttemptUnknown,
  topupNow,
} from '../../src/db/topups/attempts.ts';
import { closeRetry, dropRequest, RETRY_KIND } from '../../src/db/topups/requests.ts';
import type { Ending } from '../../src/domain/providers.ts';
import {
  type AnsweredOperation,
  answered,
  type OperationOutcome,
  type Refusal,
  refuse,
} from '../../src/domain/refusals.ts';
import type { RetryCommand, TopupCommand, TopupMade } from '../../workflows/contracts.ts';
import { refusalAfterSpending } from '../budgets.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { holdAttempt, refuseAfterError, subjectOfCommand, type TopupHeld } from './topup-holds.ts';
import { subjectOf, type TopupOperation } from './topup-orders.ts';

export function createTopupActivities(dependencies: ActivityDependencies) {
  const { database, failpoint } = dependencies;

  /**
   * The first phase of an attempt: airtime → airtime-hold and the attempt's row, in one
   * transaction. Only a PENDING top-up is begun and only a FAILED one retried, each attempt once.
   * Idempotent by operation.
   */
  async function holdTopup(
    command: TopupCommand | RetryCommand,
  ): Promise<TopupHeld | AnsweredOperation<TopupMade>> {
    const subject = subjectOfCommand(command);
    try {
      const held = await database
        .transaction()
        .execute((transaction) => holdAttempt(transaction, command, dependencies));
      await failpoint(`${subject}-hold-committed`);
      return held;
    } catch (error) {
      // A concurrent top-up took the money, or a daily limit; the transaction rolled back.
      const refusal = await refusalAfterSpending(database, command.company, error);
      return answered(await refuseAfterError(database, command, refusal, error));
    }
  }

  /** The outcome of the attempt is unknown; the hold stays. */
  async function markTopupUnknown(operationId: string, message: string): Promise<void> {
    // Fails where a restore has taken the rows back.
    await findAttempt(database, operationId);
    await markAttemptUnknown(database, operationId, message);
  }

  /** A top-up as it is in the database, which other processes change as well. */
  const readTopup = (topupId: number) => topupNow(database, topupId);

  /** The second phase: airtime-hold → airtime clearing after delivery, airtime-hold → airtime after a definite failure. */
  async function endTopup(
    operationId: string,
    ending: Ending,
  ): Promise<OperationOutcome<TopupMade>> {
    const { subject, outcome } = await database
      .transaction()
      .execute((transaction) => endHold(transaction, operationId, ending, dependencies));
    await failpoint(`${subject}-end-committed`);
    return outcome;
  }

  /** Stores the answer of an attempt for a request that joined it, for its repetitions. */
  const recordSharedAnswer = (
    command: TopupCommand,
    result: TopupMade | Refusal,
  ): Promise<OperationOutcome<TopupMade>> =>
    database.transaction().execute((transaction) => settleShared(transaction, command, result));

  return {
    holdTopup,
    markTopupUnknown,
    readTopup,
    endTopup,
    recordSharedAnswer,
  };
}

/** Ends a hold by what the provider said, and settles its operation; a completed one keeps its first answer. */
async function endHold(
  transaction: DatabaseTransaction,
  operationId: string,
  ending: Ending,
  { settings, failpoint }: ActivityDependencies,
): Promise<{ readonly subject: TopupOperation; readonly outcome: OperationOutcome<TopupMade> }> {
  const [attempt, held] = await sendTogether(transaction, (together) => [
    lockAttempt(together, operationId),
    readLockedOrder(together, operationId, 'top-up'),
  ]);
  const { topup_id: transactionId } = attempt;
  const subject = subjectOf(attempt);
  if (held.status !== 'HELD')
    return { subject, outcome: await settledOutcome(transaction, operationId) };
  const order = await endOrder(transaction, held, ending, settings.topups);
  await failpoint(`${subject}-ended`);
  const settle = (status: 'SUCCEEDED' | 'FAILED', result: TopupMade | Refusal) =>
    settleOperation(transaction, operationId, status, result);
  const outcome = order.position.order.isCharged
    ? await settle('SUCCEEDED', { ok: true, transactionId, referenceNumber: referenceOf(order) })
    : await settle(
        'FAILED',
        refuse('topup-failed', {
          detail: ending.kind === 'done' ? '' : ending.message,
          transactionId,
        }),
      );
  return { subject, outcome };
}

/** Settles the operation of a request that joined an attempt with the attempt's result. */
async function settleShared(
  transaction: DatabaseTransaction,
  command: TopupCommand,
  result: TopupMade | Refusal,
): Promise<OperationOutcome<TopupMade>> {
  const { operationId } = command;
  const begun = await beginRecorded<TopupMade>(transaction, command, RETRY_KIND);
  if (begun.kind === 'answered') return begun.outcome;
  if (!result.ok && result.reason !== 'topup-failed') {
    await dropRequest(transaction, operationId);
    return refuseOperation(transaction, command, result);
  }
  await closeRetry(transaction, operationId);
  const status = result.ok ? 'SUCCEEDED' : 'FAILED';
  return settleOperation(transaction, operationId, status, result);
}
