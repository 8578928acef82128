import { setTimeout as sleep } from 'node:timers/promises';
import { type ClientLog, type LogEntry, nameOf, openCalls } from './clients/client-log.ts';
import type { SendCall } from './clients/send-call.ts';
import { makeUp } from './faults/changed-minds.ts';
import { findUnsettled } from './oracle/unsettled.ts';
import { settleLostPayments } from './providers/settle-lost-payments.ts';
import type { Random } from './random.ts';
import { readBooks, settleOnce } from './settle-pending.ts';
import type { ThrowawayStack } from './throwaway-stack.ts';
import type { World } from './world.ts';

/** Longer than any pause that a minute's fault can have led to, on a busy machine too. */
const STALLED_SECONDS = 240;
/** Few and with pauses: whoever asks again must not keep the service from answering. */
const AT_ONCE = 6;
const PAUSE_MS = 1_000;

/**
 * After the faults: settles what is pending at the providers, repeats every call of which its client
 * does not know the end, under its key, and waits until nothing is under way. It ends when nothing has
 * got less for a bounded time, and returns what is left then, one line each.
 */
export async function drain(
  stack: ThrowawayStack,
  parts: {
    readonly world: World;
    readonly log: ClientLog;
    readonly send: SendCall;
    readonly random: Random;
  },
  note: (detail: string) => void,
): Promise<string[]> {
  let least = Number.POSITIVE_INFINITY;
  let progressedAt = Date.now();
  for (;;) {
    await settleOnce(stack.services.sandboxUrl, parts.random, 1);
    const books = await readBooks(stack.services.sandboxUrl);
    await makeUp(stack, parts.world, books);
    await settleLostPayments(stack, books);
    const open = parts.log.keyed().flatMap(openCalls);
    const unsettled = await findUnsettled(stack);
    if (open.length === 0 && unsettled.length === 0) return [];
    note(`${open.length} calls without an end, ${unsettled.length} things under way`);
    const left = open.length + unsettled.length;
    if (left < least) {
      least = left;
      progressedAt = Date.now();
    }
    if (Date.now() > progressedAt + STALLED_SECONDS * 1_000)
      return [...open.map(describe), ...unsettled];
    await repeat(open, parts.send);
    await sleep(PAUSE_MS);
  }
}

/** Sends each call once more, so many at a time. */
async function repeat(open: readonly LogEntry[], send: SendCall): Promise<void> {
  const waiting = [...open];
  const lane = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) await send(next.client, next.call);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

const describe = ({ call, outcome }: LogEntry): string =>
  `${nameOf(call)} has no end: ${outcome.kind === 'open' ? outcome.why : outcome.kind}`;
