import { condition, workflowInfo } from '@temporalio/workflow';
import type { MessageOutcome } from '../../activities/messages.ts';
import type { ClaimSettled, ClaimStarted } from '../../activities/redemptions/claims.ts';
import {
  type AnsweredOperation,
  type OperationOutcome,
  refuse,
} from '../../src/domain/refusals.ts';
import { type ClaimCommand, type ClaimMade, superseded } from '../contracts.ts';
import { sendUntilSettled, signalIfRunning } from '../steps/messages.ts';
import { type RedemptionRun, showProgress } from './redeem-once.ts';

/** Makes the claim; the step also sends its code, where that takes no longer than its limit. */
export const claimVoucher = (
  { database, timing }: RedemptionRun,
  command: ClaimCommand,
): Promise<ClaimSettled | ClaimStarted | AnsweredOperation<ClaimMade>> =>
  database.claimAndSend(command, {
    claimLifetimeMs: timing.claimLifetimeMs,
    workflowId: workflowInfo().workflowId,
    sendingMs: timing.sendingStepMs,
  });

/** Sends the code of a claim. The answer waits for the provider's result, within a limit. */
export async function sendCode(
  run: RedemptionRun,
  claim: ClaimSettled | ClaimStarted,
  command: ClaimCommand,
): Promise<void> {
  if (claim.supersededWorkflowId !== null)
    run.background.push(signalIfRunning(claim.supersededWorkflowId, superseded));
  if ('outcome' in claim) {
    run.codeMessage = claim.message;
    if (claim.message.kind === 'refused') noteNotSent(run, claim.message);
    run.claimOutcome = claim.outcome;
    if (run.ended === undefined) showProgress(run);
    return;
  }
  const sending = sendUntilSettled(claim.messageId, 'Send the code by SMS').then((sent) => {
    run.codeMessage = sent;
    if (run.ended === undefined) showProgress(run);
    return sent;
  });
  const answeredInTime = await condition(
    () => run.codeMessage !== undefined,
    Math.max(1, run.timing.messageWaitMs - run.timing.sendingStepMs),
    { summary: 'How long the answer waits for the SMS provider' },
  );
  if (answeredInTime) {
    run.claimOutcome = await settleClaim(run, command, claim.claimId, await sending);
    return;
  }
  // Unknown: the claim stands, and a later refusal ends it.
  run.claimOutcome = await run.database.confirmClaim(command, 'unknown');
  run.background.push(sending.then((sent) => settleClaim(run, command, claim.claimId, sent)));
}

function settleClaim(
  run: RedemptionRun,
  command: ClaimCommand,
  claimId: string,
  message: MessageOutcome,
): Promise<OperationOutcome<ClaimMade>> {
  if (message.kind !== 'refused' && message.kind !== 'not-sent')
    return run.database.confirmClaim(command, message.kind);
  noteNotSent(run, message);
  return run.database.cancelClaim(command, claimId, message.message);
}

/** Ends a claim whose code will not reach the owner. */
function noteNotSent(run: RedemptionRun, { message: detail }: { readonly message: string }): void {
  run.ended ??= 'cancelled';
  run.refusal = refuse('message-not-queued', { detail });
}

/** Waits until a claim is redeemed or ended otherwise, and expires it when its time is over. */
export async function awaitEndOfClaim(
  run: RedemptionRun,
  { claimId, expiresAt }: ClaimStarted,
): Promise<void> {
  let remainingMs = Math.max(1, Date.parse(expiresAt) - Date.now());
  const isOver = () => run.ended !== undefined;
  // The SDK records a patch for a condition that waits 0 ms. A replay may give the result of a step one workflow
  // task earlier, where it does not expect the patch.
  while (remainingMs > 0) {
    if (await condition(isOver, remainingMs, { summary: 'Until the claim expires' })) return;
    await condition(() => run.redemptions.size === 0);
    if (isOver()) return;
    ({ remainingMs } = await run.database.expireClaim(claimId));
  }
  run.ended ??= 'expired';
}
