import { setTimeout as sleep } from 'node:timers/promises';
import { type ClientCall, nameOf } from './client-log.ts';
import { bodyOf } from './outcome.ts';
import type { SendCall } from './send-call.ts';

const TRIES = 20;
const PAUSE_MS = 500;

/**
 * The data of a read, which is repeated: a token may have expired meanwhile.
 *
 * @throws where it is not answered after many tries
 */
// biome-ignore lint/suspicious/noExplicitAny: every endpoint has data of its own.
export async function readSurely(send: SendCall, call: ClientCall): Promise<any> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const entry = await send(0, call);
    if (entry.outcome.kind === 'done') return bodyOf(entry.response)?.data;
    await sleep(PAUSE_MS);
  }
  throw new Error(`${nameOf(call)}: ${call.path} could not be read`);
}
