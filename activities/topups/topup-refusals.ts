import type { Database, DatabaseTransaction } from '../../src/db/connection.ts';
import {
  beginRecorded,
  outcomeFor,
  refuseOperation,
  settleOperation,
} from '../../src/db/operations/operations.ts';
import { RETRY_KIND } from '../../src/db/topups/retry-requests.ts';
import { dropRequest, TOPUP_KIND } from '../../src/db/topups/topup-requests.ts';
import { failUnbegunTopup, type LockedTopup, lockTopup } from '../../src/db/topups/topups.ts';
import { messageOf, type Refusal, refuse } from '../../src/domain/refusals.ts';
import type {
  OperationOutcome,
  RetryCommand,
  TopUpCommand,
  TopUpMade,
} from '../../workflows/contracts.ts';

/** The command as a retry; undefined for a new top-up. */
export const retryOf = (command: TopUpCommand | RetryCommand): RetryCommand | undefined =>
  'attempt' in command ? command : undefined;

/** The operation kind of a command. */
export const kindOf = (command: TopUpCommand | RetryCommand): string =>
  retryOf(command) ? RETRY_KIND : TOPUP_KIND;

/**
 * The top-up of a command; that of a new one belongs to its operation, regardless of the number.
 */
export const lockTopupOf = (
  transaction: DatabaseTransaction,
  command: TopUpCommand | RetryCommand,
) =>
  lockTopup(transaction, {
    operationId: command.operationId,
    id: retryOf(command)?.transactionId,
  });

/**
 * Whether the calling workflow has a withdrawn number, so that another workflow carries the request
 * out.
 */
export const isStranger = (topup: LockedTopup, command: TopUpCommand | RetryCommand): boolean =>
  topup.id !== command.transactionId;

/**
 * Refuses a top-up or a retry before any hold. This discards the number of a new top-up, unless a
 * caller got it: then the top-up fails with the reason of the refusal.
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

/**
 * Refuses after the transaction of a hold was rolled back; rethrows if an earlier attempt holds
 * money.
 */
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

/** A retry must be of the failed attempt, and no earlier one may have been delivered. */
export function refuseByState(topup: LockedTopup, retry: RetryCommand): Refusal | undefined {
  if (topup.status !== 'FAILED' || topup.attempt !== retry.attempt - 1)
    return refuse('topup-not-failed', { detail: `it is ${topup.status}` });
  return topup.is_blocked
    ? refuse('topup-not-failed', { detail: 'it may have been delivered after all; ask support' })
    : undefined;
}
