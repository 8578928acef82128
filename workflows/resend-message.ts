import { CancellationScope } from '@temporalio/workflow';
import { database } from './activity-options.js';
import type { MessageResent, OperationOutcome, ResendMessageCommand } from './contracts.js';
import { sendUntilSettled } from './send-message.js';

/**
 * Sends the message that a voucher's owner may miss once more: a new message, because a text message
 * itself is sent at most once. A cancellation in the UI has no effect.
 */
export function resendMessage(
  command: ResendMessageCommand,
): Promise<OperationOutcome<MessageResent>> {
  return CancellationScope.nonCancellable(async () => {
    const queued = await database.queueResend(command);
    if (queued.kind === 'answered') return queued.outcome;
    const sent = await sendUntilSettled(queued.messageId, 'Send the message again');
    return database.settleResend(command, queued, sent);
  });
}
