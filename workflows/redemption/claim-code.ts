import { condition, getExternalWorkflowHandle } from '@temporalio/workflow';
import type { ClaimStarted } from '../../activities/claim-creation.js';
import type { MessageOutcome } from '../../activities/message-outcome.js';
import { refuse } from '../../src/domain/errors.js';
import {
  type ClaimCommand,
  type ClaimMade,
  type OperationOutcome,
  superseded,
} from '../messages.js';
import { sendUntilSettled } from '../send-message.js';
import { redeemVoucherByClaimId } from '../workflow-ids.js';
import { type RedemptionRun, showProgress } from './redemption-run.js';

/** Sends the code of a claim. The answer waits for the provider's result, within a limit. */
export async function sendCode(
  run: RedemptionRun,
  claim: ClaimStarted,
  command: ClaimCommand,
): Promise<void> {
  if (claim.supersededOperationId !== null)
    run.background.push(
      tellSuperseded(
        claim.supersededWorkflowId ?? redeemVoucherByClaimId(claim.supersededOperationId),
      ),
    );
  const sending = sendUntilSettled(claim.messageId, 'Send the code by SMS').then((sent) => {
    run.codeMessage = sent;
    if (run.ended === undefined) showProgress(run);
  });
  const answeredInTime = await condition(
    () => run.codeMessage !== undefined,
    run.timing.messageWaitMs,
    { summary: 'How long the answer waits for the SMS provider' },
  );
  if (answeredInTime) {
    run.claimOutcome = await settleClaim(run, command, claim.claimId, run.codeMessage);
    return;
  }
  // Unknown: the claim stands, and a later refusal ends it.
  run.claimOutcome = await run.database.confirmClaim(command);
  run.background.push(
    sending.then(() => settleClaim(run, command, claim.claimId, run.codeMessage)),
  );
}

function settleClaim(
  run: RedemptionRun,
  command: ClaimCommand,
  claimId: string,
  message: MessageOutcome | undefined,
): Promise<OperationOutcome<ClaimMade>> {
  if (message?.kind !== 'refused' && message?.kind !== 'not-sent')
    return run.database.confirmClaim(command);
  run.ended ??= 'cancelled';
  run.refusal = refuse('message-not-queued', { detail: message.message });
  return run.database.cancelClaim(command, claimId, message.message);
}

async function tellSuperseded(workflowId: string): Promise<void> {
  try {
    await getExternalWorkflowHandle(workflowId).signal(superseded);
  } catch {
    // The workflow has already ended, so the signal is not needed.
  }
}

/** Waits until a claim is redeemed, ended otherwise, or expired. */
export async function claimIsOver(run: RedemptionRun, claimId: string): Promise<void> {
  let remainingMs: number = run.timing.claimLifetimeMs;
  const isOver = () => run.ended !== undefined;
  while (!(await condition(isOver, remainingMs, { summary: 'Until the claim expires' }))) {
    await condition(() => run.redemptions.size === 0);
    if (isOver()) return;
    ({ remainingMs } = await run.database.expireClaim(claimId));
    if (remainingMs === 0) run.ended ??= 'expired';
  }
}
