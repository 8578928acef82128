import type { DatabaseTransaction } from '../../src/db/connection.ts';
import { giveBackCompanyMessage } from '../../src/db/limits/company-daily-counts.ts';
import {
  outcomeFor,
  refuseOperation,
  settleKnownOperation,
} from '../../src/db/operations/operations.ts';
import { claimExpiry, endClaim, releaseClaimedVoucher } from '../../src/db/vouchers/claims.ts';
import { giveUpMessage } from '../../src/db/vouchers/messages.ts';
import { lockVoucher } from '../../src/db/vouchers/vouchers.ts';
import { refuse } from '../../src/domain/refusals.ts';
import type { ClaimCommand, ClaimMade, OperationOutcome } from '../../workflows/contracts.ts';
import { refusalOf } from '../database-step.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import type { MessageOutcome } from '../messages/message-outcome.ts';
import type { MessageSender } from '../messages/messages.ts';
import {
  type ClaimAnswered,
  type ClaimRun,
  type ClaimStarted,
  createOrAnswer,
} from './claim-creation.ts';

/** A claim whose code was sent, or may have been, and its answer. */
export interface ClaimSettled extends ClaimStarted {
  readonly message: MessageOutcome;
  readonly outcome: OperationOutcome<ClaimMade>;
}

/** The outcome that decides about a claim; undefined where the message waits, or is to be tried again. */
function settled(
  sent: MessageOutcome | undefined,
): Exclude<MessageOutcome, { readonly kind: 'not-sent' }> | undefined {
  if (sent?.kind !== 'not-sent') return sent;
  return sent.isHopeless && { ...sent, kind: 'refused' };
}

export function createClaimActivities(dependencies: ActivityDependencies, sender: MessageSender) {
  const { database, failpoint } = dependencies;

  /**
   * Makes a claim, the voucher's live one from now on. One transaction stores its code's digest and
   * ciphertext and queues its message. Idempotent by operation.
   */
  async function createClaim(
    command: ClaimCommand,
    run: ClaimRun,
  ): Promise<ClaimStarted | ClaimAnswered> {
    try {
      const claim = await database
        .transaction()
        .execute((transaction) => createOrAnswer(transaction, { command, run, dependencies }));
      await failpoint('claim-committed');
      return claim;
    } catch (error) {
      const refusal = await refusalOf(database, command, error);
      return { kind: 'answered', outcome: outcomeFor(command, refusal) };
    }
  }

  /**
   * Answers a claim whose message was accepted or has an unknown outcome: the claim stands, and its answer
   * says which. An earlier attempt of this step, whose end Temporal has not seen, may have withdrawn it: then
   * it was refused.
   */
  async function confirmClaim(
    command: ClaimCommand,
    sent: 'accepted' | 'unknown',
  ): Promise<OperationOutcome<ClaimMade>> {
    const outcome = await settleKnownOperation<ClaimMade>(
      database,
      command.operationId,
      'SUCCEEDED',
      { ok: true, ...(sent === 'unknown' && { sending: sent }) },
    );
    await failpoint('claim-confirmed');
    return outcome ?? outcomeFor(command, refuse('message-not-queued'));
  }

  /**
   * Withdraws a claim whose message was refused; the voucher is ACTIVE again. A claim that was
   * already answered keeps its answer.
   */
  const cancelClaim = (
    command: ClaimCommand,
    claimId: string,
    detail: string,
  ): Promise<OperationOutcome<ClaimMade>> =>
    database.transaction().execute(async (transaction) => {
      await releaseClaimedVoucher(transaction, claimId);
      if (await endClaim(transaction, claimId, 'CANCELLED'))
        await giveBackCompanyMessage(transaction, claimId);
      // It ended while its message was being sent, which has since returned to the queue.
      else await giveUpMessage(transaction, claimId);
      const refusal = refuse('message-not-queued', { detail });
      return refuseOperation<ClaimMade>(transaction, command, refusal);
    });

  /**
   * Makes a claim, sends its code and settles its operation in one step of its workflow. A provider
   * that is slow, or did not take the message, keeps no other workflow waiting: the claim is returned
   * without an outcome, and a step of its own waits for the provider. Where nobody takes messages now,
   * the claim is withdrawn at once.
   */
  async function claimAndSend(
    command: ClaimCommand,
    { sendingMs, ...run }: ClaimRun & { readonly sendingMs: number },
  ): Promise<ClaimSettled | ClaimStarted | ClaimAnswered> {
    const claim = await createClaim(command, run);
    if (claim.kind === 'answered') return claim;
    const message = settled(await sender.sendWithin(claim.messageId, sendingMs));
    if (message === undefined) return claim;
    const outcome =
      message.kind === 'refused'
        ? await cancelClaim(command, claim.claimId, message.message)
        : await confirmClaim(command, message.kind);
    return { ...claim, message, outcome };
  }

  /**
   * Ends an expired claim by the database's clock; the voucher is ACTIVE again. Returns the
   * remaining time of an unexpired claim, and 0 for an ended one.
   */
  const expireClaim = (claimId: string): Promise<{ readonly remainingMs: number }> =>
    database.transaction().execute((transaction) => expireOrWait(transaction, claimId));

  return { claimAndSend, confirmClaim, cancelClaim, expireClaim };
}

async function expireOrWait(transaction: DatabaseTransaction, claimId: string) {
  const { voucher_id } = await claimExpiry(transaction, claimId);
  await lockVoucher(transaction, voucher_id);
  const claim = await claimExpiry(transaction, claimId);
  if (claim.status !== 'OPEN') return { remainingMs: 0 };
  // A redemption holds the voucher and decides about the claim.
  if (claim.voucher_status === 'REDEEM_PROCESSING') return { remainingMs: 1_000 };
  if (claim.remaining_ms > 0) return { remainingMs: claim.remaining_ms };
  await releaseClaimedVoucher(transaction, claimId);
  await endClaim(transaction, claimId, 'EXPIRED');
  return { remainingMs: 0 };
}
