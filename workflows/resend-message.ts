import { CancellationScope } from '@temporalio/workflow';
import type { MessageOutcome } from '../activities/messages.ts';
import type { OperationOutcome } from '../src/domain/refusals.ts';
import { database } from './activity-options.ts';
import type { MessageResent, ResendMessageCommand } from './contracts.ts';
import { showAnswer } from './current-details.ts';
import { tellCaller } from './steps/answers.ts';
import { sendUntilSettled } from './steps/messages.ts';
import { byProvider, failoverParagraph } from './steps/waiting.ts';

/**
 * Sends the message that a voucher's owner may miss once more: a new message, because a text message
 * itself is sent at most once. A cancellation in the UI has no effect.
 */
export function resendMessage(
  command: ResendMessageCommand,
): Promise<OperationOutcome<MessageResent>> {
  return CancellationScope.nonCancellable(async () => {
    const queued = await database.queueResend(command);
    if (queued.kind === 'answered') return shown(command, queued.outcome);
    const sent = await sendUntilSettled(queued.messageId, 'Send the message again');
    return shown(command, await database.settleResend(command, queued, sent), sent);
  });
}

function shown(
  { voucherId }: ResendMessageCommand,
  outcome: OperationOutcome<MessageResent>,
  sent?: MessageOutcome,
): OperationOutcome<MessageResent> {
  tellCaller(outcome);
  const what = `the message of voucher ${voucherId}`;
  showAnswer(`sending ${what} again`, outcome.result, ({ kind, sending }) => [
    `**${sending === 'unknown' ? 'Sent again, without an answer of the provider' : 'Sent again'}**: ${kind === 'VERIFICATION_CODE' ? 'the code' : 'the confirmation'} of voucher ${voucherId}${byProvider(sent?.asked)}.`,
    ...failoverParagraph(sent?.asked),
    'No money has moved. No action is needed.',
  ]);
  return outcome;
}
