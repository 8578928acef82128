import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../src/db/connection.js';
import { messageStatus, recordCutOff } from '../../src/db/vouchers/message-sendings.js';
import { cutOff, type MessageOutcome, recordedOutcome } from './message-outcome.js';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;

/**
 * The outcome of a message that was taken before. While another worker may still be sending it, this waits
 * for what that one records. A sending that takes longer than it can was interrupted: its outcome is unknown.
 */
export async function outcomeOfEarlierSending(
  database: Database,
  messageId: number,
  longestSeconds: number,
): Promise<MessageOutcome> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const earlier = await messageStatus(database, messageId);
    if (earlier.status !== 'SENDING') return recordedOutcome(earlier);
    // Read again: its worker may record the outcome at the same moment.
    if (earlier.sending_seconds > longestSeconds)
      await recordCutOff(database, messageId, cutOff.message);
    else await sleep(pauseMs);
  }
}
