import { sleep } from '@temporalio/workflow';
import type { MessageOutcome } from '../../activities/messages/message-outcome.js';
import { providers } from '../activity-options.js';

/** Attempts to send a message that was provably not sent. */
const MAXIMUM_SENDINGS = 3;
const RESEND_PAUSE_MS = 1_000;

/** Sends a queued message until its outcome is known or its attempts are exhausted. */
export async function sendUntilSettled(
  messageId: number,
  summary: string,
): Promise<MessageOutcome> {
  for (let sendings = 1; ; sendings += 1) {
    const outcome = await providers.sendMessage.executeWithOptions({ summary }, [messageId]);
    if (outcome.kind !== 'not-sent' || sendings === MAXIMUM_SENDINGS) return outcome;
    await sleep(RESEND_PAUSE_MS, { summary: 'The message was not sent: try again soon' });
  }
}
