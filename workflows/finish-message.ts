import { CancellationScope } from '@temporalio/workflow';
import type { MessageOutcome } from '../activities/messages.ts';
import { quoted } from '../src/domain/refusals.ts';
import type { FinishMessageInput } from './contracts.ts';
import { showDetails } from './current-details.ts';
import { sendUntilSettled } from './steps/messages.ts';
import { byProvider, failoverParagraph } from './steps/waiting.ts';

/** The outcome of the message, for the Temporal UI. */
interface FinishMessageResult {
  readonly ended: MessageOutcome['kind'];
}

/**
 * Finishes an orphaned message, whose workflow was terminated or lost by Temporal. A message whose
 * sending was interrupted is recorded as unknown and never sent again. A message that was not sent stays
 * in the queue, and the next expiry run starts this workflow again. A cancellation in the UI has no effect.
 */
export function finishMessage(input: FinishMessageInput): Promise<FinishMessageResult> {
  return CancellationScope.nonCancellable(() => finish(input));
}

async function finish({ messageId }: FinishMessageInput): Promise<FinishMessageResult> {
  const outcome = await sendUntilSettled(messageId, 'Send the message that was left behind');
  showDetails(
    `**${titles[outcome.kind]}**: message ${messageId}${byProvider(outcome.asked)}.${reasonOf(outcome)}`,
    ...failoverParagraph(outcome.asked),
  );
  return { ended: outcome.kind };
}

const titles: Readonly<Record<MessageOutcome['kind'], string>> = {
  accepted: 'Sent',
  refused: 'Refused or cancelled',
  'not-sent': 'Not sent yet, the next expiry run tries again',
  unknown: 'Outcome unknown, not sent again',
};

const reasonOf = (outcome: MessageOutcome): string =>
  'message' in outcome ? ` The reason: ${quoted(outcome.message)}.` : '';
