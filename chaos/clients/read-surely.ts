import { setTimeout as sleep } from 'node:timers/promises';
import { type ClientCall, type LogEntry, nameOf } from './client-log.ts';
import { bodyOf } from './outcome.ts';
import type { SendCall } from './send-call.ts';

/** The number of the client that makes these calls: none of those that a run has. */
const CLIENT = -1;
const TRIES = 40;
const PAUSE_MS = 500;

/** Repeats a call through all faults until its client knows the end; undefined if it is refused. */
export async function untilDone(send: SendCall, call: ClientCall): Promise<LogEntry | undefined> {
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const entry = await send(CLIENT, call);
    if (entry.outcome.kind === 'done') return entry;
    if (entry.outcome.kind === 'refused' && entry.outcome.isBound) return undefined;
    await sleep(PAUSE_MS);
  }
  return undefined;
}

/**
 * The data of a read, which is repeated: a token may have expired meanwhile.
 *
 * @throws where it is not answered after many tries
 */
// biome-ignore lint/suspicious/noExplicitAny: every endpoint has data of its own.
export async function readSurely(send: SendCall, call: ClientCall): Promise<any> {
  const entry = await untilDone(send, call);
  if (!entry) throw new Error(`${nameOf(call)}: ${call.path} could not be read`);
  return bodyOf(entry.response)?.data;
}
