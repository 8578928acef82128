import type { Database, DatabaseTransaction } from '../src/db/connection.js';
import {
  beginRecorded,
  outcomeFor,
  refuseOperation,
  settleOperation,
} from '../src/db/operations/operations.js';
import { RETRY_KIND } from '../src/db/topups/retry-requests.js';
import { dropRequest, TOPUP_KIND } from '../src/db/topups/topup-requests.js';
import { failUnbegunTopup, type LockedTopup, lockTopup } from '../src/db/topups/topups.js';
import { messageOf, type Refusal, refuse } from '../src/domain/errors.js';
import type {
  OperationOutcome,
  RetryCommand,
  TopUpCommand,
  TopUpMade,
} from '../workflows/messages.js';

/** A retry as such, undefined of a new top-up. */
export const retryOf = (command: TopUpCommand | RetryCommand): RetryCommand | undefined =>
  'attempt' in command ? command : undefined;

/** What the operation of a command is stored as. */
export const kindOf = (command: TopUpCommand | RetryCommand): string =>
  retryOf(command) ? RETRY_KIND : TOPUP_KIND;

/** The top-up of a command: a new one is its operation's, whatever number it was started with. */
export const lockTopupOf = (
  transaction: DatabaseTransaction,
  command: TopUpCommand | RetryCommand,
) =>
  lockTopup(transaction, {
    operationId: command.operationId,
    id: retryOf(command)?.transactionId,
  });

/**
 * Whether the workflow that asks is of a number that was withdrawn, so that another workflow carries
 * the request out. Top-ups from before workflows were named by numbers have one for all numbers.
 */
export const isStranger = (topup: LockedTopup, command: TopUpCommand | RetryCommand): boolean =>
  topup.workflow_id !== null && topup.id !== command.transactionId;

/**
 * Refuses a top-up or a retry of which nothing was held. The number of a new top-up goes with it, but
 * not one that a caller was told: that top-up has failed, for the reason of the refusal.
 */
export async function refuseTopup(
  transaction: DatabaseTransaction,
  command: TopUpCommand | RetryCommand,
  refusal: Refusal,
  told: { readonly topupId: number } | undefined,
): Promise<OperationOutcome<TopUpMade>> {
  if (retryOf(command) || !told) {
    await dropRequest(transaction, command.operationId);
    return refuseOperation<TopUpMade>(transaction, command, refusal);
  }
  const detail = messageOf(refusal.reason, refusal.detail);
  await failUnbegunTopup(transaction, told.topupId, detail);
  const failure = refuse('topup-failed', { detail, transactionId: told.topupId });
  return settleOperation<TopUpMade>(transaction, command.operationId, 'FAILED', failure);
}

/** The same after the transaction of a hold was rolled back; thrown on is what an earlier try held. */
export const refuseAfterError = (
  database: Database,
  command: TopUpCommand | RetryCommand,
  refusal: Refusal,
  error: unknown,
): Promise<OperationOutcome<TopUpMade>> =>
  database.transaction().execute(async (transaction) => {
    const begun = await beginRecorded<TopUpMade>(transaction, command, kindOf(command));
    if (begun.kind === 'answered') return begun.outcome;
    const topup = await lockTopupOf(transaction, command);
    if (topup && isStranger(topup, command)) return outcomeFor<TopUpMade>(command, refusal);
    if (topup?.has_begun) throw error;
    const isTold = begun.kind === 'resumed' && begun.isAccepted && topup;
    return refuseTopup(transaction, command, refusal, isTold ? { topupId: topup.id } : undefined);
  });

/** A retry must be of the failed attempt. */
export function refuseByState(topup: LockedTopup, retry: RetryCommand): Refusal | undefined {
  if (topup.is_contradicted)
    return refuse('topup-not-failed', { detail: 'it was delivered after all; ask support' });
  return topup.status === 'FAILED' && topup.attempt === retry.attempt - 1
    ? undefined
    : refuse('topup-not-failed', { detail: `it is ${topup.status}` });
}
