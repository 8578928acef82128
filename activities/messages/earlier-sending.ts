import { setTimeout as sleep } from 'node:timers/promises';
import { type MessageOutcome, recordedOutcome } from './message-outcome.ts';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;

/** A message that another attempt may be sending. */
interface EarlierSending {
  /** What is recorded; while it is SENDING, for how long it has been. */
  readonly read: () => Promise<
    Parameters<typeof recordedOutcome>[0] & { readonly sendingSeconds: number }
  >;
  /** Records that the sending was interrupted. */
  readonly cutOff: () => Promise<void>;
  /** A sending that takes longer was interrupted. */
  readonly longestSeconds: number;
  /** Takes the message and sends it; undefined where that is not possible. */
  readonly send?: () => Promise<MessageOutcome | undefined>;
}

/**
 * The outcome of a message that was taken before. While another worker may still be sending it, this waits
 * for what that one records. A sending that takes longer than it can was interrupted: its outcome is unknown.
 */
export async function outcomeOfEarlierSending({
  read,
  cutOff,
  longestSeconds,
  send,
}: EarlierSending): Promise<MessageOutcome> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const sent = await send?.();
    if (sent) return sent;
    const earlier = await read();
    if (earlier.status !== 'SENDING') return recordedOutcome(earlier);
    // Read again: its worker may record the outcome at the same moment.
    if (earlier.sendingSeconds > longestSeconds) await cutOff();
    else await sleep(pauseMs);
  }
}
