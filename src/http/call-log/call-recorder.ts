import type { Logger } from 'pino';
import { type AdmittedCall, addAdmittedCalls, addRefusedCalls } from '../../db/access/calls.ts';
import { type Database, isDatabaseUnavailable } from '../../db/connection.ts';
import type { Refused } from './refusal-bursts.ts';
import { createRefusedCallBuffer } from './refused-call-buffer.ts';

/** Records accepted and refused calls, asynchronously to the calls. */
export interface CallRecorder {
  admitted(call: AdmittedCall): void;
  refused(call: Refused): void;
  /** Writes the buffered calls. */
  flush(): Promise<void>;
  /** Writes the buffered calls, and records no more. */
  stop(): Promise<void>;
}

/** Newest calls of each key since the last flush; the table keeps only a few. */
const MAXIMUM_ADMITTED_OF_KEY = 5;
const MAXIMUM_KEYS = 1_000;

/** `now` is for tests. */
export function createCallRecorder(
  database: Database,
  options: {
    readonly logger: Logger;
    readonly intervalMs: number;
    readonly now?: () => number;
  },
): CallRecorder {
  const { logger, now = Date.now } = options;
  const refusals = createRefusedCallBuffer(now);
  let admitted = new Map<string, AdmittedCall[]>();

  const write = async (which: 'due' | 'all') => {
    const { rows, dropped } = refusals.take(which);
    const calls = [...admitted.values()].flat();
    admitted = new Map();
    if (dropped > 0) logger.warn({ dropped }, 'Dropped refused calls beyond the limit');
    try {
      if (rows.length > 0) await addRefusedCalls(database, rows);
    } catch (error) {
      logger.warn({ error: (error as Error).name }, 'Could not record refused calls');
      if (isDatabaseUnavailable(error)) refusals.putBack(rows);
      return;
    }
    try {
      if (calls.length > 0) await addAdmittedCalls(database, calls);
    } catch (error) {
      // Lost records of accepted calls are harmless: later calls replace them.
      logger.warn({ error: (error as Error).name }, 'Could not record accepted calls');
    }
  };
  /** One write at a time. */
  let writing = Promise.resolve();
  const flush = (which: 'due' | 'all') => {
    writing = writing.then(() => write(which));
    return writing;
  };
  const timer = setInterval(() => void flush('due'), options.intervalMs);
  timer.unref();
  return {
    admitted(call) {
      const key = `${call.company.kind} ${call.company.id} ${call.apiKeyId}`;
      const calls = admitted.get(key);
      if (!calls && admitted.size < MAXIMUM_KEYS) admitted.set(key, [call]);
      if (!calls) return;
      calls.push(call);
      if (calls.length > MAXIMUM_ADMITTED_OF_KEY) calls.shift();
    },
    refused: refusals.add,
    flush: () => flush('due'),
    stop() {
      clearInterval(timer);
      return flush('all');
    },
  };
}
