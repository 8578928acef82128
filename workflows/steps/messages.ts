import { getExternalWorkflowHandle, type SignalDefinition, sleep } from '@temporalio/workflow';
import type { MessageOutcome } from '../../activities/messages.ts';
import { providers } from '../activity-options.ts';
import { untilNotRefused } from './failures.ts';

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
  for (let sendings = 1; ; sendings += 1) {
    const outcome = await untilNotRefused(() =>
      providers.sendMessage.executeWithOptions({ summary }, [messageId]),
    );
    if (outcome.kind !== 'not-sent' || sendings === MAXIMUM_SENDINGS) return outcome;
    await sleep(RESEND_PAUSE_MS, { summary: 'The message was not sent: try again soon' });
  }
}

/** Signals another workflow; an ended workflow needs no signal. */
export async function signalIfRunning(
  workflowId: string,
  signal: SignalDefinition<[]>,
): Promise<void> {
  try {
    await getExternalWorkflowHandle(workflowId).signal(signal);
  } catch {
    // The workflow has already ended.
  }
}
