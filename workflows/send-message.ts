import { sleep } from '@temporalio/workflow';
import type { MessageOutcome } from '../activities/message-outcome.js';
import { providers } from './activity-options.js';

/** A message that provably was not sent is tried so often. */
const MAXIMUM_SENDINGS = 3;
const RESEND_PAUSE_MS = 1_000;

/** Sends a queued message until it is known what became of it, or it was tried often enough. */
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
