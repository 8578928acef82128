import { sleep } from '@temporalio/workflow';
import type { MessageOutcome } from '../../activities/messages/message-outcome.ts';
import { providers } from '../activity-options.ts';
import { createTries } from './refused-steps.ts';

/** Attempts to send a message that was provably not sent. */
const MAXIMUM_SENDINGS = 3;
const RESEND_PAUSE_MS = 1_000;

/**
 * Sends a queued message until its outcome is known or its attempts are exhausted. Where the database
 * refuses a step, a person is called; the message is sent at most once all the same.
 */
export async function sendUntilSettled(
  messageId: number,
  summary: string,
): Promise<MessageOutcome> {
  const tries = createTries();
  for (let sendings = 0; ; ) {
    let outcome: MessageOutcome;
    // Not `untilNotRefused`: one more promise would change the order of commands beside a redemption.
    try {
      outcome = await providers.sendMessage.executeWithOptions({ summary }, [messageId]);
    } catch (error) {
      tries.note(error);
      await tries.pause();
      continue;
    }
    tries.done();
    sendings += 1;
    if (outcome.kind !== 'not-sent' || sendings === MAXIMUM_SENDINGS) return outcome;
    await sleep(RESEND_PAUSE_MS, { summary: 'The message was not sent: try again soon' });
  }
}
